"""The store deletes expired rows, and deletes a user's rows on request."""

from collections import Counter
from datetime import timedelta

from bot.storage.live_games import LiveGameRecord, PostedUrl
from bot.storage.settings import UserSettings
from bot.storage.store import REPLY_RETENTION, Store
from tests.storage.guilds import forget_guild


async def reply_to(store, source_id, *, guild_id=1, author_id=1):
    assert await store.claim_reply(source_id, channel_id=9, guild_id=guild_id, author_id=author_id)
    await store.record_reply(source_id, (source_id + 1000,))


async def stored_replies(store, *source_ids):
    return [source_id for source_id in source_ids if await store.reply(source_id) is not None]


async def test_a_sweep_deletes_only_expired_rows(store, clock):
    for days, digest in ((1, "short"), (60, "long")):
        await store.save_document(digest, "cgp", digest, clock.now + timedelta(days=days))
    await reply_to(store, 1)
    clock.advance(seconds=1)
    await reply_to(store, 2)
    await store.claim_reply(3, channel_id=9, guild_id=None, author_id=1)
    assert await store.sweep() == Counter(documents=0, replies=0)
    clock.now += REPLY_RETENTION
    assert await store.sweep() == Counter(documents=1, replies=1)
    assert await store.document("long") is not None
    assert await stored_replies(store, 1, 2, 3) == [2, 3]
    clock.advance(seconds=1)
    assert await store.sweep() == Counter(documents=0, replies=2)


async def test_a_sweep_continues_until_nothing_is_left(store, clock, monkeypatch):
    monkeypatch.setattr("bot.storage.store._SWEEP_BATCH", 3)
    for number in range(7):
        await store.save_document(f"d{number}", "cgp", "t", clock.now + timedelta(days=1))
    for number in range(6):
        await reply_to(store, number)
    clock.advance(days=31)
    assert await store.sweep() == Counter(documents=7, replies=6)
    assert await store.sweep() == Counter(documents=0, replies=0)


def make_document(clock, digest):
    return (digest, "cgp", digest, clock.now + timedelta(days=1))


async def test_the_stored_data_of_a_user_is_counted(store, clock):
    assert await store.count_user_data(7) == Counter()
    await reply_to(store, 1, author_id=7)
    await reply_to(store, 2, author_id=7)
    await reply_to(store, 3, author_id=8)
    await store.save_document(*make_document(clock, "mine"), author_id=7)
    await store.save_document(*make_document(clock, "mine"), author_id=7)
    await store.save_document(*make_document(clock, "nobodys"))
    await store.change_user_settings(7, lambda _: UserSettings(theme="dark"))
    assert await store.count_user_data(7) == Counter(replies=2, documents=1, settings=1)
    assert await store.count_user_data(8) == Counter(replies=1)
    clock.advance(days=1)
    assert (await store.count_user_data(7))["documents"] == 0
    await store.forget_user(7)
    assert await store.count_user_data(7) == Counter()
    assert await store.count_user_data(8) == Counter(replies=1)


async def test_shared_documents_outlive_a_forgotten_user(store, clock):
    await store.save_document(*make_document(clock, "mine"), author_id=7)
    for author_id in (7, 8):
        await store.save_document(*make_document(clock, "ours"), author_id=author_id)
    await store.save_document(*make_document(clock, "theirs"), author_id=8)
    await store.save_document(*make_document(clock, "nobodys"))
    await store.forget_user(7)
    assert await store.document("mine") is None
    for digest in ("ours", "theirs", "nobodys"):
        assert await store.document(digest) is not None
    await store.forget_user(8)
    assert await store.document("ours") is None
    assert await store.document("nobodys") is not None


async def test_a_swept_document_has_no_author(store, clock):
    await store.save_document(*make_document(clock, "d"), author_id=7)
    clock.advance(days=1)
    await store.sweep()
    await store.save_document("d", "gcg", "somebody else's", clock.now + timedelta(days=1), author_id=8)
    await store.forget_user(7)
    assert await store.document("d") == ("gcg", "somebody else's")


async def test_a_reply_during_deletion_leaves_no_rows(store):
    await store.claim_reply(1, channel_id=9, guild_id=5, author_id=7)
    await store.forget_user(7)
    await store.record_reply(1, (50,))
    assert await store.reply(1) is None


async def test_forgetting_a_guild_affects_no_other_guild_or_direct_message(store):
    await reply_to(store, 1, guild_id=5, author_id=7)
    await reply_to(store, 2, guild_id=6, author_id=5)
    await reply_to(store, 3, guild_id=None, author_id=7)
    await forget_guild(store, 5)
    assert await stored_replies(store, 1, 2, 3) == [2, 3]


async def test_no_text_of_a_deleted_user_remains_in_the_file(sqlite_url, clock, tmp_path):
    secret = "a text that is nowhere else"
    async with Store.open(sqlite_url, clock=clock) as store:
        await store.save_document("d", "gcg", secret * 500, clock.now + timedelta(days=1), author_id=7)
        urls = (PostedUrl(7, secret),)
        await store.save_live_game(LiveGameRecord(1, "g", None, urls), 0)
    assert secret.encode() in (tmp_path / "kibitz.sqlite3").read_bytes()
    async with Store.open(sqlite_url, clock=clock) as store:
        await store.forget_user(7)
    assert secret.encode() not in (tmp_path / "kibitz.sqlite3").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["kibitz.sqlite3"]
