"""Addresses of evaluations in the tenant console, below `evaluations/`."""

from __future__ import annotations

from django.urls import path

from admin_ui.sites import console
from admin_ui.views import evaluation_runs as runs
from admin_ui.views import evaluations as sets

_SET, _ITEM = "evaluations/sets/<uuid:set_id>/", "evaluations/sets/<uuid:set_id>/items/<uuid:item_id>"
_RUN = "evaluations/<uuid:run_id>/"
_PAGES = (
    ("evaluations/", sets.sets, "console-evaluations"),
    ("evaluations/sets/new", sets.set_new, "console-followup-set-new"),
    (_SET, sets.followup_set, "console-followup-set"),
    (f"{_SET}change", sets.set_change, "console-followup-set-change"),
    (f"{_SET}delete", sets.set_delete, "console-followup-set-delete"),
    (f"{_SET}upload", sets.set_upload, "console-followup-set-upload"),
    (f"{_SET}download", sets.set_download, "console-followup-set-download"),
    (f"{_SET}items/new", sets.item_new, "console-followup-item-new"),
    (f"{_SET}items/add", sets.item_save, "console-followup-item-add"),
    (f"{_ITEM}/", sets.item, "console-followup-item"),
    (f"{_ITEM}/save", sets.item_save, "console-followup-item-save"),
    (f"{_ITEM}/delete", sets.item_delete, "console-followup-item-delete"),
    ("evaluations/turns/<uuid:turn_id>/add", sets.grow, "console-followup-grow"),
    ("evaluations/all", runs.runs, "console-evaluations-all"),
    ("evaluations/new", runs.new, "console-evaluation-new"),
    ("evaluations/start", runs.start, "console-evaluation-start"),
    ("evaluations/gates", runs.gates, "console-evaluation-gates"),
    ("evaluations/gates/save", runs.gates_save, "console-evaluation-gates-save"),
    (_RUN, runs.run, "console-evaluation"),
    (f"{_RUN}cancel", runs.cancel, "console-evaluation-cancel"),
    (f"{_RUN}delete", runs.delete, "console-evaluation-delete"),
    (f"{_RUN}against/<uuid:before_id>/", runs.compare, "console-evaluation-compare"),
)
evaluation_paths = [path(address, console.admin_view(view), name=name) for address, view, name in _PAGES]
