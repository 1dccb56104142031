"""Puzzle answers and ratings are stored per user, and deleted with the user. No concurrent change is lost."""

import asyncio
from dataclasses import replace

from bot.storage.puzzles import Progress, Rating
from tests.storage.waiting_transactions import run_concurrently, wait_for_blocked_transactions


def leave_unchanged(answer, rating):
    return answer, rating


def count_try(answer, rating):
    before = rating or Rating(1500.0, 350.0, 0.06)
    return replace(answer, wrong_answers=answer.wrong_answers + 1), replace(before, rating=before.rating + 1)


async def test_the_states_before_and_after_an_answer_are_returned(store):
    assert await store.puzzle_rating(1, "chess") is None
    (before, unrated), (after, rated) = await store.change_progress(1, "chess", "0YtJI", count_try)
    assert (before, unrated) == (Progress(), None)
    assert (after, rated) == (Progress(wrong_answers=1), Rating(1501.0, 350.0, 0.06))
    assert (await store.change_progress(1, "chess", "0YtJI", count_try))[0][0] == after
    assert await store.puzzle_rating(1, "chess") == Rating(1502.0, 350.0, 0.06)
    assert await store.puzzle_rating(1, "crossword") is None


async def test_no_concurrent_answer_is_lost(store):
    await asyncio.gather(*(store.change_progress(1, "chess", "0YtJI", count_try) for _ in range(20)))
    _, (answer, rating) = await store.change_progress(1, "chess", "0YtJI", leave_unchanged)
    assert answer.wrong_answers == 20
    assert rating.rating == 1520.0


async def test_two_first_answers_at_the_same_time_both_change_the_rating(postgres_store, other_connection):
    calls = (postgres_store.change_progress(1, "chess", puzzle, count_try) for puzzle in ("0YtJI", "1AbcD"))
    await run_concurrently(other_connection, "rating_history", *calls)
    assert await postgres_store.puzzle_rating(1, "chess") == Rating(1502.0, 350.0, 0.06)
    assert await postgres_store.rating_history(1, "chess") == (1501, 1502)


async def test_an_answer_during_deletion_causes_no_error(postgres_store, other_connection):
    store = postgres_store
    await store.change_progress(1, "chess", "0YtJI", count_try)
    async with asyncio.TaskGroup() as tasks:
        await other_connection.execute("SELECT * FROM puzzle_answers FOR UPDATE")
        tasks.create_task(store.forget_user(1))
        await wait_for_blocked_transactions(other_connection, 1)
        tasks.create_task(store.change_progress(1, "chess", "0YtJI", count_try))
        await wait_for_blocked_transactions(other_connection, 2)
        await other_connection.commit()
        # The task group ends only if both tasks end without an error.


async def test_looking_at_a_puzzle_gives_no_rating(store):
    await store.change_progress(1, "chess", "0YtJI", leave_unchanged)
    await store.change_progress(1, "crossword", "1e7a488d", leave_unchanged)
    assert set(await store.puzzle_answers(1, "chess")) == {"0YtJI"}
    assert await store.puzzle_answers(2, "chess") == {}
    assert await store.puzzle_rating(1, "chess") is None
    assert (await store.count_user_data(1))["puzzles"] == 2


async def test_a_forgotten_user_leaves_no_answers(store):
    for user in (1, 2):
        await store.change_progress(user, "chess", "0YtJI", count_try)
    await store.forget_user(1)
    assert (await store.count_user_data(1))["puzzles"] == 0
    assert await store.puzzle_rating(1, "chess") is None
    assert set(await store.puzzle_answers(2, "chess")) == {"0YtJI"}
