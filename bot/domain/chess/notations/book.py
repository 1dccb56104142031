r"""Sources of opening books, in the format of the Opening Book Compiler of TI-Chess, a chess program for calculators.

>>> source = "// Open game\n1. e4 e5\n"
>>> book = read(source).value
>>> book.lines[0].name
'Open game'
>>> write(book) == source
True

The compiler's documentation gives these rules. A sequence starts with ``1.`` at the beginning of a line and may continue on
further lines. It starts from the usual starting position, or from the position in a ``[FEN "…"]`` tag, which applies to one
sequence. A comment on its own line names the following sequences, and so does an ``Opening`` tag. A comment after a move belongs
to that move.

Kibitz also reads variations. A compiled book contains their moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bot.domain.chess.documents import UNKNOWN_RESULT, BookLine, BookSource, ChessMove, line_name
from bot.domain.chess.moves import read_move
from bot.domain.chess.notations.movetext import (
    BLACK_FIRST_MOVE_NUMBER,
    FIRST_MOVE_NUMBER,
    LineReader,
    Token,
    is_first_on_line,
    read_tag,
    tokens,
)
from bot.domain.chess.notations.pgn import as_rule_error, read_embedded_fen
from bot.domain.chess.position import START_POSITION, ChessPosition
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import DomainError, Reading, TextPiece, Warnings, require_max_length

MAX_LENGTH = 1_000_000
MAX_MOVES = 50_000
"""Maximum number of moves. Reading a new move takes 0.1 ms, and a repeated move much less."""
MAX_BOOK_LINES = 10_000
MAX_ERRORS = 100

_SUPPORTED_TAGS = frozenset({"FEN", "SetUp", "Opening", "Event"})


def read(text: str) -> Reading[BookSource]:
    """Read a source up to its first fault, which becomes the ``error``.

    Raises:
        ParseError: the text is too long, or there is no sequence before the first fault.
        RuleError: the first starting position or the first move is not possible.

    """
    reader = _read(text, 1)
    if not reader.lines:
        raise reader.errors[0]
    return Reading(
        BookSource(tuple(reader.lines)),
        reader.warnings.all(),
        as_rule_error(reader.errors[0]) if reader.errors else None,
    )


def faults(text: str) -> tuple[DomainError, ...]:
    """Return the first fault in each sequence, up to :data:`MAX_ERRORS` faults."""
    return tuple(_read(text, MAX_ERRORS).errors)


def _read(text: str, max_errors: int) -> _Reader:
    require_max_length(text, MAX_LENGTH)
    reader = _Reader(text)
    for token in tokens(text, int(text.startswith("\ufeff"))):
        reader.take(token)
        if len(reader.errors) == max_errors or reader.is_full:
            break
    reader.end_sequence()
    if not (reader.lines or reader.errors):
        reader.errors.append(
            TextPiece.of(text).parse_error(
                "book-empty", 'no move sequence found in this text; a sequence starts with "1."'
            )
        )
    return reader


def _position_key(board: chess.Board) -> tuple[object, ...]:
    """Return everything that the legal moves depend on."""
    pieces = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    return board.turn, board.castling_rights, board.ep_square, board.occupied_co[chess.WHITE], *pieces


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: list[BookLine] = []
        self.errors: list[DomainError] = []
        self.is_full = False
        """Whether the text has too many sequences or moves."""
        self._text = text
        self.warnings = Warnings(text)
        self._next_start: ChessPosition | None = START_POSITION
        """Starting position of the next sequence, or None after an invalid FEN."""
        self._name = ""
        self._line_reader: LineReader | None = None
        self._sequence: tuple[str, ChessPosition] = ("", START_POSITION)
        """Name and starting position of the sequence being read."""
        self._left_out_names: set[str] = set()
        self._has_sequence_error = False
        self._move_count = 0
        self._move_cache: dict[tuple[object, ...], tuple[chess.Move, str]] = {}
        """Moves by position and text. Many sequences begin with the same moves."""

    def take(self, token: Token) -> None:
        if token.kind == "tag":
            self._take_tag(token)
        elif token.kind == "number" and self._starts_sequence(token.source):
            self._start_sequence(token)
        elif token.kind in ("book", "line") and is_first_on_line(self._text, token.source.offset):
            self._name = line_name(token.comment) or self._name
        elif token.kind == "result":
            if token.text != UNKNOWN_RESULT:
                self._warn_left_out(token.text, token.source)
        elif self._has_sequence_error:
            pass
        elif self._line_reader is not None:
            try:
                self._line_reader.take(token)
            except DomainError as error:
                self._add_error(error)
        elif token.kind in ("move", "number", "other"):
            self._add_error(
                token.source.parse_error(
                    "book-start",
                    'a move sequence must start with "1." at the beginning of a line, not with {start!r}',
                    start=token.text[:20],
                )
            )

    def _add_error(self, error: DomainError) -> None:
        self._has_sequence_error = True
        self.errors.append(error)

    def _warn_left_out(self, name: str, token: TextPiece) -> None:
        if name not in self._left_out_names and len(self._left_out_names) <= Warnings.MAX_WARNINGS:
            self._left_out_names.add(name)
            self.warnings.add(
                "book-left-out",
                "an opening book has no place for {name!r}, so it is left out",
                token.offset,
                name=name[:40],
            )

    def end_sequence(self) -> None:
        reader, self._line_reader = self._line_reader, None
        if reader is not None and reader.move_count:
            self.lines.append(BookLine(reader.moves(), *self._sequence, reader.comment))

    def _starts_sequence(self, token: TextPiece) -> bool:
        if not FIRST_MOVE_NUMBER.match(token.text) or not is_first_on_line(self._text, token.offset):
            return False
        # If only White has moved, "1..." continues the sequence.
        black_moves_next = (
            self._line_reader is not None
            and self._line_reader.move_count == 1
            and self._sequence[1].white_to_move
        )
        return not (black_moves_next and BLACK_FIRST_MOVE_NUMBER.fullmatch(token.text))

    def _start_sequence(self, token: Token) -> None:
        self.end_sequence()
        if len(self.lines) == MAX_BOOK_LINES:
            self.errors.append(
                token.source.rule_error(
                    "book-lines", "only the first {limit:,} sequences are read", limit=MAX_BOOK_LINES
                )
            )
            self.is_full = True
            return
        start, self._next_start = self._next_start, START_POSITION
        self._has_sequence_error = start is None
        start = start or START_POSITION
        self._sequence = (self._name, start)
        self._line_reader = LineReader(start.board(), self.warnings, self._read_move)
        self._line_reader.take(token)

    def _take_tag(self, token: Token) -> None:
        self.end_sequence()
        tag = read_tag(token.source)
        if tag is None:
            self.warnings.add("pgn-tag", "a tag is a name followed by text in quotes", token.source.offset)
            return
        tag.warn_about_quotes(self.warnings)
        if tag.name in ("Opening", "Event"):
            # An unknown opening (?) clears the name. An unknown event does not, because many programs write
            # [Event "?"] at the start of each file.
            name = line_name(tag.value.text.strip("? "))
            self._name = name if name or tag.name == "Opening" else self._name
        if tag.name == "FEN":
            try:
                self._next_start = read_embedded_fen(tag.value, self.warnings)
            except DomainError as error:
                self._next_start = None
                self.errors.append(error)
        elif tag.name not in _SUPPORTED_TAGS:
            self._warn_left_out(tag.name, token.source)

    def _read_move(self, board: chess.Board, token: TextPiece) -> tuple[chess.Move, str]:
        self._move_count += 1
        if self._move_count > MAX_MOVES:
            self.is_full = True
            raise token.rule_error(
                "book-moves", "only the first {limit:,} moves of a book are read", limit=MAX_MOVES
            )
        key = (*_position_key(board), token.text)
        if key not in self._move_cache:
            self._move_cache[key] = read_move(board, token)
        move, _ = move_and_san = self._move_cache[key]
        if not move:
            self.warnings.add(
                "book-null",
                "a compiled book can't hold the null move {move}; the line ends there",
                token.offset,
                move=token.text,
            )
        if board.is_capture(move) and "x" not in token.text.replace(":", "x"):
            self.warnings.add(
                "capture-sign",
                "{move} is a capture, but the x is missing",
                token.offset,
                move=token.text[:30],
            )
        return move_and_san


_LOOKS_LIKE_BOOK = re.compile(r"[\s`|\ufeff]{0,100}//[^\r\n]*[\r\n]")
_SEQUENCE = re.compile(r"^[ \t]{0,40}1\s?\.\s?[A-Za-z]", re.MULTILINE)


def sniff(text: str) -> bool:
    return _LOOKS_LIKE_BOOK.match(text) is not None and _SEQUENCE.search(text, 0, 20_000) is not None


_MAX_WIDTH = 80


def write(source: BookSource) -> str:
    """Write a source. As the format requires, move numbers start at 1 in every sequence.

    A name applies until the next name or ``[Opening "?"]``.
    """
    blocks: list[str] = []
    name = ""
    for line in source.lines:
        if line.name != name:
            name = line.name
            blocks.append(f"\n// {name}" if name else '\n[Opening "?"]')
        if line.start.fen != START_POSITION.fen:
            blocks.append(f'[FEN "{line.start.fen}"]')
        words = list(_words(line.moves, 0 if line.start.white_to_move else 1))
        if line.comment and words:
            number, first_move = words[0].split(" ", 1)
            words[:1] = [f"{number} {_in_braces(line.comment)}", first_move]
        blocks.append(_wrap(words))
    return "\n".join(blocks).lstrip("\n") + "\n"


def _in_braces(comment: str) -> str:
    return "{" + comment.replace("{", "(").replace("}", ")") + "}"


def _words(moves: tuple[ChessMove, ...], plies_before: int) -> Iterator[str]:
    """Yield the words of a line. A move and its number are one word, because no line break may separate them.

    ``plies_before`` is the number of half-moves before the first move.
    """
    needs_number = True
    for index, move in enumerate(moves, start=plies_before):
        number = f"{index // 2 + 1}{'...' if index % 2 else '.'} "
        # The format has no check symbols, and no "=" in promotions (d8Q).
        yield (number if needs_number or index % 2 == 0 else "") + move.san.rstrip("+#").replace("=", "")
        yield from (f"${nag}" for nag in move.nags)
        if move.comment:
            yield _in_braces(move.comment)
        needs_number = bool(move.variations)
        for variation in move.variations:
            words = list(_words(variation, index))
            if variation[0].comment_before:
                words.insert(0, _in_braces(variation[0].comment_before))
            words[0] = f"({words[0]}"
            words[-1] += ")"
            yield from words


def _wrap(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        # A line that starts with "1." would start another sequence.
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _MAX_WIDTH and not word.startswith("1."):
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
