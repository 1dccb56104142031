"""The endgame: the value of a position with an empty bag, and its best line.

Both players then know each other's tiles, so the best play can be proved. Values are the points that the player to
move gains on the opponent by the end of the game, with the values of the tiles left on the racks.

If the players have equal last turns, at most two plays remain, so all pairs are tried. Only scores count: the best
play has the highest score minus the score of the best reply. A play that does not score more than the value of the
best play cannot be better, whatever the reply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.domain.crossword.game import turns_left
from bot.domain.crossword.play import THROUGH, Placement, Play, tiles_laid
from bot.domain.crossword.position import Player, Position
from bot.domain.crossword.rules import EndCount
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.endgame.result import EndgameResult, EndgameTurn, RankedPlay
from bot.engine.endgame.search import UNBOUNDED, Ending, Outcome, Searcher, Watch, others_tiles, unseen_of
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.board_arrays import board_arrays
from bot.engine.plays.generate import plays
from bot.engine.plays.values import By, RatedPlay

_REPORTED = 256
"""Number of plays between two reports."""


class LastTurns:
    """The last one or two turns of a game, and the results so far."""

    def __init__(
        self,
        position: Position,
        graph: WordGraph,
        watch: Watch,
        progress: Callable[[EndgameResult], None] | None,
    ) -> None:
        """Begin.

        Raises:
            AnalysisError: the bag is not empty, the game is over, or the position cannot be analyzed.

        """
        left = turns_left(position)
        self._others = unseen_of(position)
        if left is None:
            raise AnalysisError(
                "bag-not-empty",
                "an endgame begins when the bag is empty; here it still has {tiles} tiles",
                tiles=position.bag_count,
            )
        if not left.turns:
            raise AnalysisError("game-over", "the game is over; there is nothing to solve")
        self._turns = min(2, left.turns)
        self._position = position
        self._graph = graph
        self._watch = watch
        self._progress = progress
        self._nodes = 1

    def solve(self, ranked: int, judged: Play | None) -> EndgameResult:
        """Return the best plays, up to ``ranked`` of them, and the value of the ``judged`` play.

        Raises:
            AnalysisError: there are too many plays.
            StoppedError: it was cancelled, or time was up, before the first play was examined.

        """
        candidates = plays(self._position, self._graph, top=None, by=By.SCORE)
        found: list[RankedPlay] = []
        complete = True
        for number, candidate in enumerate(candidates):
            if len(found) >= ranked and candidate.score <= found[-1].value:
                break  # and the same holds for all plays that follow
            if self._watch.is_over():
                complete = False
                break
            found.append(self._value(candidate))
            found.sort(key=lambda rated: -rated.value)
            del found[ranked:]
            if self._progress is not None and number % _REPORTED == _REPORTED - 1:
                self._progress(self._result(found, complete=False))
        if not found:
            raise StoppedError
        result = self._result(found, complete=complete)
        if judged is None or self._watch.is_cancelled:
            return result
        laid = tiles_laid(judged)
        same = (
            rated
            for rated in candidates
            if tiles_laid(rated.play) == laid and type(rated.play) is type(judged)
        )
        played = next(same, None)
        value = None if played is None else self._value(played)
        return replace(result, judged=value, nodes=self._nodes)

    def _result(self, found: list[RankedPlay], *, complete: bool) -> EndgameResult:
        best = found[0]
        # The value of an examined play is exact, but only after all plays is the best one known.
        return EndgameResult(
            best.value, best.line, complete, self._turns, self._nodes, best.value, tuple(found)
        )

    def _value(self, candidate: RatedPlay) -> RankedPlay:
        """Return the value of a play: its score minus the score of the best reply, if there is a reply."""
        turn = EndgameTurn(candidate.play, candidate.score)
        if self._turns == 1:
            return RankedPlay((turn,), candidate.score, exact=True)
        self._nodes += 1
        if not self._others:
            return RankedPlay((turn,), candidate.score, exact=True)
        position, board = self._position, self._position.board
        if isinstance(candidate.play, Placement):
            board = board.with_tiles(
                (row * board.columns + column, tile)
                for (row, column), tile in zip(candidate.play.squares(), candidate.play.tiles, strict=True)
                if tile != THROUGH
            )
        after = Position(
            position.rules, board, (Player(0, self._others), Player(0, candidate.leave)), turns_left=1
        )
        answer = plays(after, self._graph, top=1, by=By.SCORE)[0]
        line = (turn, EndgameTurn(answer.play, answer.score))
        return RankedPlay(line, candidate.score - answer.score, exact=True)


DEFAULT_SECONDS = 15.0
MAX_RANKED = 50

_ITERATIONS = 4
"""Number of iterations that each search one turn deeper. The next iteration goes to the end of the game: by then, the
value is usually found and only needs a proof."""
_WINDOW = 8
"""Half the width, in points, of the window around the previous iteration's value. The last iteration expects exactly
that value."""


def solve_endgame(
    position: Position,
    graph: WordGraph,
    *,
    seconds: float | None = DEFAULT_SECONDS,
    ranked: int = 1,
    judged: Play | None = None,
    progress: Callable[[EndgameResult], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> EndgameResult:
    """Solve a position whose bag is empty.

    The opponent has all tiles that are neither on the board nor on the rack of the player to move, whether or not the
    position shows them.

    Args:
        position: The position; the rack of the player to move is known.
        graph: The lexicon of both players.
        seconds: Time limit; None for none.
        ranked: Number of plays to give a value, once the best is proved.
        judged: A play whose value is always computed, which may take as long again.
        progress: Called on the calling thread with the result so far: after each iteration except the last, and before
            other plays are ranked.
        cancelled: Called every 10 ms or so; once true, the result so far is returned.

    Raises:
        AnalysisError: the bag is not empty, the game is over, or the position cannot be analyzed.
        StoppedError: it was cancelled before there was any line.

    """
    if cancelled is not None and cancelled():
        raise StoppedError
    watch = Watch(seconds, cancelled)
    if position.rules.end_count is EndCount.EQUAL_TURNS:
        last = LastTurns(position, graph, watch, progress)
        return last.solve(min(ranked, MAX_RANKED), judged)
    ending = _ending_of(position)
    searcher = Searcher(position, board_arrays(position, graph, bounds=False), ending)
    solution = _Solution(searcher, watch, progress)
    solution.deepen()
    if solution.result is None:
        raise StoppedError
    if solution.result.exact and ranked > 1:
        if progress is not None:
            progress(solution.result)
        solution.rank(min(ranked, MAX_RANKED))
    if judged is None or (cancelled is not None and cancelled()):
        return solution.result
    return replace(solution.result, judged=solution.judge(judged, Watch(seconds, cancelled)))


def _ending_of(position: Position) -> Ending:
    others = others_tiles(position)
    rules = position.rules
    known_tiles = position.players[1 - position.on_turn].rack
    bag = len(others) - max(rules.rack_size, len(known_tiles))
    if bag > 0:
        raise AnalysisError(
            "bag-not-empty",
            "an endgame begins when the bag is empty; here it still has {tiles} tiles",
            tiles=bag,
        )
    return Ending(position.players[position.on_turn].rack, others)


class _Solution:
    """A search by iterative deepening, and its results."""

    def __init__(
        self, searcher: Searcher, watch: Watch, progress: Callable[[EndgameResult], None] | None
    ) -> None:
        self._searcher = searcher
        self._watch = watch
        self._progress = progress
        self._bound: int | None = None
        self.result: EndgameResult | None = None

    def deepen(self) -> None:
        """Search until the value is proved or time is up."""
        searcher = self._searcher
        value, window, done = 0, UNBOUNDED, 0
        for depth in (*range(1, min(_ITERATIONS, searcher.deepest) + 1), searcher.deepest):
            if depth > _ITERATIONS:
                window = 1
            outcome = self._iterate(depth, value, window)
            if searcher.lower is not None:
                self._bound = max(searcher.lower, searcher.lower if self._bound is None else self._bound)
            if outcome is not Outcome.DONE:
                if searcher.best_line():
                    self._write(searcher.best_so_far(), done, exact=False)
                return
            value, window, done = searcher.value, _WINDOW, depth
            self._write(value, depth, exact=searcher.is_final)
            if searcher.is_final:
                return
            if self._progress is not None and self.result is not None:
                self._progress(self.result)

    def _iterate(self, depth: int, value: int, window: int) -> Outcome:
        """Search to a depth, with a window around a value. If the result is outside the window, the window is opened."""
        searcher = self._searcher
        low, high = value - window, value + window
        while True:
            outcome = searcher.search_root(depth, low, high, self._watch)
            if outcome is not Outcome.DONE or low < searcher.value < high:
                return outcome
            window *= 8
            if searcher.value <= low:
                low = max(-UNBOUNDED, searcher.value - window)
            else:
                high = min(UNBOUNDED, searcher.value + window)

    def _write(self, value: int, depth: int, *, exact: bool) -> None:
        line = self._searcher.best_line()
        bound = value if exact else self._bound
        self.result = EndgameResult(
            value, line, exact, depth, self._searcher.nodes, bound, (RankedPlay(line, value, exact),)
        )

    def judge(self, wanted: Play, watch: Watch) -> RankedPlay | None:
        """Return a play with its value, proved if time allows, or None if the play is not possible in the position."""
        laid = tiles_laid(wanted)
        for slot, play, score in self._searcher.plays():
            if tiles_laid(play) == laid and type(play) is type(wanted):
                return self._value_of(slot, EndgameTurn(play, score), -UNBOUNDED, watch)
        return None

    def rank(self, count: int) -> None:
        """Add the next best plays to the ranking while there is time."""
        best = self.result
        if best is None:
            return
        searcher, watch = self._searcher, self._watch
        promising = []
        for slot, play, score in searcher.plays():
            if searcher.search_play(slot, 1, -UNBOUNDED, UNBOUNDED, watch) is not Outcome.DONE:
                return
            if play != best.line[0].play:
                promising.append((searcher.value, slot, play, score))
        promising.sort(key=lambda rated: -rated[0])
        found: list[RankedPlay] = []
        for _, slot, play, score in promising:
            least = found[count - 2].value if len(found) > count - 2 else -UNBOUNDED
            ranked = self._value_of(slot, EndgameTurn(play, score), least, watch)
            if watch.is_over():
                break
            if ranked is not None and ranked.exact and ranked.value > least:
                found.append(ranked)
                found.sort(key=lambda rated: -rated.value)
                del found[count - 1 :]
        self.result = replace(best, nodes=searcher.nodes, ranking=best.ranking + tuple(found))

    def _value_of(self, slot: int, turn: EndgameTurn, least: int, watch: Watch) -> RankedPlay | None:
        """Return a play with its value if it exceeds ``least``, proved if time allows, or None if no search finished."""
        searcher = self._searcher
        best = None
        for depth in range(1, searcher.deepest + 1):
            if searcher.search_play(slot, depth, least, UNBOUNDED, watch) is not Outcome.DONE:
                break
            best = RankedPlay((turn, *searcher.best_reply()), searcher.value, searcher.is_final)
            if searcher.is_final:
                break
        return best
