r"""Puzzle files of the Chess Puzzle Compiler of TI-Chess, a chess program for calculators.

>>> file = "[D]White to move\n[S]1. e4\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"
>>> puzzles = read(file).value
>>> puzzles.puzzles[0].solution
('1. e4',)
>>> write(puzzles) == file
True
>>> list(find(file))
[(0, 57, 'puzzles')]

The compiler's documentation gives these rules. A puzzle has up to three ``[D]`` lines of description, up to four ``[S]`` lines
of solution and one line with a FEN. Lines that start with ``//`` or ``#`` are comments, and empty lines are skipped. The text
of a description or solution line is truncated to 32 characters. A comment belongs to the same puzzle as the next line.

The documentation does not prescribe the order of description, solution and FEN. If a file begins with a FEN, the FEN is first
in every puzzle. Otherwise any unambiguous order is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from bot.domain.chess.documents import (
    MAX_DESCRIPTION_LINES,
    MAX_LINE_LENGTH,
    MAX_SOLUTION_LINES,
    Puzzle,
    PuzzleSet,
)
from bot.domain.chess.notations.pgn import as_rule_error, read_embedded_fen
from bot.domain.chess.position import ChessPosition
from bot.domain.reading.notation import Span
from bot.domain.reading.problems import DomainError, Reading, TextPiece, Warnings, require_max_length

MAX_LENGTH = 1_000_000
MAX_PUZZLES = 10_000
MAX_ERRORS = 100
_COMMENTS = ("//", "#")

_SPACES = "".join(character for character in map(chr, range(0x3001)) if character.isspace()) + "\ufeff"
_LINE_BREAKS = re.compile(r"[\r\n]+")
_LINE = re.compile(r"[^\r\n]+")
_TAGGED = re.compile(r"\[(?P<tag>[DSds])\]")
_FEN_TAG = re.compile(r'\[FEN\s+"(?P<fen>[^"]*)"?\s*\]?')


def read(text: str) -> Reading[PuzzleSet]:
    """Read a file up to its first fault, which becomes the ``error``.

    Raises:
        ParseError: the text is too long, or has no puzzle before the first fault.
        RuleError: the position of the first puzzle is impossible.

    """
    reader = _read(text, 1)
    if not reader.puzzles:
        raise reader.errors[0]
    return Reading(
        PuzzleSet(tuple(reader.puzzles), tuple(reader.pending_comments)),
        reader.warnings.all(),
        as_rule_error(reader.errors[0]) if reader.errors else None,
    )


def faults(text: str) -> tuple[DomainError, ...]:
    """Return the errors in a file, at most :data:`MAX_ERRORS`."""
    return tuple(_read(text, MAX_ERRORS).errors)


def as_line(text: str) -> str:
    return _LINE_BREAKS.sub(" ", text).strip(_SPACES)


def as_comment(text: str) -> str:
    """Return text as a comment on one line. Add ``//`` if the text has no comment mark."""
    line = as_line(text)
    return line if line.startswith(_COMMENTS) else f"// {line}".strip(_SPACES)


def _read(text: str, max_errors: int) -> _Reader:
    require_max_length(text, MAX_LENGTH)
    reader = _Reader(text)
    for match in _LINE.finditer(text):
        line = TextPiece.matched(match).strip(_SPACES)
        if line.text.startswith(_COMMENTS):
            reader.pending_comments.append(line.text)
        elif line.text:
            reader.add_line(line)
            if len(reader.errors) >= max_errors:
                return reader
    reader.end_puzzle()
    if not (reader.puzzles or reader.errors):
        reader.errors.append(TextPiece.of(text).parse_error("puzzle-empty", "no puzzle found in this text"))
    return reader


class _Reader:
    def __init__(self, text: str) -> None:
        self.puzzles: list[Puzzle] = []
        self.errors: list[DomainError] = []
        self.warnings = Warnings(text)
        self._is_fen_first: bool | None = None
        self._is_solution_before_fen: bool | None = None
        """Whether the first puzzle with a FEN has its solution before the FEN."""
        self.pending_comments: list[str] = []
        """Comments before the next line that is not a comment."""
        self._clear()

    def _clear(self) -> None:
        self._first_line: TextPiece | None = None
        self._comments: list[str] = []
        self._description: list[str] = []
        self._solution: list[str] = []
        self._position: ChessPosition | None = None
        self._has_fen = False
        self._has_puzzle_error = False

    def add_line(self, line: TextPiece) -> None:
        tag_match = _TAGGED.match(line.text)
        if self._is_fen_first is None:
            self._is_fen_first = tag_match is None
        if tag_match is None:
            self._read_fen(line)
        else:
            self._read_tagged(line, is_solution=tag_match["tag"] in "Ss")
        self._comments += self.pending_comments
        self.pending_comments.clear()

    def end_puzzle(self) -> None:
        if self._first_line is not None and not self._has_fen:
            self._add_error(
                self._first_line.parse_error("puzzle-fen", "the puzzle that starts here has no FEN")
            )
        elif self._first_line is not None and self._position is not None and not self._has_puzzle_error:
            self.puzzles.append(
                Puzzle(
                    self._position,
                    tuple(self._description),
                    tuple(self._solution),
                    self._first_line.location[0],
                    tuple(self._comments),
                )
            )
        self._clear()

    def _begin_puzzle(self, line: TextPiece) -> None:
        self.end_puzzle()
        self._first_line = line
        if len(self.puzzles) >= MAX_PUZZLES and not self.errors:
            self._add_error(
                line.rule_error("puzzles", "only the first {limit:,} puzzles are read", limit=MAX_PUZZLES)
            )

    def _add_error(self, error: DomainError) -> None:
        self._has_puzzle_error = True
        self.errors.append(error)

    def _read_fen(self, line: TextPiece) -> None:
        if self._first_line is None or self._has_fen:
            self._begin_puzzle(line)
        if "/" not in line.text:
            self._add_error(
                line.parse_error("puzzle-line", "this line is neither [D], [S], a FEN nor a comment")
            )
            return
        self._has_fen = True
        if self._is_solution_before_fen is None:
            self._is_solution_before_fen = bool(self._solution)
        tag = _FEN_TAG.fullmatch(line.text)
        try:
            self._position = read_embedded_fen(line.part(*tag.span("fen")) if tag else line, self.warnings)
        except DomainError as error:
            self._add_error(error)

    def _read_tagged(self, line: TextPiece, *, is_solution: bool) -> None:
        if self._has_fen:
            begins_puzzle = not self._is_fen_first and (self._is_solution_before_fen or not is_solution)
        else:
            # After a description and a solution, a description line begins the next puzzle. The current puzzle
            # then has no FEN.
            begins_puzzle = bool(not is_solution and self._solution and self._description)
        if self._first_line is None or begins_puzzle:
            self._begin_puzzle(line)
        if is_solution and len(self._solution) == MAX_SOLUTION_LINES:
            self._add_error(
                line.parse_error(
                    "puzzle-solution", "a puzzle has at most {limit} solution lines", limit=MAX_SOLUTION_LINES
                )
            )
        elif not is_solution and len(self._description) == MAX_DESCRIPTION_LINES:
            self._add_error(
                line.parse_error(
                    "puzzle-description",
                    "a puzzle has at most {limit} description lines",
                    limit=MAX_DESCRIPTION_LINES,
                )
            )
        else:
            (self._solution if is_solution else self._description).append(self._truncated_text(line))

    def _truncated_text(self, line: TextPiece) -> str:
        text = line.part(3).strip(_SPACES)
        if len(text.text) > MAX_LINE_LENGTH:
            self.warnings.add(
                "puzzle-cut",
                "this line has {length} characters; only the first {limit} are kept",
                text.offset + MAX_LINE_LENGTH,
                length=len(text.text),
                limit=MAX_LINE_LENGTH,
            )
        return text.text[:MAX_LINE_LENGTH].rstrip(_SPACES)


_BLOCK_QUOTE_PREFIX = re.compile(r"(?:>>> |> )?[ \t\ufeff]{0,40}")
_FEN_LINE = re.compile(
    r"(?:\[FEN\s{1,4}\")?(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}\s{1,4}[wb]\b"
)
MAX_OTHER_LINE_LENGTH = 100
"""Maximum length of a line without a tag or FEN in a list of puzzles.

A longer line, or a second such line before the next tag or FEN, ends the list.
"""


def find(text: str) -> Iterator[Span]:
    if not any(tag in text for tag in ("[D]", "[S]", "[d]", "[s]")):
        return
    block = _Block()
    for line in chain(_LINE.finditer(text), [None]):
        if line is None or not block.add_line(line):
            if block.tag_count and block.position_count:
                yield block.start, block.end, "puzzles"
            block = _Block()
            if line is not None:
                block.add_line(line)


class _Block:
    def __init__(self) -> None:
        self.start = self.end = -1
        self.tag_count = self.position_count = 0
        self._other_line_count = 0

    def add_line(self, line: re.Match[str]) -> bool:
        """Add a line, and return whether the list of puzzles continues. One line of other text is allowed."""
        text = line[0]
        quote = _BLOCK_QUOTE_PREFIX.match(text)
        content_start = quote.end() if quote else 0
        tag_match, position = _TAGGED.match(text, content_start), _FEN_LINE.match(text, content_start)
        if tag_match or position:
            self.tag_count += tag_match is not None
            self.position_count += position is not None
            self._other_line_count = 0
        elif not text[content_start:].strip():
            return True
        elif not text.startswith(_COMMENTS, content_start):
            self._other_line_count += 1
            return (
                self.start >= 0
                and self._other_line_count == 1
                and len(text) <= MAX_OTHER_LINE_LENGTH
                and "```" not in text
            )
        if self.start < 0:
            self.start = line.start() + content_start
        self.end = line.start() + len(text.rstrip(" \t`|"))
        return True


def sniff(text: str) -> bool:
    for line in _LINE.finditer(text[:20_000]):
        content = line[0].strip(" \t\ufeff`")
        if content and not content.startswith(_COMMENTS):
            return _TAGGED.match(content) is not None
    return False


def write(puzzle_set: PuzzleSet) -> str:
    """Write a puzzle file: comments, description, solution, FEN.

    If any puzzle lacks a description, the FEN comes first in every puzzle, because a solution without a
    description would seem to belong to the FEN above it.
    """
    is_fen_first = any(not puzzle.description for puzzle in puzzle_set.puzzles)
    blocks = []
    for puzzle in puzzle_set.puzzles:
        lines = [*(f"[D]{text}" for text in puzzle.description), *(f"[S]{text}" for text in puzzle.solution)]
        lines.insert(0 if is_fen_first else len(lines), puzzle.position.fen)
        blocks.append([*puzzle.comments, *lines])
    if puzzle_set.comments:
        blocks.append([*puzzle_set.comments])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)
