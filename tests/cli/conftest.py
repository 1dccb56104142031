"""Runs commands in an empty folder, without this machine's settings."""

import io
import json
from types import SimpleNamespace

import pytest

from bot.__main__ import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("KIBITZ_ANALYSIS__LEXICA", "DISCORD_TOKEN", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = main(arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return command


@pytest.fixture
def set_stdin(monkeypatch):
    def set_text(text):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    return set_text


@pytest.fixture
def inspect_json(run):
    def inspect(*arguments):
        code, output, _ = run("inspect", "--json", *arguments)
        return code, [json.loads(line) for line in output.splitlines()]

    return inspect


@pytest.fixture
def write_file(tmp_path):
    def write(content, name="position.cgp"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write
