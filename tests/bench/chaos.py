"""Turns and ingests while every part of the platform is killed, paused, slowed and filled at random. Prints a table and JSON.

    python tests/bench/chaos.py [--turns 500] [--ingests 200] [--seed 7] [--json OUT]

Starts `manage.py up --seed demo` with a model provider of its own. People chat over sockets and a program uploads
documents; each sends again with the same id until it has heard that its message is stored, as the widget and the REST
API ask of a client. Meanwhile one part after another is killed (SIGKILL) or paused (SIGSTOP) and the model provider is
slowed. At the end, when nothing is disturbed any more, the database is read past the wall: whatever was acknowledged
must be there, finished, and once. Exits with 1 when something is lost, doubled or not well again.

As root the folder of uploaded files lies on a small file system of its own, which is filled as well: an upload that
finds no room is refused, and sent again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from embedded import ports  # noqa: E402
from tests.bench.chaos_clients import Chats, Uploads  # noqa: E402
from tests.bench.chaos_disk import Disk  # noqa: E402
from tests.bench.chaos_monkey import Model, Monkey, well_again  # noqa: E402
from tests.bench.chaos_verdict import Verdict, judged  # noqa: E402
from tests.browser.conftest import Platform, running_platform  # noqa: E402


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=int, default=500)
    options.add_argument("--ingests", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    model = Model(ports.next_free(8900))
    settings = {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
        "OPENAI_API_KEY": "local",  # pragma: allowlist secret
        "QUOTA_END_USER_TURNS_PER_MINUTE": "0",
        "QUOTA_KEY_REQUESTS_PER_MINUTE": "0",
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        model,
        running_platform(Path(folder) / "platform.log", port=8795, settings=settings) as platform,
        Disk(platform.state / "blobs") as disk,
    ):
        figures, verdict = asyncio.run(run(platform, model, disk, chosen))
    show(figures, verdict)
    if chosen.json:
        chosen.json.write_text(json.dumps({**figures, "verdict": asdict(verdict)}, indent=2))
    sys.exit(0 if verdict.is_good and not figures["half_written"] else 1)


async def run(
    platform: Platform, model: Model, disk: Disk, chosen: argparse.Namespace
) -> tuple[dict[str, Any], Verdict]:
    chats, uploads = Chats(platform, chosen.turns), Uploads(platform, chosen.ingests)
    monkey = Monkey(platform, model, disk, chosen.seed)
    progress = asyncio.create_task(_progress(chats, uploads, monkey))
    disturbing = asyncio.create_task(monkey.disturb())
    await asyncio.gather(chats.run(), uploads.run())
    await monkey.calm(disturbing)
    seconds_to_well = await well_again(platform, chats.acknowledged, uploads.acknowledged)
    progress.cancel()
    figures = {
        "turns": len(chats.acknowledged),
        "ingests": len(uploads.acknowledged),
        "faults": monkey.counts,
        "sent_again": dict(chats.sent_again + uploads.sent_again),
        "connections": chats.connections,
        "well_again_s": seconds_to_well,
        "half_written": len(disk.half_written()),
    }
    return figures, judged(
        platform.rows, chats.acknowledged, uploads.acknowledged, well=seconds_to_well is not None
    )


async def _progress(chats: Chats, uploads: Uploads, monkey: Monkey) -> None:
    while sys.stderr.isatty():
        await asyncio.sleep(5)
        print(
            f"{len(chats.acknowledged)} turns, {len(uploads.acknowledged)} documents, {sum(monkey.counts.values())} faults",
            file=sys.stderr,
        )


def show(figures: dict[str, Any], verdict: Verdict) -> None:
    faults = Table("fault", "times")
    for fault, times in sorted(figures["faults"].items()):
        faults.add_row(fault, str(times))
    outcome = Table("", "turns", "documents")
    outcome.add_row("acknowledged", str(figures["turns"]), str(figures["ingests"]))
    outcome.add_row("lost", str(len(verdict.lost_turns)), str(len(verdict.lost_documents)))
    outcome.add_row("doubled", str(len(verdict.doubled_turns)), str(len(verdict.doubled_documents)))
    outcome.add_row(
        "not finished", str(len(verdict.unfinished_turns)), str(len(verdict.unfinished_documents))
    )
    out = Console()
    out.print(faults)
    out.print(outcome)
    out.print(
        f"sent again: {figures['sent_again'] or 'never'}; {figures['connections']} connections; "
        f"well again by itself after {figures['well_again_s']} s; {figures['half_written']} files half written"
    )


if __name__ == "__main__":
    main()
