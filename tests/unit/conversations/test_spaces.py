"""Thresholds of one embedding space are never used for another without anybody being told."""

from __future__ import annotations

from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.spaces import KNOWN, LOCAL, fitted

OWN = Thresholds(space=LOCAL, related=0.4)
OTHER = Thresholds(space="openai/some-model/1536", related=0.6, unrelated=0.5)


def test_it_keeps_what_a_tenant_calibrated_for_the_space_in_use() -> None:
    found = fitted(ScopePolicy(thresholds=OWN), LOCAL)
    assert (found.policy.thresholds, found.calibrated) == (OWN, True)


def test_it_takes_the_known_thresholds_of_the_space_in_use() -> None:
    found = fitted(ScopePolicy(thresholds=OTHER, window=2), LOCAL)
    assert (found.policy.thresholds, found.calibrated) == (KNOWN[LOCAL], True)
    assert found.policy.window == 2


def test_it_says_so_when_a_space_is_not_known() -> None:
    found = fitted(ScopePolicy(thresholds=OWN), "openai/unheard-of/8")
    assert (found.policy.thresholds.related, found.calibrated) == (OWN.related, False)


def test_in_a_space_that_is_not_known_the_documents_are_not_asked() -> None:
    unknown = fitted(ScopePolicy(thresholds=OWN), "openai/unheard-of/8").policy.thresholds
    assert (unknown.answered, unknown.elsewhere) == (0.0, 0.0)
    told = Thresholds.from_json({"space": "openai/unheard-of/8", "related": 0.5})
    assert (told.answered, told.elsewhere) == (0.0, 0.0)
    assert Thresholds.from_json({"related": 0.5}).elsewhere == Thresholds().elsewhere


def test_every_known_space_is_named_after_itself() -> None:
    assert all(name == thresholds.space for name, thresholds in KNOWN.items())
