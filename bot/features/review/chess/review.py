"""Reviews a chess game using the evaluations of its positions.

Turn n is the n-th half-move, from 1. Win chances are in percent, and losses of win chance in percentage points.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import cycle, pairwise
from statistics import pstdev

from bot.domain.chess.documents import UNKNOWN_RESULT, ChessGame, ChessMove
from bot.domain.chess.position import START_POSITION as USUAL_START, ChessPosition, Ending
from bot.engine.uci import ChessAnalysis, EngineLine
from bot.features.review.values import (
    MAX_KEY_TURNS,
    MIN_JUDGED_SHARE,
    ChessPhase,
    Depth,
    PlayerReview,
    ReviewError,
    accuracy,
)


class Judgement(StrEnum):
    """The judgement of a bad move, as on lichess. See :func:`judge`."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position for White: hundredths of a pawn, or moves until mate."""

    centipawns: int | None = None
    mate: int | None = None
    """Positive if White mates, negative if Black mates. If a player has won, it is 0, and ``centipawns`` is 1000 or -1000."""

    def __str__(self) -> str:
        if self.mate is not None:
            return f"#{self.mate}" if self.mate else "#"
        return f"{(self.centipawns or 0) / 100:+.2f}"


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A reviewed half-move."""

    turn: int
    white: bool
    san: str
    phase: ChessPhase
    evaluation_before: Evaluation | None
    evaluation_after: Evaluation | None
    win_before: float | None = None
    """The player's win chance before the move."""
    win_after: float | None = None
    win_chance_lost: float = 0.0
    centipawns_lost: int = 0
    accuracy: float | None = None
    """None if the move is not judged."""
    judgement: Judgement | None = None
    """None if the move is not judged, or is not bad."""
    best_san: str = ""
    """Empty if the best move is unknown."""
    has_one_good_move: bool = False
    """Whether the best move beats the second-best move by at least :data:`ONLY_MOVE_LEAD`."""
    clock: int | None = None
    """Milliseconds left after the move."""
    time_spent: int | None = None
    """Milliseconds by which the move reduced the clock: the thinking time minus the increment."""

    @property
    def seat(self) -> int:
        return 0 if self.white else 1

    @property
    def mistake_level(self) -> int:
        return 1 + tuple(Judgement).index(self.judgement) if self.judgement else 0

    @property
    def is_judged(self) -> bool:
        return self.accuracy is not None


@dataclass(frozen=True, slots=True)
class ChessReview:
    """The review of a game."""

    source: str
    """The engine's name, or empty for evaluations from the game's text."""
    players: tuple[PlayerReview, ...]
    """White and Black."""
    moves: tuple[MoveReview, ...]
    curve: tuple[float | None, ...]
    """White's win chance at the start and after each move."""
    key_turns: tuple[int, ...]
    """Most important first."""


MAX_CENTIPAWNS = 1000
"""Maximum value of a position, in hundredths of a pawn. A forced mate counts as this much."""
START_EVALUATION = Evaluation(15)
LOSS_THRESHOLDS = ((15.0, Judgement.BLUNDER), (10.0, Judgement.MISTAKE), (5.0, Judgement.INACCURACY))
"""Minimum losses of win chance, in percentage points."""
ONLY_MOVE_LEAD = 10.0
"""Minimum lead of the only good move over the second-best move, in percentage points of win chance."""

_WIN_CURVE_SLOPE = 0.00368208
"""Steepness of lichess' win-chance curve."""
_WINNING_CENTIPAWNS, _WON_CENTIPAWNS = 700, 999
"""Advantages in hundredths of a pawn. See :func:`_judge_by_advantage`."""
_MIN_WINDOW_SIZE, _MAX_WINDOW_SIZE = 2, 8
"""Bounds on the window size in :func:`game_accuracy`."""
_MIN_WEIGHT, _MAX_WEIGHT = 0.5, 12.0
"""Bounds on a move's weight in :func:`game_accuracy`."""


def capped_centipawns(evaluation: Evaluation) -> int:
    if evaluation.mate:
        return MAX_CENTIPAWNS if evaluation.mate > 0 else -MAX_CENTIPAWNS
    return max(-MAX_CENTIPAWNS, min(MAX_CENTIPAWNS, evaluation.centipawns or 0))


def win_percent(evaluation: Evaluation, *, white: bool = True) -> float:
    advantage = capped_centipawns(evaluation) * (1 if white else -1)
    return 50 + 50 * (2 / (1 + math.exp(-_WIN_CURVE_SLOPE * advantage)) - 1)


def judge(before: Evaluation, after: Evaluation, *, white: bool) -> Judgement | None:
    """Judge a move by the evaluations before and after it. Return None unless it is a bad move."""
    sign = 1 if white else -1
    mate_before, mate_after = (sign * (evaluation.mate or 0) for evaluation in (before, after))
    if not mate_before and mate_after < 0:
        return _judge_by_advantage(-sign * capped_centipawns(before))
    has_mated = after.mate == 0 and sign * (after.centipawns or 0) > 0
    if mate_before > 0 >= mate_after and not has_mated:
        return _judge_by_advantage(sign * capped_centipawns(after))
    if mate_before or mate_after:
        return None
    loss = win_percent(before, white=white) - win_percent(after, white=white)
    return next((judgement for min_loss, judgement in LOSS_THRESHOLDS if loss >= min_loss), None)


def _judge_by_advantage(advantage: int) -> Judgement:
    """Judge a missed or allowed forced mate.

    ``advantage`` is the player's advantage after a missed mate, or the opponent's advantage before an allowed mate.
    """
    if advantage > _WON_CENTIPAWNS:
        return Judgement.INACCURACY
    return Judgement.MISTAKE if advantage > _WINNING_CENTIPAWNS else Judgement.BLUNDER


def game_accuracy(chances: Sequence[float], *, white_first: bool = True) -> tuple[float | None, float | None]:
    """Return White's and Black's accuracy. ``chances`` are White's win chances at the start and after each move."""
    window_size = min(len(chances), max(_MIN_WINDOW_SIZE, min(_MAX_WINDOW_SIZE, (len(chances) - 1) // 10)))
    windows = [chances[:window_size]] * max(0, window_size - 2) + [
        chances[first : first + window_size] for first in range(len(chances) - window_size + 1)
    ]
    weights = [max(_MIN_WEIGHT, min(_MAX_WEIGHT, pstdev(window))) for window in windows]
    signs = cycle((1, -1) if white_first else (-1, 1))
    moves = [
        (accuracy(sign * (before - after)), weight)
        for sign, (before, after), weight in zip(signs, pairwise(chances), weights, strict=False)
    ]
    first, second = _average_of_means(moves[::2]), _average_of_means(moves[1::2])
    return (first, second) if white_first else (second, first)


def _average_of_means(moves: Sequence[tuple[float, float]]) -> float | None:
    if not moves:
        return None
    weighted_mean = sum(value * weight for value, weight in moves) / sum(weight for _, weight in moves)
    harmonic_mean = len(moves) / sum(1 / max(1.0, value) for value, _ in moves)
    return (weighted_mean + harmonic_mean) / 2


_MAX_MIDDLEGAME_PIECES, _MAX_ENDGAME_PIECES = 10, 6
"""Numbers of queens, rooks, bishops and knights. See :func:`phase_of`.

With at most the first number, the opening is over. With at most the second number, the endgame has begun.
"""
_MIN_BACK_RANK_PIECES = 4
"""Minimum number of pieces on each back rank in the opening."""
_BEST_MOVE_REMARK = re.compile(r"(\S{2,10}) was best\b")
"""Matches lichess' comment that names the best move."""


@dataclass(frozen=True, slots=True)
class PositionEvaluation:
    """The evaluation of a position, and its best move."""

    evaluation: Evaluation | None = None
    best_san: str = ""
    best_uci: str = ""
    has_one_good_move: bool = False


QUICK_NODES = 100_000
"""Nodes per move in a quick review. Searching them takes about 0.15 seconds."""
DEEP_NODES = 1_000_000
FULL_EFFORT_PLIES = 200
"""In games of at most this many half-moves, each half-move gets the full number of nodes. In longer games, each gets fewer."""
NODES_PER_SECOND = 700_000
"""Approximate speed of a chess engine, for converting between seconds and nodes. Reviews are limited in nodes, so that their results
do not depend on how busy the machine is."""


@dataclass(frozen=True, slots=True)
class ChessReviewRequest:
    """A finished game to review."""

    game: ChessGame
    depth: Depth = Depth.QUICK
    requested_nodes: int | None = None
    """Nodes per move, or None for the usual number."""

    @property
    def nodes_per_move(self) -> int:
        if self.requested_nodes is not None:
            return self.requested_nodes
        nodes = QUICK_NODES if self.depth is Depth.QUICK else DEEP_NODES
        return nodes * FULL_EFFORT_PLIES // max(FULL_EFFORT_PLIES, len(self.game.turns))

    @property
    def estimated_seconds(self) -> float:
        return self.nodes_per_move * (len(self.game.turns) + 1) / NODES_PER_SECOND


def check_chess_game(game: ChessGame) -> None:
    """Raise ReviewError if a game has no moves, or is not over."""
    if not game.turns:
        raise ReviewError("review-empty", "the game has no turns to review")
    if game.result == UNKNOWN_RESULT and game.position_at(len(game.turns)).ending is None:
        raise ReviewError("review-running", "the game isn't over, and only finished games can be reviewed")


def evaluations_in_comments(game: ChessGame) -> tuple[PositionEvaluation, ...]:
    """Return the evaluation of each position, from the game's ``[%eval]`` comments.

    The usual starting position, and a final position that ends the game, need no comment.
    """
    first_evaluation = START_EVALUATION if game.start.placement == USUAL_START.placement else None
    evaluations = [first_evaluation, *(read_evaluation(move.evaluation) for move in game.turns)]
    evaluations[-1] = final_evaluation(game.position_at(len(game.turns))) or evaluations[-1]
    best_moves = [*map(_best_move_in_remark, game.turns), ("", "")]
    return tuple(
        PositionEvaluation(value, *best) for value, best in zip(evaluations, best_moves, strict=True)
    )


def _best_move_in_remark(move: ChessMove) -> tuple[str, str]:
    """Return the move that a remark calls best, as SAN and UCI.

    Return empty strings if there is no such remark, or if no variation starts with the move.
    """
    remark = _BEST_MOVE_REMARK.search(move.remark)
    first_moves = (variation[0] for variation in move.variations if variation)
    return next(
        ((first.san, first.uci) for first in first_moves if remark and first.san == remark[1]), ("", "")
    )


def has_evaluations(game: ChessGame) -> bool:
    """Return whether enough moves have evaluations for a review without an engine."""
    evaluated_count = sum(bool(move.evaluation) for move in game.turns)
    # The last move has no evaluation if the game ends in mate.
    return bool(evaluated_count) and evaluated_count >= MIN_JUDGED_SHARE * len(game.turns) - 1


def read_evaluation(text: str) -> Evaluation | None:
    """Read an ``%eval``: White's advantage in pawns or, after ``#``, the moves until mate."""
    if not text:
        return None
    if text.startswith("#"):
        return Evaluation(mate=int(float(text[1:])))
    return Evaluation(round(100 * float(text)))


def final_evaluation(position: ChessPosition) -> Evaluation | None:
    ending = position.ending
    if ending is None:
        return None
    if ending is Ending.CHECKMATE:
        return Evaluation(-1000 if position.white_to_move else 1000, mate=0)
    if ending in (Ending.WHITE_WINS, Ending.BLACK_WINS):
        return Evaluation(1000 if ending is Ending.WHITE_WINS else -1000, mate=0)
    return Evaluation(0)


def engine_evaluation(analysis: ChessAnalysis) -> PositionEvaluation:
    final = final_evaluation(analysis.position)
    if final is not None or not analysis.lines:
        return PositionEvaluation(final)
    best = analysis.lines[0]
    white = analysis.position.white_to_move
    win_chances = [win_percent(line_evaluation(line), white=white) for line in analysis.lines[:2]]
    return PositionEvaluation(
        line_evaluation(best),
        best.san[0] if best.san else "",
        best.uci[0] if best.uci else "",
        has_one_good_move=win_chances[0] - win_chances[-1] >= ONLY_MOVE_LEAD,
    )


def line_evaluation(line: EngineLine) -> Evaluation:
    return Evaluation(line.centipawns, line.mate)


def review_chess(
    game: ChessGame, evaluations: Sequence[PositionEvaluation], *, source: str = ""
) -> ChessReview:
    """Review a game that :func:`check_chess_game` accepts.

    ``evaluations`` begin with the starting position. ``source`` is the engine's name, or empty for evaluations from the text.
    """
    moves = tuple(_move_reviews(game, evaluations))
    curve = tuple(
        None if position.evaluation is None else win_percent(position.evaluation) for position in evaluations
    )
    known_chances = [win for win in curve if win is not None]
    accuracies = (
        game_accuracy(known_chances, white_first=game.start.white_to_move)
        if len(known_chances) == len(curve)
        else (None, None)
    )
    players = tuple(
        _player_review(
            game, [move for move in moves if move.white is white], accuracies[not white], white=white
        )
        for white in (True, False)
    )
    mistakes = sorted((move for move in moves if move.judgement), key=severity, reverse=True)
    found_only_moves = [
        move
        for move in moves
        if move.has_one_good_move and move.is_judged and move.judgement is None and _is_best(move)
    ]
    key_turns = tuple(move.turn for move in (*mistakes, *found_only_moves)[:MAX_KEY_TURNS])
    return ChessReview(source, players, moves, curve, key_turns)


def _is_best(move: MoveReview) -> bool:
    return move.san == move.best_san


def severity(move: MoveReview) -> tuple[float, ...]:
    return move.judgement is Judgement.BLUNDER, move.win_chance_lost


def _move_reviews(game: ChessGame, evaluations: Sequence[PositionEvaluation]) -> Iterator[MoveReview]:
    clocks: dict[bool, int | None] = {True: None, False: None}
    for index, (move, position) in enumerate(zip(game.turns, game.positions(), strict=False)):
        white = position.white_to_move
        before, after = evaluations[index], evaluations[index + 1]
        earlier_clock, clock = clocks[white], move.clock_ms
        clocks[white] = clock
        time_spent = (
            earlier_clock - clock
            if earlier_clock is not None and clock is not None and clock <= earlier_clock
            else None
        )
        best_san = move.san if before.best_uci and before.best_uci == move.uci else before.best_san
        yield _judge_move(
            MoveReview(
                index + 1, white, move.san, phase_of(position), before.evaluation, after.evaluation,
                best_san=best_san, has_one_good_move=before.has_one_good_move, clock=clock, time_spent=time_spent,
            )
        )  # fmt: skip


def _judge_move(move: MoveReview) -> MoveReview:
    if move.evaluation_before is None or move.evaluation_after is None:
        return move
    before, after = (
        win_percent(value, white=move.white) for value in (move.evaluation_before, move.evaluation_after)
    )
    loss = max(0.0, before - after)
    centipawns_lost = capped_centipawns(move.evaluation_before) - capped_centipawns(move.evaluation_after)
    return replace(
        move,
        win_before=before,
        win_after=after,
        win_chance_lost=loss,
        centipawns_lost=max(0, centipawns_lost if move.white else -centipawns_lost),
        accuracy=accuracy(loss),
        judgement=judge(move.evaluation_before, move.evaluation_after, white=move.white),
    )


def _player_review(
    game: ChessGame, moves: Sequence[MoveReview], player_accuracy: float | None, *, white: bool
) -> PlayerReview:
    judged_moves = [move for move in moves if move.accuracy is not None]
    has_enough_judged_moves = bool(judged_moves) and len(judged_moves) >= MIN_JUDGED_SHARE * len(moves)
    if player_accuracy is None and has_enough_judged_moves:
        player_accuracy = _mean_accuracy(judged_moves)
    judgements = [move.judgement for move in judged_moves]
    mistakes = (
        judgements.count(Judgement.INACCURACY),
        judgements.count(Judgement.MISTAKE),
        judgements.count(Judgement.BLUNDER),
    )
    only_moves = [move for move in judged_moves if move.has_one_good_move]
    phases = {phase: [move for move in judged_moves if move.phase is phase] for phase in ChessPhase}
    return PlayerReview(
        game.tag("White" if white else "Black"),
        wins=_points_won(game, white=white),
        accuracy=player_accuracy if has_enough_judged_moves else None,
        centipawns_lost=sum(move.centipawns_lost for move in judged_moves) / len(judged_moves)
        if has_enough_judged_moves
        else None,
        blunders=mistakes[2],
        turn_count=len(moves),
        judged_turn_count=len(judged_moves),
        mistakes=mistakes,
        only_move_count=len(only_moves),
        found_only_move_count=sum(map(_is_best, only_moves)),
        phases=tuple((phase, len(group), _mean_accuracy(group)) for phase, group in phases.items() if group),
    )


def _mean_accuracy(moves: Sequence[MoveReview]) -> float:
    return sum(move.accuracy or 0.0 for move in moves) / len(moves)


_WHITE_POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def _points_won(game: ChessGame, *, white: bool) -> float:
    white_points = _WHITE_POINTS.get(game.result)
    if white_points is None and (final := final_evaluation(game.position_at(len(game.turns)))):
        white_points = 0.5 + (final.centipawns or 0) / (2 * MAX_CENTIPAWNS)
    assert white_points is not None  # a finished game whose result is unknown has ended on the board
    return white_points if white else 1 - white_points


def phase_of(position: ChessPosition) -> ChessPhase:
    """Return the phase of the game. Unlike on lichess, the phase does not depend on how intermixed the two sides' pieces are."""
    squares = position.squares
    piece_count = sum(square.lower() in {"q", "r", "b", "n"} for square in squares)
    if piece_count <= _MAX_ENDGAME_PIECES:
        return ChessPhase.ENDGAME
    black_on_back_rank = sum(square.islower() for square in squares[:8])
    white_on_back_rank = sum(square.isupper() for square in squares[56:])
    if (
        piece_count <= _MAX_MIDDLEGAME_PIECES
        or min(black_on_back_rank, white_on_back_rank) < _MIN_BACK_RANK_PIECES
    ):
        return ChessPhase.MIDDLEGAME
    return ChessPhase.OPENING


EQUAL_MARGIN = 0.5
"""Maximum loss of win chance, in percentage points, of a move that counts as equal to the best move."""


def compare_moves(analysis: ChessAnalysis, best: str, move: str) -> tuple[float, bool] | None:
    """Return how much win chance a move loses compared with the best move, and whether it is as good as the best move.

    Both moves are in UCI. To be as good as the best move, a move must also keep a forced mate. Return None if the engine has no line
    for one of the moves.
    """
    evaluations = {line.uci[0]: line_evaluation(line) for line in analysis.lines if line.uci}
    if best not in evaluations or move not in evaluations:
        return None
    white = analysis.position.white_to_move
    loss = max(0.0, win_percent(evaluations[best], white=white) - win_percent(evaluations[move], white=white))
    return loss, loss <= EQUAL_MARGIN and judge(evaluations[best], evaluations[move], white=white) is None
