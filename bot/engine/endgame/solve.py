"""Solves endgames: finds the value and the best line of a position with an empty bag.

A value is the number of points that the player to move gains on the opponent by the end of the game, including points for the
tiles left on the racks.

In games with equal turns (Crossplay), at most two turns remain, and tiles left on the racks do not count. The value of a play is
its score, minus the score of the best reply if the opponent has a turn left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.domain.crossword.game import board_after, turns_left
from bot.domain.crossword.play import Play, tiles_laid
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import EndScoring
from bot.engine.analysis import AnalysisError, Deadline, StoppedError
from bot.engine.endgame.result import EndgameResult, EndgameTurn, RankedPlay
from bot.engine.endgame.search import (
    UNBOUNDED,
    Root,
    Searcher,
    SearchStatus,
    checked_unseen_tiles,
    find_unseen_tiles,
)
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay, SortKey

_PLAYS_PER_REPORT = 256


def _solve_last_turns(
    position: Position,
    graph: WordGraph,
    deadline: Deadline,
    *,
    top: int,
    requested_play: Play | None,
    progress: Callable[[EndgameResult], None] | None,
) -> EndgameResult:
    unseen = find_unseen_tiles(position)
    turn_count = _last_turn_count(position)
    evaluated_count = 0

    def evaluate(candidate: RatedPlay) -> RankedPlay:
        nonlocal evaluated_count
        evaluated_count += 1
        return _evaluate_last_play(position, graph, candidate, unseen if turn_count > 1 else ())

    def result(*, complete: bool, requested_result: RankedPlay | None = None) -> EndgameResult:
        best = ranking[0]
        nodes = 1 if turn_count == 1 else 1 + evaluated_count
        return EndgameResult(
            best.value, best.line, complete, turn_count, nodes, best.value, tuple(ranking), requested_result
        )

    candidates = find_plays(position, graph, top=None, by=SortKey.SCORE)
    ranking: list[RankedPlay] = []
    complete = True
    for number, candidate in enumerate(candidates):
        if len(ranking) >= top and candidate.score <= ranking[-1].value:
            break  # no later play can be better, because its value is at most its score
        if deadline.has_passed():
            complete = False
            break
        ranking.append(evaluate(candidate))
        ranking.sort(key=lambda rated: -rated.value)
        del ranking[top:]
        if progress is not None and number % _PLAYS_PER_REPORT == _PLAYS_PER_REPORT - 1:
            progress(result(complete=False))
    if not ranking:
        raise StoppedError
    requested_result = None
    if requested_play is not None and not deadline.is_cancelled:
        same_plays = (rated for rated in candidates if _is_same_play(rated.play, requested_play))
        requested_result = next(map(evaluate, same_plays), None)
    return result(complete=complete, requested_result=requested_result)


def _last_turn_count(position: Position) -> int:
    turns = turns_left(position)
    if turns is None:
        raise AnalysisError(
            "bag-not-empty",
            "an endgame begins when the bag is empty; tiles still in the bag: {tiles}",
            tiles=position.bag_count,
        )
    if not turns.count:
        raise AnalysisError("game-over", "the game is over; there is nothing to solve")
    return min(2, turns.count)


def _evaluate_last_play(
    position: Position, graph: WordGraph, candidate: RatedPlay, replying_rack: tuple[int, ...]
) -> RankedPlay:
    """Return a play's value. If ``replying_rack`` is not empty, the opponent has one more turn."""
    turn = EndgameTurn(candidate.play, candidate.score)
    if not replying_rack:
        return RankedPlay((turn,), candidate.score, exact=True)
    players = Player(0, replying_rack), Player(0, candidate.leave)
    board = board_after(position.board, candidate.play)
    reply = find_plays(
        Position(position.rules, board, players, turns_left=1), graph, top=1, by=SortKey.SCORE
    )[0]
    return RankedPlay((turn, EndgameTurn(reply.play, reply.score)), candidate.score - reply.score, exact=True)


def _is_same_play(first: Play, second: Play) -> bool:
    return tiles_laid(first) == tiles_laid(second) and type(first) is type(second)


MAX_RANKED = 50

_ITERATION_COUNT = 4
"""Maximum number of iterations before the last. Each is one turn deeper than the previous one. The last goes to the end of the game."""
_MARGIN = 8
"""Number of points by which the window of an iteration extends below and above the previous value.

The window of the first iteration is unbounded. At depths above :data:`_ITERATION_COUNT`, the number is 1.
"""


def solve_endgame(
    position: Position,
    graph: WordGraph,
    *,
    seconds: float = 15.0,
    top: int = 1,
    requested_play: Play | None = None,
    progress: Callable[[EndgameResult], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> EndgameResult:
    """Solve a position with an empty bag. The opponent's rack holds all unseen tiles, even if the position does not show them.

    ``top`` plays are ranked once the best play is proven. ``requested_play`` is evaluated even if it is not among the best, with
    a separate limit of ``seconds``. ``progress`` is called on the caller's thread. ``cancelled`` is called about every 10 ms. When it
    returns true, the search ends with the result so far.

    Raises:
        AnalysisError: the bag is not empty, the game is over, or the position cannot be analyzed.
        StoppedError: the search was cancelled, or time was up, before it found a line.

    """
    if cancelled():
        raise StoppedError
    deadline = Deadline(seconds, cancelled)
    if position.rules.end_scoring is EndScoring.EQUAL_TURNS:
        return _solve_last_turns(
            position,
            graph,
            deadline,
            top=min(top, MAX_RANKED),
            requested_play=requested_play,
            progress=progress,
        )
    root = _create_root(position)
    searcher = Searcher(position, board_arrays(position, graph, with_index=False), root)
    search = _DeepeningSearch(searcher, deadline, progress)
    search.deepen()
    result = search.result
    if result is None:
        raise StoppedError
    if result.exact and top > 1:
        if progress is not None:
            progress(result)
        result = search.rank(result, min(top, MAX_RANKED))
    if requested_play is None or cancelled():
        return result
    return replace(result, requested_play=search.evaluate_play(requested_play, Deadline(seconds, cancelled)))


def _create_root(position: Position) -> Root:
    unseen = checked_unseen_tiles(position)
    known_tiles = position.players[1 - position.on_turn].rack
    bag_count = len(unseen) - max(position.rules.rack_size, len(known_tiles))
    if bag_count > 0:
        raise AnalysisError(
            "bag-not-empty",
            "an endgame begins when the bag is empty; tiles still in the bag: {tiles}",
            tiles=bag_count,
        )
    return Root(position.players[position.on_turn].rack, unseen)


class _DeepeningSearch:
    """A search by iterative deepening."""

    def __init__(
        self, searcher: Searcher, deadline: Deadline, progress: Callable[[EndgameResult], None] | None
    ) -> None:
        self._searcher = searcher
        self._deadline = deadline
        self._progress = progress
        self.result: EndgameResult | None = None

    def deepen(self) -> None:
        searcher = self._searcher
        value, margin, finished_depth = 0, UNBOUNDED, 0
        for depth in (*range(1, min(_ITERATION_COUNT, searcher.max_depth) + 1), searcher.max_depth):
            if depth > _ITERATION_COUNT:
                margin = 1
            status = self._iterate(depth, value, margin)
            if status is not SearchStatus.DONE:
                if searcher.best_line():
                    self._set_result(searcher.best_value_so_far(), finished_depth, exact=False)
                return
            value, margin, finished_depth = searcher.value, _MARGIN, depth
            self._set_result(value, depth, exact=searcher.is_final)
            if searcher.is_final:
                return
            if self._progress is not None and self.result is not None:
                self._progress(self.result)

    def _iterate(self, depth: int, value: int, margin: int) -> SearchStatus:
        """Search with a window of ``margin`` points on each side of ``value``. Widen the window until it contains the result."""
        searcher = self._searcher
        low, high = value - margin, value + margin
        while True:
            status = searcher.search(depth, (low, high), self._deadline)
            if status is not SearchStatus.DONE or low < searcher.value < high:
                return status
            margin *= 8
            if searcher.value <= low:
                low = max(-UNBOUNDED, searcher.value - margin)
            else:
                high = min(UNBOUNDED, searcher.value + margin)

    def _set_result(self, value: int, depth: int, *, exact: bool) -> None:
        line = self._searcher.best_line()
        bound = value if exact else self._searcher.lower_bound
        self.result = EndgameResult(
            value, line, exact, depth, self._searcher.node_count, bound, (RankedPlay(line, value, exact),)
        )

    def evaluate_play(self, requested_play: Play, deadline: Deadline) -> RankedPlay | None:
        """Return a play's value, or None if the play is illegal, forms a word not in the lexicon, or was not searched in time."""
        for slot, turn in self._searcher.plays():
            if _is_same_play(turn.play, requested_play):
                return self._evaluate_slot(slot, turn, -UNBOUNDED, deadline)
        return None

    def rank(self, best: EndgameResult, count: int) -> EndgameResult:
        """Add a ranking of up to ``count`` plays to ``best``, the proven result."""
        searcher, deadline = self._searcher, self._deadline
        estimates = []
        for slot, turn in searcher.plays():
            if searcher.search(1, (-UNBOUNDED, UNBOUNDED), deadline, slot=slot) is not SearchStatus.DONE:
                return best
            if turn != best.line[0]:
                estimates.append((searcher.value, slot, turn))
        ranking: list[RankedPlay] = []
        for _, slot, turn in sorted(estimates, key=lambda rated: -rated[0]):
            min_value = ranking[count - 2].value if len(ranking) > count - 2 else -UNBOUNDED
            ranked_play = self._evaluate_slot(slot, turn, min_value, deadline)
            if deadline.has_passed():
                break
            if ranked_play is not None and ranked_play.exact and ranked_play.value > min_value:
                ranking.append(ranked_play)
                ranking.sort(key=lambda rated: -rated.value)
                del ranking[count - 1 :]
        return replace(best, nodes=searcher.node_count, ranking=best.ranking + tuple(ranking))

    def _evaluate_slot(
        self, slot: int, turn: EndgameTurn, min_value: int, deadline: Deadline
    ) -> RankedPlay | None:
        """Return the value of a play, proved if time allows, or None if no search finished in time.

        A value of at most ``min_value`` is only an upper bound.
        """
        searcher = self._searcher
        best = None
        for depth in range(1, searcher.max_depth + 1):
            if searcher.search(depth, (min_value, UNBOUNDED), deadline, slot=slot) is not SearchStatus.DONE:
                break
            best = RankedPlay((turn, *searcher.best_line(after_play=True)), searcher.value, searcher.is_final)
            if searcher.is_final:
                break
        return best
