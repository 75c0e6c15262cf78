"""Requests that are made again: under the same `Idempotency-Key` they are done once and answered the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import QueryDict
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from kernel.clock import now
from tenants.models import IdempotentRequest
from tenants.rest.callers import caller_of
from tenants.rest.errors import IdempotencyKeyInvalid, IdempotencyKeyReused, IdempotentRequestRunning
from tenants.sealing import seal, unseal

KEPT = timedelta(hours=24)
# Whoever has not answered by then has died: no request is worked on for so long. The longest wait is that for a model's
# answer, which ends after one minute.
ABANDONED = timedelta(minutes=3)
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered."""

    status: int
    body: Any


def request_begin(request: Request, key: str) -> IdempotentRequest | Answer:
    """The row under which the request is done now, or the answer that it got before.

    Raises `IdempotencyKeyInvalid`, `IdempotencyKeyReused`, `IdempotentRequestRunning`.
    """
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise IdempotencyKeyInvalid(limit=LONGEST_KEY)
    caller, fingerprint = caller_of(request).id, _fingerprint(request)
    _forget_old()
    try:
        with transaction.atomic():
            return IdempotentRequest.objects.create(caller=caller, key=key, fingerprint=fingerprint)
    except IntegrityError:
        pass
    known = IdempotentRequest.objects.filter(caller=caller, key=key).first()
    if known is None:
        raise IdempotentRequestRunning
    if known.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    if known.status is None or known.body is None:
        raise IdempotentRequestRunning
    return Answer(known.status, json.loads(unseal(known.body)))


def request_end(begun: IdempotentRequest, status: int, body: Any) -> None:
    """Keep the answer, sealed: it may hold a secret that is shown once."""
    sealed = seal(json.dumps(body, cls=JSONEncoder))
    IdempotentRequest.objects.filter(pk=begun.pk).update(status=status, body=sealed)


def request_forget(begun: IdempotentRequest) -> None:
    """It did not come to an end: the next one under this key is done."""
    IdempotentRequest.objects.filter(pk=begun.pk).delete()


def _forget_old() -> None:
    moment = now()
    IdempotentRequest.objects.filter(created_at__lt=moment - KEPT).delete()
    IdempotentRequest.objects.filter(status=None, created_at__lt=moment - ABANDONED).delete()


def _fingerprint(request: Request) -> str:
    told = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    for part in _parts(request):
        told.update(len(part).to_bytes(8, "big") + part)
    return told.hexdigest()


def _parts(request: Request) -> Iterator[bytes]:
    """A form is told by its fields: its boundary is another one each time."""
    if not (request.content_type or "").startswith("multipart/"):
        yield request._request.body
        return
    for name, values in sorted(cast(QueryDict, request.data).lists()):
        yield name.encode()
        for value in values:
            yield _digest(value) if isinstance(value, UploadedFile) else str(value).encode()


def _digest(file: UploadedFile) -> bytes:
    told = hashlib.sha256((file.name or "").encode())
    for chunk in file.chunks():
        told.update(chunk)
    file.seek(0)
    return told.digest()
