"""Reviews as JSON values, for programs."""

from __future__ import annotations

from bot.domain.crossword.game import Game
from bot.domain.crossword.play_text import rack_text, spelled_play_text
from bot.domain.crossword.position import Board
from bot.engine.analysis import MILLIPOINTS
from bot.features.review.chess.values import ChessReview, MoveReview
from bot.features.review.crossword.values import JudgedPlay, Review, TurnReview


def review_document(review: Review, game: Game, file: str) -> dict[str, object]:
    """Return a review as JSON values.

    Chances and their losses go from 0 to 1, ``loss_win_error`` is a standard error, ``turn`` counts the events of
    the game from 1, ``player`` is a seat from 0.
    """
    boards = [position.board for position in game.positions()]
    return {
        "file": file,
        "lexicon": review.lexicon,
        "depth": review.depth.value,
        "players": [
            {
                "name": player.name,
                "turns": player.turns,
                "judged": player.judged,
                "accuracy": _rounded(player.accuracy, 1),
                "mistake_index": _rounded(player.mistake_index),
                **dict(zip(("small", "medium", "large"), player.mistakes, strict=True)),
                "luck": _rounded(player.luck, 1),
                "bingos": player.bingos,
                "missed_bingos": player.missed_bingos,
            }
            for player in review.players
        ],
        "turns": [_turn(turn, game, boards[turn.turn - 1]) for turn in review.turns],
    }


def _turn(turn: TurnReview, game: Game, board: Board) -> dict[str, object]:
    distribution = game.rules.distribution
    return {
        "turn": turn.turn,
        "player": turn.seat,
        "rack": rack_text(turn.rack, distribution, unknown=turn.rack_unknown),
        "play": spelled_play_text(turn.play, board, distribution),
        "score": turn.score,
        "judged": turn.judged,
        "reason": turn.reason.value if turn.reason else None,
        "phase": turn.phase.value,
        "static": turn.static
        and {
            "best": spelled_play_text(turn.static.best.play, board, distribution),
            "best_equity": turn.static.best.equity / MILLIPOINTS,
            "played_equity": turn.static.played.equity / MILLIPOINTS,
        },
        "best": _play(turn.best, game, board),
        "played": _play(turn.played, game, board),
        "loss_win": round(turn.loss_win, 6) if turn.judged else None,
        "loss_win_error": round(turn.loss_win_error, 6) if turn.judged else None,
        "loss_points": round(turn.loss_points, 3) if turn.judged else None,
        "class": turn.size.value if turn.size else None,
        "approximate": turn.approximate,
        "flags": [flag.value for flag in turn.flags],
        "luck": _rounded(turn.luck, 3),
    }


def _play(play: JudgedPlay | None, game: Game, board: Board) -> dict[str, object] | None:
    if play is None:
        return None
    return {
        "play": spelled_play_text(play.play, board, game.rules.distribution),
        "win": round(play.win, 6),
        "equity": round(play.equity, 3),
    }


def chess_review_document(review: ChessReview, file: str) -> dict[str, object]:
    """Return a review as JSON values: evaluations for White, ``win`` from 0 to 100 for the player of the move."""
    return {
        "file": file,
        "source": review.source or "pgn",
        "players": [
            {
                "name": player.name,
                "turns": player.turns,
                "judged": player.judged,
                "accuracy": _rounded(player.accuracy),
                "acpl": _rounded(player.centipawns_lost),
                **dict(zip(("inaccuracies", "mistakes", "blunders"), player.mistakes, strict=True)),
                "only_moves": player.only_moves,
                "only_moves_found": player.only_moves_found,
                "phases": {
                    phase.value: {"moves": moves, "accuracy": _rounded(accuracy)}
                    for phase, moves, accuracy in player.phases
                },
            }
            for player in review.players
        ],
        "turns": [_move(move) for move in review.moves],
    }


def _move(move: MoveReview) -> dict[str, object]:
    return {
        "turn": move.turn,
        "player": 0 if move.white else 1,
        "move": move.san,
        "judged": move.judged,
        "phase": move.phase.value,
        "evaluation_before": move.before and str(move.before),
        "evaluation_after": move.after and str(move.after),
        "win_before": _rounded(move.win_before),
        "win_after": _rounded(move.win_after),
        "accuracy": _rounded(move.accuracy),
        "judgement": move.judgement.value if move.judgement else None,
        "best": move.best or None,
        "only": move.only,
        "clock": move.clock,
        "spent": move.spent,
    }


def _rounded(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)
