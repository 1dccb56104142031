"""Gateways that divide the shards among themselves are killed and stopped: each position is answered once, by one of them."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from tests.wire.kibitz import position

if TYPE_CHECKING:
    from tests.wire.kibitz import Program
    from tests.wire.server import WireServer
    from tests.wire.world import StoredMessage

    from .conftest import Start

pytestmark = [pytest.mark.load, pytest.mark.long]

ALONE = {"KIBITZ_SHARDS": "auto/2", "KIBITZ_ANALYSIS__ENABLED": "false", "KIBITZ_ANALYSIS__JOBS": "1"}
TAKEN_OVER = 90.0
"""Seconds until others answer for a process that is gone: 10 of its locks, and a start on a busy machine."""


async def gateways(stack: AsyncExitStack, wire: WireServer, start: Start) -> list[Program]:
    """Run two gateways, each with one of the two shards."""
    first = await stack.enter_async_context(start("run", **ALONE))
    await live(wire, [0, 1])
    second = await stack.enter_async_context(start("run", **ALONE))
    await second.printed("ready as")
    await live(wire, [0, 1])
    return [first, second]


async def live(wire: WireServer, shards: list[int]) -> None:
    await wire.journal.until(
        lambda: sorted(session.shard for session in wire.gateway.live) == shards,
        f"the shards {shards}",
        within=TAKEN_OVER,
    )


async def post(wire: WireServer, word: str) -> list[StoredMessage]:
    """Post a position in a channel of either shard."""
    return [
        await wire.say(position(word), channel=channel) for channel in (wire.world.general, wire.world.direct)
    ]


async def answered_once(wire: WireServer, messages: list[StoredMessage]) -> None:
    for message in messages:
        await wire.reply(message, within=TAKEN_OVER)
    assert [len(wire.world.replies_to(message)) for message in messages] == [1] * len(messages)


async def test_a_suspended_gateway_loses_its_shards(wire: WireServer, start: Start) -> None:
    async with AsyncExitStack() as stack:
        stopped, other = await gateways(stack, wire, start)
        messages = await post(wire, "BEFORE")
        await answered_once(wire, messages)
        stopped.process.send_signal(signal.SIGSTOP)
        messages += await post(wire, "ASLEEP")
        await answered_once(wire, messages)
        messages += await post(wire, "TAKEN")
        await answered_once(wire, messages)
        stopped.process.send_signal(signal.SIGCONT)
        await stopped.printed("nothing is answered until they are back")
        await stopped.printed("lost shards")
        await stopped.printed("left shards")
        messages += await post(wire, "AFTER")
        await answered_once(wire, messages)
        await live(wire, [0, 1])  # it has one again
        messages += await post(wire, "SHARED")
        await answered_once(wire, messages)
        assert stopped.faults == other.faults == []


@pytest.mark.parametrize("seed", range(20))
async def test_another_gateway_answers_for_a_killed_gateway(
    wire: WireServer, start: Start, seed: int
) -> None:
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        both = await gateways(stack, wire, start)
        messages = await post(wire, "BEFORE")
        await answered_once(wire, messages)
        killed = rng.choice(both)
        for word in ("FIRST", "SECOND", "THIRD", "FOURTH"):
            messages += await post(wire, word)
        await asyncio.sleep(rng.uniform(0, 0.5))
        killed.process.kill()
        await killed.ended()
        begun = time.monotonic()
        messages += await post(wire, "KILLED")
        await live(wire, [0, 1])
        print(f"the shard is back after {time.monotonic() - begun:.1f} s")
        await answered_once(wire, messages)
        (other,) = [item for item in both if item is not killed]
        assert other.faults == []
