"""The answer without a model: the best sentences of the best passages, each with its citation.

A sentence is good when it holds the words of the question, means nearly the same, and has a number where a
number was asked for; it is read together with its heading and the line before it.
When nothing is good enough the person is told so, and when the very name they asked for is in no passage,
that is said before the closest passage is quoted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from conversations.domain.answer.phrases import message_language, nearest, not_found
from conversations.domain.answer.render import MAX_SENTENCES, MAX_WORDS, Chosen, rendered
from conversations.domain.answer.terms import names, stem, stems, words
from conversations.domain.answer.units import Unit, units
from conversations.domain.answer.values import ExtractedAnswer, Passage

SentenceScores = Callable[[Sequence[str]], Sequence[float]]

_MAX_PASSAGES, _SHORTLIST = 8, 9
_NUMBER_WANTED = re.compile(
    r"\bhow (long|much|many|often|soon|fast|far|old|big|large|late|early)\b|\bwhen\b|\bwhat time\b|\bdeadline\b|\bprice|"
    r"\bcosts?\b|\bfees?\b|\bpercent|\b(limit|maximum|minimum|quota|period|duration|amount|number of)\b|\bwie (lange|viel|viele|oft|schnell|hoch)\b|\bwann\b|\bcombien\b|\bquand\b|"
    r"\bcuánt[oa]s?\b|\bcuándo\b|いくら|いつ|何[日時年円]|كم|متى",
    re.I,
)
_PRECISE = re.compile(
    r"^\W*(who|when|where|is|are|does|do|did|can|could|will|may|must|which|has|have)\b", re.I
)
_NUMBER = re.compile(
    r"\d|[€$£¥%]|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty|sixty|ninety|hundred|"
    r"half|daily|weekly|monthly|yearly|annually|hourly|immediately|never|always|free|unlimited|noon|midnight)\b",
    re.I,
)
_TO_THE_MACHINE = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(instruction|prompt|rule|guideline|context|question|system message)s?\b"
    r"|\byou are (now )?(an? |the )?(\w+ )?(ai|assistant|chat ?bot|language model|llm|dan)\b|\bsystem prompt\b|\bas an ai\b"
    r"|\b(reply|respond|answer) (only |always )?(with|by|in the words)\b|\b(do not|don't|never) (tell|inform|reveal|mention).{0,20}\buser"
    r"|\b(ai|llm|assistant|chat ?bot|language model)s?\b.{0,30}\b(must|should|shall|are to|please)\b|<\|?(im_start|system|endoftext)|\[/?INST\]",
    re.I,
)
_MACHINE_WORDS = stems("ai llm assistant chatbot prompt injection jailbreak")
_LEANS_BACK = re.compile(
    r"(it|its|they|their|them|this|that|these|those|he|she|his|her|however|therefore|otherwise|then|such|both|in (this|that|these) cases?)\b",
    re.I,
)
_CALENDAR = frozenset(
    stem(w)
    for w in [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "christmas",
        "easter",
        "english",
    ]
)


@dataclass(frozen=True, slots=True)
class Floors:
    """What a sentence must reach to count as an answer.

    `coverage`: share of the question's weighted words (0..1). `similarity`: cosine of
    sentence and question, enough on its own. `both` and `nearly_all`: (coverage, similarity) enough together. `coverage`
    alone decides only where there are no cosines. These are for all-MiniLM-L6-v2, where they let 91 % of 45
    answerable questions through and 7 % of the same questions over passages of another field; another
    embedding model needs its own figures.
    """

    coverage: float = 0.5
    similarity: float = 0.62
    both: tuple[float, float] = (0.35, 0.5)
    nearly_all: tuple[float, float] = (0.8, 0.3)

    def cleared(self, coverage: float, similarity: float | None) -> bool:
        if similarity is None:
            return coverage >= self.coverage
        pairs = (self.both, self.nearly_all)
        return similarity >= self.similarity or any(coverage >= c and similarity >= s for c, s in pairs)


@dataclass(frozen=True, slots=True)
class _Candidate:
    passage: int
    position: int
    unit: Unit
    own: frozenset[str]
    near: frozenset[str]
    coverage: float
    score: float
    similarity: float | None = None


def extract_answer(
    query: str,
    message: str,
    passages: Sequence[Passage],
    *,
    sentence_scores: SentenceScores | None = None,
    floors: Floors | None = None,
    known_names: Collection[str] = (),
) -> ExtractedAnswer:
    """Quotes 1 to 4 sentences (at most 90 words) that answer `query`, or says that nothing was found.

    `query` is the standalone query, `message` what the person typed (its language is answered in), `passages`
    come best first. `sentence_scores` gives the cosine of each text with the query for a short list of at most
    9 texts, in one call. `known_names` (the tenant's own) need not occur in a passage.
    """
    if not passages:
        return ExtractedAnswer(not_found(message), (), confident=False)
    wanted = _weights(query, message, passages, known_names)
    found = _ranked(_candidates(query, message, passages, wanted), query, sentence_scores)
    missing = _missing_name(message, passages, known_names)
    if missing:
        found = _without_terms(found, wanted, {stem(missing)})
    if not found or not (floors or Floors()).cleared(found[0].coverage, found[0].similarity):
        return ExtractedAnswer(not_found(message, missing), (), confident=False)
    chosen = _chosen(found, passages, wanted, query, 1 if missing else MAX_SENTENCES - 1)
    text, citations = rendered(chosen, passages, frozenset(wanted))
    if missing:
        text = f"{not_found(message, missing)} {nearest(message)}\n\n{text}"
    return ExtractedAnswer(text, citations, confident=not missing)


def _weights(
    query: str, message: str, passages: Sequence[Passage], known_names: Collection[str]
) -> dict[str, float]:
    """Stem → weight: rare among the passages' sentences counts more, a name counts double."""
    known = frozenset().union(*map(stems, known_names)) if known_names else frozenset()
    asked = (stems(query) or stems(message)) - known or stems(query)
    named = names(query) | names(message)
    rows = [stems(u.text) for p in passages[:_MAX_PASSAGES] for u in units(p.text)]
    frequency = Counter(term for row in rows for term in row & asked)
    return {term: _weight(frequency[term], len(rows), term in named) for term in asked}


def _weight(frequency: int, rows: int, named: bool) -> float:
    """Between 0.4 and 1.4 by rarity, twice that for a name. A plain word in no sentence may be just the person's way to ask."""
    if not frequency:
        return 2.4 if named else 0.8
    rarity = 0.4 + math.log((rows + 1) / (1 + frequency)) / math.log(rows + 1)
    return rarity * (2.0 if named else 1.0)


def _candidates(
    query: str, message: str, passages: Sequence[Passage], wanted: Mapping[str, float]
) -> list[_Candidate]:
    numeric = bool(_NUMBER_WANTED.search(f"{query} {message}"))
    about_machines = bool(stems(query) & _MACHINE_WORDS) and not _TO_THE_MACHINE.search(query)
    found = []
    for index, passage in enumerate(passages[:_MAX_PASSAGES]):
        frame = stems(" ".join((passage.title, *passage.heading_path)))
        before: Unit | None = None
        for position, unit in enumerate(units(passage.text)):
            if about_machines or not _TO_THE_MACHINE.search(unit.source):
                found.append(_candidate(index, position, unit, before, frame, wanted, numeric))
            before = unit
    return found


def _candidate(
    index: int,
    position: int,
    unit: Unit,
    before: Unit | None,
    frame: frozenset[str],
    wanted: Mapping[str, float],
    numeric: bool,
) -> _Candidate:
    own = stems(f"{unit.lead} {unit.text}")
    near = stems(unit.about) | frame
    earlier = stems(before.text) if before and before.block == unit.block else frozenset()
    share = _share_of_earlier(unit, before)
    reach = {t: _reach(t, own, near, earlier, share) for t in wanted}
    coverage = sum(w * reach[t] for t, w in wanted.items()) / (sum(wanted.values()) or 1)
    score = coverage + 0.12 / (1 + 0.3 * index) + _fitness(unit, numeric)
    return _Candidate(index, position, unit, own, near, coverage, score)


def _share_of_earlier(unit: Unit, before: Unit | None) -> float:
    """What the words of the sentence before count here: much after a question and for a pronoun, else little."""
    if before and before.text.endswith("?"):
        return 0.8
    return 0.7 if _LEANS_BACK.match(unit.text) else 0.35


def _reach(
    term: str, own: frozenset[str], near: frozenset[str], earlier: frozenset[str], earlier_share: float
) -> float:
    if term in own or _akin(term, own):
        return 1.0
    return 0.6 if term in near or _akin(term, near) else earlier_share if term in earlier else 0.0


def _akin(term: str, others: frozenset[str]) -> bool:
    """encrypt / encryption: one stem begins the other, five letters at least are shared."""
    if len(term) < 5 or not term.isalpha():
        return False
    return any(
        o[:5] == term[:5] and (o.startswith(term) or term.startswith(o)) for o in others if len(o) >= 5
    )


def _fitness(unit: Unit, numeric: bool) -> float:
    length = len(unit.text.split())
    value = -0.3 if unit.text.endswith("?") else 0.0
    value -= 0.1 if length < 3 or length > 45 else 0.0
    if numeric:
        value += 0.12 if _NUMBER.search(unit.text) else -0.1
    return value


def _ranked(found: list[_Candidate], query: str, sentence_scores: SentenceScores | None) -> list[_Candidate]:
    """Best first. The embedding is asked about a short list only: every passage's best, then the overall best."""
    found = sorted(found, key=lambda c: -c.score)
    if sentence_scores is None or not found:
        return found
    heads = [c for p in range(4) for c in [c for c in found if c.passage == p][:2]]
    short = list(dict.fromkeys([*heads, *found]))[:_SHORTLIST]
    cosines = sentence_scores([_readable(c.unit) for c in short])
    scored = [
        replace(c, similarity=float(s), score=0.55 * c.score + 0.6 * float(s))
        for c, s in zip(short, cosines, strict=True)
    ]
    return sorted(scored, key=lambda c: -c.score)


def _readable(unit: Unit) -> str:
    return f"{unit.about}: {unit.lead} {unit.text}".strip(": ")


def _missing_name(message: str, passages: Sequence[Passage], known_names: Collection[str]) -> str:
    """A name that the person typed and no passage holds; "" when there is none or capitals say nothing."""
    typed = [w for w in words(message) if w[0].isalpha()]
    capitals = sum(w[0].isupper() for w in typed)
    if message_language(message) == "de" or (len(typed) > 3 and capitals * 2 > len(typed)):
        return ""
    held = frozenset().union(*(stems(" ".join((p.text, p.title, *p.heading_path))) for p in passages))
    held |= frozenset().union(*map(stems, known_names)) if known_names else frozenset()
    absent = {n for n in names(message) - held - _CALENDAR if not _akin(n, held)}
    bare = (re.sub(r"['’]s$", "", w) for w in typed)
    return next((w for w in bare if stem(w) in absent and not (w.isupper() and w.isalpha())), "")


def _without_terms(
    found: list[_Candidate], wanted: Mapping[str, float], gone: Collection[str]
) -> list[_Candidate]:
    """Coverage as if the missing name had not been asked for."""
    left = sum(w for t, w in wanted.items() if t not in gone)
    return [replace(c, coverage=c.coverage * sum(wanted.values()) / left) for c in found] if left else []


def _chosen(
    found: list[_Candidate], passages: Sequence[Passage], wanted: Mapping[str, float], query: str, most: int
) -> list[Chosen]:
    """The best, then what adds to it: new words of the question, or nearly as close in meaning."""
    best = found[0]
    named = names(query) & wanted.keys()
    limit = min(most, 2) if _NUMBER_WANTED.search(query) or _PRECISE.search(query) else most
    kept = [best]
    for candidate in found[1:]:
        if len(kept) < limit and _adds(candidate, kept, wanted, named):
            kept.append(candidate)
    chosen: list[Chosen] = []
    for c in kept:
        group = _group(c, units(passages[c.passage].text), wanted)
        known = {(x.passage, p) for x in chosen for p in x.positions}
        fresh = tuple(p for p in group if (c.passage, p) not in known)
        if (
            fresh and _length(chosen, passages) + _count(passages[c.passage], fresh) <= MAX_WORDS
        ) or not chosen:
            chosen.append(Chosen(c.passage, fresh))
    return chosen


def _adds(
    candidate: _Candidate, kept: list[_Candidate], wanted: Mapping[str, float], named: Collection[str]
) -> bool:
    best = kept[0]
    if candidate.score < 0.72 * best.score or any(_alike(candidate.own, k.own) for k in kept):
        return False
    held = frozenset().union(*(k.own for k in kept)) & wanted.keys()
    news = (candidate.own & wanted.keys()) - held
    lost = (best.own & wanted.keys()) - candidate.own - candidate.near
    rival = bool(lost) and (candidate.unit.kind == "row" == best.unit.kind or not lost.isdisjoint(named))
    return not rival and (bool(news) or candidate.score >= 0.9 * best.score)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Near-duplicates: three quarters of the content words of the shorter are in the other."""
    return len(one & other) >= 0.75 * max(1, min(len(one), len(other)))


def _group(
    candidate: _Candidate, all_units: tuple[Unit, ...], wanted: Mapping[str, float]
) -> tuple[int, ...]:
    """The unit with what it needs beside it: the sentence it leans on, or its whole short list when that was asked for."""
    unit, at = candidate.unit, candidate.position
    if unit.kind == "item" and unit.lead:
        siblings = tuple(i for i, u in enumerate(all_units) if u.block == unit.block)
        asked_by_lead = (stems(unit.text) & wanted.keys()) <= stems(unit.lead) | stems(unit.about)
        if asked_by_lead and sum(len(all_units[i].text.split()) for i in siblings) <= 60:
            return siblings
    leans = unit.kind == "sentence" and at > 0 and bool(_LEANS_BACK.match(unit.text))
    if (
        leans
        and all_units[at - 1].block == unit.block
        and not _TO_THE_MACHINE.search(all_units[at - 1].source)
    ):
        return (at - 1, at)
    return (at,)


def _count(passage: Passage, positions: tuple[int, ...]) -> int:
    every = units(passage.text)
    return sum(len(every[p].text.split()) for p in positions) + len(every[positions[0]].lead.split())


def _length(chosen: list[Chosen], passages: Sequence[Passage]) -> int:
    return sum(_count(passages[c.passage], c.positions) for c in chosen)
