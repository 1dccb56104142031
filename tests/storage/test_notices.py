"""A notice is given once, and again after a long time."""

import asyncio
from collections import Counter

from bot.storage.notes import NOTICE_RETENTION

KEY = "attach_files:1478000000000000001"


async def test_of_many_callers_one_may_tell(store):
    assert sum(await asyncio.gather(*(store.claim_notice(KEY) for _ in range(10)))) == 1
    assert await store.claim_notice("embed_links:1478000000000000001") is True


async def test_it_may_be_told_again_after_its_time(store, clock):
    await store.claim_notice(KEY)
    clock.now += NOTICE_RETENTION
    assert await store.claim_notice(KEY) is False
    clock.advance(microseconds=1)
    assert await store.claim_notice(KEY) is True
    assert await store.claim_notice(KEY) is False


async def test_it_is_swept_after_its_time(store, clock):
    await store.claim_notice(KEY)
    clock.now += NOTICE_RETENTION
    assert await store.sweep() == Counter()
    clock.advance(microseconds=1)
    assert await store.sweep() == Counter(notices=1)
