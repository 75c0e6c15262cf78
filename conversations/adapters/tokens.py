"""Counts tokens as the model will: with its own vocabulary where one ships in a wheel, else by an estimate from above."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import blake2b

from conversations.domain.window import Count
from kernel.once import made_once
from retrieval.domain.tokens import estimate_tokens

log = logging.getLogger(__name__)
ESTIMATE = "estimate"
REMEMBERED = 20_000
"""Counts that a process remembers for each vocabulary: a turn counts the same prompt, passages and exchanges again."""
# Prefixes of model names, the longer ones first. A provider's prefix ("openai/gpt-4o") is cut off before.
VOCABULARIES = (
    ("gpt-4o", "o200k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-5", "o200k_base"),
    ("gpt-oss", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
)


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Tokens of a text. `name` is the vocabulary, or "estimate"."""

    name: str
    count: Count


def counter_for(model: str) -> TokenCounter:
    """The counter of a model by its name: exact for OpenAI's, an estimate for any other."""
    short = model.rsplit("/", 1)[-1].lower()
    name = next((vocabulary for prefix, vocabulary in VOCABULARIES if short.startswith(prefix)), ESTIMATE)
    return TokenCounter(name, estimate_tokens if name == ESTIMATE else _exact(name))


@made_once
def _exact(vocabulary: str) -> Count:
    import bpe_openai  # 75 MB of vocabulary: only when a model that uses it is configured

    encoding = bpe_openai.get_encoding(vocabulary)
    # Text that imitates a control token is ordinary text: documents and people write what they like.
    return remembering(lambda text: len(encoding.encode_ordinary(text)))


def remembering(count: Count) -> Count:
    """The same count, made once for a text. What is remembered is its digest: nobody's words stay in the process."""
    known: dict[bytes, int] = {}

    def remembered(text: str) -> int:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if (tokens := known.get(key)) is None:
            if len(known) >= REMEMBERED:
                known.clear()
            tokens = known[key] = count(text)
        return tokens

    return remembered
