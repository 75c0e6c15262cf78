"""What MkDocs is told beside mkdocs.yml: pages that lie next to the code they describe, and links into the code.

On a page of docs/ a link such as `../conversations/domain/turn.py` leads into the checkout. The site is read without
one, so the name stays and the link goes; a link to a file that does not exist is a warning, which `--strict` makes an
error. Pages written beside the code are taken into the site under a name of their own.
"""

from __future__ import annotations

import logging
import os
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
BESIDE_THE_CODE = {
    "changelog.md": "CHANGELOG.md",
    "demo.md": "demo/README.md",
    "follow-up-sets.md": "conversations/evaluation/sets/README.md",
    "protocol.md": "conversations/widget/docs/protocol.md",
    "runbook.md": "deploy/runbook.md",
    "security.md": "SECURITY.md",
}
_PAGE_OF = {source: page for page, source in BESIDE_THE_CODE.items()}
_LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\((?![a-z]+:|#)([^)#\s]*)(#[^)\s]*)?\)")
_log = logging.getLogger("mkdocs.hooks.antecedent")


def on_files(files: Files, config: Any) -> Files:
    from mkdocs.structure.files import File

    for page, source in BESIDE_THE_CODE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    folder = posixpath.dirname(BESIDE_THE_CODE.get(page.file.src_uri, f"docs/{page.file.src_uri}"))
    return _LINK.sub(lambda found: _led(found, folder, page.file.src_uri), markdown)


def _led(found: re.Match[str], folder: str, page: str) -> str:
    """The link as the site has it."""
    label, path, anchor = found[1], found[2], found[3] or ""
    target = posixpath.normpath(posixpath.join(folder, path))
    if target in _PAGE_OF:
        return f"[{label}]({_PAGE_OF[target]}{anchor})"
    if target.startswith("docs/"):
        return f"[{label}]({os.path.relpath(target, 'docs')}{anchor})"
    if not (ROOT / target).exists():
        _log.warning("%s links to %s, which does not exist", page, target)
    return label if "`" in label or " " in label else f"`{label}`"
