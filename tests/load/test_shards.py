"""Gateways that share the shards are killed or suspended: another gateway replies once to each position."""

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

SETTINGS = {"KIBITZ_SHARDS": "auto/2", "KIBITZ_ANALYSIS__ENABLED": "false", "KIBITZ_ANALYSIS__JOBS": "1"}
TAKEOVER_SECONDS = 90.0
"""Allows ten seconds for the locks to expire, and the rest for startup on a busy machine."""


async def start_gateways(stack: AsyncExitStack, wire: WireServer, start: Start) -> list[Program]:
    first = await stack.enter_async_context(start("run", **SETTINGS))
    await until_live(wire, [0, 1])
    second = await stack.enter_async_context(start("run", **SETTINGS))
    await second.until_printed("ready as")
    await until_live(wire, [0, 1])
    return [first, second]


async def until_live(wire: WireServer, shards: list[int]) -> None:
    await wire.journal.until(
        lambda: sorted(session.shard for session in wire.gateway.live_sessions) == shards,
        f"the shards {shards}",
        within=TAKEOVER_SECONDS,
    )


async def post(wire: WireServer, word: str) -> list[StoredMessage]:
    return [
        await wire.post(position(word), channel=channel)
        for channel in (wire.world.general, wire.world.direct)
    ]


async def check_replied_once(wire: WireServer, messages: list[StoredMessage]) -> None:
    for message in messages:
        await wire.wait_for_reply(message, within=TAKEOVER_SECONDS)
    assert [len(wire.world.replies_to(message)) for message in messages] == [1] * len(messages)


async def test_a_suspended_gateway_loses_its_shards(wire: WireServer, start: Start) -> None:
    async with AsyncExitStack() as stack:
        suspended, other = await start_gateways(stack, wire, start)
        messages = await post(wire, "BEFORE")
        await check_replied_once(wire, messages)
        suspended.process.send_signal(signal.SIGSTOP)
        messages += await post(wire, "ASLEEP")
        await check_replied_once(wire, messages)
        messages += await post(wire, "TAKEN")
        await check_replied_once(wire, messages)
        suspended.process.send_signal(signal.SIGCONT)
        await suspended.until_printed("sending no replies until they are restored")
        await suspended.until_printed("lost shards")
        await suspended.until_printed("left shards")
        messages += await post(wire, "AFTER")
        await check_replied_once(wire, messages)
        await until_live(wire, [0, 1])
        messages += await post(wire, "SHARED")
        await check_replied_once(wire, messages)
        assert suspended.exception_lines == other.exception_lines == []


@pytest.mark.parametrize("seed", range(20))
async def test_another_gateway_replies_for_a_killed_gateway(
    wire: WireServer, start: Start, seed: int
) -> None:
    rng = random.Random(seed)
    async with AsyncExitStack() as stack:
        gateways = await start_gateways(stack, wire, start)
        messages = await post(wire, "BEFORE")
        await check_replied_once(wire, messages)
        killed = rng.choice(gateways)
        for word in ("FIRST", "SECOND", "THIRD", "FOURTH"):
            messages += await post(wire, word)
        await asyncio.sleep(rng.uniform(0, 0.5))
        await killed.kill()
        killed_at = time.monotonic()
        messages += await post(wire, "KILLED")
        await until_live(wire, [0, 1])
        print(f"the shard is back after {time.monotonic() - killed_at:.1f} s")
        await check_replied_once(wire, messages)
        (other,) = [gateway for gateway in gateways if gateway is not killed]
        assert other.exception_lines == []
