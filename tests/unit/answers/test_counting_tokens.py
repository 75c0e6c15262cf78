"""Tokens are counted exactly where the model's vocabulary is at hand, and estimated where it is not."""

from __future__ import annotations

import pytest

from conversations.adapters import tokens
from conversations.adapters.tokens import counter_for, remembering
from conversations.domain.window import estimate_tokens

TEXT = "The RPO in Frankfurt is 15 minutes, and the fee is €1,250.50 a month."


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("openai/gpt-4.1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("llama-3.3-70b", "estimate"),
        ("", "estimate"),
    ],
)
def test_it_knows_which_vocabulary_a_model_reads_with(model: str, vocabulary: str) -> None:
    assert counter_for(model).name == vocabulary


def test_it_counts_as_the_model_does() -> None:
    # The published vocabularies have these words whole: the counts are a matter of record.
    assert counter_for("gpt-4o").count("hello world") == 2
    assert counter_for("gpt-4").count("tiktoken is great!") == 6


def test_text_that_imitates_a_control_token_is_ordinary_text() -> None:
    assert counter_for("gpt-4o").count("<|endoftext|>") > 1


def test_the_estimate_is_never_far_under_the_exact_count() -> None:
    exact = counter_for("gpt-4o").count(TEXT * 20)
    assert 0.95 * exact <= estimate_tokens(TEXT * 20) <= 1.5 * exact


def test_a_text_is_counted_once_and_the_text_itself_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "REMEMBERED", 2)
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    once = remembering(count)
    assert [once(text) for text in ("a", "bb", "a", "\ud83d", "a", "")] == [1, 2, 1, 1, 1, 0]
    assert counted == ["a", "bb", "\ud83d", "a", ""]
    kept = once.__closure__ or ()
    assert not any("bb" in str(cell.cell_contents) for cell in kept if not callable(cell.cell_contents))
