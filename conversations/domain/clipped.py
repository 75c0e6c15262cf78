"""Knows a word by its clipped form: "physio" is physiotherapy, "info" information, "admin" administration.

What is clipped counts as the same word when a message is held against earlier exchanges; what is searched stays as it was.
"""

from __future__ import annotations

from collections.abc import Collection

from conversations.domain.vocabulary import words

# Clippings of general English and the beginnings of the words that they stand for. Others end in "o": "gastro", "chemo".
_CLIPPED = {
    "admin": "administrat", "app": "applicat", "appt": "appointment", "acct": "account", "cert": "certificat", "config": "configurat",
    "dept": "department", "doc": "document", "exam": "examinat", "info": "informat", "lab": "laborator", "max": "maxim", "min": "minim",
    "op": "operation", "perm": "permanent", "prep": "preparat", "reg": "registrat", "rep": "representativ", "spec": "specificat",
    "sub": "subscri", "sync": "synchron", "temp": "temperatur", "uni": "universit", "vet": "veterinar", "auth": "authenticat",
    "combi": "combin", "med": "medic", "prescrip": "prescription", "ref": "referenc", "vac": "vaccin", "vax": "vaccin",
}  # fmt: skip
_SHORTEST, _LEFT_OUT = 4, 3
# Words in "o" that stand for nothing longer.
_WHOLE = words(
    "auto solo euro zero hero also into onto piano tango cargo metro micro macro retro patio ratio"
)


def stands_for(clip: str, full: str) -> bool:
    """Whether a word, as a key, is the clipped form of another."""
    stem = _CLIPPED.get(clip)
    if stem is not None:
        return full.startswith(stem)
    long_enough = len(clip) >= _SHORTEST and len(full) >= len(clip) + _LEFT_OUT
    return clip.endswith("o") and clip not in _WHOLE and long_enough and full.startswith(clip)


def is_among(word: str, others: Collection[str]) -> bool:
    """Whether a word, whole or clipped, is one of the others."""
    return word in others or any(stands_for(word, other) or stands_for(other, word) for other in others)
