"""Self-play games, used to learn leave values and to compare strategies."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bot.domain.crossword.position import Board, Player, Position, empty_board
from bot.domain.crossword.rules import EndScoring, Rules
from bot.domain.crossword.scoring import end_adjustments, rack_points
from bot.engine.analysis import AnalysisOptions, Stop, StoppedError
from bot.engine.kernels import best_plays, rack
from bot.engine.kernels.best_plays import Records
from bot.engine.kernels.turn import BoardArrays
from bot.engine.lexicon.leaves import LeaveValues
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import NEVER_STOPPED, Buffers, find_plays
from bot.engine.plays.values import RatedPlay, SortKey, deduplicate
from bot.engine.simulation.arrays import create_record
from bot.engine.simulation.simulate import simulate
from training.kernels import find_best_play, lay_play


@dataclass(frozen=True, slots=True, eq=False)
class Strategy:
    """The way a player chooses plays."""

    leaves: LeaveValues
    sort_key: SortKey = SortKey.EQUITY
    simulation: AnalysisOptions | None = None
    """Options for simulating the plays with the highest equity. The turn number is added to the seed."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The final scores, and the number of turns."""

    scores: tuple[int, int]
    turn_count: int


@dataclass(slots=True)
class GameState:
    """The state of a game before a turn. ``racks[on_turn]`` is the rack of the player to move."""

    racks: list[list[int]]
    bag: list[int]
    scores: list[int]
    on_turn: int = 0
    turn_count: int = 0
    scoreless_turns: int = 0
    turns_left: int | None = None
    """Number of turns left, or None while the bag has tiles. Used only if the rules give all players the same number of turns."""
    board: Board | None = None
    """The board if a player simulates, otherwise None."""


Watcher = Callable[["GameRunner", GameState], None]
"""A function called before every turn. It may call :meth:`GameRunner.find_best`, but must not change the board."""


class GameRunner:
    """Plays games, reusing the board and the buffers. Only one thread may use a runner at a time."""

    def __init__(self, rules: Rules, graph: WordGraph, *, stop: Stop = NEVER_STOPPED) -> None:
        self.rules = rules
        self._graph = graph
        layout = rules.layout
        self.arrays: BoardArrays = board_arrays(
            Position(rules, empty_board(layout.rows, layout.columns), (Player(), Player())), graph
        )
        self._empty_arrays = self.arrays.squares.copy(), self.arrays.masks.copy()
        self._stop = stop
        self.buffers = Buffers()
        self.buffers.fit_board(layout.rows, layout.columns)
        self.buffers.fit_rack(1 << rules.rack_size)
        self.buffers.fit_plays(1)
        self._tiles = [
            number for number, letter in enumerate(rules.distribution.letters) for _ in range(letter.count)
        ]

    def play(
        self, strategies: Sequence[Strategy], seed: int, *, watcher: Watcher | None = None
    ) -> GameResult:
        """Play a game. The tiles drawn depend only on ``seed`` and the plays.

        Raises:
            StoppedError: the game was stopped.

        """
        rng = random.Random(seed)  # noqa: S311 - a game, not a secret
        state = self._new_game(rng)
        if any(strategy.simulation is not None for strategy in strategies):
            state.board = empty_board(self.rules.layout.rows, self.rules.layout.columns)
        while not self._is_over(state):
            if self._stop.is_set:
                raise StoppedError
            if watcher is not None:
                watcher(self, state)
            self._play_turn(state, strategies[state.on_turn], rng)
        for seat, change in enumerate(
            end_adjustments((tuple(state.racks[0]), tuple(state.racks[1])), self.rules)
        ):
            state.scores[seat] += change
        return GameResult((state.scores[0], state.scores[1]), state.turn_count)

    def find_best(
        self, tiles: Sequence[int], strategy: Strategy, *, bag_count: int, opponent_rack: Sequence[int] = ()
    ) -> int:
        """Find the best play with a rack. Return the slot of the play's record in the buffers.

        The opponent's rack is used only if the bag is empty.

        Raises:
            StoppedError: the search was stopped.

        """
        arrays, buffers = self.arrays, self.buffers
        counts = buffers.rack[rack.K_COUNTS : rack.K_COUNTS + 64]
        counts[:] = 0
        for tile in tiles:
            counts[tile] += 1
        slot = find_best_play(
            arrays.game,
            arrays.squares,
            arrays.masks,
            arrays.graph,
            buffers.rack,
            buffers.subset_tables,
            buffers.leave_equities,
            buffers.paths,
            buffers.work,
            buffers.store_state,
            buffers.keys,
            buffers.records,
            buffers.heap,
            self._stop.flag,
            strategy.leaves.nodes,
            strategy.leaves.counts,
            strategy.leaves.values,
            bag_count,
            0 if bag_count else rack_points(opponent_rack, self.rules.distribution),
            buffers.record_length,
            int(strategy.sort_key is SortKey.SCORE),
            min(len(tiles), bag_count) if bag_count >= self.rules.min_bag_for_exchange else 0,
        )
        if buffers.store_state[best_plays.F_STOPPED]:
            raise StoppedError
        return int(slot)

    def _new_game(self, rng: random.Random) -> GameState:
        np.copyto(self.arrays.squares, self._empty_arrays[0])
        np.copyto(self.arrays.masks, self._empty_arrays[1])
        bag = self._tiles.copy()
        rng.shuffle(bag)
        size = self.rules.rack_size
        racks = [bag[:size], bag[size : 2 * size]]
        del bag[: 2 * size]
        return GameState(racks, bag, [0, 0])

    def _is_over(self, state: GameState) -> bool:
        if self.rules.end_scoring is EndScoring.EQUAL_TURNS:
            has_ended = state.turns_left == 0
        else:
            has_ended = not state.bag and not all(state.racks)
        return has_ended or state.scoreless_turns >= self.rules.scoreless_limit

    def _play_turn(self, state: GameState, strategy: Strategy, rng: random.Random) -> None:
        own_rack = state.racks[state.on_turn]
        records, start, score = self._choose(state, strategy)
        record = records[start : start + self.buffers.record_length].tolist()
        kind = record[best_plays.R_KIND]
        tiles = record[best_plays.R_TILES : best_plays.R_TILES + record[best_plays.R_LENGTH]]
        if kind == best_plays.PLACEMENT:
            for tile in tiles:
                if tile:
                    own_rack.remove(max(tile, 0))
            arrays = self.arrays
            lay_play(arrays.game, arrays.squares, arrays.masks, arrays.graph, arrays.undo_log, records, start)
            if state.board is not None:
                state.board = _with_play(state.board, record, tiles)
        elif kind == best_plays.EXCHANGE:
            for tile in tiles:
                own_rack.remove(tile)
        while len(own_rack) < self.rules.rack_size and state.bag:
            own_rack.append(state.bag.pop())
        if kind == best_plays.EXCHANGE:
            state.bag += tiles
            rng.shuffle(state.bag)
        state.scores[state.on_turn] += score
        state.scoreless_turns = 0 if score else state.scoreless_turns + 1
        state.turn_count += 1
        if state.turns_left is not None:
            state.turns_left -= 1
        elif not state.bag:
            state.turns_left = 2
        state.on_turn = 1 - state.on_turn

    def _choose(self, state: GameState, strategy: Strategy) -> tuple[Records, int, int]:
        """Return an array of records, the start of the chosen play's record, and the score."""
        if state.board is not None and strategy.simulation is not None:
            play = self._best_by_simulation(state, state.board, strategy, strategy.simulation)
            return create_record(play, self.buffers.record_length), 0, play.score
        own_rack, opponent_rack = state.racks[state.on_turn], state.racks[1 - state.on_turn]
        slot = self.find_best(own_rack, strategy, bag_count=len(state.bag), opponent_rack=opponent_rack)
        buffers = self.buffers
        start = slot * buffers.record_length
        is_placement = buffers.records[start + best_plays.R_KIND] == best_plays.PLACEMENT
        score = (
            int(buffers.keys[2 * slot + (0 if strategy.sort_key is SortKey.SCORE else 1)])
            if is_placement
            else 0
        )
        return buffers.records, start, score

    def _best_by_simulation(
        self, state: GameState, board: Board, strategy: Strategy, options: AnalysisOptions
    ) -> RatedPlay:
        # The opponent's rack is hidden, so it is left out. Once the bag is empty, the unseen tiles are this rack.
        own_seat, other_seat = state.on_turn, 1 - state.on_turn
        players = (
            Player(state.scores[own_seat], tuple(sorted(state.racks[own_seat]))),
            Player(state.scores[other_seat]),
        )
        position = Position(
            self.rules, board, players, scoreless_turns=state.scoreless_turns, turns_left=state.turns_left
        )
        candidates = deduplicate(
            find_plays(position, self._graph, strategy.leaves, top=options.plays, stop=self._stop)
        )
        if len(candidates) == 1:
            return candidates[0]
        result = simulate(
            position,
            candidates,
            self._graph,
            strategy.leaves,
            replace(options, seed=options.seed + state.turn_count),
            threads=1,
            cancelled=lambda: self._stop.is_set,
        )
        if self._stop.is_set:
            raise StoppedError
        return result.plays[0].play


def _with_play(board: Board, record: Sequence[int], tiles: Sequence[int]) -> Board:
    row, within_row = divmod(record[best_plays.R_START], best_plays.ROW_STRIDE)
    column, is_down = divmod(within_row, 2)
    first = row * board.columns + column
    step = board.columns if is_down else 1
    return board.with_tiles((first + index * step, tile) for index, tile in enumerate(tiles) if tile)
