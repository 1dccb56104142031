"""Polls: a user has one poll per channel, users can change their plays until they see the analysis, and each poll is revealed once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.storage.polls import MAX_OPEN_POLLS_PER_USER, MAX_PLAYERS, AnalysisView, Poll
from bot.storage.store import POLL_RETENTION
from tests.storage.guilds import forget_guild
from tests.storage.waiting_transactions import run_concurrently


def make_poll(clock):
    ends = clock.now + timedelta(hours=1)
    return Poll(1, 10, 5, 7, "d" * 22, 3, None, False, "b" * 22, ends)


async def test_the_number_of_polls_per_channel_and_per_user_is_limited(store, clock):
    first = make_poll(clock)
    assert await store.save_poll(first)
    assert await store.poll(1) == await store.poll_of_author(7, 10) == first
    assert not await store.save_poll(replace(first, message_id=2))
    assert await store.save_poll(replace(first, message_id=2, author_id=8))
    stored = [
        await store.save_poll(replace(first, message_id=10 + n, channel_id=20 + n))
        for n in range(MAX_OPEN_POLLS_PER_USER)
    ]
    assert stored == [True] * (MAX_OPEN_POLLS_PER_USER - 1) + [False]
    assert set(await store.open_poll_end_times()) == {1, 2, *range(10, 10 + MAX_OPEN_POLLS_PER_USER - 1)}


async def test_only_one_of_two_simultaneous_polls_is_stored(postgres_store, other_connection, clock):
    first = make_poll(clock)
    # This poll creates the guild's row. Otherwise, one of the next two polls would wait until the other has created it.
    assert await postgres_store.save_poll(replace(first, message_id=9, author_id=8))
    calls = (postgres_store.save_poll(replace(first, message_id=number)) for number in (1, 2))
    assert sorted(await run_concurrently(other_connection, "polls", *calls)) == [False, True]


async def test_a_play_can_change_until_its_player_sees_the_analysis(store, clock):
    await store.save_poll(make_poll(clock))
    assert await store.record_poll_answer(1, 2, "8H ONE") is None
    await store.record_poll_answer(1, 2, "8H TWO")
    await store.record_analysis_view(1, 3)
    await store.record_poll_answer(1, 3, "pass")
    await store.record_analysis_view(1, 2)
    assert (await store.record_poll_answer(1, 2, "8H THREE")).view is AnalysisView.AFTER_ANSWER
    stored = [(entry.user_id, entry.play, entry.view) for entry in await store.poll_entries(1)]
    assert stored == [(2, "8H TWO", AnalysisView.AFTER_ANSWER), (3, "pass", AnalysisView.BEFORE_ANSWER)]
    with pytest.raises(KeyError):
        await store.record_poll_answer(9, 2, "pass")
    with pytest.raises(KeyError):
        await store.record_analysis_view(9, 2)


async def test_concurrent_answers_are_stored_up_to_the_limit(store, clock):
    await store.save_poll(make_poll(clock))
    results = await asyncio.gather(
        *(store.record_poll_answer(1, 100 + n, "pass") for n in range(MAX_PLAYERS + 5)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, ValueError) for result in results) == 5
    assert len({entry.user_id for entry in await store.poll_entries(1)}) == MAX_PLAYERS


async def test_polls_about_a_board_are_returned_with_the_users_analysis_view(store, clock):
    first = make_poll(clock)
    await store.save_poll(first)
    assert await store.polls_about(("x", "b" * 22), 2) == ((first, None),)
    assert await store.polls_about(("x",), 2) == ()
    await store.record_analysis_view(1, 2)
    assert await store.polls_about(("b" * 22,), 2) == ((first, AnalysisView.BEFORE_ANSWER),)
    await store.record_poll_answer(1, 3, "pass")
    assert await store.polls_about(("b" * 22,), 3) == ((first, AnalysisView.NONE),)


async def test_a_view_outside_the_server_counts_as_soon_as_the_user_plays(store, clock):
    await store.save_poll(make_poll(clock))
    await store.record_analysis_view_outside(1, 2)
    await store.record_analysis_view_outside(9, 2)
    assert await store.polls_about(("b" * 22,), 2) == ((make_poll(clock), AnalysisView.OUTSIDE),)
    assert (await store.record_poll_answer(1, 2, "pass")).view is AnalysisView.OUTSIDE
    assert [entry.view for entry in await store.poll_entries(1)] == [AnalysisView.BEFORE_ANSWER]
    await store.record_analysis_view_outside(1, 3)
    await store.record_analysis_view(1, 3)
    await store.record_poll_answer(1, 4, "pass")
    await store.record_analysis_view_outside(1, 4)
    views = {entry.user_id: entry.view for entry in await store.poll_entries(1)}
    assert views == {2: AnalysisView.BEFORE_ANSWER, 3: AnalysisView.BEFORE_ANSWER, 4: AnalysisView.NONE}


async def test_views_outside_the_server_leave_room_for_players(store, clock, monkeypatch):
    monkeypatch.setattr("bot.storage.polls.MAX_OUTSIDE_VIEWERS", 2)
    monkeypatch.setattr("bot.storage.polls.MAX_PLAYERS", 1)
    await store.save_poll(make_poll(clock))
    for user in (2, 3, 4):
        await store.record_analysis_view_outside(1, user)
    assert [entry.user_id for entry in await store.poll_entries(1)] == [2, 3]
    assert await store.record_poll_answer(1, 5, "pass") is None
    with pytest.raises(ValueError, match="the poll is full"):
        await store.record_poll_answer(1, 2, "pass")


async def test_another_process_reveals_a_poll_if_the_first_one_fails(store, clock):
    await store.save_poll(make_poll(clock))
    assert await store.due_polls() == ()
    clock.advance(hours=1)
    [due] = await store.due_polls()
    claims = await asyncio.gather(*(store.claim_poll(due.message_id) for _ in range(5)))
    assert claims.count(None) == 4
    [expired_claim] = filter(None, claims)
    assert await store.due_polls() == ()
    clock.advance(minutes=6)
    assert await store.due_polls() == (due,)
    claim = await store.claim_poll(1)
    assert claim is not None
    await store.release_poll(1, expired_claim)
    assert await store.due_polls() == (), "an expired claim released another process's claim"
    await store.release_poll(1, claim)
    assert await store.due_polls() == (due,)
    for _ in range(2):
        await store.forget_poll(1)
        assert await store.poll(1) is None


async def test_a_clock_set_back_releases_the_claim_on_a_poll(store, clock):
    await store.save_poll(make_poll(clock))
    clock.advance(hours=10)
    assert await store.claim_poll(1) is not None
    clock.advance(minutes=-4)
    assert await store.claim_poll(1) is None, (
        "a claim ended, although the clocks differ by only a few minutes"
    )
    clock.advance(hours=-5)
    assert len(await store.due_polls()) == 1
    assert await store.claim_poll(1) is not None


async def test_polls_that_were_never_revealed_are_swept(store, clock):
    await store.save_poll(make_poll(clock))
    clock.advance(hours=2)
    assert (await store.sweep())["polls"] == 0
    clock.now += POLL_RETENTION
    assert (await store.sweep())["polls"] == 1


async def test_polls_of_forgotten_users_and_guilds_are_deleted(store, clock):
    await store.save_poll(make_poll(clock))
    await store.record_poll_answer(1, 2, "pass")
    await store.record_poll_answer(1, 7, "pass")
    assert [(await store.count_user_data(user))["polls"] for user in (2, 7)] == [1, 2]
    await store.forget_user(2)
    assert [entry.user_id for entry in await store.poll_entries(1)] == [7]
    await store.forget_user(7)
    assert await store.poll(1) is None
    assert await store.poll_entries(1) == ()
    await store.save_poll(make_poll(clock))
    await forget_guild(store, 5)
    assert await store.poll(1) is None
