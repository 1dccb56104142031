"""The buttons and forms that confirm or correct a position read from a picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import CardMaker, Choice, Moment
from bot.chat.control import Button, Field, Form, IdPart, MomentControl, control
from bot.chat.markdown import escape, one_line
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.position import EMPTY, Position
from bot.domain.crossword.rules import Rules, default_layout
from bot.domain.reading.problems import DomainError
from bot.features.showing.controls import PRESENTER
from bot.features.showing.findings import PictureConfidence
from bot.text import Translator

if TYPE_CHECKING:
    from bot.chat.press import Press

MAX_ROWS_LENGTH: Final = 1_000
MAX_NAME_LENGTH: Final = 40
MAX_LINE_LENGTH: Final = 2 * MAX_NAME_LENGTH + len(", ")

_DOTS: Final = re.compile(r"[.]+")
_FEN_DIGITS: Final = re.compile(r"[1-8]")
_CGP_DIGITS: Final = re.compile(r"[0-9]{1,2}")
"""Digits for a run of empty squares, in FEN and in CGP."""
_NAME: Final = re.compile(r"[A-Za-z_-]+")
_SCORE: Final = re.compile(r"(?:(?<![0-9])-)?[0-9]{1,4}")
_DEFAULT_DISTRIBUTION, _DEFAULT_LARGE_DISTRIBUTION = "english", "english_super"
"""CGP's default letter distributions for 15×15 and 21×21 boards."""


@control("seen:{moment}:{action}")
class CheckPicture(MomentControl):
    """Confirms a position read from a picture (``r``, right), or opens a form to correct it (``c``).

    If the user posted the picture, or if the reply is private, Kibitz edits the reply. Other users get the position privately.
    """

    action: Annotated[str, IdPart("[rc]")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.action == "r":
            return Button(translate("Looks right"), "✅", "success")
        return Button(translate("Correct it"), "✏️")

    async def act(self, press: Press) -> None:
        presenter = press.bot.services[PRESENTER]
        if self.action == "r":
            await self._reply(press, lambda context: presenter.confirm(self.moment, context, press.user_id))
            return
        translate = await press.translator()
        fields = await presenter.make_correction_form(self.moment, translate)
        await press.open_form(Form(translate("Correct the position"), fields, self._submit))

    async def _submit(self, press: Press, values: Mapping[str, str]) -> None:
        await self._reply(
            press,
            lambda context: press.bot.services[PRESENTER].correct(
                self.moment, values, context, press.user_id
            ),
        )

    async def _reply(self, press: Press, make_card: CardMaker) -> None:
        is_owner = press.owner_id in (None, press.user_id)
        await (press.replace_card if is_owner else press.reply_privately)(make_card)


def confirmation_controls(confidence: PictureConfidence, moment: Moment) -> tuple[CheckPicture, ...]:
    correct = CheckPicture(moment, "c")
    return (correct,) if confidence.is_confident else (CheckPicture(moment, "r"), correct)


def refusal_text(
    error: DomainError, text: str, translate: Translator, *, are_rows_reversed: bool = False
) -> str:
    """Return a sentence about the error in a submitted form. If the error is in the board, the sentence names the row.

    ``text`` is the FEN or CGP from the form. ``are_rows_reversed`` means that the form has the rows in the opposite order.
    """
    problem = escape(translate.problem(error))
    rows, text_before_error = text.partition(" ")[0], text[: error.column - 1]
    if len(text_before_error) >= len(rows):
        return translate("This can't be read: {problem}.", problem=problem)
    row = text_before_error.count("/")
    number = rows.count("/") - row + 1 if are_rows_reversed else row + 1
    return translate("This can't be read: {problem} (row {row}).", problem=problem, row=number)


def _line_field(name: str, label: str, value: str) -> Field:
    return Field(name, label, value, max_length=MAX_LINE_LENGTH, required=False)


def _entered_rows(values: Mapping[str, str], digits: re.Pattern[str]) -> list[str]:
    """Return rows with a dot for each empty square. A slash or a line break ends a row.

    ``digits`` matches the digits that a user may type for a run of empty squares.
    """
    rows = ("".join(row.split()) for row in values["rows"].replace("/", "\n").split("\n"))
    return [digits.sub(lambda match: "." * int(match[0]), row) for row in rows if row]


def _placement(rows: list[str]) -> str:
    return "/".join(_DOTS.sub(lambda dots: str(len(dots[0])), row) for row in rows)


def chess_form(position: ChessPosition, translate: Translator) -> tuple[Field, ...]:
    placement, mover, castling, *_ = position.fen.split(" ")
    sides = (Choice("w", translate("White")), Choice("b", translate("Black")))
    return (
        Field(
            "rows",
            translate("Ranks, as in FEN"),
            placement.replace("/", "\n"),
            kind="lines",
            max_length=MAX_ROWS_LENGTH,
        ),
        Field("mover", translate("To move"), mover, kind="radio", choices=sides),
        _line_field("castling", translate("Castling: KQkq, or - for none"), castling),
        Field("below", translate("Side at the bottom of these rows"), "w", kind="radio", choices=sides),
    )


def fen_from_form(values: Mapping[str, str]) -> str:
    """Return the FEN that a submitted form describes. The FEN may be invalid."""
    rows = _entered_rows(values, _FEN_DIGITS)
    if values["below"] == "b":
        rows = [row[::-1] for row in reversed(rows)]
    castling = "".join(values["castling"].split()) or "-"
    return f"{_placement(rows)} {values['mover']} {castling} - 0 1"


def crossword_form(position: Position, translate: Translator) -> tuple[Field, ...]:
    board, distribution = position.board, position.rules.distribution
    rows = (
        "".join("." if square == EMPTY else distribution.bracketed_texts[square] for square in board.row(row))
        for row in range(board.rows)
    )
    mover = position.players[position.on_turn]
    others = [player for seat, player in enumerate(position.players) if seat != position.on_turn]
    names = [player.name for player in (mover, *others)]
    names_text = ", ".join(one_line(name, MAX_NAME_LENGTH) for name in names) if any(names) else ""
    return (
        Field(
            "rows",
            translate("Rows: . = empty, lowercase = blank"),
            "\n".join(rows),
            kind="lines",
            max_length=MAX_ROWS_LENGTH,
        ),
        _line_field(
            "rack", translate("Rack of the player to move"), "".join(map(distribution.text, mover.rack))
        ),
        _line_field(
            "scores",
            translate("Scores, starting with the player to move"),
            f"{mover.score} {others[0].score}",
        ),
        _line_field("names", translate("Names in the same order, separated by commas"), names_text),
        _line_field("tiles", translate("Tiles: english, german, polish …"), _tiles_text(position.rules)),
    )


def _tiles_text(rules: Rules) -> str:
    layout, name = rules.layout, rules.distribution.name
    if name == _DEFAULT_LARGE_DISTRIBUTION:
        name = _DEFAULT_DISTRIBUTION
    usual_layout = default_layout(rules.distribution, layout.rows, layout.columns)
    return f"{name}, {layout.name}" if layout.name and layout != usual_layout else name


def cgp_from_form(values: Mapping[str, str]) -> str:
    """Return the CGP that a submitted form describes. The CGP may be invalid."""
    rack = "".join(values["rack"].split()).upper()
    scores = "/".join(_SCORE.findall(values["scores"])) or "0/0"
    tiles, layout = ("".join(_NAME.findall(part)) for part in values.get("tiles", "").partition(",")[::2])
    tiles = tiles.lower() or _DEFAULT_DISTRIBUTION
    opcodes = (f" bdn {layout};" if layout else "") + (
        "" if tiles == _DEFAULT_DISTRIBUTION else f" ld {tiles};"
    )
    return f"{_placement(_entered_rows(values, _CGP_DIGITS))} {rack}/ {scores} 0{opcodes}"


def names_from_form(values: Mapping[str, str]) -> tuple[str, ...]:
    first, _, second = values.get("names", "").partition(",")
    names = tuple(" ".join(one_line(name.strip(), MAX_NAME_LENGTH).split()) for name in (first, second))
    return names if any(names) else ()
