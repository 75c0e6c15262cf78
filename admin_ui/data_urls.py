"""Addresses of data in the tenant console, below `data/`: retention, archives, people, receipts."""

from __future__ import annotations

from django.urls import path

from admin_ui.sites import console
from admin_ui.views import data, person_data

_PERSON, _ARCHIVE = "data/people/<uuid:end_user_id>/", "data/archives/<uuid:export_id>/"
_PAGES = (
    ("data/", data.data, "console-data"),
    ("data/retention", data.retention, "console-data-retention"),
    (_PERSON, person_data.person, "console-person-data"),
    (f"{_PERSON}archive", person_data.archive, "console-person-archive"),
    (f"{_PERSON}erase", person_data.erase, "console-person-erase"),
    ("data/erasures/<uuid:erasure_id>/", person_data.erasure, "console-erasure"),
    ("data/archives/new", person_data.archive_of_all, "console-archive-new"),
    (f"{_ARCHIVE}file", person_data.archive_file, "console-archive-file"),
    (f"{_ARCHIVE}delete", person_data.archive_delete, "console-archive-delete"),
)

data_paths = [path(route, console.admin_view(view), name=name) for route, view, name in _PAGES]
