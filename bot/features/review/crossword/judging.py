"""What is known of a turn while a game is being reviewed, and the verdict on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain.crossword.course import tiles_used
from bot.domain.crossword.play import Exchange, Pass, Placement, Play
from bot.engine.analysis import MILLIPOINTS
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.review.accuracy import accuracy
from bot.features.review.crossword.classes import phase_of
from bot.features.review.crossword.moments import Moment
from bot.features.review.crossword.values import (
    Flag,
    JudgedPlay,
    Method,
    Reason,
    Size,
    Static,
    TurnReview,
    Why,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a way of judging found out about a turn."""

    method: Method
    best: JudgedPlay
    played: JudgedPlay | None
    """None when the way of judging does not know the play, as a phony in an endgame."""
    loss_win: float = 0.0
    loss_win_error: float = 0.0
    loss_points: float = 0.0
    lost: float = 0.0
    """Percent of a win lost, by which accuracy goes."""
    size: Size = Size.BEST
    approximate: bool = False
    blown: bool = False
    ahead: float = 0.0
    """Of a play that is the best: by how much of a win it is established to be ahead of all others."""
    iterations: int = 0
    why: tuple[Why, ...] = ()


def turn_review(
    moment: Moment, static: Static | None, verdict: Verdict | None, luck: tuple[float, float] | None
) -> TurnReview:
    """Return what is known of a turn as a plain value."""
    turn = moment.turn
    reason = moment.reason
    judged = reason is None and verdict is not None and verdict.played is not None
    if reason is None and not judged:
        reason = Reason.UNFINISHED
    review = TurnReview(
        moment.number + 1,
        turn.player,
        moment.position.players[turn.player].rack,
        max(0, moment.rack_size - len(moment.position.players[turn.player].rack)),
        turn.play or Pass(),
        moment.score,
        phase_of(moment.bag),
        moment.bag,
        reason,
        static,
        flags=moment.flags,
        luck=luck and luck[0],
        luck_win=luck and luck[1],
    )
    if verdict is None:
        return review
    review = replace(
        review,
        best=verdict.best if judged else None,
        played=verdict.played,
        method=verdict.method,
        iterations=verdict.iterations,
    )
    if not judged:
        return review
    return replace(
        review,
        loss_win=verdict.loss_win,
        loss_win_error=verdict.loss_win_error,
        loss_points=verdict.loss_points,
        size=verdict.size,
        approximate=verdict.approximate,
        accuracy=accuracy(verdict.lost),
        ahead=verdict.ahead,
        why=verdict.why,
        flags=(*moment.flags, *_more_flags(moment, verdict)),
    )


def _more_flags(moment: Moment, verdict: Verdict) -> list[Flag]:
    flags = []
    size = moment.position.rules.rack_size
    if (
        verdict.size is not Size.BEST
        and is_bingo(verdict.best.play, size)
        and not is_bingo(moment.play, size)
    ):
        flags.append(Flag.MISSED_BINGO)
    if verdict.blown:
        flags.append(Flag.BLOWN_ENDGAME)
    return flags


def is_bingo(play: Play, rack_size: int) -> bool:
    """Return whether a play lays down a full rack."""
    return isinstance(play, Placement) and len(tiles_used(play)) == rack_size


def tiles_taken(play: Play) -> int:
    """Return how many tiles leave the rack."""
    match play:
        case Placement():
            return len(tiles_used(play))
        case Exchange():
            return play.count
        case _:
            return 0


def chance_after(moment: Moment, play: Play, score: int, equity: int) -> float:
    """Return how likely the player wins after a play of so many points and so much equity in millipoints."""
    gain = equity / MILLIPOINTS if isinstance(play, Placement | Exchange) else 0.0
    laid = len(tiles_used(play)) if isinstance(play, Placement) else 0
    if not moment.bag and laid == moment.rack_size:
        # Equity counts what going out wins.
        final = moment.lead + gain
        return 1.0 if final > 0 else 0.5 if final == 0 else 0.0
    if not moment.bag:
        # Nothing that is left on the racks is sure to be lost.
        gain = float(score)
    return 1.0 - learnt_win_chances().chance(-(moment.lead + gain), moment.bag + moment.rack_size - laid)


def chance_of_points(moment: Moment) -> float:
    """Return how much of a win a point more is worth before a turn."""
    chances = learnt_win_chances()
    unseen = max(1, moment.bag + moment.others)
    win = chances.chance(moment.lead, unseen)
    return win * (1 - win) / chances.scales[min(unseen, len(chances.scales) - 1)]
