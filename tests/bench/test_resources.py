"""Measures the time and memory of one process, for the table *Resources* in ``docs/hosting.md``."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.wire.conftest import serve, wire  # noqa: F401 - fixtures
from tests.wire.kibitz import bot_process, descendants, position
from tests.wire.message_bodies import every_component

if TYPE_CHECKING:
    from tests.wire.conftest import Serve
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer
    from tests.wire.world import StoredMessage

pytestmark = pytest.mark.bench

START_COUNT = 7
SERVER_COUNT = 100
SETTLE_SECONDS = 15
"""Seconds until an idle process has loaded everything."""
POSITION_COUNT = 60
GAME = "#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n"


async def resident_megabytes(started: Program) -> float:
    """Return the resident memory of a process, plus the private memory of its child processes."""
    children = await descendants(started.process.pid)
    return (started.resident_kib + sum(map(private_kib, children))) / 1024


def private_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def letters(number: int) -> str:
    return chr(ord("A") + number // 26) + chr(ord("A") + number % 26)


def button_ids(message: StoredMessage) -> dict[str, str]:
    components = every_component(message.components)
    return {component["label"]: component["custom_id"] for component in components if component.get("label")}


async def press_and_wait(wire: WireServer, message: StoredMessage, label: str, result: str) -> StoredMessage:  # noqa: F811
    interaction = await wire.interactions.press(message, button_ids(message)[label])
    reply = await wire.interactions.until_replied(interaction)
    await wire.journal.until(
        lambda: result in reply.text and "Stop" not in button_ids(reply), f"all of {reply.text!r}", within=120
    )
    return reply


@pytest.mark.parametrize("analysis", ["true", "false"])
async def test_measuring_the_time_and_memory_of_a_process(
    serve: Serve,  # noqa: F811
    tmp_path: Path,
    analysis: str,
) -> None:
    starts = []
    for _ in range(START_COUNT):
        start = time.perf_counter()
        async with bot_process(
            await serve(), tmp_path, new_process=True, KIBITZ_ANALYSIS__ENABLED=analysis
        ) as started:
            starts.append((time.perf_counter() - start, started.cpu_seconds))
            connected_megabytes = await resident_megabytes(started)
    print(f"\nanalysis: {analysis}; load {os.getloadavg()[0]:.1f}")
    for name, seconds in zip(
        ("time until ready", "CPU time until ready"), zip(*starts, strict=True), strict=True
    ):
        print(f"{name}: minimum {min(seconds):.2f} s, median {sorted(seconds)[START_COUNT // 2]:.2f} s")
    print(f"connected: {connected_megabytes:.0f} MB")

    wire = await serve()  # noqa: F811
    wire.world.extra_guild_count = SERVER_COUNT
    async with bot_process(
        wire,
        tmp_path,
        new_process=True,
        KIBITZ_ANALYSIS__ENABLED=analysis,
        KIBITZ_LIMITS__USER_PER_MINUTE="1000",
        KIBITZ_LIMITS__CHANNEL_PER_MINUTE="1000",
    ) as started:
        await asyncio.sleep(SETTLE_SECONDS)
        print(f"idle in {SERVER_COUNT} servers: {await resident_megabytes(started):.0f} MB")
        card = await wire.wait_for_reply(await wire.post(position("HELLO")))
        if analysis == "true":
            ranked = await press_and_wait(wire, card, "Analyze", "best of")
            print(f"after a ranking: {await resident_megabytes(started):.0f} MB")
            await press_and_wait(wire, ranked, "Simulate", "±")
            print(f"after a simulation: {await resident_megabytes(started):.0f} MB")
        await wire.wait_for_reply(await wire.post("look", files={"game.gcg": GAME.encode()}))
        print(f"after a file: {await resident_megabytes(started):.0f} MB")
        earlier_cpu_seconds = started.cpu_seconds
        for number in range(POSITION_COUNT):
            await wire.wait_for_reply(await wire.post(position(f"WORD{letters(number)}")))
        print(
            f"CPU time per position: {(started.cpu_seconds - earlier_cpu_seconds) / POSITION_COUNT * 1000:.0f} ms"
        )
        assert started.exception_lines == []
