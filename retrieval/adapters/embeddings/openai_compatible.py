"""Any service that speaks OpenAI's embeddings protocol (`POST {base}/embeddings`)."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from retrieval.domain.errors import EmbeddingInvalid, EmbeddingRefused, EmbeddingUnavailable
from retrieval.domain.passages import EmbeddingSpace, Vector
from retrieval.domain.tokens import estimate_tokens

_BATCH = 64
_LONGEST_TEXT = 24_000
"""Characters; services refuse inputs over 8,192 tokens."""
_LONGEST_PAUSE = 5.0
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class OpenAICompatibleEmbeddings:
    """An EmbeddingPort over HTTP. Retries what may pass, with jitter, inside about `attempts * timeout` seconds."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        dimensions: int,
        send_dimensions: bool = False,
        timeout: float = 10.0,
        attempts: int = 3,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """`send_dimensions` asks the service to shorten its vectors; models of one size refuse the parameter."""
        self._space = EmbeddingSpace("openai", model, dimensions)
        self._send_dimensions = send_dimensions
        self._attempts = attempts
        self._pause = pause
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0)),
        )

    def close(self) -> None:
        """Give the connections back; the adapter is of no more use."""
        self._client.close()

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed_query(self, text: str) -> Vector:
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return self.embed_passages(texts)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        # The protocol refuses empty inputs; a full stop stands for "nothing".
        inputs = [text[:_LONGEST_TEXT] if text.strip() else "." for text in texts]
        vectors: list[Vector] = []
        for start in range(0, len(inputs), _BATCH):
            vectors.extend(self._embed(inputs[start : start + _BATCH]))
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [estimate_tokens(text) for text in texts]

    def _embed(self, inputs: list[str]) -> list[Vector]:
        body: dict[str, Any] = {"model": self._space.model, "input": inputs, "encoding_format": "float"}
        if self._send_dimensions:
            body["dimensions"] = self._space.dimensions
        return self._vectors(self._post(body), len(inputs))

    def _post(self, body: dict[str, Any]) -> Any:
        for attempt in range(1, self._attempts + 1):
            asked: float | None = None
            try:
                response = self._client.post("embeddings", json=body)
            except httpx.HTTPError as error:
                if attempt == self._attempts:
                    raise EmbeddingUnavailable from error
            else:
                if response.is_success:
                    return _json(response)
                if response.status_code not in _TRANSIENT:
                    raise EmbeddingRefused(detail=f"HTTP {response.status_code}")
                asked = _retry_after(response)
            if attempt < self._attempts:
                self._pause(_backoff(attempt, asked))
        raise EmbeddingUnavailable

    def _vectors(self, answer: Any, count: int) -> list[Vector]:
        try:
            items = sorted(answer["data"], key=lambda item: item["index"])
            vectors = [_unit(item["embedding"]) for item in items]
        except (KeyError, TypeError, ValueError) as error:
            raise EmbeddingInvalid(detail="the answer is not a list of embeddings") from error
        if len(vectors) != count:
            raise EmbeddingInvalid(detail=f"{len(vectors)} vectors for {count} texts")
        wrong = next((len(vector) for vector in vectors if len(vector) != self._space.dimensions), None)
        if wrong is not None:
            raise EmbeddingInvalid(detail=f"{wrong} dimensions instead of {self._space.dimensions}")
        return vectors


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise EmbeddingInvalid(detail="the answer is not JSON") from error


def _unit(values: Sequence[float]) -> Vector:
    numbers = [float(value) for value in values]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not math.isfinite(length) or length == 0:
        raise ValueError("not a direction")
    return tuple(number / length for number in numbers)


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return float(response.headers.get("retry-after", ""))
    except ValueError:
        return None


def _backoff(attempt: int, asked: float | None) -> float:
    """Exponential with full jitter, or what the service asks for, at most a few seconds."""
    return min(asked if asked is not None else random.uniform(0.1, 0.4 * 2**attempt), _LONGEST_PAUSE)  # noqa: S311
