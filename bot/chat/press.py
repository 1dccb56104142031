"""Presses of controls and forms: the presser, the message, and the ways to answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary, WeakValueDictionary

import discord
from cachetools import LRUCache

from bot.chat.card import Card, Choice, NoAnswerError, Style
from bot.chat.client import KibitzBot
from bot.chat.control import Control, Form, Service, ServiceT
from bot.chat.layout import answered_of, controls_under, disabled
from bot.chat.limits import Verdict
from bot.chat.messages.inbound import is_hidden, origin_of
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
from bot.chat.styling import speaker_to, style_in, style_of
from bot.jobs.queue import Asker
from bot.text import Speaker

log = logging.getLogger(__name__)

Answering: TypeAlias = Callable[[Style], Awaitable[Card]]
"""Makes the answer to a press in a style."""


@dataclass(eq=False, slots=True, weakref_slot=True)
class _Presses:
    """The running presses on one message."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    latest: int = 0


_under_way: WeakValueDictionary[int, _Presses] = WeakValueDictionary()


async def change_message(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Show another card in the message whose control was pressed.

    The last press decides what the message shows, however long its acknowledgement or picture takes. Of several waiting presses
    only the last one runs: Discord accepts few edits per second. Problems are answered in private.
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
    """Answer a press in public, and problems in private."""
    await interaction.response.defer(thinking=True)
    style = await style_of(interaction, private=False)
    try:
        reply = await answering(style)
    except NoAnswerError:
        await interaction.delete_original_response()  # the public acknowledgement is visible
        raise
    await answer_interaction(interaction, reply, style.say, private=False)


async def answer_in_private(interaction: discord.Interaction[KibitzBot], answering: Answering) -> None:
    """Answer a press in private."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    style = await style_of(interaction, private=True)
    await answer_interaction(interaction, await answering(style), style.say, private=True)


MAX_POSTED: Final = 10_000
"""Maximum number of posted answers in memory; the button of an older one is already disabled."""

_by_bot: WeakKeyDictionary[KibitzBot, LRUCache[tuple[int, str], bool]] = WeakKeyDictionary()


async def post_once(
    interaction: discord.Interaction[KibitzBot],
    answering: Answering,
    is_done: Callable[[Control], bool],
    *,
    what: str = "",
) -> None:
    """Post an answer in the server's style, and disable the buttons for it.

    ``is_done`` recognizes those buttons; ``what`` distinguishes several answers that a message offers to post.

    Raises:
        NoAnswerError: the presser may not write there, or the answer is already posted.

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
        posted.pop((message.id, what), None)  # it was not posted
        raise
    await interaction.edit_original_response(view=disabled(message, is_done))


def may_write(interaction: discord.Interaction[KibitzBot]) -> bool:
    """Return whether the user may write in the channel of an interaction."""
    if interaction.guild_id is None:
        return True
    permissions = interaction.permissions
    if isinstance(interaction.channel, discord.Thread):
        return permissions.send_messages_in_threads
    return permissions.send_messages


def asker_of(interaction: discord.Interaction[KibitzBot]) -> Asker:
    """Return the account charged for an interaction."""
    return Asker(interaction.user.id, interaction.guild_id)


class Press:
    """A press, a command or a submitted form.

    ``values`` are the choices in a menu, ``about`` is the message that a command was used on, ``file`` comes from a form.
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
        """The presser's display name."""
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
        """The account charged for this press."""
        return asker_of(self.interaction)

    @property
    def message(self) -> discord.Message:
        """The message of the control, or the message that the command was used on."""
        message = self._about or self.interaction.message
        assert message is not None  # a control stands under a message
        return message

    @property
    def owner(self) -> int | None:
        """The id of the person that the message answers; None for private messages."""
        return answered_of(self.message)

    @property
    def origin(self) -> Origin | None:
        """The origin of the press, for a private source."""
        return origin_of(self.interaction, private=True)

    @property
    def is_hidden(self) -> bool:
        """Whether the message is a spoiler."""
        return is_hidden(self.message)

    @property
    def max_bytes(self) -> int:
        """Maximum bytes of a file here."""
        return self.interaction.filesize_limit

    @property
    def is_moderator(self) -> bool:
        """Whether the presser may delete messages of others here."""
        return is_moderator(self.interaction.permissions)

    @property
    def may_write(self) -> bool:
        """Whether the presser may write in the channel."""
        return may_write(self.interaction)

    def may_answer_all(self) -> bool:
        """Return whether an answer may be public, and count it for the channel if so."""
        if self.message.flags.ephemeral or not self.may_write:
            return False
        taken = self.interaction.client.by_channel.take(self.interaction.channel_id or 0)
        return taken is Verdict.GRANTED

    def find(self, service: Service[ServiceT]) -> ServiceT | None:
        """Return a service; None if this bot lacks it."""
        return self.interaction.client.service.of(service)

    async def need(self, service: Service[ServiceT]) -> ServiceT:
        """Return a service.

        Raises:
            NoAnswerError: this bot lacks it.

        """
        found = self.find(service)
        if found is None:
            say = await self.say()
            raise NoAnswerError.saying(say("Analysis is not installed where this bot runs."))
        return found

    async def say(self) -> Speaker:
        """Return the speaker for private answers."""
        return await speaker_to(self.interaction)

    async def style_for_all(self) -> Style:
        """Return the style of public answers to the presser."""
        return await style_of(self.interaction, private=False)

    async def style_of_server(self) -> Style:
        """Return the server's own style."""
        return await style_in(self.bot, self.guild or 0)

    def cog(self, name: str) -> Any:  # noqa: ANN401 - the caller names its class
        """Return a cog by its name."""
        return self.bot.get_cog(name)

    async def style(self, *, private: bool) -> Style:
        """Return the style of private or public answers."""
        return await style_of(self.interaction, private=private)

    def asking(self, *, private: bool) -> Asking:
        """Return the interaction with an answer whose audience the work decides."""
        return Asking(self.interaction, private=private)

    async def grant(self) -> None:
        """Count the press as a request for long work.

        Raises:
            NoAnswerError: the presser has used up the allowance.

        """
        await grant(self.interaction)

    def controls(self) -> Iterator[tuple[Control, tuple[Choice, ...]]]:
        """Yield the controls of the message, each with the choices of its menu."""
        yield from controls_under(self.message)

    async def may_manage(self, guild: discord.Guild) -> bool:
        """Return whether the presser may manage a server; also works in direct messages."""
        if self.guild == guild.id:
            return self.interaction.permissions.manage_guild
        try:
            member = await guild.fetch_member(self.user)
        except discord.HTTPException:
            return False
        return member.guild_permissions.manage_guild

    async def run(self, control: Control) -> None:
        """Run the action of a control, and count the press unless it is free.

        Raises:
            NoAnswerError: the presser has used up the allowance, or the action raised it.

        """
        if not control.is_free:
            await grant_press(self.interaction)
        await control.act(self)

    async def defer(self) -> None:
        """Acknowledge the press: the message will change."""
        await self.interaction.response.defer()

    async def delete(self) -> None:
        """Delete the message of the press, and record that."""
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
        """Show another card in the message of an acknowledged press."""
        await change_pressed(self.interaction, reply, say or await self.say())

    async def rewrite(self, reply: Card, say: Speaker) -> None:
        """Show another card in the public answer to the press."""
        await change_progress(self.interaction, reply, say, private=False)

    async def send(self, reply: Card, say: Speaker | None = None, *, private: bool = True) -> None:
        """Send a card in private or in public."""
        await answer_interaction(self.interaction, reply, say or await self.say(), private=private)

    async def change(self, answering: Answering) -> None:
        """Show another card in the message; see :func:`change_message`."""
        await change_message(self.interaction, answering)

    async def private(self, answering: Answering) -> None:
        """Answer in private."""
        await answer_in_private(self.interaction, answering)

    async def public(self, answering: Answering) -> None:
        """Answer in public, and problems in private."""
        await answer_in_public(self.interaction, answering)

    async def post(self, answering: Answering, is_done: Callable[[Control], bool], *, what: str = "") -> None:
        """Post an answer to the channel, once; see :func:`post_once`."""
        await post_once(self.interaction, answering, is_done, what=what)

    async def ask(self, form: Form) -> None:
        """Open a form."""
        await self.interaction.response.send_modal(self.interaction.client.modal_of(form))

    async def follow(self, running: Followed, say: Speaker) -> Card:
        """Show the progress of work in the message of this press, and return its card."""
        return await follow(self.interaction, running, say)

    async def tell(self, text: str) -> None:
        """Send a text in private."""
        await self.send(Card(text))

    async def keep(self, control: Control | None, *, in_place: bool = False) -> None:
        """Store long work until it is answered; ``control`` starts it again if it is interrupted."""
        again = control.write() if control is not None else ""
        await self.interaction.client.unfinished.keep(self.interaction, again=again, in_place=in_place)
