"""Turns and ingests while every part of the platform is killed, paused, slowed and filled. Prints a table and JSON.

    python tests/bench/chaos.py [--turns 500] [--ingests 200] [--seed 7] [--only WORDS] [--json OUT] [--log OUT]

Starts `manage.py up --seed demo` with a model provider of its own. People chat over sockets and a program uploads
documents; each sends again with the same id until it has heard that its message is stored, as the widget and the REST
API ask of a client. Meanwhile web, worker, PostgreSQL, Valkey and the model provider are killed (SIGKILL), paused (SIGSTOP)
and slowed (to a fifth of their time), each in random order and each at least once: so many turns and ingests are the
least, and they go on until the last fault has come up. At the end, when nothing is disturbed any more, the database is
read past the wall: whatever was acknowledged must be there, finished, and once. Exits with 1 when something is lost,
doubled or not well again.

As root the uploaded files, PostgreSQL's data, its write-ahead log and Valkey's append-only file lie each on a small file
system of its own, which is filled and slowed as well: whatever finds no room is refused, and sent again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from config.measuring import ended_in_order  # noqa: E402
from embedded import ports  # noqa: E402
from tests.bench.chaos_clients import Chats, Uploads  # noqa: E402
from tests.bench.chaos_disk import Disks  # noqa: E402
from tests.bench.chaos_monkey import Model, Monkey  # noqa: E402
from tests.bench.chaos_recovery import well_again  # noqa: E402
from tests.bench.chaos_verdict import Verdict, judged  # noqa: E402
from tests.browser.conftest import Platform, running_platform  # noqa: E402


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--turns", type=int, default=500)
    options.add_argument("--ingests", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--only", default="", help="faults whose name holds this, such as “disk of Valkey”")
    options.add_argument("--json", type=Path)
    options.add_argument("--log", type=Path, help="where the platform's own log is kept")
    chosen = options.parse_args()
    model, disks = Model(ports.next_free(8900)), Disks()
    settings = {
        "OPENAI_BASE_URL": f"http://127.0.0.1:{model.port}/v1",
        "OPENAI_API_KEY": "local",  # pragma: allowlist secret
        "QUOTA_END_USER_TURNS_PER_MINUTE": "0",
        "QUOTA_KEY_REQUESTS_PER_MINUTE": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "platform.log"
        try:
            with (
                ended_in_order(),
                model,
                running_platform(log, port=8795, settings=settings, prepared=disks.laid) as platform,
            ):
                figures, verdict = asyncio.run(run(platform, model, disks, chosen))
        finally:
            if chosen.log and log.exists():
                shutil.copyfile(log, chosen.log)
    show(figures, verdict)
    if chosen.json:
        chosen.json.write_text(json.dumps({**figures, "verdict": asdict(verdict)}, indent=2))
    sys.exit(0 if verdict.is_good and not figures["half_written"] else 1)


async def run(
    platform: Platform, model: Model, disks: Disks, chosen: argparse.Namespace
) -> tuple[dict[str, Any], Verdict]:
    monkey = Monkey(platform, model, disks, chosen.seed, only=chosen.only)
    disturbing = asyncio.create_task(monkey.disturb())

    def go_on() -> bool:
        return not monkey.dealt.is_set() and not disturbing.done()

    chats, uploads = Chats(platform, chosen.turns, go_on), Uploads(platform, chosen.ingests, go_on)
    progress = asyncio.create_task(_progress(chats, uploads, monkey))
    await _while_it_runs(platform, chats.run(), uploads.run())
    await monkey.calm(disturbing)
    well_after = await well_again(platform, chats.acknowledged, uploads.acknowledged)
    seconds_to_well = None if None in (waits := well_after.values()) else max(waits)
    progress.cancel()
    figures = {
        "turns": len(chats.acknowledged),
        "ingests": len(uploads.acknowledged),
        "faults": {str(card): times for card, times in sorted(monkey.deck.counts.items())},
        "sent_again": dict(chats.sent_again + uploads.sent_again),
        "connections": chats.connections,
        "well_again_s": seconds_to_well,
        "waited_for_s": well_after,
        "half_written": len(disks.half_written()),
    }
    return figures, judged(
        platform.rows, chats.acknowledged, uploads.acknowledged, well=seconds_to_well is not None
    )


async def _while_it_runs(platform: Platform, *work: Coroutine[Any, Any, None]) -> None:
    """All the work. Raises RuntimeError when the platform ends under it: that is for none of the faults to bring about."""
    together = asyncio.gather(*work)
    while not together.done():
        if platform.process.poll() is not None:
            together.cancel()
            raise RuntimeError("the platform has ended; --log keeps what it said")
        await asyncio.wait({together}, timeout=1)
    together.result()


async def _progress(chats: Chats, uploads: Uploads, monkey: Monkey) -> None:
    while sys.stderr.isatty():
        await asyncio.sleep(5)
        print(
            f"{len(chats.acknowledged)} turns, {len(uploads.acknowledged)} documents, {monkey.deck.counts.total()} faults",
            file=sys.stderr,
        )


def show(figures: dict[str, Any], verdict: Verdict) -> None:
    faults = Table("fault", "times")
    for fault, times in figures["faults"].items():
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
        f"well again by itself after {figures['well_again_s']} s ({figures['waited_for_s']}); "
        f"{figures['half_written']} files half written"
    )


if __name__ == "__main__":
    main()
