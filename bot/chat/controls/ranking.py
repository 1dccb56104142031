"""The controls under a ranking of plays: another play, more of the table, another question, posting it to the channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.analysis import (
    DeepenButton,
    LongerButton,
    analyses_of,
    deepen,
    question_of,
)
from bot.chat.controls.item import ControlItem
from bot.chat.controls.options import option
from bot.chat.ids.analysis import AnalyzeId, DeepenId, LexiconId, PostId, RankedId, RowsId, WaysId
from bot.chat.items import item_of
from bot.chat.offers import Choice, Ranking
from bot.chat.page import MAX_CHOICES
from bot.chat.press import change_message, post_once
from bot.chat.reply import Reply
from bot.chat.style import Style
from bot.features.analysis.controls import Try
from bot.jobs.analysis import Method
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

DEEPER: Final = 4
"""Turns that a simulation plays on for those who want to look further."""

_PLIES, _TURN = "plies:", "turn:"


class PlaySelect(ControlItem[discord.ui.Select[Any], RankedId], of=RankedId):
    """A menu of the plays of a ranking, to be shown on the board."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the menu of a ranking."""
        options = [option(choice, str(ranking.shown)) for choice in ranking.choices]
        state = RankedId(ranking.moment, ranking.method, ranking.lexicon, ranking.way)
        placeholder = say("Show a play on the board")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the chosen play."""
        analyses = await analyses_of(interaction)
        shown = int(self.item.values[0])
        await change_message(
            interaction,
            lambda style: analyses.best(
                replace(question_of(self.state, style), shown=shown), self.state.method
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
        chosen = AnalyzeId(self.state.moment, self.item.values[0])
        await change_message(interaction, lambda style: analyses.best(question_of(chosen, style)))


class RowsButton(ControlItem[discord.ui.Button[Any], RowsId], of=RowsId):
    """Lists all plays, or the best alone."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker) -> Self:
        """Make the button of a ranking."""
        way = replace(ranking.way, all=not ranking.way.all)
        label = say("Fewer plays") if ranking.way.all else say("More plays")
        state = RowsId(ranking.moment, ranking.method, ranking.lexicon, way, ranking.shown)
        return cls(state, discord.ui.Button(label=label, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Show the same ranking."""
        analyses, state = await analyses_of(interaction), self.state
        await change_message(
            interaction,
            lambda style: analyses.best(replace(question_of(state, style), shown=state.shown), state.method),
        )


class WaysSelect(ControlItem[discord.ui.Select[Any], WaysId], of=WaysId):
    """A menu of what else may be asked: a longer look ahead, the turns around."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, choices: list[Choice], say: Speaker) -> Self:
        """Make the menu of a ranking."""
        state = WaysId(ranking.moment, ranking.method, ranking.lexicon, ranking.way)
        select: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("Ask something else"),
            options=[option(choice) for choice in choices],
        )
        return cls(state, select)

    async def act(self, interaction: Press) -> None:
        """Find out what was chosen."""
        [value] = self.item.values
        state = self.state
        if value.startswith(_PLIES):
            way = replace(state.way, plies=DEEPER)
            await deepen(interaction, DeepenId(state.moment, Method.SIMULATION, state.lexicon, way))
            return
        analyses = await analyses_of(interaction)
        moment = replace(state.moment, turn=int(value.removeprefix(_TURN)))
        other = AnalyzeId(moment, state.lexicon)
        await change_message(interaction, lambda style: analyses.best(question_of(other, style)))


class PostButton(ControlItem[discord.ui.Button[Any], PostId], of=PostId):
    """Posts an analysis to its channel, in the name of who asked for it; once."""

    @classmethod
    def of_ranking(cls, ranking: Ranking, say: Speaker, *, hidden: bool) -> Self:
        """Make the button; ``hidden`` says that what is posted is hidden until it is clicked."""
        moment = replace(ranking.moment, spoiler=ranking.moment.spoiler or hidden)
        state = PostId(moment, ranking.method, ranking.lexicon, ranking.way, ranking.shown)
        label = say("Post hidden") if moment.spoiler else say("Post to channel")
        sign = "\N{SEE-NO-EVIL MONKEY}" if moment.spoiler else "\N{PUBLIC ADDRESS LOUDSPEAKER}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Post it as the server wants to see answers, unless the presser may not write there."""
        analyses, state = await analyses_of(interaction), self.state

        async def answer(style: Style) -> Reply:
            question = question_of(state, style)
            question = replace(question, shown=state.shown, poster=interaction.user.display_name)
            return await analyses.best(question, state.method)

        await post_once(interaction, answer, lambda one: isinstance(one, PostId))


CONTROLS = (PlaySelect, LexiconSelect, RowsButton, WaysSelect, PostButton)
"""To be registered with the client."""


def ranking_controls(ranking: Ranking, say: Speaker, *, private: bool) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a ranking; only what one person sees can be posted."""
    yield PlaySelect.of_ranking(ranking, say)
    if len(ranking.lexica) > 1:
        yield LexiconSelect.of_ranking(ranking, say)
    if choices := _ways(ranking, say):
        yield WaysSelect.of_ranking(ranking, choices, say)
    if ranking.method is Method.SIMULATION:
        yield LongerButton.of_ranking(ranking, say)
    elif ranking.can_be_simulated:
        yield DeepenButton.of_ranking(ranking, Method.SIMULATION, say)
    if ranking.can_infer and not ranking.way.infer:
        yield DeepenButton.of_ranking(ranking, Method.SIMULATION, say, infer=True)
    if ranking.can_be_solved and ranking.method is not Method.SOLUTION:
        yield DeepenButton.of_ranking(ranking, Method.SOLUTION, say)
    if ranking.has_more:
        yield RowsButton.of_ranking(ranking, say)
    if (item := item_of(Try(ranking.moment, ranking.lexicon), say, private=private)) is not None:
        yield item
    if private and ranking.may_be_posted:
        if not ranking.moment.spoiler:
            yield PostButton.of_ranking(ranking, say, hidden=False)
        yield PostButton.of_ranking(ranking, say, hidden=True)


def _ways(ranking: Ranking, say: Speaker) -> list[Choice]:
    choices = []
    if ranking.can_be_simulated and ranking.way.plies != DEEPER:
        choices.append(Choice(f"{_PLIES}{DEEPER}", say("Simulate {number} turns ahead", number=DEEPER)))
    moments = [moment for moment in ranking.turns if moment is not None]
    turns = [Choice(f"{_TURN}{moment}", say("Judge turn {turn}", turn=moment + 1)) for moment in moments]
    return choices + turns
