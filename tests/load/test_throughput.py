"""Many servers talk at once: every position is answered once by one of several gateways, and what that costs is printed.

``bash .ci/postgres.sh python -m pytest -m "load and long" -n 0 -s tests/load/test_throughput.py`` on a quiet machine. The
variables LOAD_SERVERS, LOAD_RATE (messages a second) and LOAD_SECONDS make it smaller.
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

from tests.wire.kibitz import position
from tests.wire.server import WireServer
from tests.wire.test_interrupted import FAKE_ENGINE, START_POSITION
from tests.wire.world import Account, Channel, StoredMessage

from .conftest import START
from .test_instants import sent_texts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.wire.conftest import Serve
    from tests.wire.interactions import Interaction
    from tests.wire.kibitz import Program

    from .conftest import Start

pytestmark = [pytest.mark.load, pytest.mark.long]

SERVERS = int(os.environ.get("LOAD_SERVERS", "3000"))
RATE = int(os.environ.get("LOAD_RATE", "500"))
SECONDS = int(os.environ.get("LOAD_SECONDS", "60"))
SHARDS = 8
POSITIONS = 0.02
"""The share of messages that hold a position."""
TICK = 0.02
ANSWERED = 60.0
"""Seconds until the last answer, on a machine that falls behind."""
OUTSTANDING = 16
"""Number of positions that wait for an answer at once, when the bot answers as fast as it can."""
REMEMBERED = 200
TALK = (
    "what did you play?", "3/4 of them, 12/11/2025", "gg wp", "15/15 is a full rack :)", "see https://example.org/a/b/c",
    "> quoted\nand **answered**", "1. first\n2. second", "I had QUIZ for 60!", "`code` ||spoiler||", "e4 is best by test",
)  # fmt: skip
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture
async def wire(serve: Serve) -> WireServer:
    """Give a server with many servers, spread over the shards."""
    server = await serve(lifetime=1800.0, most_requests=10**6)
    world = server.world
    world.more_servers, world.server_size, world.spread = SERVERS, (8, 4), True
    for number in range(1, SERVERS + 1):
        room = world.room(number)
        world.channels[room.id] = room
    server.gateway.max_concurrency = SHARDS  # sessions of all shards may start together
    return server


class Crowd:
    """People who post in all servers, and what they are answered."""

    def __init__(self, wire: WireServer) -> None:
        self.wire = wire
        self.chance = random.Random(SERVERS)
        self.people = [Account(wire.world.ids.next(), f"person{number}") for number in range(2000)]
        self.open: dict[int, float] = {}
        """Positions without an answer, and when they were posted."""
        self.answers: Counter[int] = Counter()
        self.waited: list[float] = []
        """Seconds from each position to its answer."""
        self.changed = asyncio.Event()
        self._number = 0
        self._known: deque[int] = deque()
        self._tell, wire.gateway.message_created = wire.gateway.message_created, self._heard

    def leave(self) -> None:
        """Stop listening."""
        self.wire.gateway.message_created = self._tell

    async def _heard(self, message: StoredMessage) -> None:
        source = message.reply_to
        if message.author is self.wire.world.bot and source is not None:
            self.answers[source] += 1
            self._known += (source, message.id)
            while len(self._known) > REMEMBERED:
                self.wire.world.messages.pop(self._known.popleft(), None)
            if (request := self.open.pop(source, None)) is not None:
                self.waited.append(time.perf_counter() - request)
            self.changed.set()
        await self._tell(message)

    async def warm_up(self, gateways: int) -> None:
        """Have each gateway answer: the first answers of a process take longer."""
        for _ in range(OUTSTANDING * gateways):
            await self.ask()
        await self.answered()
        self.waited.clear()

    async def talk(self) -> None:
        """Post a message without a position."""
        await self._tell(self._message(self.chance.choice(TALK)))

    async def ask(self) -> None:
        """Post a new position."""
        self._number += 1
        word = "".join(LETTERS[self._number // 26**digit % 26] for digit in range(4))
        message = self._message(position(f"{word}ER"))
        self.wire.world.messages[message.id] = message
        self.open[message.id] = time.perf_counter()
        await self._tell(message)

    async def analyze(self) -> Interaction:
        """Ask the engine about a new position."""
        self._number += 1
        where = {"name": "position", "type": 3, "value": f"{START_POSITION[:-1]}{self._number + 1}"}
        return await self.wire.interactions.command(
            "analyze", where, user=self.chance.choice(self.people), channel=self._room()
        )

    async def answered(self) -> None:
        """Wait until every position is answered."""
        async with asyncio.timeout(ANSWERED):
            while self.open:
                self.changed.clear()
                await self.changed.wait()

    def _room(self) -> Channel:
        world = self.wire.world
        return world.channels[world.room(self.chance.randint(1, SERVERS)).id]

    def _message(self, content: str) -> StoredMessage:
        world = self.wire.world
        return StoredMessage(world.ids.next(), self._room(), self.chance.choice(self.people), content)


def report(waited: list[float]) -> str:
    """Tell the middle, the 95th and the 99th of a hundred, in milliseconds."""
    parts = statistics.quantiles(waited, n=100)
    return f"{1000 * parts[49]:.0f} / {1000 * parts[94]:.0f} / {1000 * parts[98]:.0f} ms"


def processor_seconds(programs: list[Program]) -> float:
    """Return what processes have used of a processor so far."""
    return sum(program.processor_seconds for program in programs)


@asynccontextmanager
async def gateways(wire: WireServer, start: Start, count: int, **more: str) -> AsyncIterator[list[Program]]:
    """Run gateways that have the shards among themselves, until all are live."""
    each = SHARDS // count
    async with AsyncExitStack() as stack:
        running = []
        for first in range(0, SHARDS, each):
            shards = f"{first}-{first + each - 1}/{SHARDS}"
            running.append(await stack.enter_async_context(start("run", KIBITZ_SHARDS=shards, **more)))
        await wire.gateway.ready(SHARDS, within=START)
        yield running


async def test_every_position_of_a_busy_minute_is_answered_once(wire: WireServer, start: Start, sql) -> None:
    engine = {"KIBITZ_CHESS__ENGINE": f"{sys.executable} {FAKE_ENGINE} well"}
    async with start(**engine), start(**engine), gateways(wire, start, 4, **engine) as running:
        crowd, jobs = Crowd(wire), []
        await crowd.warm_up(len(running))
        begun, used = time.perf_counter(), processor_seconds(running)
        sent = 0
        for tick in range(round(SECONDS / TICK)):
            await asyncio.sleep(max(0.0, begun + tick * TICK - time.perf_counter()))
            for _ in range(round(RATE * TICK * (tick + 1)) - sent):
                await (crowd.ask() if crowd.chance.random() < POSITIONS else crowd.talk())
                sent += 1
            if tick % round(1 / TICK) == 0:
                jobs.append(await crowd.analyze())
        took = time.perf_counter() - begun
        await crowd.answered()
        for item in jobs:
            await wire.interactions.answered(item)
        used = processor_seconds(running) - used
        await asyncio.sleep(2.0)  # a second answer would come at once
        for gateway in running:
            assert gateway.faults == [], gateway.output
    print(
        f"\n{SERVERS} servers, {sent} messages in {took:.1f} s ({sent / took:.0f} a second), {len(crowd.waited)} positions and"
        f" {len(jobs)} jobs: answers after {report(crowd.waited)} (p50 / p95 / p99); gateways used"
        f" {used:.1f} s of a processor, {1e6 * used / sent:.0f} µs a message"
    )
    assert set(crowd.answers.values()) == {1}
    assert [
        sent_texts(entry) for entry in jobs if len([text for text in sent_texts(entry) if "e4" in text]) != 1
    ] == []
    assert await sql("SELECT count(*), max(attempt) FROM jobs WHERE state = 'done'") == [(len(jobs), 1)]
    assert wire.gateway.hasty == 0


async def test_answers_per_second_of_one_two_and_four_gateways(wire: WireServer, start: Start) -> None:
    alone = {"KIBITZ_ANALYSIS__ENABLED": "false", "KIBITZ_ANALYSIS__JOBS": "1"}
    roomy = {"KIBITZ_DISCORD__REQUESTS_A_SECOND": "10000"}
    print("\ngateways   answers/s   p50 / p95 / p99   processor for an answer")
    for count in (1, 2, 4):
        async with gateways(wire, start, count, **alone, **roomy) as running:
            crowd = Crowd(wire)
            await crowd.warm_up(count)
            used, begun = processor_seconds(running), time.perf_counter()
            while time.perf_counter() < begun + SECONDS / 3:
                crowd.changed.clear()
                while len(crowd.open) < OUTSTANDING:
                    await crowd.ask()
                await asyncio.wait_for(crowd.changed.wait(), ANSWERED)
            took, answered = time.perf_counter() - begun, len(crowd.waited)
            await crowd.answered()
            used = processor_seconds(running) - used
            assert set(crowd.answers.values()) == {1}
            for gateway in running:
                assert gateway.faults == [], gateway.output
        print(
            f"{count:8}   {answered / took:9.1f}   {report(crowd.waited):>15}   {1000 * used / len(crowd.waited):.1f} ms"
        )
        crowd.leave()
