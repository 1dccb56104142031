"""Machines and people can read the log, and it contains nothing that users write."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import sqlite3
import subprocess
import sys
import threading
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path

import discord
import pytest
from discord import app_commands
from sqlalchemy import exc

from bot.domain.reading.problems import ParseError
from bot.observe import logs
from bot.storage.errors import StoreError

ROOT = Path(__file__).parents[2]
SECRET = "QWERTYUIOP"
log = logging.getLogger("bot.test")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def stream():
    """Yield an empty stream. Restore the logging of the test run afterwards."""
    root = logging.getLogger()
    original_settings = (
        root.level,
        list(root.handlers),
        sys.excepthook,
        sys.unraisablehook,
        threading.excepthook,
    )
    levels = {name: logging.getLogger(name).level for name in (*logs._OWN_LOGGERS, *logs._QUIET_LOGGERS)}
    yield io.StringIO()
    root.handlers[:] = original_settings[1]
    root.setLevel(original_settings[0])
    sys.excepthook, sys.unraisablehook, threading.excepthook = original_settings[2:]
    logging.captureWarnings(capture=False)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def log_entries(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def raised(error, cause=None):
    with pytest.raises(type(error)) as caught:
        raise error from cause
    return caught.value


def test_a_log_line_is_a_json_object_with_time_level_logger_and_message(stream):
    logs.set_up("json", stream=stream)
    log.info("ready as %s", "Kibitz\nand \u2028 ü 🂡 \ud800")
    assert stream.getvalue().isascii()
    [line] = log_entries(stream)
    time = datetime.fromisoformat(line.pop("time"))
    assert abs(datetime.now(UTC) - time) < timedelta(minutes=1)
    assert line == {
        "level": "info",
        "logger": "bot.test",
        "message": "ready as Kibitz\nand \u2028 ü 🂡 \ud800",
    }


async def test_log_lines_have_the_context_of_the_task(stream):
    logs.set_up("json", stream=stream)

    async def work():
        log.info("inside")

    with logs.log_context(message_id=1, guild_id=None):
        with logs.log_context(channel_id=2):
            task = asyncio.create_task(work())
        log.info("outer")
        log.error("fault", extra={"reference": "A1B2C3", "message_id": 5, "content": SECRET})
    log.info("outside")
    await task
    ids_of_lines = [
        {name: line.get(name) for name in ("message_id", "channel_id", "reference")}
        for line in log_entries(stream)
    ]
    assert ids_of_lines == [
        {"message_id": 1, "channel_id": None, "reference": None},
        {"message_id": 5, "channel_id": None, "reference": "A1B2C3"},
        {"message_id": None, "channel_id": None, "reference": None},
        {"message_id": 1, "channel_id": 2, "reference": None},
    ]
    assert SECRET not in stream.getvalue()


def test_an_exception_is_logged_on_one_line(stream):
    logs.set_up("json", stream=stream)
    cause = raised(StoreError("the database can't be used: the disk is full"))
    log.error("fault", exc_info=raised(TypeError("an int is not a board"), cause))
    [line] = log_entries(stream)
    outer, inner = line["exception"]
    assert (outer["type"], outer["text"]) == ("builtins.TypeError", "an int is not a board")
    assert inner["text"] == "the database can't be used: the disk is full"
    assert inner["type"] == "bot.storage.errors.StoreError"
    assert f"{__file__}:" in outer["frames"][-1]
    assert outer["frames"][-1].endswith(" in raised")


@pytest.mark.parametrize("format_", ["json", "text"])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError(f"invalid literal for int(): {SECRET}"), "ValueError"),
        (KeyError(SECRET), "KeyError"),
        (ParseError("bad-rack", "no rack: {rack}", rack=SECRET), "code bad-rack"),
        (exc.DataError("INSERT", {}, Exception(SECRET)), "DataError"),
        (app_commands.AppCommandError(SECRET), "AppCommandError"),
        (ExceptionGroup("several", [ValueError(SECRET), KeyError(SECRET)]), "several"),
        (raised(ValueError(SECRET), raised(UnicodeEncodeError("ascii", SECRET, 0, 1, SECRET))), "Unicode"),
        (sqlite3.OperationalError("database is locked"), "database is locked"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (discord.ClientException("not connected"), "not connected"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_the_text_of_an_exception_that_may_quote_users_is_withheld(stream, format_, error, text):
    logs.set_up(format_, stream=stream)
    with pytest.raises(type(error)) as caught:
        raise error
    log.error("fault", exc_info=caught.value)
    assert SECRET not in stream.getvalue()
    assert text in stream.getvalue()


def test_the_log_line_of_an_infinite_recursion_is_bounded(stream):
    logs.set_up("json", stream=stream)

    def recurse():
        recurse()

    with pytest.raises(RecursionError) as caught:
        recurse()
    log.error("fault", exc_info=caught.value)
    [line] = log_entries(stream)
    frames = line["exception"][0]["frames"]
    assert len(frames) == logs.MAX_FRAMES + 1
    assert frames[0].endswith(" more)")


def test_a_cycle_of_causes_is_logged_only_once(stream):
    logs.set_up("json", stream=stream)
    first, second = TypeError("first"), TypeError("second")
    first.__cause__, second.__cause__ = second, first
    log.error("fault", exc_info=first)
    assert [error["text"] for error in log_entries(stream)[0]["exception"]] == ["first", "second"]


def test_tokens_in_addresses_are_not_logged(stream):
    logs.set_up("json", stream=stream)
    token = "aW50ZXJhY3Rpb246MTIz" * 5
    log.warning("POST https://discord.com/api/v10/webhooks/123456/%s responded with 429", token)
    log.error("x", exc_info=raised(OSError(f"/interactions/123/{token}/callback")))
    assert token not in stream.getvalue()
    assert "/webhooks/123456/*** responded" in stream.getvalue()


def test_a_terminal_gets_lines_for_people_and_anything_else_gets_json(stream):
    terminal = Terminal()
    logs.set_up(stream=terminal)
    with logs.log_context(message_id=5):
        log.warning("beware\r\n\x1b[2Jof \u202e the dog")
    assert terminal.getvalue()[9:] == (
        "WARNING bot.test: beware\\r\\n\\x1b[2Jof \\u202e the dog message_id=5\n"
    )
    log.error("fault", exc_info=raised(TypeError("first\nsecond")))
    assert "\n    TypeError: first\\nsecond\n" in terminal.getvalue()
    logs.set_up(stream=stream)
    log.info("hello")
    assert log_entries(stream)[0]["message"] == "hello"


def test_the_debug_level_does_not_apply_to_libraries(stream):
    logs.set_up("json", "debug", stream)
    for name in (
        "discord.gateway",
        "discord.http",
        "aiosqlite",
        "sqlalchemy.engine",
        "alembic.runtime.migration",
    ):
        logging.getLogger(name).debug("received %s", SECRET)
    log.debug("own")
    assert [line["message"] for line in log_entries(stream)] == ["own"]
    logs.set_up("json", "error", stream)
    log.warning("quiet")
    logging.getLogger("alembic").warning("quiet")
    assert len(log_entries(stream)) == 1


def test_every_kind_of_uncaught_exception_is_logged(stream):
    logs.set_up("json", stream=stream)
    sys.excepthook(ValueError, raised(ValueError(SECRET)), None)
    thread = threading.Thread(target=lambda: int(SECRET), name=SECRET)
    thread.start()
    thread.join()

    class Careless:
        def __del__(self):
            raise KeyError(SECRET)

    Careless()
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("an old way", DeprecationWarning, stacklevel=1)
    log_lines = log_entries(stream)
    assert [(line["level"], line["message"]) for line in log_lines[:3]] == [
        ("critical", "uncaught exception"),
        ("critical", "uncaught exception in a thread"),
        ("error", "error while cleaning up"),
    ]
    assert len({line["reference"] for line in log_lines[:2]}) == 2
    assert "an old way" in log_lines[3]["message"]
    assert SECRET not in stream.getvalue()


async def test_an_error_in_the_background_is_logged_without_its_text(stream):
    logs.set_up("json", stream=stream)
    asyncio.get_running_loop().set_exception_handler(logs.log_loop_error)

    async def fail():
        raise ValueError(SECRET)

    task = asyncio.create_task(fail())
    await asyncio.wait([task])
    del task
    gc.collect()
    [line] = log_entries(stream)
    assert line["message"] == "error in the background: Task exception was never retrieved"
    assert line["exception"][0]["type"] == "builtins.ValueError"
    assert SECRET not in stream.getvalue()


def test_a_process_that_fails_ends_with_one_log_line_and_an_exit_code():
    program = "from bot.observe import logs; logs.set_up(); import threading; {}['QWERTYUIOP']"
    completed = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )
    assert completed.returncode == 1
    [line] = completed.stderr.splitlines()
    assert json.loads(line)["exception"][0]["type"] == "builtins.KeyError"
    assert SECRET not in line
