"""Racks and turns in the words of the field, for lists, tables and captions: ``8D W.RD``, ``-QO``, ``(ENOR)``."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.crossword.board import Board
from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.game import Game
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, Play, Turn, TurnKind

UNKNOWN_TILE = "_"
PLAYED_THROUGH = "."

_OUTCOMES = {
    TurnKind.PHONY_WITHDRAWN: "--",
    TurnKind.CHALLENGE_BONUS: "(challenge)",
    TurnKind.TIME_PENALTY: "(time)",
}


def tile_text(tile: int, distribution: LetterDistribution) -> str:
    """Write one tile; a long one stands in brackets, so that tiles in a row can be distinguished."""
    text = distribution.text(tile)
    return text if len(text) == 1 or text.startswith("[") else f"[{text}]"


def rack_text(tiles: Iterable[int], distribution: LetterDistribution, *, unknown: int = 0) -> str:
    """Write a rack, with a ``_`` for each tile that is not known; nothing when no tile is."""
    return "".join(tile_text(tile, distribution) for tile in tiles) + UNKNOWN_TILE * unknown


def play_text(play: Play, distribution: LetterDistribution) -> str:
    """Write a play: ``8D W.RD``, ``-QO`` or ``-2`` for an exchange, ``-`` for a pass."""
    match play:
        case Placement(start, tiles):
            word = "".join(
                PLAYED_THROUGH if tile == THROUGH else tile_text(tile, distribution) for tile in tiles
            )
            return f"{start} {word}"
        case Exchange(tiles, unknown):
            return f"-{rack_text(tiles, distribution, unknown=unknown) if tiles else play.count}"
        case Pass():
            return "-"


def turn_text(turn: Turn, distribution: LetterDistribution) -> str:
    """Write what happened in a turn, without the rack and the scores."""
    if turn.play is not None:
        return play_text(turn.play, distribution)
    return _OUTCOMES.get(turn.kind) or f"({rack_text(turn.tiles, distribution)})"


ANY_BLANK = "·"
"""Stands before the letter of a blank where another tile may as well be the blank."""


def placement_text(
    placement: Placement, board: Board, distribution: LetterDistribution, *, any_blank: bool = False
) -> str:
    """Write a placement with the tiles it runs through in parentheses: ``8D W(O)RD``.

    With ``any_blank`` its blanks are written ``·R`` instead of ``r``: it stands for all plays of the same letters.
    """
    parts = []
    through = False
    for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True):
        if (tile == THROUGH) != through:
            parts.append(")" if through else "(")
            through = not through
        if any_blank and tile < THROUGH:
            parts.append(ANY_BLANK + tile_text(-tile, distribution))
        else:
            parts.append(tile_text(board.at(row, column) if tile == THROUGH else tile, distribution))
    return f"{placement.start} {''.join(parts)}{')' if through else ''}"


def spelled_play_text(play: Play, board: Board, distribution: LetterDistribution) -> str:
    """Write a play as crossword-game engines do: ``8d WORD``, ``ex AB``, ``pass``.

    The tiles a word runs through are spelled out, blanks are small letters, and down plays have the column first.
    """
    match play:
        case Placement(start):
            tiles = (
                board.at(row, column) if tile == THROUGH else tile
                for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
            )
            return f"{str(start).lower()} {''.join(tile_text(tile, distribution) for tile in tiles)}"
        case Exchange():
            return f"ex {play_text(play, distribution)[1:]}"
        case Pass():
            return "pass"


def game_turn_texts(game: Game) -> tuple[str, ...]:
    """Write every turn of a game, tiles played through in parentheses."""
    distribution = game.rules.distribution
    return tuple(
        placement_text(turn.play, position.board, distribution)
        if isinstance(turn.play, Placement)
        else turn_text(turn, distribution)
        for turn, position in zip(game.turns, game.positions(), strict=False)
    )
