"""Puzzles, dailies and one's own mistakes as a feature of the bot."""

from __future__ import annotations

from bot.chat.card import Moment
from bot.chat.control import Control
from bot.domain.chess.documents import PuzzleSet
from bot.features.analysis.controls import FAIRNESS, MEANS
from bot.features.puzzles.commands import Puzzling
from bot.features.puzzles.controls import DAILIES, PUZZLES, puzzle_controls
from bot.features.puzzles.dailies import DailyPosts
from bot.features.puzzles.daily import Dailies
from bot.features.puzzles.own_mistakes import MISTAKES, OwnMistakes
from bot.features.puzzles.selection import Kind, Wanted
from bot.features.puzzles.service import Puzzles
from bot.features.puzzles.sheets import read_sheet
from bot.features.review.controls import LESSONS, OWN_GAMES
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host
from bot.features.showing.findings import Found


def _offers(item: Found, moment: Moment, number: int | None = None) -> tuple[Control, ...]:
    """Offer to solve the position of a puzzle file that is shown."""
    document = item.document
    if number is not None or not isinstance(document, PuzzleSet):
        return ()
    if not document.puzzles[moment.turn].solution_text.strip():
        return ()
    return puzzle_controls(Wanted(Kind.CHESS).at(moment.digest, moment.turn), has_next=False)


def _open(host: Host) -> None:
    services, store = host.services, host.store
    puzzles = Puzzles(host.desk, store, services.of(MEANS), host.settings.puzzles.folder)
    services.add(PUZZLES, puzzles)
    services.add(DAILIES, Dailies(host.desk, store, puzzles, host.clock))
    own_games, lessons, fairness = services.of(OWN_GAMES), services.of(LESSONS), services.of(FAIRNESS)
    if own_games is not None and lessons is not None:
        services.add(MISTAKES, OwnMistakes(own_games, lessons, store))
    if fairness is not None:
        fairness.guards.insert(0, puzzles.guard)  # a daily is refused before a poll
    host.desk.read_sheet = read_sheet
    showing = services[SHOWING]
    showing.offered.append(_offers)
    showing.post = puzzles.post


FEATURE = Feature("puzzles", _open, (Puzzling, DailyPosts))
