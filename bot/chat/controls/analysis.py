"""The controls of analyses: asking for one, showing its plays on the board, playing on, stopping.

Their state is in the ``custom_id``: the moment of the stored document, the lexicon, how the plays are ranked.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord

from bot.answers.reply import AnalysisOffer, Moment, Ranking, Reply
from bot.chat.controls.control import Control
from bot.chat.controls.game import MOMENT, moment_id, moment_of
from bot.chat.controls.options import option
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.failures import report
from bot.chat.permissions import is_moderator
from bot.chat.style import speaker_to
from bot.chat.unfinished import finished_or_told, is_shown
from bot.engine.options import AnalysisOptions
from bot.jobs.analysis import Method
from bot.jobs.queue import Asker
from bot.service.analysis import Deepening, Wish
from bot.service.preferences import Taste
from bot.text import Speaker, speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.service.analysis import Analyses

    Press: TypeAlias = discord.Interaction[KibitzBot]

log = logging.getLogger(__name__)

_LEXICON = r"(?P<lexicon>[A-Za-z0-9._-]{0,32})"

EDIT_SECONDS = 2.5
"""How often the line about a simulation under way changes; Discord takes five edits in five seconds."""


class _AnalysisControl(Control):
    """What these controls share: each names a moment and a lexicon in its ``custom_id``."""

    def __init__(self, moment: Moment, lexicon: str, item: discord.ui.Item[Any]) -> None:
        self.moment = moment
        self.lexicon = lexicon
        super().__init__(item)  # type: ignore[call-arg]  # the dynamic item comes next in line

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the control up again from a message, also after a restart."""
        del interaction
        return cls(moment_of(match), match["lexicon"], item)

    def wish(self, taste: Taste) -> Wish:
        """Return what a press asks for."""
        preferred = (taste.lexicon,) if taste.lexicon else ()
        return Wish(self.moment, taste.locale, taste.view, self.lexicon, preferred)


class AnalyzeButton(
    _AnalysisControl,
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"kibitz:analyze:{MOMENT}:{_LEXICON}",
):
    """Tells the best plays of a position, to the one who presses it."""

    @classmethod
    def of_offer(cls, offer: AnalysisOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        label = say("Analyze with {lexicon}", lexicon=offer.lexicon) if offer.lexicon else say("Analyze")
        button: discord.ui.Button[Any] = discord.ui.Button(
            label=label,
            emoji="\N{LEFT-POINTING MAGNIFYING GLASS}",
            custom_id=cls.id_of(offer.moment, offer.lexicon),
        )
        return cls(offer.moment, offer.lexicon, button)

    @staticmethod
    def id_of(moment: Moment, lexicon: str) -> str:
        """Return the ``custom_id`` of the button for a moment."""
        return f"kibitz:analyze:{moment_id(moment)}:{lexicon}"

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        analyses = await analyses_of(interaction)
        if analyses is None:
            return
        await answer_in_private(interaction, lambda taste: analyses.best(self.wish(taste)))


class PlaySelect(
    _AnalysisControl,
    discord.ui.DynamicItem[discord.ui.Select[Any]],
    template=rf"kibitz:ranked:(?P<method>equity|simulation|solution):{MOMENT}:{_LEXICON}",
):
    """A menu of the plays of a ranking, to be shown on the board."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the menu of a ranking."""
        options = [option(choice, str(ranking.shown)) for choice in ranking.choices]
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=f"kibitz:ranked:{ranking.method.value}:{moment_id(ranking.moment)}:{ranking.lexicon}",
            placeholder=say("Show a play on the board"),
            options=options,
        )
        return cls(ranking.moment, ranking.lexicon, select)

    async def act(self, interaction: Press) -> None:
        """Show the chosen play."""
        analyses = await analyses_of(interaction)
        if analyses is None:
            return
        method = Method((self.item.custom_id or "").split(":")[2])
        shown, plays = int(self.item.values[0]), len(self.item.options)
        options = AnalysisOptions(plays=plays)
        await change_message(
            interaction,
            lambda taste: analyses.best(replace(self.wish(taste), shown=shown, options=options), method),
        )


class DeepenButton(
    _AnalysisControl,
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=rf"kibitz:deepen:(?P<method>simulation|solution):{MOMENT}:{_LEXICON}",
):
    """Compares the plays in a way that takes longer; the message tells how far it is and has a button to stop it."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, method: Method, say: Speaker) -> Self:
        """Make the button for a ranking."""
        if method is Method.SOLUTION:
            label, sign = say("Solve"), "\N{TRIANGULAR RULER}"
        else:
            label, sign = say("Simulate"), "\N{GAME DIE}"
        custom_id = f"kibitz:deepen:{method.value}:{moment_id(ranking.moment)}:{ranking.lexicon}"
        button: discord.ui.Button[Any] = discord.ui.Button(label=label, emoji=sign, custom_id=custom_id)
        return cls(ranking.moment, ranking.lexicon, button)

    async def act(self, interaction: Press) -> None:
        """Compute for as long as is usual."""
        analyses = await analyses_of(interaction)
        if analyses is None:
            return
        method = Method((self.item.custom_id or "").split(":")[2])

        async def deepened(taste: Taste) -> Reply:
            deepening = await analyses.deepen(self.wish(taste), method, asker_of(interaction))
            if isinstance(deepening, Reply):
                return deepening
            reply = await watched(interaction, deepening, taste.locale)
            if reply.found:
                return reply
            # The ranking gave way to the progress; it comes back.
            await interaction.followup.send(reply.text, ephemeral=True)
            return await analyses.best(self.wish(taste))

        again = AnalyzeButton.id_of(self.moment, self.lexicon)
        async with finished_or_told(interaction, interaction.locale.value, again):
            await change_message(interaction, deepened)


class StopButton(
    Control, discord.ui.DynamicItem[discord.ui.Button[Any]], template=r"kibitz:stop:(?P<user>\d{1,20})"
):
    """Stops the analysis that somebody has under way, and has it tell what it has."""

    is_free = True

    def __init__(self, user_id: int, say: Speaker | None = None) -> None:
        self.user_id = user_id
        label = say("Stop") if say else "Stop"
        super().__init__(
            discord.ui.Button(
                label=label, emoji="\N{BLACK SQUARE FOR STOP}\ufe0f", custom_id=f"kibitz:stop:{user_id}"
            )
        )

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """Take the button up again from a message, also after a restart."""
        del interaction, item
        return cls(int(match["user"]))

    async def act(self, interaction: Press) -> None:
        """Stop it, or say in private why not."""
        say = await speaker_to(interaction)
        if interaction.user.id != self.user_id and not is_moderator(interaction.permissions):
            text = say("Only the person who asked and moderators can stop this.")
            await interaction.response.send_message(text, ephemeral=True)
            return
        analyses = interaction.client.service.analyses
        if analyses is not None and analyses.stop(self.user_id):
            await interaction.response.defer()
            return
        text = say("This analysis is not under way any more. Ask again.")
        await interaction.response.send_message(text, ephemeral=True)


CONTROLS = (AnalyzeButton, PlaySelect, DeepenButton, StopButton)
"""To be registered with the client."""


def ranking_controls(ranking: Ranking, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a ranking."""
    yield PlaySelect.of_ranking(ranking, say)
    if ranking.method is Method.EQUITY:
        yield DeepenButton.of_ranking(ranking, Method.SIMULATION, say)
    if ranking.can_be_solved and ranking.method is not Method.SOLUTION:
        yield DeepenButton.of_ranking(ranking, Method.SOLUTION, say)


def asker_of(interaction: Press) -> Asker:
    """Return on whose account an interaction's analysis runs."""
    return Asker(interaction.user.id, interaction.guild_id)


async def analyses_of(interaction: Press) -> Analyses | None:
    """Return who analyzes; where nobody does, say so."""
    analyses = interaction.client.service.analyses
    if analyses is None:
        say = await speaker_to(interaction)
        text = say("Analysis is not installed where this bot runs.")
        await interaction.response.send_message(text, ephemeral=True)
    return analyses


async def watched(interaction: Press, deepening: Deepening, locale: str) -> Reply:
    """Tell how far an analysis is, in the message of an acknowledged interaction, and return its answer.

    A fault of ours is an answer, too: the message must not go on telling of work that has ended.
    """
    say = speaker(locale)
    view = discord.ui.View(timeout=None)
    view.add_item(StopButton(interaction.user.id, say))
    async for line in deepening.progress(EDIT_SECONDS):
        try:
            await is_shown(interaction, await interaction.edit_original_response(content=line, view=view))
        except (discord.NotFound, discord.Forbidden):
            # Nobody can see it any more: no reason to compute on for a message that is gone.
            deepening.stop()
            raise
        except discord.HTTPException as error:
            log.info("how far interaction %d is was not shown: %s", interaction.id, error)
    try:
        return await deepening.reply()
    except Exception as error:  # noqa: BLE001 - it is told in the message
        number = report(error, f"analyzing for interaction {interaction.id}")
        text = say("Something went wrong on my side. The reference number is {number}.", number=number)
        return Reply(text, found=False)
