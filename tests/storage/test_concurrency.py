"""Many tasks, stores and processes use a database at the same time."""

import asyncio
import contextlib
import json
import random
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from bot.storage.store import Store
from tests.storage.claimant import NUMBERS

PROJECT = Path(__file__).parents[2]


async def claim(store, source_id):
    return await store.claim_reply(source_id, channel_id=1, guild_id=2, author_id=3)


async def test_one_of_fifty_concurrent_claims_wins(store):
    for source_id in range(5):
        won = await asyncio.gather(*(claim(store, source_id) for _ in range(50)))
        assert sum(won) == 1


@pytest.mark.slow
async def test_each_message_and_daily_is_claimed_by_one_process(url):
    # Both processes start on an empty database, so they also compete to create the schema.
    arguments = ["-W", "error", "-m", "tests.storage.claimant", url]
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=PROJECT, stdin=pipe, stdout=pipe)
        for _ in range(2)
    ]
    try:
        async with asyncio.timeout(60):
            for process in processes:
                assert await process.stdout.readline() == b"ready\n"
            outputs = await asyncio.gather(*(process.communicate(b"go\n") for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert [process.returncode for process in processes] == [0, 0]
    won = [json.loads(output) for output, _ in outputs]
    for first, second in zip(*won, strict=True):
        assert sorted(first + second) == list(NUMBERS)


async def test_many_reads_writes_and_a_sweep_can_run_at_once(store, clock):
    expires = clock.now + timedelta(days=1)

    async def reply_to_message(source_id):
        assert await claim(store, source_id)
        await store.save_document("d", "cgp", "t" * 2000, expires)
        await store.record_reply(source_id, (source_id + 1, source_id + 2))
        assert await store.document("d") == ("cgp", "t" * 2000)
        assert (await store.reply(source_id)).reply_ids == (source_id + 1, source_id + 2)
        await store.set_meta("last", str(source_id))

    await asyncio.gather(*(reply_to_message(source_id) for source_id in range(40)), store.sweep())
    assert await store.meta("last") in set(map(str, range(40)))


async def test_interrupted_calls_leave_the_store_usable(store):
    rng = random.Random(7)
    for turn in range(12):
        calls = [asyncio.create_task(claim(store, turn * 10 + number)) for number in range(10)]
        for _ in range(rng.randrange(40)):
            await asyncio.sleep(0)
        for call in calls[::2]:
            call.cancel()
        results = await asyncio.gather(*calls, return_exceptions=True)
        for result in results:
            assert result == 1 or isinstance(result, asyncio.CancelledError)
        assert all(result == 1 for result in results[1::2])
    # There are more calls than connections, so every connection must have been returned to the pool.
    won = await asyncio.gather(*(claim(store, 1000 + number) for number in range(30)))
    assert all(won)


async def test_a_call_cancelled_before_closing_is_completed(store_url):
    async with Store.open(store_url) as store:
        await claim(store, 1)
        call = asyncio.create_task(store.record_reply(1, tuple(range(100, 200))))
        await asyncio.sleep(0.001)
        call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call
    async with Store.open(store_url) as store:
        reply = await store.reply(1)
        assert reply.reply_ids == tuple(range(100, 200))
        assert reply.recorded_at is not None
