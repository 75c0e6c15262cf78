"""The words of a question that an answer must be about.

Small words are left out, endings are taken off so that "refunds" meets "refunded", and names and numbers
weigh more than other words.
Scripts without spaces are read in pairs of characters.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[-.'’+#][^\W_]+)*[+#]*", re.UNICODE)
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
_RUNS = re.compile(f"{_UNSPACED.pattern}|(?:(?!{_UNSPACED.pattern}).)+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n]\s*)[\"'“„«(¿¡]*$")
_NOTHING_BEHIND_THE_POINT = re.compile(r"(?<=\d)\.0+$")
_ENDINGS = (
    "ments", "ment", "ings", "ing", "ions", "ion", "ies", "ied", "ers", "er",
    "ably", "able", "ally", "ed", "es", "ly", "al", "s", "e", "y",
)  # fmt: skip

_SMALL_WORDS = """
    a about above after again all also am an and any anything are aren't as at be because been before being below
    between both but by can can't cannot could couldn't d did didn't do does doesn't doing don't down during each either
    else ever every few for from further get gets got had has hasn't have haven't having he her here hers him his how i
    i'd i'll i'm i've if in into is isn't it it's its itself just let ll look m may me might mine more most much must my
    myself no nor not now of off often ok okay on once one ones only or other others our ours out over own per please
    quite rather re really s same shall she should shouldn't since so some something still such t tell than that that's
    the their theirs them then there there's these they thing things this those through to too under until up upon us ve
    very was wasn't way we well were what what's when where which while who whom whose why will with within without
    won't would yes you you're your yours yet know want need like give explain describe show say says said mean means
    question ask thanks thank hi hello many long
    der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr ist sind waren wie
    wer wo wann warum welche welcher welches für von mit auf bei nach aus zu zum zur im nicht auch noch
    le la les un une du de et ou mais je tu il elle nous vous ils est sont était quel quelle quels quelles comment
    quand où pourquoi pour avec sur dans par pas aussi que qui quoi
    el los las una unos unas y o pero yo él ella nosotros son era cómo cuándo dónde qué cuál cuáles por para con en del
    al también
"""
STOPWORDS = frozenset(_SMALL_WORDS.split())


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending; at least four letters stay, or three where only a plural s goes.

    "99.0" is the number 99. Foundation and founded stay apart: only what is one word in another form meets.
    """
    word = word.casefold().replace("’", "'").removesuffix("'s").rstrip("'")
    if any(c.isdigit() for c in word) or not word.isascii():
        return _NOTHING_BEHIND_THE_POINT.sub("", word)
    for ending in _ENDINGS:
        if (
            word.endswith(ending)
            and len(word) - len(ending) >= (3 if ending == "s" else 4)
            and word[-2:] != "ss"
        ):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def words(text: str) -> list[str]:
    """Words as written; unspaced scripts as overlapping pairs, Japanese ones without the kana of its grammar."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if word.isascii() or not _UNSPACED.search(word):
            found.append(word)
        else:
            runs = (run for run in _RUNS.findall(word) if run)
            found += [piece for run in runs for piece in (_pairs(run) if _UNSPACED.match(run) else [run])]
    return found


def _pairs(run: str) -> list[str]:
    pairs = [run[i : i + 2] for i in range(max(1, len(run) - 1))]
    return [pair for pair in pairs if not _HIRAGANA.search(pair)] or pairs


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """The stems of all content words; a hyphenated word counts whole and by its parts."""
    return frozenset(stem(part) for word in words(text) for part in _parts(word) if content(part))


def content(word: str) -> bool:
    """Not a small word; a single letter counts only when it is a capital or a digit."""
    plain = word.casefold().replace("’", "'")
    return plain not in STOPWORDS and (len(plain) > 1 or word.isupper() or word.isdigit())


def names(text: str) -> frozenset[str]:
    """Stems of what looks like a name: a capital inside a sentence, or letters joined with digits."""
    found = set()
    for match in _WORD.finditer(text):
        word = match[0]
        inner = word[0].isupper() and not _SENTENCE_START.search(
            text[max(0, match.start() - 4) : match.start()]
        )
        if content(word) and (inner or _coded(word)):
            found.add(stem(word))
    return frozenset(found)


def _coded(word: str) -> bool:
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _parts(word: str) -> tuple[str, ...]:
    pieces = tuple(p for p in re.split(r"[-.'’]", word) if len(p) > 1)
    return (word, *pieces) if len(pieces) > 1 else (word,)
