"""Questions by what they ask: the same words, whatever their case and punctuation, are one question."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import CharField, F, Func, QuerySet, TextField, Value
from django.db.models.functions import Coalesce, Lower, NullIf, Trim

from conversations.models import Turn
from kernel.clock import now

LOOKED_BACK = timedelta(days=28)
_BETWEEN_WORDS = r"[[:space:][:punct:]“”‘’„«»…¿¡–—。、？！：；（）]+"
# What was searched says what a follow-up such as "and in Dublin?" asks; a turn without a search is its message.
_NOTHING = Value("", output_field=TextField())
_ASKED = Coalesce(NullIf(F("display"), _NOTHING), NullIf(F("query"), _NOTHING), F("message"))
_WORDS = Trim(
    Lower(
        Func(
            _ASKED, Value(_BETWEEN_WORDS), Value(" "), Value("g"),
            function="regexp_replace", output_field=TextField(),
        )
    )
)  # fmt: skip
_FINGERPRINT = Func(
    _WORDS,
    template="encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')",
    output_field=CharField(max_length=64),
)


def fingerprinted(turns: QuerySet[Turn]) -> QuerySet[Any, Any]:
    """Turns with `asked`, their question as people read it, and its `fingerprint`: SHA-256 of its words, as hex."""
    return turns.annotate(asked=_ASKED, fingerprint=_FINGERPRINT)


def was_asked_in_vain(fingerprint: str) -> bool:
    """Whether a question was answered without a source in the last 28 days, in the current tenant."""
    recent = Turn.objects.filter(created_at__gte=now() - LOOKED_BACK, state="completed", citations=[])
    return fingerprinted(recent).filter(fingerprint=fingerprint).exists()
