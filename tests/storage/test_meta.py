"""Values that the bot stores about itself survive a restart."""

from bot.storage.store import Store


async def test_a_value_survives_a_restart(store_url):
    async with Store.open(store_url) as store:
        assert await store.meta("commands.digest") is None
        await store.set_meta("commands.digest", "one")
        await store.set_meta("other", "\0\ud800")
        await store.set_meta("commands.digest", "two")
    async with Store.open(store_url) as store:
        assert await store.meta("commands.digest") == "two"
        assert await store.meta("other") == "\0\ud800"
