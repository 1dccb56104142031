"""A game's home and seats are stored apart from its links. An outdated record never replaces a newer record."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.storage import live_games
from bot.storage.live_games import GameHome
from bot.storage.store import LIVE_GAME_RETENTION
from tests.storage.guilds import forget_guild

HOME = GameHome(
    7,
    20,
    "g\0\ud800",
    30,
    1,
    {0: 1},
    {1: 2},
    settled_turn_count=3,
    last_disputed_turn=2,
    revealed_digest="digest",
)


async def save(store, record):
    assert await store.save_game_home(record, record.version)
    return await store.game_home(record.draws_id)


async def test_a_stored_game_is_read_back_unchanged(store):
    assert await store.game_home(7) is None
    stored = await save(store, HOME)
    assert replace(stored, version=0) == HOME
    moved = await save(store, replace(stored, occupants={0: 1, 1: 2}, claims={}))
    assert (moved.occupants, moved.claims) == ({0: 1, 1: 2}, {})
    assert await store.save_game_home(HOME, stored.version) is False, (
        "an outdated record replaced a newer record"
    )
    assert await store.save_game_home(HOME, 0) is False


async def test_a_game_is_found_by_a_seated_player(store, clock):
    await save(store, HOME)
    clock.advance(seconds=1)
    await save(store, replace(HOME, draws_id=8))
    assert (await store.game_home_of(1, HOME.game_id)).draws_id == 8
    assert await store.game_home_of(2, HOME.game_id) is None, "a claimed seat counted as a held seat"
    assert await store.game_home_of(1, "other") is None


async def test_the_seat_of_a_forgotten_user_stays_closed(store):
    first = await save(store, replace(HOME, occupants={0: 1, 1: 2}, claims={2: 3}))
    assert (await store.count_user_data(1))["live_seats"] == 1
    await store.forget_user(1)
    await store.forget_user(3)
    stored = await store.game_home(7)
    assert (stored.occupants, stored.claims, stored.first_poster_id, stored.settled_turn_count) == (
        {0: None, 1: 2},
        {},
        None,
        0,
    )
    assert (await store.count_user_data(1))["live_seats"] == 0
    assert await store.save_game_home(first, first.version) is False


async def test_a_game_is_deleted_with_its_guild_and_after_its_retention_period(store, clock):
    await save(store, HOME)
    await save(store, replace(HOME, draws_id=8, guild_id=31))
    await forget_guild(store, 30)
    assert await store.game_home(7) is None
    clock.now += LIVE_GAME_RETENTION + timedelta(seconds=1)
    assert (await store.sweep())["live_draws"] == 1
    assert await store.game_home(8) is None


async def test_only_the_latest_games_of_a_user_are_stored(store, clock, monkeypatch):
    monkeypatch.setattr(live_games, "MAX_GAMES_WITH_SEATS", 2)
    await save(store, replace(HOME, draws_id=1, first_poster_id=2))
    for draws_id in (3, 4, 5):
        clock.advance(seconds=1)
        await save(store, replace(HOME, draws_id=draws_id))
    assert [await store.game_home(draws_id) is not None for draws_id in (1, 3, 4, 5)] == [
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("change", [{"first_poster_id": -1}, {"occupants": {0: 1 << 63}}])
async def test_invalid_user_ids_are_not_stored(store, change):
    with pytest.raises(ValueError, match="Discord id"):
        await save(store, replace(HOME, **change))
