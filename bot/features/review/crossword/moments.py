"""The turns of a game as a review sees them: what the player could know, what is judged, and what is not.

A turn is judged by what the player could know: the tiles of the opponent are any of those not seen, though the text
shows them, except those of a phony that came off. A phony that came off is judged as a pass.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.domain.crossword.game import Course, Game, tiles_used, without
from bot.domain.crossword.play import (
    ORDINARY,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    Play,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import Position, unseen_tiles
from bot.domain.crossword.scoring import score_placement
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import MILLIPOINTS, AnalysisError, StoppedError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import is_symmetric
from bot.engine.plays.generate import RacksOnBoard
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.review.crossword.values import Flag, Reason, gave_up


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn of a game, before it is judged."""

    number: int
    """The index among the game's events."""
    turn: Turn
    position: Position
    """As the player knew it."""
    play: Play
    """What is judged: the pass for a phony that came off."""
    score: int
    """Points that stayed."""
    bag: int
    rack_size: int
    """How many tiles the player had."""
    others: int
    """How many tiles the opponent had."""
    flags: tuple[Flag, ...]
    reason: Reason | None
    words: int
    """How many words the play formed."""
    unknown: int
    """How many of them are not in the lexicon."""

    @property
    def lead(self) -> int:
        """Points that the player was ahead before the turn."""
        players, seat = self.position.players, self.position.on_turn
        return players[seat].score - players[1 - seat].score


def moments(game: Game, graph: WordGraph) -> tuple[Moment, ...]:
    """Return the turns of a game of two in which somebody played, exchanged or passed.

    Raises:
        RuleError: a play runs off the board.

    """
    return tuple(_moments(game, graph))


def _moments(game: Game, graph: WordGraph) -> Iterator[Moment]:
    course = Course(game.rules, len(game.names))
    last = {turn.player: number for number, turn in enumerate(game.turns) if turn.kind in ORDINARY}
    final = max(last.values(), default=-1)
    penalized = {turn.player for turn in game.turns if turn.kind is TurnKind.TIME_PENALTY and turn.score}
    stood = False
    for number, (turn, shown) in enumerate(zip(game.turns, game.positions(), strict=False)):
        if turn.kind not in ORDINARY:
            course.follow(turn)
            continue
        after = game.turns[number + 1] if number + 1 < len(game.turns) else None
        off = after is not None and after.kind is TurnKind.PHONY_WITHDRAWN and after.player == turn.player
        words, unknown = words_formed(course, turn, graph)
        flags = _flags(course, turn, unknown=unknown, off=off, missed=stood)
        if last[turn.player] == number and turn.player in penalized:
            flags.append(Flag.TIME_PENALTY)
        was_over = course.is_over
        stood = bool(unknown) and not off and (after is None or after.kind is not TurnKind.CHALLENGE_BONUS)
        moment = Moment(
            number,
            turn,
            _known(course, turn, shown),
            Pass() if off else _usual(turn.play or Pass(), course),
            0 if off else turn.score,
            course.bag,
            course.rack_sizes[turn.player],
            course.rack_sizes[1 - turn.player],
            tuple(flags),
            None,
            words,
            unknown,
        )
        reason = Reason.GAME_OVER if was_over else _reason(moment, off=off)
        course.follow(turn)
        if number == final:
            ending = _ending(course, game)
            moment = replace(moment, flags=(*moment.flags, *ending))
        yield replace(moment, reason=reason)


def _ending(course: Course, game: Game) -> list[Flag]:
    """Return how the game ended, if not by a player who is out."""
    if course.scoreless_turns >= course.rules.scoreless_limit:
        return [Flag.SIX_ZEROS]
    return [Flag.RESIGNED] if not course.is_over and gave_up(game) else []


def _known(course: Course, turn: Turn, shown: Position) -> Position:
    """Return the position as the player on turn knew it."""
    seat = turn.player
    own = turn.rack
    if len(own) != course.rack_sizes[seat] and shown.on_turn == seat:
        # With an empty bag a rack may follow from the other one.
        deduced = shown.players[seat].rack
        own = deduced if len(deduced) == course.rack_sizes[seat] else own
    other = course.known[1 - seat] if course.bag else ()
    players = tuple(
        replace(player, score=course.scores[number], rack=own if number == seat else other)
        for number, player in enumerate(shown.players)
    )
    return Position(
        course.rules,
        course.board,
        players,
        on_turn=seat,
        scoreless_turns=course.scoreless_turns,
        last_play=course.last_play,
    )


def _flags(course: Course, turn: Turn, *, unknown: int, off: bool, missed: bool) -> list[Flag]:
    flags = []
    if isinstance(turn.play, Placement):
        if len(tiles_used(turn.play)) == course.rules.rack_size:
            flags.append(Flag.BINGO)
    else:
        flags.append(Flag.EXCHANGE if isinstance(turn.play, Exchange) else Flag.PASS)
    if unknown or off:
        flags.append(Flag.PHONY_OFF if off else Flag.PHONY_STOOD)
    if missed:
        flags.append(Flag.MISSED_CHALLENGE)
    if course.bag and course.known[1 - turn.player]:
        flags.append(Flag.KNOWN_TILES)
    return flags


def _reason(moment: Moment, *, off: bool) -> Reason | None:
    """Return why a turn is not judged, as far as it can be told without looking for plays."""
    rack = moment.position.players[moment.position.on_turn].rack
    if not rack:
        return Reason.RACK_UNKNOWN
    if len(rack) < moment.rack_size or moment.turn.rack_unknown:
        return Reason.RACK_PARTIAL
    if isinstance(moment.play, Exchange) and moment.play.unknown:
        return Reason.EXCHANGE_UNKNOWN
    if moment.unknown and not off:
        return Reason.PHONY_STOOD
    if moment.position.unseen.excess or len(rack) > moment.rack_size:
        return Reason.NOT_ANALYZED
    return None


def words_formed(course: Course, turn: Turn, graph: WordGraph) -> tuple[int, int]:
    """Return how many words a turn forms, and how many of them are not in the lexicon."""
    if not isinstance(turn.play, Placement):
        return 0, 0
    try:
        scored = score_placement(course.board, turn.play, course.rules)
    except RuleError:
        return 0, 0
    words = [word for word in (scored.word, *scored.cross_words) if len(word.tiles) > 1]
    unknown = sum(not graph.accepts(bytes(abs(tile) for tile in word.tiles)) for word in words)
    return len(words), unknown


def _usual(play: Play, course: Course) -> Play:
    """Return a first play as the engine lists it: across, where both ways are the same."""
    layout = course.rules.layout
    if not isinstance(play, Placement) or any(course.board.squares) or not is_symmetric(layout):
        return play
    start = play.start
    if start.direction is Direction.ACROSS:
        return play
    return Placement(Coordinate(start.column, start.row, Direction.ACROSS), play.tiles)


def chance_of_points(moment: Moment) -> float:
    """Return how much of a win a point more is worth before a turn."""
    chances = learnt_win_chances()
    unseen = max(1, moment.bag + moment.others)
    win = chances.chance(moment.lead, unseen)
    return win * (1 - win) / chances.scales[min(unseen, len(chances.scales) - 1)]


_UNKNOWN = {Reason.RACK_UNKNOWN, Reason.RACK_PARTIAL, Reason.NOT_ANALYZED, Reason.GAME_OVER}


def measure_luck(
    turns: Sequence[Moment],
    lexicon: Lexicon,
    *,
    draws: int,
    seed: int,
    is_over: Callable[[], bool],
    run: Callable[..., Iterable[float | None]] = map,
) -> dict[int, float]:
    """Return the luck of each turn with a known draw, by the turn's number: points better than the average draw.

    Args:
        turns: The turns of the game.
        lexicon: The lexicon of the review.
        draws: The number of draws to compare with.
        seed: The seed of these draws.
        is_over: Whether time is up. Turns not measured by then are missing.
        run: Maps a function to arguments, such as :meth:`Executor.map`.

    """
    known = list(_known_draws(turns))

    def luck(draw: tuple[Moment, tuple[int, ...], tuple[int, ...]]) -> float | None:
        moment, before, away = draw
        if is_over():
            return None
        if len(before) == len(_rack(moment)):
            return 0.0
        try:
            return _luck(moment, lexicon, _others(moment, before, away, draws=draws, seed=seed), is_over)
        except (AnalysisError, StoppedError):
            return None

    found = zip(known, run(luck, known), strict=True)
    return {moment.number: value for (moment, _, _), value in found if value is not None}


def _known_draws(turns: Sequence[Moment]) -> Iterator[tuple[Moment, tuple[int, ...], tuple[int, ...]]]:
    """Yield the turns with a known draw, each with the tiles before the draw and those exchanged for it."""
    racks: dict[int, tuple[int, ...] | None] = {0: (), 1: ()}
    away: dict[int, tuple[int, ...]] = {0: (), 1: ()}
    for moment in turns:
        seat = moment.turn.player
        before, rack = racks[seat], _rack(moment)
        if moment.reason in _UNKNOWN:
            racks[seat] = None
            continue
        if before is not None and Counter(before) <= Counter(rack):
            yield moment, before, away[seat]
        used = _used(moment)
        racks[seat] = None if used is None else without(rack, used)
        away[seat] = used if used and isinstance(moment.play, Exchange) else ()


def _rack(moment: Moment) -> tuple[int, ...]:
    return moment.position.players[moment.turn.player].rack


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
    rack = _rack(moment)
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
    own = board.best_equity(_rack(moment))
    return (own - sum(equities) / len(equities)) / MILLIPOINTS
