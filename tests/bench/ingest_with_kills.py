"""Many documents, and a worker that is killed again and again: does each end with exactly its chunks, once?

    python tests/bench/ingest_with_kills.py [--documents 2000] [--kills 10] [--lease SECONDS] [--quick] [--json OUT]

Starts its own PostgreSQL and Valkey, uploads the documents for two tenants, and lets real Celery workers index them.
At random times the worker is killed with SIGKILL, by turns with all its processes or only the one that does the
work. In the end every document is compared with what it must have become. `--lease` shortens the time after which a
dead worker is replaced; the product's own is the default. `--quick` takes a twin of the embedding model that costs
next to nothing: what is proved is the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

LIMIT_SECONDS = 3600
TENANTS = 2
WORDS = "harbour lantern orchard gearbox ledger viaduct compass barley turbine archive ferry quarry".split()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--documents", type=int, default=2000)
    options.add_argument("--kills", type=int, default=10)
    options.add_argument("--lease", type=float, default=None)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--json", type=Path)
    options.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.worker:
        work(chosen)
        return
    with own_stack():
        figures = run(chosen)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2))
    print(json.dumps(figures, indent=2))
    if figures["wrong"]:
        sys.exit(1)


@contextmanager
def own_stack() -> Iterator[None]:
    """Empty servers, thrown away afterwards; Django is set up with them."""
    from embedded.stack import running_stack, throwaway_state

    with throwaway_state() as state, running_stack(state) as addresses:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": addresses.database_url,
            "VALKEY_URL": addresses.valkey_url,
            "ANTECEDENT_STATE": str(state),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
        }
        for name in ("OPENAI_EMBEDDING_MODEL", "OPENAI_API_KEY"):
            os.environ.pop(name, None)
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        try:
            yield
        finally:
            connection.close()
            connection.close_pool()


def shorten(lease: float | None) -> None:
    if lease is not None:
        from retrieval.services import imports, leases

        leases.LEASE = imports.LEASE = timedelta(seconds=lease)
        leases.QUEUED_TOO_LONG = imports.QUEUED_TOO_LONG = timedelta(seconds=lease)


class QuickEmbeddings:
    """An EmbeddingPort of hashed words, slow enough that a kill can fall into it."""

    def __init__(self) -> None:
        from retrieval.domain.passages import EmbeddingSpace

        self.space = EmbeddingSpace("bench", "words", 16)

    def embed_passages(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        time.sleep(0.02)
        return [tuple(byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:16]) for text in texts]

    embed_queries = embed_passages

    def embed_query(self, text: str) -> tuple[float, ...]:
        return self.embed_passages([text])[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) * 2 for text in texts]


def equip(quick: bool) -> None:
    if quick:
        from retrieval import wiring
        from retrieval.services.equipping import install

        install(lambda: replace(wiring.make(), embeddings=QuickEmbeddings()))


def work(chosen: argparse.Namespace) -> None:
    """What a worker process runs: the product's own, with the lease that was asked for."""
    import django

    django.setup()
    shorten(chosen.lease)
    equip(chosen.quick)
    from config.celery import app

    app.worker_main(
        ["worker", "-l", "warning", "--pool", "prefork", "-c", "2", "--without-gossip", "--without-mingle"]
    )


def document(number: int) -> tuple[str, bytes]:
    rng = random.Random(number)
    lines = [f"# Report {number}", ""]
    for part in range(rng.randint(1, 3)):
        lines += [f"## Part {part}", ""]
        for _ in range(rng.randint(2, 9)):
            a, b = rng.sample(WORDS, 2)
            lines.append(f"Report {number} counts {rng.randint(10, 99999)} crates of the {a} beside the {b}.")
        lines.append("")
    return f"report-{number}.md", "\n".join(lines).encode()


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    shorten(chosen.lease)
    equip(chosen.quick)
    started = time.monotonic()
    expected = upload(chosen.documents)
    done_when_killed: list[int] = []
    rng = random.Random(chosen.seed)
    worker = start(chosen)
    try:
        while (finished := count_finished()) < chosen.documents:
            if time.monotonic() - started > LIMIT_SECONDS:
                break
            due = chosen.documents * (len(done_when_killed) + rng.random()) / (chosen.kills + 1)
            if len(done_when_killed) < chosen.kills and finished >= due:
                kill(worker, everything=len(done_when_killed) % 2 == 1)
                done_when_killed.append(finished)
                if worker.poll() is not None:
                    worker = start(chosen)
            sweep()
            time.sleep(0.5)
    finally:
        kill(worker, everything=True)
    wrong = check(expected)
    return {
        "documents": chosen.documents,
        "kills": len(done_when_killed),
        "finished_when_killed": done_when_killed,
        "chunks": sum(len(texts) for texts in expected.values()),
        "seconds": round(time.monotonic() - started, 1),
        "wrong": wrong,
    }


def tenants() -> list[Any]:
    from tenants.models import Tenant

    return list(Tenant.objects.order_by("slug"))


def upload(documents: int) -> dict[str, list[str]]:
    """Store and queue all documents; returns the passages that each must end with, by file name."""
    from retrieval import services, tasks
    from retrieval.adapters.converters.read import read_document
    from retrieval.domain.chunking import chunk_document
    from tenants.scoping import tenant_scope
    from tenants.services import tenant_create

    count = services.equipment().embeddings.count_tokens
    expected: dict[str, list[str]] = {}
    for place in range(TENANTS):
        tenant = tenant_create(slug=f"tenant-{place}", name=f"Tenant {place}")
        with tenant_scope(tenant.id):
            corpus = services.corpus_create(name="Reports")
            for number in range(place, documents, TENANTS):
                name, data = document(number)
                stored = services.document_upload(corpus_id=corpus.id, filename=name, data=data)
                tasks.document_index_task.delay(str(tenant.id), str(stored.id))
                expected[name] = [chunk.text for chunk in chunk_document(read_document(data, name), count)]
    return expected


def start(chosen: argparse.Namespace) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--worker", *(["--quick"] if chosen.quick else [])]
    command += ["--lease", str(chosen.lease)] if chosen.lease is not None else []
    return subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def kill(worker: subprocess.Popen[bytes], *, everything: bool) -> None:
    """SIGKILL, so that nothing gets to react; without `everything` only the processes that do the work."""
    import psutil

    with suppress(psutil.NoSuchProcess, ProcessLookupError):
        children = psutil.Process(worker.pid).children()
        if everything or not children:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        else:
            for child in children:
                child.kill()


def sweep() -> None:
    """What beat does every few seconds."""
    from retrieval import tasks

    tasks.documents_sweep()


def count_finished() -> int:
    from retrieval.models import UNFINISHED, Document
    from tenants.scoping import tenant_scope

    finished = 0
    for tenant in tenants():
        with tenant_scope(tenant.id):
            finished += Document.objects.exclude(state__in=UNFINISHED).count()
    return finished


def check(expected: dict[str, list[str]]) -> dict[str, int]:
    """How many documents differ from what they must be, by the way they differ."""
    from retrieval.models import Chunk, ChunkEmbedding, Document
    from tenants.scoping import tenant_scope

    wrong: Counter[str] = Counter()
    seen: set[str] = set()
    for tenant in tenants():
        with tenant_scope(tenant.id):
            for row in Document.objects.all():
                seen.add(row.filename)
                chunks = list(Chunk.objects.filter(document=row).order_by("generation", "ordinal"))
                vectors = list(
                    ChunkEmbedding.objects.filter(document_id=row.id).values_list("chunk_id", "generation")
                )
                wrong["not indexed"] += row.state != "indexed" or row.chunk_count != len(chunks)
                wrong["other texts"] += [chunk.text for chunk in chunks] != expected[row.filename]
                wrong["other ordinals"] += [chunk.ordinal for chunk in chunks] != list(range(len(chunks)))
                wrong["other generations"] += {chunk.generation for chunk in chunks} != {row.generation}
                wrong["other vectors"] += sorted(vectors) != sorted(
                    (chunk.id, row.generation) for chunk in chunks
                )
    wrong["missing"] += len(set(expected) - seen)
    return {what: number for what, number in wrong.items() if number}


if __name__ == "__main__":
    main()
