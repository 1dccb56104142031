"""The controls under a replay: how fast it goes, and showing it to everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.ids.viewing import ReplayId
from bot.chat.moment import Moment
from bot.chat.offers import ReplayPanel
from bot.chat.press import answer_in_public, change_message
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending import grant
from bot.chat.style import Style
from bot.chat.styling import speaker_to
from bot.features.showing.pace import Pace
from bot.text import Speaker
from render.animate import MAX_BYTES

Press: TypeAlias = discord.Interaction[KibitzBot]

_SIGNS: Final = {
    Pace.SLOW: "\N{TURTLE}",
    Pace.USUAL: "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f",
    Pace.FAST: "\N{RABBIT}",
}
_ALL: Final = "\N{BUSTS IN SILHOUETTE}"


class ReplayButton(ControlItem[discord.ui.Button[Any], ReplayId], of=ReplayId):
    """Plays the game again at another pace, or to everybody."""

    @classmethod
    def of_panel(cls, panel: ReplayPanel, pace: Pace, say: Speaker) -> Self:
        """Make the button for a pace."""
        labels = {Pace.SLOW: say("Slow"), Pace.USUAL: say("Usual pace"), Pace.FAST: say("Fast")}
        state = ReplayId(panel.moment, pace, "me")
        return cls(
            state,
            discord.ui.Button(
                label=labels[pace],
                emoji=_SIGNS[pace],
                custom_id=state.write(),
                disabled=pace is panel.pace,
            ),
        )

    @classmethod
    def for_everybody(cls, panel: ReplayPanel, say: Speaker) -> Self:
        """Make the button that shows the replay to everybody."""
        state = ReplayId(panel.moment, panel.pace, "all")
        return cls(
            state, discord.ui.Button(label=say("Show to everybody"), emoji=_ALL, custom_id=state.write())
        )

    async def act(self, interaction: Press) -> None:
        """Make the message play it at the pace, or send it to everybody."""
        moment, pace = self.state.moment, self.state.pace
        if self.state.whom == "all" and interaction.guild_id and not interaction.permissions.send_messages:
            say = await speaker_to(interaction)
            raise NoAnswerError.saying(say("You may not write here, so I do not show it to everybody."))
        await grant(interaction)

        async def answer(style: Style) -> Reply:
            return await replayed(interaction, moment, pace, style)

        if self.state.whom == "me":
            await change_message(interaction, answer)
        else:
            await answer_in_public(interaction, answer)


CONTROLS = (ReplayButton,)
"""To be registered with the client."""


async def replayed(interaction: Press, moment: Moment, pace: Pace, style: Style) -> Reply:
    """Play a game again, in a file as large as may be sent here."""
    most = min(MAX_BYTES, interaction.filesize_limit)
    return await interaction.client.service.viewing.replay(moment, pace, style, most_bytes=most)


def replay_controls(panel: ReplayPanel, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of a replay; one that everybody sees needs none to be shown to everybody."""
    for pace in Pace:
        yield ReplayButton.of_panel(panel, pace, say)
    if private:
        yield ReplayButton.for_everybody(panel, say)
