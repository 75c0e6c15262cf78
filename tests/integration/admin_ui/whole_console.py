"""The pages of the console, each with something on it."""

from __future__ import annotations

from typing import Any

from conversations.services.evaluation_runs import evaluation_start
from conversations.services.evaluation_sets import set_create, set_import
from tenants.services.versions import version_draft
from tests.integration.admin_ui.rows import make_document, make_session, make_turn
from tests.integration.admin_ui.test_every_page_by_every_role import addresses

ITEM = b'{"id": "beds", "stratum": "ordinal", "prefix": [], "follow_up": "and beds?", "gold": ["Wards"]}'


def pages_of(corpus: Any) -> list[str]:
    """Every address without an id, and one page of each thing that has one. Needs the scope of a tenant."""
    plain = [path for path in addresses().values() if not any(part in path for part in ("-", "/7/", "x/"))]
    number, session = version_draft(kind="policy", name="scope").number, make_session(turns=2)
    make_turn(session, 3, verdict="contaminated", citations=[])
    wards = set_create(name="Wards")
    set_import(set_id=wards.pk, data=ITEM)
    return [
        *plain,
        "audit-log/",
        "what-if/",
        "what-if/new",
        f"policy/{number}/",
        "policy/0/",
        f"conversations/{session.pk}/",
        f"documents/{make_document(corpus, 'Wards').pk}/",
        f"evaluations/sets/{wards.pk}/",
        f"evaluations/{evaluation_start(set_id=wards.pk).pk}/",
        "turns/?about=unanswered",
    ]
