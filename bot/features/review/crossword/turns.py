"""The turns of a game before they are judged, and the luck of their draws.

A turn is judged by what its player could know. The opponent's tiles count as unseen even where the text has them,
except those shown by a phony that came off. A phony that came off is judged as a pass.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
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
from bot.domain.crossword.scoring import ScoredWord
from bot.domain.reading.problems import RuleError
from bot.engine.analysis import MILLIPOINTS, AnalysisError, StoppedError
from bot.engine.lexicon.lexica import Lexicon
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import is_symmetric
from bot.engine.plays.generate import RacksOnBoard
from bot.engine.simulation.win_chances import learnt_win_chances
from bot.features.analysis.crossword.perform import words_of
from bot.features.review.crossword.values import Flag, Reason, TurnReview, gave_up, phase_of


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn with what its player could know."""

    review: TurnReview
    """The review of the turn so far."""
    position: Position
    """The position as the player knew it."""
    play: Play
    """The judged play: a pass for a phony that came off."""
    rack_size: int
    """The number of tiles on the player's rack."""
    others: int
    """The number of tiles on the opponent's rack."""
    words: int
    """The number of words that the play formed."""
    unknown: int
    """The number of them that the lexicon lacks."""

    @property
    def is_open(self) -> bool:
        """Whether the turn can be judged and is not judged yet."""
        return self.review.reason is Reason.UNFINISHED

    @property
    def lead(self) -> int:
        """The player's score less the opponent's before the turn."""
        players, seat = self.position.players, self.position.on_turn
        return players[seat].score - players[1 - seat].score

    @property
    def points_to_win(self) -> float:
        """The share of a win that one more point is worth before the turn."""
        chances = learnt_win_chances()
        unseen = max(1, self.review.bag + self.others)
        win = chances.chance(self.lead, unseen)
        return win * (1 - win) / chances.scales[min(unseen, len(chances.scales) - 1)]

    def known(self, **found: object) -> PlayedTurn:
        """Return the turn with other members in its review."""
        return replace(self, review=replace(self.review, **found))  # type: ignore[arg-type]


def played_turns(game: Game, graph: WordGraph) -> Iterator[PlayedTurn]:
    """Yield the plays, exchanges and passes of a game of two.

    Raises:
        RuleError: a play runs off the board.

    """
    course = Course(game.rules, len(game.names))
    last = {turn.player: number for number, turn in enumerate(game.turns) if turn.kind in ORDINARY}
    penalized = {turn.player for turn in game.turns if turn.kind is TurnKind.TIME_PENALTY and turn.score}
    stood = False
    for number, (turn, shown) in enumerate(zip(game.turns, game.positions(), strict=False)):
        if turn.kind not in ORDINARY:
            course.follow(turn)
            continue
        after = game.turns[number + 1] if number + 1 < len(game.turns) else None
        off = after is not None and after.kind is TurnKind.PHONY_WITHDRAWN and after.player == turn.player
        words: tuple[tuple[ScoredWord, bool], ...] = ()
        with suppress(RuleError):
            words = words_of(course.board, turn.play or Pass(), course.rules, graph)
        unknown = sum(not valid for _, valid in words)
        flags = _flags(course, turn, unknown=unknown, off=off, missed=stood)
        if last[turn.player] == number and turn.player in penalized:
            flags.append(Flag.TIME_PENALTY)
        stood = bool(unknown) and not off and (after is None or after.kind is not TurnKind.CHALLENGE_BONUS)
        position = _position(course, turn, shown)
        play, rack_size = (
            Pass() if off else _usual(turn.play or Pass(), course),
            course.rack_sizes[turn.player],
        )
        others, bag = course.rack_sizes[1 - turn.player], course.bag
        reason = Reason.GAME_OVER if course.is_over else _reason(position, play, turn, rack_size)
        if reason is Reason.UNFINISHED and unknown and not off:
            reason = Reason.PHONY_STOOD
        course.follow(turn)
        if number == max(last.values()):
            flags += _ending(course, game)
        rack = position.players[turn.player].rack
        review = TurnReview(
            number + 1,
            turn.player,
            rack,
            max(0, rack_size - len(rack)),
            turn.play or Pass(),
            0 if off else turn.score,
            phase_of(bag),
            bag,
            reason,
            flags=tuple(flags),
        )
        yield PlayedTurn(review, position, play, rack_size, others, len(words), unknown)


def _ending(course: Course, game: Game) -> list[Flag]:
    """Return how the game ended, unless a player went out."""
    if course.scoreless_turns >= course.rules.scoreless_limit:
        return [Flag.SIX_ZEROS]
    return [Flag.RESIGNED] if not course.is_over and gave_up(game) else []


def _position(course: Course, turn: Turn, shown: Position) -> Position:
    """Return the position as the player on turn knew it."""
    seat = turn.player
    own = turn.rack
    if len(own) != course.rack_sizes[seat] and shown.on_turn == seat:
        # With an empty bag, one rack may follow from the other.
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


def _reason(position: Position, play: Play, turn: Turn, rack_size: int) -> Reason:
    """Return why a turn cannot be judged, apart from phonies, or that it is not judged yet."""
    rack = position.players[turn.player].rack
    if not rack:
        return Reason.RACK_UNKNOWN
    if len(rack) < rack_size or turn.rack_unknown:
        return Reason.RACK_PARTIAL
    if isinstance(play, Exchange) and play.unknown:
        return Reason.EXCHANGE_UNKNOWN
    if position.unseen.excess or len(rack) > rack_size:
        return Reason.NOT_ANALYZED
    return Reason.UNFINISHED


def _usual(play: Play, course: Course) -> Play:
    """Return a first play as the engine lists it: across, where the layout is symmetric."""
    layout = course.rules.layout
    if not isinstance(play, Placement) or any(course.board.squares) or not is_symmetric(layout):
        return play
    start = play.start
    if start.direction is Direction.ACROSS:
        return play
    return Placement(Coordinate(start.column, start.row, Direction.ACROSS), play.tiles)


_NO_RACK = {Reason.RACK_UNKNOWN, Reason.RACK_PARTIAL, Reason.NOT_ANALYZED, Reason.GAME_OVER}


def measure_luck(
    turns: Sequence[PlayedTurn],
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

    def luck(draw: tuple[PlayedTurn, tuple[int, ...], tuple[int, ...]]) -> float | None:
        turn, before, away = draw
        position, rack = turn.position, turn.review.rack
        if is_over():
            return None
        if len(before) == len(rack):
            return 0.0
        others = _other_racks(turn, before, away, draws=draws, seed=seed)
        equities = []
        try:
            board = RacksOnBoard(position, lexicon.graph, lexicon.leaves, bag=turn.review.bag)
            for other in others:
                if is_over():
                    return None
                equities.append(board.best_equity(other))
            return (board.best_equity(rack) - sum(equities) / len(equities)) / MILLIPOINTS
        except (AnalysisError, StoppedError):
            return None

    known = list(_known_draws(turns))
    found = zip(known, run(luck, known), strict=True)
    return {turn.review.turn: value for (turn, _, _), value in found if value is not None}


def _known_draws(
    turns: Sequence[PlayedTurn],
) -> Iterator[tuple[PlayedTurn, tuple[int, ...], tuple[int, ...]]]:
    """Yield the turns with a known draw, each with the tiles before the draw and those exchanged for it."""
    racks: dict[int, tuple[int, ...] | None] = {0: (), 1: ()}
    away: dict[int, tuple[int, ...]] = {0: (), 1: ()}
    for turn in turns:
        review = turn.review
        seat, before = review.seat, racks[review.seat]
        if review.reason in _NO_RACK:
            racks[seat] = None
            continue
        if before is not None and Counter(before) <= Counter(review.rack):
            yield turn, before, away[seat]
        used: tuple[int, ...] | None = ()
        match review.play:
            case _ if Flag.PHONY_OFF in review.flags:
                pass
            case Placement() as placement:
                used = tiles_used(placement)
            case Exchange(tiles, unknown):
                used = None if unknown else tiles
        racks[seat] = None if used is None else without(review.rack, used)
        away[seat] = used if used and isinstance(turn.play, Exchange) else ()


def _other_racks(
    turn: PlayedTurn, before: tuple[int, ...], away: tuple[int, ...], *, draws: int, seed: int
) -> Iterator[tuple[int, ...]]:
    """Yield racks that the player might have drawn. Exchanged tiles could not be drawn again."""
    position = turn.position
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [before]).counts
    pool = [tile for tile, count in enumerate(unseen) for _ in range(count)]
    count = len(turn.review.rack) - len(before)
    if len(pool) - len(away) >= count:
        pool = list(without(pool, away))
    chance = random.Random(seed * 1_000_003 + turn.review.turn - 1)  # noqa: S311 - draws of a game, not a secret
    for _ in range(draws):
        yield (*before, *chance.sample(pool, count))
