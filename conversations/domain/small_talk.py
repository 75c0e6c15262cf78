"""Recognises what asks nothing: greetings and thanks in many languages, a bare yes, a bare no.

Nothing is searched for such a message, unless it answers what the assistant asked or offered.
"""

from __future__ import annotations

import re

_SMALL_TALK = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|good\s+(?:morning|afternoon|evening|day)|greetings|(?:thanks?|thank\s+you|cheers|thx|ty)(?:\s+(?:(?:so|very)\s+much|a\s+lot|again))?(?:\s+for\s+(?:your|the|that|all|everything)(?:\s+\w+)?)?|bye|goodbye|see\s+you|ok(?:ay)?|cool|great|nice|awesome|perfect|got\s+it|wow|lol|haha+|you'?re\s+welcome|no\s+problem|sounds\s+good|understood|makes\s+sense"
    r"|how\s+are\s+(?:you|things)|how'?s\s+it\s+going|how\s+do\s+you\s+do|what'?s\s+up|nice\s+to\s+meet\s+you|have\s+a\s+(?:nice|good|great)\s+\w+|who\s+are\s+you|are\s+you\s+(?:a\s+)?(?:bot|robot|human|real|there)|very|so|much|a\s+lot|again|there|everyone|all|today|you|friend|doing|this\s+(?:morning|evening)|and|then|well|that(?:'s|\s+is)?\s+(?:all|it|great|good|helpful|perfect|interesting)|(?:very\s+)?(?:interesting|helpful)|everything|i\s+see|help|now|later|please|me|my)\b[\s,.!?'’-]*)+$",
    re.IGNORECASE,
)
# The same in the other languages of the chat and their neighbours.
_SMALL_TALK_ELSEWHERE = re.compile(
    r"^(?:(?:danke(?:\s+(?:schön|sehr|dir|ihnen))?|vielen\s+dank|bitte|hallo|guten\s+(?:tag|morgen|abend)|tschüss|auf\s+wiedersehen|wie\s+geht(?:['’]?s|\s+es\s+(?:dir|ihnen))"
    r"|merci(?:\s+(?:beaucoup|bien))?|bonjour|bonsoir|salut|au\s+revoir|ça\s+va|muchas\s+gracias|gracias|hola|buen[oa]s(?:\s+(?:días|tardes|noches))?|adiós|qué\s+tal"
    r"|grazie(?:\s+mille)?|ciao|buongiorno|buonasera|obrigad[oa]|olá|bom\s+dia|boa\s+(?:tarde|noite)|dank\s+je(?:\s+wel)?|bedankt|tack(?:\s+så\s+mycket)?|tusen\s+takk|takk|tak|hej"
    r"|dziękuję|teşekkürler|merhaba|ありがとう(?:ございます|ございました)?|こんにちは|はじめまして|さようなら|شكرا|شكرًا|مرحبا|مرحبًا|السلام\s+عليكم|谢谢|你好|спасибо|привет|감사합니다|안녕하세요)[\s,.!?¡¿。！？…-]*)+$",
    re.IGNORECASE,
)
_AFFIRMATIVE = re.compile(
    r"^(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|of course|absolutely|definitely|go ahead|do it|please do|sounds good|i do|i would|i'd (?:like|love) (?:that|to)|why not|y|tell me|correct|right|exactly|pls|plz|thx)[\s,.!]*)+$",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"^(?:no|nope|nah|not really|no thanks?|no thank you)[\s,.!]*$", re.IGNORECASE)


# "That's clear now", "you've answered it", "I see": the answer was heard, and nothing is asked.
_ACKNOWLEDGES = re.compile(
    r"(?:(?:ok(?:ay)?|ah|oh|right|yes|well|so|and)\s+)*(?:(?:that|this|it|which|you)(?:['’]?s|\s+is|\s+was|['’]?ve|\s+have|\s+has|['’]?ll)?|i(?:['’]m)?)\s+"
    r"(?:(?:all|just|very|really|quite|perfectly|now|already|do|does|did|has|have|been|what\s+i)\s+)*"
    r"(?:clear|helpful|helps?|helped|answers?|answered|enough|settled|settles|sorted|solved|solves|fine|good|great|perfect|understood|understand"
    r"|see|noted|needed|(?:will|would|should)\s+do|makes\s+sense|good\s+to\s+know|know\s+enough)"
    r"(?:\s+(?:now|then|for\s+now|that|it|this|me|my\s+question|already|to\s+know|thanks|thank\s+you))*",
    re.IGNORECASE,
)
_PICTURES = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+")


def is_small_talk(text: str) -> bool:
    text = _PICTURES.sub(" ", text)
    return bool(_SMALL_TALK.match(text.strip()) or _SMALL_TALK_ELSEWHERE.match(text.strip(" ¡¿\t\n")))


def acknowledges(clause: str) -> bool:
    """Whether a clause only says that the answer was heard."""
    return bool(_ACKNOWLEDGES.fullmatch(clause.strip()))


def is_affirmative(text: str) -> bool:
    return bool(_AFFIRMATIVE.match(text.strip()))


def is_negative(text: str) -> bool:
    return bool(_NEGATIVE.match(text))
