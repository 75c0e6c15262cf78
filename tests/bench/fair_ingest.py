"""One tenant queues thousands of documents; another's single one must not wait for them. Prints JSON.

    python tests/bench/fair_ingest.py [--documents 5000] [--json OUT]

Starts its own PostgreSQL and Valkey and a real Celery worker with two processes. When the worker is in the middle of
the first tenant's documents, the second tenant uploads one. Reported is how many of the first tenant's were finished
between that moment and the one when the single document was ready, and how many messages ever waited in the broker.
The embedding model is a twin that costs next to nothing, so that the order is what is measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from tests.bench import ingest_with_kills as kills  # noqa: E402

LIMIT_SECONDS = 240


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--documents", type=int, default=5000)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    with kills.own_stack():
        figures = run(chosen.documents)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2))
    print(json.dumps(figures, indent=2))


def run(documents: int) -> dict[str, Any]:
    from retrieval import services, tasks
    from tenants.scoping import tenant_scope
    from tenants.services import tenant_create

    kills.equip(quick=True)
    large, small = (tenant_create(slug=slug, name=slug.title()) for slug in ("large", "small"))
    with tenant_scope(large.id):
        queue_many(documents)
        for document_id in waiting():
            tasks.document_index_task.delay(str(large.id), str(document_id))
    messages = [broker_messages()]
    worker = kills.start(argparse.Namespace(quick=True, lease=None))
    try:
        wait_until(lambda: finished(large) >= documents // 100)
        with tenant_scope(small.id):
            corpus = services.corpus_create(name="Single")
            single = services.document_upload(
                corpus_id=corpus.id, filename="one.md", data=b"# One\n\nA single page."
            )
        before = finished(large)
        tasks.document_index_task.delay(str(small.id), str(single.id))
        messages.append(broker_messages())
        wait_until(lambda: finished(small) == 1)
        after = finished(large)
        messages.append(broker_messages())
    finally:
        kills.kill(worker, everything=True)
    return {
        "documents": documents,
        "finished_before": before,
        "finished_meanwhile": after - before,
        "share_meanwhile": round((after - before) / (documents - before), 4),
        "left": documents - after,
        "messages_in_broker_at_most": max(messages),
    }


def queue_many(documents: int) -> None:
    """Rows as an upload leaves them, all with the same small file."""
    from kernel.clock import now
    from retrieval import services
    from retrieval.models import Document

    corpus = services.corpus_create(name="Many")
    data = b"# Ward round\n\nThe round of ward seven begins at eight.\n"
    services.equipment().blobs.put("many", data)
    moment = now()
    Document.objects.bulk_create(
        [
            Document(
                corpus=corpus,
                title=f"Page {number}",
                filename=f"page-{number}.md",
                content_hash=f"{number:064d}",
                size=len(data),
                blob_key="many",
                queued_at=moment,
                uploaded_at=moment,
            )
            for number in range(documents)
        ],
        batch_size=1000,
    )


def waiting() -> list[Any]:
    from retrieval.models import Document

    return list(Document.objects.values_list("id", flat=True))


def finished(tenant: Any) -> int:
    from retrieval.models import UNFINISHED, Document
    from tenants.scoping import tenant_scope

    with tenant_scope(tenant.id):
        return Document.objects.exclude(state__in=UNFINISHED).count()


def broker_messages() -> int:
    from config.celery import app

    with app.connection_for_read() as connection:
        return int(connection.default_channel.client.llen("default"))


def wait_until(done: Any) -> None:
    until = time.monotonic() + LIMIT_SECONDS
    while not done():
        if time.monotonic() > until:
            raise SystemExit("the worker did not get there in time")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
