"""Text of documents and people as data: whatever it holds, it cannot close the marks that a prompt puts round it.

What looks like one of our marks or like a chat template loses its bracket, whichever alphabet, width or invisible
characters it is dressed in. Everything else stays as it was written, code and mathematics included.
"""

from __future__ import annotations

import re
import unicodedata

_OPENING = "<＜﹤〈⟨〈≺˂ᐸ❮"
_MARK = re.compile(
    rf"[\s/\\\"'!?{_OPENING}-]*(?:passages?|summary|facts?|notes?|searched_for|messages?|conversation|system|assistant|user|instructions?)\b"
)
_LONGEST = 48  # characters looked at behind a bracket
_BRACKET = re.compile(rf"[{_OPENING}](?=([^>]{{1,{_LONGEST}}}))")
_TEMPLATE = re.compile(
    rf"[{_OPENING}](?=\|)|(?<=[^\s|]\|)>|\[(?=\s*/?\s*INST\s*\])|<<(?=\s*/?\s*SYS\s*>>)", re.I
)
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_JOINER_IN_WORD = re.compile("(?<=[A-Za-z])[\u200c\u200d\ufe00-\ufe0f]+(?=[A-Za-z])")
# Letters that look like those of the marks, Cyrillic, Armenian and Greek (Unicode TR 39, confusables).
_LOOKALIKES = str.maketrans("асеѕорутмігһнгԁкѵոսοαρτυνικεɡı", "acesopytmirhnrdkvnuoaptuvikegi")


def quoted(text: str) -> str:
    """Text between marks of a prompt. Invisible characters go; of a false mark only the bracket changes."""
    visible = _JOINER_IN_WORD.sub("", _INVISIBLE.sub("", text))
    return _BRACKET.sub(_bracket, _TEMPLATE.sub(_harmless, visible))


def enclosed(text: str) -> str:
    """As `quoted`, and without any angle bracket: where no code is worth its risk."""
    return quoted(text).replace("<", "‹").replace(">", "›").strip()


def indented(text: str) -> str:
    """`enclosed` text whose further lines cannot begin a line of the prompt's own, such as "assistant: …"."""
    return "\n  ".join(enclosed(text).splitlines())


def one_line(text: str) -> str:
    """`enclosed` text on one line."""
    return " ".join(enclosed(text).split())


def unmasked(text: str) -> str:
    """The text as an eye reads it: without invisible characters, of one width, in Latin letters where they look so.

    For looking at only: words of other alphabets are no words any more.
    """
    letters = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_LOOKALIKES)
    return "".join(c for c in letters if not unicodedata.combining(c))


def _bracket(match: re.Match[str]) -> str:
    return "‹" if _imitates(match[1]) else match[0]


def _imitates(following: str) -> bool:
    """Whether what follows a bracket reads as one of the marks, accents and disguises aside."""
    letters = unicodedata.normalize("NFKD", following).casefold().translate(_LOOKALIKES)
    return bool(_MARK.match("".join(c for c in letters if unicodedata.category(c) not in ("Mn", "Cf"))))


def _harmless(match: re.Match[str]) -> str:
    return {"[": "(", ">": "›"}.get(match[0][0], "‹") * len(match[0])
