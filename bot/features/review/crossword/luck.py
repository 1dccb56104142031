"""Luck: by how much the tiles that a player drew are better than tiles drawn at random.

As in backgammon: the best equity of the rack on the board of the turn, less the mean of the best equities of racks
with other tiles drawn to what had been kept. An estimate, since the draws are few and equity is no certainty.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.course import tiles_used, without
from bot.domain.crossword.play import Exchange, Placement
from bot.engine.analysis import MILLIPOINTS, AnalysisError, StoppedError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.generate import RacksOnBoard
from bot.features.review.crossword.judging import chance_of_points
from bot.features.review.crossword.moments import Moment
from bot.features.review.crossword.values import Flag, Reason

_UNKNOWN = {Reason.RACK_UNKNOWN, Reason.RACK_PARTIAL, Reason.NOT_ANALYZED, Reason.GAME_OVER}


def measure_luck(
    moments: Sequence[Moment],
    lexicon: Lexicon,
    *,
    draws: int,
    seed: int,
    is_over: Callable[[], bool],
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yield, for each turn whose draw is known, its number and how lucky it was: in points, and in chance to win."""
    held: dict[int, tuple[int, ...] | None] = {0: (), 1: ()}
    away: dict[int, tuple[int, ...]] = {0: (), 1: ()}
    for moment in moments:
        if is_over():
            return
        seat = moment.turn.player
        rack = moment.position.players[seat].rack
        before = held[seat]
        if moment.reason in _UNKNOWN:
            held[seat] = None
            continue
        if before is not None and Counter(before) <= Counter(rack):
            points = 0.0
            if len(before) < len(rack):
                try:
                    others = _others(moment, before, away[seat], draws=draws, seed=seed)
                    points = _luck(moment, lexicon, others, is_over)
                except (AnalysisError, StoppedError):
                    return
            yield moment.number, (points, points * chance_of_points(moment))
        used = _used(moment)
        held[seat] = None if used is None else without(rack, used)
        away[seat] = used if used and isinstance(moment.play, Exchange) else ()


def _used(moment: Moment) -> tuple[int, ...] | None:
    """Return the tiles that left the rack; None when they are not known."""
    if Flag.PHONY_OFF in moment.flags:
        return ()
    match moment.turn.play:
        case Placement() as placement:
            return tiles_used(placement)
        case Exchange(tiles, unknown):
            return None if unknown else tiles
        case _:
            return ()


def _others(
    moment: Moment, kept: tuple[int, ...], away: tuple[int, ...], *, draws: int, seed: int
) -> Iterator[tuple[int, ...]]:
    """Yield racks that might have been drawn to what was kept. What was exchanged could not be drawn again."""
    position = moment.position
    rack = position.players[moment.turn.player].rack
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [kept]).counts
    pool = [tile for tile, count in enumerate(unseen) for _ in range(count)]
    count = len(rack) - len(kept)
    if len(pool) - len(away) >= count:
        pool = list(without(pool, away))
    chance = random.Random(seed * 1_000_003 + moment.number)  # noqa: S311 - draws of a game, not a secret
    for _ in range(draws):
        yield (*kept, *chance.sample(pool, count))


def _luck(
    moment: Moment, lexicon: Lexicon, others: Iterable[tuple[int, ...]], is_over: Callable[[], bool]
) -> float:
    """Return by how many points a rack is better than others.

    Raises:
        StoppedError: time is up.

    """
    position = moment.position
    board = RacksOnBoard(position, lexicon.graph, lexicon.leaves, bag=moment.bag)
    equities = []
    for rack in others:
        if is_over():
            raise StoppedError
        equities.append(board.best_equity(rack))
    own = board.best_equity(position.players[moment.turn.player].rack)
    return (own - sum(equities) / len(equities)) / MILLIPOINTS
