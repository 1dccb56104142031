"""Splits games, opening books, puzzle solutions and free text into tokens, and plays their moves.

*Movetext* is the PGN standard's word for moves with their numbers, comments, annotations and variations. The
tokenizer accepts any text, and reads it in one pass. Text that is not movetext becomes tokens of kind ``other``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from bot.domain.chess.documents import GLYPH_BY_NAG, ChessMove
from bot.domain.chess.moves import read_move
from bot.domain.chess.python_chess import chess
from bot.domain.reading.problems import DomainError, TextPiece, Warnings

TokenKind = Literal[
    "number", "move", "comment", "open", "line", "book", "nag", "result", "begin", "end", "tag", "other"
]
"""The kind of a token.

Comments are ``comment`` (in braces), ``open`` (without the closing brace), ``line`` (after a semicolon) and
``book`` (after ``//``). A ``nag`` is an annotation (``$1``, ``!?``), ``begin`` and ``end`` are the
parentheses of a variation, and ``tag`` is text in square brackets.
"""

_SAN = (
    r"(?:[PNBRQ]?@[a-h][1-8]|[PNBRQK]?[a-h]?[1-8]?[-x:]?[a-h][1-8](?:=?[NBRQKnbrqk](?![a-z1-8]))?|[a-h]x[1-8](?![\w])|[Oo0]-[Oo0](?:-[Oo0])?|--|Z0)"
    r"(?:[+#]{1,2}|\u2020)?"
)
_TAG_NAME = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]{0,60}"
# The group ``tag`` matches three forms: a tag that follows the standard; a tag at the start of a line, with
# unescaped quotes in its value, if another tag or the end of the line follows; and other text in brackets.
_TOKEN = re.compile(
    rf"""
    (?P<skip>^(?:%[^\r\n]*|>(?:>>)?(?=\s)))
    |(?P<result>(?:1-0|0-1|1/2-1/2|½-½|\*)(?![\w/-]))
    |(?P<number>[0-9]{{1,4}}\s?\.{{1,3}}(?:\s?\.{{2,3}})?|\.{{2,3}}|…)
    |(?P<move>{_SAN})(?=$|[\s!?$(){{}};,.…*|`])
    |(?P<nag>\$[0-9]{{1,3}}|[!?]{{1,2}})
    |(?P<open>\{{[^}}]*(?P<close>\}})?)
    |(?P<line>;[^\r\n]*)
    |(?P<book>//[^\r\n]*)
    |(?P<begin>\()
    |(?P<end>\))
    |(?P<tag>
        \[[^\S\r\n]*{_TAG_NAME}[^\S\r\n]+"(?:\\.|[^"\\\r\n])*"[^\S\r\n]*\]
        |^\[[^\S\r\n]*{_TAG_NAME}[^\S\r\n]+"[^\r\n]*?"[^\S\r\n]*\](?=[^\S\r\n]*(?:$|\r|\[{_TAG_NAME}[^\S\r\n]+"))
        |\[(?:"(?:\\.|[^"\\\r\n])*(?:"|$)|[^\[\]"\r\n]|\[(?!{_TAG_NAME}[^\S\r\n]+"))*\]?
    )
    |(?P<other>[^\s(){{}};|`]+|\S)
    """,
    re.VERBOSE | re.MULTILINE,
)
_NAG_BY_GLYPH = {glyph: number for number, glyph in GLYPH_BY_NAG.items()}
_COMMENT_SLICES: Mapping[TokenKind, slice] = {
    "comment": slice(1, -1),
    "line": slice(1, None),
    "book": slice(2, None),
}
"""For each kind of comment, the part of the token without its delimiters."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of movetext."""

    kind: TokenKind
    source: TextPiece

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def comment(self) -> str:
        """The text of a comment, on one line."""
        return " ".join(self.text[_COMMENT_SLICES[self.kind]].split())

    @property
    def nag(self) -> int:
        return _NAG_BY_GLYPH.get(self.text) or int(self.text.removeprefix("$") or 0)


def scan_tokens(text: str, start: int = 0) -> Iterator[tuple[TokenKind, int, int]]:
    """Yield the kind, start and end of each token from offset ``start``, in linear time.

    Skip lines that start with ``%``, which PGN reserves for programs, and the marks of quoted lines (``>``).
    """
    for match in _TOKEN.finditer(text, start):
        name = match.lastgroup or "other"
        if name != "skip":
            # ``close`` is a group inside ``open``.
            is_closed_comment = name == "close" or (name == "open" and match["close"])
            yield cast(TokenKind, "comment" if is_closed_comment else name), match.start(), match.end()


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    return (
        Token(kind, TextPiece(text[begin:end], begin, text)) for kind, begin, end in scan_tokens(text, start)
    )


_NAME_FORM = r"[A-Za-z0-9][A-Za-z0-9_+#=:-]{0,254}"
_NAME = re.compile(_NAME_FORM)
_WELL_QUOTED = re.compile(rf"\[\s*(?P<name>{_NAME_FORM})\s+\"(?P<value>(?:\\.|[^\"\\\r\n])*)\"\s*\]?")
_TAG = re.compile(rf"\[\s*(?P<name>{_NAME_FORM})\s+(?P<value>[^\s\]][^\r\n]*)")
_ESCAPED_QUOTE = re.compile(r"\\([\"\\])")
_QUOTE_CHARACTERS = "'`´‘’‚“”„«»‹› "
SPECIAL_TAGS = frozenset({"FEN", "SetUp", "Result"})
"""The tags for the starting position and the result, which are stored separately."""


Quotes = Literal["standard", "odd", "open", "none"]
"""The quotes around the value of a tag.

``standard`` follows the standard, ``odd`` has unescaped quotes inside or text after the closing quote, ``open``
lacks the closing quote, and ``none`` has no opening double quote.
"""


@dataclass(frozen=True, slots=True)
class Tag:
    """A PGN tag."""

    name: str
    value: TextPiece
    """The unescaped value."""
    quotes: Quotes

    def warn_about_quotes(self, warnings: Warnings) -> None:
        if self.quotes == "open":
            warnings.add("pgn-quote", "the tag's closing quote is missing", self.value.end)
        elif self.quotes != "standard":
            warnings.add(
                "pgn-quotes",
                "the value of {tag} isn't properly quoted; read as {value!r}",
                self.value.offset,
                tag=self.name[:40],
                value=self.value.text[:60],
            )


def is_ordinary_tag_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in SPECIAL_TAGS


def read_tag(line: TextPiece) -> Tag | None:
    """Read a tag, or return None if it has no name or no value.

    A value in double quotes ends at the last quote, and may contain unescaped quotes. Without an opening double
    quote, the value is all text after the name, without other quotes around it.
    """
    match = _WELL_QUOTED.fullmatch(line.text)
    if match is not None:
        return Tag(match["name"], _unescape(line.part(*match.span("value"))), "standard")
    match = _TAG.match(line.text)
    if match is None:
        return None
    value = line.part(*match.span("value"))
    if value.text[0] != '"':
        return Tag(
            match["name"],
            _unescape(
                value.part(0, len(value.text.rstrip(f"] {_QUOTE_CHARACTERS}"))).strip(_QUOTE_CHARACTERS)
            ),
            "none",
        )
    last_quote = value.text.rfind('"')
    if last_quote:
        return Tag(match["name"], _unescape(value.part(1, last_quote)), "odd")
    return Tag(match["name"], _unescape(value.part(1, len(value.text.rstrip(" ]")))), "open")


def _unescape(value: TextPiece) -> TextPiece:
    return value._replace(text=_ESCAPED_QUOTE.sub(r"\1", value.text))


MAX_MOVES = 10_000
"""Maximum number of moves, including variations. Reading a move takes 0.1 ms."""
MAX_DEPTH = 20

_DIGITS = re.compile(r"[0-9]+")

FIRST_MOVE_NUMBER = re.compile(r"1\s?\.")
BLACK_FIRST_MOVE_NUMBER = re.compile(r"1\s?\.\s?\.{2,}|1\.\s*…")
_MAX_INDENT = 40


def is_first_on_line(text: str, start: int) -> bool:
    """Return whether only spaces and the marks of quotes, tables and code precede an offset on its line."""
    before = text[max(0, start - _MAX_INDENT) : start].rstrip(" \t>`|\ufeff")
    return not before or before[-1] in "\r\n"


MoveReader: TypeAlias = "Callable[[chess.Board, TextPiece], tuple[chess.Move, str]]"
"""Returns the move and its standard notation."""


@lru_cache(maxsize=4096)
def _bare_move(san: str, uci: str) -> ChessMove:
    """Return a move without remarks. Equal moves share a cached object, so pickles of many games are smaller."""
    return ChessMove(san, uci)


@dataclass(slots=True)
class _Line:
    board: chess.Board
    moves: list[ChessMove] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    nags: set[int] = field(default_factory=set)
    variations: list[tuple[ChessMove, ...]] = field(default_factory=list)

    def attach_remarks(self) -> None:
        if self.comments or self.nags or self.variations:
            self.moves[-1] = replace(
                self.moves[-1],
                comment=" ".join(self.comments),
                nags=tuple(sorted(self.nags)),
                variations=tuple(self.variations),
            )
            self.comments, self.nags, self.variations = [], set(), []


class LineReader:
    """Plays the moves in a game, token by token."""

    def __init__(self, board: chess.Board, warnings: Warnings, read: MoveReader = read_move) -> None:
        self.comment = ""
        """The comment before the first move."""
        self._open_lines = [_Line(board)]  # the main line and the variations being read
        self._warnings = warnings
        self._read = read
        self._total_move_count = 0
        self._skipped_depth = 0
        """0, or, while the rest of a variation is skipped, 1 plus the number of parentheses open in that rest."""
        self._shift: int | None = None  # the last move number in the text, minus the board's move number
        self._open_parentheses: list[TextPiece] = []  # the opening parentheses of the variations being read

    @property
    def move_count(self) -> int:
        """Number of moves in the main line."""
        return len(self._open_lines[0].moves)

    def moves(self) -> tuple[ChessMove, ...]:
        """Return the main line with its variations. Must be called after the last token."""
        while len(self._open_lines) > 1:
            self._attach(self._open_lines.pop())
        line = self._open_lines[0]
        if line.moves:
            line.attach_remarks()
        else:
            self.comment = " ".join(line.comments)
        return tuple(line.moves)

    def take(self, token: Token) -> None:
        """Take the next token.

        Raises:
            DomainError: a move of the main line cannot be played, the main line contains other text, a comment
                is not closed, or there are too many moves.

        """
        line = self._open_lines[-1]
        match token.kind:
            case "begin":
                self._begin_variation(token.source)
            case "end":
                self._end_variation(token.source)
            case "open":
                raise token.source.part(0, 1).parse_error(
                    "comment-open", "the comment that starts here is not closed"
                )
            case _ if self._skipped_depth:
                pass
            case "move":
                self._take_move(token.source)
            case "comment" | "line" | "book":
                line.comments += filter(None, [token.comment])
            case "nag" if line.moves:
                line.nags.add(token.nag)
            case "nag":
                self._warnings.add(
                    "annotation-first",
                    "an annotation before the first move is left out: {annotation}",
                    token.source.offset,
                    annotation=token.text,
                )
            case "number":
                self._take_number(token.source)
            case "other" | "tag":
                error = token.source.parse_error(
                    "move-form", "{move!r} is not a chess move", move=token.text[:30]
                )
                self._raise_or_skip(error, token.source)

    def warn_about_open_variations(self) -> None:
        if self._open_parentheses:
            self._warnings.add(
                "variation-open",
                "the variation that starts here is not closed",
                self._open_parentheses[0].offset,
            )

    def _take_move(self, token: TextPiece) -> None:
        self._count_move(token)
        line = self._open_lines[-1]
        try:
            move, san = self._read(line.board, token)
        except DomainError as error:
            self._raise_or_skip(error, token)
            return
        chess_move = _bare_move(san, move.uci())
        if line.moves:
            line.attach_remarks()
        elif line.comments:
            comment, line.comments = " ".join(line.comments), []
            if len(self._open_lines) > 1:
                chess_move = replace(chess_move, comment_before=comment)
            else:
                self.comment = comment
        line.board.push(move)
        line.moves.append(chess_move)

    def _count_move(self, token: TextPiece) -> None:
        self._total_move_count += 1
        if self._total_move_count > MAX_MOVES:
            raise token.rule_error(
                "too-many-moves", "only the first {limit:,} moves are read", limit=MAX_MOVES
            )

    def _take_number(self, token: TextPiece) -> None:
        """Warn about a move number out of order. The first number may be any number."""
        digits = _DIGITS.match(token.text)
        if digits is None or len(self._open_lines) > 1:
            return
        number = int(digits[0])
        shift = number - self._open_lines[0].board.fullmove_number
        if self._shift not in (None, shift):
            self._warnings.add(
                "move-number", "the move number {number} is out of order", token.offset, number=number
            )
        self._shift = shift

    def _begin_variation(self, token: TextPiece) -> None:
        line = self._open_lines[-1]
        if self._skipped_depth:
            self._skipped_depth += 1
            return
        self._count_move(token)
        board = line.board
        if not line.moves or len(self._open_lines) > MAX_DEPTH:
            self._warnings.add(
                "variation-passed-over",
                "a variation before the first move is ignored"
                if not line.moves
                else "a variation nested too deeply is ignored",
                token.offset,
            )
            self._skipped_depth = 1
        else:
            board = board.copy(stack=1)
            board.pop()
        self._open_lines.append(_Line(board))
        self._open_parentheses.append(token)

    def _end_variation(self, token: TextPiece) -> None:
        if self._skipped_depth > 1:
            self._skipped_depth -= 1
            return
        self._skipped_depth = 0
        if len(self._open_lines) == 1:
            self._warnings.add("variation-end", "this parenthesis doesn't close a variation", token.offset)
            return
        parenthesis, line = self._open_parentheses.pop(), self._open_lines.pop()
        if line.comments and not line.moves:
            self._warnings.add("variation-empty", "a variation without moves is left out", parenthesis.offset)
        self._attach(line)

    def _attach(self, line: _Line) -> None:
        """Attach a line, and the variations on its first move, to the last move of the enclosing line."""
        if line.moves:
            line.attach_remarks()
            first_move, *later_moves = line.moves
            bare_first_move = replace(first_move, variations=()) if first_move.variations else first_move
            self._open_lines[-1].variations += [(bare_first_move, *later_moves), *first_move.variations]

    def _raise_or_skip(self, error: DomainError, token: TextPiece) -> None:
        if len(self._open_lines) == 1:
            raise error
        self._warnings.add(error.code, error.template, token.offset, **error.values)
        self._skipped_depth = 1
