"""A kind of jobs that workers do, and how its requests, progress, results and errors are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from bot.domain.reading.problems import DomainError, Phrase
from bot.jobs.codec import Codec, CodecError, require
from bot.jobs.queue import Control, StoppedError

Request = TypeVar("Request")
Progress = TypeVar("Progress")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class JobKind(Generic[Request, Progress, Result]):
    """One kind of jobs."""

    name: str
    request: Codec[Request]
    progress: Codec[Progress]
    result: Codec[Result]


@dataclass(frozen=True, slots=True)
class Work(Generic[Request, Progress, Result]):
    """A kind of jobs and what does them, on a thread of its own."""

    kind: JobKind[Request, Progress, Result]
    perform: Callable[[Request, Control[Progress]], Result]
    seconds_of: Callable[[Request], float] = lambda _: 0.0
    """The seconds of a processor that a request may take."""
    identity: Callable[[], str] = str
    """What results depend on beside the request."""


class LostError(Exception):
    """A job failed in a worker, whose log says why."""


def said(value: Any, reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Form
    """Convert what takes a place in a sentence: a number, a text, or a phrase to be translated."""
    if not reading:
        if isinstance(value, Phrase):
            return [str(value)]
        return value if value is None or isinstance(value, int | float) else str(value)
    if isinstance(value, list):
        require(len(value) == 1 and isinstance(value[0], str))
        return Phrase(value[0])
    require(value is None or isinstance(value, str | int | float))
    return value


@dataclass(frozen=True, slots=True)
class _Problem:
    kind: str
    code: str
    template: str
    line: int
    column: int
    values: tuple[tuple[str, object], ...]


_PROBLEMS: Final = Codec[_Problem](_Problem, special={object: said})


def write_error(error: BaseException) -> str:
    """Write why a job has no result: what a player is told whole, anything else as lost."""
    if isinstance(error, StoppedError):
        return "stopped"
    if not isinstance(error, DomainError):
        return "lost"
    values = tuple(error.values.items())
    return _PROBLEMS.write(
        _Problem(type(error).__name__, error.code, error.template, error.line, error.column, values)
    )


def read_error(text: str) -> Exception:
    """Read what :func:`write_error` has written; what cannot be read is lost."""
    if text == "stopped":
        return StoppedError()
    try:
        problem = _PROBLEMS.read(text)
        return {kind.__name__: kind for kind in _kinds()}[problem.kind](
            problem.code, problem.template, line=problem.line, column=problem.column, **dict(problem.values)
        )
    except (CodecError, KeyError, IndexError, TypeError, ValueError):
        return LostError("a job failed in a worker")


def _kinds(kind: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    """Yield the classes of problems that this process knows."""
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)
