"""Tokens are estimated from above, in any script."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.domain.tokens import estimate_tokens

texts = st.text(st.sampled_from("ab zZ 09.,\n退ん한жß👍"), max_size=60)


def test_an_estimate_is_near_what_tokenizers_say():
    text = "Backups of the Dublin region are kept for thirty-five days, and longer when a legal hold applies."
    assert 19 <= estimate_tokens(text) <= 28
    assert estimate_tokens("退货政策") == 4
    assert estimate_tokens("") == 0


@given(texts, texts)
def test_two_texts_have_no_fewer_tokens_together_than_one_of_them(one, other):
    assert estimate_tokens(f"{one} {other}") >= max(estimate_tokens(one), estimate_tokens(other))
