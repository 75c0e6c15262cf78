"""Tells in which language a text is written, by its letters and its function words, without a library.

A message in another language must be searched as it was typed, never bent by English rules, and is answered in its own.
A text leans towards English when nothing speaks against it: a name or a technical word alone is of no language.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from conversations.domain.vocabulary import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_READ = 600
_LATIN_SHARE = 0.6

# Function words that are frequent in questions: articles, prepositions, pronouns, question words, common verbs.
_FUNCTION_WORDS = {
    "en": words(
        """
        the of and to in is it that for you was on are with as at be this have from or had by not but what all
        were we when your can said there use an each which she do how their if will up about out many then them
        these so some her would make like him into has look two more go see no way could my than been call who
        its now did get i me he they tell does why where any between much cost please our should need know want
        give show help other else first last one ones good best what's don't it's i'm a am long hello hi thanks thank
        meant mean sorry said actually instead wait oops per
        """
    ),
    "de": words(
        """
        der die das den dem des und ist nicht ich sie wie was kann können mein meine eine einen einem einer ein für mit
        auf von zu zum zur wir wird werden sind wo wann warum wer welche welcher welches bei nach aus im in am an es gibt
        habe haben hat viel viele lange kostet bitte auch noch oder aber wenn dass mir mich ihr ihre ihren danke hallo
        guten man über unter seit bis darf muss geht
        """
    ),
    "fr": words(
        """
        le la les un une des du de et est à je vous nous il elle on ne pas pour dans avec que qui quoi quel quelle quels
        quelles comment combien quand où pourquoi mon ma mes votre vos sur par en au aux se ce cette puis-je peut sont
        avez faut coûte d'un d'une l'on c'est qu'est n'est y-a bonjour merci salut s'il plus chez sans
        """
    ),
    "es": words(
        """
        el la los las un una unos unas y o de del al en es por para con sin que qué cómo cuál cuáles cuándo cuánto cuánta
        cuántos cuesta dónde quién puedo puede mi mis su sus está están hay lo se no si tengo tiene hola gracias a más
        cuesta qué ser son
        """
    ),
    "it": words(
        """
        il lo la gli i le un una di del della dei delle da dal in nel nella con su per tra e o è sono che chi cosa come
        quando quanto quanti dove perché quale mio mia posso può non si c'è ho ha grazie ciao costa più anche
        """
    ),
    "pt": words(
        """
        o os a as um uma de do da dos das em no na nos nas por para com sem e ou é são que quem como quando quanto quanta
        quantos onde qual quais meu minha posso pode não se há tenho tem obrigado olá custa mais também
        """
    ),
    "nl": words(
        """
        de het een en is niet ik u je jij wij zijn hoe wat waar wanneer waarom wie welke kan kunnen mijn voor met van op
        aan in naar bij uit om te er dat deze dit heeft hebben hoeveel kost lang ook nog dank hallo mag moet
        """
    ),
    "sv": words(
        "och det att som är jag du vi en ett den på för med av inte hur vad var när kan min mitt hos till från om har eller också kostar länge tack hej"
    ),
    "da": words(
        "og det at som er jeg du vi en et den på for med av af ikke hvordan hvad hvor når hvornår kan min mit til fra om har eller også koster lenge længe tak takk hei hej"
    ),
    "pl": words(
        "i w na do z ze o po od dla jest są nie jak co czy gdzie kiedy ile kto który która moje mój moja mogę można się to ten ta przez kosztuje dziękuję proszę"
    ),
    "tr": words(
        "ve bir bu şu ne nasıl neden nerede kaç kim için ile mi mı mu değil var yok benim çok ama veya kadar olarak hangi teşekkürler"
    ),
    "id": words(
        "yang dan di ke dari untuk dengan apa apakah bagaimana berapa kapan mana siapa saya anda ini itu tidak bisa ada adalah pada atau dapat"
    ),
    "vi": words("là và của có không được cho tôi bạn này như thế nào bao nhiêu ở đâu khi gì một những với"),
}
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
# Spanish alone opens its questions.
_OPENS = re.compile(r"[¿¡]")


def language_of(text: str) -> str:
    """The two letters of a language (ISO 639-1), or "" where the text does not tell: no words, or only names.

    Deterministic; reads at most the first 600 characters. Norwegian is taken for Danish, an unlisted script for "".
    """
    found = [word.lower().replace("’", "'") for word in _WORD.findall(text[:_READ])]
    letters = [char for word in found for char in word if char.isalpha()]
    if sum(map(_is_latin, letters)) < _LATIN_SHARE * len(letters):
        return next((code for code, script in _SCRIPTS if script.search(text[:_READ])), "")
    votes = Counter(code for word in set(found) for code, known in _FUNCTION_WORDS.items() if word in known)
    best = max(_FUNCTION_WORDS, key=lambda code: (votes[code], code == "es" and bool(_OPENS.search(text))))
    accented = any(ord(char) > 127 for char in letters)
    if votes[best] > votes["en"] or (
        accented and votes[best] == votes["en"] > 0 and best != "en" and votes[best] > 1
    ):
        return best
    if _OPENS.search(text):
        return "es"
    return "en" if votes["en"] else ""


def guess_language(text: str) -> str:
    """ "en", "other" or "none": whether English rules may be used on a text, and whether it has words at all."""
    found = _WORD.findall(text[:_READ])
    if not found:
        return "none"
    code = language_of(text)
    if code:
        return "en" if code == "en" else "other"
    letters = [char for word in found for char in word if char.isalpha()]
    foreign = sum(map(_is_latin, letters)) < _LATIN_SHARE * len(letters)
    accented = sum(any(ord(char) > 127 for char in word) for word in found)
    return "other" if foreign or accented > 1 else "en"


def _is_latin(char: str) -> bool:
    return char.isascii() or unicodedata.name(char, "").startswith("LATIN")
