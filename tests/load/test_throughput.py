"""Many servers post at the same time to one gateway or several: each position gets one reply.

The tests print latencies and CPU times. On an idle machine, run ``bash .ci/postgres.sh python -m pytest -m "load and long" -n 0
-s tests/load/test_throughput.py``. The variables LOAD_SERVERS, LOAD_RATE (messages per second) and LOAD_SECONDS change the
load.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import time
from collections import Counter, deque
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from tests.wire.journal import MAX_WAIT_SECONDS
from tests.wire.kibitz import position
from tests.wire.server import WireServer
from tests.wire.test_interrupted import FAKE_ENGINE, START_POSITION
from tests.wire.test_soak import TALK
from tests.wire.world import Account, Channel, StoredMessage

from .conftest import MAX_START_SECONDS
from .test_kill_at_reply import sent_texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.wire.conftest import Serve
    from tests.wire.interactions import Interaction
    from tests.wire.kibitz import Program

    from .conftest import Start

pytestmark = [pytest.mark.load, pytest.mark.long]

SERVER_COUNT = int(os.environ.get("LOAD_SERVERS", "3000"))
MESSAGES_PER_SECOND = int(os.environ.get("LOAD_RATE", "500"))
SECONDS = int(os.environ.get("LOAD_SECONDS", "60"))
SHARD_COUNT = 8
POSITION_FRACTION = 0.02
TICK_SECONDS = 0.02
MAX_WAITING_MESSAGES = 16
"""Number of positions that wait for a reply while the maximum rate is measured."""
MAX_REMEMBERED = 200
"""Maximum number of messages that the local Discord keeps: positions with a reply, and their replies."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    server = await serve(lifetime=1800.0, max_requests=10**6)
    world = server.world
    world.extra_guild_count, world.extra_guild_size, world.spread_over_shards = SERVER_COUNT, (8, 4), True
    for number in range(1, SERVER_COUNT + 1):
        channel = world.extra_channel(number)
        world.channels[channel.id] = channel
    server.gateway.max_concurrency = SHARD_COUNT  # sessions of all shards may start together
    return server


class Crowd:
    def __init__(self, wire: WireServer) -> None:
        self.wire = wire
        self.random = random.Random(SERVER_COUNT)
        self.people = [Account(wire.world.ids.next(), f"person{number}") for number in range(2000)]
        self.without_reply: dict[int, float] = {}
        """The time at which each unanswered position was posted, by message id."""
        self.reply_counts: Counter[int] = Counter()
        self.latencies: list[float] = []
        self.changed = asyncio.Event()
        self._number = 0
        self._remembered: deque[int] = deque()
        self._announce, wire.gateway.message_created = wire.gateway.message_created, self._message_created

    def stop(self) -> None:
        self.wire.gateway.message_created = self._announce

    async def _message_created(self, message: StoredMessage) -> None:
        source_id = message.reply_to
        if message.author is self.wire.world.bot and source_id is not None:
            self.reply_counts[source_id] += 1
            self._remembered += (source_id, message.id)
            while len(self._remembered) > MAX_REMEMBERED:
                self.wire.world.messages.pop(self._remembered.popleft(), None)
            if (posted := self.without_reply.pop(source_id, None)) is not None:
                self.latencies.append(time.perf_counter() - posted)
            self.changed.set()
        await self._announce(message)

    async def warm_up(self, gateway_count: int) -> None:
        """Post some positions, and discard their latencies, because the first replies take longer."""
        for _ in range(MAX_WAITING_MESSAGES * gateway_count):
            await self.post_position()
        await self.until_all_have_replies()
        self.latencies.clear()

    async def post_chat(self) -> None:
        await self._announce(self._message(self.random.choice(TALK)))

    async def post_position(self) -> None:
        self._number += 1
        word = "".join(LETTERS[self._number // 26**digit % 26] for digit in range(4))
        message = self._message(position(f"{word}ER"))
        self.wire.world.messages[message.id] = message
        self.without_reply[message.id] = time.perf_counter()
        await self._announce(message)

    async def request_analysis(self) -> Interaction:
        self._number += 1
        position = f"{START_POSITION[:-1]}{self._number + 1}"
        return await self.wire.interactions.command(
            "analyze", position=position, user=self.random.choice(self.people), channel=self._random_channel()
        )

    async def until_all_have_replies(self) -> None:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            while self.without_reply:
                self.changed.clear()
                await self.changed.wait()

    def _random_channel(self) -> Channel:
        world = self.wire.world
        return world.channels[world.extra_channel(self.random.randint(1, SERVER_COUNT)).id]

    def _message(self, content: str) -> StoredMessage:
        world = self.wire.world
        return StoredMessage(
            world.ids.next(), self._random_channel(), self.random.choice(self.people), content
        )


def format_percentiles(latencies: list[float]) -> str:
    """Return the median and the 95th and 99th percentiles in milliseconds, as text. The latencies are in seconds."""
    cuts = statistics.quantiles(latencies, n=100)
    return f"{1000 * cuts[49]:.0f} / {1000 * cuts[94]:.0f} / {1000 * cuts[98]:.0f} ms"


def cpu_seconds(programs: list[Program]) -> float:
    return sum(program.cpu_seconds for program in programs)


@asynccontextmanager
async def running_gateways(
    wire: WireServer, start: Start, count: int, **overrides: str
) -> AsyncIterator[list[Program]]:
    shards_each = SHARD_COUNT // count
    async with AsyncExitStack() as stack:
        programs = []
        for first in range(0, SHARD_COUNT, shards_each):
            shards = f"{first}-{first + shards_each - 1}/{SHARD_COUNT}"
            programs.append(await stack.enter_async_context(start("run", KIBITZ_SHARDS=shards, **overrides)))
        await wire.gateway.wait_until_ready(SHARD_COUNT, within=MAX_START_SECONDS)
        yield programs


async def test_every_position_of_a_busy_minute_gets_one_reply(wire: WireServer, start: Start, sql) -> None:
    engine = {"KIBITZ_CHESS__ENGINE": f"{sys.executable} {FAKE_ENGINE} normal"}
    async with start(**engine), start(**engine), running_gateways(wire, start, 4, **engine) as programs:
        crowd, jobs = Crowd(wire), []
        await crowd.warm_up(len(programs))
        start_time, cpu_before = time.perf_counter(), cpu_seconds(programs)
        sent = 0
        for tick in range(round(SECONDS / TICK_SECONDS)):
            await asyncio.sleep(max(0.0, start_time + tick * TICK_SECONDS - time.perf_counter()))
            for _ in range(round(MESSAGES_PER_SECOND * TICK_SECONDS * (tick + 1)) - sent):
                await (
                    crowd.post_position() if crowd.random.random() < POSITION_FRACTION else crowd.post_chat()
                )
                sent += 1
            if tick % round(1 / TICK_SECONDS) == 0:
                jobs.append(await crowd.request_analysis())
        duration = time.perf_counter() - start_time
        await crowd.until_all_have_replies()
        for request in jobs:
            await wire.interactions.until_replied(request)
        cpu_used = cpu_seconds(programs) - cpu_before
        await asyncio.sleep(2.0)  # a second reply would arrive within this time
        for gateway in programs:
            assert gateway.exception_lines == [], gateway.output
    print(
        f"\n{SERVER_COUNT} servers, {sent} messages in {duration:.1f} s ({sent / duration:.0f} per second),"
        f" {len(crowd.latencies)} positions and {len(jobs)} jobs: replies after {format_percentiles(crowd.latencies)}"
        f" (p50 / p95 / p99); gateways used {cpu_used:.1f} s of CPU time, {1e6 * cpu_used / sent:.0f} µs per message"
    )
    assert set(crowd.reply_counts.values()) == {1}
    assert [
        sent_texts(request)
        for request in jobs
        if len([text for text in sent_texts(request) if "e4" in text]) != 1
    ] == []
    assert await sql("SELECT count(*), max(attempt) FROM jobs WHERE state = 'done'") == [(len(jobs), 1)]
    assert wire.gateway.early_identify_count == 0


async def test_every_position_gets_one_reply_at_the_maximum_rate(wire: WireServer, start: Start) -> None:
    settings = {
        "KIBITZ_ANALYSIS__ENABLED": "false",
        "KIBITZ_ANALYSIS__JOBS": "1",
        "KIBITZ_DISCORD__REQUESTS_A_SECOND": "10000",
    }
    print("\ngateways   replies/s   p50 / p95 / p99   CPU time per reply")
    for count in (1, 2, 4):
        async with running_gateways(wire, start, count, **settings) as programs:
            crowd = Crowd(wire)
            await crowd.warm_up(count)
            cpu_before, start_time = cpu_seconds(programs), time.perf_counter()
            while time.perf_counter() < start_time + SECONDS / 3:
                crowd.changed.clear()
                while len(crowd.without_reply) < MAX_WAITING_MESSAGES:
                    await crowd.post_position()
                await asyncio.wait_for(crowd.changed.wait(), MAX_WAIT_SECONDS)
            duration, reply_count = time.perf_counter() - start_time, len(crowd.latencies)
            await crowd.until_all_have_replies()
            cpu_used = cpu_seconds(programs) - cpu_before
            assert set(crowd.reply_counts.values()) == {1}
            for gateway in programs:
                assert gateway.exception_lines == [], gateway.output
        print(
            f"{count:8}   {reply_count / duration:9.1f}   {format_percentiles(crowd.latencies):>15}   "
            f"{1000 * cpu_used / len(crowd.latencies):.1f} ms"
        )
        crowd.stop()
