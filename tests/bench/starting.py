"""How long `make demo` takes from a clean clone, and the second time. Prints a table and JSON.

    python tests/bench/starting.py [--json OUT] [--cold]

Clones the repository into an empty folder, runs `make demo` until its ready line, fetches the chat page, stops it
with Ctrl-C, and does the same again. `--cold` gives the installer an empty cache, as on a new machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT_SECONDS = 600


def demo(folder: Path, env: dict[str, str]) -> float:
    """Seconds from the command to a served chat page."""
    started = time.monotonic()
    process = subprocess.Popen(
        ["make", "demo", "PORT=8790"],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        url = _ready(process, started)
        with urllib.request.urlopen(f"{url}t/nimbus/chat/", timeout=30) as page:
            assert page.status == 200
        return time.monotonic() - started
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)


def _ready(process: subprocess.Popen[str], started: float) -> str:
    seen: list[str] = []
    for line in process.stdout:
        seen.append(line)
        if found := re.search(r"Antecedent is ready: (http://\S+)", line):
            return found[1]
        if time.monotonic() - started > LIMIT_SECONDS:
            break
    raise SystemExit("make demo did not get ready:\n" + "".join(seen[-40:]))


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--json")
    options.add_argument("--cold", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="antecedent-bench-") as scratch:
        Path(scratch).chmod(0o711)
        folder = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        env = {
            k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "VALKEY_URL", "ANTECEDENT_STATE"}
        }
        if chosen.cold:
            env |= {"UV_CACHE_DIR": f"{scratch}/uv", "PIP_CACHE_DIR": f"{scratch}/pip"}
        figures = {"first_s": round(demo(folder, env), 1), "second_s": round(demo(folder, env), 1)}
    print(f"make demo to a served page: first {figures['first_s']} s, second {figures['second_s']} s")
    if chosen.json:
        Path(chosen.json).write_text(json.dumps({**figures, "cold_cache": chosen.cold}))


if __name__ == "__main__":
    sys.exit(main())
