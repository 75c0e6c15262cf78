"""The demonstration data agrees with its manifests and with itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from selectolax.lexbor import LexborHTMLParser

DEMO = Path(__file__).resolve().parents[3] / "demo"
TENANTS = ("nimbus", "harbor")
BUILT_IN_AUDIENCES = {"Everyone", "Members"}
ROLES = {"owner", "admin", "editor", "analyst", None}


def manifest_of(tenant: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((DEMO / tenant / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def documents_of(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{corpus['slug']}/{document['file']}": document
        for corpus in manifest["corpora"]
        for document in corpus["documents"]
    }


def audiences_of(manifest: dict[str, Any]) -> set[str]:
    return {audience["name"] for audience in manifest["audiences"]} | BUILT_IN_AUDIENCES


def decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def pdf_text(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as pdf:
        return " ".join(page.get_textpage().get_text_bounded() for page in pdf)


def text_of(path: Path) -> str:
    """The words of a document with white space folded, as a reader would see them."""
    if path.suffix == ".pdf":
        text = pdf_text(path)
    elif path.suffix == ".html":
        text = LexborHTMLParser(path.read_bytes()).text(separator=" ")
    else:
        text = decoded(path.read_bytes())
    return re.sub(r"\s+", " ", text)


def has_value(text: str, value: str) -> bool:
    """True if `value` stands in `text` and is not the middle of a longer number."""
    return re.search(rf"(?<![\d.,]){re.escape(value)}(?![\d]|[.,]\d)", text) is not None


@pytest.mark.parametrize("tenant", TENANTS)
def test_the_manifest_lists_exactly_the_files_that_exist(tenant: str) -> None:
    folder = DEMO / tenant / "documents"
    on_disk = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert on_disk == set(documents_of(manifest_of(tenant)))


@pytest.mark.parametrize("tenant", TENANTS)
def test_there_are_enough_documents_and_each_is_of_readable_length(tenant: str) -> None:
    documents = documents_of(manifest_of(tenant))
    words = {name: len(text_of(DEMO / tenant / "documents" / name).split()) for name in documents}

    assert len(documents) >= 25
    assert {name: count for name, count in words.items() if not 250 <= count <= 900} == {}


@pytest.mark.parametrize("tenant", TENANTS)
def test_every_format_is_represented(tenant: str) -> None:
    suffixes = [Path(name).suffix for name in documents_of(manifest_of(tenant))]

    assert {suffix: suffixes.count(suffix) >= 3 for suffix in (".md", ".html", ".txt", ".pdf")} == {
        ".md": True,
        ".html": True,
        ".txt": True,
        ".pdf": True,
    }


@pytest.mark.parametrize("tenant", TENANTS)
def test_one_text_file_is_latin_1(tenant: str) -> None:
    texts = [path.read_bytes() for path in (DEMO / tenant / "documents").rglob("*.txt")]
    not_utf8 = [raw for raw in texts if "\ufffd" in raw.decode("utf-8", errors="replace")]

    assert len(not_utf8) == 1


@pytest.mark.parametrize("tenant", TENANTS)
def test_pdfs_have_several_pages(tenant: str) -> None:
    for path in (DEMO / tenant / "documents").rglob("*.pdf"):
        with pypdfium2.PdfDocument(path) as pdf:
            assert len(pdf) >= 2, path.name


@pytest.mark.parametrize("tenant", TENANTS)
def test_every_fact_stands_in_each_document_it_names(tenant: str) -> None:
    manifest = manifest_of(tenant)
    texts = {name: text_of(DEMO / tenant / "documents" / name) for name in documents_of(manifest)}
    missing = [
        (fact["subject"], fact["value"], name)
        for fact in manifest["facts"]
        for name in fact["documents"]
        if not has_value(texts[name], fact["value"])
    ]

    assert missing == []
    assert len(manifest["facts"]) >= 30


@pytest.mark.parametrize("tenant", TENANTS)
def test_every_audience_that_is_named_exists(tenant: str) -> None:
    manifest = manifest_of(tenant)
    named = {name for person in manifest["people"] for name in person["audiences"]}
    named |= {name for corpus in manifest["corpora"] for name in corpus["granted_to"]}
    named |= {name for document in documents_of(manifest).values() for name in document.get("granted_to", [])}

    assert named <= audiences_of(manifest)


@pytest.mark.parametrize("tenant", TENANTS)
def test_restricted_documents_and_only_those_name_their_audiences(tenant: str) -> None:
    documents = documents_of(manifest_of(tenant))
    restricted = {name for name, document in documents.items() if document["restricted"]}

    assert restricted == {name for name, document in documents.items() if document.get("granted_to")}
    assert len(restricted) >= 3


@pytest.mark.parametrize("tenant", TENANTS)
def test_people_have_known_roles_and_addresses_of_their_tenant(tenant: str) -> None:
    people = manifest_of(tenant)["people"]
    emails = [person["email"] for person in people]

    assert {person["role"] for person in people} == ROLES
    assert all(email.endswith(f"@{tenant}.example") for email in emails)
    assert len(set(emails)) == len(emails)
    assert all(person["password"].startswith(f"{tenant}-demo-") for person in people)


@pytest.mark.parametrize("tenant", TENANTS)
def test_three_end_users_have_different_audiences(tenant: str) -> None:
    end_users = [person for person in manifest_of(tenant)["people"] if person["role"] is None]

    assert len({tuple(person["audiences"]) for person in end_users}) >= 3


@pytest.mark.parametrize("tenant", TENANTS)
def test_the_script_is_spoken_by_people_of_the_tenant(tenant: str) -> None:
    manifest = manifest_of(tenant)
    speakers = {line["as"] for line in manifest["script"]}

    assert speakers <= {person["email"] for person in manifest["people"]}
    assert 8 <= len(manifest["script"]) <= 10
    assert all(line["message"].strip() for line in manifest["script"])


@pytest.mark.parametrize("tenant", TENANTS)
def test_the_readme_names_every_account(tenant: str) -> None:
    readme = (DEMO / "README.md").read_text(encoding="utf-8")

    assert [p["email"] for p in manifest_of(tenant)["people"] if p["email"] not in readme] == []
    assert [p["email"] for p in manifest_of(tenant)["people"] if p["password"] not in readme] == []


@pytest.mark.parametrize("tenant", TENANTS)
def test_the_accent_is_a_hex_colour_and_four_questions_are_suggested(tenant: str) -> None:
    manifest = manifest_of(tenant)

    assert re.fullmatch(r"#[0-9a-f]{6}", manifest["accent"])
    assert len(manifest["suggested_questions"]) == 4
