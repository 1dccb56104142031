"""Runs commands in an empty folder, without the settings of the machine."""

import pytest

from bot.__main__ import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    for name in ("KIBITZ_ANALYSIS__LEXICA", "DISCORD_TOKEN", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Return a function that runs a command and returns its exit code, output and errors."""

    def command(*arguments):
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return command
