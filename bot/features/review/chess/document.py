"""A review of a chess game as JSON values, for programs."""

from __future__ import annotations

from bot.features.review.chess.values import ChessPlayerReview, ChessReview, Evaluation, MoveReview


def chess_review_document(review: ChessReview, file: str) -> dict[str, object]:
    """Return a review as JSON values: evaluations for White, ``win`` from 0 to 100 for the player of the move."""
    return {
        "file": file,
        "source": review.source or "pgn",
        "players": [_player(player) for player in review.players],
        "turns": [_move(move) for move in review.moves],
    }


def _player(player: ChessPlayerReview) -> dict[str, object]:
    return {
        "name": player.name,
        "turns": player.turns,
        "judged": player.judged,
        "accuracy": _rounded(player.accuracy),
        "acpl": _rounded(player.acpl),
        "inaccuracies": player.inaccuracies,
        "mistakes": player.mistakes,
        "blunders": player.blunders,
        "only_moves": player.only_moves,
        "only_moves_found": player.only_moves_found,
        "phases": {
            one.phase.value: {"moves": one.moves, "accuracy": _rounded(one.accuracy)} for one in player.phases
        },
    }


def _move(move: MoveReview) -> dict[str, object]:
    return {
        "turn": move.turn,
        "player": 0 if move.white else 1,
        "move": move.san,
        "judged": move.judged,
        "phase": move.phase.value,
        "evaluation_before": _evaluation(move.before),
        "evaluation_after": _evaluation(move.after),
        "win_before": _rounded(move.win_before),
        "win_after": _rounded(move.win_after),
        "accuracy": _rounded(move.accuracy),
        "judgement": move.judgement.value if move.judgement else None,
        "best": move.best or None,
        "only": move.only,
        "clock": move.clock,
        "spent": move.spent,
    }


def _evaluation(evaluation: Evaluation | None) -> str | None:
    return None if evaluation is None else str(evaluation)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
