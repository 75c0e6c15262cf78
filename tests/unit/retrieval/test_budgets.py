"""Text is cut between sentences, to a number of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.domain.budgets import cut_to_budget, estimate_tokens, fit_passages
from retrieval.domain.sentences import sentences

texts = st.lists(
    st.sampled_from(["One two. ", "Three is 3.5! ", "四五。", "e.g. six seven eight? "]), max_size=9
).map("".join)


@given(texts, st.integers(0, 40))
def test_a_cut_is_a_beginning_of_whole_sentences_within_the_budget(text, budget):
    cut = cut_to_budget(text, budget)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= budget
    ends = {0, len(text), *(span.end for span in sentences(text))}
    assert len(cut) in ends


@given(texts, st.integers(0, 40))
def test_a_cut_leaves_no_room_for_the_next_sentence(text, budget):
    cut = cut_to_budget(text, budget)
    longer = [span.end for span in sentences(text) if span.end > len(cut)]
    if longer and len(cut) < len(text):
        assert estimate_tokens(text[: longer[0]]) > budget or text[len(cut) :].strip() == ""


@given(st.lists(texts, max_size=5), st.integers(0, 60))
def test_passages_are_kept_in_order_until_the_budget_is_spent(passages, budget):
    kept = fit_passages(passages, budget)
    assert sum(estimate_tokens(text) for text in kept) <= budget
    assert all(whole == cut for whole, cut in zip(passages, kept[:-1], strict=False))
    if kept:
        assert passages[len(kept) - 1].startswith(kept[-1])


def test_an_estimate_is_near_what_tokenizers_say():
    text = "Backups of the Dublin region are kept for thirty-five days, and longer when a legal hold applies."
    assert 19 <= estimate_tokens(text) <= 28
    assert estimate_tokens("退货政策") == 4
    assert estimate_tokens("") == 0
