"""The controls of analyses: asking for one, showing its plays on the board, playing on, stopping."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import analyze_label
from bot.chat.failures import report, too_costly
from bot.chat.ids.analysis import AnalyzeId, DeepenId, LongerId, RankedId, StopId
from bot.chat.offers import AnalysisOffer, Ranking, Way
from bot.chat.permissions import is_moderator
from bot.chat.press import answer_in_private, change_message
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.outbound import files_of
from bot.chat.style import Style
from bot.chat.styling import speaker_to
from bot.features.analysis.service import LONGER_SECONDS, Analyses, AnalysisQuestion
from bot.features.analysis.work import Followed
from bot.jobs.analysis import Method
from bot.jobs.queue import Asker
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

log = logging.getLogger(__name__)

EDIT_SECONDS = 2.5
"""How often the line about a simulation under way changes; Discord takes five edits in five seconds."""


class AnalyzeButton(ControlItem[discord.ui.Button[Any], AnalyzeId], of=AnalyzeId):
    """Answers with the best plays of a position, to the presser alone."""

    @classmethod
    def of_offer(cls, offer: AnalysisOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        state = AnalyzeId(offer.moment)
        sign = "\N{LEFT-POINTING MAGNIFYING GLASS}"
        label = analyze_label(offer.number, say)
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        analyses = await analyses_of(interaction)
        await answer_in_private(interaction, lambda style: analyses.best(question_of(self.state, style)))


class DeepenButton(ControlItem[discord.ui.Button[Any], DeepenId], of=DeepenId):
    """Compares the plays in a way that takes longer; the message shows the progress, with a button to stop it."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, method: Method, say: Speaker, *, infer: bool = False) -> Self:
        """Make the button for a ranking; with ``infer`` for a simulation that guesses the opponent's tiles."""
        if method is Method.SOLUTION:
            label, sign = say("Solve"), "\N{TRIANGULAR RULER}"
        elif infer:
            label, sign = say("Infer"), "\N{SLEUTH OR SPY}\ufe0f"
        else:
            label, sign = say("Simulate"), "\N{GAME DIE}"
        way = replace(ranking.way, infer=infer) if method is Method.SIMULATION else ranking.way
        state = DeepenId(ranking.moment, method, ranking.lexicon, way)
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Compute for as long as is usual."""
        await deepen(interaction, self.state)


class LongerButton(ControlItem[discord.ui.Button[Any], LongerId], of=LongerId):
    """Goes on with a simulation."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the button for a simulation's ranking."""
        state = LongerId(ranking.moment, ranking.method, ranking.lexicon, ranking.way)
        label = say("{seconds} s more", seconds=round(LONGER_SECONDS))
        sign = "\N{GAME DIE}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Go on for as long as the label says."""
        await deepen(interaction, self.state, longer=True)


async def deepen(interaction: Press, state: DeepenId | LongerId, *, longer: bool = False) -> None:
    """Compute what takes longer, and tell in the pressed message how far it is; with ``longer`` go on with it."""
    analyses = await analyses_of(interaction)
    method = state.method

    async def answer(style: Style) -> Reply:
        question = question_of(state, style)
        if not longer and (known := await analyses.answer_kept(question, method)):
            return known
        running = await analyses.start(question, method, asker_of(interaction), longer=longer)
        reply = await follow_analysis(interaction, running, style.say)
        if reply.found:
            return reply
        # The ranking gave way to the progress; it comes back.
        await interaction.followup.send(reply.text, ephemeral=True)
        return await analyses.best(question, method if longer else Method.EQUITY)

    await interaction.client.unfinished.keep(interaction, again=state.write(), in_place=True)
    await change_message(interaction, answer)


class StopButton(ControlItem[discord.ui.Button[Any], StopId], of=StopId):
    """Stops somebody's running analysis, which then answers with what it has so far."""

    is_free = True

    @classmethod
    def of_user(cls, user_id: int, say: Speaker) -> Self:
        """Make the button for the analysis of somebody."""
        state = StopId(user_id)
        sign = "\N{BLACK SQUARE FOR STOP}\ufe0f"
        return cls(state, discord.ui.Button(label=say("Stop"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Stop it, or say in private why not."""
        say = await speaker_to(interaction)
        if interaction.user.id != self.state.user and not is_moderator(interaction.permissions):
            text = say("Only the person who asked and moderators can stop this.")
            await interaction.response.send_message(text, ephemeral=True)
            return
        if interaction.client.service.stop_job_of(self.state.user):
            await interaction.response.defer()
            return
        text = say("This analysis is not under way any more. Ask again.")
        await interaction.response.send_message(text, ephemeral=True)


def question_of(state: AnalyzeId | RankedId | DeepenId, style: Style) -> AnalysisQuestion:
    """Return what a press asks for."""
    way = Way() if isinstance(state, AnalyzeId) else state.way
    return AnalysisQuestion(state.moment, style, state.lexicon, way=way)


CONTROLS = (AnalyzeButton, DeepenButton, LongerButton, StopButton)
"""To be registered with the client."""


def asker_of(interaction: Press) -> Asker:
    """Return on whose account an interaction's analysis runs."""
    return Asker(interaction.user.id, interaction.guild_id)


async def analyses_of(interaction: Press) -> Analyses:
    """Return who analyzes.

    Raises:
        NoAnswerError: nobody does where this bot runs.

    """
    analyses = interaction.client.service.analyses
    if analyses is None:
        say = await speaker_to(interaction)
        raise NoAnswerError.saying(say("Analysis is not installed where this bot runs."))
    return analyses


async def follow_analysis(interaction: Press, running: Followed, say: Speaker) -> Reply:
    """Show the progress of an analysis in the message of an acknowledged interaction, and return its answer.

    A fault of ours is an answer, too, and so is that it costs too much: the message must not go on showing the progress of
    work that has ended.
    """
    view = discord.ui.View(timeout=None)
    view.add_item(StopButton.of_user(interaction.user.id, say))
    attach = interaction.app_permissions.attach_files or interaction.guild_id is None
    async for told in running.progress(EDIT_SECONDS):
        files = files_of(told) if attach and told.images else discord.utils.MISSING
        try:
            changed = await interaction.edit_original_response(
                content=told.text, attachments=files, view=view
            )
            await interaction.client.unfinished.remember(interaction, changed)
        except (discord.NotFound, discord.Forbidden):
            # Nobody can see it any more: no reason to compute on for a message that is gone.
            running.stop()
            raise
        except discord.HTTPException as error:
            log.info("how far interaction %d is was not shown: %s", interaction.id, error)
    try:
        return await running.reply()
    except Exception as error:  # noqa: BLE001 - the message says so
        if costly := too_costly(error, say):
            return Reply(costly, found=False)
        number = report(error, f"analyzing for interaction {interaction.id}")
        text = say("Something went wrong on my side. The reference number is {number}.", number=number)
        return Reply(text, found=False)
