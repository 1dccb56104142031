"""The controls under the list of who plays a live game."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Self
from weakref import WeakValueDictionary

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.settings import SeatId
from bot.chat.messages.inbound import origin_of
from bot.chat.offers import SeatPanel
from bot.chat.permissions import is_moderator
from bot.chat.sending.outbound import change_pressed
from bot.chat.styling import style_of
from bot.domain.crossword.notations.turn_url.seats import Pressed, Seats
from bot.features.live.seats_card import answer_pressed, answer_seats_gone
from bot.text import Speaker

AGREE = "ok"
LEAVE = "out"

_under_way: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()


class SeatButton(ControlItem[discord.ui.Button[Any], SeatId], of=SeatId):
    """Takes the word of whoever presses it."""

    @classmethod
    def of_label(
        cls, state: SeatId, label: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary
    ) -> Self:
        """Make the button."""
        return cls(state, discord.ui.Button(label=label, style=style, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Change the seats as the presser wants, show who plays now, or explain to the presser why nothing changed."""
        message, origin = interaction.message, origin_of(interaction, private=True)
        assert message is not None  # a control stands under a message
        assert origin is not None  # and a message in a channel
        await interaction.response.defer()
        style = await style_of(interaction, private=False)
        say = style.say
        moderator = interaction.guild_id is not None and is_moderator(interaction.permissions)

        def change(seats: Seats, turns: int) -> tuple[Seats, Pressed]:
            return self._change(seats, turns, interaction.user.id, moderator=moderator)

        # Every press counts, and the last one is the one that is shown last.
        async with _under_way.setdefault(message.id, asyncio.Lock()):
            done = await interaction.client.service.live.press_seat(origin, self.state.draws, style, change)
            if done is not None:
                await change_pressed(interaction, done[0], say)
        refused = answer_seats_gone(say).text if done is None else answer_pressed(done[1], say)
        if refused:
            await interaction.followup.send(refused, ephemeral=True)

    def _change(self, seats: Seats, turns: int, user: int, *, moderator: bool) -> tuple[Seats, Pressed]:
        if self.state.what == AGREE:
            return seats.agree(user, self.state.mark, turns, moderator=moderator)
        if self.state.what == LEAVE:
            return seats.leave(user, turns, moderator=moderator)
        return seats.say(user, int(self.state.what), self.state.mark, turns)


def seat_buttons(panel: SeatPanel, say: Speaker) -> Iterator[SeatButton]:
    """Make the controls of a list of players."""
    for seat, name in panel.free:
        label = say("I am {player}", player=name)
        yield SeatButton.of_label(SeatId(panel.draws, str(seat), panel.mark), label)
    if panel.full:
        label = say("That is right")
        yield SeatButton.of_label(SeatId(panel.draws, AGREE, panel.mark), label, discord.ButtonStyle.success)
    if panel.any:
        yield SeatButton.of_label(SeatId(panel.draws, LEAVE, panel.mark), say("Leave"))
