"""A database from an earlier release keeps every row when it is migrated. An interrupted upgrade can be run again."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.storage import backup as backups
from bot.storage.address import read_address
from bot.storage.database import Database
from bot.storage.migrate import migrate, newest_version
from bot.storage.store import Store
from bot.storage.tables import metadata
from tests.storage.migrated import create_released_database

EXPECTED_CHANGES = {
    "alembic_version": None,
    "instances": None,
    "gateways": None,
    "shard_leases": None,
    "unfinished": {"resume", "sealed_typed"},
}
"""The columns that later versions have dropped or deliberately changed, by table, or None for the whole table."""


@pytest.fixture
async def released_url(url):
    await create_released_database(url)
    return url


class InterruptedUpgradeError(Exception):
    """Raised by the tests before an upgrade is committed, as if the process had ended."""


async def rows(url):
    """Return the rows of each table as text, without Procrastinate's tables and without :data:`EXPECTED_CHANGES`."""

    def read(connection):
        existing = sa.MetaData()
        existing.reflect(connection)
        rows_by_table = {}
        for name, table in existing.tables.items():
            left_out = EXPECTED_CHANGES.get(name, set())
            if left_out is not None and not name.startswith("procrastinate"):
                columns = [column for column in table.columns if column.name not in left_out]
                rows_by_table[name] = sorted(
                    repr({column.name: row[index] for index, column in enumerate(columns)})
                    for row in connection.execute(sa.select(*columns))
                )
        return rows_by_table

    async with Database.open(read_address(url)) as database:
        return await database.run(database.reading(), lambda connection: connection.run_sync(read))


async def test_an_upgrade_loses_no_rows(released_url):
    before = await rows(released_url)
    assert sum(map(len, before.values())) >= 40
    assert await migrate(read_address(released_url)) == ("0017", newest_version())
    after = await rows(released_url)
    assert {name: after.get(name) for name in before} == before


async def test_the_upgraded_schema_equals_the_current_schema(released_url):
    await migrate(read_address(released_url))

    def differences(connection):
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        # Procrastinate creates its own tables.
        return [item for item in compare_metadata(context, metadata) if "procrastinate" not in repr(item)]

    async with Database.open(read_address(released_url)) as database:
        assert (
            await database.run(database.reading(), lambda connection: connection.run_sync(differences)) == []
        )


async def test_an_interrupted_upgrade_is_undone_and_can_be_run_again(released_url, monkeypatch):
    before = await rows(released_url)
    upgrade = command.upgrade

    def upgrade_and_raise(*arguments):
        upgrade(*arguments)
        raise InterruptedUpgradeError

    with monkeypatch.context() as patch:
        patch.setattr(command, "upgrade", upgrade_and_raise)
        with pytest.raises(InterruptedUpgradeError):
            await migrate(read_address(released_url))
    assert await rows(released_url) == before
    assert (await migrate(read_address(released_url)))[0] == "0017"
    assert (await migrate(read_address(released_url)))[0] == newest_version()


async def test_a_database_of_an_earlier_release_can_be_opened_and_backed_up(released_url, tmp_path):
    async with Store.open(released_url) as store:
        settings = await store.server_settings(1001)
        assert (settings.mode, settings.theme, settings.language) == ("ask", "dark", "de")
        assert (await store.user_settings(3001)).language == "pl"
        assert (await store.document("P" * 22))[0] == "cgp"
        assert (await store.reply(4001)).reply_ids == (5001, 5002)
    all_rows = await rows(released_url)
    await backups.back_up(released_url, tmp_path / "backup.sqlite3")
    restored = f"sqlite:///{tmp_path}/restored.sqlite3"
    await backups.restore(tmp_path / "backup.sqlite3", restored)
    restored_rows = await rows(restored)
    assert {name: len(rows) for name, rows in restored_rows.items()} == {
        name: len(rows) for name, rows in all_rows.items()
    }
