"""The button that reviews a game, in private: not everybody wants to know."""

from __future__ import annotations

from typing import Any, Self, TypeAlias

import discord

from bot.answers.reply import ReviewOffer
from bot.chat.client import KibitzBot
from bot.chat.controls.analysis import asker_of, follow_analysis
from bot.chat.controls.item import ControlItem
from bot.chat.ids import ReviewId
from bot.chat.sending.interaction import Asking
from bot.chat.style import style_of
from bot.chat.unfinished import finished_or_told
from bot.review.depth import Depth
from bot.service.review.reviews import ReviewQuestion
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]


class ReviewButton(ControlItem[discord.ui.Button[Any], ReviewId], of=ReviewId):
    """Reviews a game for the one who presses it."""

    @classmethod
    def of_offer(cls, offer: ReviewOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        state = ReviewId(offer.moment, Depth.DEEP if offer.deep else Depth.QUICK)
        label = say("Deeper") if offer.deep else say("Review")
        sign = "\N{CHART WITH UPWARDS TREND}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer in private."""
        asking = Asking(interaction, private=True)
        style = await style_of(interaction, private=True)
        question = ReviewQuestion(self.state.moment, style, depth=self.state.depth)
        await tell_review(interaction, asking, question)


async def tell_review(interaction: Press, asking: Asking, question: ReviewQuestion) -> None:
    """Tell a review that is kept at once, or how far a new one is until it is done."""
    reviews = interaction.client.service.reviews
    if known := await asking.read(reviews.known(question)):
        await asking.send(known)
        return
    running = await reviews.start(question, asker_of(interaction))
    async with finished_or_told(interaction, question.style.say.locale, in_place=False):
        await asking.watch(follow_analysis(interaction, running, question.style.say))
