"""The database is gone for a while: gateways and workers live on, and a running job is answered once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.wire.kibitz import position
from tests.wire.test_interrupted import simulation
from tests.wire.test_postgres_outage import own_server

from .test_kills import result

if TYPE_CHECKING:
    from tests.wire.server import WireServer

    from .conftest import Start

pytestmark = pytest.mark.load


async def test_the_database_is_restarted_in_a_job(wire: WireServer, start: Start) -> None:
    async with (
        own_server() as (url, tell),
        start("run", DATABASE_URL=url) as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        first = await simulation(wire, wire.world.alice, "▰")
        await tell("stop")
        await tell("start")
        await result(wire, first)
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert not [one for one in wire.world.messages.values() if "⏳" in one.text]
        async with await psycopg.AsyncConnection.connect(url) as connection:
            ended = await connection.execute("SELECT state, whole FROM jobs")
            assert set(await ended.fetchall()) == {("done", True)}


@pytest.mark.long
async def test_the_database_is_gone_for_twenty_seconds_longer_than_locks_last(
    wire: WireServer, start: Start
) -> None:
    async with (
        own_server() as (url, tell),
        start("run", DATABASE_URL=url, KIBITZ_SHARDS="auto/2") as gateway,
        start("worker", DATABASE_URL=url) as worker,
    ):
        await wire.gateway.ready(2, within=60)
        posted = [await wire.say(position("BEFORE"))]
        await wire.reply(posted[0], within=60)
        first = await simulation(wire, wire.world.alice, "▰")
        await tell("stop")
        posted += [await wire.say(position(word)) for word in ("DURINGA", "DURINGB")]
        await asyncio.sleep(20)
        posted.append(await wire.say(position("DURINGC")))
        await tell("start")
        for message in posted:
            await wire.reply(message, within=90)
        await result(wire, first)
        posted.append(await wire.say(position("AFTER")))
        await wire.reply(posted[-1], within=60)
        assert [len(wire.world.replies_to(message)) for message in posted] == [1] * 5
        assert gateway.process.returncode is None
        assert worker.process.returncode is None
        assert len(wire.gateway.identifies) == 2, "the sessions lived on"
        assert not [one for one in wire.world.messages.values() if "⏳" in one.text]
