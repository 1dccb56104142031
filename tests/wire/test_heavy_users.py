"""A user who requests a lot of work doesn't delay other users."""

from __future__ import annotations

import asyncio
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from bot.features.showing.controls import PRESENTER
from bot.jobs.account import Requester
from tests.jobs import work
from tests.jobs.accounts import charged_to
from tests.waiting import until

from .journal import MAX_START_SECONDS
from .kibitz import bot_process, descendants, kibitz, position, uses_programs
from .world import Channel

if TYPE_CHECKING:
    from .server import WireServer

pytestmark = uses_programs

GAME = "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n"
LONG_GAME = (GAME + "#note " + "a long note " * 500 + "\n").encode()
PUZZLE = "8/8/8/8/8/5k2/8/K7 w - - 0 1\n"
LARGE_FILE = (PUZZLE * (1_000_000 // len(PUZZLE))).encode()


def add_channel(wire: WireServer) -> Channel:
    channel = Channel(wire.world.ids.next(), "other", wire.world.guild_id)
    wire.world.channels[channel.id] = channel
    return channel


async def test_endless_work_delays_no_other_user(wire: WireServer) -> None:
    async with kibitz(wire) as bot:
        processes = bot.services[PRESENTER]._documents._processes
        assert processes is not None
        alice, bob = wire.world.alice, wire.world.bob
        with charged_to(Requester(alice.id, wire.world.guild_id, wire.world.general.id)):
            endless_tasks = [asyncio.create_task(processes.run(work.sleep)) for _ in range(30)]
        other_channel = add_channel(wire)
        for files in (None, {"game.gcg": LONG_GAME}):
            message = await wire.post(
                "" if files else position(), author=bob, channel=other_channel, files=files
            )
            assert (await wire.wait_for_reply(message)).files
        assert processes.waiting_count >= 29, "Alice has more than one process"
        assert not any(task.done() for task in endless_tasks)
        processes.close()
        results = await asyncio.gather(*endless_tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)


@pytest.mark.long
async def test_ten_large_files_are_read_while_others_are_served(wire: WireServer, tmp_path: Path) -> None:
    other_channel = add_channel(wire)
    async with bot_process(wire, tmp_path) as program:
        assert await descendants(program.process.pid) == [], (
            "a process for reading started before it was needed"
        )
        files = {f"{number}.txt": LARGE_FILE for number in range(10)}
        large_messages = [await wire.post(f"pile {number}", files=files) for number in range(3)]
        for number in range(10):
            message = await wire.post(
                position(rack="ABCDEFG"[: number + 1]), author=wire.world.bob, channel=other_channel
            )
            assert (await wire.wait_for_reply(message)).files
        assert not wire.world.replies_to(large_messages[0]), "the positions got replies after the large files"
        # The bot reads the files of the first message. The other two exceed the user's limit, and get one notice.
        notices = [message for message in wire.world.bot_messages() if "a lot at once" in message.text]
        assert len(notices) == 1
        assert program.exception_lines == []


@pytest.mark.slow
async def test_ten_pictures_are_read_while_others_are_served(wire: WireServer, tmp_path: Path) -> None:
    """A picture of noise at the maximum size takes the longest to read, because it has no board."""
    other_channel = add_channel(wire)
    noise = np.random.default_rng(0).integers(0, 256, (1_200, 1_200), dtype=np.uint8)
    data = BytesIO()
    Image.fromarray(noise).resize((4_000, 4_000)).save(data, "JPEG", quality=60)
    async with bot_process(wire, tmp_path) as program:
        first = await wire.post(position(), author=wire.world.bob, channel=other_channel)
        assert (await wire.wait_for_reply(first)).files
        pictures = await wire.post(
            f"<@{wire.world.bot.id}>", files={f"{n}.jpg": data.getvalue() for n in range(10)}
        )
        for number in range(5):
            message = await wire.post(
                position(rack="ABCDEFG"[: number + 1]), author=wire.world.bob, channel=other_channel
            )
            assert (await wire.wait_for_reply(message)).files
        assert not wire.world.replies_to(pictures), "the positions got replies after the pictures"
        await wire.wait_for_reply(pictures, within=300.0)
        assert program.exception_lines == []


async def test_a_killed_bot_leaves_no_processes(wire: WireServer, tmp_path: Path) -> None:
    async with bot_process(wire, tmp_path) as program:
        message = await wire.post("", files={"game.gcg": LONG_GAME})
        assert (await wire.wait_for_reply(message)).files
        await wire.post("", files={f"{number}.txt": LARGE_FILE for number in range(10)})

        async def started_children() -> list[int] | None:
            """Return the ids of the children once there are three: the fork server, the shared-memory monitor and a reader."""
            children = await descendants(program.process.pid)
            return children if len(children) >= 3 else None

        children = await until(started_children, MAX_START_SECONDS)
        program.process.kill()
        await until(lambda: not any(map(is_alive, children)), MAX_START_SECONDS)


def is_alive(pid: int) -> bool:
    """Return whether a process is running. A zombie is not."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
