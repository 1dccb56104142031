"""The answer with one position of a puzzle file: its description, and the solution behind bars."""

from __future__ import annotations

from bot.chat.card import Card, Drawing
from bot.chat.markdown import behind_bars, escape, escape_line
from bot.chat.moment import Choice, Moment
from bot.chat.page import MAX_LABEL, told, window
from bot.domain.chess.documents import Puzzle, PuzzleSet
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.page import Page, is_white_below, turned
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, to_move_text
from bot.features.showing.controls import Copy, turns_menu, viewer
from bot.text import Speaker


def answer_puzzle(puzzles: PuzzleSet, page: Page) -> Card:
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
    listed = tuple(_puzzle_choice(puzzles.puzzles[index], index, moment, say) for index in places)
    title = say("Go to puzzle")
    menu = turns_menu(moment, title, listed, say, earlier=earlier, later=later) if count > 1 else None
    flipped = turned(moment, white_below=white_below)
    steps = viewer(moment, say, last=count - 1, turns=menu, flipped=flipped)
    controls = (*steps, *page.offers, Copy(moment))
    drawing = Drawing(scene, chess_alt_text(position, say, lead), spoiler=moment.spoiler)
    return Card(told(blocks, moment), (drawing,), controls=controls)


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
