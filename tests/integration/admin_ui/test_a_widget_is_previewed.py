"""The preview of a widget: the real loader and frame with an unsaved look, shown in the console only, storing nothing."""

from __future__ import annotations

import json
import re

import pytest

from admin_ui.components.accent import accent_uses
from admin_ui.widget_preview import look_packed
from conversations.models import Session
from tenants.models import EndUser, WidgetKey
from tenants.services.widget_keys import widget_key_create

pytestmark = pytest.mark.django_db
LOOK = {
    "name": "Ask the desk",
    "accent": "#aa3355",
    "suggestions": ["When do you open?"],
    "launcher": {"icon": "help"},
}


@pytest.fixture
def key(scoped):
    return widget_key_create(name="Branch desk", allowed_origins=["https://library.example"])


@pytest.fixture
def admin(scoped, browser):
    return browser(scoped, "admin")


def path(key, rest="", look=None):
    return f"keys/widgets/{key.pk}/preview/{look_packed(LOOK if look is None else look)}/{rest}"


def boot_of(page):
    return json.loads(
        re.search(r'id="boot" type="application/json">(.*?)</script>', page.content.decode())[1]
    )


def test_the_frame_is_the_real_one_with_the_unsaved_look(admin, key, scoped):
    page = admin.get(path(key, "widget/frame?key=preview"))
    boot = boot_of(page)
    assert {name: boot["look"][name] for name in ("name", "accent", "suggestions")} == {
        name: LOOK[name] for name in ("name", "accent", "suggestions")
    }
    assert boot["look"]["launcher"]["icon"] == "help" and boot["look"]["greeting"] == scoped.greeting
    assert "/frame.js" in page.content.decode()
    assert key.public_key not in page.content.decode()
    assert WidgetKey.objects.get().look == {}


def test_it_is_shown_inside_the_console_only(admin, key):
    for rest in ("", "widget/frame?key=x", "widget.js"):
        page = admin.get(path(key, rest))
        policy = page.headers["Content-Security-Policy"]
        assert "frame-ancestors 'self'" in policy and "https://library.example" not in policy
        assert "unsafe" not in policy and page.headers["X-Frame-Options"] == "SAMEORIGIN"
    editing = admin.get(f"keys/widgets/{key.pk}/")
    assert "frame-src 'self'" in editing.headers["Content-Security-Policy"]
    assert "frame-src" not in admin.get("keys/").headers["Content-Security-Policy"]


def test_what_is_asked_is_answered_with_a_sample_and_stored_nowhere(admin, key):
    urls = boot_of(admin.get(path(key, "widget/frame?key=x")))["urls"]
    below = urls["commands"].split("/console/", 1)[1]
    people = EndUser.objects.count()

    def said(*frames):
        body = {"following": None, "frames": list(frames)}
        return admin.post(below, json.dumps(body), content_type="application/json").json()["frames"]

    assert said({"type": "open", "session": None, "after": 0})[0]["type"] == "opened"
    told = said({"type": "ask", "session": None, "id": "one", "text": "When?"})
    assert [frame["type"] for frame in told] == ["turn.accepted", "turn.query", "turn.completed"]
    assert [frame["seq"] for frame in told] == [1, 2, 3] and len({frame["session"] for frame in told}) == 1
    again = said({"type": "ask", "session": told[0]["session"], "id": "two", "text": "And?"})
    assert (again[0]["type"], again[0]["ref"]) == ("error", "two")
    assert admin.post(urls["token"].split("/console/", 1)[1]).json()["token"] == "a preview"
    assert not Session.objects.exists() and EndUser.objects.count() == people


def test_a_look_that_is_none_is_said_to_be_none(admin, key):
    page = admin.get(path(key, look={"accent": "red"}))
    assert "accent" in page.context["fault"].message and "widget.js" not in page.content.decode()
    for packed in ("%00", "A", "W10", "bnVsbA", "x" * 20_000):
        assert admin.get(f"keys/widgets/{key.pk}/preview/{packed}/").status_code == 200
    assert admin.get(path(key, "widget/frame", look={"accent": "red"})).status_code == 400
    assert admin.get(path(key, "api/secrets")).status_code == 404


def test_the_form_saves_the_launcher_too(admin, key):
    form = {"title": "Desk", "launcher_icon": "spark", "launcher_label": "Ask us", "launcher_open": "yes"}
    admin.post(f"keys/widgets/{key.pk}/", form)
    assert WidgetKey.objects.get().look == {"launcher": {"icon": "spark", "label": "Ask us", "open": True}}
    page = admin.get(f"keys/widgets/{key.pk}/").content.decode()
    assert f"preview/{look_packed(WidgetKey.objects.get().look)}/" in page


def test_a_faint_accent_is_said_to_be_faint_with_the_shade_that_is_shown(admin, key):
    path = f"keys/widgets/{key.pk}/contrast?accent=%23"
    assert admin.get(f"{path}ffe680").content.decode().count("a readable shade of it") == 1
    assert admin.get(f"{path}0d5560").content.decode().count("a readable shade of it") == 1
    assert "written as #rrggbb" in admin.get(f"{path}12").content.decode()
    assert [use.is_readable for use in accent_uses("#0d5560")] == [True, True, False]
    assert [use.is_readable for use in accent_uses("#ffe680")] == [True, False, True]
    assert accent_uses("red") == ()


@pytest.mark.parametrize("role", ["editor", "analyst"])
def test_who_may_not_manage_widgets_and_the_rival_see_no_preview(scoped, rival, key, browser, role):
    for rest in ("", "widget.js", "widget/frame", "api/token"):
        assert browser(scoped, role).get(path(key, rest)).status_code == 403
        assert browser(rival, "owner").get(path(key, rest)).status_code == 404
