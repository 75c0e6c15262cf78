"""docs/commands.md, from the parsers and the Makefile: `python -m tests.docs.commands_table` writes it anew."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.docs.generated import ROOT, Part

PART = Part("commands", "commands")
written = PART.written
OWN = ("config", "tenants", "retrieval", "conversations", "admin_ui")
_TARGET = re.compile(r"^([a-z][a-z-]*):(?!=)[^#\n]*(?:## (.*))?$", re.M)


@dataclass(frozen=True)
class Target:
    """A target of the Makefile and what it says of itself (empty when it says nothing)."""

    name: str
    about: str


def targets() -> tuple[Target, ...]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return tuple(Target(name, about or "") for name, about in _TARGET.findall(makefile))


def own_commands() -> tuple[str, ...]:
    """Names of the management commands that this product brings."""
    from django.core.management import get_commands

    return tuple(sorted(name for name, app in get_commands().items() if str(app).split(".")[0] in OWN))


def table() -> str:
    """Targets of make, processes of the installed product, and each command with its options."""
    from config.command import PROCESSES

    made = [f"| `make {target.name}` | {target.about} |" for target in targets()]
    run = [f"| `antecedent {name}` | {_line(inspect.getdoc(start))} |" for name, start in PROCESSES.items()]
    parts = [
        "\n".join(["## Make", "", "| target | does |", "|---|---|", *made]),
        "\n".join(["## Processes", "", "| process | does |", "|---|---|", *run]),
        "## Commands of manage.py",
        *(_section(name) for name in own_commands()),
    ]
    return "\n\n".join(parts)


def _section(name: str) -> str:
    from django.core.management import get_commands, load_command_class

    parser = load_command_class(str(get_commands()[name]), name).create_parser("manage.py", name)
    rows = [_row(action) for action in _own_actions(parser)]
    options = ["", "| argument | default | does |", "|---|---|---|", *rows] if rows else []
    return "\n".join([f"### {name}", "", f"`manage.py {name}`: {_line(parser.description)}", *options])


def _own_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """What the command adds to the arguments that every command of Django has."""
    from django.core.management.base import BaseCommand

    shared = {flag for a in BaseCommand().create_parser("", "")._actions for flag in a.option_strings}
    return (a for a in parser._actions if not set(a.option_strings) & (shared | {"--skip-checks"}))


def _row(action: argparse.Action) -> str:
    takes = f" {_takes(action)}" if action.nargs != 0 else ""
    told = f"{action.option_strings[-1]}{takes}" if action.option_strings else _takes(action)
    unset = action.default in (None, "", False) or action.default == argparse.SUPPRESS
    default = "" if unset else f"`{_relative(action.default)}`"
    return f"| `{told}` | {default} | {_line(action.help)} |".replace("|  |", "| |")


def _takes(action: argparse.Action) -> str:
    chosen = ", ".join(str(choice) for choice in action.choices) if action.choices else ""
    shown = chosen or str(action.metavar or action.dest.upper())
    return f"{shown} …" if action.nargs in ("+", "*") else shown


def _relative(value: object) -> str:
    """Defaults that are files are told from the root of the checkout."""
    return str(value).removeprefix(f"{ROOT}/")


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("%%", "%").replace("|", "\\|")


if __name__ == "__main__":
    PART.write(table)
