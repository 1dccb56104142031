"""The form in which somebody corrects a crossword position."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.chat.control import Field
from bot.domain.crossword.notations import fields
from bot.domain.crossword.position import EMPTY
from bot.domain.crossword.rules import Rules, usual_layout
from bot.domain.notations import CrosswordDocument, final_position
from bot.features.showing.form import line_field, names_text, rows_field, rows_of
from bot.text import Speaker

_RUN = re.compile(r"[0-9]{1,2}")
_EMPTY = re.compile(r"[.]+")
_NAME = re.compile(r"[A-Za-z_-]+")
_USUAL, _USUAL_LARGE = "english", "english_super"
"""The tiles that a CGP has if it names none; on a larger board those of the larger game."""
_SCORE = re.compile(r"-?[0-9]{1,4}")


def crossword_form(document: CrosswordDocument, say: Speaker) -> tuple[Field, ...]:
    """Return what can be corrected: the rows of the board, the rack of who is to move, scores and names."""
    position = final_position(document)
    board, distribution = position.board, position.rules.distribution
    rows = (
        "".join(
            "." if square == EMPTY else fields.bracketed(distribution.text(square))
            for square in board.row(row)
        )
        for row in range(board.rows)
    )
    mover = position.players[position.on_turn]
    others = [player for seat, player in enumerate(position.players) if seat != position.on_turn]
    names = names_text([player.name for player in (mover, *others)])
    return (
        rows_field(say("Rows: . is empty, small is a blank"), "\n".join(rows)),
        line_field("rack", say("Rack of the player to move"), "".join(map(distribution.text, mover.rack))),
        line_field("scores", say("Scores, of the player to move first"), f"{mover.score} {others[0].score}"),
        line_field("names", say("Names in the same order, a comma between"), names),
        line_field("tiles", say("Tiles: english, german, polish …"), _tiles(position.rules)),
    )


def _tiles(rules: Rules) -> str:
    """Return what the tiles are called, and the board after a comma where it does not go with them."""
    layout, name = rules.layout, rules.distribution.name
    if name == _USUAL_LARGE:
        name = _USUAL
    usual = usual_layout(rules.distribution, layout.rows, layout.columns)
    return f"{name}, {layout.name}" if layout.name and layout != usual else name


def crossword_text(filled: Mapping[str, str]) -> str:
    """Return the CGP that a form says; whether it can be read is seen where it is read."""
    rows = (
        _EMPTY.sub(lambda run: str(len(run[0])), _RUN.sub(lambda run: "." * int(run[0]), row))
        for row in rows_of(filled["rows"])
    )
    rack = "".join(filled["rack"].split()).upper()
    scores = "/".join(_SCORE.findall(filled["scores"])) or "0/0"
    tiles, board = ("".join(_NAME.findall(part)) for part in filled.get("tiles", "").partition(",")[::2])
    tiles = tiles.lower() or _USUAL
    opcodes = (f" bdn {board};" if board else "") + ("" if tiles == _USUAL else f" ld {tiles};")
    return f"{'/'.join(rows)} {rack}/ {scores} 0{opcodes}"
