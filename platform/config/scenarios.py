"""Puts a scenario together: its documents in a throwaway tenant, the ordinary equipment, and the conversation itself."""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import replace

from config.evaluating import event_loop, throwaway_equipment
from config.progress import Report
from conversations import wiring
from conversations.evaluation.library import File, Shelf, loaded
from conversations.evaluation.remembered import RememberedLanguage
from conversations.evaluation.scenarios.remembering import Remembering
from conversations.evaluation.scenarios.report import ScenarioReport
from conversations.evaluation.scenarios.script import Script
from conversations.evaluation.scenarios.session import Session
from conversations.evaluation.scenarios.surviving import survived
from tenants.scoping import tenant_scope


def run(script: Script, report: Report) -> ScenarioReport:
    """The conversation, held with the configured model or offline, and what survives of it.

    Its documents are removed afterwards.
    """
    model, language = wiring.chat_model(), RememberedLanguage(wiring.language())
    with throwaway_equipment(), event_loop(model) as loop, loaded((_shelf(script),), report) as library:
        ports = replace(wiring.ports_of(library.reader), language=language)
        session = Session(script, ports, library.names, Remembering(language))
        with tenant_scope(library.reader.tenant_id):
            held = loop.run(session.held(report), context=copy_context())
    return ScenarioReport(
        held,
        survived(script.facts, held.memory, held.exchanges, language.analyse),
        survived(script.facts, held.closed, held.exchanges, language.analyse),
    )


def _shelf(script: Script) -> Shelf:
    files = tuple(
        File(path.name, path.name, path.read_bytes(), title=_title(path.read_text(encoding="utf-8")))
        for path in script.documents
    )
    return Shelf(script.name.replace("_", "-"), files)


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").strip()
