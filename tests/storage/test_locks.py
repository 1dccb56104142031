"""A gateway's locks are released when its connection ends. Every gateway sees the holders of all locks."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import pytest

from bot.storage import locks
from bot.storage.address import PostgresServer, read_address
from bot.storage.errors import StoreError
from bot.storage.locks import GatewayLocks, advisory_lock
from tests.storage.conftest import end_other_connections

APP = 500
HIGHEST_GATEWAY_ID = 2**32 - 1


@pytest.fixture
def server(emptied_postgres_url):
    address = read_address(emptied_postgres_url)
    assert isinstance(address, PostgresServer)
    return address


@pytest.fixture
def gateway(server):
    @asynccontextmanager
    async def open_gateway(gateway_id, shard_total=4, application_id=APP):
        async with GatewayLocks.open(server, application_id, gateway_id, shard_total) as opened:
            yield opened

    return open_gateway


async def test_a_shard_has_one_holder_visible_to_every_gateway(gateway):
    async with gateway(HIGHEST_GATEWAY_ID) as first, gateway(0) as second:
        await first.take([0, 1])
        await second.take([1, 2])
        own, other = await first.holders(), await second.holders()
        assert (own.own_shards, other.own_shards) == ({0, 1}, {2})
        assert own.connection_by_shard == other.connection_by_shard
        assert set(own.gateway_by_connection.values()) == {0, HIGHEST_GATEWAY_ID}
        await first.release([0])
        await second.take([0, 1])
        assert (await second.holders()).own_shards == {0, 2}


async def test_the_locks_of_a_disconnected_gateway_are_released(gateway):
    async with gateway(2) as second:
        async with gateway(1) as first:
            await first.take([0, 1])
        async with asyncio.timeout(20):
            while (await second.holders()).connection_by_shard:  # noqa: ASYNC110 - the server sends no event
                await asyncio.sleep(0.01)
        assert set((await second.holders()).gateway_by_connection.values()) == {2}


async def test_waiting_fails_when_the_connection_ends(gateway, emptied_postgres_url):
    async with gateway(1) as opened:
        waiting = asyncio.create_task(opened.wait(60))
        await asyncio.sleep(0.1)
        await end_other_connections(emptied_postgres_url)
        with pytest.raises(StoreError):
            async with asyncio.timeout(20):
                await waiting


async def test_gateways_that_take_shards_at_the_same_time_share_none(gateway):
    async with AsyncExitStack() as stack:
        gateways = [await stack.enter_async_context(gateway(number, 16)) for number in range(7)]
        await asyncio.gather(*(opened.take(range(16)) for opened in gateways))
        shard_ids = [shard_id for opened in gateways for shard_id in (await opened.holders()).own_shards]
        assert sorted(shard_ids) == list(range(16))


async def test_a_new_gateway_uses_the_shard_count_of_running_gateways(gateway):
    async with gateway(1, 4), gateway(2, 8) as second:
        assert (await second.holders()).shard_totals == {4}
    async with gateway(3, 8) as third, gateway(4, 2, APP + 1) as other:
        assert (await third.holders()).shard_totals == {8}
        assert (await other.holders()).shard_totals == {2}, "another bot's gateways were counted"


async def test_a_gateway_sees_the_shards_of_its_earlier_connection(gateway):
    async with gateway(1) as other, gateway(2) as earlier, gateway(2) as current:
        await earlier.take([0])
        await other.take([1])
        assert (await current.holders()).left_behind_shards == {0}
        assert (await other.holders()).left_behind_shards == frozenset()


async def test_a_silent_gateway_loses_all_shards(gateway, monkeypatch):
    async with gateway(1) as living:
        monkeypatch.setattr(locks, "IDLE_SECONDS", 0.5)
        async with gateway(2) as silent:
            await silent.take([0])
            async with asyncio.timeout(20):
                while (await living.holders()).connection_by_shard:  # noqa: ASYNC110 - the server sends no event
                    await asyncio.sleep(0.01)
            with pytest.raises(StoreError, match="the server ended an idle connection"):
                await silent.holders()


async def test_a_lock_has_one_holder_at_a_time(server):
    holders, maximum = 0, 0

    async def hold(name):
        nonlocal holders, maximum
        async with advisory_lock(server, name, idle_timeout=timedelta(seconds=30)):
            holders += 1
            maximum = max(maximum, holders)
            await asyncio.sleep(0.01)
            holders -= 1

    await asyncio.gather(*(hold("one") for _ in range(4)))
    assert maximum == 1
    async with advisory_lock(server, "one", idle_timeout=timedelta(seconds=30)):
        async with asyncio.timeout(20):
            await hold("another")


async def test_the_lock_of_an_idle_holder_is_released(server):
    async with (
        asyncio.timeout(20),
        advisory_lock(server, "one", idle_timeout=timedelta(seconds=1)),
        advisory_lock(server, "one", idle_timeout=timedelta(seconds=30)),
    ):
        pass
