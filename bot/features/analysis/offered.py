"""The buttons that analysis puts under a board: to analyze what is shown, and to try plays."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.control import Control
from bot.chat.moment import Moment
from bot.domain.chess.documents import BookSource
from bot.domain.crossword.game import Game, is_rack_known, moment_before
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.features.analysis.controls import Analyze, AskEngine, Try
from bot.features.showing.chess.page import position_of_moment
from bot.features.showing.findings import Found


def offers(
    item: Found, moment: Moment, number: int | None = None, *, analysis: bool, engine: bool
) -> tuple[Control, ...]:
    """Offer to analyze what is shown, where it can be: ``analysis`` of crossword positions, an ``engine`` for chess.

    ``number`` is that of a position among several, which get one button each.
    """
    document = item.document
    if item.going_on:
        return ()
    if is_chess(document):
        is_asked = engine and not isinstance(document, BookSource)
        is_asked = is_asked and not position_of_moment(document, moment).is_over
        return (AskEngine(moment, number=number),) if is_asked else ()
    if isinstance(document, Game):
        return _of_turn(document, moment) if analysis and document.turns else ()
    if not analysis or not can_be_played(item.position):
        return ()
    return (Analyze(moment, number=number), *((Try(moment),) if number is None else ()))


def can_be_played(position: Position) -> bool:
    """Tell whether somebody has something to play in a position."""
    return not position.is_over and bool(position.players[position.on_turn].rack)


def _of_turn(game: Game, moment: Moment) -> tuple[Control, ...]:
    """Offer to judge the turn shown, or at the end of a game that goes on to find the next play; and to try plays."""
    shown = game.position_at(moment.turn)
    before = moment_before(game, moment.turn)
    is_asked_now = moment.turn == len(game.turns) and can_be_played(shown)
    judged = before is not None and is_rack_known(game, before) and not is_asked_now
    asked = replace(moment, turn=before) if judged and before is not None else moment
    tried = replace(moment, turn=before) if shown.is_over and before is not None else moment
    analyze = (Analyze(asked),) if can_be_played(game.position_at(asked.turn)) else ()
    return (*analyze, Try(tried))
