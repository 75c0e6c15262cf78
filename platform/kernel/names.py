"""What people may call things: one line that says what it seems to say, in any script.

A name that is too long is refused and never cut: the end of what somebody typed would be lost without a word.
"""

from __future__ import annotations

import unicodedata

from kernel.errors import Invalid

# They turn the reading direction around, so that a name shows as another one (Trojan Source, CVE-2021-42574). The joiners
# U+200C and U+200D are no such characters: Persian and Hindi words need them.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_line(text: str, *, what: str, most: int, least: int = 1) -> str:
    """`text` as one line without spaces around it, of `least` to `most` characters; `what` begins a sentence.

    Raises `Invalid`, with the count where it is too long.
    """
    line = " ".join(text.split())
    if any(_is_hidden(character) for character in line):
        raise Invalid(
            reason=f"{what} holds characters that cannot be seen. Type it anew instead of pasting it."
        )
    if len(line) > most:
        raise Invalid(reason=f"{what} has {len(line)} characters, and at most {most} are kept. Shorten it.")
    if len(line) < least:
        raise Invalid(reason=f"{what} is missing. It has {least} to {most} characters.")
    return line


def _is_hidden(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in ("Cc", "Cs")
