"""The page of one version: a draft's editor, or what a fixed version says, and what may be done with it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from admin_ui import access
from admin_ui.components.policy_form import PAIR_BOUNDS, Shown
from admin_ui.components.prompt_form import Part
from admin_ui.selectors import versions as read
from admin_ui.sites import console
from conversations.services.evaluation_gates import publication_gate
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.models import Version, VersionState
from tenants.selectors.versions import BUILT_IN
from tenants.services.versions import LONGEST_NOTE

UNPUBLISHED = (VersionState.DRAFT, VersionState.STAGED)


def version_page(
    request: HttpRequest,
    version: Version,
    *,
    typed: JsonObject | None = None,
    fault: DomainError | None = None,
) -> HttpResponse:
    """`typed` is what somebody could not save, and `fault` why not."""
    standing = read.standing_of(version.kind, version.name)
    is_draft, edits = version.state == VersionState.DRAFT, access.edits_versions(request)
    title = (
        "Built in" if version.number == BUILT_IN else f"{'Draft' if is_draft else 'Version'} {version.number}"
    )
    context = console.page_context(
        request,
        title,
        standing=standing,
        row=read.version_row(version),
        version=version,
        content=read.version_content(version, standing.in_force, typed),
        comparison=read.version_comparison(version, standing.in_force),
        is_current=version.number == standing.in_force.number,
        is_draft=is_draft,
        is_outdated=version.number < standing.in_force.number,
        is_editable=is_draft and edits,
        can_roll_back=read.can_roll_back(version, standing.in_force),
        edits=edits,
        publishes=access.publishes_versions(request),
        bounds=PAIR_BOUNDS,
        longest_note=LONGEST_NOTE,
        note=request.POST.get("note", version.note),
        fault=fault,
        gate=publication_gate(version) if version.state in UNPUBLISHED else None,
        unsaved=typed is not None,
    )
    return render(
        request, "admin_ui/versions/version.html", context, status=fault.http_status if fault else 200
    )


def check_answer(request: HttpRequest, version: Version, data: JsonObject) -> HttpResponse:
    """By the path of a field: its problems as HTML, whether it differs, and the tokens of a text."""
    standing = read.standing_of(version.kind, version.name)
    content = read.version_content(version, standing.in_force, data)
    fields = [field for group in content.groups for field in group.fields]
    answer = {
        one.path: {**_told(one), "pairs": [pair.name for pair in one.pairs if pair.wrong]} for one in fields
    }
    for part in content.parts:
        places = {place.sign: place.used for place in part.places}
        answer[part.path] = {**_told(part), "tokens": part.tokens, "places": places}
    summary = render_to_string("admin_ui/versions/summary.html", {"content": content})
    return JsonResponse({"fields": answer, "summary": summary})


def _told(shown: Shown | Part) -> JsonObject:
    html = render_to_string("admin_ui/versions/problems.html", {"problems": shown.problems})
    return {"differs": shown.differs, "wrong": shown.wrong, "html": html}
