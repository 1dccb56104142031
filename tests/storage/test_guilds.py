"""The data of a guild that the bot left is deleted after a while, unless the bot comes back."""

from collections import Counter

from bot.storage.bookkeeping import GUILD_RETENTION, SWEEP_PAUSE
from bot.storage.live_games import LiveGameRecord, PostedUrl
from bot.storage.settings import ServerSettings

CHOSEN_SETTINGS = ServerSettings(theme="dark")


async def store_data_for(store, guild_id):
    await store.change_server_settings(guild_id, lambda _: CHOSEN_SETTINGS)
    await store.set_channel_mode(guild_id, guild_id * 10, "off")
    await store.save_live_game(LiveGameRecord(guild_id * 10, "g", guild_id, (PostedUrl(1, "t"),)), 0)
    await store.claim_reply(guild_id * 100, channel_id=guild_id * 10, guild_id=guild_id, author_id=1)


async def stored_kinds(store, guild_id):
    return (
        await store.server_settings(guild_id) != ServerSettings(),
        bool(await store.channel_modes(guild_id)),
        await store.live_game(guild_id * 10, "g") is not None,
        await store.reply(guild_id * 100) is not None,
    )


ALL, NONE = (True,) * 4, (False,) * 4


async def test_the_data_of_a_guild_is_deleted_30_days_after_the_bot_left(store, clock):
    clock.advance(days=1)
    left_at = clock.now
    await store.mark_guild_left(1)
    clock.advance(days=20)
    for guild_id in (1, 2):
        await store_data_for(store, guild_id)
    await store.mark_guild_left(1)  # if Discord sends the event twice, the first one counts
    clock.now = left_at + GUILD_RETENTION
    assert await store.sweep() == Counter()
    assert await stored_kinds(store, 1) == ALL
    clock.advance(microseconds=1)
    assert await store.sweep() == Counter(guilds=1)
    assert await stored_kinds(store, 1) == NONE
    assert await stored_kinds(store, 2) == ALL
    assert await store.sweep() == Counter()


async def test_a_guild_that_is_joined_again_keeps_everything(store, clock):
    await store.mark_guild_left(1)
    clock.advance(days=29)
    await store_data_for(store, 1)
    await store.mark_guild_joined(1)
    await store.mark_guild_joined(2)  # never left
    clock.advance(days=2)
    assert await store.sweep() == Counter()
    assert await stored_kinds(store, 1) == ALL


async def test_a_missed_departure_counts_from_the_next_reconciliation(store, clock):
    await store.mark_guild_left(3)
    clock.advance(days=25)
    for guild_id in (1, 2, 3, 4):
        await store_data_for(store, guild_id)
    await store.claim_reply(5, channel_id=5, guild_id=None, author_id=5)
    assert await store.reconcile_guilds({2, 3}) == 2
    assert await store.reconcile_guilds([2, 3]) == 0
    clock.advance(days=20)
    await store.change_server_settings(4, lambda _: CHOSEN_SETTINGS)
    await store.reconcile_guilds([2, 3, 4])
    clock.advance(days=10, microseconds=1)
    assert await store.sweep() == Counter(guilds=1, replies=5)
    assert await store.server_settings(1) == ServerSettings()
    for guild_id in (2, 3, 4):
        assert await store.server_settings(guild_id) == CHOSEN_SETTINGS


async def test_guilds_of_other_processes_are_never_marked(store, clock):
    for guild_id in (1, 2, 3, 4):
        await store_data_for(store, guild_id)
    assert await store.reconcile_guilds([2], lambda guild_id: guild_id % 2 == 0) == 1
    assert await store.reconcile_guilds([1], lambda guild_id: guild_id % 2 == 1) == 1
    clock.advance(days=31)
    assert (await store.sweep())["guilds"] == 2
    assert [(await stored_kinds(store, guild_id))[0] for guild_id in (1, 2, 3, 4)] == [
        True,
        True,
        False,
        False,
    ]


async def test_many_guilds_are_reconciled(store, clock):
    for guild_id in range(1, 12):
        await store.change_server_settings(guild_id, lambda _: CHOSEN_SETTINGS)
    await store.claim_reply(5, channel_id=5, guild_id=20, author_id=5)
    assert await store.reconcile_guilds([2, 3, 7, 11]) == 8
    assert await store.reconcile_guilds([]) == 4
    assert await store.reconcile_guilds(range(1, 12)) == 0
    clock.now += GUILD_RETENTION
    clock.advance(microseconds=1)
    assert (await store.sweep())["guilds"] == 1


async def test_only_one_of_several_processes_sweeps(store, clock):
    assert (
        await store.claim_notice("sweep", SWEEP_PAUSE),
        await store.claim_notice("sweep", SWEEP_PAUSE),
    ) == (True, False)
    clock.now += SWEEP_PAUSE
    clock.advance(microseconds=1)
    assert await store.claim_notice("sweep", SWEEP_PAUSE)


async def test_a_clock_set_back_does_not_prevent_sweeps(store, clock):
    assert await store.claim_notice("sweep", SWEEP_PAUSE)
    clock.advance(days=-1)
    assert (
        await store.claim_notice("sweep", SWEEP_PAUSE),
        await store.claim_notice("sweep", SWEEP_PAUSE),
    ) == (True, False)
