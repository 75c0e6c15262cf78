"""The language library, loaded once."""

from __future__ import annotations

import pytest

from conversations.adapters.language.spacy_en import SpacyEnglish


@pytest.fixture(scope="session")
def language() -> SpacyEnglish:
    return SpacyEnglish()
