"""The follow-up sets that ship with the product are consistent with the demonstration documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

ROOT = Path(__file__).resolve().parents[3]
SETS = ROOT / "conversations" / "evaluation" / "sets"
TENANTS = ("nimbus", "harbor")
STRATA = [
    "first_turn",
    "near_followup",
    "post_pivot_standalone",
    "post_pivot_followup",
    "long_range",
    "interleaved",
    "partial_shift",
    "topic_return",
    "closed_reference",
    "ordinal",
    "correction",
    "short_answer",
    "false_memory",
    "coref_plus_shift",
]
FIELDS = [
    "id",
    "stratum",
    "prefix",
    "follow_up",
    "gold",
    "reference_rewrite",
    "required_in_rewrite",
    "forbidden_in_rewrite",
    "meta",
]
WORD = re.compile(r"[^\W_]+", re.UNICODE)


@dataclass(frozen=True)
class Gold:
    """A passage that must come back: a document, the quote that marks it, and the paragraph around the quote."""

    document: str
    quote: str
    text: str
    paragraph: str


def folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def normal_form(word: str) -> str:
    """A light plural strip, so that "keys" matches "key"."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith("es") and word[-3] in "sxz":
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def words_of(text: str) -> list[str]:
    return [normal_form(word) for word in WORD.findall(text.casefold().replace("’", "'"))]


def contains_term(text: str, term: str) -> bool:
    wanted, words = words_of(term), words_of(text)
    size = len(wanted)
    return bool(size) and any(words[i : i + size] == wanted for i in range(len(words) - size + 1))


def decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@cache
def paragraphs_of(tenant: str, document: str) -> tuple[str, ...]:
    """The lines of a text file; a PDF, whose lines are only typography, is one paragraph."""
    path = ROOT / "demo" / tenant / "documents" / document
    if path.suffix != ".pdf":
        return tuple(folded(line) for line in decoded(path.read_bytes()).splitlines() if line.strip())
    with pypdfium2.PdfDocument(path) as pdf:
        return (folded(" ".join(page.get_textpage().get_text_bounded() for page in pdf)),)


def gold_of(tenant: str, reference: str) -> Gold:
    document, quote = reference.split("#", 1)
    paragraphs = paragraphs_of(tenant, document)
    around = [paragraph for paragraph in paragraphs if quote in paragraph]
    assert len(around) == 1, f"{reference}: in {len(around)} paragraphs"
    return Gold(document, quote, " ".join(paragraphs), quote if document.endswith(".pdf") else around[0])


@cache
def items_of(tenant: str) -> tuple[dict[str, Any], ...]:
    lines = (SETS / f"{tenant}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def all_items() -> list[tuple[str, dict[str, Any]]]:
    return [(tenant, item) for tenant in TENANTS for item in items_of(tenant)]


def conversation_of(item: dict[str, Any]) -> str:
    return " \n ".join([message["content"] for message in item["prefix"]] + [item["follow_up"]])


def ids_where(condition: Any) -> list[str]:
    return [f"{tenant}:{item['id']}" for tenant, item in all_items() if condition(tenant, item)]


def test_there_are_enough_items_in_every_stratum() -> None:
    counts = Counter(item["stratum"] for _, item in all_items())

    assert set(counts) == set(STRATA)
    assert {stratum: count for stratum, count in counts.items() if count < 22} == {}
    assert sum(counts.values()) >= 340


def test_every_item_has_the_fields_of_the_format_and_an_id_of_its_own() -> None:
    ids = [item["id"] for _, item in all_items()]

    assert ids_where(lambda _, item: list(item) != FIELDS) == []
    assert [name for name, count in Counter(ids).items() if count > 1] == []


def test_no_follow_up_is_asked_twice_with_the_same_prefix() -> None:
    seen = Counter((conversation_of(item)) for _, item in all_items())

    assert [text for text, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("tenant", TENANTS)
def test_every_gold_quote_stands_verbatim_in_one_paragraph_of_its_file(tenant: str) -> None:
    for item in items_of(tenant):
        assert item["gold"], item["id"]
        for reference in item["gold"]:
            assert len(gold_of(tenant, reference).quote) >= 8, reference


def test_gold_quotes_hold_no_markup_that_a_converter_would_drop() -> None:
    quotes = [reference.split("#", 1)[1] for _, item in all_items() for reference in item["gold"]]

    assert [quote for quote in quotes if re.search(r"[|`*<>#]", quote)] == []


def test_prefixes_alternate_and_stop_at_an_answer() -> None:
    def wrong(_: str, item: dict[str, Any]) -> bool:
        roles = [message["role"] for message in item["prefix"]]
        return roles != ["user", "assistant"] * (len(roles) // 2) or len(roles) > 14

    assert ids_where(wrong) == []
    assert ids_where(lambda _, item: any(not message["content"].strip() for message in item["prefix"])) == []


def test_only_first_turns_and_some_false_memories_have_no_prefix() -> None:
    bare = [item["stratum"] for _, item in all_items() if not item["prefix"]]

    assert set(bare) <= {"first_turn", "false_memory"}
    assert ids_where(lambda _, item: item["stratum"] == "first_turn" and bool(item["prefix"])) == []


def test_required_terms_can_be_derived_and_are_in_the_reference_rewrite() -> None:
    def missing(tenant: str, item: dict[str, Any]) -> bool:
        gold = " ".join(gold_of(tenant, reference).text for reference in item["gold"])
        known = f"{conversation_of(item)} {gold}"
        terms = item["required_in_rewrite"]
        return any(
            not (contains_term(known, term) and contains_term(item["reference_rewrite"], term))
            for term in terms
        )

    assert ids_where(lambda _, item: not item["required_in_rewrite"]) == []
    assert ids_where(missing) == []


def test_forbidden_terms_come_from_the_conversation() -> None:
    def unknown(_: str, item: dict[str, Any]) -> bool:
        said = conversation_of(item)
        return any(not contains_term(said, term) for term in item["forbidden_in_rewrite"])

    assert ids_where(unknown) == []


def test_forbidden_terms_are_absent_from_the_message_except_in_false_memories() -> None:
    def present(_: str, item: dict[str, Any]) -> bool:
        return any(contains_term(item["follow_up"], term) for term in item["forbidden_in_rewrite"])

    assert ids_where(lambda tenant, item: item["stratum"] != "false_memory" and present(tenant, item)) == []


def test_forbidden_terms_are_absent_from_the_gold_passage_and_the_reference_rewrite() -> None:
    def present(tenant: str, item: dict[str, Any]) -> bool:
        passages = [gold_of(tenant, reference).paragraph for reference in item["gold"]]
        texts = [*passages, item["reference_rewrite"]]
        return any(contains_term(text, term) for text in texts for term in item["forbidden_in_rewrite"])

    assert ids_where(present) == []


def test_a_false_memory_names_something_that_neither_the_answers_nor_the_documents_know() -> None:
    def known(tenant: str, item: dict[str, Any]) -> bool:
        said = " ".join(message["content"] for message in item["prefix"])
        documents = " ".join(gold_of(tenant, reference).text for reference in item["gold"])
        return any(contains_term(f"{said} {documents}", term) for term in item["forbidden_in_rewrite"])

    memories = [item for _, item in all_items() if item["stratum"] == "false_memory"]
    assert all(item["forbidden_in_rewrite"] for item in memories)
    assert ids_where(lambda tenant, item: item["stratum"] == "false_memory" and known(tenant, item)) == []


def test_strata_that_leave_a_subject_behind_say_what_must_not_be_carried() -> None:
    leaving = {"post_pivot_standalone", "post_pivot_followup", "long_range", "interleaved"}

    assert ids_where(lambda _, item: item["stratum"] in leaving and not item["forbidden_in_rewrite"]) == []


def test_short_answers_reply_to_a_question_and_ordinals_pick_from_a_list() -> None:
    def last_answer(item: dict[str, Any]) -> str:
        return str(item["prefix"][-1]["content"])

    def answers(item: dict[str, Any]) -> str:
        return "\n".join(message["content"] for message in item["prefix"] if message["role"] == "assistant")

    assert ids_where(lambda _, item: item["stratum"] == "short_answer" and "?" not in last_answer(item)) == []
    assert ids_where(lambda _, item: item["stratum"] == "ordinal" and "\n2. " not in answers(item)) == []


def test_indices_of_turns_in_scope_lie_within_the_prefix() -> None:
    assert ids_where(lambda _, item: any(i >= len(item["prefix"]) for i in item["meta"]["in_scope"])) == []
    dependent = {"near_followup", "post_pivot_followup", "long_range", "interleaved", "topic_return"}
    assert ids_where(lambda _, item: item["stratum"] in dependent and not item["meta"]["in_scope"]) == []
