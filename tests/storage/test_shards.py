"""Processes divide the shards of a bot among themselves, by the clock of the server alone."""

import asyncio
from datetime import timedelta

import pytest

from bot.storage.address import PostgresServer, read_address
from bot.storage.exclusion import advisory_lock
from bot.storage.store import Store

APP = 500
AT_ONCE = timedelta(0)


@pytest.fixture
async def store(emptied_postgres_url, clock):
    async with Store.open(emptied_postgres_url, clock=clock) as opened:
        yield opened


@pytest.fixture
def server(emptied_postgres_url):
    address = read_address(emptied_postgres_url)
    assert isinstance(address, PostgresServer)
    return address


async def test_one_process_has_all_shards(store):
    share = await store.renew_leases("a", APP, 4)
    assert (share.count, share.held, share.fair) == (4, {0, 1, 2, 3}, 4)
    assert await store.renew_leases("a", APP, 4) == share


async def test_who_comes_later_gets_what_is_free_and_the_others_are_told_their_share(store):
    await store.renew_leases("a", APP, 5)
    assert (await store.renew_leases("b", APP, 5)).held == frozenset()
    share = await store.renew_leases("a", APP, 5)
    assert (len(share.held), share.fair) == (5, 3)
    await store.release_leases("a", {3, 4})
    assert (await store.renew_leases("b", APP, 5)).held == {3, 4}
    assert (await store.renew_leases("a", APP, 5)).held == {0, 1, 2}


async def test_many_that_come_at_once_share_without_overlap(emptied_postgres_url, clock):
    async with Store.open(emptied_postgres_url, clock=clock) as store:
        names = [f"p{number}" for number in range(7)]
        for _ in range(2):
            shares = await asyncio.gather(*(store.renew_leases(name, APP, 16) for name in names))
            held = [shard for share in shares for shard in share.held]
            assert len(held) == len(set(held))
        for share, name in zip(shares, names, strict=True):
            await store.release_leases(name, sorted(share.held)[share.fair :])
        shares = await asyncio.gather(*(store.renew_leases(name, APP, 16) for name in names))
        assert sorted(shard for share in shares for shard in share.held) == list(range(16))


async def test_what_is_not_renewed_is_taken_and_what_nobody_took_stays(store):
    await store.renew_leases("a", APP, 2, life=AT_ONCE)
    assert (await store.renew_leases("a", APP, 2, life=AT_ONCE)).held == {0, 1}, "nobody took them"
    assert (await store.renew_leases("b", APP, 2)).held == {0, 1}
    share = await store.renew_leases("a", APP, 2)
    assert (share.held, share.fair) == (frozenset(), 1), "it stood still, and they are gone"


async def test_who_retires_leaves_all_and_counts_no_more(store):
    await store.renew_leases("a", APP, 2)
    await store.renew_leases("b", APP, 2)
    await store.retire("a")
    share = await store.renew_leases("b", APP, 2)
    assert (share.held, share.fair) == ({0, 1}, 2)


async def test_while_others_live_their_number_of_shards_counts(store):
    await store.renew_leases("a", APP, 4)
    assert (await store.renew_leases("b", APP, 8)).count == 4
    await store.retire("a")
    assert (await store.renew_leases("b", APP, 8)).count == 8


async def test_bots_do_not_share_with_each_other(store):
    await store.renew_leases("a", APP, 2)
    assert (await store.renew_leases("b", APP + 1, 3)).held == {0, 1, 2}


async def test_one_at_a_time_has_a_lock_and_the_next_gets_it_when_it_is_given_back(server):
    held, most = 0, 0

    async def hold(name):
        nonlocal held, most
        async with advisory_lock(server, name, life=timedelta(seconds=30)):
            held += 1
            most = max(most, held)
            await asyncio.sleep(0.01)
            held -= 1

    await asyncio.gather(*(hold("one") for _ in range(4)))
    assert most == 1
    async with advisory_lock(server, "one", life=timedelta(seconds=30)):
        async with asyncio.timeout(20):
            await hold("another")


async def test_a_lock_whose_holder_stands_still_is_taken_back(server):
    async with (
        asyncio.timeout(20),
        advisory_lock(server, "one", life=timedelta(milliseconds=50)),
        advisory_lock(server, "one", life=timedelta(seconds=30)),
    ):
        pass
