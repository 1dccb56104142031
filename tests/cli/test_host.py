"""The ``init`` command, and the ``doctor`` command without Discord."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.config import load_settings
from render.fonts import load_font

ROOT = Path(__file__).parents[2]


def test_init_writes_default_settings_and_never_overwrites(folder, capsys):
    defaults = load_settings()
    assert main(["init"]) == 0
    output = capsys.readouterr().out
    assert "export DISCORD_TOKEN" in output
    assert "kibitz doctor" in output
    assert (folder / "config.toml").read_bytes() == (ROOT / "config.example.toml").read_bytes()
    assert load_settings() == defaults
    (folder / "config.toml").write_text("[look]\ntheme = 'dark'\n", encoding="utf-8")
    assert main(["init"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert tomllib.loads((folder / "config.toml").read_text(encoding="utf-8")) == {"look": {"theme": "dark"}}


def test_init_refuses_a_missing_folder(capsys):
    assert main(["init", "nowhere/at/all"]) == 2
    assert "can't be written" in capsys.readouterr().err


def test_doctor_reports_a_missing_token_and_creates_no_database(folder, capsys):
    assert main(["doctor"]) == 2
    output = capsys.readouterr().out
    assert "❌ DISCORD_TOKEN is not set" in output
    assert "The bot will create it when it starts." in output
    assert "Lexica: " in output
    assert list(folder.iterdir()) == []


def test_doctor_reports_a_database_that_will_be_lost(monkeypatch, capsys):
    monkeypatch.setenv("DYNO", "web.1")
    assert main(["doctor"]) == 2
    assert "❌ Heroku discards" in capsys.readouterr().out


def test_doctor_compares_the_version_of_the_database(monkeypatch, folder, capsys):
    path = folder / "kibitz.sqlite3"
    path.touch()
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{path}")
    main(["doctor"])
    assert "is empty. The bot will create its tables when it starts." in capsys.readouterr().out
    assert main(["migrate"]) == 0
    main(["doctor"])
    assert "is up to date." in capsys.readouterr().out
    for version, sentence in (
        (
            "9001",
            "❌ The database can't be used: the database has schema version 9001, made by a newer version",
        ),
        (
            "0001",
            "❌ The database can't be used: the database has schema version 0001, from before Kibitz 0.2.0",
        ),
    ):
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE alembic_version SET version_num = ?", (version,))
        main(["doctor"])
        assert sentence in capsys.readouterr().out


@pytest.mark.parametrize(("variable", "kind"), [("CHESS", "chess"), ("ANALYSIS", "crossword")])
def test_doctor_reports_a_missing_engine(monkeypatch, capsys, variable, kind):
    monkeypatch.setenv(f"KIBITZ_{variable}__ENGINE", "no-such-engine")
    assert main(["doctor"]) == 2
    assert f"❌ The {kind} engine 'no-such-engine' is not installed" in capsys.readouterr().out


def test_doctor_loads_the_fonts(monkeypatch, folder, capsys):
    load_font.cache_clear()
    main(["doctor"])
    assert "✅ Fonts: 8.\n" in capsys.readouterr().out
    load_font.cache_clear()
    monkeypatch.setattr("render.fonts.files", lambda _: folder)
    assert main(["doctor"]) == 2
    assert "❌ The fonts can't be loaded: " in capsys.readouterr().out


def test_doctor_reports_wrong_settings_in_one_sentence(folder, capsys):
    (folder / "config.toml").write_text("[look]\ntheme = 'pink'\n", encoding="utf-8")
    assert main(["doctor"]) == 2
    assert "the theme 'pink' is unknown" in capsys.readouterr().err
