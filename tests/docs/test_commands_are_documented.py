"""docs/commands.md lists every target of make and every command as they are, and no page names one that is not."""

from __future__ import annotations

import re

import pytest
from django.core.management import get_commands

from tests.docs.commands_table import ROOT, own_commands, table, targets, written

PAGES = [ROOT / "README.md", ROOT / "demo/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# A name counts where a page shows code: in a block, or between backticks.
_CODE = re.compile(r"```.*?\n(.*?)```|`([^`\n]+)`", re.S)
_MAKE = re.compile(r"(?:^|[\s;&])make ([a-z][a-z-]*)")
_MANAGE = re.compile(r"manage\.py ([a-z_]+)")


def code_of(text: str) -> str:
    return "\n".join(block or inline for block, inline in _CODE.findall(text))


def test_the_page_is_what_the_code_says():
    assert written() == table(), "run `python -m tests.docs.commands_table`"


def test_every_target_says_what_it_does():
    assert [target.name for target in targets() if len(target.about) < 10] == []


def test_it_knows_the_commands_that_a_newcomer_meets():
    assert {"up", "evaluate", "scenario", "audit_verify"} <= set(own_commands())
    assert {"demo", "test", "docs"} <= {target.name for target in targets()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_exists(page):
    code = code_of(page.read_text(encoding="utf-8"))
    assert set(_MAKE.findall(code)) <= {target.name for target in targets()}
    assert set(_MANAGE.findall(code)) <= set(get_commands())


def test_a_command_that_is_not_there_would_be_found():
    code = code_of("Run `make coffee`, then\n```sh\n.venv/bin/python manage.py brew --strong\n```\n")
    assert (_MAKE.findall(code), _MANAGE.findall(code)) == (["coffee"], ["brew"])
