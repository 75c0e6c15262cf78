"""The doors of follow-up sets: the list, a set with its items, an item's form, loading and taking away, growing."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from admin_ui.asked import choice_asked, uuid_or_none
from admin_ui.components import evaluations as shown
from admin_ui.permits import access_permitted, may
from admin_ui.sites import console
from conversations.errors import SetRefused
from conversations.evaluation.entries import MOST_BYTES, lines_of
from conversations.selectors import evaluations as read
from conversations.services import evaluation_sets as services
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.roles import May

PER_PAGE, RUNS_SHOWN = 25, 8


@require_GET
def sets(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    page = Paginator(read.sets_list(), PER_PAGE).get_page(request.GET.get("page", "1"))
    runs = [(run, shown.state_marks(run)) for run in read.runs_list()[:RUNS_SHOWN]]
    gates = read.gates_now()
    context = console.page_context(
        request,
        "Evaluations",
        page=page,
        sets=page,
        runs=runs,
        gates=gates,
        evaluates=may(request, May.RUN_EVALUATIONS),
    )
    return render(request, "admin_ui/evaluations/list.html", context)


@require_POST
def set_new(request: HttpRequest) -> HttpResponse:
    user = access_permitted(request, May.RUN_EVALUATIONS)
    try:
        made = services.set_create(
            name=request.POST.get("name", ""), note=request.POST.get("note", ""), by=user.pk
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-evaluations")
    return redirect("console-followup-set", made.pk)


@require_GET
def followup_set(request: HttpRequest, set_id: UUID) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    return _set_page(request, set_id)


def _set_page(request: HttpRequest, set_id: UUID, refused: SetRefused | None = None) -> HttpResponse:
    """Items quote conversations and documents, so that who only reads reports is told their strata alone."""
    evaluates = may(request, May.RUN_EVALUATIONS)
    found, strata = read.access_set(set_id), read.strata_of(set_id)
    stratum = choice_asked(request.GET, "stratum", {name for name, _ in strata})
    page = Paginator(read.items_list(set_id, stratum=stratum), PER_PAGE).get_page(
        request.GET.get("page", "1")
    )
    context = console.page_context(
        request,
        found.name,
        set=found,
        strata=strata,
        stratum=stratum,
        page=page,
        refused=refused,
        evaluates=evaluates,
    )
    return render(request, "admin_ui/evaluations/set.html", context, status=400 if refused else 200)


@require_POST
def set_change(request: HttpRequest, set_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    name, note = request.POST.get("name", ""), request.POST.get("note", "")

    def act() -> str:
        services.set_change(set_id=set_id, name=name, note=note)
        return "Saved."

    return _acted(request, act, reverse("console-followup-set", args=[set_id]))


@require_POST
def set_delete(request: HttpRequest, set_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)

    def act() -> str:
        services.set_delete(set_id=set_id)
        return "The set is deleted, with its evaluations."

    back = reverse("console-followup-set", args=[set_id])
    return _acted(request, act, reverse("console-evaluations"), failed=back)


@require_POST
def set_upload(request: HttpRequest, set_id: UUID) -> HttpResponse:
    """`file` of JSON lines; with `replace=yes` everything that the set holds goes."""
    access_permitted(request, May.RUN_EVALUATIONS)
    file, replace = request.FILES.get("file"), request.POST.get("replace") == "yes"
    data = file.read(MOST_BYTES + 1) if file is not None else b""
    try:
        count = services.set_import(set_id=set_id, data=data, replace=replace)
    except SetRefused as error:
        return _set_page(request, set_id, error)
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"{count} item{'' if count == 1 else 's'} loaded.")
    return redirect("console-followup-set", set_id)


@require_GET
def set_download(request: HttpRequest, set_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    read.access_set(set_id)
    text = "".join(lines_of(read.entries_of(set_id)))
    response = HttpResponse(text, content_type="application/x-ndjson")
    response.headers["Content-Disposition"] = 'attachment; filename="followup-set.jsonl"'
    return response


@require_GET
def item_new(request: HttpRequest, set_id: UUID) -> HttpResponse:
    """An empty form, or with `turn` one that is filled from a turn."""
    access_permitted(request, May.RUN_EVALUATIONS)
    turn = uuid_or_none(request.GET.get("turn", ""))
    line: JsonObject = services.line_from_turn(turn) if turn else {}
    return _item_form(request, set_id, shown.item_fields(line), turn=turn)


@require_GET
def item(request: HttpRequest, set_id: UUID, item_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    found = read.access_item(set_id, item_id)
    return _item_form(request, set_id, shown.item_fields(read.entry_from(found).to_line()), item=found)


def _item_form(
    request: HttpRequest,
    set_id: UUID,
    fields: dict[str, str],
    *,
    fault: SetRefused | None = None,
    **more: object,
) -> HttpResponse:
    title = "Item" if more.get("item") else "New item"
    context = console.page_context(
        request,
        title,
        set=read.access_set(set_id),
        fields=fields,
        fault=fault,
        strata=read.strata_of(set_id),
        **more,
    )
    return render(request, "admin_ui/evaluations/item.html", context, status=400 if fault else 200)


@require_POST
def item_save(request: HttpRequest, set_id: UUID, item_id: UUID | None = None) -> HttpResponse:
    """The whole form, with `turn` where it was filled from one. With a mistake it comes back as it was typed."""
    access_permitted(request, May.RUN_EVALUATIONS)
    before = read.access_item(set_id, item_id) if item_id else None
    line = shown.item_line(request.POST, read.entry_from(before).to_line() if before else None)
    turn = uuid_or_none(request.POST.get("turn", ""))
    try:
        if item_id:
            services.item_edit(set_id=set_id, item_id=item_id, line=line)
        else:
            services.item_add(set_id=set_id, line=line, origin_id=turn)
    except SetRefused as error:
        return _item_form(request, set_id, shown.item_fields(line), fault=error, item=before, turn=turn)
    except DomainError as error:
        messages.error(request, error.message)
        return _item_form(request, set_id, shown.item_fields(line), item=before, turn=turn)
    messages.success(request, "The item is saved.")
    return redirect("console-followup-set", set_id)


@require_POST
def item_delete(request: HttpRequest, set_id: UUID, item_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)

    def act() -> str:
        services.item_delete(set_id=set_id, item_id=item_id)
        return "The item is deleted."

    return _acted(request, act, reverse("console-followup-set", args=[set_id]))


@require_POST
def grow(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Make a turn an item of `set`: the id of one, "new" for one with this `name`, nothing for the set for turns. Where
    nothing was cited, the form asks for gold."""
    user = access_permitted(request, May.RUN_EVALUATIONS)
    try:
        set_id = _set_wanted(request.POST, by=user.pk)
        made = services.item_grow(turn_id=turn_id, set_id=set_id, by=user.pk)
    except SetRefused:
        wanted = set_id or services.set_for_turns(by=user.pk).pk
        messages.info(request, "Nothing was cited in this turn. Say which passage should have come back.")
        return redirect(f"{reverse('console-followup-item-new', args=[wanted])}?turn={turn_id}")
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-evaluations")
    messages.success(request, f"It is an item of “{made.of_set}” now. Look at what should come back.")
    return redirect("console-followup-item", made.of_set_id, made.pk)


def _set_wanted(posted: QueryDict, *, by: int) -> UUID | None:
    """The set to add to, made where there is none of this name. Raises `Invalid` for a name that is none."""
    name = posted.get("name", "").strip()
    if posted.get("set") == "new" and name:
        known = read.sets_named().filter(name=name).first()
        return (known or services.set_create(name=name, by=by)).pk
    return uuid_or_none(posted.get("set", ""))


def _acted(request: HttpRequest, act: Callable[[], str], to: str, *, failed: str = "") -> HttpResponse:
    try:
        messages.success(request, act())
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(failed or to)
    return redirect(to)
