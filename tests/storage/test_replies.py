"""Only one of several processes replies to a message, and only once."""

import asyncio
from datetime import timedelta

import pytest

from bot.storage.replies import CLAIM_DURATION, MAX_ATTEMPTS, REPLY_RETRY_PERIOD, ReplyRecord, UnrecordedReply
from bot.storage.store import Store

SOURCE = 1_478_000_000_000_000_001
LARGEST = (1 << 63) - 1


async def claim(store, source_id=SOURCE, channel_id=20, guild_id=30, author_id=40):
    return await store.claim_reply(source_id, channel_id=channel_id, guild_id=guild_id, author_id=author_id)


async def test_a_claim_records_the_author_and_channel_but_no_reply(store, clock):
    await claim(store, guild_id=None)
    assert await store.reply(SOURCE) == ReplyRecord(SOURCE, 20, None, 40, None, ())


async def test_a_recorded_reply_keeps_its_messages_in_order(store, clock):
    await claim(store)
    clock.advance(seconds=2)
    await store.record_reply(SOURCE, (90, 70, 80))
    assert await store.reply(SOURCE) == ReplyRecord(SOURCE, 20, 30, 40, clock.now, (90, 70, 80))
    assert await claim(store) == 0


async def test_recording_again_replaces_the_messages(store):
    await claim(store)
    await store.record_reply(SOURCE, (1, 2, 3))
    await store.record_reply(SOURCE, (4,))
    assert (await store.reply(SOURCE)).reply_ids == (4,)
    await store.record_reply(SOURCE, ())
    assert (await store.reply(SOURCE)).reply_ids == ()
    assert await claim(store) == 0


async def test_a_released_message_can_be_claimed_again(store):
    await claim(store)
    await store.release_reply_claim(SOURCE, 1)
    assert await store.reply(SOURCE) is None
    assert await claim(store) == 1


async def test_a_sent_reply_cannot_be_released(store):
    await claim(store)
    await store.record_reply(SOURCE, (5,))
    await store.release_reply_claim(SOURCE, 1)
    assert (await store.reply(SOURCE)).reply_ids == (5,)
    assert await claim(store) == 0


async def test_an_attempt_without_the_claim_cannot_release_it(store):
    await claim(store)
    await store.set_reply_claim_duration(SOURCE, 1, timedelta(0))
    assert await claim(store) == 2
    await store.release_reply_claim(SOURCE, 1)
    assert await store.reply(SOURCE) is not None


async def test_a_forgotten_message_can_be_claimed_again(store):
    await claim(store)
    await store.record_reply(SOURCE, (5, 6))
    await store.forget_reply(SOURCE)
    assert await store.reply(SOURCE) is None
    assert await claim(store) == 1
    assert (await store.reply(SOURCE)).reply_ids == ()


async def test_operations_on_an_unclaimed_message_have_no_effect(store):
    await store.record_reply(SOURCE, (5,))
    await store.release_reply_claim(SOURCE, 1)
    await store.forget_reply(SOURCE)
    assert await store.reply(SOURCE) is None


async def test_claims_survive_a_restart_and_expire(store_url, clock):
    async with Store.open(store_url, clock=clock) as store:
        await claim(store, SOURCE)
        await store.record_reply(SOURCE, (5,))
        await claim(store, SOURCE + 1)  # and then the process dies
    async with Store.open(store_url, clock=clock) as store:
        assert await claim(store, SOURCE + 1) == 0, (
            "a message was claimed again while a process may still be replying"
        )
        assert await store.unrecorded_replies() == ()
        clock.now += CLAIM_DURATION
        assert await store.unrecorded_replies() == (UnrecordedReply(SOURCE + 1, 20, 30, 1, timedelta(0)),)
        assert await claim(store, SOURCE) == 0
        assert await claim(store, SOURCE + 1) == 2
        assert await store.unrecorded_replies() == ()
    clock.advance(days=29)
    async with Store.open(store_url, clock=clock) as store:
        await store.sweep()
        assert await claim(store, SOURCE) == 0
        assert (await store.reply(SOURCE)).reply_ids == (5,)


async def test_renewing_a_claim_extends_it(store, clock):
    await claim(store)
    clock.now += CLAIM_DURATION * 0.9
    assert await store.set_reply_claim_duration(SOURCE, 1)
    clock.now += CLAIM_DURATION * 0.9
    assert await claim(store) == 0
    clock.now += CLAIM_DURATION
    assert await claim(store) == 2
    assert not await store.set_reply_claim_duration(SOURCE, 1), (
        "a claim was renewed after another process had taken it"
    )
    await store.set_reply_claim_duration(SOURCE, 1, timedelta(0))
    assert await claim(store) == 0, "a process released a claim that it no longer holds"
    await store.set_reply_claim_duration(SOURCE, 2, timedelta(0))
    assert await claim(store) == 3
    await store.record_reply(SOURCE, (5,))
    assert not await store.set_reply_claim_duration(SOURCE, 3)
    clock.advance(days=1)
    assert (await claim(store), await store.unrecorded_replies()) == (0, ())


async def test_an_unsendable_reply_is_abandoned(store, clock):
    for number in range(1, MAX_ATTEMPTS + 1):
        assert await claim(store) == number
        await store.set_reply_claim_duration(SOURCE, number, timedelta(0))
    assert (await claim(store), await store.unrecorded_replies()) == (0, ())
    await claim(store, SOURCE + 1)
    await store.set_reply_claim_duration(SOURCE + 1, 1, timedelta(0))
    assert [reply.source_id for reply in await store.unrecorded_replies()] == [SOURCE + 1]
    clock.now += REPLY_RETRY_PERIOD
    assert await store.unrecorded_replies() == (), "a reply that is no longer useful is still waiting"
    assert await claim(store, SOURCE + 1) == 2, "the message could not be claimed after an edit"


async def test_an_expired_claim_is_taken_over_by_one_process(store, clock):
    await claim(store)
    clock.now += CLAIM_DURATION
    assert sorted(await asyncio.gather(*(claim(store) for _ in range(20)))) == [0] * 19 + [2]


async def test_a_reply_is_found_by_any_of_its_messages(store):
    await claim(store)
    await store.record_reply(SOURCE, (5, 6))
    await claim(store, SOURCE + 1)
    await store.record_reply(SOURCE + 1, (7,))
    assert await store.reply_containing(5) == await store.reply_containing(6) == await store.reply(SOURCE)
    assert (await store.reply_containing(7)).source_id == SOURCE + 1
    assert await store.reply_containing(SOURCE) is None
    await store.record_reply(SOURCE, (6,))
    assert await store.reply_containing(5) is None


@pytest.mark.parametrize("invalid_id", [-1, LARGEST + 1, 1 << 64])
async def test_invalid_ids_are_refused(store, invalid_id):
    await claim(store)
    calls = [
        claim(store, invalid_id),
        claim(store, 1, channel_id=invalid_id),
        claim(store, 1, guild_id=invalid_id),
        claim(store, 1, author_id=invalid_id),
        store.record_reply(invalid_id, ()),
        store.record_reply(SOURCE, (5, invalid_id)),
        store.release_reply_claim(invalid_id, 1),
        store.reply(invalid_id),
        store.reply_containing(invalid_id),
        store.forget_reply(invalid_id),
        store.forget_user(invalid_id),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="can't be a Discord id"):
            await call
    assert await store.reply(1) is None
    assert (await store.reply(SOURCE)).recorded_at is None


async def test_the_largest_id_fits(store):
    await claim(store, LARGEST, LARGEST, LARGEST, LARGEST)
    await store.record_reply(LARGEST, (LARGEST,))
    reply = await store.reply(LARGEST)
    assert (reply.source_id, reply.channel_id, reply.guild_id, reply.author_id) == (LARGEST,) * 4
    assert reply.reply_ids == (LARGEST,)


async def test_a_clock_set_back_releases_claims_and_retries(store, clock):
    assert await claim(store) == 1
    clock.advance(seconds=-90)
    assert await claim(store) == 0, "a claim ended, although the clocks differ by only 90 seconds"
    clock.advance(days=-1)
    [reply] = await store.unrecorded_replies()
    assert reply.time_since_expiry.total_seconds() > 3600
    assert await claim(store) == 2
    await store.set_reply_claim_duration(SOURCE, 2, timedelta(0))
    clock.advance(days=-1)
    assert len(await store.unrecorded_replies()) == 1
