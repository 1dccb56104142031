"""Database URLs as people and hosting providers write them."""

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import given, settings, strategies as st

from bot.storage.address import PostgresServer, SqliteFile, ephemeral_provider, read_address
from bot.storage.errors import AddressError, StoreError


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///kibitz.sqlite3", "kibitz.sqlite3"),
        ("sqlite:////var/lib/kibitz.sqlite3", "/var/lib/kibitz.sqlite3"),
        ("sqlite+aiosqlite:///data/k.db", "data/k.db"),
        (" SQLite:///100% mine.db\n", "100% mine.db"),
    ],
)
def test_an_sqlite_url_names_a_file(url, path):
    assert read_address(url) == SqliteFile(Path(path))


@pytest.mark.parametrize(
    ("url", "dsn", "redacted"),
    [
        ("postgres://u:p@h/d", "postgresql://u:p@h/d", "postgresql://u:***@h/d"),
        ("postgresql+asyncpg://u:p@h:5432/d", "postgresql://u:p@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql+psycopg://u:p@h:5432/d", "postgresql://u:p@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql://u@h/d", "postgresql://u:@h/d", "postgresql://u@h/d"),
        ("postgresql:///d", "postgresql:///d", "postgresql:///d"),
        (
            "postgresql://u:p@h/d?sslmode=require&channel_binding=require",
            "postgresql://u:p@h/d?sslmode=require&channel_binding=require",
            "postgresql://u:***@h/d",
        ),
        ("postgresql://u:p@h/d?password=q", "postgresql://u:p@h/d?password=q", "postgresql://u:***@h/d"),
        ("postgresql://u:a@b:c@h/d", "postgresql://u:a%40b%3Ac@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:100%@[::1]:5/d", "postgresql://u:100%25@[::1]:5/d", "postgresql://u:***@[::1]:5/d"),
        ("postgres://u:p@a:1,b:2/d", "postgresql://u:p@a:1,b:2/d", "postgresql://u:***@a:1,b:2/d"),
        ("postgres://%2Frun%2Fpg/d", "postgresql://%2Frun%2Fpg/d", "postgresql://%2Frun%2Fpg/d"),
    ],
)
def test_a_postgresql_url_names_a_server(url, dsn, redacted):
    address = read_address(url)
    assert isinstance(address, PostgresServer)
    assert (address.dsn, str(address)) == (dsn, redacted)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "must be a URL"),
        ("kibitz.db", "must be a URL"),
        ("mysql://u:secret@h/d", "'mysql'"),
        ("secret words://h", "must begin with"),
        ("sqlite://", "three slashes"),
        ("sqlite://kibitz.db", "three slashes"),
        ("sqlite:///", "must name a file"),
        ("sqlite:///:memory:", "must name a file"),
        ("sqlite:///k.db?mode=ro", "no options"),
        ("postgres://u:se/cret@h/d", "percent-encoded"),
        ("postgres://u:se#cret@h/d", "percent-encoded"),
        ("postgres://u:12/cret@h/d", "percent-encoded"),
        ("postgres://u:12?a=cret@h/d", "percent-encoded"),
        ("postgres://u:secret@h:x/d", "percent-encoded"),
        ("postgres://u:secret@h:99999/d", "percent-encoded"),
        ("postgres://u:secret@h:0/d", "percent-encoded"),
        ("postgres://u:secret@[::1/d", "percent-encoded"),
        ("postgres://u:secret@h/d?port=secret", "percent-encoded"),
        ("postgres://u:secret@h/d?secret", "percent-encoded"),
        ("postgres://u:secret@h x/d", "percent-encoded"),
    ],
)
def test_an_invalid_address_is_refused_without_quoting_secrets(url, words):
    with pytest.raises(AddressError, match=words) as caught:
        read_address(url)
    assert isinstance(caught.value, StoreError)
    assert isinstance(caught.value, ValueError)
    assert "cret" not in str(caught.value), "the error repeats part of the password"
    assert caught.value.__cause__ is None


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: "***" not in text))
def test_an_escaped_password_is_read_whole_and_never_shown(password):
    secret = f"SECRET{password}"
    address = read_address(f"postgresql://alice:{quote(secret, safe='')}@db.example/kibitz")
    assert unquote(urlsplit(address.dsn).password) == secret
    assert "SECRET" not in f"{address} {address!r}"


@settings(deadline=None)
@given(
    st.text(alphabet=st.sampled_from("abc0159:/@?#%[],=& \0é-._"), max_size=40),
    st.sampled_from(["postgres", "sqlite"]),
)
def test_any_address_is_read_or_refused(rest, scheme):
    try:
        address = read_address(f"{scheme}://{rest}")
    except AddressError:
        return
    assert str(address).startswith(("postgresql://", "sqlite:///"))


@pytest.mark.parametrize(
    "variable", ["DYNO", "RAILWAY_ENVIRONMENT", "RAILWAY_PROJECT_ID", "RENDER", "FLY_APP_NAME", "FLY_REGION"]
)
def test_a_database_on_a_temporary_disk_is_detected(variable, monkeypatch):
    monkeypatch.setenv("FLYING", "1")
    assert ephemeral_provider("sqlite:///kibitz.sqlite3") is None
    monkeypatch.setenv(variable, "1")
    assert ephemeral_provider("sqlite:///kibitz.sqlite3") is not None
    assert ephemeral_provider("postgresql://alice:secret@db/kibitz") is None
    assert ephemeral_provider("sqlite:////proc/volume/kibitz.sqlite3") is None, (
        "a path on the mounted /proc was reported as temporary"
    )
