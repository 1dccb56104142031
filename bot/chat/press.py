"""A press of a control, or of a form's button: who pressed what, and the ways to answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary, WeakValueDictionary

import discord
from cachetools import LRUCache

from bot.chat.card import Card, NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.control import Control, Form, Service, ServiceT
from bot.chat.layout import answered_of, controls_under, disabled
from bot.chat.limits import Verdict
from bot.chat.messages.inbound import is_hidden, origin_of
from bot.chat.moment import Choice
from bot.chat.permissions import is_moderator
from bot.chat.progress import Followed, follow
from bot.chat.sending import (
    Asking,
    answer_interaction,
    change_pressed,
    change_progress,
    grant,
    grant_press,
)
from bot.chat.source import Origin
from bot.chat.style import Style
from bot.chat.styling import speaker_to, style_in, style_of
from bot.jobs.queue import Asker
from bot.text import Speaker

log = logging.getLogger(__name__)

Answering: TypeAlias = Callable[[Style], Awaitable[Card]]
"""Gives the answer to a press, as it shall look and speak."""


@dataclass(eq=False, slots=True, weakref_slot=True)
class _Presses:
    """The presses on one message that are under way."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: int = 0


_under_way: WeakValueDictionary[int, _Presses] = WeakValueDictionary()


async def change_message(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Make the message whose control was pressed show something else.

    The press that was made last is the one that is shown last, however long its sign or its picture took. Of several
    that wait, only the last is worked off: nobody would see the others, and Discord takes few edits in a second. What
    cannot be shown is answered to the presser alone.
    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    presses = _under_way.setdefault(message.id, _Presses())
    presses.latest += 1
    mine = presses.latest
    await interaction.response.defer()
    async with presses.lock:
        if presses.latest != mine:
            return
        style = await style_of(interaction, private=message.flags.ephemeral)
        reply = await answering(style)
        if reply.found:
            await change_pressed(interaction, reply, style.say)
            return
    await answer_interaction(interaction, reply, style.say, private=True)


async def answer_in_public(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Answer a press to everybody; what cannot be shown is told to the presser alone."""
    await interaction.response.defer(thinking=True)
    style = await style_of(interaction, private=False)
    try:
        reply = await answering(style)
    except NoAnswerError:
        await interaction.delete_original_response()  # everybody saw that something was coming
        raise
    await answer_interaction(interaction, reply, style.say, private=False)


async def answer_in_private(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Answer a press to the presser alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    style = await style_of(interaction, private=True)
    await answer_interaction(interaction, await answering(style), style.say, private=True)


MAX_POSTED: Final = 10_000
"""Answers of which it is known that they were posted; one that is forgotten has no button for it any more."""

_by_bot: WeakKeyDictionary[KibitzBot, LRUCache[tuple[int, str], bool]] = WeakKeyDictionary()


async def post_once(
    interaction: discord.Interaction[KibitzBot],
    answering: Answering,
    is_done: Callable[[Control], bool],
    *,
    what: str = "",
) -> None:
    """Post an answer as the server wants to see answers, unless the presser may not write there.

    ``is_done`` recognizes the controls of the message that are dead afterwards; ``what`` distinguishes several things that
    a message offers to post.

    Raises:
        NoAnswerError: it may not be posted, or is there already.

    """
    message = interaction.message
    assert message is not None  # a control stands under a message
    say = await speaker_to(interaction)
    posted = _by_bot.setdefault(interaction.client, LRUCache(MAX_POSTED))
    if not may_write(interaction):
        raise NoAnswerError.saying(say("You may not write in this channel."))
    if (message.id, what) in posted:
        raise NoAnswerError.saying(say("This analysis is already in the channel."))
    if interaction.client.by_channel.take(interaction.channel_id or 0) is not Verdict.GRANTED:
        raise NoAnswerError.saying(
            say("I've answered a lot in this channel just now. Try again in a minute.")
        )
    posted[message.id, what] = True
    try:
        await interaction.response.defer()
        style = await style_of(interaction, private=False)
        reply = await answering(style)
        await answer_interaction(interaction, reply, style.say, private=False)
    except BaseException:
        posted.pop((message.id, what), None)  # it is not there
        raise
    await interaction.edit_original_response(view=disabled(message, is_done))


def may_write(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Tell whether somebody may write in the channel of an interaction."""
    if interaction.guild_id is None:
        return True
    permissions = interaction.permissions
    if isinstance(interaction.channel, discord.Thread):
        return permissions.send_messages_in_threads
    return permissions.send_messages


def asker_of(interaction: discord.Interaction[KibitzBot]) -> Asker:
    """Return the account that the work for an interaction is charged to."""
    return Asker(interaction.user.id, interaction.guild_id)


class Press:
    """A press, a command or a form that was sent.

    ``values`` are those chosen in a menu, ``about`` is the message a command is used on, ``file`` is a form's.
    """

    __slots__ = ("_about", "file", "interaction", "values")

    def __init__(
        self,
        interaction: discord.Interaction[KibitzBot],
        values: tuple[str, ...] = (),
        *,
        about: discord.Message | None = None,
        file: discord.Attachment | None = None,
    ) -> None:
        self.interaction = interaction
        self.file = file
        self.values = values
        self._about = about

    @property
    def value(self) -> str:
        """The value chosen in a menu."""
        return self.values[0]

    @property
    def bot(self) -> KibitzBot:
        """The bot."""
        return self.interaction.client

    @property
    def user(self) -> int:
        """The id of the presser."""
        return self.interaction.user.id

    @property
    def name(self) -> str:
        """The name that the presser shows here."""
        return self.interaction.user.display_name

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the presser."""
        user = self.interaction.user
        return (user.display_name, user.global_name or "", user.name)

    @property
    def guild(self) -> int | None:
        """The id of the server; None in private messages."""
        return self.interaction.guild_id

    @property
    def channel(self) -> int:
        """The id of the channel."""
        return self.interaction.channel_id or 0

    @property
    def asker(self) -> Asker:
        """The account that work for this press is charged to."""
        return asker_of(self.interaction)

    @property
    def message(self) -> discord.Message:
        """The message under which the control stands, or on which the command is used."""
        message = self._about or self.interaction.message
        assert message is not None  # a control stands under a message
        return message

    @property
    def owner(self) -> int | None:
        """The id of the person whom the message answers; None where that is nobody's, or private."""
        return answered_of(self.message)

    @property
    def origin(self) -> Origin | None:
        """Where the press comes from, as the source of something that its presser alone sees."""
        return origin_of(self.interaction, private=True)

    @property
    def is_hidden(self) -> bool:
        """Whether the message hides what it shows."""
        return is_hidden(self.message)

    @property
    def max_bytes(self) -> int:
        """The size of the largest file that may be sent here."""
        return self.interaction.filesize_limit

    @property
    def is_moderator(self) -> bool:
        """Whether the presser may manage other people's messages here."""
        return is_moderator(self.interaction.permissions)

    @property
    def may_write(self) -> bool:
        """Whether the presser may write in the channel."""
        return may_write(self.interaction)

    def may_answer_all(self) -> bool:
        """Tell whether an answer may go to everybody who sees the message; counts it for the channel if so."""
        if self.message.flags.ephemeral or not self.may_write:
            return False
        taken = self.interaction.client.by_channel.take(self.interaction.channel_id or 0)
        return taken is Verdict.GRANTED

    def find(self, service: Service[ServiceT]) -> ServiceT | None:
        """Return a service; None where this bot has none."""
        return self.interaction.client.service.of(service)

    async def need(self, service: Service[ServiceT]) -> ServiceT:
        """Return a service.

        Raises:
            NoAnswerError: this bot has none.

        """
        found = self.find(service)
        if found is None:
            say = await self.say()
            raise NoAnswerError.saying(say("Analysis is not installed where this bot runs."))
        return found

    async def say(self) -> Speaker:
        """Return the speaker for answers to the presser alone."""
        return await speaker_to(self.interaction)

    async def style_for_all(self) -> Style:
        """Return how an answer to everybody looks and speaks that the presser asked for."""
        return await style_of(self.interaction, private=False)

    async def style_of_server(self) -> Style:
        """Return how things look and speak here that nobody asked for just now."""
        return await style_in(self.bot, self.guild or 0)

    def cog(self, name: str) -> Any:  # noqa: ANN401 - the caller names its class
        """Return the part of the bot that listens to Discord under a name."""
        return self.bot.get_cog(name)

    async def style(self, *, private: bool) -> Style:
        """Return the style of answers to the presser alone, or to everybody here."""
        return await style_of(self.interaction, private=private)

    def asking(self, *, private: bool) -> Asking:
        """Return the way to an answer that may turn out private or public only while the work is done."""
        return Asking(self.interaction, private=private)

    async def grant(self) -> None:
        """Count the press as a request for more work than a picture.

        Raises:
            NoAnswerError: that is too much.

        """
        await grant(self.interaction)

    def controls(self) -> Iterator[tuple[Control, tuple[Choice, ...]]]:
        """Yield the controls under the message, each with the choices of its menu."""
        yield from controls_under(self.message)

    async def may_manage(self, guild: discord.Guild) -> bool:
        """Return whether the presser may manage a server, also by a press in a direct message."""
        if self.guild == guild.id:
            return self.interaction.permissions.manage_guild
        try:
            member = await guild.fetch_member(self.user)
        except discord.HTTPException:
            return False
        return member.guild_permissions.manage_guild

    async def run(self, control: Control) -> None:
        """Do what a control is for, and count the press where presses count.

        Raises:
            NoAnswerError: the presser has used up the presses, or what the control answers.

        """
        if not control.is_free:
            await grant_press(self.interaction)
        await control.act(self)

    async def defer(self) -> None:
        """Give Discord its sign that the message will change."""
        await self.interaction.response.defer()

    async def delete(self) -> None:
        """Delete the message of the press, an answer of ours, and record that it is gone."""
        await self.defer()
        answer, store = self.message, self.bot.store
        try:
            # The interaction's own token also works where the bot is no member.
            await self.interaction.delete_original_response()
        except discord.NotFound:
            log.info("answer %d is gone already", answer.id)
        if record := await store.reply_of(answer.id):
            # The claim stays: an edit of the message does not bring the answer back.
            left = tuple(id_ for id_ in record.reply_ids if id_ != answer.id)
            await store.record_reply(record.source_id, left)

    async def edit(self, reply: Card, say: Speaker | None = None) -> None:
        """Make the message of an acknowledged press show something else."""
        await change_pressed(self.interaction, reply, say or await self.say())

    async def rewrite(self, reply: Card, say: Speaker) -> None:
        """Make the public answer to the press show something else."""
        await change_progress(self.interaction, reply, say, private=False)

    async def send(self, reply: Card, say: Speaker | None = None, *, private: bool = True) -> None:
        """Send a reply to the presser alone, or to everybody."""
        await answer_interaction(self.interaction, reply, say or await self.say(), private=private)

    async def change(self, answering: Answering) -> None:
        """Make the message show something else; what cannot be shown is answered to the presser alone."""
        await change_message(self.interaction, answering)

    async def private(self, answering: Answering) -> None:
        """Answer the presser alone."""
        await answer_in_private(self.interaction, answering)

    async def public(self, answering: Answering) -> None:
        """Answer everybody; what cannot be shown is answered to the presser alone."""
        await answer_in_public(self.interaction, answering)

    async def post(self, answering: Answering, is_done: Callable[[Control], bool], *, what: str = "") -> None:
        """Post an answer to the channel, once; see :func:`post_once`."""
        await post_once(self.interaction, answering, is_done, what=what)

    async def ask(self, form: Form) -> None:
        """Open a form."""
        await self.interaction.response.send_modal(self.interaction.client.modal_of(form))

    async def follow(self, running: Followed, say: Speaker) -> Card:
        """Show the progress of work in the message of this press, with the button that stops it, and return its answer."""
        return await follow(self.interaction, running, say)

    async def tell(self, text: str) -> None:
        """Say something to the presser alone, as the first sign or after it."""
        await self.send(Card(text))

    async def keep(self, control: Control | None, *, in_place: bool = False) -> None:
        """Keep long work until it is answered; a card whose work was cut off offers ``control`` to go on."""
        again = control.write() if control is not None else ""
        await self.interaction.client.unfinished.keep(self.interaction, again=again, in_place=in_place)
