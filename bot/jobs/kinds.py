"""Kinds of jobs, and the JSON of their requests, progress, results and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from bot.domain.reading.problems import DomainError, Phrase
from bot.jobs.codec import Codec, require
from bot.jobs.queue import JobControl, Progress, Request, Result, StoppedError


@dataclass(frozen=True, slots=True)
class JobKind(Generic[Request, Progress, Result]):
    """A kind of job, with its codecs."""

    name: str
    request_codec: Codec[Request]
    progress_codec: Codec[Progress]
    result_codec: Codec[Result]


@dataclass(frozen=True, slots=True)
class Work(Generic[Request, Progress, Result]):
    """A kind of job, and the function that does the work on a separate thread."""

    kind: JobKind[Request, Progress, Result]
    perform: Callable[[Request, JobControl[Progress]], Result]
    estimate_seconds: Callable[[Request], float] = lambda _: 0.0
    """Estimates the CPU seconds of a request."""
    result_version: Callable[[], str] = str
    """Returns a string that identifies the program, the engine and the lexica. Only jobs with equal strings share results."""


class JobFailedError(Exception):
    """A job failed in a worker (the worker's log contains the reason), was deleted, or has an unreadable result."""


def convert_value(value: Any, is_reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Converter
    """Convert a value that is inserted into an error message: a number, a string, a phrase to translate, or None."""
    if not is_reading:
        if isinstance(value, Phrase):
            return [str(value)]
        return value if value is None or isinstance(value, int | float) else str(value)
    if isinstance(value, list):
        require(len(value) == 1 and isinstance(value[0], str))
        return Phrase(value[0])
    require(value is None or isinstance(value, str | int | float))
    return value


def encode_error(error: BaseException) -> str:
    """Encode an error. Only a :exc:`DomainError` keeps its details."""
    if isinstance(error, StoppedError):
        return "stopped"
    if not isinstance(error, DomainError):
        return "lost"
    values = {name: convert_value(value, False) for name, value in error.values.items()}  # noqa: FBT003 - see Converter
    return json.dumps([type(error).__name__, error.code, error.template, error.line, error.column, values])


def decode_error(text: str) -> Exception:
    """Decode an error from :func:`encode_error`. An unreadable error becomes :exc:`JobFailedError`."""
    if text == "stopped":
        return StoppedError()
    try:
        kind, code, template, line, column, values = json.loads(text)
        values = {name: convert_value(value, True) for name, value in values.items()}  # noqa: FBT003 - see Converter
        return _domain_error_classes()[kind](str(code), str(template), (int(line), int(column)), **values)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return JobFailedError("a job failed in a worker")


def _domain_error_classes(base: type[DomainError] = DomainError) -> dict[str, type[DomainError]]:
    classes = {base.__name__: base}
    for subclass in base.__subclasses__():
        classes |= _domain_error_classes(subclass)
    return classes
