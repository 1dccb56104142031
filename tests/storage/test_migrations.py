"""Databases with earlier schema versions are migrated to the newest version and keep their data."""

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory

from bot.__main__ import main
from bot.storage.address import read_address
from bot.storage.database import Database
from bot.storage.errors import StoreError
from bot.storage.live_games import LiveGameRecord, PostedUrl
from bot.storage.migrate import alembic_config, migrate, newest_version
from bot.storage.settings import ServerSettings, UserSettings
from bot.storage.store import Store
from bot.storage.tables import metadata, replies
from tests.storage.migrated import create_released_database
from tests.storage.test_documents import expiry_of

REVISIONS = [version.revision for version in ScriptDirectory.from_config(alembic_config()).walk_revisions()][
    ::-1
]

SAMPLES = [
    """INSERT INTO documents (digest, format, text, expires)
       VALUES ('abc', 'cgp', CAST('15/15' AS {bytes}), '2099-01-02 03:04:05.000006{utc}')""",
    "INSERT INTO document_authors (digest, author_id) VALUES ('abc', 4)",
    """INSERT INTO replies (source_id, channel_id, guild_id, author_id, claimed, recorded)
       VALUES (1, 2, 3, 4, '2026-01-02 03:04:05.000006{utc}', '2026-01-02 03:04:06.000000{utc}')""",
    """INSERT INTO replies (source_id, channel_id, guild_id, author_id, claimed, held_until, tries)
       VALUES (6, 2, NULL, 8, '2026-01-02 03:04:05.000006{utc}', '2026-01-02 03:05:00.000000{utc}', 3)""",
    "INSERT INTO reply_messages (source_id, place, message_id) VALUES (1, 0, 12), (1, 1, 11)",
    "INSERT INTO meta (key, value) VALUES ('commands', CAST('digest' AS {bytes}))",
    """INSERT INTO server_settings (guild_id, mode, theme, layout, coordinates, lexicon, language)
       VALUES (3, 'off', 'dark', 'tall', false, 'CSW24', 'de')""",
    "INSERT INTO channel_modes (channel_id, guild_id, mode) VALUES (2, 3, 'auto')",
    """INSERT INTO user_settings (user_id, theme, layout, coordinates, lexicon, language)
       VALUES (4, NULL, NULL, true, NULL, 'es')""",
    """INSERT INTO live_games (channel_id, game_id, guild_id, updated, version)
       VALUES (2, CAST('gid' AS {bytes}), 3, '2099-01-02 03:04:05.000006{utc}', 5)""",
    """INSERT INTO live_texts (channel_id, game_id, place, author_id, text)
       VALUES (2, CAST('gid' AS {bytes}), 1, 9, CAST('second' AS {bytes})),
              (2, CAST('gid' AS {bytes}), 0, 4, CAST('first' AS {bytes}))""",
    "INSERT INTO guilds (guild_id) VALUES (3)",
    "INSERT INTO left_guilds (guild_id, \"left\") VALUES (3, '2026-01-02 03:04:05.000006{utc}')",
    # Claimed now, because a claim dated in the future would be ignored, as if the clock had been set back.
    f"INSERT INTO notices (key, told) VALUES ('attach_files:2', '{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}{{utc}}')",
]
"""Rows that can be inserted both into the schema of release 0.2.0 and into the newest schema."""


async def claim_time_of(store, source_id):
    query = sa.select(replies.c.claimed_at).where(replies.c.source_id == source_id)
    async with store._database.reading() as connection:
        return await connection.scalar(query)


async def check_samples(store):
    assert await store.document("abc") == ("cgp", "15/15")
    assert await expiry_of(store, "abc") == datetime(2099, 1, 2, 3, 4, 5, 6, UTC)
    reply = await store.reply(1)
    assert (reply.channel_id, reply.guild_id, reply.author_id, reply.reply_ids) == (2, 3, 4, (12, 11))
    assert reply.recorded_at == datetime(2026, 1, 2, 3, 4, 6, 0, UTC)
    assert await claim_time_of(store, 1) == datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    assert await store.reply_containing(11) == reply
    assert await store.meta("commands") == "digest"
    assert await store.claim_reply(6, channel_id=2, guild_id=None, author_id=8) == 4
    assert await store.reconcile_guilds([]) == 0, (
        "guild 3, which was already marked as left, was marked again"
    )
    assert await store.server_settings(3) == ServerSettings("dark", "tall", False, "CSW24", "de", "off")
    assert await store.channel_modes(3) == {2: "auto"}
    assert await store.user_settings(4) == UserSettings(coordinates=True, language="es")
    assert await store.count_user_data(4) == Counter(replies=1, documents=1, live_texts=1, settings=2)
    urls = (PostedUrl(4, "first"), PostedUrl(9, "second"))
    assert await store.live_games(2) == (
        LiveGameRecord(2, "gid", 3, urls, datetime(2099, 1, 2, 3, 4, 5, 6, UTC), 5),
    )
    assert await store.claim_notice("attach_files:2") is False
    assert (await store.sweep())["guilds"] == 1
    assert await store.server_settings(3) == ServerSettings()


def open_database(url, **options):
    return Database.open(read_address(url), **options)


async def table_names(url):
    async with open_database(url) as database, database.reading() as connection:
        return set(await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()))


def test_versions_form_a_single_sequence():
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [REVISIONS[-1]]
    assert sorted(REVISIONS) == REVISIONS
    assert newest_version() == REVISIONS[-1]


async def create_with_samples(url, revision):
    """Create a database that contains only the samples, with the schema of release 0.2.0 or of this version."""
    if revision == REVISIONS[-1]:
        await migrate(read_address(url))
    else:
        await create_released_database(url)
    words = {"bytes": "BLOB", "utc": ""} if url.startswith("sqlite") else {"bytes": "bytea", "utc": "+00"}
    async with open_database(url) as database, database.writing() as connection:
        existing = sa.MetaData()
        await connection.run_sync(existing.reflect)
        for table in reversed(existing.sorted_tables):
            if table.name in metadata.tables:
                await connection.execute(table.delete())
        for statement in SAMPLES:
            await connection.execute(sa.text(statement.format_map(words)))


@pytest.mark.parametrize("revision", ["0017", REVISIONS[-1]])
async def test_a_migration_keeps_earlier_data(url, revision, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", url)
    await create_with_samples(url, revision)
    # A host runs this command before the new version starts.
    assert await asyncio.to_thread(main, ["migrate"]) == 0
    step = (
        "up to date (version" if revision == REVISIONS[-1] else f"migrated from version {revision} to version"
    )
    assert f"{step} {REVISIONS[-1]}" in capsys.readouterr().out
    async with Store.open(url) as store:
        await check_samples(store)


async def test_concurrent_migrations_succeed(url):
    await asyncio.gather(*(migrate(read_address(url)) for _ in range(6)))
    assert await table_names(url) == set(metadata.tables) | {"alembic_version"}


async def test_a_migration_that_fails_leaves_nothing_behind(url):
    last = metadata.sorted_tables[-1].name
    async with open_database(url) as database, database.writing() as connection:
        await connection.exec_driver_sql(f"CREATE TABLE {last} (wrong INTEGER)")
    with pytest.raises(StoreError, match="can't be used"):
        await migrate(read_address(url))
    assert await table_names(url) == {last}


async def test_a_newer_database_is_not_changed(url, monkeypatch, capsys):
    await migrate(read_address(url))
    async with open_database(url) as database, database.writing() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9001'")
    with pytest.raises(StoreError, match="version 9001, made by a newer version of Kibitz"):
        async with Store.open(url):
            pass
    monkeypatch.setenv("DATABASE_URL", url)
    assert await asyncio.to_thread(main, ["migrate"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert (
        f"version 9001, made by a newer version of Kibitz; this program supports only versions up to {REVISIONS[-1]}"
        in output.err
    )
    async with open_database(url) as database, database.reading() as connection:
        assert (
            await connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        ).scalars().all() == ["9001"]


@pytest.mark.parametrize("version", ["0001", "0016"])
async def test_a_database_from_before_0_2_0_needs_that_release_first(url, version, monkeypatch, capsys):
    """Versions 0001 and 0016 are the first and the last schema before release 0.2.0."""
    await migrate(read_address(url))
    async with open_database(url) as database, database.writing() as connection:
        await connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
    sentence = (
        f"the database has schema version {version}, from before Kibitz 0.2.0; this program supports versions 0017 and later:"
        " first run python -m bot migrate with Kibitz 0.2.0"
    )
    with pytest.raises(StoreError) as caught:
        async with Store.open(url):
            pass
    assert str(caught.value) == sentence
    monkeypatch.setenv("DATABASE_URL", url)
    assert await asyncio.to_thread(main, ["migrate"]) == 2
    output = capsys.readouterr()
    assert (output.out, output.err) == ("", f"kibitz: {sentence}.\n")
    async with open_database(url) as database, database.reading() as connection:
        versions = await connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        assert versions.scalars().all() == [version]


async def test_the_command_creates_a_database_and_hides_the_password(url, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", url)
    for step in (
        f"tables created (version {REVISIONS[-1]})",
        f"up to date (version {REVISIONS[-1]})",
    ):
        assert await asyncio.to_thread(main, ["migrate"]) == 0
        assert capsys.readouterr().out == f"{read_address(url)}: {step}\n"
    assert await table_names(url) == set(metadata.tables) | {"alembic_version"}


async def test_the_command_reports_failures_in_one_sentence(tmp_path, monkeypatch, capsys):
    for url, words in (
        (f"sqlite:///{tmp_path}/missing/k.sqlite3", "No such file or directory"),
        ("mysql://alice:secret@host/k", "only sqlite and postgresql are supported"),
    ):
        monkeypatch.setenv("DATABASE_URL", url)
        assert await asyncio.to_thread(main, ["migrate"]) == 2
        output = capsys.readouterr()
        assert words in output.err
        assert output.err.startswith("kibitz: ")
        assert output.err.count("\n") == 1
        assert "secret" not in output.err + output.out


async def test_changing_a_table_keeps_the_rows_that_refer_to_it(sqlite_url):
    async with Store.open(sqlite_url) as store:
        await store.claim_reply(1, channel_id=2, guild_id=3, author_id=4)
        await store.record_reply(1, (12, 11))

    def copy_replies(connection):
        with Operations(MigrationContext.configure(connection)).batch_alter_table(
            "replies", recreate="always"
        ):
            pass

    async with (
        open_database(sqlite_url, enforce_foreign_keys=False) as database,
        database.writing() as connection,
    ):
        await connection.run_sync(copy_replies)
    async with Store.open(sqlite_url) as store:
        assert (await store.reply(1)).reply_ids == (12, 11)
        await store.forget_reply(1)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute("SELECT count(*) FROM reply_messages").fetchone() == (0,)


async def test_a_migration_that_breaks_a_reference_is_undone(sqlite_url, monkeypatch):
    async with Store.open(sqlite_url) as store:
        await store.claim_reply(1, channel_id=2, guild_id=3, author_id=4)
        await store.record_reply(1, (12, 11))
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0017'")
        connection.commit()

    def careless_upgrade(config, revision):
        config.attributes["connection"].exec_driver_sql("DELETE FROM replies")

    monkeypatch.setattr(command, "upgrade", careless_upgrade)
    with pytest.raises(StoreError, match="foreign keys of the database are inconsistent"):
        await migrate(read_address(sqlite_url))
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (1,)
