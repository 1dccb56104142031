"""A notice is sent once, and repeated only after a long time."""

import asyncio
from collections import Counter

from bot.storage.bookkeeping import NOTICE_RETENTION

KEY = "attach_files:1478000000000000001"


async def test_only_one_of_many_callers_may_notify(store):
    assert sum(await asyncio.gather(*(store.claim_notice(KEY) for _ in range(10)))) == 1
    assert await store.claim_notice("embed_links:1478000000000000001") is True


async def test_a_notice_may_be_repeated_after_expiry(store, clock):
    await store.claim_notice(KEY)
    clock.now += NOTICE_RETENTION
    assert await store.claim_notice(KEY) is False
    clock.advance(microseconds=1)
    assert await store.claim_notice(KEY) is True
    assert await store.claim_notice(KEY) is False


async def test_a_notice_is_swept_after_expiry(store, clock):
    await store.claim_notice(KEY)
    clock.now += NOTICE_RETENTION
    assert await store.sweep() == Counter()
    clock.advance(microseconds=1)
    assert await store.sweep() == Counter(notices=1)
