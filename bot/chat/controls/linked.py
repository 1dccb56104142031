"""The list of the games of a collection on a site: each is fetched when it is chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.ids import ids_under
from bot.chat.ids.viewing import LinkedId
from bot.chat.moment import Choice
from bot.chat.offers import LinkedGames
from bot.chat.press import change_message
from bot.chat.reply import Reply
from bot.chat.sending import grant
from bot.chat.style import Style
from bot.text import Speaker

_FROM: Final = "from:"


class LinkedSelect(ControlItem[discord.ui.Select[Any], LinkedId], of=LinkedId):
    """A menu of the games of a collection."""

    @classmethod
    def of_games(cls, games: LinkedGames, say: Speaker) -> Self:
        """Make the menu; it leads to others when it cannot hold all."""
        options = [option(choice) for choice in games.choices]
        if games.earlier is not None:
            options.insert(0, discord.SelectOption(label=say("Earlier…"), value=f"{_FROM}{games.earlier}"))
        if games.later is not None:
            options.append(discord.SelectOption(label=say("Later…"), value=f"{_FROM}{games.later}"))
        state = LinkedId(games.collection, "s" if games.spoiler else "o")
        placeholder = say("Choose a game")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Show the chosen game under the same list, or list other games."""
        await grant(interaction)
        [value] = self.item.values
        service, user, spoiler = interaction.client.service, interaction.user.id, self.state.hidden == "s"
        message = interaction.message
        assert message is not None  # a control stands under a message

        async def answer(style: Style) -> Reply:
            if value.startswith(_FROM):
                start = int(value.removeprefix(_FROM))
                return await service.linked_games(self.state.collection, start, user, style, spoiler=spoiler)
            game = value.partition(":")[2]
            reply = await service.linked_game(game, user, style, spoiler=spoiler)
            return with_collection(reply, message)

        await change_message(interaction, answer)


CONTROLS = (LinkedSelect,)
"""To be registered with the client."""


def with_collection(reply: Reply, message: discord.Message) -> Reply:
    """Return a reply with the list of a collection that a message of ours has."""
    if not reply.found:
        return reply
    for state, item in ids_under(message):
        if isinstance(state, LinkedId) and isinstance(item, discord.SelectMenu):
            return replace(reply, controls=(*reply.controls, _games_of(state, item)))
    return reply


def _games_of(state: LinkedId, menu: discord.SelectMenu) -> LinkedGames:
    """Return what a menu lists."""
    options = [one for one in menu.options if not one.value.startswith(_FROM)]
    places = [int(one.value.removeprefix(_FROM)) for one in menu.options if one.value.startswith(_FROM)]
    starts = bool(menu.options) and menu.options[0].value.startswith(_FROM)
    return LinkedGames(
        state.collection,
        tuple(Choice(one.value, one.label, one.description or "") for one in options),
        earlier=places[0] if starts else None,
        later=places[-1] if places and not (starts and len(places) == 1) else None,
        spoiler=state.hidden == "s",
    )
