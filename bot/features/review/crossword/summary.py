"""From turns to players: sums, the curve, the turns most worth a look, and luck."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from bot.domain.crossword.game import Course, Game, tiles_used, without
from bot.domain.crossword.play import Exchange, Placement, TurnKind
from bot.domain.crossword.position import unseen_tiles
from bot.engine.analysis import MILLIPOINTS, AnalysisError, StoppedError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.plays.generate import RacksOnBoard
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.review.crossword.classes import MIN_JUDGED, mistake_index, rating_range, weight
from bot.features.review.crossword.judging import chance_of_points
from bot.features.review.crossword.moments import Moment
from bot.features.review.crossword.values import (
    Flag,
    Method,
    Phase,
    PlayerReview,
    Reason,
    Size,
    TurnReview,
)
from bot.features.review.values import Depth

MAX_KEY_TURNS = 4
_FIND = 0.05
"""How far behind the second play is, in chance to win, of a best play that is worth to look at."""


def player_reviews(game: Game, turns: Sequence[TurnReview], depth: Depth) -> tuple[PlayerReview, ...]:
    """Sum up the turns of each player."""
    english = game.rules.distribution.name.startswith("english")
    return tuple(
        _player(
            game, seat, [turn for turn in turns if turn.seat == seat], rated=english and depth is Depth.DEEP
        )
        for seat in range(len(game.names))
    )


def _player(game: Game, seat: int, turns: Sequence[TurnReview], *, rated: bool) -> PlayerReview:
    name = game.names[seat]
    own = [turn for turn in turns if turn.reason is not Reason.GAME_OVER]
    judged = [turn for turn in own if turn.size is not None]
    enough = bool(judged) and len(judged) >= MIN_JUDGED * len(own)
    sizes = [turn.size for turn in judged if turn.size is not None]
    index = mistake_index(sizes) if enough else None
    early = [turn for turn in judged if turn.phase is not Phase.ENDGAME]
    draws = [turn for turn in own if turn.luck is not None]
    lucky = bool(draws) and len(draws) >= MIN_JUDGED * len(own)
    return PlayerReview(
        name.name or name.nick,
        len(own),
        len(judged),
        _mean(turn.accuracy for turn in judged) if enough else None,
        index,
        sizes.count(Size.SMALL),
        sizes.count(Size.MEDIUM),
        sizes.count(Size.LARGE),
        sum(turn.luck or 0.0 for turn in draws) if lucky else None,
        sum(Flag.BINGO in turn.flags and Flag.PHONY_OFF not in turn.flags for turn in own),
        sum(Flag.MISSED_BINGO in turn.flags for turn in own),
        luck_win=sum(turn.luck_win or 0.0 for turn in draws) if lucky else None,
        points_lost=sum(turn.loss_points for turn in judged),
        win_lost=_mean(turn.loss_win for turn in early) or 0.0,
        best=sizes.count(Size.BEST),
        elo=rating_range(index) if rated and index is not None else None,
        time_penalty=-sum(
            turn.score for turn in game.turns if turn.kind is TurnKind.TIME_PENALTY and turn.player == seat
        ),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def curve_of(game: Game, chances: dict[int, float]) -> tuple[tuple[float, ...], int | None]:
    """Return the first player's chance to win at the start and after each event, and when the bag was empty.

    ``chances`` has what is known of the chance after an event, by its index; the others go by the score.
    """
    course = Course(game.rules, len(game.names))
    curve = [_chance(course)]
    empty = None
    for number, turn in enumerate(game.turns):
        course.follow(turn)
        if empty is None and not course.bag:
            empty = number + 1
        curve.append(_outcome(course) if course.is_over else chances.get(number, _chance(course)))
    if game.turns:
        curve[-1] = _outcome(course)
    return tuple(curve), empty


def _chance(course: Course) -> float:
    seat = course.next_seat
    lead = course.scores[seat] - course.scores[1 - seat]
    chance = learnt_win_chances().chance(lead, course.bag + course.rack_sizes[1 - seat])
    return chance if seat == 0 else 1 - chance


def _outcome(course: Course) -> float:
    lead = course.scores[0] - course.scores[1]
    return 1.0 if lead > 0 else 0.5 if not lead else 0.0


def key_turns(turns: Sequence[TurnReview]) -> tuple[int, ...]:
    """Return the turns most worth to look at: the greatest losses, then best plays far ahead of the next."""
    lost = sorted((turn for turn in turns if turn.established), key=weight, reverse=True)
    found = [
        turn
        for turn in turns
        if turn.size is Size.BEST and turn.method is Method.SIMULATION and turn.ahead >= _FIND
    ]
    found.sort(key=lambda turn: -turn.ahead)
    return tuple(turn.turn for turn in (*lost, *found)[:MAX_KEY_TURNS])


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
