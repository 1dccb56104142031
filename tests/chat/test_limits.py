"""Limits on requests: a busy user or channel doesn't delay others, and one notice replaces the refused replies."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import pytest
from hypothesis import given, strategies as st

from bot.chat import notices
from bot.chat.limits import Allowance, LimitDecision
from bot.config import Limits
from bot.fair_queue import FairQueue
from tests.positions import EMPTY_BOARD, MAVEN

from .actions import click, id_of, press, replies_with_files, replies_without_files, text_of
from .conftest import make_settings


@pytest.fixture
def settings(tmp_path, request):
    """Return settings with the limits of the test, which may be stricter than a host can set."""
    limits = msgspec.structs.replace(Limits(), **getattr(request, "param", {}))
    return make_settings(tmp_path, limits=limits)


def with_limits(**limits):
    return pytest.mark.parametrize("settings", [limits], indirect=True)


@with_limits(user_per_minute=3)
async def test_a_rate_limited_author_is_notified_once(world):
    for number in range(6):
        await world.alice.send(world.channel, f"{EMPTY_BOARD} A/ {number}/0 0;")
    assert len(replies_with_files(world.channel)) == 3
    [notice] = replies_without_files(world.channel)
    assert "That's a lot at once!" in text_of(notice)
    await world.bob.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 4, "the limit of one user applied to another user"
    await world.env.advance_time(notices.OVERLOAD_NOTICE_SECONDS + 1)
    assert replies_without_files(world.channel) == [], "the bot did not delete its notice"
    await world.alice.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 5


@with_limits(user_per_minute=3)
async def test_chat_does_not_count_towards_a_limit(world):
    for _ in range(6):
        await world.alice.send(world.channel, "good morning")
    await world.alice.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 1


@with_limits(channel_per_minute=3)
async def test_a_channel_limit_does_not_apply_to_other_channels(world):
    other_channel = world.guild.create_text_channel("quiet")
    for number in range(4):
        await (world.alice if number % 2 else world.bob).send(
            world.channel, f"{EMPTY_BOARD} A/ {number}/0 0;"
        )
    assert len(replies_with_files(world.channel)) == 3
    assert len(replies_without_files(world.channel)) == 1
    await world.alice.send(other_channel, MAVEN)
    assert len(replies_with_files(other_channel)) == 1


@with_limits(user_per_minute=2)
async def test_commands_are_counted_and_refused_privately(world):
    for _ in range(2):
        assert (await world.alice.slash(world.channel, "show", position=MAVEN)).response.attachments
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert result.ephemeral
    assert "asked for a lot in a short time" in text_of(result.response)
    assert (await world.alice.slash(world.channel, "convert", to="cgp", position=MAVEN)).ephemeral
    await world.env.advance_time(30)
    assert (await world.alice.slash(world.channel, "show", position=MAVEN)).response.attachments


@with_limits(presses_per_minute=3)
async def test_a_rate_limited_press_is_refused_with_one_notice(world):
    await world.alice.send(world.channel, "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n")
    [reply] = replies_with_files(world.channel)
    for target in ("first", "last", "first"):
        await press(world.bob, replies_with_files(world.channel)[0], target)
    refusal = await press(world.bob, replies_with_files(world.channel)[0], "last")
    assert "asked for a lot in a short time" in text_of(refusal.response)
    assert refusal.ephemeral
    second_refusal = await press(world.bob, replies_with_files(world.channel)[0], "last")
    assert second_refusal.acknowledged
    assert not second_refusal.followups
    assert text_of(replies_with_files(world.channel)[0]).count("The start") == 1, (
        "a refused press changed the message"
    )
    await press(world.alice, replies_with_files(world.channel)[0], "last")
    assert "The start" not in text_of(replies_with_files(world.channel)[0]), (
        "the limit of one user applied to another user"
    )
    delete_id = id_of(replies_with_files(world.channel)[0], "delete:")
    for _ in range(3):
        refusal = await click(world.bob, replies_with_files(world.channel)[0], custom_id=delete_id)
        assert "Only moderators and the person Kibitz replied to" in text_of(refusal.response), (
            "deleting was refused because of the limit"
        )
    await world.env.advance_time(61)
    await press(world.bob, replies_with_files(world.channel)[0], "first")
    assert replies_with_files(world.channel)[0].id == reply.id
    assert "The start" in text_of(replies_with_files(world.channel)[0])


@with_limits(user_per_minute=1000, channel_per_minute=1000, channel_waiting=30)
async def test_a_flood_in_one_channel_does_not_delay_another(world):
    other_channel = world.guild.create_text_channel("quiet")
    backend = world.env.backend
    for number in range(60):
        # Each position has a different score, so no picture is in the cache.
        backend.create_message(world.channel.id, world.alice.id, f"{EMPTY_BOARD} AB/ {number}/0 0;")
    backend.create_message(other_channel.id, world.bob.id, MAVEN)
    await world.env.settle()
    posted_channel_ids = [
        int(request.path.split("/")[2])
        for request in world.env.http_requests
        if request.method == "POST" and request.path.endswith("/messages")
    ]
    assert len(replies_with_files(other_channel)) == 1
    assert posted_channel_ids.index(other_channel.id) <= 6, (
        "the other channel waited for more than six replies to the flood"
    )
    assert len(replies_with_files(world.channel)) == 30 + 3  # waiting and running requests
    assert len(replies_without_files(world.channel)) == 1


@with_limits(user_per_minute=1000, channel_per_minute=1000)
async def test_a_single_post_waits_for_only_a_few_posts_of_another_user(world):
    backend = world.env.backend
    for number in range(20):
        backend.create_message(world.channel.id, world.alice.id, f"{EMPTY_BOARD} AB/ {number}/0 0;")
    bobs_post = backend.create_message(world.channel.id, world.bob.id, MAVEN)
    await world.env.settle()
    answered_ids = [message.reference.message_id for message in replies_with_files(world.channel)]
    assert len(answered_ids) == 21
    assert answered_ids.index(bobs_post.id) <= 6, "Bob waited for more than six of Alice's replies"


async def test_a_message_deleted_while_it_waits_gets_no_reply(world):
    backend = world.env.backend
    waiting_messages = [
        backend.create_message(world.channel.id, world.alice.id, f"{EMPTY_BOARD} AB/ {number % 5}/0 0;")
        for number in range(12)
    ]
    backend.delete_message(world.channel.id, waiting_messages[-1].id)
    await world.env.settle()
    answered_ids = {message.reference.message_id for message in replies_with_files(world.channel)}
    assert answered_ids == {message.id for message in waiting_messages[:-1]}


class Clock:
    """A fake clock for allowances."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr("bot.chat.limits.time.monotonic", lambda: self.now)


def test_an_allowance_refills_evenly(monkeypatch):
    clock, allowance = Clock(monkeypatch), Allowance(6)
    alice, bob = 1, 2
    assert [allowance.try_to_spend(alice) for _ in range(6)] == [LimitDecision.GRANTED] * 6
    assert allowance.try_to_spend(alice) is LimitDecision.REFUSED_WITH_WARNING
    assert allowance.try_to_spend(alice) is LimitDecision.REFUSED
    assert allowance.try_to_spend(bob) is LimitDecision.GRANTED
    clock.now += 10
    assert allowance.try_to_spend(alice) is LimitDecision.GRANTED
    assert allowance.try_to_spend(alice) is LimitDecision.REFUSED, (
        "the limit was explained twice in ten seconds"
    )
    clock.now += 60
    assert [allowance.try_to_spend(alice) for _ in range(7)] == [LimitDecision.GRANTED] * 6 + [
        LimitDecision.REFUSED_WITH_WARNING
    ]


def test_an_allowance_remembers_a_limited_number_of_users(monkeypatch):
    Clock(monkeypatch)
    monkeypatch.setattr("bot.chat.limits.MAX_REMEMBERED_KEYS", 10)
    allowance = Allowance(1)
    for key in range(100):
        assert allowance.try_to_spend(key) is LimitDecision.GRANTED
    assert len(allowance._remaining_by_key) == 10


async def serve_requests(
    requests: list[int], *, max_concurrent: int, cancelled_indices: tuple[int, ...] = ()
) -> list[int]:
    """Make all requests at the same time. ``requests`` contains the user of each request. Return the users in the order served."""
    queue, served_users = FairQueue(max_concurrent, max_waiting=1000), []

    async def ask(person):
        async with queue.turn(1, person):
            served_users.append(person)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(ask(person)) for person in requests]
    await asyncio.sleep(0)
    for index in cancelled_indices:
        tasks[index].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert queue._running == queue._waiting == {}
    return served_users


async def test_users_in_a_channel_take_turns():
    alice, bob, carol = 1, 2, 3
    assert await serve_requests([alice] * 9 + [bob], max_concurrent=3) == [alice] * 4 + [bob] + [alice] * 5
    assert await serve_requests([alice] * 4 + [bob] * 2 + [carol], max_concurrent=1) == [
        alice, alice, bob, carol, alice, bob, alice,
    ]  # fmt: skip


@given(
    st.lists(st.integers(0, 3), max_size=30),
    st.integers(1, 3),
    st.lists(st.integers(0, 29), max_size=8),
)
async def test_a_user_waits_for_at_most_one_request_per_other_user(requests, max_concurrent, indices):
    cancelled_indices = tuple(index for index in indices if index < len(requests))
    served_users = await serve_requests(
        requests, max_concurrent=max_concurrent, cancelled_indices=cancelled_indices
    )
    unserved_requests = Counter(requests) - Counter(served_users)
    assert unserved_requests.total() <= len(set(cancelled_indices)), (
        "a request that was not cancelled was not served"
    )
    for person in set(served_users):
        first = served_users.index(person)
        others = Counter(served_users[max_concurrent:first])
        assert cancelled_indices or not others or max(others.values()) == 1


async def test_a_queue_is_empty_after_its_turns():
    queue = FairQueue(max_running=1, max_waiting=1)
    async with queue.turn(1, 1):
        assert not queue.is_full(1)
        assert queue.waiting_count == 0, "a running request counts as waiting"
        with pytest.raises(RuntimeError):
            async with queue.turn(2, 1):
                raise RuntimeError
    assert queue._running == queue._waiting == {}
