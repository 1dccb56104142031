"""The button that polls put under a board: to ask others what they would play."""

from __future__ import annotations

from bot.chat.offers import Control, Moment, PollOffer
from bot.domain.chess.documents import BookSource, PuzzleSet
from bot.domain.crossword.game import Game
from bot.domain.crossword.judging import is_rack_told
from bot.domain.notations import is_chess
from bot.features.analysis.offered import can_be_played
from bot.features.showing.chess.viewer import position_of_moment
from bot.features.showing.findings import Found


def offers(item: Found, moment: Moment, number: int | None = None, *, analysis: bool) -> tuple[Control, ...]:
    """Offer to ask others about the position shown, where its player's tiles are no secret and nobody plays it elsewhere.

    ``analysis`` is whether crossword positions can be analyzed.
    """
    document = item.document
    if number is not None or item.going_on:
        return ()
    if is_chess(document):
        is_asked = (
            not isinstance(document, PuzzleSet | BookSource)
            and not position_of_moment(document, moment).is_over
        )
        return (PollOffer(moment),) if is_asked else ()
    if not analysis or item.format == "turn-url":
        return ()
    if isinstance(document, Game):
        told = moment.turn == len(document.turns) or is_rack_told(document, moment.turn)
        is_asked = bool(document.turns) and told and can_be_played(document.position_at(moment.turn))
    else:
        is_asked = can_be_played(item.position)
    return (PollOffer(moment),) if is_asked else ()
