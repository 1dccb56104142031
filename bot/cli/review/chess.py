"""What people read of a review of a chess game."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cli.columns import columns
from bot.domain.chess.game import ChessGame
from bot.features.review.chess.values import ChessReview

_LEFT = {"move", "", "class", "best"}


def review_lines(found: ChessReview, game: ChessGame) -> Iterator[str]:
    """Tell a review move by move."""
    yield from summary_lines(found, game)
    head = ("move", "", "worth", "win %", "lost %", "class", "best")
    rows: list[tuple[str, ...]] = [
        (
            game.number(move.turn),
            move.san,
            "" if move.after is None else str(move.after),
            "" if move.win_after is None else f"{move.win_after:.0f}",
            f"{move.lost:.0f}" if move.judgement else "",
            move.judgement or "",
            move.best if move.best != move.san else "only move" if move.only else "",
        )
        for move in found.moves
    ]
    yield from columns([head, *rows], _LEFT)


def summary_lines(found: ChessReview, game: ChessGame) -> Iterator[str]:
    """Tell a review in a few lines: the result, and a line for each player."""
    white, black = found.players
    by = found.source or "the game's own evaluations"
    yield f"{white.name or 'White'} - {black.name or 'Black'} {game.result} ({by})"
    for player, colour in ((white, "White"), (black, "Black")):
        parts = [
            f"{player.blunders} blunders, {player.mistakes} mistakes, {player.inaccuracies} inaccuracies"
        ]
        if player.accuracy is not None and player.acpl is not None:
            parts = [f"accuracy {player.accuracy:.0f}", *parts, f"{player.acpl:.0f} centipawns lost a move"]
        if player.only_moves:
            parts.append(f"{player.only_moves_found} of {player.only_moves} only moves found")
        parts += [f"{one.phase} {one.accuracy:.0f}" for one in player.phases if player.accuracy is not None]
        if player.judged < player.turns:
            parts.append(f"{player.judged} of {player.turns} moves judged")
        yield f"{colour}: {' · '.join(parts)}"
