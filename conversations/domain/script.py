"""Tells English from other languages and from text that is no language, without a library.

A message in another language must be searched as it was typed, never bent by English rules.
The guess is cheap and leans towards English only when English function words or plain ASCII words say so.
"""

from __future__ import annotations

import re
import unicodedata

from conversations.domain.vocabulary import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

_ENGLISH = words(
    """
    the of and to in is it that for you was on are with as at be this have from or had by not but what all
    were we when your can said there use an each which she do how their if will up about out many then them
    these so some her would make like him into has look two more go see no way could my than been call who
    its now did get i me he they tell does why where any between much cost please our should need know want
    give show help other else first last one ones good best what's don't it's i'm
    """
)
_OTHER = words(
    """
    der die das und ist nicht ich sie wie kann mein meine eine einen für mit auf von zu wir wird sind ein wo
    warum le la les des est une et je vous nous pour dans que qui quoi comment puis mon ma mes sur pas avec
    quel quelle au el los las una y es por para como cómo qué cuál puedo mi con del se cuánto cuesta dónde
    está hay lo al o os um uma não posso meu minha quanto onde qual são il gli che di per come mio mia dove
    sono della nel perché het een ik niet hoe kan mijn voor met van wat waar zijn deze och är det jag inte
    hur min för med vad var av ett og jeg ikke hvordan hvad hvor jest nie jak mogę czy moje dla co gdzie ve
    bir bu nasıl için ne nerede değil dan yang apa bagaimana saya untuk tidak dengan ini itu là và của tôi
    không có được cho
    """
)
_SHARED = _ENGLISH & _OTHER


def guess_language(text: str) -> str:
    """ "en", "other" or "none". Deterministic; reads at most the first 600 characters."""
    found = [word.lower().replace("’", "'") for word in _WORD.findall(text[:600])]
    if not found:
        return "none"
    letters = [char for word in found for char in word if char.isalpha()]
    latin = sum(_is_latin(char) for char in letters)
    if latin < 0.6 * len(letters):
        return "other"
    english = sum(word in _ENGLISH and word not in _SHARED for word in found)
    foreign = sum(word in _OTHER and word not in _SHARED for word in found)
    accented = sum(any(ord(char) > 127 for char in word) for word in found)
    if foreign > english or (english == 0 and accented and accented + foreign >= 2):
        return "other"
    return "en"


def _is_latin(char: str) -> bool:
    return char.isascii() or unicodedata.name(char, "").startswith("LATIN")
