"""Puts an evaluation together: what is asked of which documents, the equipment that loads them, and the run itself."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from django.conf import settings

from config import demonstration
from config.progress import Report, named
from conversations import wiring
from conversations.domain.ports import ChatModel
from conversations.domain.spaces import fitted
from conversations.evaluation.items import Item, items_from, objects_from
from conversations.evaluation.library import File, Library, Shelf, loaded
from conversations.evaluation.metrics import score
from conversations.evaluation.remembered import RememberedEmbeddings, RememberedLanguage
from conversations.evaluation.report import Results
from conversations.evaluation.running import Run
from conversations.evaluation.strategies import Contender
from kernel.errors import Invalid
from retrieval.adapters.converters.read import read_document
from retrieval.adapters.storage.filesystem import FilesystemBlobs
from retrieval.domain.passages import ConvertedDocument
from retrieval.domain.ports import Heartbeat
from retrieval.services import equipment, equipped
from tenants.scoping import tenant_scope

SETS = Path(str(resources.files("conversations.evaluation"))) / "sets"


@dataclass(frozen=True, slots=True)
class Part:
    """Items with the documents that they are about."""

    name: str
    shelves: tuple[Shelf, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, and how."""

    name: str
    parts: tuple[Part, ...]
    contenders: tuple[Contender, ...]
    guarded: bool = True


def parts(items: Path | None, corpus: Path | None) -> tuple[Part, ...]:
    """An external set with its passages, or items over the demonstration documents; without items, the shipped sets."""
    if corpus is not None:
        if items is None:
            raise Invalid(reason="A corpus needs the items that are asked of it: --items FILE.")
        return (Part(items.stem, (_passages(corpus),), items_from(items)),)
    paths = [items] if items is not None else sorted(SETS.glob("*.jsonl"))
    told = [item for path in paths for item in items_from(path)]
    return tuple(_demonstrated(told))


def run(plan: Plan, report: Report) -> Results:
    """Every strategy over every part. The documents of a part are loaded once and removed afterwards."""
    model = wiring.chat_model()
    results = Results(plan.name, engine=model.label if model else "offline", guarded=plan.guarded)
    language = RememberedLanguage(wiring.language())
    with throwaway_equipment(), event_loop(model) as loop:
        for part in plan.parts:
            with loaded(part.shelves, named(report, part.name)) as library:
                ports = replace(wiring.ports_of(library.reader), language=language)
                for contender in plan.contenders:
                    policy = fitted(contender.policy, equipment().embeddings.space.name).policy
                    one = Run(replace(contender, policy=policy), ports, library.names, guarded=plan.guarded)
                    _run_one(one, part, library, loop, results, report)
    return results


def _run_one(
    one: Run, part: Part, library: Library, loop: asyncio.Runner, results: Results, report: Report
) -> None:
    began = time.perf_counter()
    questions = [item.question for item in part.items]
    with tenant_scope(library.reader.tenant_id):
        told = loop.run(one.outcomes(questions, named(report, part.name)), context=copy_context())
    scored = [
        (outcome, score(outcome, item.labels())) for outcome, item in zip(told, part.items, strict=True)
    ]
    results.add(one.name, scored, time.perf_counter() - began)


@contextmanager
def event_loop(model: ChatModel | None) -> Iterator[asyncio.Runner]:
    """One loop for all runs, because a model's connections belong to one."""
    with asyncio.Runner() as loop:
        try:
            yield loop
        finally:
            if model is not None:
                loop.run(model.aclose())


class _TrustedFiles:
    """A ConverterPort that reads in this process: the operator's own files need no sandbox around each."""

    def convert(self, data: bytes, *, filename: str, heartbeat: Heartbeat | None = None) -> ConvertedDocument:
        return read_document(data, filename)

    def check(self, data: bytes, *, filename: str) -> None:
        """What it cannot read, reading says."""


@contextmanager
def throwaway_equipment() -> Iterator[None]:
    """The ordinary equipment, with files kept for the run only and vectors kept for the next one."""
    vectors = settings.ANTECEDENT["STATE_DIR"] / "evaluation" / "vectors.sqlite"
    ordinary = equipment()
    with (
        tempfile.TemporaryDirectory(prefix="antecedent-evaluation-") as folder,
        closing(RememberedEmbeddings(ordinary.embeddings, vectors)) as embeddings,
    ):
        blobs = FilesystemBlobs(Path(folder))
        with equipped(replace(ordinary, embeddings=embeddings, converter=_TrustedFiles(), blobs=blobs)):
            yield


def _passages(corpus: Path) -> Shelf:
    rows = objects_from(corpus, "id", "text")
    files = (
        File(row["id"], f"{n:06}.txt", row["text"].encode(), title=row["id"]) for n, row in enumerate(rows, 1)
    )
    return Shelf("passages", tuple(files), whole=True)


def _demonstrated(items: Sequence[Item]) -> Iterable[Part]:
    """The items by demonstration tenant: whose documents an item is about is all that is read here."""
    known = {manifest["slug"]: (folder, manifest) for folder, manifest in demonstration.manifests()}
    for name in dict.fromkeys(item.documents for item in items):
        if name not in known:
            raise Invalid(
                reason="These items are not about the demonstration documents: --corpus FILE is needed."
            )
        folder, manifest = known[name]
        own = tuple(item for item in items if item.documents == name)
        yield Part(name, tuple(_shelves(folder, manifest)), own)


def _shelves(folder: Path, manifest: dict[str, Any]) -> Iterator[Shelf]:
    for corpus in manifest["corpora"]:
        slug = corpus["slug"]
        files = tuple(
            _file(folder / "documents" / slug / item["file"], slug, item) for item in corpus["documents"]
        )
        yield Shelf(slug, files, language=corpus["language"])


def _file(path: Path, slug: str, item: dict[str, Any]) -> File:
    return File(
        name=f"{slug}/{path.name}",
        filename=path.name,
        data=path.read_bytes(),
        title=item["title"],
        tags=tuple(item["tags"]),
        restricted=item["restricted"],
    )
