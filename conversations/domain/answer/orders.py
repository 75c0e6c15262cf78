"""Tells sentences that talk to a language model from sentences that inform people.

Such a sentence stands in a document to steer whoever reads it out; it is never quoted as an answer, unless the question
is about such things. Manuals and policies are full of orders to people: an order counts only where it names what no
person is told, the instructions given before, a machine's own name or a chat's marks, whatever it is disguised in.
"""

from __future__ import annotations

import re
from functools import lru_cache

from conversations.domain.quoting import unmasked

_SETTING_ASIDE = (
    r"(?:ignore|disregard|forget|ignoriere|vergiss|missachte|ignorez|oubliez?|ignora|olvida|ignori|dimentica"
    r"|ignorar|esque[cç]a|negeer|vergeet)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|context|system messages?|anweisung(?:en)?|regeln?|vorgaben?|consignes?"
    r"|r[eè]gles?|instrucci(?:[oó]n|ones)|reglas?|istruzioni|regole|instru[cç](?:[aã]o|[oõ]es)|regras?|instructies|regels)"
)
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|system|bisherigen?|vorherigen?|vorigen?|obigen?|fr[uü]heren"
    r"|pr[eé]c[eé]dente?s?|ant[eé]rieure?s|ci-dessus|anterior(?:es)?|previas?|precedenti|acima|pr[eé]vias?"
    r"|vorige|eerdere|voorgaande|bovenstaande)"
)
_SPEAKING = r"(?:say|reply|answer|respond|tell|print|show|output|repeat|reveal)"
_MACHINE = r"(?:ai|llm|chat ?bot|language model)"
_NOT_FORBIDDEN = r"(?<!not )(?<!never )(?<!n't )(?<!n’t )(?<!nicht )(?<!pas )(?<!no )(?<!non )(?<!não )(?<!nao )(?<!niet )(?<!\bn['’])"
# What people are told under a condition ("if you use a Mac, ignore the instructions above") is no order to a machine.
_CONDITION = re.compile(
    r"\b(?:if|unless|when|until|once|where|wenn|falls|sofern|sobald|si|lorsque|cuando|quando|se|caso|als|wanneer|indien|tenzij)\b",
    re.I,
)
_SETS_ASIDE = re.compile(
    rf"{_NOT_FORBIDDEN}\b{_SETTING_ASIDE}\b"
    rf"(?:.{{0,30}}\b{_EARLIER}\b.{{0,20}}\b{_RULES}\b|.{{0,30}}\b{_RULES}\b.{{0,12}}\b{_EARLIER}\b"
    rf"|\s+(?:all|any|every|alle|toutes?|tous|todas?|todos?|tutte)\s+(?:(?:of|the|your|les|vos|las|sus|le|as|de)\s+)*{_RULES}\s*(?:[.,:;!]|and\b|und\b|et\b|y\b|e\b|en\b|$)"
    rf"|\s+(?:the|your)\s+{_RULES}\s+and\s+{_SPEAKING}\b|\s+everything\s+(?:above|you (?:were|have been)\b))",
    re.I,
)
_SETS_ASIDE_ELSEWHERE = re.compile(
    r"(?:これまで|以前|上記|前述|すべて|全て).{0,6}(?:指示|命令|ルール).{0,12}無視(?!し?な|してはいけ|せず|してはな|できま)"
    r"|(?<![不勿别])(?<!不[要得能可])(?:忽略|无视|無視).{0,6}(?:之前|先前|以上|上述|前面|所有).{0,6}(?:指示|指令|规则|提示|規則)"
    r"|(?<!ت)تجاهل.{0,20}(?:التعليمات|الأوامر).{0,6}(?:السابقة|أعلاه)"
    r"|(?<!не )\bигнорируй\w*.{0,20}(?:предыдущ|прежн|прошл|вышеуказанн)\w*.{0,12}(?:инструкци|указани|правил)",
    re.I,
)
_NAMES_THE_MACHINE = re.compile(
    r"\byou are (?:now |from now on )?(?:an? |the )?(?:\w+ )?(?:ai|chat ?bot|language model|llm|(?-i:DAN))\b(?! \w*(?:engineer|developer|expert|user|team|company|provider|vendor|officer)s?\b)"
    r"|\byou are (?:now |from now on )(?:an? |the |my )?(?:\w+ )?assistant\b(?=[.,:;!]|$| (?:that|without|who)\b)"
    r"|\bdu bist (?:jetzt|nun|ab jetzt) (?:eine )?(?:\w+ )?(?:ki|sprachmodell)\b|\btu es (?:maintenant |désormais )une (?:\w+ )?ia\b"
    r"|\b(?:ahora )?eres (?:ahora )?una (?:\w+ )?ia\b|\b(?:ora )?sei (?:ora )?un(?:a |['’])(?:\w+ )?ia\b|\bagora voc[eê] [eé] uma (?:\w+ )?ia\b"
    r"|\bje bent nu (?:een )?(?:\w+ )?(?:ai|taalmodel)\b|\bas an ai(?: language model| assistant| chat ?bot|,)"
    rf"|{_NOT_FORBIDDEN}\b(?:ignore|reveal|print|show|repeat|output|leak|disclose)\b.{{0,20}}\b(?:your|the) system prompt\b"
    r"|\b(?:do not|don['’]t|never) (?:tell|mention|reveal|say|show).{0,12}\bto? ?the user\b.{0,12}\b(?:instruction|prompt)s?\b"
    rf"|\b{_MACHINE}s?\b.{{0,30}}\b(?:must|should|shall|are to|please) (?!not\b|never\b)(?:\w+ )?{_SPEAKING}\b.{{0,20}}(?:\bthat\b|\bwith\b|:|[\"“]|\bto every)"
    rf"|\bassistants?\b.{{0,30}}\b(?:must|should|shall|are to|please) (?:\w+ )?{_SPEAKING}\b.{{0,40}}(?:\bto every(?:thing|body|one)?\b|\bwith:|:\s|[\"“])",
    re.I,
)
_WEARS_THE_MARKS = re.compile(
    r"<\|?/?\s*(?:im_start|im_end|endoftext)|<\|\s*(?:system|user|assistant)|</?system>|<<?/?\s*SYS\s*>|\[\s*/?\s*INST\s*\]"
    r"|</?\s*passages?\s*(?:n=|>)"
    r"|^\s*(?:system|assistant|human|user)\s*:\s*(?:new (?:rules|instructions)\b|you (?:are|must|will)\b|ignore\b|from now on\b|(?:please |always |only )*(?:reply|respond|say)\b)"
    r"|\"tool_calls\"|<tool_call>|\{\{\s*(?:settings|config|self|request|passages)\b",
    re.I | re.MULTILINE,
)


@lru_cache(maxsize=8192)
def to_the_machine(text: str) -> bool:
    """Whether a text gives orders to a language model."""
    return _orders(text) or (not text.isascii() and (seen := unmasked(text)) != text and _orders(seen))


def _orders(text: str) -> bool:
    if _NAMES_THE_MACHINE.search(text) or _WEARS_THE_MARKS.search(text) or _SETS_ASIDE_ELSEWHERE.search(text):
        return True
    return bool(_SETS_ASIDE.search(text) and not _CONDITION.search(text))
