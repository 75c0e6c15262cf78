"""How many tokens a text has, where the tokenizer of a model is unknown.

Models read a limited number of tokens, and every section of their input has a budget. An estimate from above keeps
within both: a little room is lost, and nothing is cut off unseen.
"""

from __future__ import annotations

import re

_TOKENISH = re.compile(
    r"[A-Za-z]+|\d+|[^\S\n]+|\n+|[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+|.",
    re.S,
)


def estimate_tokens(text: str) -> int:
    """Tokens of a byte-pair vocabulary, estimated from above: an English word of up to 7 letters is 1, longer
    words 1 per 6 letters, 3 digits 1, a character of an unspaced script 1, other alphabets 1 per 2 letters.
    """
    total = 0
    for part in _TOKENISH.findall(text):
        first = part[0]
        if first.isascii() and first.isalpha():
            total += 1 if len(part) <= 7 else -(-len(part) // 6)
        elif first.isdigit():
            total += -(-len(part) // 3)
        elif first.isspace():
            total += 0 if part == " " else 1
        elif first.isalpha():
            total += -(-len(part) // 2)
        else:
            total += len(first.encode()) // 2 or 1
    return total
