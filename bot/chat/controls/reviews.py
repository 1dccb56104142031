"""The controls under a table of reviewed games: opening one, looking closely at all, and who one is in one's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.mistakes import require_own_games
from bot.chat.controls.options import MAX_LABEL, option
from bot.chat.controls.review import is_for_everybody, tell_review, tell_reviews
from bot.chat.ids import ids_under
from bot.chat.ids.reviews import CloserId, NamesId, ReviewsId, WhoId, read_review, write_review
from bot.chat.markdown import one_line
from bot.chat.offers import GameReview, NamesPanel, ReviewedGames
from bot.chat.press import asker_of, change_message
from bot.chat.progress import follow
from bot.chat.reply import Reply
from bot.chat.sending.interaction import Asking
from bot.chat.sending.outbound import answered_of
from bot.chat.style import Style
from bot.chat.styling import style_of
from bot.features.review.depth import Depth
from bot.features.review.own_games import LookBack
from bot.features.review.question import ReviewQuestion
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

_NONE: Final = "none"


class GamesSelect(ControlItem[discord.ui.Select[Any], ReviewsId], of=ReviewsId):
    """A menu of reviewed games, each of which is opened for the presser alone."""

    @classmethod
    def of_games(cls, games: ReviewedGames, say: Speaker) -> Self:
        """Make the menu."""
        options = [
            discord.SelectOption(
                label=one_line(label, MAX_LABEL),
                value=write_review(review),
                description=one_line(detail, MAX_LABEL) or None,
            )
            for review, label, detail in games.games
        ]
        state = ReviewsId(games.last, games.lexicon)
        placeholder = say("Choose a game")
        return cls(
            state, discord.ui.Select(custom_id=state.write(), placeholder=placeholder, options=options)
        )

    async def act(self, interaction: Press) -> None:
        """Show the card of the chosen game."""
        review = read_review(self.item.values[0])
        if review is None:  # nothing that we offered
            await interaction.response.defer()
            return
        style = await style_of(interaction, private=True)
        await tell_review(interaction, Asking(interaction, private=True), _question(review, style))


class CloserButton(ControlItem[discord.ui.Button[Any], CloserId], of=CloserId):
    """Looks closely at all games of a table, one after the other."""

    @classmethod
    def of_games(cls, games: ReviewedGames, say: Speaker) -> Self:
        """Make the button, which tells what it costs."""
        state = CloserId(games.last, games.lexicon)
        label = say("Deeper: some {minutes} min of a processor", minutes=games.minutes)
        sign = "\N{CHART WITH UPWARDS TREND}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Review them, to everybody where the table was the presser's and everybody saw it."""
        message, state = interaction.message, self.state
        assert message is not None  # a control stands under a message
        if state.last:
            await look_back(interaction, state.last, state.lexicon, Depth.DEEP)
            return
        public = answered_of(message) == interaction.user.id and is_for_everybody(interaction, message)
        style = await style_of(interaction, private=not public)
        reviews = _listed(message)
        questions = [
            replace(_question(review, style), lexicon=state.lexicon, depth=Depth.DEEP) for review in reviews
        ]
        await tell_reviews(interaction, Asking(interaction, private=not public), questions, 0)


class NamesButton(ControlItem[discord.ui.Button[Any], NamesId], of=NamesId):
    """Asks anew what one is called."""

    @classmethod
    def of_games(cls, games: ReviewedGames, say: Speaker) -> Self:
        """Make the button under one's own games."""
        state = NamesId(games.last, Depth.QUICK, games.lexicon)
        sign = "\N{NAME BADGE}"
        return cls(state, discord.ui.Button(label=say("Who I am"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Show the menu with all names."""
        await look_back(interaction, self.state.last, self.state.lexicon, self.state.depth, ask=True)


class WhoSelect(ControlItem[discord.ui.Select[Any], WhoId], of=WhoId):
    """A menu of names: which of them are the presser's."""

    @classmethod
    def of_panel(cls, panel: NamesPanel, say: Speaker) -> Self:
        """Make the menu."""
        options = [
            discord.SelectOption(
                label=option(choice).label,
                value=choice.value,
                description=choice.detail,
                default=choice.value in panel.own,
            )
            for choice in panel.choices
        ]
        options.append(discord.SelectOption(label=say("None of these"), value=_NONE))
        state = WhoId(panel.last, panel.depth, panel.lexicon)
        menu: discord.ui.Select[Any] = discord.ui.Select(
            custom_id=state.write(),
            placeholder=say("Who I am"),
            options=options,
            max_values=len(options),
        )
        return cls(state, menu)

    async def act(self, interaction: Press) -> None:
        """Remember it, and go on with the games."""
        state, message = self.state, interaction.message
        assert message is not None  # a control stands under a message
        own_games = interaction.client.service.own_games
        assert own_games is not None  # who was asked has games
        offered = [
            one.value
            for found, item in ids_under(message)
            if isinstance(found, WhoId) and isinstance(item, discord.SelectMenu)
            for one in item.options
            if one.value != _NONE
        ]

        async def answer(style: Style) -> Reply:
            back = _back(interaction, state.last, state.lexicon, state.depth, style)
            await own_games.say_names(back, offered, self.item.values)
            found = await own_games.look_back(back, asker_of(interaction))
            return found if isinstance(found, Reply) else await follow(interaction, found, style.say)

        await interaction.client.unfinished.keep(interaction, in_place=True)
        await change_message(interaction, answer)


async def look_back(interaction: Press, last: int, lexicon: str, depth: Depth, *, ask: bool = False) -> None:
    """Tell somebody alone how the own games went that were posted in the server, or ask first what the person is called."""
    asking = Asking(interaction, private=True)
    style = await style_of(interaction, private=True)
    say = style.say
    own_games = await asking.read(require_own_games(interaction, say))
    back = _back(interaction, last, lexicon, depth, style)
    found = await asking.read(own_games.look_back(back, asker_of(interaction), ask=ask))
    if isinstance(found, Reply):
        await asking.send(found)
        return
    await asking.watch(follow(interaction, found, say))


def _back(interaction: Press, last: int, lexicon: str, depth: Depth, style: Style) -> LookBack:
    return LookBack(interaction.user.id, interaction.guild_id or 0, last, style, lexicon, depth)


def _question(review: GameReview, style: Style) -> ReviewQuestion:
    return ReviewQuestion(review.moment, style, review.lexicon, review.depth)


def _listed(message: discord.Message) -> Sequence[GameReview]:
    """Return the games in the menu under a message of ours."""
    values = (
        one.value
        for state, item in ids_under(message)
        if type(state) is ReviewsId and isinstance(item, discord.SelectMenu)
        for one in item.options
    )
    return [review for value in values if (review := read_review(value)) is not None]


CONTROLS = (GamesSelect, CloserButton, NamesButton, WhoSelect)
"""To be registered with the client."""


def games_controls(games: ReviewedGames, say: Speaker) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls under a table of reviewed games."""
    yield GamesSelect.of_games(games, say)
    if games.minutes:
        yield CloserButton.of_games(games, say)
    if games.last:
        yield NamesButton.of_games(games, say)
