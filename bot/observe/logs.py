"""The log: one JSON object per line for machines, or readable lines in a terminal.

The log must not contain anything that users write. Log messages contain only numbers and names from the code. An exception's text
is logged only if exceptions of its class never contain user input.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import secrets
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Literal, TextIO

from bot.observe.metrics import span

Format = Literal["auto", "json", "text"]
Level = Literal["debug", "info", "warning", "error"]

log = logging.getLogger(__name__)

FIELDS: Final = ("reference", "message_id", "channel_id", "guild_id", "user_id", "interaction_id", "shard_id")
"""Optional fields of a log line: the reference number of an error, and Discord ids."""

MAX_FRAMES: Final = 40
"""Maximum number of frames logged for a traceback, counted from the innermost. Infinite recursion produces a thousand frames."""

MAX_CAUSES: Final = 8
"""Maximum number of exceptions logged from a chain of causes."""

_OWN_LOGGERS: Final = ("bot", "render")
_QUIET_LOGGERS: Final = ("alembic", "aiohttp.access")
"""Only warnings and errors from these loggers are logged, because hosts have no use for their other lines."""

_SAFE_BUILTINS: Final = (
    OSError,
    MemoryError,
    RuntimeError,
    ArithmeticError,
    AttributeError,
    TypeError,
    NameError,
    ImportError,
    IndexError,
    AssertionError,
    BaseExceptionGroup,
)
"""Exceptions whose messages never contain user input. The text of a :exc:`ValueError` or a :exc:`KeyError` may quote users."""

_SAFE_CLASSES: Final = frozenset(
    {
        "bot.config.ConfigError",
        "bot.storage.errors.StoreError",
        "discord.errors.DiscordException",
        "discord.errors.ConnectionClosed",
        "aiohttp.client_exceptions.ClientConnectionError",
        "sqlite3.Error",
    }
)
"""The names of other exceptions whose messages, and those of their subclasses, never contain user input.

These are names instead of classes, because some of the imports would be circular.

PostgreSQL's drivers are not listed, because their errors quote stored values.
"""
_UNSAFE_MODULES: Final = ("discord.app_commands", "discord.ext")
"""Packages whose subclasses of ``DiscordException`` quote user input."""

_SAFE_VALUE: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_TOKENS: Final = re.compile(r"(/(?:webhooks|interactions)/\d+/)[\w-]{20,}")
"""Interaction tokens in the URLs that discord.py logs. Anyone with such a token can reply as the bot."""

_ids: ContextVar[Mapping[str, int]] = ContextVar("ids", default={})  # noqa: B039 - it is never changed in place


@contextmanager
def log_context(**ids: int | None) -> Iterator[None]:
    """Add ids (see :data:`FIELDS`) to every line logged in the ``with`` block or in tasks started there. Skip ids that are None.

    Also trace the block.
    """
    new_ids = {name: id_ for name, id_ in ids.items() if id_ is not None}
    token = _ids.set({**_ids.get(), **new_ids})
    try:
        with span("answer", **new_ids):
            yield
    finally:
        _ids.reset(token)


def new_reference_number() -> str:
    """Return a number that identifies an error to the user and in the log."""
    return secrets.token_hex(3).upper()


def set_up(format_: Format = "auto", level: Level = "info", stream: TextIO | None = None) -> None:
    """Send the log only to ``stream`` (by default, standard error), and log uncaught exceptions."""
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    as_json = format_ == "json" or (format_ == "auto" and not stream.isatty())
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter())
    level_number = logging.getLevelNamesMapping()[level.upper()]
    # Libraries log users' messages at the debug level, so only the project's own loggers can be set to this level.
    logging.basicConfig(level=max(level_number, logging.INFO), handlers=[handler], force=True)
    for name in _OWN_LOGGERS:
        logging.getLogger(name).setLevel(level_number)
    for name in _QUIET_LOGGERS:
        logging.getLogger(name).setLevel(max(level_number, logging.WARNING))
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    sys.unraisablehook = _log_unraisable
    threading.excepthook = _log_uncaught_in_thread


def write_directly(message: str) -> None:
    """Write a critical message without acquiring the logging module's locks, which a stuck thread may hold."""
    record = logging.LogRecord(__name__, logging.CRITICAL, __file__, 0, message, None, None)
    handlers = [handler for handler in logging.getLogger().handlers if handler.formatter is not None]
    line = handlers[0].format(record) if handlers else message
    os.write(sys.stderr.fileno(), f"{line}\n".encode(errors="replace"))


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object in ASCII. Times are in UTC."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _redacted_message(record),
            **_fields(record),
        }
        if (error := error_of(record)) is not None:
            line["exception"] = [
                {"type": kind, "text": text, "frames": _frame_lines(frames)}
                for kind, text, frames in redacted_exceptions(error)
            ]
        return json.dumps(line)


class TextFormatter(logging.Formatter):
    """Formats a record as a readable line, with the traceback below."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        fields = "".join(f" {name}={value}" for name, value in _fields(record).items())
        lines = [
            f"{time} {record.levelname:<7} {record.name}: {_printable(_redacted_message(record))}{fields}"
        ]
        if (error := error_of(record)) is not None:
            for cause in _chain(error):
                lines.append(f"    {type(cause).__qualname__}: {_printable(_safe_text(cause))}")
                lines += [
                    f"        {frame}" for frame in _frame_lines(traceback.extract_tb(cause.__traceback__))
                ]
        return "\n".join(lines)


def error_of(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if record.exc_info else None


@contextmanager
def forward_errors(receive: Callable[[logging.LogRecord], None]) -> Iterator[None]:
    """While the ``with`` block runs, also pass every logged error to ``receive``."""
    handler = logging.Handler(logging.ERROR)
    handler.emit = receive  # type: ignore[assignment, method-assign]
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


def log_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Handle an uncaught exception in an event loop. Asyncio's own handler would print the task and the exception's text."""
    log.error(
        "error in the background: %s",
        context.get("message", "no message"),
        exc_info=context.get("exception"),
        extra={"reference": new_reference_number()},
    )


def _log_uncaught(kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    log.critical(
        "uncaught exception", exc_info=(kind, error, frames), extra={"reference": new_reference_number()}
    )


def _log_uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is None or isinstance(arguments.exc_value, SystemExit):
        return
    log.critical(
        "uncaught exception in a thread",
        exc_info=arguments.exc_value,
        extra={"reference": new_reference_number()},
    )


def _log_unraisable(arguments: sys.UnraisableHookArgs) -> None:
    log.error("error while cleaning up", exc_info=arguments.exc_value)


def _redacted_message(record: logging.LogRecord) -> str:
    return _TOKENS.sub(r"\1***", record.getMessage())


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """Return the values of :data:`FIELDS`. The record's own extras take precedence over the context's ids."""
    values = {**_ids.get(), **vars(record)}
    return {name: values[name] for name in FIELDS if values.get(name) is not None}


def redacted_exceptions(error: BaseException) -> Iterator[tuple[str, str, traceback.StackSummary]]:
    """For an exception and each of its causes, yield its qualified class name, text and frames. Withhold text that may quote users."""
    for cause in _chain(error):
        yield (
            f"{type(cause).__module__}.{type(cause).__qualname__}",
            _safe_text(cause),
            traceback.extract_tb(cause.__traceback__),
        )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, its cause, the cause of the cause, and so on. The members of a group follow the group."""
    to_visit = [error]
    seen_ids: set[int] = set()
    while to_visit and len(seen_ids) < MAX_CAUSES:
        current = to_visit.pop(0)
        if id(current) in seen_ids:
            continue
        seen_ids.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            to_visit += current.exceptions
        cause = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
        if cause is not None:
            to_visit.append(cause)


def _safe_text(error: BaseException) -> str:
    """Return an exception's text. If the text may quote users, return only a code or status, if there is one."""
    if _is_safe(error):
        return _TOKENS.sub(r"\1***", str(error))
    for name in ("code", "sqlstate", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) or (isinstance(value, str) and _SAFE_VALUE.fullmatch(value)):
            return f"(withheld, {name} {value})"
    return "(withheld)"


def _is_safe(error: BaseException) -> bool:
    if type(error).__module__.startswith(_UNSAFE_MODULES):
        return False
    names = {f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__}
    is_safe_builtin = isinstance(error, _SAFE_BUILTINS) and not isinstance(error, ValueError)
    return is_safe_builtin or not names.isdisjoint(_SAFE_CLASSES)


def _frame_lines(frames: traceback.StackSummary) -> list[str]:
    lines = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames[-MAX_FRAMES:]]
    left_out_count = len(frames) - len(lines)
    return [f"({left_out_count} more)", *lines] if left_out_count else lines


def _printable(text: str) -> str:
    """Escape characters that could move the cursor or hide a line."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
