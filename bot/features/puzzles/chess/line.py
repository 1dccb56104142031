"""A puzzle of chess that is one line: the board after the opponent's move, what a move comes to, and the solution."""

from __future__ import annotations

from bot.chat.markdown import escape
from bot.chat.reply import Drawing
from bot.chat.style import Style
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import Attempt, line_text, position_at
from bot.features.puzzles.chess.lichess import ChessPuzzle
from bot.features.puzzles.puzzle_card import Question, stars_text
from bot.features.puzzles.stars import Progress
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, squares_of
from bot.text import Speaker


def question(puzzle: ChessPuzzle, say: Speaker) -> Question:
    """Say who is to move, and what the last move was."""
    return Question("lichess", puzzle.rating, position_line(position_at(puzzle.line, 0), say))


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
    return f"{say('**Solution: {answer}**', answer=answer)}\n<{puzzle.url}>"
