"""The form in which somebody corrects a chess position."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.chat.control import Field
from bot.chat.moment import Choice
from bot.domain.chess.notations import fen
from bot.domain.chess.position import ChessPosition
from bot.domain.notations import ChessDocument
from bot.features.showing.form import line_field, rows_field, rows_of
from bot.text import Speaker

_RUN = re.compile(r"[1-8]")
_EMPTY = re.compile(r"[.]+")


def chess_form(document: ChessDocument, say: Speaker) -> tuple[Field, ...]:
    """Return what can be corrected: the rows of the board, who is to move, castling, and which side is below."""
    assert isinstance(document, ChessPosition), "a picture shows a position"
    placement, mover, castling, *_ = fen.write(document).split(" ")
    sides = (Choice("w", say("White")), Choice("b", say("Black")))
    return (
        rows_field(say("Rows, as in FEN"), placement.replace("/", "\n")),
        Field("mover", say("To move"), mover, choices=sides),
        line_field("castling", say("Castling: KQkq, or - for none"), castling),
        Field("below", say("Below on these rows"), "w", choices=sides),
    )


def chess_text(filled: Mapping[str, str]) -> str:
    """Return the FEN that a form says; whether it can be read is seen where it is read."""
    rows = [_RUN.sub(lambda run: "." * int(run[0]), row) for row in rows_of(filled["rows"])]
    if filled["below"] == "b":
        rows = [row[::-1] for row in reversed(rows)]
    placement = "/".join(_EMPTY.sub(lambda run: str(len(run[0])), row) for row in rows)
    castling = "".join(filled["castling"].split()) or "-"
    return f"{placement} {filled['mover']} {castling} - 0 1"
