"""The chat frame's own modules, run by node, and what the frame promises about its size and its safety."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conversations.widget import packing

HERE = Path(__file__).parent
WIDGET = HERE.parents[2] / "conversations" / "widget"
STATIC = WIDGET / "static" / "widget"
LOADER_BUDGET = 4_000
BUDGET = 30_000
"""Bytes, gzipped one file at a time, of everything that a site's visitor loads in English."""

LANGUAGES = sorted(path.stem for path in (STATIC / "texts").glob("*.js"))
TEMPLATES = [WIDGET / "templates" / "widget" / name for name in ("frame.html", "icons.html")]
node = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed: the JavaScript tests need it"
)


def packed(name: str) -> int:
    asset = packing.asset(name)
    assert asset is not None, name
    return len(asset.zipped)


@node
@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_it_passes_its_javascript_tests(name: str) -> None:
    done = subprocess.run(["node", "--test", name], cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.findall(r"^# pass (\d+)", done.stdout, re.M)[0]) > 0


@node
@pytest.mark.parametrize("name", [*packing.ENTRIES, "loader.js"])
def test_a_packed_file_is_a_program(name: str, tmp_path: Path) -> None:
    asset = packing.asset(name)
    assert asset is not None
    program = tmp_path / f"{Path(name).stem}.mjs"
    program.write_bytes(asset.body)
    done = subprocess.run(["node", "--check", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.findall(rb'^import .* from "\./', asset.body, re.M)


def test_the_loader_stays_within_its_size() -> None:
    assert packed("loader.js") < LOADER_BUDGET


def test_everything_together_stays_within_its_size_in_english() -> None:
    files = {name: packed(name) for name in ("loader.js", "frame.js", "chat.js", "chat.css", "texts/en.js")}
    files |= {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in TEMPLATES}
    assert sum(files.values()) < BUDGET, files


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_much_larger_than_english(language: str) -> None:
    assert packed(f"texts/{language}.js") < packed("texts/en.js") + 700


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        (".a > .b { margin: 0.5rem -0.25em 10.5px; }", ".a>.b{margin:.5rem -.25em 10.5px}"),
        ("p { width: calc(50% - 20px); opacity: 0 }", "p{width:calc(50% - 20px);opacity:0}"),
        (
            "@media (min-width: 900px) {\n  b, i { color: rgb(0 0 0 / 0.1); }\n}",
            "@media (min-width:900px){b,i{color:rgb(0 0 0 / .1)}}",
        ),
    ],
)
def test_styles_are_packed_without_changing_what_they_say(written: str, sent: str) -> None:
    assert packing._tight_style(written) == sent


def test_the_loaders_own_style_is_packed_too() -> None:
    loader = packing.asset("loader.js")
    assert loader is not None
    [style] = re.findall(rb"const STYLE=`([^`]*)`", loader.body)
    assert style.startswith(b"button{all:unset;") and b"\n" not in style and b"; " not in style


@pytest.mark.parametrize("name", ["frame.js", "chat.js"])
def test_nothing_in_the_frame_depends_on_a_form(name: str) -> None:
    """A page around it with a `sandbox` forbids those unless it says `allow-forms`, and no event tells."""
    asset = packing.asset(name)
    assert asset is not None
    assert not re.findall(rb'"form"|onsubmit|requestSubmit|type:"submit"', asset.body)


def test_only_the_frames_own_files_are_served() -> None:
    for name in ("../../apps.py", "turn.js", "texts/xx.js", "texts/../chat.js", "mark.svg", ""):
        assert packing.asset(name) is None


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.name)
def test_it_never_builds_markup_or_code_from_strings(path: Path) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc"
    )
    assert not re.findall(forbidden, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(WIDGET.rglob("*.html")), ids=lambda path: path.name)
def test_its_templates_need_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"\sstyle=|<style|\son[a-z]+=|javascript:|https?://", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_it_touches_storage_only_behind_a_guard(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name == "early.js":
        text = re.sub(r"try \{.*?\} catch", "", text, flags=re.S)
    if path.name == "store.js":
        opened = [line for line in text.splitlines() if "store(inTab)" in line]
        assert opened and all("tried(() =>" in line for line in opened)
        return
    assert "localStorage" not in text
    assert "sessionStorage" not in text


def test_it_has_every_icon_that_it_draws() -> None:
    drawn = set[str]()
    for path in STATIC.glob("*.js"):
        drawn |= set(re.findall(r'(?:icon|iconButton)\("([a-z-]+)"', path.read_text(encoding="utf-8")))
    templates = (WIDGET / "templates" / "widget").glob("*.html")
    sprites = "".join(path.read_text(encoding="utf-8") for path in templates)
    assert drawn
    assert drawn <= set(re.findall(r'id="i-([a-z-]+)"', sprites))
