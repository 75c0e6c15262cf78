"""Real workers, killed again and again, leave every document with exactly its chunks, once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "ingest_with_kills.py"


@pytest.mark.takes(35)
@pytest.mark.slow
def test_documents_whose_workers_are_killed_have_their_chunks_once(tmp_path):
    out = tmp_path / "figures.json"
    command = [
        sys.executable,
        SCRIPT,
        "--documents",
        "60",
        "--kills",
        "3",
        "--lease",
        "3",
        "--quick",
        "--json",
        out,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    figures = json.loads(out.read_text()) if out.exists() else done.stderr
    assert done.returncode == 0, figures
    assert (figures["documents"], figures["kills"], figures["wrong"]) == (60, 3, {})
    assert figures["chunks"] > 60
