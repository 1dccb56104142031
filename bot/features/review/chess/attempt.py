"""Another move in a turn that was reviewed, compared with the best."""

from __future__ import annotations

from dataclasses import dataclass

from bot.engine.uci import ChessAnalysis
from bot.features.review.chess.formulae import capped, judge, win_percent
from bot.features.review.chess.review import line_worth

NEAR = 0.5
"""Points of W that a move may lose against the best to be as good."""


@dataclass(frozen=True, slots=True)
class MoveAttempt:
    """What a move is worth beside the best, by one search over both."""

    lost: float
    """Points of W, never below 0."""
    as_good: bool
    """Whether it loses next to nothing, and no forced mate."""


def compared(analysis: ChessAnalysis, best: str, move: str) -> MoveAttempt | None:
    """Compare two moves, in UCI, that an engine looked at; None when it told nothing of one of them."""
    worth = {line.uci[0]: line_worth(line) for line in analysis.lines if line.uci}
    if best not in worth or move not in worth:
        return None
    white = analysis.position.white_to_move
    sign = 1 if white else -1
    wins = [win_percent(sign * capped(worth[one])) for one in (best, move)]
    lost = max(0.0, wins[0] - wins[1])
    return MoveAttempt(lost, lost <= NEAR and judge(worth[best], worth[move], white=white) is None)
