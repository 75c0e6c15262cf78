"""Checks a model's answer against the passages that it was shown.

A marker [n] stays when there is a passage n and goes when there is none; the numbers are kept.
A link or image whose address is in no passage is taken out, because an answer could carry a conversation
to a stranger's server in one: its words stay, its address does not. An image is a link at most.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conversations.domain.answer.terms import stems
from conversations.domain.answer.units import sentences, units
from conversations.domain.answer.values import Citation, Passage

LINK_REMOVED = "(link removed)"

# Browsers take "https:host" for "https://host", in any case of the letters; Markdown takes its backslashes out.
_ADDRESS = (
    r"(?i:[a-z][a-z0-9+.-]{1,12}\\?:\\?/\\?/|www\.|(?<![:\w/])/[/\\](?=[\w-]+\.)|mailto:|(?:https?|ftp|wss?|file|blob|vbscript|javascript):(?=\S)"
    r"|data:(?=\w+/))[^\s<>\"'`]+"
)
_TOKEN = re.compile(
    r"(?P<code>^[ ]{0,3}```[^`\n]*\n(?:(?![ ]{0,3}```)[^\n]*\n)*(?:[ ]{0,3}```[ \t]*(?=\n|\Z))|(?P<tick>`+)[^`\n]+(?P=tick)(?!`))"
    r"|(?P<link>!?\[(?P<words>[^\[\]\n]{0,300})\]\(\s*(?P<target>[^)\n]{0,2000})\))"
    r"|(?P<tag></?[a-zA-Z!][^<>]{0,500}>)"
    r"|(?P<gap>[ \t]*)[\[【]\^?(?P<marker>\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)(?:†[^\]】\n]{0,40})?[\]】]"
    rf"|(?P<address>{_ADDRESS})"
    # What is left of a link of another shape, and a reference definition: "[a [b]](…", "[a]: …".
    r"|(?P<joint>(?<=\])[(:])",
    re.MULTILINE,
)
# What this module takes for code another renderer may take for text: no link is left in it that could be followed.
_IN_CODE = re.compile(
    rf"!\[(?P<words>[^\[\]\n]{{0,300}})\]\(\s*(?P<target>[^)\n]{{0,2000}})\)|(?P<address>{_ADDRESS})"
    r"|(?P<joint>\][(:]\s*<?)(?P<hidden>[^)\s<>]{1,2000})"
)
_ACTIVE_TAG = re.compile(
    r"(?i)/?(?:script|iframe|object|embed|applet|svg|math|style|base|meta)\b|.*\bon[a-z]+\s*="
    r"|.*\b(?:src|href|srcset|style|action|formaction|data|poster|background|ping|cite|content)\s*=|.*://|www\."
    r"|[a-z][a-z0-9+.-]{1,31}:|[^\s@]+@",
    re.DOTALL,
)
_PENDING = re.compile(
    r"^[ ]{0,3}```[^`\n]*(?:\n(?:(?![ ]{0,3}```[ \t]*\n)[^\n]*\n)*[^\n]*)?\Z"
    r"|`+[^`\n]*`*\Z"
    r"|!?\[[^\[\]\n]{0,300}(?:\](?:\(\s*[^)\n]{0,2000})?)?\Z"
    r"|</?(?:[a-zA-Z!][^<>]{0,500})?\Z"
    r"|【[^】\n]{0,60}\Z"
    r"|!?\[\^?\Z",
    re.MULTILINE,
)
_URL = re.compile(_ADDRESS)
_MARKER = re.compile(r"\[(\d{1,3})\]")
_TRAILING = ".,;:!?)]}*_"
_SHORT_WORD = 16


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """A model's answer made safe to show. `dropped` are markers without a passage, `removed` addresses."""

    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()


def without_markers(text: str) -> str:
    """An answer as it is said: the numbers of its sources are nobody's subject."""
    return re.sub(r"[ \t]*\[\d{1,3}\](?!\()", "", text).replace("**", "")


def cited(text: str, passages: Sequence[Passage]) -> CitedAnswer:
    """Maps [n] to `passages[n-1]`, drops other markers, takes out links and images that no passage holds."""
    stream = CitationStream(passages)
    clean = (stream.feed(text) + stream.finish()).rstrip()
    used = dict.fromkeys(int(n) for n in _MARKER.findall(clean))
    citations = tuple(
        Citation.of(n, passages[n - 1], _quotes(clean, n, passages[n - 1]))
        for n in sorted(used)
        if 1 <= n <= len(passages)
    )
    return CitedAnswer(clean, citations, tuple(stream.dropped), tuple(stream.removed))


class CitationStream:
    """The same check for an answer that is still arriving.

    `feed` returns what is safe to show so far and holds back what could still become a link, a marker or an
    address; `finish` returns the rest. What comes out does not depend on how the text was cut.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._count = len(passages)
        self._known = frozenset(a for p in passages for a in _addresses(p.text))
        self._held, self._context = "", "\n"
        self.dropped: list[int] = []
        self.removed: list[str] = []

    def feed(self, piece: str) -> str:
        self._held += piece
        return self._release(self._safe_length())

    def finish(self) -> str:
        return self._release(len(self._held))

    def _safe_length(self) -> int:
        """Everything before the first thing that is still open and before the last word, and no token in half."""
        tokens = list(_TOKEN.finditer(self._held))
        open_at = self._open_at(tokens)
        word = re.compile(r"[ \t]*\S*\Z").search(self._held, 0, open_at)
        start = word.start() if word else open_at
        if open_at - start > _SHORT_WORD and not _URL.search(self._held, start, open_at):
            start = open_at - _SHORT_WORD
        return next((t.start() for t in tokens if t.start() < start < t.end()), start)

    def _open_at(self, tokens: list[re.Match[str]]) -> int:
        """Where something begins that more text could still make a link, a marker, a tag or code."""
        codes = [t for t in tokens if t["code"]]
        if codes and codes[-1].end() == len(self._held):
            return codes[-1].start()
        pending = _PENDING.search(self._held, codes[-1].end() if codes else 0)
        return pending.start() if pending else len(self._held)

    def _release(self, length: int) -> str:
        ready, self._held = self._held[:length], self._held[length:]
        if not ready:
            return ""
        whole, base = self._context + ready, len(self._context)
        out, at = [], base
        for match in _TOKEN.finditer(whole, base):
            out += [whole[at : match.start()], self._replacement(match)]
            at = match.end()
        self._context = whole[-1:]
        return "".join([*out, whole[at:]])

    def _replacement(self, match: re.Match[str]) -> str:
        if match["code"]:
            return _IN_CODE.sub(self._in_code, match[0])
        if match["link"]:
            return self._link(match)
        if match["tag"]:
            return self._tag(match[0])
        if match["marker"]:
            return self._markers(match["marker"], match["gap"])
        if match["joint"]:
            return f" {match['joint']}"
        return self._address(match[0])

    def _link(self, match: re.Match[str]) -> str:
        label, target = match["words"], match["target"].split(" ")[0].strip("<>\n\t ")
        if label.strip().isdigit() and not match["link"].startswith("!"):
            return self._markers(label.strip(), "")
        words = _URL.sub(lambda m: self._address(m[0]), label)
        if target in self._known:
            return f"[{words}]({target})"
        self.removed.append(target)
        return words

    def _tag(self, tag: str) -> str:
        inner = tag.strip("<>")
        if inner in self._known:
            return tag
        if _ACTIVE_TAG.match(inner):
            self.removed.append(inner)
            return ""
        return tag

    def _in_code(self, match: re.Match[str]) -> str:
        if match["address"]:
            return self._address(match[0])
        if match["joint"]:
            return self._hidden(match)
        if match["target"].strip() in self._known:
            return match[0]
        self.removed.append(match["target"])
        return match["words"] or ""

    def _hidden(self, match: re.Match[str]) -> str:
        """Brackets in code are code, unless what follows them is an address once its escapes are read."""
        plain = html.unescape(match["hidden"].replace("\\", ""))
        if plain in self._known or not _URL.search(plain):
            return match[0]
        self.removed.append(plain)
        return "]"

    def _address(self, address: str) -> str:
        bare = address.rstrip(_TRAILING)
        if bare in self._known:
            return address
        self.removed.append(bare)
        return LINK_REMOVED + address[len(bare) :]

    def _markers(self, inner: str, gap: str) -> str:
        numbers = _numbers(inner)
        kept = [n for n in numbers if 1 <= n <= self._count]
        self.dropped += [n for n in numbers if n not in kept]
        return gap + "".join(f"[{n}]" for n in kept) if kept else ""


def _addresses(text: str) -> set[str]:
    return {m[0].rstrip(_TRAILING) for m in _URL.finditer(text)}


def _numbers(inner: str) -> list[int]:
    """ "1, 3-5" → 1 3 4 5; a range longer than nine is only its ends."""
    found: list[int] = []
    for part in re.split(r"\s?[,;]\s?", inner):
        ends = [int(n) for n in re.split(r"\s?[–-]\s?", part)]
        span = range(ends[0], ends[-1] + 1)
        found += list(span) if 0 < len(span) <= 9 else ends
    return list(dict.fromkeys(found))


def _quotes(answer: str, n: int, passage: Passage) -> tuple[str, ...]:
    """The up to two pieces of the passage that share most words with the sentences that cite it."""
    claimed = stems(" ".join(s for s in _with_marker(answer) if f"[{n}]" in s))
    shares = [
        (len(claimed & own) / (len(own) + 3), -i, u.source)
        for i, u in enumerate(units(passage.text))
        if (own := stems(u.text))
    ]
    best = sorted(shares, reverse=True)[:2]
    top = best[0][0] if best else 0.0
    return tuple(source for share, _, source in best if share > 0.15 and share >= 0.6 * top)


def _with_marker(answer: str) -> list[str]:
    """Sentences, a marker after the full stop counting to the sentence before it."""
    moved = re.sub(r"([.!?])\s*((?:\[\d{1,3}\])+)", r" \2\1", answer)
    return [s for line in moved.splitlines() for s in sentences(line)]
