"""Names of boards: the same for equal boards, whatever notation they are written in."""

from __future__ import annotations

import base64
import hashlib

from bot.chat.card import Moment
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword import game as judging
from bot.domain.crossword.game import Game
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import BLANK, BLANK_TEXT
from bot.domain.notations import is_chess
from bot.features.showing.chess.page import position_of_moment
from bot.features.showing.findings import Found
from bot.features.showing.subjects import position_at


def board_of(position: Position | ChessPosition) -> str:
    """Return the name of a board: of its letters, and on an empty one of the rack; in chess of men and who is to move.

    Scores, names, clocks and lexica differ between notations, and a picture does not show which tile is a blank.
    """
    if isinstance(position, ChessPosition):
        seen = ["chess", position.variant, position.placement, str(position.white_to_move), position.pockets]
    else:
        text, board = position.rules.distribution.text, position.board
        seen = ["crossword", str(board.columns), *(text(abs(tile)) if tile else "" for tile in board.squares)]
        if not board.tile_count:
            seen += sorted(map(text, position.players[position.on_turn].rack))
    return name_of(seen)


def name_of(parts: list[str]) -> str:
    """Return a short name of some texts."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def position_of(item: Found, moment: Moment) -> Position | ChessPosition:
    """Return the position that an analysis of a moment is about."""
    document = item.document
    if is_chess(document):
        return position_of_moment(document, moment)
    if isinstance(document, Game):
        return position_at(item, judging.coming_turn(document, moment.turn)[0])
    return position_at(item, moment.turn)


def words_on(position: Position) -> frozenset[str]:
    """Return the words that lie on a board, in capitals."""
    text, board = position.rules.distribution.text, position.board
    lines = [board.row(row) for row in range(board.rows)]
    lines += [tuple(board.at(row, column) for row in range(board.rows)) for column in range(board.columns)]
    runs = ("".join(text(abs(tile)) if tile != EMPTY else " " for tile in line).split() for line in lines)
    return frozenset(run.upper() for found in runs for run in found if len(run) > 1)


def rack_of(position: Position) -> str:
    """Return the letters of whoever is to play, in capitals; a blank is ``?``."""
    rack = position.players[position.on_turn].rack
    text = position.rules.distribution.text
    return "".join(sorted(BLANK_TEXT if tile == BLANK else text(tile).upper() for tile in rack))
