"""Addresses of what-if replays in the tenant console."""

from __future__ import annotations

from django.urls import path

from admin_ui.sites import console
from admin_ui.views import what_if

what_if_paths = [
    path("what-if/", console.admin_view(what_if.what_ifs), name="console-what-ifs"),
    path("what-if/new", console.admin_view(what_if.new), name="console-what-if-new"),
    path("what-if/run", console.admin_view(what_if.run), name="console-what-if-run"),
    path("what-if/estimate", console.admin_view(what_if.estimated), name="console-what-if-estimate"),
    path("what-if/<uuid:replay_id>/", console.admin_view(what_if.what_if), name="console-what-if"),
    path(
        "what-if/<uuid:replay_id>/cancel", console.admin_view(what_if.cancel), name="console-what-if-cancel"
    ),
    path("what-if/<uuid:replay_id>/keep", console.admin_view(what_if.keep), name="console-what-if-keep"),
    path(
        "what-if/<uuid:replay_id>/publish",
        console.admin_view(what_if.publish),
        name="console-what-if-publish",
    ),
]
