"""Analyses as kinds of jobs, and how their values are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from bot.domain.crossword.rules import (
    BoardLayout,
    LetterDistribution,
    distribution_names,
    layout_names,
    load_distribution,
    load_layout,
)
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.job import ChessRequest
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult, Progress
from bot.jobs.codec import Codec, Form, require
from bot.jobs.kinds import JobKind, said


def _named(kind: type, names: Callable[[], tuple[str, ...]], load: Callable[[str], Any]) -> Form:
    """Return the form of values that are written by name where Kibitz knows them, else whole."""
    whole = Codec[Any](kind)

    def convert(value: Any, reading: bool) -> Any:  # noqa: ANN401, FBT001 - a Form
        if not reading:
            known = value.name in names() and load(value.name) == value
            return value.name if known else [whole.write(value)]
        if isinstance(value, str):
            require(value in names())
            return load(value)
        require(isinstance(value, list) and len(value) == 1 and isinstance(value[0], str))
        return whole.read(value[0])

    return convert


SPECIAL: Final[Mapping[Any, Form]] = {
    LetterDistribution: _named(LetterDistribution, distribution_names, load_distribution),
    BoardLayout: _named(BoardLayout, layout_names, load_layout),
    object: said,
}
"""The forms of values that have one of their own in positions and games of crosswords."""

CHESS: Final = JobKind(
    "chess", Codec[ChessRequest](ChessRequest), Codec[None](None), Codec[ChessAnalysis](ChessAnalysis)
)


def analysis_names() -> dict[str, type]:
    """Return the types that values of analyses name without their modules importing them; the engine's packages are needed."""
    from bot.engine.endgame.pre_endgame import PreEndgameResult  # noqa: PLC0415 - compiled modules
    from bot.engine.endgame.result import EndgameResult  # noqa: PLC0415 - as above
    from bot.engine.simulation.result import SimulationResult, SimulationState  # noqa: PLC0415 - as above
    from bot.engine.ucgi import Opinion  # noqa: PLC0415 - as above

    found = (Opinion, EndgameResult, PreEndgameResult, SimulationResult, SimulationState)
    return {kind.__name__: kind for kind in found}


def analysis_kind() -> JobKind[AnalysisRequest, Progress, AnalysisResult]:
    """Return the kind of crossword analyses; the engine's packages are needed."""
    names = analysis_names()
    progress = names["SimulationResult"] | names["EndgameResult"] | names["PreEndgameResult"]
    return JobKind(
        "analysis",
        Codec[AnalysisRequest](AnalysisRequest, names, SPECIAL),
        Codec[Progress](progress, names, SPECIAL),
        Codec[AnalysisResult](AnalysisResult, names, SPECIAL),
    )
