"""What players are called in the server where their game is played, as far as they were heard of lately."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cachetools import LRUCache

from bot.features.live.joining import Outcome
from bot.features.showing.reading.sources import Origin

MAX_KNOWN: Final = 10_000
"""Names kept in memory, the latest."""


class PlayerNames:
    """Learns names from those who post, and keeps them in memory alone."""

    def __init__(self) -> None:
        self._names: LRUCache[tuple[int | None, int], str] = LRUCache(MAX_KNOWN)

    def learn(self, origin: Origin) -> None:
        """Learn the name of the author of a link."""
        if not origin.author_name:
            return
        self._names[origin.guild_id, origin.author_id] = origin.author_name

    def name_players(self, outcome: Outcome, home: Origin, posted: Origin) -> Outcome:
        """Return an outcome whose news name the players as they are called where the game is played.

        Whose turn it is, is for those who are there: it is left out where a link was ``posted`` elsewhere.
        """
        news = outcome.news
        players = tuple(
            (seat, user, self._names.get((home.guild_id, user), name)) for seat, user, name in news.players
        )
        here = home.channel_id == posted.channel_id and posted.public
        return replace(outcome, news=replace(news, players=players, turn_of=news.turn_of if here else None))
