"""The answer with one of a file's puzzles, and with the moves that somebody tries on it."""

from __future__ import annotations

from dataclasses import replace

from bot.answers.chess.page import Page, engine_offers, is_white_below, turned
from bot.answers.chess.position import position_line
from bot.answers.chess.puzzle_line import answered_drawing
from bot.answers.controls import Choice, CopyOffer, Moment, SolveOffer, Viewer
from bot.answers.markdown import behind_bars, escape, escape_line
from bot.answers.page import MAX_LABEL, told, window
from bot.answers.reply import Drawing, Reply
from bot.domain.chess.puzzles import Puzzle, PuzzleSet
from bot.domain.chess.solution import Attempt, Verdict, position_after, try_move
from bot.domain.reading.problems import DomainError
from bot.scenes.chess.board import chess_scene
from bot.scenes.chess.words import chess_alt_text, to_move_text
from bot.text import Speaker


def answer_puzzle(puzzles: PuzzleSet, page: Page) -> Reply:
    """Show one of a set's puzzles: the position, the description, the solution behind bars."""
    moment, say = page.moment, page.style.say
    puzzle = puzzles.puzzles[moment.turn]
    position = puzzle.position
    count = len(puzzles.puzzles)
    white_below = is_white_below(moment, otherwise=position.white_to_move)
    blocks = [puzzle_text(puzzles, moment.turn, say), *page.remarks]
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
    solve = (SolveOffer(moment),) if puzzle.solution_text.strip() else ()
    controls = (viewer, *engine_offers(position, page), *solve, CopyOffer(moment))
    drawing = Drawing(scene, chess_alt_text(position, say, lead), spoiler=moment.spoiler)
    return Reply(told(blocks, moment), (drawing,), controls=controls)


def puzzle_text(puzzles: PuzzleSet, index: int, say: Speaker) -> str:
    """Say which puzzle it is, who is to move, and its description, a line each."""
    puzzle = puzzles.puzzles[index]
    count = len(puzzles.puzzles)
    which = say("**Puzzle {number} of {puzzles}**", number=index + 1, puzzles=count)
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


def answer_attempt(puzzles: PuzzleSet, played: tuple[int, int], text: str, page: Page) -> Reply:
    """Tell somebody what the solution says about the move they try.

    ``played`` tells how many half-moves of the solution were played before, and along which of its ways.
    """
    moment, say = page.moment, page.style.say
    moment = replace(moment, turn=min(moment.turn, len(puzzles.puzzles) - 1))
    puzzle = puzzles.puzzles[moment.turn]
    try:
        attempt = try_move(puzzle.position, puzzle.solution_text, text, *played)
    except DomainError as error:
        problem = escape(say.problem(error))
        return _tried(say("❔ I cannot take this move: {problem}.", problem=problem), moment, played)
    move = f"**{escape(attempt.san)}**"
    match attempt.verdict:
        case Verdict.WRONG:
            return _tried(
                say("❌ {move} is not what the solution says. Try again!", move=move), moment, played
            )
        case Verdict.UNTOLD:
            solution = behind_bars(escape(puzzle.solution_text))
            return Reply(
                say(
                    "❔ {move} can be played, but I cannot tell from the solution's text whether it is right: {solution}",
                    move=move,
                    solution=solution,
                )
            )
    if attempt.solved:
        return Reply(
            say(
                "✅ {move} – solved! The solution: {solution}",
                move=move,
                solution=behind_bars(escape(puzzle.solution_text)),
            )
        )
    return _goes_on(puzzle, attempt, replace(page, moment=moment))


def _tried(text: str, moment: Moment, played: tuple[int, int]) -> Reply:
    """Say something about an attempt, with a way to try again."""
    return Reply(text, controls=(SolveOffer(moment, *played),))


def _goes_on(puzzle: Puzzle, attempt: Attempt, page: Page) -> Reply:
    """Play the solution's answer to a right move, and ask for the next one."""
    moment, say = page.moment, page.style.say
    position = position_after(puzzle.position, puzzle.solution_text, attempt)
    text = say(
        "✅ {move} is right. {reply} is the answer; what now?",
        move=f"**{escape(attempt.san)}**",
        reply=f"**{escape(attempt.reply)}**",
    )
    below = puzzle.position.white_to_move
    drawing = replace(answered_drawing(position, page.style, white_below=below), spoiler=moment.spoiler)
    return Reply(text, (drawing,), controls=(SolveOffer(moment, attempt.done, attempt.line),))
