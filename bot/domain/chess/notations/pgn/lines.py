"""Playing movetext on a board: the main line, and variations in it to any depth that makes sense."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import chess

from bot.domain.chess.game import ChessMove
from bot.domain.chess.moves import Played, read_move
from bot.domain.chess.notations.pgn.movetext import Kind, Sign
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import DomainError, Warnings

MAX_MOVES = 10_000
"""Moves read of one game, variations included: a bound on the time it takes (0.1 ms each)."""
MAX_DEPTH = 20
"""Variations within variations."""

_DIGITS = re.compile(r"[0-9]+")

MoveReader = Callable[[chess.Board, Piece], Played]


@dataclass(slots=True)
class _Node:
    played: Played
    before: str
    comments: list[str] = field(default_factory=list)
    nags: list[int] = field(default_factory=list)
    variations: list[list[_Node]] = field(default_factory=list)

    def frozen(self) -> ChessMove:
        if not (self.comments or self.before or self.nags or self.variations):
            return _bare(self.played)
        return ChessMove(
            self.played.san,
            self.played.move.uci(),
            " ".join(self.comments),
            self.before,
            tuple(sorted(set(self.nags))),
            tuple(_frozen(line) for line in self.variations if line),
        )


@lru_cache(maxsize=4096)
def _bare(played: Played) -> ChessMove:
    """Return a move that nothing is said of. Openings have the same ones: one value for each is less to send around."""
    return ChessMove(played.san, played.move.uci())


def _frozen(line: list[_Node]) -> tuple[ChessMove, ...]:
    return tuple(node.frozen() for node in line)


def _attach(line: list[_Node], variation: list[_Node]) -> None:
    """Make a line a variation of the last move. What could be played for its own first move is a further one."""
    if variation:
        first = variation[0]
        line[-1].variations += [variation, *first.variations]
        first.variations = []


@dataclass(slots=True)
class _Frame:
    """A line that is being read."""

    board: chess.Board
    line: list[_Node] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    """Comments before the first move."""


class LineReader:
    """Takes the signs of a game one by one. The board is played on."""

    def __init__(self, board: chess.Board, warnings: Warnings, read: MoveReader = read_move) -> None:
        self._frames = [_Frame(board)]
        self._warnings = warnings
        self._read = read
        self._moves = 0
        self._skipped = 0  # depth of what is passed over, within the last frame
        self._shift: int | None = None
        self._opened: list[Piece] = []

    @property
    def comment(self) -> str:
        """What was said before the first move."""
        return " ".join(self._frames[0].pending)

    @property
    def count(self) -> int:
        """How many moves the main line has so far."""
        return len(self._frames[0].line)

    def moves(self) -> tuple[ChessMove, ...]:
        """Return the main line with its variations."""
        for inner, outer in zip(reversed(self._frames[1:]), reversed(self._frames[:-1]), strict=True):
            _attach(outer.line, inner.line)
        del self._frames[1:]
        return _frozen(self._frames[0].line)

    def take(self, sign: Sign) -> None:
        """Take the next sign.

        Raises:
            DomainError: a move of the main line cannot be played, there are too many, or the sign means nothing.

        """
        if sign.kind is Kind.BEGIN:
            self._begin(sign)
        elif sign.kind is Kind.END:
            self._end(sign)
        elif sign.kind is Kind.OPEN_COMMENT:
            raise sign.token.part(0, 1).malformed("comment-open", "a comment starts here and does not end")
        elif not self._skipped:
            self._take_inner(sign)

    def _take_inner(self, sign: Sign) -> None:
        match sign.kind:
            case Kind.MOVE:
                self._move(sign.token)
            case Kind.COMMENT | Kind.LINE_COMMENT | Kind.BOOK_COMMENT:
                self._comment(sign.comment)
            case Kind.NAG:
                self._annotate(sign)
            case Kind.NUMBER:
                self._number(sign.token)
            case Kind.OTHER | Kind.TAG:
                error = sign.token.malformed("move-form", "{move!r} is no chess move", move=sign.text[:30])
                self._fault(error, sign.token)
            case _:
                pass  # a result ends the game, or a variation

    def finish(self) -> None:
        """Note what is still open at the end."""
        if self._opened:
            self._warnings.add(
                "variation-open", "a variation starts here and does not end", self._opened[0].offset
            )

    def _move(self, token: Piece) -> None:
        frame = self._frames[-1]
        self._count(token)
        try:
            played = self._read(frame.board, token)
        except DomainError as error:
            self._fault(error, token)
            return
        before = " ".join(frame.pending) if len(self._frames) > 1 and not frame.line else ""
        frame.board.push(played.move)
        frame.line.append(_Node(played, before))

    def _count(self, token: Piece) -> None:
        self._moves += 1
        if self._moves > MAX_MOVES:
            raise token.illegal("too-many-moves", "only the first {most:,} moves are read", most=MAX_MOVES)

    def _comment(self, text: str) -> None:
        frame = self._frames[-1]
        if text:
            (frame.line[-1].comments if frame.line else frame.pending).append(text)

    def _annotate(self, sign: Sign) -> None:
        if self._frames[-1].line:
            self._frames[-1].line[-1].nags.append(sign.nag)
        else:
            self._warnings.add(
                "annotation-first",
                "an annotation before the first move is not kept: {sign}",
                sign.token.offset,
                sign=sign.text,
            )

    def _number(self, token: Piece) -> None:
        """Note a move number out of order. Games from a position are numbered from 1 or from its own number."""
        found = _DIGITS.match(token.text)
        digits = found[0] if found else ""
        if not digits or len(self._frames) > 1:
            return
        shift = int(digits) - self._frames[0].board.fullmove_number
        if self._shift is None:
            self._shift = shift
        elif shift != self._shift:
            self._shift = shift
            self._warnings.add(
                "move-number", "the move number {number} is out of order", token.offset, number=int(digits)
            )

    def _begin(self, sign: Sign) -> None:
        frame = self._frames[-1]
        if self._skipped:
            self._skipped += 1
            return
        self._count(sign.token)
        if not frame.line or len(self._frames) > MAX_DEPTH:
            self._warnings.add(
                "variation-passed-over",
                "a variation is passed over: no move comes before it"
                if not frame.line
                else "a variation is passed over: it is too deep in others",
                sign.token.offset,
            )
            self._skipped = 1
            self._frames.append(_Frame(frame.board))
        else:
            board = frame.board.copy(stack=1)
            board.pop()
            self._frames.append(_Frame(board))
        self._opened.append(sign.token)

    def _end(self, sign: Sign) -> None:
        if self._skipped > 1:
            self._skipped -= 1
            return
        self._skipped = 0
        if len(self._frames) == 1:
            self._warnings.add("variation-end", "a variation ends here that did not start", sign.token.offset)
            return
        inner = self._frames.pop()
        opened = self._opened.pop()
        if inner.pending and not inner.line:
            self._warnings.add("variation-empty", "a variation without moves is not kept", opened.offset)
        _attach(self._frames[-1].line, inner.line)

    def _fault(self, error: DomainError, token: Piece) -> None:
        """Stop at what is wrong in the main line; of a variation, pass over the rest."""
        if len(self._frames) == 1:
            raise error
        self._warnings.add(error.code, error.template, token.offset, **error.values)
        self._skipped = 1
