"""Whatever is put into an address, a page of the console comes back."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.integration.admin_ui.rows import make_document, make_session

pytestmark = pytest.mark.django_db

ODD = ["\x00", "a\x00b", "\x01\x1f\x7f", "\x85", "\ud800".encode("utf-8", "surrogatepass"), "%", "\\", "'\"", "9" * 5000, "²", "-1", "٣", "x" * 3000, "\u202e\ufeff"]  # fmt: skip
NAMES = (
    "q",
    "verdict",
    "page",
    "turn",
    "corpus",
    "state",
    "tag",
    "access",
    "kind",
    "passage",
    "since",
    "until",
    "limit",
    "document",
    "why",
)


@pytest.fixture
def places(scoped, corpus):
    document, session = make_document(corpus, "Regions"), make_session(turns=1)
    return ("", "documents/", "conversations/", "access/", "access/people/", "access/seen/", f"documents/{document.pk}/seers", f"documents/{document.pk}/", f"conversations/{session.pk}/")  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: ascii(odd)[:12])
def test_every_list_answers_every_parameter(scoped, places, browser, odd):
    owner = browser(scoped, "owner")
    everything = "&".join(f"{name}={quote(odd)}" for name in NAMES)
    for place in places:
        for query in (everything, f"part={quote(odd)}", f"page={quote(odd)}"):
            assert owner.get(f"{place}?{query}").status_code == 200, (place, query)


def test_control_characters_are_left_out_of_a_search(scoped, corpus, browser):
    make_document(corpus, "Regions")
    make_document(corpus, "Keys")
    page = browser(scoped, "owner").get("documents/?part=list&q=%00regi").content.decode()
    assert "<strong>Regions" in page
    assert "<strong>Keys" not in page
