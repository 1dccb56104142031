"""Prepares a game's turns for the review, and measures the luck of the draws.

A turn is judged by what its player knew: the opponent's tiles, even if recorded, count as unseen unless a withdrawn phony has
shown them. A withdrawn phony is judged as a pass.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.domain.crossword.game import Game, ReplayState, is_bingo, remove_tiles, tiles_used
from bot.domain.crossword.play import (
    ORDINARY_KINDS,
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
from bot.engine.plays.generate import RackEvaluator
from bot.engine.plays.values import formed_words
from bot.engine.simulation.win_chances import shipped_win_chances
from bot.features.review.crossword.values import (
    Flag,
    TurnReview,
    UnjudgedReason,
    has_resignation_note,
    phase_of,
)


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn, and the position as its player knew it."""

    review: TurnReview
    position: Position
    play: Play
    """The play to judge: a pass for a withdrawn phony."""
    rack_size: int
    """Number of tiles on the rack, including unknown tiles."""
    opponent_tile_count: int
    word_count: int
    """Number of words that the player formed, even if the play was withdrawn."""
    invalid_word_count: int

    @property
    def needs_judgement(self) -> bool:
        return self.review.unjudged_reason is UnjudgedReason.UNFINISHED

    @property
    def lead(self) -> int:
        players, seat = self.position.players, self.position.on_turn
        return players[seat].score - players[1 - seat].score

    @property
    def win_per_point(self) -> float:
        """The win chance that one more point would add, before the turn."""
        chances = shipped_win_chances()
        unseen_count = max(1, self.review.bag_count + self.opponent_tile_count)
        win = chances.chance(self.lead, unseen_count)
        return win * (1 - win) / chances.scales[min(unseen_count, len(chances.scales) - 1)]

    def with_review(self, **changes: object) -> PlayedTurn:
        return replace(self, review=replace(self.review, **changes))  # type: ignore[arg-type]


def played_turns(game: Game, graph: WordGraph) -> Iterator[PlayedTurn]:
    """Yield the placements, exchanges and passes in a two-player game. Raise RuleError if a play runs off the board."""
    state = ReplayState(game.rules, len(game.names))
    last_indices = {turn.seat: index for index, turn in enumerate(game.turns) if turn.kind in ORDINARY_KINDS}
    penalized_seats = {turn.seat for turn in game.turns if turn.kind is TurnKind.TIME_PENALTY and turn.score}
    phony_stands = False
    for index, (turn, recorded_position) in enumerate(zip(game.turns, game.positions(), strict=False)):
        if turn.kind not in ORDINARY_KINDS:
            state.apply(turn)
            continue
        next_turn = game.turns[index + 1] if index + 1 < len(game.turns) else None
        is_withdrawn = (
            next_turn is not None
            and next_turn.kind is TurnKind.PHONY_WITHDRAWN
            and next_turn.seat == turn.seat
        )
        words: tuple[tuple[ScoredWord, bool], ...] = ()
        with suppress(RuleError):
            words = formed_words(state.board, turn.play or Pass(), state.rules, graph)
        invalid_count = sum(not valid for _, valid in words)
        flags = _flags(
            state, turn, invalid_count=invalid_count, is_withdrawn=is_withdrawn, missed_challenge=phony_stands
        )
        if last_indices[turn.seat] == index and turn.seat in penalized_seats:
            flags.append(Flag.TIME_PENALTY)
        challenge_failed = next_turn is not None and next_turn.kind is TurnKind.CHALLENGE_BONUS
        phony_stands = bool(invalid_count) and not is_withdrawn and not challenge_failed
        position = _known_position(state, turn, recorded_position)
        play = Pass() if is_withdrawn else _normalize_play(turn.play or Pass(), state)
        rack_size, opponent_tile_count = state.rack_sizes[turn.seat], state.rack_sizes[1 - turn.seat]
        bag_count = state.bag_count
        reason = (
            UnjudgedReason.GAME_OVER if state.is_over else _unjudged_reason(position, play, turn, rack_size)
        )
        if reason is UnjudgedReason.UNFINISHED and invalid_count and not is_withdrawn:
            reason = UnjudgedReason.PHONY_STOOD
        state.apply(turn)
        if index == max(last_indices.values()):
            flags += _ending_flags(state, game)
        rack = position.players[turn.seat].rack
        review = TurnReview(
            index + 1,
            turn.seat,
            rack,
            max(0, rack_size - len(rack)),
            turn.play or Pass(),
            0 if is_withdrawn else turn.score,
            phase_of(bag_count),
            bag_count,
            reason,
            flags=tuple(flags),
        )
        yield PlayedTurn(review, position, play, rack_size, opponent_tile_count, len(words), invalid_count)


def _ending_flags(state: ReplayState, game: Game) -> list[Flag]:
    if state.scoreless_turns >= state.rules.scoreless_limit:
        return [Flag.SIX_ZEROS]
    return [Flag.RESIGNED] if not state.is_over and has_resignation_note(game) else []


def _known_position(state: ReplayState, turn: Turn, recorded_position: Position) -> Position:
    seat, rack = turn.seat, turn.rack
    if len(rack) != state.rack_sizes[seat] and recorded_position.on_turn == seat:
        # With an empty bag, the opponent's rack may reveal the player's rack.
        deduced_rack = recorded_position.players[seat].rack
        rack = deduced_rack if len(deduced_rack) == state.rack_sizes[seat] else rack
    opponent_rack = state.known_tiles[1 - seat] if state.bag_count else ()
    players = tuple(
        replace(player, score=state.scores[number], rack=rack if number == seat else opponent_rack)
        for number, player in enumerate(recorded_position.players)
    )
    return Position(
        state.rules,
        state.board,
        players,
        on_turn=seat,
        scoreless_turns=state.scoreless_turns,
        last_play=state.last_play,
    )


def _flags(
    state: ReplayState, turn: Turn, *, invalid_count: int, is_withdrawn: bool, missed_challenge: bool
) -> list[Flag]:
    conditions = {
        Flag.BINGO: is_bingo(turn.play, state.rules.rack_size),
        Flag.EXCHANGE: isinstance(turn.play, Exchange),
        Flag.PASS: not isinstance(turn.play, Placement | Exchange),
        Flag.PHONY_OFF: is_withdrawn,
        Flag.PHONY_STOOD: invalid_count and not is_withdrawn,
        Flag.MISSED_CHALLENGE: missed_challenge,
        Flag.KNOWN_TILES: state.bag_count and state.known_tiles[1 - turn.seat],
    }
    return [flag for flag, applies in conditions.items() if applies]


def _unjudged_reason(position: Position, play: Play, turn: Turn, rack_size: int) -> UnjudgedReason:
    """Return why a turn cannot be judged, or ``UNFINISHED`` if it can. Phonies are checked elsewhere."""
    rack = position.players[turn.seat].rack
    if not rack:
        return UnjudgedReason.RACK_UNKNOWN
    if len(rack) < rack_size or turn.rack_unknown_count:
        return UnjudgedReason.RACK_PARTIAL
    if isinstance(play, Exchange) and play.unknown_count:
        return UnjudgedReason.EXCHANGE_UNKNOWN
    if position.unseen.excess or len(rack) > rack_size:
        return UnjudgedReason.NOT_ANALYZED
    return UnjudgedReason.UNFINISHED


def _normalize_play(play: Play, state: ReplayState) -> Play:
    """Return an opening play on a symmetric layout as an across play, as the engine lists it."""
    if (
        isinstance(play, Placement)
        and play.start.direction is Direction.DOWN
        and not any(state.board.squares)
        and is_symmetric(state.rules.layout)
    ):
        return Placement(play.start.transposed, play.tiles)
    return play


_UNKNOWN_DRAW_REASONS = {
    UnjudgedReason.RACK_UNKNOWN,
    UnjudgedReason.RACK_PARTIAL,
    UnjudgedReason.NOT_ANALYZED,
    UnjudgedReason.GAME_OVER,
}
"""If a turn is unjudged for one of these reasons, the draws before and after it are unknown."""


def measure_luck(
    turns: Sequence[PlayedTurn],
    lexicon: Lexicon,
    *,
    draw_count: int,
    seed: int,
    must_stop: Callable[[], bool],
    run: Callable[..., Iterable[float | None]] = map,
) -> dict[int, float]:
    """Return the luck of each known draw, in points, by the number of the turn after the draw.

    Draws not measured in time are left out. Luck is the best equity with the drawn tiles minus the mean best equity over
    ``draw_count`` random draws. ``run`` is a function like :meth:`Executor.map`.
    """

    def measure_draw(draw: tuple[PlayedTurn, tuple[int, ...], tuple[int, ...]]) -> float | None:
        turn, leave, exchanged_tiles = draw
        position, rack = turn.position, turn.review.rack
        if must_stop():
            return None
        if len(leave) == len(rack):
            return 0.0
        equities = []
        try:
            evaluator = RackEvaluator(
                position, lexicon.graph, lexicon.leaves, bag_count=turn.review.bag_count
            )
            for other_rack in _other_racks(turn, leave, exchanged_tiles, draw_count=draw_count, seed=seed):
                if must_stop():
                    return None
                equities.append(evaluator.best_equity(other_rack))
            return (evaluator.best_equity(rack) - sum(equities) / len(equities)) / MILLIPOINTS
        except (AnalysisError, StoppedError):
            return None

    known_draws = list(_known_draws(turns))
    return {
        turn.review.turn: value
        for (turn, _, _), value in zip(known_draws, run(measure_draw, known_draws), strict=True)
        if value is not None
    }


def _known_draws(
    turns: Sequence[PlayedTurn],
) -> Iterator[tuple[PlayedTurn, tuple[int, ...], tuple[int, ...]]]:
    """For each known draw, yield the turn after it, the tiles that the player kept, and the tiles exchanged for it."""
    leaves: dict[int, tuple[int, ...] | None] = {0: (), 1: ()}
    exchanged_tiles_by_seat: dict[int, tuple[int, ...]] = {0: (), 1: ()}
    for turn in turns:
        review = turn.review
        seat, leave = review.seat, leaves[review.seat]
        if review.unjudged_reason in _UNKNOWN_DRAW_REASONS:
            leaves[seat] = None
            continue
        if leave is not None and Counter(leave) <= Counter(review.rack):
            yield turn, leave, exchanged_tiles_by_seat[seat]
        play, used_tiles = turn.play, tiles_used(turn.play)
        is_leave_known = not isinstance(play, Exchange) or not play.unknown_count
        leaves[seat] = remove_tiles(review.rack, used_tiles) if is_leave_known else None
        exchanged_tiles_by_seat[seat] = used_tiles if isinstance(play, Exchange) else ()


def _other_racks(
    turn: PlayedTurn, leave: tuple[int, ...], exchanged_tiles: tuple[int, ...], *, draw_count: int, seed: int
) -> Iterator[tuple[int, ...]]:
    """Yield racks with random unseen tiles.

    The tiles that the player exchanged cannot be drawn back in the same turn, so they are left out, unless too few other tiles
    would remain.
    """
    position = turn.position
    unseen_counts = unseen_tiles(position.rules.distribution, position.board.squares, [leave]).counts
    pool = [tile for tile, count in enumerate(unseen_counts) for _ in range(count)]
    count = len(turn.review.rack) - len(leave)
    if len(pool) - len(exchanged_tiles) >= count:
        pool = list(remove_tiles(pool, exchanged_tiles))
    generator = random.Random(seed * 1_000_003 + turn.review.turn - 1)  # noqa: S311 - random tiles need no secrecy
    for _ in range(draw_count):
        yield (*leave, *generator.sample(pool, count))
