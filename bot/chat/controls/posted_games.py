"""The list of the games that were posted together, which a message carries along from one game to the other."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.chat.ids import ids_under
from bot.chat.ids.viewing import GamesId
from bot.chat.moment import Choice
from bot.chat.reply import Reply


def with_games(reply: Reply, message: discord.Message) -> Reply:
    """Return a reply that lists the games that a message of ours lists, if its controls are those of a game."""
    return reply.with_games(tuple(_games_under(message)))


def _games_under(message: discord.Message) -> Iterator[Choice]:
    for state, item in ids_under(message):
        if isinstance(state, GamesId) and isinstance(item, discord.SelectMenu):
            yield from map(_choice, item.options)


def _choice(option: discord.SelectOption) -> Choice:
    return Choice(option.value, option.label, option.description or "")
