"""The button that reviews a game: for everybody when its players or who posted it press, else in private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.controls.lessons import names_of
from bot.chat.ids.reviews import ReviewId
from bot.chat.limits import Verdict
from bot.chat.offers import ReviewOffer
from bot.chat.press import asker_of, may_write
from bot.chat.progress import follow
from bot.chat.sending.interaction import Asking
from bot.chat.sending.outbound import answered_of
from bot.chat.styling import style_of
from bot.features.review.depth import Depth
from bot.features.review.question import ReviewQuestion
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]


class ReviewButton(ControlItem[discord.ui.Button[Any], ReviewId], of=ReviewId):
    """Reviews a game."""

    @classmethod
    def of_offer(cls, offer: ReviewOffer, say: Speaker) -> Self:
        """Make the button for a reply's offer."""
        state = ReviewId(offer.moment, Depth.DEEP if offer.deep else Depth.QUICK, offer.lexicon)
        label = say("Deeper") if offer.deep else say("Review")
        sign = "\N{CHART WITH UPWARDS TREND}"
        return cls(state, discord.ui.Button(label=label, emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Answer to everybody about one's own game, else in private."""
        message = interaction.message
        assert message is not None  # a control stands under a message
        style = await style_of(interaction, private=True)
        question = ReviewQuestion(self.state.moment, style, self.state.lexicon, self.state.depth)
        asking = Asking(interaction, private=False)
        await review_for(interaction, asking, message, question)


async def review_for(
    interaction: Press, asking: Asking, message: discord.Message, question: ReviewQuestion
) -> None:
    """Review the game of a message: for everybody if it is the asker's own, else for the asker alone.

    It is for whoever posted it, who was answered with it, or is called as one of its players to show how it was played.
    """
    if await asking.read(_is_theirs(interaction, message, question)):
        question = replace(question, style=await style_of(interaction, private=False))
    else:
        asking = asking.in_private()
    await tell_review(interaction, asking, question)


async def _is_theirs(interaction: Press, message: discord.Message, question: ReviewQuestion) -> bool:
    """Tell whether a review may be shown to everybody where the asker is."""
    if message.flags.ephemeral:
        return False
    user, reviews = interaction.user, interaction.client.service.reviews
    own = user.id in {message.author.id, answered_of(message)}
    if not own and await reviews.seat_of(question, names_of(user)) is None:
        return False
    return is_for_everybody(interaction, message)


def is_for_everybody(interaction: Press, message: discord.Message) -> bool:
    """Tell whether an answer to a press may go to everybody who saw the message; counts it for the channel then."""
    if message.flags.ephemeral or not may_write(interaction):
        return False
    return interaction.client.by_channel.take(interaction.channel_id or 0) is Verdict.GRANTED


async def tell_review(interaction: Press, asking: Asking, question: ReviewQuestion) -> None:
    """Tell a review that is kept at once, or how far a new one is until it is done."""
    reviews = interaction.client.service.reviews
    if known := await asking.read(reviews.known(question)):
        await asking.send(known)
        return
    running = await reviews.start(question, asker_of(interaction))
    again = ReviewId(question.moment, question.depth, question.lexicon).write()
    await asking.watch(follow(interaction, running, question.style.say), again=again)


async def tell_reviews(
    interaction: Press, asking: Asking, questions: Sequence[ReviewQuestion], unread: int
) -> None:
    """Review several games, tell how many are done, and then how their players play.

    ``unread`` is how many further games there were.
    """
    say = questions[0].style.say
    running = interaction.client.service.review_all(questions, asker_of(interaction), unread=unread)
    await asking.watch(follow(interaction, running, say))
