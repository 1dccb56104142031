"""The forms that correct positions read from pictures, and the positions they describe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot.chat.card import Choice
from bot.chat.control import Field
from bot.chat.markdown import escape, one_line
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import Rules, default_layout
from bot.domain.reading.problems import DomainError
from bot.text import Speaker

MAX_ROWS: Final = 1_000
"""Maximum length of a board's rows in a form, in characters."""
MAX_NAME: Final = 40
"""Maximum length of a player's name in a form, in characters."""
MAX_LINE: Final = 2 * MAX_NAME + len(", ")
"""Maximum length of a field of one line, in characters: enough for two names or a rack, but not for a rack of all tiles."""

_DOTS: Final = re.compile(r"[.]+")
_CHESS_RUN: Final = re.compile(r"[1-8]")
_CROSSWORD_RUN: Final = re.compile(r"[0-9]{1,2}")
_NAME: Final = re.compile(r"[A-Za-z_-]+")
_SCORE: Final = re.compile(r"-?[0-9]{1,4}")
_USUAL_DISTRIBUTION, _USUAL_LARGE_DISTRIBUTION = "english", "english_super"
"""The letter distribution of a CGP that names none, on 15×15 and on 21×21."""


def refusal_text(error: DomainError, text: str, say: Speaker) -> str:
    """Describe the problem with a form, and its row of the board."""
    problem = escape(say.problem(error))
    rows, before = text.partition(" ")[0], text[: error.column - 1]
    if len(before) >= len(rows):
        return say("This can't be read: {problem}.", problem=problem)
    return say("This can't be read: {problem} (row {row}).", problem=problem, row=before.count("/") + 1)


def _rows_field(label: str, rows: str) -> Field:
    return Field("rows", label, rows, kind="lines", max_length=MAX_ROWS)


def _line_field(name: str, label: str, value: str) -> Field:
    """Return a field of one line, which may be left empty."""
    return Field(name, label, value, max_length=MAX_LINE, required=False)


def _typed_rows(filled: Mapping[str, str], run: re.Pattern[str]) -> list[str]:
    """Return the typed rows of a board with a dot for each empty square; rows end at a slash or at a line's end."""
    rows = ("".join(row.split()) for row in filled["rows"].replace("/", "\n").split("\n"))
    return [run.sub(lambda match: "." * int(match[0]), row) for row in rows if row]


def _placement(rows: list[str]) -> str:
    """Write rows as FEN and CGP do: numbers for runs of empty squares."""
    return "/".join(_DOTS.sub(lambda dots: str(len(dots[0])), row) for row in rows)


def chess_form(position: ChessPosition, say: Speaker) -> tuple[Field, ...]:
    """Return the fields of a chess position: the rows of the board, the side to move, castling, and the side below."""
    placement, mover, castling, *_ = position.fen.split(" ")
    sides = (Choice("w", say("White")), Choice("b", say("Black")))
    return (
        _rows_field(say("Ranks, as in FEN"), placement.replace("/", "\n")),
        Field("mover", say("To move"), mover, kind="radio", choices=sides),
        _line_field("castling", say("Castling: KQkq, or - for none"), castling),
        Field("below", say("Side at the bottom of these rows"), "w", kind="radio", choices=sides),
    )


def chess_text(filled: Mapping[str, str]) -> str:
    """Return the FEN that a form describes; it may be invalid."""
    rows = _typed_rows(filled, _CHESS_RUN)
    if filled["below"] == "b":
        rows = [row[::-1] for row in reversed(rows)]
    castling = "".join(filled["castling"].split()) or "-"
    return f"{_placement(rows)} {filled['mover']} {castling} - 0 1"


def crossword_form(position: Position, say: Speaker) -> tuple[Field, ...]:
    """Return the fields of a crossword position: the rows of the board, the rack of the mover, scores, names and tiles."""
    board, distribution = position.board, position.rules.distribution
    rows = (
        "".join("." if square == EMPTY else distribution.written[square] for square in board.row(row))
        for row in range(board.rows)
    )
    mover = position.players[position.on_turn]
    others = [player for seat, player in enumerate(position.players) if seat != position.on_turn]
    names = [player.name for player in (mover, *others)]
    typed = ", ".join(one_line(name, MAX_NAME) for name in names) if any(names) else ""
    return (
        _rows_field(say("Rows: . = empty, lowercase = blank"), "\n".join(rows)),
        _line_field("rack", say("Rack of the player to move"), "".join(map(distribution.text, mover.rack))),
        _line_field(
            "scores", say("Scores, starting with the player to move"), f"{mover.score} {others[0].score}"
        ),
        _line_field("names", say("Names in the same order, separated by commas"), typed),
        _line_field("tiles", say("Tiles: english, german, polish …"), _tiles(position.rules)),
    )


def _tiles(rules: Rules) -> str:
    """Return the name of the letter distribution; after a comma that of the board layout, where it is not the usual."""
    layout, name = rules.layout, rules.distribution.name
    if name == _USUAL_LARGE_DISTRIBUTION:
        name = _USUAL_DISTRIBUTION
    usual = default_layout(rules.distribution, layout.rows, layout.columns)
    return f"{name}, {layout.name}" if layout.name and layout != usual else name


def crossword_text(filled: Mapping[str, str]) -> str:
    """Return the CGP that a form describes; it may be invalid."""
    rack = "".join(filled["rack"].split()).upper()
    scores = "/".join(_SCORE.findall(filled["scores"])) or "0/0"
    tiles, board = ("".join(_NAME.findall(part)) for part in filled.get("tiles", "").partition(",")[::2])
    tiles = tiles.lower() or _USUAL_DISTRIBUTION
    opcodes = (f" bdn {board};" if board else "") + ("" if tiles == _USUAL_DISTRIBUTION else f" ld {tiles};")
    return f"{_placement(_typed_rows(filled, _CROSSWORD_RUN))} {rack}/ {scores} 0{opcodes}"


def filled_names(filled: Mapping[str, str]) -> tuple[str, ...]:
    """Return the two names in a form, each on one line and bounded; an empty tuple where both are empty.

    Only the first comma separates the names. Without a comma, the first player has the name.
    """
    first, _, second = filled.get("names", "").partition(",")
    names = tuple(" ".join(one_line(name.strip(), MAX_NAME).split()) for name in (first, second))
    return names if any(names) else ()
