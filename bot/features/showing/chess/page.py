"""What all answers about chess share: how a document is presented, and from which side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

from bot.chat.card import Moment, Style
from bot.chat.control import Control
from bot.domain.chess import board_link
from bot.domain.chess.documents import ChessDocument, ChessGame, PuzzleSet
from bot.domain.chess.position import ChessPosition
from bot.features.showing.findings import Found
from bot.text import Speaker

MAX_TURN = 9_999
"""The last turn that a control can name."""

WHITE, BLACK = 0, 1
"""The sides of a moment: who sits below."""


@dataclass(frozen=True, slots=True)
class Page:
    """How a document is presented: at which moment, in which style, and with which remarks."""

    moment: Moment
    style: Style
    remarks: tuple[str, ...] = ()
    """Said below the line about it, as far as there is room."""
    around: int = 0
    """The turn or puzzle around which others are listed."""
    offers: tuple[Control, ...] = ()
    """What other features offer to do with it."""
    going_on: bool = False
    """Whether the game goes on elsewhere, so that nothing leads to an analysis."""


def is_white_below(moment: Moment, *, otherwise: bool = True) -> bool:
    """Tell whether White sits below; ``otherwise`` counts when nobody chose."""
    return otherwise if moment.side is None else moment.side != BLACK


def turned(moment: Moment, *, white_below: bool) -> Moment:
    """Return a moment from the other side."""
    return replace(moment, side=BLACK if white_below else WHITE)


def lichess_link(position: ChessPosition, say: Speaker, *, white_below: bool) -> str:
    """Link to a position on lichess' analysis board. Nobody is asked for anything: it is a link and no more.

    What of the position stands in it are the letters, digits, slashes, hyphens and plus signs of a FEN.
    """
    side = "" if white_below else "?color=black"
    rules = position.variant or "standard"
    fen = quote(position.fen.replace(" ", "_"), safe="/_-+")
    return f"[{say('Analysis board on lichess')}](<https://lichess.org/analysis/{rules}/{fen}{side}>)"


def is_going_on(position: ChessPosition) -> bool:
    """Tell whether there is a move left to play."""
    return not position.is_over


def first_moment(item: Found) -> Moment:
    """Return what is shown of a document at first: of a game the end, of puzzles the first."""
    moment = Moment(item.digest, MAX_TURN, spoiler=item.spoiler)
    black = item.black or (isinstance(item.document, ChessPosition) and board_link.is_black_below(item.text))
    if isinstance(item.document, ChessGame):
        turn = MAX_TURN if item.at is None else item.at
        return within(replace(moment, turn=turn, side=BLACK if black else None), item.document)
    return replace(moment, turn=0, side=BLACK if black else None)


def moment_to_analyze(item: Found) -> Moment:
    """Return the moment of a document that an engine is asked about: of a game the last with a move left to play."""
    moment = first_moment(item)
    if moment.turn and not is_going_on(position_of_moment(item.chess, moment)):
        return replace(moment, turn=moment.turn - 1)
    return moment


def position_of_moment(document: ChessDocument, moment: Moment) -> ChessPosition:
    """Return the position that is shown at a moment."""
    moment = within(moment, document)
    match document:
        case ChessPosition():
            return document
        case ChessGame():
            return document.position_at(moment.turn)
        case PuzzleSet():
            return document.puzzles[moment.turn].position
        case _:
            return document.lines[0].start


def within(moment: Moment, document: ChessDocument) -> Moment:
    """Return the moment, or the nearest that there is: a custom id may come from an older reading of the text."""
    match document:
        case ChessGame():
            last = min(len(document.turns), MAX_TURN)
        case PuzzleSet():
            last = len(document.puzzles) - 1
        case _:
            last = 0
    side = moment.side if moment.side in (WHITE, BLACK) else None
    if side is None and isinstance(document, ChessGame) and document.is_black_below:
        side = BLACK
    return replace(moment, turn=min(moment.turn, last), side=side)
