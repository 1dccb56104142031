"""Finished games are stored for later review, up to a limit per user and server, and deleted after a year."""

import asyncio
from datetime import timedelta

import pytest

from bot.storage.settings import UserSettings
from bot.storage.user_games import MAX_NAMES, MAX_USER_GAMES
from tests.storage.guilds import forget_guild
from tests.storage.waiting_transactions import run_concurrently, wait_for_blocked_transactions

ALICE, BOB, CLUB, OTHER = 7, 8, 100, 101


async def post(store, clock, source, *digests, user=ALICE, guild=CLUB):
    for digest in digests:
        await store.save_document(digest, "gcg", digest, clock.now + timedelta(days=30), author_id=user)
    await store.save_user_games(source, guild, user, digests)


async def test_the_games_of_a_user_in_a_server_are_returned_latest_first(store, clock):
    await post(store, clock, 1, "a", "b")
    await post(store, clock, 2, "c")
    await post(store, clock, 3, "d", user=BOB)
    await post(store, clock, 4, "e", guild=OTHER)
    assert await store.user_games(CLUB, ALICE) == ((2, "c"), (1, "a"), (1, "b"))
    assert await store.user_games(CLUB, ALICE, 1) == ((2, "c"),)
    assert (await store.count_user_data(ALICE))["user_games"] == 4


async def test_a_game_posted_again_is_listed_once_with_its_latest_post(store, clock):
    await post(store, clock, 1, "a")
    await post(store, clock, 2, "b")
    await post(store, clock, 3, "a")
    assert await store.user_games(CLUB, ALICE) == ((3, "a"), (2, "b"))
    await store.forget_reply(3)
    assert await store.user_games(CLUB, ALICE) == ((2, "b"), (1, "a"))


async def test_an_edit_replaces_the_stored_games(store, clock):
    await post(store, clock, 1, "a")
    await post(store, clock, 1, "b")
    assert await store.user_games(CLUB, ALICE) == ((1, "b"),)
    await post(store, clock, 1)
    assert await store.user_games(CLUB, ALICE) == ()


async def test_a_game_without_a_stored_document_is_skipped(store):
    await store.save_user_games(1, CLUB, ALICE, ("never",))
    assert await store.user_games(CLUB, ALICE) == ()


async def test_the_games_in_a_message_can_be_stored_concurrently(postgres_store, other_connection, clock):
    await post(postgres_store, clock, 1, "a", "b")
    calls = (postgres_store.save_user_games(1, CLUB, ALICE, digests) for digests in (["a"], ["b", "a"]))
    await run_concurrently(other_connection, "own_games", *calls)
    assert {(1, "a")} <= set(await postgres_store.user_games(CLUB, ALICE)) <= {(1, "a"), (1, "b")}


async def test_a_game_deleted_at_the_same_time_is_skipped(postgres_store, other_connection, clock):
    await post(postgres_store, clock, 1, "a")
    await other_connection.execute("DELETE FROM documents")
    saving = asyncio.create_task(postgres_store.save_user_games(2, CLUB, ALICE, ["a"]))
    await wait_for_blocked_transactions(other_connection, 1)
    await other_connection.commit()
    await saving
    assert await postgres_store.user_games(CLUB, ALICE) == ()


async def test_the_oldest_games_are_dropped_at_the_limit(store, clock):
    for number in range(1, MAX_USER_GAMES + 3):
        await post(store, clock, number, f"g{number}")
    stored = await store.user_games(CLUB, ALICE, 100)
    assert [source_id for source_id, _ in stored] == list(range(MAX_USER_GAMES + 2, 2, -1))
    # The document of a dropped game expires like any other document.
    clock.advance(days=31)
    await store.sweep()
    assert await store.document("g2") is None
    assert await store.document("g3") is not None


async def test_a_game_is_stored_for_a_year(store, clock):
    await post(store, clock, 1, "a")
    clock.advance(days=364)
    await store.sweep()
    assert await store.user_games(CLUB, ALICE) == ((1, "a"),)
    clock.advance(days=2)
    assert await store.user_games(CLUB, ALICE) == ()
    await store.sweep()
    assert (await store.count_user_data(ALICE))["user_games"] == 0


async def test_withdrawing_consent_deletes_the_games(store, clock):
    await post(store, clock, 1, "a")
    await post(store, clock, 2, "a", user=BOB)
    await store.save_player_names(CLUB, ALICE, {"0" * 16: True})
    await store.change_user_settings(ALICE, lambda _: UserSettings(games=True, theme="dark"))
    assert (await store.count_user_data(ALICE))["user_games"] == 1
    await store.change_user_settings(ALICE, lambda _: UserSettings(theme="dark"))
    data = await store.count_user_data(ALICE)
    assert (data["user_games"], data["player_names"]) == (0, 0)
    assert await store.player_names(CLUB, ALICE) == {}
    assert await store.user_games(CLUB, BOB) == ((2, "a"),)
    clock.advance(days=31)
    await store.sweep()
    assert await store.document("a") is not None, "a game that Bob still has was deleted"


@pytest.mark.parametrize("deletion", ["user", "guild", "sweep"])
async def test_games_are_deleted_with_the_user_or_the_server(store, clock, deletion):
    await post(store, clock, 1, "a")
    await post(store, clock, 2, "b", user=BOB, guild=OTHER)
    await store.save_player_names(CLUB, ALICE, {"0" * 16: True})
    await store.save_player_names(OTHER, BOB, {"1" * 16: False})
    if deletion == "user":
        await store.forget_user(ALICE)
    elif deletion == "guild":
        await forget_guild(store, CLUB)
    else:
        await store.mark_guild_left(CLUB)
        clock.advance(days=31)
        await store.sweep()
    data = await store.count_user_data(ALICE)
    assert (data["user_games"], data["player_names"]) == (0, 0)
    assert await store.user_games(OTHER, BOB) == ((2, "b"),)
    assert await store.player_names(OTHER, BOB) == {"1" * 16: False}
    clock.advance(days=31)
    await store.sweep()
    assert await store.document("a") is None
    assert await store.document("b") is not None


async def test_the_latest_answer_about_a_name_counts(store):
    first, second = "0" * 16, "1" * 16
    await store.save_player_names(CLUB, ALICE, {first: True, second: False})
    await store.save_player_names(CLUB, ALICE, {first: False})
    assert await store.player_names(CLUB, ALICE) == {first: False, second: False}
    assert await store.player_names(OTHER, ALICE) == {}
    assert await store.player_names(CLUB, BOB) == {}
    assert (await store.count_user_data(ALICE))["player_names"] == 2


async def test_names_can_be_stored_concurrently(postgres_store, other_connection):
    await postgres_store.save_player_names(CLUB, ALICE, {})
    names_at_limit = {f"{number:016x}": True for number in range(MAX_NAMES)}
    calls = (
        postgres_store.save_player_names(CLUB, ALICE, names) for names in (names_at_limit, {"0" * 16: False})
    )
    await run_concurrently(other_connection, "own_names", *calls)
    assert (await postgres_store.player_names(CLUB, ALICE)).keys() == names_at_limit.keys()


async def test_the_number_of_names_is_limited_and_names_are_hashes(store):
    names_at_limit = {f"{number:016x}": False for number in range(MAX_NAMES)}
    await store.save_player_names(CLUB, ALICE, names_at_limit)
    await store.save_player_names(CLUB, ALICE, {"f" * 16: True})
    assert await store.player_names(CLUB, ALICE) == {"f" * 16: True}
    with pytest.raises(ValueError, match="16 hexadecimal digits"):
        await store.save_player_names(CLUB, ALICE, {"alice": True})
    with pytest.raises(ValueError, match="at most"):
        await store.save_player_names(
            CLUB, ALICE, {f"{number:016x}": True for number in range(MAX_NAMES + 1)}
        )
