"""The answer with one of a file's puzzles, and what is told of its solution."""

from __future__ import annotations

from bot.chat.markdown import behind_bars, escape, escape_line
from bot.chat.offers import Choice, CopyOffer, Moment, Viewer
from bot.chat.page import MAX_LABEL, told, window
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.chess.documents import Puzzle, PuzzleSet
from bot.domain.chess.solution import ways
from bot.features.puzzles.chess.line import first_move_drawing, move_hints
from bot.features.puzzles.controls import puzzle_controls
from bot.features.puzzles.wanted import Kind, Wanted, posted_name
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.page import Page, is_white_below, turned
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, to_move_text
from bot.text import Speaker

_MAX_SOLUTION = 900
"""Characters of a solution that are told: with what else is said of it, and escaped, they fit into a message."""


def answer_puzzle(puzzles: PuzzleSet, page: Page) -> Reply:
    """Show one of a set's puzzles: the position, the description, the solution behind bars."""
    moment, say = page.moment, page.style.say
    puzzle = puzzles.puzzles[moment.turn]
    position = puzzle.position
    count = len(puzzles.puzzles)
    white_below = is_white_below(moment, otherwise=position.white_to_move)
    blocks = [puzzle_text(puzzle, moment.turn + 1, count, say), *page.remarks]
    if puzzle.solution_text.strip():
        # Bars within the bars of a hidden set would end them.
        solution = escape(puzzle.solution_text)
        hidden = solution if moment.spoiler else behind_bars(solution)
        blocks.append(say("Solution: {solution}", solution=hidden))
    lead = say("Puzzle {number} of {puzzles}.", number=moment.turn + 1, puzzles=count)
    scene = chess_scene(position, page.style, white_below=white_below)
    places, earlier, later = window(count, page.around)
    viewer = Viewer(
        moment,
        count - 1,
        say("Go to puzzle"),
        tuple(_puzzle_choice(puzzles.puzzles[index], index, moment, say) for index in places)
        if count > 1
        else (),
        earlier=earlier,
        later=later,
        flipped=turned(moment, white_below=white_below),
    )
    wanted = Wanted(Kind.CHESS, posted_name(moment.digest, moment.turn))
    solve = puzzle_controls(wanted, goes_on=False) if puzzle.solution_text.strip() else ()
    controls = (viewer, *page.offers, *solve, CopyOffer(moment))
    drawing = Drawing(scene, chess_alt_text(position, say, lead), spoiler=moment.spoiler)
    return Reply(told(blocks, moment), (drawing,), controls=controls)


def puzzle_text(puzzle: Puzzle, number: int, puzzles: int, say: Speaker) -> str:
    """Say which puzzle of how many it is, who is to move, and its description, a line each."""
    which = say("**Puzzle {number} of {puzzles}**", number=number, puzzles=puzzles)
    return "\n".join(
        [
            f"{which} · {position_line(puzzle.position, say)}",
            *(escape_line(text) for text in puzzle.description if text),
        ]
    )


def _puzzle_choice(puzzle: Puzzle, index: int, moment: Moment, say: Speaker) -> Choice:
    label = say("Puzzle {number}", number=index + 1)
    if moment.spoiler:
        return Choice(str(index), label)
    told = " · ".join(text for text in puzzle.description if text)
    return Choice(str(index), label, (told or to_move_text(puzzle.position, say))[:MAX_LABEL])


def hints(puzzle: Puzzle, done: int, way: int, say: Speaker) -> tuple[str, ...]:
    """Return what may be told of the next move of a way through the solution, step by step."""
    lines = ways(puzzle.position, puzzle.solution_text)
    line = lines[way] if way < len(lines) else ()
    return move_hints(line[done].uci, say) if done < len(line) else ()


def solution_text(puzzle: Puzzle, say: Speaker) -> str:
    """Say the solution as the file has it, of a very long one the beginning."""
    return say("**Solution: {answer}**", answer=escape(puzzle.solution_text, _MAX_SOLUTION))


def solution_drawing(puzzle: Puzzle, style: Style) -> Drawing:
    """Return the board with the first move of the solution, if it is made of moves."""
    lines = ways(puzzle.position, puzzle.solution_text)
    return first_move_drawing(puzzle.position, lines[0][0].uci if lines else "", style)
