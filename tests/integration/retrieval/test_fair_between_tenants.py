"""With a real worker: thousands of documents of one tenant do not hold up the single one of another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "fair_ingest.py"


@pytest.mark.takes(20)
@pytest.mark.slow
def test_a_single_document_is_ready_before_three_percent_of_anothers_backlog(tmp_path):
    out = tmp_path / "figures.json"
    command = [sys.executable, SCRIPT, "--documents", "5000", "--json", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert figures["left"] > 4000, figures
    assert figures["share_meanwhile"] < 0.03, figures
    assert figures["messages_in_broker_at_most"] <= 2, figures
