"""A changed file of the same name replaces the text, and nothing that was decided about the document."""

from __future__ import annotations

import pytest

from retrieval import services
from retrieval.models import Document
from retrieval.services import UploadOutcome


@pytest.fixture
def receive(corpus):
    def receive(text: str, **wishes):
        return services.document_receive(
            corpus_id=corpus.id, filename="salaries.md", data=text.encode(), **wishes
        )

    return receive


def test_a_restricted_document_stays_restricted(receive, corpus, find, principal):
    from tenants.models import Audience

    everyone = Audience.objects.get(slug="everyone").group_id
    services.corpus_grant(corpus_id=corpus.id, group_id=everyone)
    receive("The boss earns 9000.", restricted=True)
    receipt = receive("The boss earns 9500.")
    services.document_index(document_id=receipt.document.id)
    assert (receipt.outcome, receipt.stays_restricted) == (UploadOutcome.REPLACES, True)
    assert Document.objects.get().restricted
    assert find("boss earns", who=principal(group_ids=(everyone,))) == ()
    assert find("boss earns")[0].text == "The boss earns 9500."


def test_tags_and_a_given_title_stay_and_the_old_title_is_told(receive):
    receive("One.", title="Salaries of 2026", tags=("hr", "pay"))
    receipt = receive("Two.")
    document = Document.objects.get()
    assert (document.title, document.title_is_given, document.tags) == (
        "Salaries of 2026",
        True,
        ["hr", "pay"],
    )
    assert receipt.replaced == "Salaries of 2026"


@pytest.mark.parametrize("text", ["Two.", "One."])
@pytest.mark.parametrize("before, said", [(True, False), (False, True)])
def test_what_the_caller_says_counts_for_changed_and_for_unchanged_files(receive, text, before, said):
    receive("One.", restricted=before, tags=["old"])
    receipt = receive(text, restricted=said, tags=[])
    document = Document.objects.get()
    assert (document.restricted, document.tags) == (said, [])
    assert receipt.was_restricted is before


def test_a_new_document_is_as_its_corpus_and_the_same_file_changes_nothing(receive):
    first = receive("One.")
    assert (first.outcome, first.document.restricted, first.document.tags) == (UploadOutcome.NEW, False, [])
    again = receive("One.")
    assert (again.outcome, again.document.queued_at) == (UploadOutcome.UNCHANGED, first.document.queued_at)


def test_a_refused_replacement_stays_restricted_too(receive):
    receive("One.", restricted=True)
    receipt = receive("")
    assert (receipt.document.state, receipt.document.restricted) == ("failed", True)
