"""A live game is stored as its posted URLs. No writer overwrites another writer's changes."""

import asyncio
import dataclasses
from collections import Counter
from datetime import timedelta

import pytest

from bot.storage import live_games
from bot.storage.live_games import BoardMessage, LiveGameRecord, PostedUrl
from bot.storage.store import LIVE_GAME_RETENTION, Store
from tests.storage.waiting_transactions import run_concurrently

CHANNEL = 20
HISTORY = PostedUrl(1, "https://example.org/#gid=kibitz&tn=1&wp=8h.cat")


def game_record(*urls, game_id="kibitz", channel_id=CHANNEL):
    return LiveGameRecord(channel_id, game_id, 30, urls or (HISTORY,))


async def save(store, record):
    assert await store.save_live_game(record, record.version)
    return await store.live_game(record.channel_id, record.game_id)


def with_url(record, author_id, url):
    return dataclasses.replace(record, urls=(*record.urls, PostedUrl(author_id, url)))


async def count_urls(store):
    async with store._database.reading() as connection:
        return (await connection.exec_driver_sql("SELECT count(*) FROM live_texts")).scalar_one()


async def test_a_game_survives_a_restart_unchanged(store_url, clock):
    urls = (HISTORY, PostedUrl(2, "#gid=kibitz&tn=3&wp=…\0\ud800"), PostedUrl(1, ""))
    async with Store.open(store_url, clock=clock) as store:
        assert await store.live_game(CHANNEL, "kibitz") is None
        await save(store, game_record(*urls))
    async with Store.open(store_url) as store:
        stored = await store.live_game(CHANNEL, "kibitz")
    assert (stored.urls, stored.guild_id, stored.updated) == (urls, 30, clock.now)
    assert stored.version != 0
    assert stored.author_ids == {1, 2}


async def test_a_game_is_identified_by_channel_and_case_sensitive_id(store):
    for channel_id, game_id in ((20, "g"), (21, "g"), (20, "G"), (20, "ü\0")):
        await save(
            store, game_record(PostedUrl(1, f"{channel_id}{game_id}"), channel_id=channel_id, game_id=game_id)
        )
    for channel_id, game_id in ((20, "g"), (21, "g"), (20, "G"), (20, "ü\0")):
        assert (await store.live_game(channel_id, game_id)).urls[0].url == f"{channel_id}{game_id}"


async def test_the_second_of_two_writers_is_refused(store):
    first = await save(store, game_record())
    assert await store.save_live_game(game_record(PostedUrl(9, "other")), 0) is False
    own, other = with_url(first, 1, "mine"), with_url(first, 2, "theirs")
    assert await store.save_live_game(other, first.version) is True
    assert await store.save_live_game(own, first.version) is False
    assert (await store.live_game(CHANNEL, "kibitz")).urls == other.urls


async def test_many_writers_that_retry_lose_nothing(store):
    async def add(number):
        while True:
            record = await store.live_game(CHANNEL, "kibitz")
            posted = PostedUrl(number, f"delta {number}")
            new = game_record(posted) if record is None else with_url(record, number, posted.url)
            if await store.save_live_game(new, new.version):
                return

    await asyncio.gather(*(add(number) for number in range(12)))
    record = await store.live_game(CHANNEL, "kibitz")
    assert sorted(posted.author_id for posted in record.urls) == list(range(12))


async def test_the_later_of_two_boards_stored_at_once_is_current(postgres_store, other_connection):
    await save(postgres_store, game_record())
    early, late = BoardMessage(CHANNEL, 1000), BoardMessage(CHANNEL, 1001)
    calls = (postgres_store.record_live_board(CHANNEL, "kibitz", board) for board in (late, early))
    assert set(await run_concurrently(other_connection, "live_games", *calls)) == {early, None}
    assert await postgres_store.live_board_message(CHANNEL, "kibitz") == late


async def test_a_stale_game_cannot_overwrite_its_successor(store, clock):
    old = await save(store, game_record())
    await store.forget_live_game(CHANNEL, "kibitz")
    assert await count_urls(store) == 0
    assert await store.save_live_game(with_url(old, 1, "late"), old.version) is False
    clock.advance(microseconds=1)
    new = await save(store, game_record(PostedUrl(2, "again")))
    assert await store.save_live_game(with_url(old, 1, "late"), old.version) is False
    assert (await store.live_game(CHANNEL, "kibitz")).urls == new.urls


async def test_the_games_of_a_channel_are_returned_most_recently_changed_first(store, clock):
    for game_id in ("a", "b", "c"):
        clock.advance(seconds=1)
        await save(store, game_record(game_id=game_id))
    await save(store, game_record(game_id="other", channel_id=21))
    clock.advance(seconds=1)
    await save(store, with_url(await store.live_game(CHANNEL, "a"), 2, "more"))
    assert [record.game_id for record in await store.live_games(CHANNEL)] == ["a", "c", "b"]
    assert [record.game_id for record in await store.live_games(CHANNEL, limit=2)] == ["a", "c"]
    assert len((await store.live_games(CHANNEL))[0].urls) == 2
    assert await store.live_games(99) == ()


async def test_the_limit_of_games_applies_per_user(store, clock, monkeypatch):
    monkeypatch.setattr(live_games, "MAX_LIVE_GAMES", 3)
    await save(store, game_record(PostedUrl(2, "theirs"), game_id="theirs"))
    for game_id, channel_id in (("a", 20), ("b", 21), ("c", 20)):
        clock.advance(seconds=1)
        await save(store, game_record(game_id=game_id, channel_id=channel_id))
    assert await store.delete_surplus_live_games(1) == ()
    clock.advance(seconds=1)
    await save(store, with_url(await store.live_game(CHANNEL, "a"), 2, "more"))
    clock.advance(seconds=1)
    await save(store, game_record(game_id="d"))
    assert await store.delete_surplus_live_games(1) == ("b",), (
        "a game other than the least recently changed was deleted"
    )
    assert await store.delete_surplus_live_games(2) == ()
    assert [record.game_id for record in await store.live_games(CHANNEL)] == ["d", "a", "c", "theirs"]
    assert await store.live_game(21, "b") is None


async def test_deleting_a_user_deletes_only_their_urls(store):
    await save(store, game_record(PostedUrl(1, "theirs"), PostedUrl(2, "mine"), PostedUrl(1, "theirs too")))
    await save(store, game_record(PostedUrl(1, "all theirs"), game_id="alone"))
    await save(store, game_record(PostedUrl(2, "all mine"), game_id="mine"))
    earlier = await store.live_game(CHANNEL, "kibitz")
    assert (await store.count_user_data(1))["live_texts"] == 3
    await store.forget_user(1)
    assert (await store.count_user_data(1))["live_texts"] == 0
    assert (await store.live_game(CHANNEL, "kibitz")).urls == (PostedUrl(2, "mine"),)
    assert await store.live_game(CHANNEL, "alone") is None
    assert (await store.live_game(CHANNEL, "mine")).urls == (PostedUrl(2, "all mine"),)
    # A process that read the game earlier must not store the deleted URLs again.
    assert await store.save_live_game(earlier, earlier.version) is False


async def test_a_game_without_new_turns_is_swept(store, clock):
    await save(store, game_record(game_id="idle"))
    clock.advance(days=1)
    await save(store, game_record(game_id="active"))
    clock.now += LIVE_GAME_RETENTION - timedelta(days=1)
    assert await store.sweep() == Counter()
    clock.advance(microseconds=1)
    assert await store.sweep() == Counter(live_games=1)
    assert [record.game_id for record in await store.live_games(CHANNEL)] == ["active"]
    assert await count_urls(store) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"channel_id": -1}, "Discord id"),
        ({"guild_id": 1 << 63}, "Discord id"),
        ({"urls": (PostedUrl(-1, "t"),)}, "Discord id"),
        ({"urls": ()}, "1 to 500 URLs"),
        ({"urls": (HISTORY,) * 501}, "1 to 500 URLs"),
        ({"urls": (PostedUrl(1, "x" * 262_145),)}, "more than 262144 characters"),
        ({"game_id": ""}, "1 to 200 characters"),
        ({"game_id": "g" * 201}, "1 to 200 characters"),
    ],
)
def test_a_record_that_cannot_be_stored_cannot_be_created(change, words):
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(game_record(), **change)


async def test_the_largest_game_fits(store):
    urls = tuple(PostedUrl((1 << 63) - 1, "ᚠ" * 500) for _ in range(500))
    record = game_record(*urls, game_id="ᚠ" * 200)
    assert (await save(store, record)).urls == urls
