"""Loads the demonstration tenants of `demo/`: people, documents with their permissions, and a conversation each.

Loading twice changes nothing: what is there already is recognised and left alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import UUID

from config import demonstration_work
from config.demo_widgets import widget_load
from conversations import wiring
from conversations.identity import Asker
from conversations.models import UNFINISHED, Turn
from conversations.services.turns import turn_accept
from retrieval import services as documents
from retrieval.models import Corpus
from tenants.models import Audience, Tenant, User
from tenants.scoping import tenant_scope
from tenants.services import (
    audience_create,
    audiences_join,
    end_user_for_account,
    membership_set,
    tenant_create,
)
from tenants.services.end_users import audiences_set, end_user_for_subject

ROOT = Path(__file__).resolve().parents[2] / "demo"
STAFF = ("staff@antecedent.example", "antecedent-demo-1")
ANSWERED_SECONDS = 120.0
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Account:
    email: str
    password: str
    role: str
    audiences: tuple[str, ...]


@dataclass(slots=True)
class Loaded:
    """What is there now, for the summary that is printed."""

    tenant: Tenant
    accounts: list[Account] = field(default_factory=list)
    documents: int = 0
    turns: int = 0
    widget_key: str = ""


def manifests() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(ROOT.glob("*/manifest.json")):
        yield path.parent, json.loads(path.read_text())


def staff_load() -> Account:
    """One account of the platform's staff, for the console at /staff/."""
    email, password = STAFF
    if not User.objects.filter(email=email).exists():
        User.objects.create_user(email, password, name="Sam Staff", is_staff=True)
    return Account(email, password, "platform staff", ())


def load(folder: Path, manifest: dict[str, Any], report: Report) -> Loaded:
    """One tenant. `report(what, done, total)` is called as it goes."""
    tenant = _tenant(manifest)
    with tenant_scope(tenant.id):
        audiences = _audiences(manifest)
        loaded = Loaded(tenant, [_person(person, audiences) for person in manifest["people"]])
        loaded.documents = _documents(folder, manifest, audiences, report)
        loaded.widget_key = widget_load(tenant, manifest)
        loaded.turns = _script(tenant, manifest["script"], report)
        loaded.turns += _work(tenant, manifest)
    return loaded


def _work(tenant: Tenant, manifest: dict[str, Any]) -> int:
    """What the manifest says that there is to look at in the console, and how many turns it took."""
    owner = next(person["email"] for person in manifest["people"] if person["role"] == "owner")
    by = User.objects.get(email=owner).pk
    turns = _withdrawn(tenant, told) if (told := manifest.get("withdrawn")) else 0
    demonstration_work.rate(manifest.get("ratings", ()))
    if "evaluation" in manifest:
        demonstration_work.evaluate(manifest, by=by)
    if "what_if" in manifest:
        demonstration_work.replay(manifest["what_if"], by=by)
    return turns


def _tenant(manifest: dict[str, Any]) -> Tenant:
    look = {key: manifest[key] for key in ("name", "tagline", "greeting", "suggested_questions", "accent")}
    tenant = Tenant.objects.filter(slug=manifest["slug"]).first()
    return tenant or tenant_create(slug=manifest["slug"], **look)


def _audiences(manifest: dict[str, Any]) -> dict[str, Audience]:
    known = {audience.name: audience for audience in Audience.objects.all()}
    for wanted in manifest["audiences"]:
        if wanted["name"] not in known:
            known[wanted["name"]] = audience_create(name=wanted["name"], description=wanted["description"])
    return known


def _person(person: dict[str, Any], audiences: dict[str, Audience]) -> Account:
    user = User.objects.filter(email=person["email"]).first()
    if user is None:
        user = User.objects.create_user(person["email"], person["password"], name=person["name"])
    if person["role"]:
        membership_set(user=user, role=person["role"])
    end_user = end_user_for_account(user=user)
    audiences_join(end_user=end_user, audiences=[audiences[name] for name in person["audiences"]])
    return Account(user.email, person["password"], person["role"] or "", tuple(person["audiences"]))


def _documents(folder: Path, manifest: dict[str, Any], audiences: dict[str, Audience], report: Report) -> int:
    total = sum(len(corpus["documents"]) for corpus in manifest["corpora"])
    done = 0
    for described in manifest["corpora"]:
        corpus = _corpus(described, audiences)
        for item in described["documents"]:
            _document(folder / "documents" / described["slug"] / item["file"], corpus, item, audiences)
            done += 1
            report("documents", done, total)
    return done


def _corpus(described: dict[str, Any], audiences: dict[str, Audience]) -> Corpus:
    corpus = Corpus.objects.filter(slug=described["slug"]).first()
    if corpus is None:
        corpus = documents.corpus_create(
            name=described["name"],
            slug=described["slug"],
            description=described["description"],
            language=described["language"],
        )
    for name in described["granted_to"]:
        documents.corpus_grant(corpus_id=corpus.id, group_id=audiences[name].group_id)
    return corpus


def _document(path: Path, corpus: Corpus, item: dict[str, Any], audiences: dict[str, Audience]) -> None:
    document = documents.document_upload(
        corpus_id=corpus.id,
        filename=path.name,
        data=path.read_bytes(),
        title=item["title"],
        tags=tuple(item["tags"]),
        restricted=item["restricted"],
    )
    for name in item.get("granted_to", ()):
        documents.document_grant(document_id=document.id, group_id=audiences[name].group_id)
    if document.is_unfinished:
        documents.document_index(document_id=document.id)


def _script(tenant: Tenant, script: list[dict[str, str]], report: Report) -> int:
    """Hold the scripted conversation, through the same pipeline as any other."""
    sessions: dict[str, UUID] = {}
    for number, line in enumerate(script, 1):
        asker = _asker(tenant, line["as"])
        sessions[line["as"]] = _said(asker, line["message"], str(number), sessions.get(line["as"]))
        report("conversation", number, len(script))
    return len(script)


def _withdrawn(tenant: Tenant, told: dict[str, Any]) -> int:
    """A conversation of a visitor whom the customer's site has identified: the audience that opens a document to them
    is taken from them before its end."""
    messages = [*told["before"], *told["after"]]
    if not Turn.objects.filter(client_id=_client_id(tenant, f"withdrawn-{len(messages)}")).exists():
        held, session = [told["audience"]], None
        end_user = end_user_for_subject(subject=told["subject"], name=told["name"], audiences=held)
        asker = Asker(tenant, end_user, None)
        for number, message in enumerate(messages, 1):
            if number == len(told["before"]) + 1:
                audiences_set(end_user=end_user, audiences=[])
            session = _said(asker, message, f"withdrawn-{number}", session)
    return len(messages)


def _asker(tenant: Tenant, email: str) -> Asker:
    user = User.objects.get(email=email)
    return Asker(tenant, end_user_for_account(user=user), user)


def _said(asker: Asker, message: str, mark: str, session_id: UUID | None) -> UUID:
    """Ask and be answered, once: what was said at an earlier start is left as it is. Returns the session's id."""
    accepted = turn_accept(
        end_user_id=asker.end_user_id,
        session_id=session_id,
        client_id=_client_id(asker.tenant, mark),
        text=message,
    )
    if accepted.created:
        _see_answered(accepted.turn)
    return accepted.turn.session_id


def _see_answered(turn: Turn) -> None:
    """Answer it here, or wait for the chat that answers it since somebody has this conversation open already."""
    until = monotonic() + ANSWERED_SECONDS
    while turn.state in UNFINISHED and monotonic() < until:
        wiring.answer_now(turn.session_id, ports_for=wiring.ports_for_quick)
        turn.refresh_from_db(fields=["state"])
        if turn.state in UNFINISHED:
            sleep(0.2)


def _client_id(tenant: Tenant, mark: str) -> str:
    return f"demonstration-{tenant.slug}-{mark}"
