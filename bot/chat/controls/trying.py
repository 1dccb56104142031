"""What if: a form for a play, under boards and analyses."""

from __future__ import annotations

from typing import Any, Self

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.press import answer_in_private
from bot.chat.failures import answering, apologize
from bot.chat.ids.analysis import TryId
from bot.chat.offers import TryOffer
from bot.chat.sending.allowance import grant_press
from bot.chat.styling import speaker_to
from bot.domain.crossword.typed_play import MAX_TYPED
from bot.jobs.queue import Asker
from bot.text import Speaker

MAX_TITLE = 45
"""Characters that Discord takes of a form's title, and of a field's."""


class TryButton(ControlItem[discord.ui.Button[Any], TryId], of=TryId):
    """Asks for a play and shows what it would come to, to the presser alone."""

    @classmethod
    def of_offer(cls, offer: TryOffer, say: Speaker, lexicon: str = "") -> Self:
        """Make the button."""
        state = TryId(offer.moment, lexicon)
        sign = "\N{THINKING FACE}"
        return cls(state, discord.ui.Button(label=say("What if …"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: discord.Interaction[KibitzBot]) -> None:
        """Ask for the play."""
        say = await speaker_to(interaction)
        await interaction.response.send_modal(PlayModal(self.state, say))


class PlayModal(discord.ui.Modal):
    """Asks for a play, or a move of chess."""

    def __init__(self, state: TryId, say: Speaker) -> None:
        super().__init__(title=say("What would you play?")[:MAX_TITLE])
        self._state = state
        self.play: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="play", max_length=MAX_TYPED, placeholder="8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …"
        )
        self.add_item(discord.ui.Label(text=say("Your play")[:MAX_TITLE], component=self.play))

    async def on_submit(self, interaction: discord.Interaction[KibitzBot], /) -> None:  # type: ignore[override]
        """Show what it comes to."""
        trials, state = interaction.client.service.trials, self._state
        asker = Asker(interaction.user.id, interaction.guild_id)
        async with answering(interaction):
            await grant_press(interaction)
            await interaction.client.unfinished.keep(interaction, resume=state.write(), typed=self.play.value)
            await answer_in_private(
                interaction,
                lambda style: trials.try_play(
                    state.moment, self.play.value, style, asker, lexicon=state.lexicon
                ),
            )

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


CONTROLS = (TryButton,)
"""To be registered with the client."""
