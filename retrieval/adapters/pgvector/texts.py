"""The SQL of passages by name, and vectors as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from retrieval.domain.passages import Vector
from tenants.postgres import statements

named = partial(statements.named, "retrieval")


def vector_literal(vector: Vector) -> str:
    """What `halfvec` reads; it keeps about three digits, so five are enough."""
    return f"[{','.join(['%.5g'] * len(vector)) % tuple(vector)}]"


def vectors_literal(vectors: Sequence[Vector]) -> str:
    """An array of vectors as text, written at once: psycopg would look for quotes in every one."""
    quoted = (f'"{vector_literal(vector)}"' for vector in vectors)
    return f"{{{','.join(quoted)}}}"
