"""The review of a chess game by the evaluations in its text or by an engine."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.domain.chess.documents import UNKNOWN_RESULT, ChessGame, ChessMove
from bot.domain.chess.position import START as USUAL_START
from bot.domain.chess.position import ChessPosition, Ending
from bot.engine.analysis import count_seconds
from bot.engine.uci import ChessAnalysis, EngineError, EngineLine, analyse_each
from bot.features.analysis.chess import until_stopped
from bot.features.review.chess.values import (
    ONLY_MOVE,
    START,
    ChessReview,
    Evaluation,
    Judgement,
    MoveReview,
    capped,
    game_accuracy,
    judge,
    win_percent,
)
from bot.features.review.values import ChessPhase, Depth, PlayerReview, ReviewError, accuracy
from bot.jobs.codec import Codec
from bot.jobs.kinds import JobKind
from bot.jobs.queue import Control, StoppedError

MIN_JUDGED = 0.8
"""The share of a player's moves that must be judged for an accuracy."""
MAX_KEY_TURNS = 4
_MIDDLEGAME_PIECES = 10
_ENDGAME_PIECES = 6
_SPARSE = 4
_NAMED_BEST = re.compile(r"(\S{2,10}) was best\b")
"""The remark of lichess about a better move."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The evaluation of a position."""

    evaluation: Evaluation | None = None
    best: str = ""
    """The best move in standard notation."""
    best_uci: str = ""
    only: bool = False


def check_chess_game(game: ChessGame) -> None:
    """Check that a game can be reviewed.

    Raises:
        ReviewError: the game has no moves, or is not over.

    """
    if not game.turns:
        raise ReviewError("review-empty", "the game has no turns to review")
    if game.result == UNKNOWN_RESULT and game.position_at(len(game.turns)).ending is None:
        raise ReviewError("review-running", "the game isn't over, and only finished games can be reviewed")


def stated_sights(game: ChessGame) -> tuple[Sight, ...]:
    """Return the evaluations of the positions in the game's text, ``[%eval]`` after each move."""
    first = START if game.start.placement == USUAL_START.placement else None
    worths = [first, *(read_evaluation(move.evaluation) for move in game.turns)]
    worths[-1] = ended(game.position_at(len(game.turns))) or worths[-1]
    named = [*map(_named_best, game.turns), ("", "")]
    return tuple(Sight(worth, *best) for worth, best in zip(worths, named, strict=True))


def _named_best(move: ChessMove) -> tuple[str, str]:
    """Return the move that a remark calls best and that begins a variation, in standard notation and in UCI."""
    said = _NAMED_BEST.search(move.remark)
    firsts = (variation[0] for variation in move.variations if variation)
    return next(((one.san, one.uci) for one in firsts if said and one.san == said[1]), ("", ""))


def has_evaluations(game: ChessGame) -> bool:
    """Return whether the game's text has enough evaluations for a review without an engine."""
    told = sum(bool(move.evaluation) for move in game.turns)
    # The last move of a game that ends by mate has none.
    return bool(told) and told >= MIN_JUDGED * len(game.turns) - 1


def read_evaluation(text: str) -> Evaluation | None:
    """Read an ``%eval``: pawns for White, or moves to mate after ``#``; None for an empty text."""
    if not text:
        return None
    if text.startswith("#"):
        return Evaluation(mate=int(float(text[1:])))
    return Evaluation(round(100 * float(text)))


def ended(position: ChessPosition) -> Evaluation | None:
    """Return the evaluation of a final position; None while the game continues."""
    ending = position.ending
    if ending is None:
        return None
    if ending is Ending.CHECKMATE:
        return Evaluation(-1000 if position.white_to_move else 1000, mate=0)
    if ending in (Ending.WHITE_WINS, Ending.BLACK_WINS):
        return Evaluation(1000 if ending is Ending.WHITE_WINS else -1000, mate=0)
    return Evaluation(0)


def engine_sight(analysis: ChessAnalysis) -> Sight:
    """Return the evaluation by an engine's two best lines."""
    over = ended(analysis.position)
    if over is not None or not analysis.lines:
        return Sight(over)
    best = analysis.lines[0]
    only = len(analysis.lines) > 1 and _gap(analysis.lines, analysis.position) >= ONLY_MOVE
    return Sight(line_worth(best), best.san[0] if best.san else "", best.uci[0] if best.uci else "", only)


def _gap(lines: Sequence[EngineLine], position: ChessPosition) -> float:
    sign = 1 if position.white_to_move else -1
    first, second = (win_percent(sign * capped(line_worth(line))) for line in lines[:2])
    return first - second


def line_worth(line: EngineLine) -> Evaluation:
    """Return the evaluation of an engine's line."""
    return Evaluation(line.centipawns, line.mate)


def review_chess(game: ChessGame, sights: Sequence[Sight], *, source: str = "") -> ChessReview:
    """Review a game.

    Args:
        game: The game.
        sights: The evaluations of all positions from the start, one more than there are moves.
        source: The engine's name; empty for the game's own evaluations.

    Raises:
        ReviewError: the game has no moves, or is not over.

    """
    check_chess_game(game)
    moves = tuple(_moves(game, sights))
    curve = tuple(
        None if sight.evaluation is None else win_percent(capped(sight.evaluation)) for sight in sights
    )
    known = [win for win in curve if win is not None]
    white_first = game.start.white_to_move
    whole = game_accuracy(known, white_first=white_first) if len(known) == len(curve) else (None, None)
    players = tuple(
        _player(game, [move for move in moves if move.white is white], whole[0 if white else 1], white=white)
        for white in (True, False)
    )
    lost = sorted((move for move in moves if move.judgement), key=weight, reverse=True)
    found = [
        move for move in moves if move.only and move.judged and move.judgement is None and _was_found(move)
    ]
    key = tuple(move.turn for move in (*lost, *found)[:MAX_KEY_TURNS])
    return ChessReview(source, players, moves, curve, key)


def _was_found(move: MoveReview) -> bool:
    return move.san == move.best


def weight(move: MoveReview) -> tuple[float, ...]:
    """Return the weight of a mistake, to compare moves."""
    return move.judgement is Judgement.BLUNDER, move.lost


def _moves(game: ChessGame, sights: Sequence[Sight]) -> list[MoveReview]:
    found: list[MoveReview] = []
    clocks: dict[bool, int | None] = {True: None, False: None}
    for number, (move, position) in enumerate(zip(game.turns, game.positions(), strict=False)):
        white = position.white_to_move
        before, after = sights[number].evaluation, sights[number + 1].evaluation
        last, clock = clocks[white], move.clock
        clocks[white] = clock
        spent = None if last is None or clock is None or clock > last else last - clock
        sight = sights[number]
        best = move.san if sight.best_uci and sight.best_uci == move.uci else sight.best
        told = MoveReview(
            number + 1, white, move.san, phase_of(position), before, after,
            best=best, only=sight.only, clock=clock, spent=spent,
        )  # fmt: skip
        found.append(told if before is None or after is None else _judged(told, before, after))
    return found


def _judged(move: MoveReview, before: Evaluation, after: Evaluation) -> MoveReview:
    """Complete the review of a move between known evaluations."""
    sign = 1 if move.white else -1
    start, end = sign * capped(before), sign * capped(after)
    lost = max(0.0, win_percent(start) - win_percent(end))
    return replace(
        move,
        win_before=win_percent(start),
        win_after=win_percent(end),
        lost=lost,
        centipawns_lost=max(0, start - end),
        accuracy=accuracy(lost),
        judgement=judge(before, after, white=move.white),
    )


def _player(
    game: ChessGame, moves: Sequence[MoveReview], whole: float | None, *, white: bool
) -> PlayerReview:
    judged = [move for move in moves if move.accuracy is not None]
    enough = bool(judged) and len(judged) >= MIN_JUDGED * len(moves)
    kinds = [move.judgement for move in judged]
    mistakes = (
        kinds.count(Judgement.INACCURACY),
        kinds.count(Judgement.MISTAKE),
        kinds.count(Judgement.BLUNDER),
    )
    only = [move for move in judged if move.only]
    phases = {phase: [move for move in judged if move.phase is phase] for phase in ChessPhase}
    return PlayerReview(
        game.tag("White" if white else "Black"),
        won=_won(game, white=white),
        accuracy=(_mean_accuracy(judged) if whole is None else whole) if enough else None,
        centipawns_lost=sum(move.centipawns_lost for move in judged) / len(judged) if enough else None,
        blunders=mistakes[2],
        turns=len(moves),
        judged=len(judged),
        mistakes=mistakes,
        only_moves=len(only),
        only_moves_found=sum(map(_was_found, only)),
        phases=tuple((phase, len(own), _mean_accuracy(own)) for phase, own in phases.items() if own),
    )


def _mean_accuracy(moves: Sequence[MoveReview]) -> float:
    return sum(move.accuracy or 0.0 for move in moves) / len(moves)


_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""White's points by result."""


def _won(game: ChessGame, *, white: bool) -> float:
    """Return the points that a player won; 0 for an unknown result."""
    last, result = game.position_at(len(game.turns)), game.result
    if result not in _POINTS and last.ending is not None:
        mated = last.ending is Ending.CHECKMATE
        result = "1/2-1/2" if not mated else "0-1" if last.white_to_move else "1-0"
    if result not in _POINTS:
        return 0.0
    return _POINTS[result] if white else 1 - _POINTS[result]


def phase_of(position: ChessPosition) -> ChessPhase:
    """Return the phase of a position by lichess' counts of pieces.

    Kings and pawns do not count. The opening ends with ten pieces, or when a first rank has fewer than four of its own
    pieces; the endgame begins with six. Unlike lichess, this ignores how mixed the two sides' pieces are.
    """
    squares = position.squares
    pieces = sum(square.lower() in {"q", "r", "b", "n"} for square in squares)
    if pieces <= _ENDGAME_PIECES:
        return ChessPhase.ENDGAME
    black = sum(square.islower() for square in squares[:8])
    white = sum(square.isupper() for square in squares[56:])
    if pieces <= _MIDDLEGAME_PIECES or min(black, white) < _SPARSE:
        return ChessPhase.MIDDLEGAME
    return ChessPhase.OPENING


NEAR = 0.5
"""Points of W that a move as good as the best may lose."""


def compared(analysis: ChessAnalysis, best: str, move: str) -> tuple[float, bool] | None:
    """Compare a move with the best, both in UCI.

    Returns:
        The percentage points of the chance to win that it loses, never below 0; and whether it is as good, without the loss
        of a forced mate. None when the engine has no line for one of them.

    """
    worth = {line.uci[0]: line_worth(line) for line in analysis.lines if line.uci}
    if best not in worth or move not in worth:
        return None
    white = analysis.position.white_to_move
    sign = 1 if white else -1
    wins = [win_percent(sign * capped(worth[line])) for line in (best, move)]
    lost = max(0.0, wins[0] - wins[1])
    return lost, lost <= NEAR and judge(worth[best], worth[move], white=white) is None


QUICK_NODES = 100_000
"""Nodes of an engine's search for each move; about 0.15 seconds."""
DEEP_NODES = 1_000_000
MAX_MOVES = 200
"""Half-moves with the full number of nodes; longer games share the total of so many."""
_NODES_A_SECOND = 700_000


@dataclass(frozen=True, slots=True)
class ChessReviewRequest:
    """A finished game to review. All its members are plain values."""

    game: ChessGame
    depth: Depth = Depth.QUICK
    limit: int | None = None
    """Nodes of an engine's search for each move; None for the usual number of the depth."""

    @property
    def nodes(self) -> int:
        """The nodes of an engine's search for each move."""
        if self.limit is not None:
            return self.limit
        nodes = QUICK_NODES if self.depth is Depth.QUICK else DEEP_NODES
        return nodes * MAX_MOVES // max(MAX_MOVES, len(self.game.turns))

    @property
    def seconds(self) -> float:
        """Roughly the CPU seconds of the engine."""
        return self.nodes * (len(self.game.turns) + 1) / _NODES_A_SECOND


def require_engine(command: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the command of the engine that a game without evaluations needs.

    Raises:
        EngineError: there is no engine.

    """
    if command is None:
        raise EngineError(
            "review-engine",
            "the moves have no evaluations, and no chess engine is installed to judge them",
        )
    return command


CHESS_REVIEW: Final = JobKind(
    "chess_review",
    Codec[ChessReviewRequest](ChessReviewRequest),
    Codec[ChessReview](ChessReview),
    Codec[ChessReview](ChessReview),
)


def perform(
    command: tuple[str, ...] | None, request: ChessReviewRequest, control: Control[ChessReview]
) -> ChessReview:
    """Review a game on a thread without an event loop, by the evaluations in its text or by an engine.

    The progress is the review so far. A stopped job returns the review so far. ``command`` is that of the engine; in a deep
    review it replaces the evaluations in the text.

    Raises:
        ReviewError: the game has no moves, or is not over.
        EngineError: neither an engine nor the text has evaluations, or the engine fails.

    """
    game = request.game
    check_chess_game(game)
    if has_evaluations(game) and not (command and request.depth is Depth.DEEP):
        return review_chess(game, stated_sights(game))
    engine = require_engine(command)
    begun = time.monotonic()
    try:
        return asyncio.run(_review_with_engine(game, engine, control, request.nodes))
    finally:
        # An engine has one thread.
        count_seconds(time.monotonic() - begun)


async def _review_with_engine(
    game: ChessGame, command: tuple[str, ...], control: Control[ChessReview], nodes: int
) -> ChessReview:
    positions = list(game.positions())
    sights = [Sight() for _ in positions]
    source = ""
    async with aclosing(analyse_each(positions, command, nodes=nodes)) as analyses:
        with suppress(StoppedError):
            for number in range(len(positions)):
                analysis = await until_stopped(anext(analyses), control)
                sights[number] = engine_sight(analysis)
                source = analysis.engine
                control.report(review_chess(game, sights, source=source))
    return review_chess(game, sights, source=source)
