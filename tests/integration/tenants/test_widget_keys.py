"""Public keys of widgets: where they may be embedded, how they look, and what becomes of a revoked one."""

from __future__ import annotations

import pytest

from kernel.errors import Invalid, NotFound
from tenants.errors import OriginNotAllowed, WidgetKeyRevoked, WidgetKeyUnknown
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tenants.selectors.widget_keys import (
    access_widget_key,
    check_origin,
    frame_ancestors,
    widget_key_tenant,
    widget_keys,
)
from tenants.services.widget_keys import (
    widget_key_create,
    widget_key_look_set,
    widget_key_origins_set,
    widget_key_rename,
    widget_key_revoke,
    widget_key_visitors_set,
)

pytestmark = pytest.mark.django_db


def test_its_public_key_names_its_tenant(scoped):
    key = widget_key_create(name="Reading room", allowed_origins=["https://library.example"])
    assert widget_key_tenant(key.public_key) == scoped.pk
    assert access_widget_key(key.public_key).pk == key.pk


@pytest.mark.parametrize("text", ["", "wk_", "x", "wk_" + "0" * 32 + "_" + "a" * 22, "wk_é", "wk_\x00" * 5])
def test_a_key_of_nobody_is_unknown(scoped, text):
    with pytest.raises(WidgetKeyUnknown):
        access_widget_key(text)


def test_the_rival_does_not_know_it(scoped, rival):
    key = widget_key_create(name="Reading room")
    with tenant_scope(rival.pk):
        assert not widget_keys().exists()
        with pytest.raises(WidgetKeyUnknown):
            access_widget_key(key.public_key)
        with pytest.raises(WidgetKeyUnknown):
            access_widget_key(key.public_key.replace(scoped.pk.hex, rival.pk.hex))
        for change in (widget_key_revoke, lambda key_id: widget_key_rename(key_id=key_id, name="Mine")):
            with pytest.raises(NotFound):
                change(key_id=key.pk)
    assert access_widget_key(key.public_key).name == "Reading room"


def test_the_frame_opens_where_it_is_allowed_and_on_our_own_pages(scoped):
    key = widget_key_create(
        name="A", allowed_origins=["https://Library.example/", "https://*.museum.example"]
    )
    assert frame_ancestors(key) == "'self' https://library.example https://*.museum.example"
    check_origin(key, "https://library.example")
    with pytest.raises(OriginNotAllowed, match=r"https://evil\.example"):
        check_origin(key, "https://evil.example")


def test_without_origins_it_opens_on_our_own_pages_only(scoped):
    assert frame_ancestors(widget_key_create(name="A")) == "'self'"


def test_pages_without_an_origin_are_let_in_by_choice_only(scoped):
    key = widget_key_create(name="A", allowed_origins=["https://library.example"])
    with pytest.raises(OriginNotAllowed):
        check_origin(key, "null")
    key = widget_key_origins_set(key_id=key.pk, allowed_origins=["null"])
    check_origin(key, "null")
    assert frame_ancestors(key) == "* file: data:"


def test_what_goes_into_a_header_is_an_origin_and_nothing_else(scoped):
    for origin in (
        "https://a.example; script-src *",
        "https://a.example\nX-Evil: 1",
        "https://a.example,b",
        "'none'",
    ):
        with pytest.raises(Invalid):
            widget_key_create(name="A", allowed_origins=[origin])
    with pytest.raises(Invalid, match="at most 50"):
        widget_key_create(name="A", allowed_origins=[f"https://{n}.example.org" for n in range(51)])
    assert not widget_keys().exists()


def test_a_revoked_one_stays_revoked(scoped):
    key = widget_key_create(name="A")
    revoked = widget_key_revoke(key_id=key.pk)
    assert widget_key_revoke(key_id=key.pk).revoked_at == revoked.revoked_at
    with pytest.raises(WidgetKeyRevoked):
        access_widget_key(key.public_key)


def test_every_change_is_on_record_and_none_that_changes_nothing(scoped):
    key = widget_key_create(name="A")
    widget_key_rename(key_id=key.pk, name="B")
    widget_key_rename(key_id=key.pk, name="B")
    widget_key_look_set(key_id=key.pk, look={"accent": "#aa0000"})
    widget_key_visitors_set(key_id=key.pk, identified_only=True, one_time_identities=False)
    widget_key_revoke(key_id=key.pk)
    entries = list(
        AuditEntry.objects.filter(target=str(key.pk)).order_by("seq").values_list("action", "data")
    )
    assert [action for action, _ in entries] == ["widget_key.created"] + ["widget_key.changed"] * 3 + [
        "widget_key.revoked"
    ]
    assert [data.get("changed") for _, data in entries[1:4]] == [
        {"name": "B"},
        {"look": {"accent": "#aa0000"}},
        {"identified_only": True},
    ]
