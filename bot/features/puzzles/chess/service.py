"""Chess puzzles: the card, moves as menus, hints and solutions, of the library and of posted files."""

from __future__ import annotations

from bot.chat.card import Drawing
from bot.chat.markdown import escape
from bot.chat.moment import Choice
from bot.chat.style import Style
from bot.domain.chess.documents import Puzzle
from bot.domain.chess.moves import moves_by_piece
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import Attempt, line_text, position_at, try_line, ways
from bot.features.puzzles.cards import Question, Setting, Verdict, rating_text, stars_text
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.controls import Pick, move_menus
from bot.features.puzzles.rating import Progress
from bot.features.puzzles.wanted import Wanted
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, piece_text, squares_of
from bot.text import Speaker


def moves_of_piece(wanted: Wanted, position: ChessPosition, start: str, say: Speaker) -> tuple[Pick, ...]:
    """Return the menus of the possible moves; ``start`` is the square or the piece to drop that is chosen, if one is."""
    found = moves_by_piece(position)
    pieces = tuple(Choice(one, _piece(one, position, say)) for one in found)
    if start not in found:
        return move_menus(wanted, pieces)
    moves = tuple(_target(uci, position, say) for uci in found[start])
    return move_menus(wanted, pieces, start, moves)


def _piece(start: str, position: ChessPosition, say: Speaker) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, say).strip()
    return piece_text(_at(start, position), start, 1, say)


def _target(uci: str, position: ChessPosition, say: Speaker) -> Choice:
    square, becomes = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(becomes.upper(), '', 1, say).strip()}" if becomes else square
    taken = _at(square, position)
    return Choice(uci, label, f"× {piece_text(taken, square, 1, say)}" if taken else "")


def _at(square: str, position: ChessPosition) -> str:
    """Return the capital letter of the piece on a square; nothing where there is none."""
    return position.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")].upper()


def question(puzzle: ChessPuzzle, say: Speaker) -> Question:
    """Say who is to move, and what the last move was."""
    return Question("lichess", position_line(position_at(puzzle.line, 0), say))


def card_drawing(puzzle: ChessPuzzle, style: Style, done: int = 0) -> Drawing:
    """Return the board after so many right moves, the solver below and the opponent's last move as an arrow."""
    below = position_at(puzzle.line, 0).white_to_move
    return answered_drawing(position_at(puzzle.line, done), style, white_below=below)


def answered_drawing(position: ChessPosition, style: Style, *, white_below: bool) -> Drawing:
    """Return a puzzle's board after the opponent's move, which is an arrow; a dropped piece is circled."""
    say, squares, lead = style.say, squares_of(position.known_move), ""
    if len(squares) == 2:
        lead = say("The last move went from {start} to {end}.", start=squares[0], end=squares[1])
        scene = chess_scene(position, style, white_below=white_below, arrows={(squares[0], squares[1]): ""})
    else:
        scene = chess_scene(position, style, white_below=white_below, circles=dict.fromkeys(squares, ""))
    return Drawing(scene, chess_alt_text(position, say, lead), name="puzzle")


def solution_drawing(puzzle: ChessPuzzle, style: Style) -> Drawing:
    """Return the board that the solver saw first, with the first move of the solution as an arrow that stands out."""
    return first_move_drawing(position_at(puzzle.line, 0), puzzle.line.moves[1], style)


def first_move_drawing(position: ChessPosition, move: str, style: Style) -> Drawing:
    """Return the board that the solver saw first, with a move in UCI as an arrow that stands out, if there is one."""
    say, lead = style.say, ""
    if squares := squares_of(move):
        start, end = squares[0], squares[-1]
        lead = say("The best move goes from {start} to {end}.", start=start, end=end)
    scene = chess_scene(position, style, white_below=position.white_to_move, best=move)
    return Drawing(scene, chess_alt_text(position, say, lead), name="solution")


def hints(puzzle: ChessPuzzle, done: int, say: Speaker) -> tuple[str, ...]:
    """Return what may be told of the next move, step by step."""
    return move_hints(puzzle.line.moves[min(2 * done + 1, len(puzzle.line.moves) - 1)], say)


def move_hints(move: str, say: Speaker) -> tuple[str, ...]:
    """Tell of a move in UCI from where it goes, then where to."""
    *start, end = squares_of(move)
    moved = tuple(say("It moves the piece on {square}.", square=square) for square in start)
    return (*moved, say("It goes to {square}.", square=end))


def attempt_text(attempt: Attempt, progress: Progress, say: Speaker) -> str:
    """Say what a move comes to."""
    san = escape(attempt.san)
    if attempt.solved:
        return say("✅ **{answer}** – solved! {stars}", answer=san, stars=stars_text(progress))
    if attempt.right:
        return say(
            "✅ {move} is right. {reply} is the answer; what now?",
            move=f"**{san}**",
            reply=f"**{escape(attempt.reply)}**",
        )
    return say("❌ **{word}** is not it.", word=san)


def solution_text(puzzle: ChessPuzzle, say: Speaker) -> str:
    """Say the line and where the puzzle is from."""
    answer = escape(line_text(puzzle.line))
    head = say("**Solution: {answer}**", answer=answer)
    return f"{head}\n<{puzzle.url}>\n{rating_text(puzzle.rating, say)}"


_MAX_SOLUTION = 900
"""Characters of a solution that are told: with what else is said of it, and escaped, they fit into a message."""


def posted_hints(puzzle: Puzzle, done: int, way: int, say: Speaker) -> tuple[str, ...]:
    """Return what may be told of the next move of a way through the solution, step by step."""
    lines = ways(puzzle.position, puzzle.solution_text)
    line = lines[way] if way < len(lines) else ()
    return move_hints(line[done].uci, say) if done < len(line) else ()


def posted_solution_text(puzzle: Puzzle, say: Speaker) -> str:
    """Say the solution as the file has it, of a very long one the beginning."""
    return say("**Solution: {answer}**", answer=escape(puzzle.solution_text, _MAX_SOLUTION))


def posted_solution_drawing(puzzle: Puzzle, style: Style) -> Drawing:
    """Return the board with the first move of the solution, if it is made of moves."""
    lines = ways(puzzle.position, puzzle.solution_text)
    return first_move_drawing(puzzle.position, lines[0][0].uci if lines else "", style)


class ChessSolving(Setting[ChessPuzzle, Attempt]):
    """Takes the move of the line, and every mate; ``done`` counts the solver's moves."""

    def question(self, puzzle: ChessPuzzle, say: Speaker) -> Question:
        """Return what is asked."""
        return question(puzzle, say)

    def drawing(self, puzzle: ChessPuzzle, style: Style) -> Drawing:
        """Return the board after the opponent's move."""
        return card_drawing(puzzle, style)

    def hints(self, puzzle: ChessPuzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell from where the next move goes, then where to."""
        return hints(puzzle, done, say)

    def position(self, puzzle: ChessPuzzle, done: int) -> ChessPosition:
        """Return the position after so many right moves."""
        return position_at(puzzle.line, done)

    def judge(self, puzzle: ChessPuzzle, done: int, typed: str) -> Verdict[Attempt]:
        """Try a move."""
        attempt = try_line(puzzle.line, done, typed)
        right = attempt.right is True
        return Verdict(attempt, right, done + right, attempt.solved)

    def told(self, puzzle: ChessPuzzle, verdict: Verdict[Attempt], progress: Progress, say: Speaker) -> str:
        """Tell the opponent's answer to a right move, too."""
        del puzzle
        return attempt_text(verdict.answer, progress, say)

    def after(self, puzzle: ChessPuzzle, done: int, style: Style) -> Drawing:
        """Return the board after the opponent's answer."""
        return card_drawing(puzzle, style, done)

    def solution(self, puzzle: ChessPuzzle, style: Style) -> tuple[str, Drawing]:
        """Return the line, and the board with its first move."""
        return solution_text(puzzle, style.say), solution_drawing(puzzle, style)
