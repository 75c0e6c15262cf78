"""What a contaminating model costs, with the guard and without it. Prints a table and JSON.

    python tests/bench/contaminated.py [--items FILE --corpus FILE] [--manner contaminating] [--json OUT]

Starts a local OpenAI-compatible server that welds the loudest earlier entity on to every rewrite, and runs
`manage.py evaluate followups` against it: the message as typed and the default policy with the guard, then the default
policy without. `--manner` takes any other behaviour of that server's rewrites. Without items, the shipped sets are run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.fakes.model_server import model_server  # noqa: E402 - found through the line above

CEILING = 0.02
Figures = dict[str, dict[str, Any]]


def evaluated(url: str, chosen: argparse.Namespace, *options: str) -> dict[str, Figures]:
    """The figures of one run by strategy and stratum, "overall" last."""
    env = os.environ | {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "bench"}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, "manage.py", "evaluate", "followups", "--json", str(out), *options]
        for name in ("items", "corpus"):
            if getattr(chosen, name):
                command += [f"--{name}", str(getattr(chosen, name).resolve())]
        subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
        told = json.loads(out.read_text())["strategies"]
    return {name: {**one["strata"], "overall": one["overall"]} for name, one in told.items()}


def table(typed: Figures, guarded: Figures, bare: Figures) -> Table:
    shown = Table(title="a contaminating model", title_justify="left")
    shown.add_column("stratum")
    for column in ("as typed", "guarded", "no guard", "contaminated", "no guard ", "model calls"):
        shown.add_column(column, justify="right")
    for name, kept in guarded.items():
        recalls = (typed[name]["recall@5"], kept["recall@5"], bare[name]["recall@5"])
        spilled = (kept["contamination"], bare[name]["contamination"], kept["model_calls"])
        shown.add_row(name, *(f"{value:.3f}" for value in (*recalls, *spilled)))
    return shown


def held(typed: Figures, guarded: Figures) -> bool:
    """Contamination under the ceiling, and recall no lower than that of the message as typed in any stratum."""
    recall = all(guarded[name]["recall@5"] >= typed[name]["recall@5"] for name in guarded)
    return recall and guarded["overall"]["contamination"] <= CEILING


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=Path)
    options.add_argument("--corpus", type=Path)
    options.add_argument("--manner", default="contaminating")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    with model_server(chosen.manner) as server:
        guarded = evaluated(server.url, chosen, "--strategy", "typed", "liveness")
        bare = evaluated(server.url, chosen, "--strategy", "liveness", "--no-guard")
    figures = (guarded["typed"], guarded["liveness"], bare["liveness"])
    Console(width=None if sys.stdout.isatty() else 120).print(table(*figures))
    print("held" if held(*figures[:2]) else "NOT held")
    if chosen.json:
        named = dict(zip(("typed", "guarded", "bare"), figures, strict=True))
        chosen.json.write_text(json.dumps({"manner": chosen.manner, **named}, indent=2))
    return 0 if held(*figures[:2]) else 1


if __name__ == "__main__":
    sys.exit(main())
