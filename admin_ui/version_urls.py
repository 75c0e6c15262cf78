"""Addresses of policies and prompts in the tenant console: the same pages below `policy/` and below each prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, path

from admin_ui.sites import console
from admin_ui.views import versions
from conversations.selectors.in_force import SCOPE
from tenants.models import VersionKind

_OF_ONE = (
    ("", versions.versions, "console-versions"),
    ("draft", versions.draft, "console-version-draft"),
    ("<int:number>/", versions.version, "console-version"),
    ("<int:number>/edit", versions.edit, "console-version-edit"),
    ("<int:number>/check", versions.check, "console-version-check"),
    ("<int:number>/publish", versions.publish, "console-version-publish"),
    ("<int:number>/roll-back", versions.roll_back, "console-version-roll-back"),
    ("<int:number>/stage", versions.stage, "console-version-stage"),
    ("<int:number>/stage-end", versions.stage_end, "console-version-stage-end"),
    ("<int:number>/discard", versions.discard, "console-version-discard"),
)


def _paths(below: str, fixed: dict[str, Any]) -> Iterator[URLPattern]:
    for address, view, name in _OF_ONE:
        yield path(f"{below}{address}", console.admin_view(view), fixed, name=name)


_POLICY = {"kind": VersionKind.POLICY.value, "name": SCOPE}
version_paths = [
    path("policy/", console.admin_view(versions.versions), _POLICY, name="console-policy"),
    path("prompts/", console.admin_view(versions.prompts), name="console-prompts"),
    *_paths("policy/", _POLICY),
    *_paths("prompts/<slug:name>/", {"kind": VersionKind.PROMPT.value}),
]
