"""What would you play? The button that asks the others, and the controls of an open poll."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, Self, TypeAlias

import discord

from bot.chat.client import KibitzBot
from bot.chat.controls.item import ControlItem
from bot.chat.failures import answering, apologize
from bot.chat.form import MAX_TITLE
from bot.chat.ids.puzzles import AskId, LookId, PollId
from bot.chat.limits import Verdict
from bot.chat.offers import LookPanel, PollOffer, PollPanel
from bot.chat.permissions import is_moderator
from bot.chat.polls import open_poll, reveal, show_card
from bot.chat.press import answer_in_private, may_write
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.allowance import grant_press
from bot.chat.sending.outbound import answer_interaction
from bot.chat.style import Style
from bot.chat.styling import speaker_to, style_in
from bot.domain.crossword.typed_play import MAX_TYPED
from bot.features.polls.card import answer_looked, answer_open_already, answer_over
from bot.features.polls.service import Polls
from bot.text import Speaker

Press: TypeAlias = discord.Interaction[KibitzBot]

_BY_HAND: Final = "0"
_TIMES: Final = ("10", "60", "480", "1440")
"""Minutes after which a poll may be revealed by itself."""


class AskButton(ControlItem[discord.ui.Button[Any], AskId], of=AskId):
    """Asks the others what they would play."""

    @classmethod
    def of_offer(cls, offer: PollOffer, say: Speaker) -> Self:
        """Make the button."""
        state = AskId(offer.moment)
        sign = "\N{HAPPY PERSON RAISING ONE HAND}"
        return cls(state, discord.ui.Button(label=say("Ask others"), emoji=sign, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Ask when the answers shall be revealed."""
        say = await speaker_to(interaction)
        _require_server(interaction, say)
        await interaction.response.send_modal(AskModal(self.state, say))


class AskModal(discord.ui.Modal):
    """Asks when the answers are to be revealed."""

    def __init__(self, state: AskId, say: Speaker) -> None:
        super().__init__(title=say("What would you play?")[:MAX_TITLE])
        self._state = state
        options = [
            discord.SelectOption(label=say("When I press Reveal"), value=_BY_HAND, default=True),
            *(discord.SelectOption(label=_time_words(int(time), say), value=time) for time in _TIMES),
        ]
        self.when: discord.ui.Select[Any] = discord.ui.Select(custom_id="when", options=options)
        self.add_item(discord.ui.Label(text=say("Reveal the answers")[:MAX_TITLE], component=self.when))

    async def on_submit(self, interaction: Press, /) -> None:  # type: ignore[override]
        """Post the card."""
        async with answering(interaction):
            await grant_press(interaction)
            [minutes] = self.when.values or [_BY_HAND]
            after = None if minutes == _BY_HAND else timedelta(minutes=int(minutes))
            await _begin(interaction, self._state, after)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


async def _begin(interaction: Press, state: AskId, after: timedelta | None) -> None:
    bot, user_id = interaction.client, interaction.user.id
    say = await speaker_to(interaction)
    guild_id, channel_id = _require_server(interaction, say), interaction.channel_id or 0
    if not may_write(interaction):
        raise NoAnswerError.saying(say("You may not write in this channel."))
    polls = _polls_of(bot, say)
    if (known := await bot.store.poll_of(user_id, channel_id)) is not None:
        link = f"https://discord.com/channels/{guild_id}/{channel_id}/{known.message_id}"
        raise NoAnswerError(answer_open_already(link, say))
    if bot.by_channel.take(channel_id) is not Verdict.GRANTED:
        raise NoAnswerError.saying(say("There are many answers in this channel now. Try again in a minute."))
    await polls.require(state.moment, say)
    await interaction.response.defer(thinking=True)
    style = await style_in(bot, guild_id)
    reply, poll = await polls.begin(state.moment, user_id, after, style)
    await answer_interaction(interaction, replace(reply, controls=()), style.say, private=False)
    message = await interaction.original_response()
    whole = replace(poll, message_id=message.id, channel_id=channel_id, guild_id=guild_id)
    if not await bot.store.keep_poll(whole):
        await interaction.delete_original_response()
        raise NoAnswerError.saying(say("Too many of your questions are open. Reveal one first."))
    bot.dispatch("poll_begun", whole)
    # Only now is there something to take part in.
    await interaction.edit_original_response(view=bot.view_of(reply, style.say, user_id))


class PollButton(ControlItem[discord.ui.Button[Any], PollId], of=PollId):
    """Takes part in a poll, or reveals it."""

    @classmethod
    def of_label(cls, what: str, label: str, sign: str, style: discord.ButtonStyle) -> Self:
        """Make the button."""
        state = PollId(what)
        return cls(state, discord.ui.Button(label=label, emoji=sign, style=style, custom_id=state.write()))

    async def act(self, interaction: Press) -> None:
        """Ask for a play, or reveal."""
        message = interaction.message
        assert message is not None  # a control stands under a message
        say = await speaker_to(interaction)
        poll = await open_poll(interaction.client, message.id, say)
        if self.state.what == "p":
            await interaction.response.send_modal(PlayInPollModal(message.id, say))
            return
        if interaction.user.id != poll.asker_id and not is_moderator(interaction.permissions):
            raise NoAnswerError.saying(say("Only the person who asked and moderators can reveal this."))
        await interaction.response.defer()
        if not await reveal(interaction.client, poll):
            raise NoAnswerError.saying(say("This is being revealed already."))


class PlayInPollModal(discord.ui.Modal):
    """Asks for a play."""

    def __init__(self, message_id: int, say: Speaker) -> None:
        super().__init__(title=say("What would you play?")[:MAX_TITLE])
        self._message_id = message_id
        self.play: discord.ui.TextInput[Any] = discord.ui.TextInput(
            custom_id="play", max_length=MAX_TYPED, placeholder="8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …"
        )
        self.add_item(discord.ui.Label(text=say("Your play")[:MAX_TITLE], component=self.play))

    async def on_submit(self, interaction: Press, /) -> None:  # type: ignore[override]
        """Take it, or say in private why not."""
        bot, message_id, user_id = interaction.client, self._message_id, interaction.user.id

        async def take(style: Style) -> Reply:
            around = await style_in(bot, interaction.guild_id or 0)
            polls = _polls_of(bot, style.say)
            reply = await polls.play(message_id, user_id, self.play.value, around, style.say)
            bot.politely.soon(message_id, partial(show_card, bot, message_id), "counting answers to a poll")
            return reply

        async with answering(interaction):
            await grant_press(interaction)
            await answer_in_private(interaction, take)

    async def on_error(self, interaction: discord.Interaction[Any], error: Exception, /) -> None:  # type: ignore[override]
        """Log a fault and say that it is ours."""
        await apologize(interaction, error)


class LookButton(ControlItem[discord.ui.Button[Any], LookId], of=LookId):
    """Notes that somebody looks at what the engine thinks."""

    @classmethod
    def of_panel(cls, panel: LookPanel, say: Speaker) -> Self:
        """Make the button."""
        state = LookId(panel.poll)
        return cls(
            state, discord.ui.Button(label=say("Look anyway"), emoji="\N{EYES}", custom_id=state.write())
        )

    async def act(self, interaction: Press) -> None:
        """Note it."""
        bot, poll = interaction.client, self.state.poll

        async def look(style: Style) -> Reply:
            try:
                await bot.store.look_in_poll(poll, interaction.user.id)
            except KeyError:
                raise NoAnswerError(answer_over(style.say)) from None
            except ValueError:
                raise NoAnswerError.saying(
                    style.say("So many people take part already that I cannot take more.")
                ) from None
            bot.politely.soon(poll, partial(show_card, bot, poll), "counting looks at a poll")
            return answer_looked(style.say)

        await answer_in_private(interaction, look)


CONTROLS = (AskButton, PollButton, LookButton)
"""To be registered with the client."""


def poll_controls(
    control: PollOffer | PollPanel | LookPanel, say: Speaker, *, private: bool
) -> Iterator[discord.ui.Item[Any]]:
    """Make the controls of an open poll, or what leads to one: others are asked only where others are."""
    if isinstance(control, LookPanel):
        yield LookButton.of_panel(control, say)
        return
    if isinstance(control, PollOffer):
        if not private:
            yield AskButton.of_offer(control, say)
        return
    yield PollButton.of_label("p", say("My play"), "\N{PENCIL}\ufe0f", discord.ButtonStyle.primary)
    yield PollButton.of_label("r", say("Reveal"), "\N{PARTY POPPER}", discord.ButtonStyle.secondary)


def _time_words(minutes: int, say: Speaker) -> str:
    if minutes < 60:
        return say.count("After {number} minute", "After {number} minutes", minutes)
    return say.count("After {number} hour", "After {number} hours", minutes // 60)


def _polls_of(bot: KibitzBot, say: Speaker) -> Polls:
    if bot.service.polls is None:
        raise NoAnswerError(answer_over(say))
    return bot.service.polls


def _require_server(interaction: Press, say: Speaker) -> int:
    """Return the server of an interaction: there are others to ask, and the card can be changed later.

    Raises:
        NoAnswerError: it is in none, or in one where we are not.

    """
    guild_id = interaction.guild_id
    if guild_id is None or interaction.client.get_guild(guild_id) is None:
        raise NoAnswerError.saying(say("I can ask others only in servers of which I am a member."))
    return guild_id
