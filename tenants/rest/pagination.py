"""Pages by cursor: stable while rows come and go, whatever their number.

A cursor names the last row of a page by the values that the list is sorted by. The last of them is unique, so no
row is skipped or told twice, however many share the others. It belongs to its list, narrowed as it was: another one
would begin in the middle of nowhere, and tell less than there is.
"""

from __future__ import annotations

import base64
import binascii
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

from tenants.rest.errors import BadFields, CursorInvalid

M = TypeVar("M", bound=Model)
T = TypeVar("T")
Key = tuple[int | str, ...]
USUAL, MOST = 50, 200


def page_of(rows: QuerySet[M], query: QueryDict, *, by: Sequence[str]) -> tuple[list[M], str | None]:
    """The asked page and the cursor of the next, None at the end.

    `by` are fields of the model, `-` for descending, the last one unique. Raises `CursorInvalid`, `BadFields`.
    """
    limit = _limit(query)
    rows = rows.order_by(*by)
    which = _which_list(rows.model._meta.label, query, by)
    if cursor := query.get("cursor"):
        rows = rows.filter(_after(rows.model, by, _decoded(cursor, which, len(by))))
    found = list(rows[: limit + 1])
    if len(found) <= limit:
        return found, None
    return found[:limit], _encoded(which, [getattr(found[limit - 1], name.lstrip("-")) for name in by])


def page_of_rows(
    rows: Sequence[T], query: QueryDict, *, label: str, key: Callable[[T], Key]
) -> tuple[list[T], str | None]:
    """As `page_of`, of rows that are read already, such as groups. They are sorted by `key` here, which is unique.

    `label` names the list; the parts of `key` are of the same types for each row. Raises as `page_of`.
    """
    limit = _limit(query)
    keyed = sorted(((key(row), row) for row in rows), key=lambda pair: pair[0])
    which = _which_list(label, query, ())
    if cursor := query.get("cursor"):
        named = _decoded(cursor, which, len(keyed[0][0]) if keyed else None)
        if keyed:
            after = _typed(named, keyed[0][0])
            keyed = keyed[bisect_right(keyed, after, key=lambda pair: pair[0]) :]
    found = [row for _, row in keyed[:limit]]
    if len(keyed) <= limit:
        return found, None
    return found, _encoded(which, keyed[limit - 1][0])


def _typed(values: Sequence[str], like: Key) -> Key:
    try:
        return tuple(type(one)(value) for one, value in zip(like, values, strict=True))
    except ValueError as error:
        raise CursorInvalid from error


def _which_list(label: str, query: QueryDict, by: Sequence[str]) -> str:
    """What the list is of, how it is sorted and what it was narrowed to, in eight characters."""
    narrowed = sorted(
        (name, values) for name, values in query.lists() if name not in ("cursor", "limit") and any(values)
    )
    return sha256(json.dumps([label, list(by), narrowed]).encode()).hexdigest()[:8]


def _limit(query: QueryDict) -> int:
    given = query.get("limit", str(USUAL))
    if not (given.isascii() and given.isdigit() and len(given) < 5 and 1 <= int(given) <= MOST):
        reason = f"limit is a whole number from 1 to {MOST}."
        raise BadFields(detail=reason, fields={"limit": [reason]})
    return int(given)


def _after(model: type[Model], by: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows behind the one with these values: `(a, b) > (x, y)`, each column in its own direction."""
    behind, same = Q(), Q()
    for name, value in zip(by, values, strict=True):
        field, operator = name.lstrip("-"), "lt" if name.startswith("-") else "gt"
        try:
            typed = model._meta.get_field(field).to_python(value)  # type: ignore[union-attr]
        except (ValidationError, ValueError, TypeError, OverflowError) as error:
            raise CursorInvalid from error
        behind |= same & Q(**{f"{field}__{operator}": typed})
        same &= Q(**{field: typed})
    return behind


def _encoded(which: str, values: Sequence[Any]) -> str:
    text = json.dumps(
        [which, *(value.isoformat() if hasattr(value, "isoformat") else str(value) for value in values)]
    )
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(cursor: str, which: str, length: int | None) -> list[str]:
    """The `length` values that name a row of this list; as many as there are for None, where it has no row by now."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError) as error:
        raise CursorInvalid from error
    sound = isinstance(values, list) and len(values) > 1 and values[0] == which
    if not sound or not all(isinstance(value, str) and value.isprintable() for value in values):
        raise CursorInvalid
    if length not in (None, len(values) - 1):
        raise CursorInvalid
    return list(values[1:])
