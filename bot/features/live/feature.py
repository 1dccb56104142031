"""Live games as a feature of the bot."""

from __future__ import annotations

from bot.features.live.commands import Games
from bot.features.live.seats import LIVE
from bot.features.live.service import LiveGames
from bot.features.showing.controls import SHOWING
from bot.features.showing.feature import Feature, Host


def _open(host: Host) -> None:
    showing = host.services[SHOWING]
    live = host.services.add(LIVE, LiveGames(host.desk, host.store, showing.offers))
    showing.follow = live.follow


FEATURE = Feature("live", _open, (Games,))
