"""The controls of analyses: asking for one, showing its plays on the board, playing on, stopping."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import discord

from bot.answers.page import MAX_CHOICES
from bot.answers.reply import AnalysisOffer, NoAnswerError, Ranking, Reply
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.controls.press import answer_in_private, change_message
from bot.chat.failures import report, too_costly
from bot.chat.ids import AnalyzeId, DeepenId, LexiconId, RankedId, StopId
from bot.chat.permissions import is_moderator
from bot.chat.style import speaker_to
from bot.chat.unfinished import finished_or_told, remember_message
from bot.engine.options import AnalysisOptions
from bot.jobs.analysis import Method
from bot.jobs.queue import Asker
from bot.scenes.style import Style
from bot.service.analysis import AnalysisQuestion, RunningAnalysis
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot
    from bot.service.analysis import Analyses

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
        return cls(state, discord.ui.Button(label=say("Analyze"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private: others may still want to think."""
        analyses = await analyses_of(interaction)
        await answer_in_private(interaction, lambda style: analyses.best(_question(self.state, style)))


class PlaySelect(ControlItem[discord.ui.Select[Any], RankedId], of=RankedId):
    """A menu of the plays of a ranking, to be shown on the board."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the menu of a ranking."""
        options = [option(choice, str(ranking.shown)) for choice in ranking.choices]
        state = RankedId(ranking.moment, ranking.method, ranking.lexicon)
        placeholder = say("Show a play on the board")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the chosen play."""
        analyses = await analyses_of(interaction)
        shown, plays = int(self.item.values[0]), len(self.item.options)
        options = AnalysisOptions(plays=plays)
        await change_message(
            interaction,
            lambda style: analyses.best(
                replace(_question(self.state, style), shown=shown, options=options), self.state.method
            ),
        )


class LexiconSelect(ControlItem[discord.ui.Select[Any], LexiconId], of=LexiconId):
    """A menu of the lexica to analyze by, where the one that was wanted is not installed."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the menu of a ranking."""
        state = LexiconId(ranking.moment)
        options = [
            discord.SelectOption(label=name, value=name, default=name == ranking.lexicon)
            for name in ranking.lexica[:MAX_CHOICES]
        ]
        placeholder = say("Another lexicon")
        return cls(
            state,
            discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options),
        )

    async def act(self, interaction: Press) -> None:
        """Rank the plays by the chosen lexicon."""
        analyses = await analyses_of(interaction)
        if analyses is None:
            return
        chosen = AnalyzeId(self.state.moment, self.item.values[0])
        await change_message(interaction, lambda style: analyses.best(_question(chosen, style)))


class DeepenButton(ControlItem[discord.ui.Button[Any], DeepenId], of=DeepenId):
    """Compares the plays in a way that takes longer; the message shows the progress, with a button to stop it."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, method: Method, say: Speaker) -> Self:
        """Make the button for a ranking."""
        if method is Method.SOLUTION:
            label, sign = say("Solve"), "\N{TRIANGULAR RULER}"
        else:
            label, sign = say("Simulate"), "\N{GAME DIE}"
        state = DeepenId(ranking.moment, method, ranking.lexicon)
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Compute for as long as is usual."""
        analyses = await analyses_of(interaction)
        method = self.state.method

        async def answer(style: Style) -> Reply:
            question = _question(self.state, style)
            if known := await analyses.answer_kept(question, method):
                return known
            running = await analyses.start(question, method, asker_of(interaction))
            reply = await follow_analysis(interaction, running, style.say)
            if reply.found:
                return reply
            # The ranking gave way to the progress; it comes back.
            await interaction.followup.send(reply.text, ephemeral=True)
            return await analyses.best(_question(self.state, style))

        again = AnalyzeId(self.state.moment, self.state.lexicon).write()
        async with finished_or_told(interaction, interaction.locale.value, again):
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
        analyses = interaction.client.service.analyses
        if analyses is not None and analyses.stop(self.state.user):
            await interaction.response.defer()
            return
        text = say("This analysis is not under way any more. Ask again.")
        await interaction.response.send_message(text, ephemeral=True)


def _question(state: AnalyzeId | RankedId | DeepenId, style: Style) -> AnalysisQuestion:
    """Return what a press asks for."""
    return AnalysisQuestion(state.moment, style, state.lexicon)


CONTROLS = (AnalyzeButton, PlaySelect, LexiconSelect, DeepenButton, StopButton)
"""To be registered with the client."""


def ranking_controls(ranking: Ranking, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a ranking."""
    yield PlaySelect.of_ranking(ranking, say)
    if len(ranking.lexica) > 1:
        yield LexiconSelect.of_ranking(ranking, say)
    if ranking.method is Method.EQUITY:
        yield DeepenButton.of_ranking(ranking, Method.SIMULATION, say)
    if ranking.can_be_solved and ranking.method is not Method.SOLUTION:
        yield DeepenButton.of_ranking(ranking, Method.SOLUTION, say)


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


async def follow_analysis(interaction: Press, running: RunningAnalysis, say: Speaker) -> Reply:
    """Show the progress of an analysis in the message of an acknowledged interaction, and return its answer.

    A fault of ours is an answer, too, and so is that it costs too much: the message must not go on showing the progress of
    work that has ended.
    """
    view = discord.ui.View(timeout=None)
    view.add_item(StopButton.of_user(interaction.user.id, say))
    async for line in running.progress(EDIT_SECONDS):
        try:
            await remember_message(
                interaction, await interaction.edit_original_response(content=line, view=view)
            )
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
