"""One's own mistakes as puzzles, for one person alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.reviews import MistakeId
from bot.chat.press import answer_in_private
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.style import Style
from bot.features.puzzles.own_mistakes import OwnMistakes
from bot.features.puzzles.wanted import Kind
from bot.features.review.own_games import MAX_LAST, LookBack, OwnGames
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

ALL = "all"
"""Stands for games of both kinds."""


def mistakes_of(bot: KibitzBot, say: Speaker) -> OwnMistakes:
    """Return where one's own mistakes are set.

    Raises:
        NoAnswerError: nowhere.

    """
    if bot.service.mistakes is None:
        raise NoAnswerError.saying(say("There are no puzzles here."))
    return bot.service.mistakes


async def require_own_games(interaction: Press, say: Speaker) -> OwnGames:
    """Return where somebody's games are kept.

    Raises:
        NoAnswerError: they are not: it is no server, or the person did not choose so.

    """
    bot = interaction.client
    if interaction.guild_id is None or bot.service.own_games is None:
        raise NoAnswerError.saying(say("Your own games are kept for each server: ask me there."))
    if not (await bot.preferences.user(interaction.user.id)).games:
        raise NoAnswerError.saying(
            say(
                "I keep no list of your games. If you want to look back at them, choose `/settings me games:`: finished games"
                " that you post in a server from then on are kept for you, up to {number} for each server and for a year.",
                number=MAX_LAST,
            )
        )
    return bot.service.own_games


async def next_mistake(interaction: Press, game: str, style: Style) -> Reply:
    """Set somebody what was lost in a game of the person's own.

    Raises:
        NoAnswerError: there is nothing, or the person does not want games kept.

    """
    await require_own_games(interaction, style.say)
    back = LookBack(interaction.user.id, interaction.guild_id or 0, MAX_LAST, style)
    mistakes = mistakes_of(interaction.client, style.say)
    return await mistakes.next(back, None if game == ALL else Kind(game))


class MistakeButton(ControlItem[discord.ui.Button[Any], MistakeId], of=MistakeId):
    """Sets the next of one's own mistakes."""

    @classmethod
    def of_game(cls, game: str, say: Speaker) -> Self:
        """Make the button."""
        state = MistakeId(game)
        sign = "\N{JIGSAW PUZZLE PIECE}"
        return cls(state, discord.ui.Button(label=say("Next puzzle"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Set it."""
        await answer_in_private(interaction, lambda style: next_mistake(interaction, self.state.game, style))


CONTROLS = (MistakeButton,)
"""To be registered with the client."""


def mistake_controls(say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make what stands under a mistake that was set as a puzzle, beside the controls of a lesson."""
    yield MistakeButton.of_game(ALL, say)
