"""What all answers about chess share: how a document is presented, and from which side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

from bot.chat.offers import Moment, PollOffer, ReviewOffer
from bot.chat.style import Style
from bot.domain.chess.game import UNKNOWN_RESULT, ChessGame
from bot.domain.chess.position import ChessPosition
from bot.features.analysis.controls import AskEngine
from bot.features.review.chess.review import has_evaluations
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
    engine: bool = False
    """Whether there is an engine to be asked."""
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


def engine_offers(position: ChessPosition, page: Page) -> tuple[AskEngine, ...]:
    """Offer to let an engine think, where there is one, and a move left to play."""
    return (AskEngine(page.moment),) if page.engine and is_going_on(position) else ()


def poll_offers(position: ChessPosition, page: Page) -> tuple[PollOffer, ...]:
    """Offer to ask others what they would play, where there is a move left, and nobody plays it elsewhere."""
    return () if page.going_on or not is_going_on(position) else (PollOffer(page.moment),)


def review_offers(game: ChessGame, page: Page) -> tuple[ReviewOffer, ...]:
    """Offer to review a game that is over, where there is an engine or the game brings evaluations along."""
    if not game.turns or not (page.engine or has_evaluations(game)):
        return ()
    last = len(game.turns)
    if game.result == UNKNOWN_RESULT and (last > MAX_TURN or game.position_at(last).ending is None):
        return ()
    return (ReviewOffer(Moment(page.moment.digest, 0, spoiler=page.moment.spoiler)),)


def is_going_on(position: ChessPosition) -> bool:
    """Tell whether there is a move left to play."""
    return not position.is_over
