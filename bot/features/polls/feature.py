"""Polls as a feature of the bot."""

from __future__ import annotations

from functools import partial

from bot.features.analysis.controls import FAIRNESS, MEANS
from bot.features.polls.chess import ChessPolling
from bot.features.polls.commands import PollKeeper
from bot.features.polls.controls import POLLS, offers
from bot.features.polls.crossword import CrosswordPolling
from bot.features.polls.service import Polls
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host


def _open(host: Host) -> None:
    means = host.services.of(MEANS)
    crossword, chess = CrosswordPolling(host.desk, means), ChessPolling(host.jobs.get("chess"))
    polls = host.services.add(POLLS, Polls(host.desk, host.store, crossword, chess, host.clock))
    if (fairness := host.services.of(FAIRNESS)) is not None:
        fairness.guards.append(polls)
    host.services[SHOWING].offered.append(partial(offers, analysis=means is not None))


FEATURE = Feature("polls", _open, (PollKeeper,))
