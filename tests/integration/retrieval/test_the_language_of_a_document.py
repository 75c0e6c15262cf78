"""Words are indexed and searched in the language of each document."""

from __future__ import annotations

import pytest

from kernel.errors import Invalid
from retrieval import services


def names(hits):
    return {hit.filename for hit in hits}


def test_a_document_in_another_language_than_its_corpus(add, find):
    german = add("haus.md", "# Häuser\n\nDie Häuser wurden zurückgegeben.")
    add("house.md", "The houses were returned.")
    assert names(find("Haus", dense=0.0)) == set()
    services.document_language_set(document_id=german.id, language="german")
    assert names(find("Haus", dense=0.0)) == {"haus.md"}
    assert names(find("returning house", dense=0.0)) == {"house.md"}
    services.document_language_set(document_id=german.id, language="")
    assert names(find("Haus", dense=0.0)) == set()


def test_it_stays_when_the_document_is_replaced(add, find):
    german = add("haus.md", "Die Häuser wurden verkauft.")
    services.document_language_set(document_id=german.id, language="german")
    add("haus.md", "Die Häuser wurden zurückgegeben.")
    assert names(find("Haus", dense=0.0)) == {"haus.md"}


def test_an_unknown_language_is_refused(add):
    with pytest.raises(Invalid):
        services.document_language_set(document_id=add("a.md", "Text.").id, language="klingon")
