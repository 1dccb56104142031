"""One process under load: chat in 3,000 servers, and a user who posts ten pictures that are slow to read."""

from __future__ import annotations

import asyncio
import struct
import time
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tests.wire.conftest import serve, wire  # noqa: F401 - fixtures
from tests.wire.kibitz import bot_process, position
from tests.wire.test_heavy_users import add_channel
from tests.wire.test_soak import TALK
from tests.wire.world import StoredMessage

if TYPE_CHECKING:
    from tests.wire.server import WireServer

pytestmark = pytest.mark.bench

SERVER_COUNT, MESSAGES_PER_SECOND, SECONDS = 3_000, 1_000, 6
PASTE_COUNT = 12
MAX_CPU_MICROSECONDS = 250
"""Maximum CPU time per chat message, including the replies to the pasted positions."""
ROUNDS = 7
"""Number of rounds without pictures. Each is followed by a round with pictures."""
POSITIONS_PER_ROUND = 20


async def reply_time(wire: WireServer, word: str, **options: object) -> float:  # noqa: F811
    start = time.perf_counter()
    reply = await wire.wait_for_reply(await wire.post(position(word), **options))  # type: ignore[arg-type]
    assert reply.files
    return (time.perf_counter() - start) * 1000


def p95(waits: list[float] | list[list[float]]) -> float:
    return float(np.percentile(waits, 95))


async def test_heavy_chat_right_after_the_start_causes_no_failures(wire: WireServer, tmp_path: Path) -> None:  # noqa: F811
    world = wire.world
    world.extra_guild_count, world.extra_guild_size = SERVER_COUNT, (1, 1)
    async with bot_process(wire, tmp_path, new_process=True) as bot:
        await bot.until_printed(f" in {SERVER_COUNT + 1} servers")
        earlier_cpu_seconds, start = bot.cpu_seconds, time.perf_counter()
        pastes = []
        for number in range(MESSAGES_PER_SECOND * SECONDS):
            if number % (MESSAGES_PER_SECOND * SECONDS // PASTE_COUNT) == 0:
                word = f"PASTE{'ABCDEFGHIJKL'[len(pastes)]}"
                pastes.append(asyncio.create_task(reply_time(wire, word)))
            channel = world.extra_channel(number % SERVER_COUNT + 1)
            talk = StoredMessage(world.ids.next(), channel, world.alice, TALK[number % len(TALK)])
            await wire.gateway.message_created(talk)
            if number % 20 == 0:
                await asyncio.sleep(max(0.0, start + number / MESSAGES_PER_SECOND - time.perf_counter()))
        elapsed = time.perf_counter() - start
        waits = await asyncio.gather(*pastes)
        cost = (bot.cpu_seconds - earlier_cpu_seconds) / (MESSAGES_PER_SECOND * SECONDS) * 1e6
        assert bot.exception_lines == [], bot.output[-2000:]
        assert not [line for line in bot.lines if "failed" in line]
    print(
        f"\n{MESSAGES_PER_SECOND * SECONDS / elapsed:.0f} messages/s in {SERVER_COUNT} servers: {cost:.0f} µs of CPU time per message,"
        f" {PASTE_COUNT} pastes among them got replies after {np.median(waits):.0f} ms (median), {p95(waits):.0f} ms (p95)"
    )
    assert cost <= MAX_CPU_MICROSECONDS


def bomb(width: int, height: int) -> bytes:
    pack = zlib.compressobj(9)
    row = bytes(width // 8 + 1)
    data = b"".join(pack.compress(row) for _ in range(height)) + pack.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in chunks
    )


def pictures() -> dict[str, bytes]:
    """Return nine pictures of noise, in which the search for a board never ends early, and a bomb of 400 million pixels."""
    noise = np.random.default_rng(0).integers(0, 256, (1_200, 1_200), dtype=np.uint8)
    data = BytesIO()
    Image.fromarray(noise).resize((4_000, 4_000)).save(data, "JPEG", quality=60)
    return {f"{number}.jpg": data.getvalue() for number in range(9)} | {"bomb.png": bomb(20_000, 20_000)}


async def test_ten_pictures_from_one_user_do_not_double_the_wait_of_another_user(
    wire: WireServer,  # noqa: F811
    tmp_path: Path,
) -> None:
    quiet_waits: list[list[float]] = []
    busy_waits: list[list[float]] = []
    files = pictures()
    limits = {"BYTES": 10**9, "SECONDS": 3_600}
    high_limits = {
        f"KIBITZ_LIMITS__{scope}_{unit}_PER_MINUTE": str(limit)
        for unit, limit in limits.items()
        for scope in ("USER", "CHANNEL")
    } | {"KIBITZ_LIMITS__USER_PER_MINUTE": "10000", "KIBITZ_LIMITS__CHANNEL_PER_MINUTE": "10000"}
    bob = {"author": wire.world.bob, "channel": add_channel(wire)}
    async with bot_process(wire, tmp_path, **high_limits) as bot:  # type: ignore[arg-type]
        await reply_time(wire, "WARM", **bob)
        for round_index in range(ROUNDS):
            for waits_by_round, name in ((quiet_waits, "QUIET"), (busy_waits, "BUSY")):
                pictures_post = (
                    await wire.post(f"<@{wire.world.bot.id}>", files=files)
                    if waits_by_round is busy_waits
                    else None
                )
                words = [
                    f"{name}{'ABCDEFG'[round_index]}{letter}"
                    for letter in "ABCDEFGHIJKLMNOPQRST"[:POSITIONS_PER_ROUND]
                ]
                waits_by_round.append([await reply_time(wire, word, **bob) for word in words])
                if pictures_post is not None:
                    assert not wire.world.replies_to(pictures_post), (
                        "the bot had read the pictures before the end of the round"
                    )
                    await wire.wait_for_reply(pictures_post, within=300)
        assert bot.exception_lines == []
    ratios = sorted(p95(busy) / p95(quiet) for quiet, busy in zip(quiet_waits, busy_waits, strict=True))
    ratio = ratios[ROUNDS // 2]
    print(
        f"\npositions got replies after {np.median(quiet_waits):.0f} ms (median), {p95(quiet_waits):.0f} ms (p95); while ten"
        f" pictures were being read, after {np.median(busy_waits):.0f} ms (median), {p95(busy_waits):.0f} ms (p95); the p95 of a round is"
        f" {ratio:.2f} times that without pictures ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )
    assert ratio < 2
