"""Chess puzzles in chat, from the library and from posted files."""

from __future__ import annotations

from abc import ABC, abstractmethod

from bot.chat.card import MAX_CHOICES, Choice, Drawing, ReplyContext
from bot.chat.markdown import escape, escape_line
from bot.domain.chess.documents import Puzzle
from bot.domain.chess.moves import legal_moves_by_start
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import (
    MoveAttempt,
    SolutionLines,
    line_text,
    position_after,
    solution_lines,
    try_move,
)
from bot.domain.reading.problems import RuleError
from bot.features.puzzles.cards import Verdict
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.controls import FIRST_TARGET_MENU, MoveMenu
from bot.features.puzzles.selection import PuzzleRequest
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.texts import chess_alt_text, piece_text, squares_of
from bot.text import Translator


def legal_move_menus(
    request: PuzzleRequest, position: ChessPosition, start: str, translate: Translator
) -> tuple[MoveMenu, ...]:
    """Return the menus for choosing a legal move.

    ``start`` is the square of the chosen piece, a piece to drop such as ``N@``, or empty.
    """
    moves_by_start = legal_moves_by_start(position)
    start = start if start in moves_by_start else ""
    pieces = [Choice(square, _piece_label(square, position, translate)) for square in moves_by_start]
    moves = [_target_choice(uci, position, translate) for uci in moves_by_start.get(start, ())]
    return tuple(
        MoveMenu(
            request.puzzle_id,
            start,
            number,
            request.level,
            request.theme,
            tuple(choices[first : first + MAX_CHOICES]),
        )
        for first_number, choices in ((0, pieces), (FIRST_TARGET_MENU, moves))
        for number, first in enumerate(range(0, len(choices), MAX_CHOICES), start=first_number)
    )


def _piece_label(start: str, position: ChessPosition, translate: Translator) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, translate).strip()
    return piece_text(position.piece_on(start).upper(), start, 1, translate)


def _target_choice(uci: str, position: ChessPosition, translate: Translator) -> Choice:
    square, promotion = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(promotion.upper(), '', 1, translate).strip()}" if promotion else square
    captured_piece = position.piece_on(square).upper()
    return Choice(
        uci, label, f"× {piece_text(captured_piece, square, 1, translate)}" if captured_piece else ""
    )


_LINE_FACTOR = 256
"""Greater than the number of moves in any line."""


class _ShownChessPuzzleBase(ABC):
    """A puzzle that is solved move by move. A move is correct if it continues a line of the solution, or mates.

    ``progress_code`` is :data:`_LINE_FACTOR` times the index of the line, plus the number of moves played.
    """

    start: ChessPosition
    rating: int | None = None
    _half_moves_per_move = 1
    """Half-moves that count as one move in ``progress_code``: 2 if the line starts with a move by the opponent."""

    @abstractmethod
    def _lines(self) -> SolutionLines: ...

    def _decode(self, progress_code: int) -> tuple[int, int]:
        """Return the index of the line, and the number of half-moves played."""
        line_index, moves = divmod(progress_code, _LINE_FACTOR)
        return line_index, (moves + 1) * self._half_moves_per_move - 1

    def drawing(self, progress_code: int, context: ReplyContext) -> Drawing:
        position, white_at_bottom = self.position(progress_code), self.position(0).white_to_move
        translate, squares, intro = context.translate, squares_of(position.known_last_move), ""
        if len(squares) == 2:
            intro = translate("The last move went from {start} to {end}.", start=squares[0], end=squares[1])
            scene = chess_scene(
                position, context, white_at_bottom=white_at_bottom, arrows={(squares[0], squares[1]): ""}
            )
        else:
            scene = chess_scene(
                position, context, white_at_bottom=white_at_bottom, circles=dict.fromkeys(squares, "")
            )
        return Drawing(scene, chess_alt_text(position, translate, intro), name="puzzle")

    def position(self, progress_code: int) -> ChessPosition:
        line_index, played_count = self._decode(progress_code)
        return position_after(self.start, self._lines(), played_count, line_index)

    def hints(self, progress_code: int, translate: Translator) -> tuple[str, ...]:
        (line_index, played_count), lines = self._decode(progress_code), self._lines()
        remaining_moves = lines[line_index][played_count:] if line_index < len(lines) else ()
        if not remaining_moves:
            return ()
        *start, end = squares_of(remaining_moves[0])
        start_hints = tuple(translate("The piece on {square} moves.", square=square) for square in start)
        return (*start_hints, translate("The best move ends on {square}.", square=end))

    def judge(self, progress_code: int, text: str, translate: Translator) -> Verdict:
        """Judge a move.

        Raises:
            DomainError: the text is not a legal move, or the solution is written in words.

        """
        line_index, played_count = self._decode(progress_code)
        attempt = try_move(self.start, self._lines(), text, played_count, line_index)
        if attempt.is_right is None:
            raise RuleError(
                "puzzle-words",
                "{move} is legal, but the solution is written in words and can't be compared with it",
                move=attempt.san,
            )
        progress_code = attempt.line_index * _LINE_FACTOR + attempt.played_count // self._half_moves_per_move
        return Verdict(_verdict_text(attempt, translate), attempt.is_right, progress_code, attempt.is_solved)


class ShownChessPuzzle(_ShownChessPuzzleBase):
    """A puzzle from the library, with one line."""

    _half_moves_per_move = 2

    def __init__(self, puzzle: ChessPuzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.line.start
        self.rating = puzzle.rating

    def _lines(self) -> SolutionLines:
        return (self._puzzle.line.moves,)

    def question(self, translate: Translator) -> tuple[str, str]:
        return "lichess", position_line(self.position(0), translate)

    def solution(self, context: ReplyContext) -> tuple[str, Drawing]:
        puzzle, translate = self._puzzle, context.translate
        answer = translate("**Solution: {answer}**", answer=escape(line_text(puzzle.line)))
        return f"{answer}\n<{puzzle.url}>", _first_move_drawing(
            self.position(0), puzzle.line.moves[1], context
        )


_MAX_SOLUTION_LENGTH = 900
"""Short enough for a message even if every character is escaped."""


class ShownPostedPuzzle(_ShownChessPuzzleBase):
    """A position with its solution, from a posted file."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.position

    def _lines(self) -> SolutionLines:
        return solution_lines(self.start, self._puzzle.solution_text)

    def question(self, translate: Translator) -> tuple[str, str]:
        return position_line(self.start, translate), "\n".join(
            escape_line(text) for text in self._puzzle.description if text
        )

    def solution(self, context: ReplyContext) -> tuple[str, Drawing]:
        text = context.translate(
            "**Solution: {answer}**", answer=escape(self._puzzle.solution_text, _MAX_SOLUTION_LENGTH)
        )
        first_move = next(iter(self._lines()), ("",))[0]
        return text, _first_move_drawing(self.start, first_move, context)


def _first_move_drawing(position: ChessPosition, move: str, context: ReplyContext) -> Drawing:
    translate, intro = context.translate, ""
    if squares := squares_of(move):
        start, end = squares[0], squares[-1]
        intro = (
            translate("The best move ends on {square}.", square=end)
            if len(squares) == 1  # a drop
            else translate("The best move goes from {start} to {end}.", start=start, end=end)
        )
    return Drawing(
        chess_scene(position, context, white_at_bottom=position.white_to_move, proposed_move=move),
        chess_alt_text(position, translate, intro),
        name="solution",
    )


def _verdict_text(attempt: MoveAttempt, translate: Translator) -> str:
    san = escape(attempt.san)
    if attempt.is_solved:
        return san
    if attempt.is_right:
        return translate(
            "✅ {move} is right. Your opponent answers {reply}. What next?",
            move=f"**{san}**",
            reply=f"**{escape(attempt.reply)}**",
        )
    return translate("❌ **{word}** isn't the answer.", word=san)
