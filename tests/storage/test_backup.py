"""Backups of SQLite and PostgreSQL databases, some made during writes, are restored and compared row by row."""

import asyncio
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, Boolean, Float, Integer, LargeBinary, SmallInteger, select

from bot.__main__ import main
from bot.storage.address import read_address
from bot.storage.backup import back_up, restore
from bot.storage.columns import AnyText, Snowflake, UtcTime
from bot.storage.database import Database
from bot.storage.errors import StoreError
from bot.storage.migrate import migrate
from bot.storage.store import Store
from bot.storage.tables import metadata
from tests.storage.migrated import create_released_database, put_database
from tests.storage.test_migrations import REVISIONS, check_samples, create_with_samples

ODD_TEXT = "15/15 \0 \ud83d L·L Ł"
"""Text that the text type of at least one of the databases cannot store."""
TIME = datetime(2099, 1, 2, 3, 4, 5, 6, UTC)
VALUES = {
    AnyText: (ODD_TEXT, ""),
    UtcTime: (TIME, TIME),
    BigInteger: (2**63 - 1, -(2**63)),
    Snowflake: (2**63 - 1, 0),
    Boolean: (True, False),
    SmallInteger: (-5, 7),
    Float: (1464.05, -0.5),
    Integer: (2**31 - 1, 0),
    LargeBinary: (b"\0\xff", b""),
}


def value(column, number):
    return VALUES.get(type(column.type), ("Łódź", "a'b"))[number]


def open_database(url):
    return Database.open(read_address(url))


async def create_empty_database(url):
    if url.startswith("sqlite:///"):
        put_database(Path(url.removeprefix("sqlite:///")).parent)
    else:
        await migrate(read_address(url))


async def create_filled_database(url):
    """Create a database with two rows in each table. In the second row, every nullable column is null."""
    await create_empty_database(url)
    async with open_database(url) as database, database.writing() as connection:
        for table in metadata.sorted_tables:
            for number in (0, 1):
                row = {
                    column.key: None if number and column.nullable else value(column, number)
                    for column in table.columns
                }
                await connection.execute(table.insert(), [row])
    return url


async def rows_of(url):
    async with open_database(url) as database, database.reading() as connection:
        return {
            table.name: sorted(map(repr, (await connection.execute(select(table))).all()))
            for table in metadata.sorted_tables
        }


@pytest.fixture
def restored_url(tmp_path):
    return f"sqlite:///{tmp_path}/new/kibitz.sqlite3"


@pytest.fixture(autouse=True)
def _new_folder(tmp_path):
    (tmp_path / "new").mkdir()


async def test_a_backup_restores_into_either_kind_of_database(
    url, restored_url, tmp_path, monkeypatch, capsys
):
    file = tmp_path / "backup.sqlite3"
    before = await rows_of(await create_filled_database(url))
    assert all(len(rows) == 2 for rows in before.values())
    monkeypatch.setenv("DATABASE_URL", url)
    assert await asyncio.to_thread(main, ["backup", str(file)]) == 0
    result = f"{2 * len(before)} rows, schema version {REVISIONS[-1]}"
    assert capsys.readouterr().out == f"{file}: {result}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list((tmp_path / "new").iterdir()) == []
    monkeypatch.setenv("DATABASE_URL", restored_url)
    assert await asyncio.to_thread(main, ["restore", str(file)]) == 0
    assert capsys.readouterr().out == f"{restored_url}: {result}\n"
    assert await rows_of(restored_url) == before
    async with Store.open(url) as store:
        await store.save_document("other", "cgp", "15/15", TIME)
    with pytest.raises(StoreError, match="is not empty; use --replace"):
        await restore(file, url)
    assert await rows_of(url) != before
    await restore(file, url, replace=True)
    assert await rows_of(url) == before


async def test_a_backup_is_consistent_while_others_write(sqlite_url, restored_url, tmp_path):
    async with Store.open(sqlite_url) as store:
        has_many_documents, is_backed_up = asyncio.Event(), False

        async def write():
            number = 0
            while not is_backed_up:
                await store.save_document(f"d{number}", "cgp", "x" * 5_000, TIME, author_id=4)
                number += 1
                if number > 20:
                    has_many_documents.set()
            return number

        writing = asyncio.create_task(write())
        await has_many_documents.wait()
        await back_up(sqlite_url, tmp_path / "backup.sqlite3")
        is_backed_up = True
        write_count = await writing
    await restore(tmp_path / "backup.sqlite3", restored_url)
    rows = await rows_of(restored_url)
    assert 20 < len(rows["documents"]) == len(rows["document_authors"]) <= write_count
    assert (tmp_path / "backup.sqlite3").stat().st_size > 20 * 5_000, (
        "the contents of the journal are missing"
    )


async def test_an_old_backup_is_migrated_on_restore(sqlite_url, restored_url, tmp_path):
    await create_with_samples(sqlite_url, "0017")
    file = tmp_path / "backup.sqlite3"
    assert (await back_up(sqlite_url, file))[0] == "0017"
    stored = file.read_bytes()
    assert (await restore(file, restored_url))[0] == REVISIONS[-1]
    assert file.read_bytes() == stored, "the backup itself was migrated"
    async with Store.open(restored_url) as store:
        await check_samples(store)


async def test_a_server_with_another_schema_version_is_not_backed_up(postgres_url, tmp_path):
    await create_released_database(postgres_url)
    with pytest.raises(StoreError, match="has schema version 0017, but this program needs"):
        await back_up(postgres_url, tmp_path / "backup.sqlite3")
    assert list(tmp_path.iterdir()) == [tmp_path / "new"]


def damage(path):
    data = bytearray(path.read_bytes())
    half = len(data) // 2
    data[half:] = b"\x55" * (len(data) - half)
    path.write_bytes(data)


def cut_in_half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def changed_by(*statements):
    def change(path):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    return change


@pytest.mark.parametrize(
    ("change_file", "sentence"),
    [
        (damage, "is damaged"),
        (cut_in_half, "is damaged"),
        (changed_by("DELETE FROM documents"), "is damaged"),
        (changed_by("UPDATE alembic_version SET version_num = '9001'"), "made by a newer version of Kibitz"),
        (changed_by("UPDATE alembic_version SET version_num = '0001'"), "migrate with Kibitz 0.2.0"),
        (changed_by("DROP TABLE alembic_version"), "is not a Kibitz backup"),
        (changed_by("DELETE FROM alembic_version"), "is not a Kibitz backup"),
        (lambda path: path.write_bytes(b""), "is not a Kibitz backup"),
        (lambda path: path.write_text("15/15 AEINRST/ 0/0 0\n" * 100), "is not an SQLite database"),
        (lambda path: path.unlink(), "there is no file"),
    ],
)
async def test_a_damaged_or_foreign_backup_changes_nothing(
    change_file, sentence, sqlite_url, restored_url, tmp_path
):
    file = tmp_path / "backup.sqlite3"
    await back_up(await create_filled_database(sqlite_url), file)
    await create_empty_database(restored_url)
    async with Store.open(restored_url) as store:
        await store.save_document("mine", "cgp", "15/15", TIME)
    before = await rows_of(restored_url)
    change_file(file)
    with pytest.raises(StoreError, match=sentence) as refused:
        await restore(file, restored_url, replace=True)
    assert str(file) in str(refused.value)
    assert await rows_of(restored_url) == before


async def test_a_backup_overwrites_no_file_and_creates_no_database(sqlite_url, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    file = tmp_path / "backup.sqlite3"
    assert await asyncio.to_thread(main, ["backup", str(file)]) == 2
    assert f"there is no file {tmp_path / 'kibitz.sqlite3'}" in capsys.readouterr().err
    await create_filled_database(sqlite_url)
    file.write_text("precious")
    assert await asyncio.to_thread(main, ["backup", str(file)]) == 2
    assert "it already exists" in capsys.readouterr().err
    assert file.read_text() == "precious"
    assert await asyncio.to_thread(main, ["backup", str(tmp_path / "none" / "b")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.sqlite3", "kibitz.sqlite3", "new"]
