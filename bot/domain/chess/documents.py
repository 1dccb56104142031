"""Chess documents: positions, games, puzzle sets and opening books."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.chess.position import START_POSITION, ChessPosition, position_of
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import Phrase

UNKNOWN_RESULT = "*"
"""The game is unfinished, or its result is unknown."""
RESULTS = ("1-0", "0-1", "1/2-1/2", UNKNOWN_RESULT)

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
"""The tags that PGN requires, except ``Result``, each with its value for "unknown"."""

_COMMAND = re.compile(r"\[%[^\[\]]{0,2000}+\]")
_CLOCK = re.compile(r"\[%clk\s+(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,3})?)\s*\]")
_EVALUATION = re.compile(r"\[%eval\s+(#?[+-]?\d{1,4}(?:\.\d{1,3})?)(?:,\d+)?\s*\]")
_ARROWS = re.compile(r"\[%cal\s+([^\[\]]{1,600}+)\]")
_ARROW = re.compile(r"([A-Z])([a-h][1-8])([a-h][1-8])")
_CIRCLES = re.compile(r"\[%csl\s+([^\[\]]{1,600}+)\]")
_CIRCLE = re.compile(r"([A-Z])([a-h][1-8])(?![a-h][1-8])")


def arrows_in(comment: str) -> dict[tuple[str, str], str]:
    """Map the (start, end) squares of arrows in a comment (``[%cal Gd2d4,Rb1c3]``) to colour letters."""
    return {
        (start, end): colour
        for command in _ARROWS.findall(comment)
        for colour, start, end in _ARROW.findall(command)
    }


def circles_in(comment: str) -> dict[str, str]:
    """Map the circled squares in a comment (``[%csl Gd4,Rd5]``) to colour letters."""
    return {
        square: colour for command in _CIRCLES.findall(comment) for colour, square in _CIRCLE.findall(command)
    }


def without_commands(comment: str) -> str:
    """Return a comment on one line, without commands such as ``[%clk 0:10:00]``."""
    return " ".join(_COMMAND.sub(" ", comment).split())


@dataclass(frozen=True, slots=True)
class ChessMove:
    """A move in a game or a variation."""

    san: str
    """Standard notation with check symbols; ``--`` for a null move."""
    uci: str
    comment: str = ""
    """The comment after the move, with commands such as ``[%clk 0:10:00]``."""
    comment_before: str = ""
    """The comment before the move, at the start of a variation."""
    nags: tuple[int, ...] = ()
    """Numeric annotation glyphs of the PGN standard: 1 for ``!``, 2 for ``?``, …"""
    variations: tuple[tuple[ChessMove, ...], ...] = ()
    """Lines that start with an alternative to this move."""

    @property
    def remark(self) -> str:
        return without_commands(self.comment)

    @property
    def clock_ms(self) -> int | None:
        """Milliseconds left on the mover's clock, or None if unknown."""
        match = _CLOCK.search(self.comment)
        if match is None:
            return None
        hours, minutes, seconds = match.groups()
        return (int(hours) * 60 + int(minutes)) * 60_000 + round(float(seconds) * 1000)

    @property
    def evaluation(self) -> str:
        """The evaluation in pawns (``0.35``) or moves to mate (``#-3``), from White's point of view. Empty if unknown."""
        match = _EVALUATION.search(self.comment)
        return match[1] if match else ""

    @property
    def glyph(self) -> str:
        """The annotation symbol (``!?``), if any."""
        return next((GLYPH_BY_NAG[nag] for nag in self.nags if nag in GLYPH_BY_NAG), "")


GLYPH_BY_NAG = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""Annotation symbols, by NAG."""


@dataclass(frozen=True, slots=True)
class ChessGame:
    """A game. Its turns are half-moves; turn 0 is the start of the game."""

    start: ChessPosition = START_POSITION
    turns: tuple[ChessMove, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    """The tags, except those for the starting position and the result."""
    comment: str = ""
    """The comment before the first move."""
    result: str = UNKNOWN_RESULT
    """One of :data:`RESULTS`."""

    def tag(self, name: str) -> str:
        """Return the value of a tag, or an empty string if it is missing or unknown (``?``)."""
        value = dict(self.tags).get(name, "")
        return "" if value.strip("?.") == "" else value

    def position_at(self, turn: int) -> ChessPosition:
        """Return the position after a turn, or raise :exc:`IndexError` if the game has fewer turns."""
        if not 0 <= turn <= len(self.turns):
            raise IndexError(turn)
        if not turn:
            return self.start
        return position_of(self.start.board(move.uci for move in self.turns[:turn]))

    def positions(self) -> Iterator[ChessPosition]:
        yield self.start
        board = self.start.board()
        for move in self.turns:
            board.push(chess.Move.from_uci(move.uci))
            yield position_of(board)

    def comment_at(self, turn: int) -> str:
        """Return the comment after a turn, with commands; for turn 0, the comment before the first move."""
        return self.turns[turn - 1].comment if turn else self.comment

    @property
    def remark(self) -> str:
        return without_commands(self.comment)

    @property
    def is_black_at_bottom(self) -> bool:
        return self.tag("Orientation").lower() == "black"

    def move_number(self, turn: int) -> str:
        """Return the move number of a turn: ``12.`` for White, ``12...`` for Black."""
        plies = 2 * self.start.fullmove_number - 2 + (0 if self.start.white_to_move else 1) + turn - 1
        return f"{plies // 2 + 1}{'...' if plies % 2 else '.'}"


MAX_DESCRIPTION_LINES = 3
MAX_SOLUTION_LINES = 4
MAX_LINE_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position to solve."""

    position: ChessPosition
    description: tuple[str, ...] = ()
    """At most :data:`MAX_DESCRIPTION_LINES` lines."""
    solution: tuple[str, ...] = ()
    """At most :data:`MAX_SOLUTION_LINES` lines, which consist mostly of moves."""
    line_number: int = 1
    """Number of the puzzle's first line in the file, counted from 1."""
    comments: tuple[str, ...] = ()
    """The comments before and within the puzzle, including the ``//`` or ``#``."""

    @property
    def solution_text(self) -> str:
        return " ".join(self.solution)


@dataclass(frozen=True, slots=True)
class PuzzleSet:
    """The puzzles in a file, in order."""

    puzzles: tuple[Puzzle, ...]
    comments: tuple[str, ...] = ()
    """The comments after the last puzzle."""


MAX_NAME_LENGTH = 80

_DECORATION = " \t-=*#/_~"


@dataclass(frozen=True, slots=True)
class BookLine:
    """A sequence of moves in an opening book."""

    moves: tuple[ChessMove, ...]
    name: str = ""
    """The name in the last comment, ``Opening`` tag or ``Event`` tag above the sequence. See :func:`line_name`."""
    start: ChessPosition = START_POSITION
    comment: str = ""
    """The comment before the first move."""


@dataclass(frozen=True, slots=True)
class BookSource:
    """The text from which an opening book is compiled, as sequences of moves."""

    lines: tuple[BookLine, ...]


def line_name(text: str) -> str:
    """Return the name in a comment or a tag, without decoration, cut to :data:`MAX_NAME_LENGTH` characters."""
    return " ".join(text.split()).strip(_DECORATION)[:MAX_NAME_LENGTH].strip(_DECORATION)


ChessDocument: TypeAlias = ChessPosition | ChessGame | PuzzleSet | BookSource

NOTATION_LABELS = {
    "fen": "FEN",
    "epd": "EPD",
    "pgn": "PGN",
    "uci": "UCI",
    "puzzles": Phrase("TI-Chess puzzles"),
    "book": Phrase("TI-Chess opening book"),
    "json": "JSON",
}
