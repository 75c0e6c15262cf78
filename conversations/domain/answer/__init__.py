"""How an answer comes about once the passages are known.

Without a model, the best sentences of the best passages are quoted, each with its citation; with a model,
its answer is checked marker by marker against the passages it was shown.
When the passages do not hold the answer, the person is told so, and nothing is guessed.
"""

from conversations.domain.answer.citations import CitationStream, CitedAnswer, cited
from conversations.domain.answer.extract import Floors, extract_answer
from conversations.domain.answer.failures import (
    ModelError,
    ModelInterrupted,
    ModelMalformed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from conversations.domain.answer.phrases import not_found, small_talk_reply
from conversations.domain.answer.units import sentences
from conversations.domain.answer.values import Citation, ExtractedAnswer, Passage, stream_pieces

__all__ = [
    "Citation",
    "CitationStream",
    "CitedAnswer",
    "ExtractedAnswer",
    "Floors",
    "ModelError",
    "ModelInterrupted",
    "ModelMalformed",
    "ModelRateLimited",
    "ModelRefused",
    "ModelTimeout",
    "ModelUnavailable",
    "Passage",
    "cited",
    "extract_answer",
    "not_found",
    "sentences",
    "small_talk_reply",
    "stream_pieces",
]
