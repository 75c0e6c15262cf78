"""`manage.py calibrate`: the thresholds of the configured embedding model, chosen from a follow-up set."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from rich.table import Table

from config import evaluating, servers
from config.measuring import console_for, progress_on, write_figures
from config.progress import Report
from conversations import wiring
from conversations.domain.calibrate import accuracies
from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.vectors import Matrix, Vector, unit
from conversations.evaluation import report as told
from conversations.evaluation.calibrating import Calibrated, calibrated, references_from
from conversations.evaluation.items import items_from, objects_from
from conversations.evaluation.remembered import RememberedLanguage
from conversations.evaluation.strategies import Contender
from kernel.errors import DomainError
from kernel.json import JsonObject
from retrieval.services import equipment
from tenants.access import Principal

CUTS = ("related", "unrelated", "boundary", "diverged", "answered", "elsewhere")
# Passages embedded between two steps of the progress bar.
BATCH = 32


class Command(BaseCommand):
    help = "Choose the thresholds of the configured embedding model from a follow-up set."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--items", type=Path, metavar="FILE", help="a follow-up set (default: the shipped sets)"
        )
        parser.add_argument(
            "--corpus",
            type=Path,
            metavar="FILE",
            help="its passages: choose `answered` and `elsewhere` by them, search them under both thresholds and compare recall",
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write thresholds and accuracies there")

    def handle(self, *args: Any, **options: Any) -> None:
        console = console_for()
        try:
            with progress_on(console) as report:
                found = _calibrated(options["items"], options["corpus"], report)
                compared = _compared(found, options, report) if options["corpus"] else None
        except (DomainError, OSError) as error:
            raise CommandError(str(error)) from error
        write_figures(options["json"], _as_json(found, compared))
        console.print(_table(found))
        for table in told.comparison_tables(compared) if compared else ():
            console.print(table)


def _calibrated(path: Path | None, corpus: Path | None, report: Report) -> Calibrated:
    paths = [path] if path is not None else sorted(evaluating.SETS.glob("*.jsonl"))
    items = [item for one in paths for item in items_from(one)]
    references = {name: text for one in paths for name, text in references_from(one).items()}
    # Nothing is searched, so it does not matter as whom.
    ports = replace(
        wiring.ports_of(Principal(uuid4(), sees_all=True)), language=RememberedLanguage(wiring.language())
    )
    space = equipment().embeddings.space.name
    passages = _passages(corpus, report) if corpus is not None else None
    return asyncio.run(calibrated(items, references, ports, ScopePolicy(), space, report, passages))


def _passages(corpus: Path, report: Report) -> Matrix:
    """The unit vectors of a corpus's passages in the configured space."""
    texts = [row["text"] for row in objects_from(corpus, "id", "text")]
    rows: list[Vector | None] = []
    for first in range(0, len(texts), BATCH):
        rows.extend(unit(row) for row in equipment().embeddings.embed_passages(texts[first : first + BATCH]))
        report("passages", len(rows), len(texts))
    return np.asarray([row for row in rows if row is not None], dtype=np.float32)


def _compared(found: Calibrated, options: dict[str, Any], report: Report) -> dict[str, JsonObject]:
    """The set run under the default thresholds and under the chosen ones."""
    plan = evaluating.Plan(
        name="calibration",
        parts=evaluating.parts(options["items"], options["corpus"]),
        contenders=(
            Contender("default", ScopePolicy()),
            Contender("calibrated", ScopePolicy(thresholds=found.calibration.thresholds)),
        ),
    )
    with servers.available():
        return evaluating.run(plan, report).strategies()


def _as_json(found: Calibrated, compared: dict[str, JsonObject] | None) -> JsonObject:
    chosen = found.calibration.thresholds
    return {
        "thresholds": chosen.to_json(),
        "default": Thresholds().to_json(),
        "examples": len(found.collected.examples),
        "rewrites": len(found.collected.rewrites),
        "accuracy": {"calibrated": _accuracies(found, chosen), "default": _accuracies(found, Thresholds())},
        "compared": compared,
    }


def _accuracies(found: Calibrated, thresholds: Thresholds) -> dict[str, float | None]:
    return accuracies(thresholds, found.collected.examples, found.collected.rewrites)


def _table(found: Calibrated) -> Table:
    chosen, default = found.calibration.thresholds, Thresholds()
    counted = f"{len(found.collected.examples)} examples, {len(found.collected.rewrites)} rewrites"
    table = Table(title=f"{chosen.space}: {counted}", title_justify="left")
    table.add_column("threshold")
    for column in ("default", "gets right", "calibrated", "gets right "):
        table.add_column(column, justify="right")
    before, after = _accuracies(found, default), _accuracies(found, chosen)
    for cut in CUTS:
        values = (getattr(default, cut), before[cut], getattr(chosen, cut), after[cut])
        table.add_row(cut, *("too few" if value is None else f"{value:.3f}" for value in values))
    return table
