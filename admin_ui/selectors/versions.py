"""Reading policies and prompts for their pages: where each stands, its versions, and one version against what is in force."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.paginator import Page, Paginator

from admin_ui.components import policy_form, prompt_form
from admin_ui.components.marks import Mark
from kernel.json import JsonObject
from kernel.problems import Problem, Severity
from tenants.models import Version, VersionKind, VersionState
from tenants.selectors.versions import (
    BUILT_IN,
    VersionSummary,
    published_of,
    staged_of,
    version_builtin,
    version_differences,
    version_summaries,
    versions_of,
)
from tenants.versioning.registry import Versioned, versioned_of
from tenants.versioning.validation import problems_of

ROWS_A_PAGE = 25
STATES: dict[str, Mark] = {
    VersionState.PUBLISHED: Mark("in force", "clean", "✓", "Every session runs under it."),
    VersionState.STAGED: Mark("tried", "busy", "◑", "A share of the sessions runs under it."),
    VersionState.DRAFT: Mark("draft", "offered", "○", "No session runs under it yet."),
    VersionState.RETIRED: Mark("retired", "evicted", "×", "Was in force or tried before."),
}


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version with its state; `note` says what its author wrote, or where it comes from."""

    version: Version
    mark: Mark
    note: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Which version of a policy or prompt is in force, and which is tried."""

    versioned: Versioned
    in_force: Version
    staged: Version | None


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of one field: what people call the field, and the element of the page that it is beside."""

    anchor: str
    label: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Content:
    """The data of one version as its page shows it: fields of a policy or texts of a prompt, and what differs."""

    groups: tuple[policy_form.Group, ...] = ()
    parts: tuple[prompt_form.Part, ...] = ()
    problems: tuple[Problem, ...] = ()
    elsewhere: tuple[Problem, ...] = ()

    @property
    def errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The errors that have a field, in the order of the form."""
        fields = [(one.anchor, one.label, one.problems) for group in self.groups for one in group.fields]
        fields += [(part.anchor, part.title, part.problems) for part in self.parts]
        return tuple(
            Fault(anchor, label, problem)
            for anchor, label, problems in fields
            for problem in problems
            if problem.severity is Severity.ERROR
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs from what is in force: settings as rows, texts as marked parts."""

    settings: tuple[policy_form.ChangedSetting, ...] = ()
    texts: tuple[prompt_form.MarkedPart, ...] = ()

    @property
    def total(self) -> int:
        return len(self.settings) + len(self.texts)


def standing_of(kind: str, name: str) -> Standing:
    """Raises `VersionedUnknown`."""
    versioned = versioned_of(kind, name)
    return Standing(versioned, published_of(kind, name) or version_builtin(versioned), staged_of(kind, name))


def prompt_summaries() -> tuple[VersionSummary, ...]:
    """Where every prompt stands, in one query."""
    return tuple(one for one in version_summaries() if one.versioned.kind == VersionKind.PROMPT)


def version_rows(kind: str, name: str, *, number: str) -> Page[Version]:
    """A page of the stored versions, newest first."""
    return Paginator(versions_of(kind, name), ROWS_A_PAGE).get_page(number)


def version_row(version: Version) -> VersionRow:
    mark = STATES[version.state]
    if version.number == BUILT_IN and version.state != VersionState.PUBLISHED:
        mark = Mark("not in force", mark.tone, mark.sign, "In force where nothing is published.")
    if version.state == VersionState.STAGED:
        mark = Mark(f"tried on {version.share} %", mark.tone, mark.sign, mark.help)
    return VersionRow(version, mark, version.note or _origin(version))


def version_content(version: Version, in_force: Version, data: JsonObject | None = None) -> Content:
    """The version's data, or `data` that somebody has typed for it, with everything that is wrong with it."""
    shown = version.data if data is None else data
    problems = problems_of(versioned_of(version.kind, version.name), shown)
    if version.kind == VersionKind.POLICY:
        groups = policy_form.policy_groups(shown, in_force.data, problems)
        return Content(groups=groups, problems=problems, elsewhere=policy_form.homeless(problems))
    parts = prompt_form.prompt_parts(version.name, shown, in_force.data, problems)
    return Content(parts=parts, problems=problems, elsewhere=prompt_form.homeless(version.name, problems))


def version_comparison(version: Version, in_force: Version) -> Comparison:
    kind, name = version.kind, version.name
    if kind == VersionKind.POLICY:
        changes = version_differences(kind, name, in_force.number, version.number)
        return Comparison(settings=policy_form.policy_changes(changes))
    return Comparison(texts=prompt_form.prompt_marks(name, in_force.data, version.data))


def can_roll_back(version: Version, in_force: Version) -> bool:
    """Whether it was in force before and is not now."""
    past = version.number == BUILT_IN or version.published_at is not None
    return past and version.number != in_force.number


def _origin(version: Version) -> str:
    if version.based_on is None:
        return "Without a note"
    return "From the built-in version" if version.based_on == BUILT_IN else f"From version {version.based_on}"
