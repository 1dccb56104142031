"""The kinds of jobs that workers do, and how requests, progress and results of each are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from bot.domain.crossword.distributions import LetterDistribution, distribution_names, load_distribution
from bot.domain.crossword.layouts import BoardLayout, layout_names, load_layout
from bot.domain.reading.problems import DomainError, Phrase, RuleError
from bot.engine.analysis import AnalysisError
from bot.engine.uci import ChessAnalysis, EngineError
from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.values import TurnReview
from bot.features.review.errors import ReviewError
from bot.jobs import analysis, attempt, chess, chess_review, review
from bot.jobs.hosted.codec import Codec, CodecError, Json, Pair
from bot.jobs.queue import StoppedError

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


class LostError(Exception):
    """A job failed in a worker, whose log says why."""


def _set_of_tiles() -> Pair:
    members = Codec[LetterDistribution](LetterDistribution)

    def write(value: LetterDistribution) -> Json:
        if value.name in distribution_names() and load_distribution(value.name) == value:
            return value.name
        return [members.write(value)]

    def read(node: Json) -> LetterDistribution:
        if isinstance(node, str) and node in distribution_names():
            return load_distribution(node)
        return members.read(_only(node))

    return write, read


def _layout() -> Pair:
    members = Codec[BoardLayout](BoardLayout)

    def write(value: BoardLayout) -> Json:
        if value.name in layout_names() and load_layout(value.name) == value:
            return value.name
        return [members.write(value)]

    def read(node: Json) -> BoardLayout:
        if isinstance(node, str) and node in layout_names():
            return load_layout(node)
        return members.read(_only(node))

    return write, read


def _only(node: Json) -> str:
    if not isinstance(node, list) or len(node) != 1 or not isinstance(node[0], str):
        raise CodecError("this is neither a name nor something in full")
    return node[0]


def _write_said(value: object) -> Json:
    """Write what takes a place in a sentence: a number, a text, or a phrase to be translated."""
    if isinstance(value, Phrase):
        return [str(value)]
    return value if value is None or isinstance(value, int | float) else str(value)


def _read_said(node: Json) -> object:
    if node is None or isinstance(node, str | int | float):
        return node
    return Phrase(_only(node))


SPECIAL: Final[Mapping[type, Pair]] = {
    LetterDistribution: _set_of_tiles(),
    BoardLayout: _layout(),
    object: (_write_said, _read_said),
}
"""What is written by name where Kibitz knows it by that name, and what sentences hold."""

CHESS: Final = JobKind(
    "chess",
    Codec[chess.ChessRequest](chess.ChessRequest),
    Codec[None](None),
    Codec[ChessAnalysis](ChessAnalysis),
)
CHESS_REVIEW: Final = JobKind(
    "chess_review",
    Codec[chess_review.ChessReviewRequest](chess_review.ChessReviewRequest),
    Codec[ChessReview](ChessReview),
    Codec[ChessReview](ChessReview),
)
REVIEW: Final = JobKind(
    "review",
    Codec[review.ReviewRequest](review.ReviewRequest, special=SPECIAL),
    Codec[review.ReviewResult](review.ReviewResult, special=SPECIAL),
    Codec[review.ReviewResult](review.ReviewResult, special=SPECIAL),
)
ATTEMPT: Final = JobKind(
    "attempt",
    Codec[attempt.AttemptRequest](attempt.AttemptRequest, special=SPECIAL),
    Codec[float](float),
    Codec[TurnReview](TurnReview, special=SPECIAL),
)


def analysis_names() -> dict[str, type]:
    """Return the types that values of analyses name without their modules importing them; the engine's packages are needed."""
    from bot.engine.endgame.pre_endgame import PreEndgameResult  # noqa: PLC0415 - compiled modules, as in bot.jobs.analysis
    from bot.engine.endgame.result import EndgameResult  # noqa: PLC0415 - as above
    from bot.engine.simulation.result import SimulationResult, SimulationState  # noqa: PLC0415 - as above
    from bot.engine.ucgi import Opinion  # noqa: PLC0415 - as above

    return {
        "Opinion": Opinion,
        "EndgameResult": EndgameResult,
        "PreEndgameResult": PreEndgameResult,
        "SimulationResult": SimulationResult,
        "SimulationState": SimulationState,
    }


def analysis_kind() -> JobKind[analysis.AnalysisRequest, analysis.Progress, analysis.AnalysisResult]:
    """Return the kind of crossword analyses; the engine's packages are needed."""
    names = analysis_names()
    progress = names["SimulationResult"] | names["EndgameResult"] | names["PreEndgameResult"]
    return JobKind(
        "analysis",
        Codec[analysis.AnalysisRequest](analysis.AnalysisRequest, names, SPECIAL),
        Codec[analysis.Progress](progress, names, SPECIAL),
        Codec[analysis.AnalysisResult](analysis.AnalysisResult, names, SPECIAL),
    )


@dataclass(frozen=True, slots=True)
class _Problem:
    kind: str
    code: str
    template: str
    line: int
    column: int
    values: tuple[tuple[str, object], ...]


_PROBLEMS: Final = Codec[_Problem](_Problem, special=SPECIAL)
_CLASSES: Final[tuple[type[DomainError], ...]] = (AnalysisError, EngineError, ReviewError, RuleError)


def write_error(error: BaseException) -> str:
    """Write why a job has no result: what a player is told whole, anything else as lost."""
    if isinstance(error, StoppedError):
        return "stopped"
    if not isinstance(error, DomainError):
        return "lost"
    kind = next((known for known in _CLASSES if isinstance(error, known)), DomainError)
    values = tuple(error.values.items())
    return _PROBLEMS.write(
        _Problem(kind.__name__, error.code, error.template, error.line, error.column, values)
    )


def read_error(text: str) -> Exception:
    """Read what :func:`write_error` has written; what cannot be read is lost."""
    if text == "stopped":
        return StoppedError()
    try:
        problem = _PROBLEMS.read(text)
    except CodecError:
        return LostError("a job failed in a worker")
    kinds = {kind.__name__: kind for kind in (*_CLASSES, DomainError)}
    try:
        error: Exception = kinds[problem.kind](
            problem.code, problem.template, line=problem.line, column=problem.column, **dict(problem.values)
        )
    except (KeyError, IndexError, TypeError, ValueError):
        return LostError("a job failed in a worker")
    return error
