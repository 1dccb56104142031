"""The card of a chess position, a moment of a game, or a puzzle of a file, with its controls."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.card import MAX_CHOICES, MAX_LABEL, Card, Choice, Drawing, Moment, Style, join_blocks, window
from bot.chat.markdown import behind_bars, escape, escape_line
from bot.domain.chess.documents import ChessDocument, ChessGame, Puzzle, PuzzleSet
from bot.domain.chess.position import ChessPosition
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.books import answer_book
from bot.features.showing.chess.game import answer_chess_moment, listed_game
from bot.features.showing.chess.page import (
    Page,
    first_moment,
    is_white_below,
    lichess_link,
    turned,
    within,
)
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, player_name, to_move_text
from bot.features.showing.controls import Offers, turns_menu, viewer, with_games
from bot.features.showing.conversion import answer_conversion
from bot.features.showing.findings import Found
from bot.features.showing.remarks import doubted, sight_controls
from bot.features.showing.remarks import remarks as remarks_on
from bot.text import Speaker


def answer_chess(
    item: Found,
    moment: Moment,
    style: Style,
    offers: Offers,
    *,
    remarks: tuple[str, ...] | None = None,
    around: int | None = None,
) -> Card:
    """Show what a stored document of chess is at a moment, with its controls.

    ``remarks`` are said below the line about it as far as there is room; when None, what was odd in the text.
    ``around`` is the turn or puzzle around which others are listed, the one shown when None.
    """
    document = item.chess
    moment = within(moment, document)
    if remarks is None:
        remarks = _remarks(item, moment, style.say)
    page = Page(
        moment,
        style,
        remarks,
        moment.turn if around is None else around,
        offers(item, moment) if doubted(item) is None else (),
        going_on=item.going_on,
    )
    match document:
        case ChessGame():
            return answer_chess_moment(document, page)
        case PuzzleSet():
            return answer_puzzle(document, page)
        case ChessPosition():
            return _answer_position(item, document, page)
        case _:
            return answer_book(document, page)


def answer_posted_chess(found: tuple[Found, ...], unread: int, style: Style, offers: Offers) -> Card | None:
    """Answer a source that holds one document of chess, or games only; None when it holds anything else.

    ``unread`` is how many more documents there are than were read.
    """
    say = style.say
    if not is_collection(found) and (len(found) > 1 or unread):
        return None
    first = next((item for item in found if item.named), found[0])
    about = list(remarks_on(first, say))
    if unread:
        about.append(
            say.count(
                "{number} more game is not in the list of games.",
                "{number} more games are not in the list of games.",
                unread,
            )
        )
    answer = answer_chess(first, first_moment(first), style, offers, remarks=tuple(about))
    return with_games(answer, listed_games(found, say))


def chess_brief(document: ChessDocument, say: Speaker) -> str:
    """Say in few words what a document is: who is to move, or who plays."""
    match document:
        case ChessPosition():
            return to_move_text(document, say)
        case ChessGame():
            return " – ".join(player_name(document, say, white=white) for white in (True, False))
        case _:
            return ""


def listed_games(found: tuple[Found, ...], say: Speaker) -> tuple[Choice, ...]:
    """List games that came together; one alone needs no list."""
    if len(found) == 1:
        return ()
    return tuple(listed_game(item, number, say) for number, item in enumerate(found[:MAX_CHOICES], start=1))


def is_collection(found: tuple[Found, ...]) -> bool:
    """Tell whether several games of chess were found and nothing else."""
    return len(found) > 1 and all(isinstance(item.document, ChessGame) for item in found)


def answer_chess_conversion(document: ChessDocument, moment: Moment, to: str, say: Speaker) -> Card:
    """Give a document in another notation: a game up to the moment, of puzzles the one shown where it is a position."""
    moment = within(moment, document)
    turn = moment.turn if isinstance(document, ChessGame) else None
    if isinstance(document, PuzzleSet) and to == "fen":
        document = document.puzzles[moment.turn].position
    return answer_conversion(document, to, say, spoiler=moment.spoiler, turn=turn)


def _remarks(item: Found, moment: Moment, say: Speaker) -> tuple[str, ...]:
    """Say what was odd in the text: at the end of a game, or at the puzzle whose lines it is about."""
    document = item.document
    if isinstance(document, ChessGame) and moment.turn < len(document.turns):
        return ()
    if isinstance(document, PuzzleSet):
        start = document.puzzles[moment.turn].line
        rest = document.puzzles[moment.turn + 1 :]
        end = rest[0].line if rest else None
        about = tuple(
            warning
            for warning in item.warnings
            if start <= warning.line and (end is None or warning.line < end)
        )
        return remarks_on(replace(item, warnings=about, error=item.error if not rest else None), say)
    return remarks_on(item, say)


def _answer_position(item: Found, position: ChessPosition, page: Page) -> Card:
    moment, say = page.moment, page.style.say
    white_below = is_white_below(moment)
    blocks = [position_line(position, say), *page.remarks]
    scene = chess_scene(position, page.style, white_below=white_below, doubtful=doubted(item))
    drawing = Drawing(scene, chess_alt_text(position, say), spoiler=moment.spoiler)
    seen = sight_controls(item, moment)
    if doubted(item) is not None:
        return Card(join_blocks(blocks, moment), (drawing,), controls=seen, accent="board")
    link = lichess_link(position, say, white_below=white_below)
    flipped = turned(moment, white_below=white_below)
    controls, more = viewer(moment, flipped=flipped, offers=page.offers)
    return Card(
        join_blocks(blocks, moment),
        (drawing,),
        controls=controls,
        more=(*seen, *more),
        note=behind_bars(link) if moment.spoiler else link,
        accent="board",
    )


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
    controls, more = viewer(moment, last=count - 1, turns=menu, flipped=flipped)
    drawing = Drawing(scene, chess_alt_text(position, say, lead), spoiler=moment.spoiler)
    return Card(
        join_blocks(blocks, moment), (drawing,), controls=(*controls, *page.offers), more=more, accent="board"
    )


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
