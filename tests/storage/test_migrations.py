"""Every earlier version of the schema comes up to the newest, with what is in it."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory

from bot.storage import migrate as migrate_module
from bot.storage.address import read_address
from bot.storage.database import Database
from bot.storage.documents import Document
from bot.storage.errors import StoreError
from bot.storage.migrate import alembic_config, migrate
from bot.storage.store import PATIENCE, Store
from bot.storage.tables import metadata

REVISIONS = [version.revision for version in ScriptDirectory.from_config(alembic_config()).walk_revisions()][
    ::-1
]

SAMPLES = {
    "0001": [
        """INSERT INTO documents (digest, format, text, expires)
           VALUES ('abc', 'cgp', CAST('15/15' AS {bytes}), '2099-01-02 03:04:05.000006{utc}')""",
        """INSERT INTO replies (source_id, channel_id, guild_id, author_id, claimed, recorded)
           VALUES (1, 2, 3, 4, '2026-01-02 03:04:05.000006{utc}', '2026-01-02 03:04:06.000000{utc}')""",
        "INSERT INTO reply_messages (source_id, place, message_id) VALUES (1, 0, 12), (1, 1, 11)",
        "INSERT INTO meta (key, value) VALUES ('commands', CAST('digest' AS {bytes}))",
    ]
}
"""The same facts in every version's tables: a version stands for those after it that changed none of these."""


def sample(revision):
    return SAMPLES[max(known for known in SAMPLES if known <= revision)]


async def facts_are_there(store):
    expires = datetime(2099, 1, 2, 3, 4, 5, 6, UTC)
    assert await store.document("abc") == Document("abc", "cgp", "15/15", expires)
    reply = await store.reply(1)
    assert (reply.channel_id, reply.guild_id, reply.author_id, reply.reply_ids) == (2, 3, 4, (12, 11))
    assert reply.claimed == datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    assert reply.recorded == datetime(2026, 1, 2, 3, 4, 6, 0, UTC)
    assert await store.meta("commands") == "digest"


def opened(url, **options):
    return Database.opened(read_address(url), patience=PATIENCE, **options)


async def table_names(url):
    async with opened(url) as database, database.reading() as connection:
        return set(await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names()))


def test_versions_are_in_one_row():
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [REVISIONS[-1]]
    assert sorted(REVISIONS) == REVISIONS


async def test_the_migrated_schema_is_the_one_the_program_uses(url):
    await migrate(url)

    def differences(connection):
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        return compare_metadata(context, metadata)

    async with opened(url) as database, database.reading() as connection:
        assert await connection.run_sync(differences) == []


@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_an_earlier_version_kept_is_still_there(url, revision):
    await migrate(url, revision=revision)
    words = {"bytes": "BLOB", "utc": ""} if url.startswith("sqlite") else {"bytes": "bytea", "utc": "+00"}
    async with opened(url) as database, database.writing() as connection:
        for statement in sample(revision):
            await connection.exec_driver_sql(statement.format_map(words))
    async with Store.open(url) as store:
        await facts_are_there(store)


async def test_those_who_start_together_wait_for_each_other(url):
    await asyncio.gather(*(migrate(url) for _ in range(6)))
    assert await table_names(url) == set(metadata.tables) | {"alembic_version"}


async def test_a_second_start_changes_nothing(url):
    await migrate(url)
    before = await table_names(url)
    await migrate(url)
    assert await table_names(url) == before == set(metadata.tables) | {"alembic_version"}


async def test_a_migration_that_fails_leaves_nothing_behind(url):
    async with opened(url) as database, database.writing() as connection:
        await connection.exec_driver_sql("CREATE TABLE meta (wrong INTEGER)")  # the last of the first version
    with pytest.raises(StoreError, match="cannot be used"):
        await migrate(url)
    assert await table_names(url) == {"meta"}


async def test_a_newer_database_is_left_alone(url):
    await migrate(url)
    async with opened(url) as database, database.writing() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'f00'")
    with pytest.raises(StoreError, match="newer version of Kibitz"):
        async with Store.open(url):
            pass


async def test_changing_a_table_keeps_the_rows_that_refer_to_it(sqlite_url):
    async with Store.open(sqlite_url) as store:
        await store.claim_reply(1, channel_id=2, guild_id=3, author_id=4)
        await store.record_reply(1, (12, 11))

    def copy_replies(connection):
        with Operations(MigrationContext.configure(connection)).batch_alter_table(
            "replies", recreate="always"
        ):
            pass

    async with opened(sqlite_url, foreign_keys=False) as database, database.writing() as connection:
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
        connection.execute("DELETE FROM alembic_version")
        connection.commit()

    def careless_upgrade(config, revision):
        config.attributes["connection"].exec_driver_sql("DELETE FROM replies")

    monkeypatch.setattr(migrate_module.command, "upgrade", careless_upgrade)
    with pytest.raises(StoreError, match="references do not fit together"):
        await migrate(sqlite_url)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (1,)
