"""Tells sentences that talk to a language model from sentences that inform people.

Such a sentence stands in a document to steer whoever reads it out; it is never quoted as an answer, unless the question
is about such things. The words of nine languages are looked for, whatever characters they are disguised in.
"""

from __future__ import annotations

import re

from conversations.domain.quoting import unmasked

_INSTRUCTIONS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|context|questions?|system messages?|anweisung(?:en)?|regeln?|vorgaben?"
    r"|consignes?|règles?|instrucci(?:ón|ones)|reglas?|istruzioni|regole|instruç(?:ão|ões)|regras?|instructies|regels)"
)
_TO_THE_MACHINE = re.compile(
    rf"\b(?:ignore|disregard|forget|override|bypass|ignoriere|vergiss|missachte|ignorez|oubliez?|ignora|olvida|ignori"
    rf"|dimentica|ignorar|esqueça|negeer|vergeet)\b.{{0,40}}\b{_INSTRUCTIONS}\b"
    r"|指示を.{0,12}無視|(?:忽略|无视|無視).{0,12}(?:指示|指令|规则|提示)|تجاهل.{0,20}(?:التعليمات|الأوامر)|игнорируй.{0,40}инструкци"
    r"|\byou are (?:now )?(?:an? |the )?(?:\w+ )?(?:ai|assistant|chat ?bot|language model|llm|dan)\b|\bsystem prompt\b|\bas an ai\b"
    r"|\b(?:reply|respond|answer) (?:only |always )?(?:with|by|in the words)\b"
    r"|\b(?:antworte|réponds|répondez|responde|rispondi|responda|antwoord) (?:nur|ausschließlich|uniquement|seulement|solo|só|alleen)\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|reveal|mention).{0,20}\buser"
    r"|\b(?:ai|llm|assistant|chat ?bot|language model)s?\b.{0,30}\b(?:must|should|shall|are to|please)\b"
    r"|<\|?/?\s*(?:im_start|im_end|system|endoftext)|<<?/?\s*SYS|\[\s*/?\s*INST\s*\]|</?\s*passages?\b"
    r"|^\s*(?:system|assistant|human)\s*:|\"tool_calls\"|<tool_call>|\{%.{0,80}%\}|\{\{.{0,80}\}\}",
    re.I | re.MULTILINE,
)


def to_the_machine(text: str) -> bool:
    """Whether a text gives orders to a language model."""
    return bool(
        _TO_THE_MACHINE.search(text) or (not text.isascii() and _TO_THE_MACHINE.search(unmasked(text)))
    )
