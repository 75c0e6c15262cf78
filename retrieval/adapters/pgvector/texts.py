"""The SQL of passages: its parts put together, and vectors as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from retrieval.domain.passages import Vector
from tenants.postgres import statements

_PART = re.compile(r"^([ ]*)--\+(\w+)$", re.MULTILINE)

named = partial(statements.named, "retrieval")


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """`text` with each line `--+name` replaced by that part, indented likewise."""

    def part(found: re.Match[str]) -> str:
        indent = found[1]
        lines = (line for line in parts[found[2]].splitlines() if line.strip())
        return "\n".join(f"{indent}{line}" for line in lines)

    return _PART.sub(part, text)


def vector_literal(vector: Vector) -> str:
    """What `halfvec` reads; it keeps about three digits, so five are enough."""
    return f"[{','.join(['%.5g'] * len(vector)) % tuple(vector)}]"


def vectors_literal(vectors: Sequence[Vector]) -> str:
    """An array of vectors as text, written at once: psycopg would look for quotes in every one."""
    quoted = (f'"{vector_literal(vector)}"' for vector in vectors)
    return f"{{{','.join(quoted)}}}"
