"""Runs commands in an empty folder, without the settings of the machine."""

import json

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


@pytest.fixture
def inspect_json(run):
    """Return a function that runs ``inspect --json`` and returns its exit code and the object of each file."""

    def inspect(*arguments):
        code, output, _ = run("inspect", "--json", *arguments)
        return code, [json.loads(line) for line in output.splitlines()]

    return inspect


@pytest.fixture
def write_file(tmp_path):
    """Return a function that writes text or bytes to a file in an empty folder, and returns the path."""

    def write(content, name="position.cgp"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
