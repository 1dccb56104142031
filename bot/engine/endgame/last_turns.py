"""The endgame where players have equal last turns: at most two plays, so all of them are looked at.

Nothing counts but what is scored: of two turns, the best play is the one whose score is farthest above the best answer
to it. A play that scores no more than the best is worth cannot be better, whatever the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.last_turns import turns_left
from bot.domain.crossword.play import THROUGH, Placement, Play, tiles_laid
from bot.domain.crossword.position import Player, Position
from bot.engine.endgame.result import EndgameResult, EndgameTurn, RankedPlay
from bot.engine.endgame.search import Watch
from bot.engine.errors import AnalysisError, StoppedError
from bot.engine.lexicon.word_graph import WordGraph
from bot.engine.plays.generate import plays
from bot.engine.plays.values import By, RatedPlay

_REPORTED = 256
"""Plays between two reports."""


class LastTurns:
    """The last turn or the last two of a game, and what was found."""

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
        self._others = _others(position)
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
        """Return the best plays, as many as wanted, and one to be judged.

        Raises:
            AnalysisError: there are too many plays.
            StoppedError: it was cancelled, or time was up, before the first play was looked at.

        """
        candidates = plays(self._position, self._graph, top=None, by=By.SCORE)
        found: list[RankedPlay] = []
        complete = True
        for number, candidate in enumerate(candidates):
            if len(found) >= ranked and candidate.score <= found[-1].value:
                break  # and so do all that follow
            if self._watch.is_over():
                complete = False
                break
            found.append(self._value(candidate))
            found.sort(key=lambda one: -one.value)
            del found[ranked:]
            if self._progress is not None and number % _REPORTED == _REPORTED - 1:
                self._progress(self._result(found, complete=False))
        if not found:
            raise StoppedError
        result = self._result(found, complete=complete)
        if judged is None or self._watch.is_cancelled:
            return result
        laid = tiles_laid(judged)
        same = (one for one in candidates if tiles_laid(one.play) == laid and type(one.play) is type(judged))
        played = next(same, None)
        value = None if played is None else self._value(played)
        return replace(result, judged=value, nodes=self._nodes)

    def _result(self, found: list[RankedPlay], *, complete: bool) -> EndgameResult:
        best = found[0]
        # A play that was looked at is worth what it is; whether it is the best, only all of them tell.
        return EndgameResult(
            best.value, best.line, complete, self._turns, self._nodes, best.value, tuple(found)
        )

    def _value(self, candidate: RatedPlay) -> RankedPlay:
        """Return what a play is worth: its score, less the best answer when there is one."""
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


def _others(position: Position) -> tuple[int, ...]:
    """Return the opponent's tiles: those that the player on turn does not see.

    Raises:
        AnalysisError: the game is not one of two players, the rack of the player on turn is not known, or more tiles
            are in play than there are.

    """
    if len(position.players) != 2:
        raise AnalysisError(
            "not-two-players",
            "an endgame is for two players; this game has {players}",
            players=len(position.players),
        )
    own = position.players[position.on_turn].rack
    if not own:
        raise AnalysisError("no-rack", "the rack of the player on turn is not known")
    unseen = unseen_tiles(position.rules.distribution, position.board.squares, [own])
    if unseen.excess:
        raise AnalysisError("too-many-tiles", "the position shows more tiles than the set has")
    return tuple(Counter(dict(enumerate(unseen.counts))).elements())
