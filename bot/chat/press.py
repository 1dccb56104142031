"""Presses of controls and forms."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Any, Final, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

import discord
from cachetools import LRUCache

from bot.chat.card import Card, CardMaker, Choice, RefusalError, ReplyContext, require_result
from bot.chat.client import KibitzBot
from bot.chat.control import (
    MAX_TITLE_LENGTH,
    SNOWFLAKE,
    Button,
    Control,
    Field,
    Form,
    ServiceKey,
    ServiceT,
    control,
)
from bot.chat.failures import explain_error, replying, send_unmeasured
from bot.chat.layout import controls_under, is_hidden, reply_owner_id, with_disabled_controls
from bot.chat.limits import LimitDecision
from bot.chat.reply_context import interaction_context, private_translator, requester_of, server_context
from bot.chat.sending import (
    Responder,
    await_public_card,
    count_press,
    count_request,
    reply_to_interaction,
)
from bot.domain.reading.problems import Phrase
from bot.jobs.account import Requester
from bot.text import Translator

log = logging.getLogger(__name__)

_message_locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
"""Locks by message id. A press that changes a message holds the message's lock."""

_latest_presses: WeakKeyDictionary[asyncio.Lock, int] = WeakKeyDictionary()
"""The sequence number of the latest press on each message, by the message's lock."""

MAX_POSTED_REPLIES: Final = 10_000
"""Maximum number of posted replies in memory. A reply is dropped only long after the buttons that offered it were disabled."""

_posted_replies: WeakKeyDictionary[KibitzBot, LRUCache[tuple[int, str], bool]] = WeakKeyDictionary()
"""The replies that each bot has posted, by (id of the message that offered the reply, variant)."""

STORE_AFTER_SECONDS: Final = 0.5

EDIT_SECONDS = 2.5
"""Time between edits to a message that shows progress. Discord accepts five edits every five seconds."""


class LongTask(Protocol):
    """A long task whose progress is shown in a message."""

    def stop(self) -> None:
        """Stop early, and keep the result so far."""

    def progress(self, interval: float) -> AsyncIterator[Card]:
        """Yield progress cards, at most one every ``interval`` seconds, until the task ends."""

    async def reply(self) -> Card: ...


_long_tasks: Final[set[tuple[int, LongTask]]] = set()
"""Running tasks, each with the id of the user who may stop it."""


@control("stop:{user_id}")
class StopWork(Control):
    """Stops a user's running tasks. The user gets the results so far."""

    is_unlimited = True

    user_id: Annotated[int, SNOWFLAKE]

    button = Button(Phrase("Stop"), "\N{BLACK SQUARE FOR STOP}\ufe0f")

    async def act(self, press: Press) -> None:
        translate = await press.translator()
        if press.user_id != self.user_id and not press.is_moderator:
            await press.send_text(
                translate("Only moderators and the person Kibitz is replying to can stop this.")
            )
        elif running_tasks := [work for user_id, work in _long_tasks if user_id == self.user_id]:
            for work in running_tasks:
                work.stop()
            await press.defer()
        else:
            await press.send_text(
                translate("This analysis has already finished. Ask again to start a new one.")
            )


class Press:
    """An interaction (a command, a submitted form, or the press of a control), with methods that reply to it.

    ``values`` are the chosen values of a menu, ``target`` is the message of a context-menu command, and ``file`` is a form's
    uploaded file.
    """

    __slots__ = ("_store_task", "_target", "file", "interaction", "values")

    def __init__(
        self,
        interaction: discord.Interaction[KibitzBot],
        *,
        target: discord.Message | None = None,
    ) -> None:
        self.interaction = interaction
        self.file: discord.Attachment | None = None
        self.values: tuple[str, ...] = ()
        self._target = target

    @property
    def value(self) -> str:
        return self.values[0]

    @property
    def bot(self) -> KibitzBot:
        return self.interaction.client

    @property
    def user_id(self) -> int:
        return self.interaction.user.id

    @property
    def display_name(self) -> str:
        return self.interaction.user.display_name

    @property
    def names(self) -> tuple[str, ...]:
        """All names of the user. Some may be empty or identical."""
        user = self.interaction.user
        return (user.display_name, user.global_name or "", user.name)

    @property
    def guild_id(self) -> int | None:
        return self.interaction.guild_id

    @property
    def channel_id(self) -> int:
        return self.interaction.channel_id or 0

    @property
    def message(self) -> discord.Message:
        """The message that contains the control, or to which the command was applied."""
        message = self._target or self.interaction.message
        assert message is not None  # a control is under a message
        return message

    @property
    def owner_id(self) -> int | None:
        """The id of the user who may delete the message, or None if it has no delete button."""
        return reply_owner_id(self.message)

    @property
    def requester(self) -> Requester:
        return requester_of(self.interaction)

    @property
    def is_hidden(self) -> bool:
        return is_hidden(self.message)

    @property
    def is_moderator(self) -> bool:
        return self.interaction.permissions.manage_messages

    @property
    def may_write(self) -> bool:
        permissions = self.interaction.permissions
        if isinstance(self.interaction.channel, discord.Thread):
            return permissions.send_messages_in_threads
        return self.guild_id is None or permissions.send_messages

    def claim_public_reply(self) -> bool:
        """Return whether a reply may be public. If so, count it towards the channel's limit."""
        return (
            not self.message.flags.ephemeral
            and self.may_write
            and self.bot.channel_allowance.try_to_spend(self.channel_id) is LimitDecision.GRANTED
        )

    async def require_service(self, key: ServiceKey[ServiceT]) -> ServiceT:
        """Return a service, or raise :class:`RefusalError` if this bot does not have the service."""
        service = self.bot.services.find(key)
        if service is None:
            raise await self.refusal(key.missing_text)
        return service

    async def translator(self) -> Translator:
        return await private_translator(self.interaction)

    async def refusal(self, sentence: Phrase, **values: object) -> RefusalError:
        """Return an error that refuses the press, with a sentence in the user's language."""
        return RefusalError.with_text((await self.translator())(sentence, **values))

    async def server_context(self) -> ReplyContext:
        return await server_context(self.bot, self.guild_id or 0)

    def cog(self, name: str) -> Any:  # noqa: ANN401 - the caller names its class
        return self.bot.get_cog(name)

    async def context(self, *, private: bool) -> ReplyContext:
        return await interaction_context(self.interaction, private=private)

    def responder(self, *, private: bool) -> Responder:
        return Responder(self.interaction, private=private)

    async def count_request(self) -> None:
        """Count a request, or raise :class:`RefusalError` if the user has used up the allowance."""
        await count_request(self.interaction)

    async def require_offered_values(self, values: Collection[str], options: Iterable[Any]) -> None:
        """Raise :class:`RefusalError` if no value was chosen or a value is not an option. A modified client can send any text."""
        if not values or not {option.value for option in options}.issuperset(values):
            raise await self.refusal(Phrase("This choice is no longer available. Choose again."))

    def controls(self) -> Iterator[tuple[Control, tuple[Choice, ...]]]:
        yield from controls_under(self.message)

    async def may_manage(self, guild: discord.Guild) -> bool:
        if self.guild_id == guild.id:
            return self.interaction.permissions.manage_guild
        try:
            member = await guild.fetch_member(self.user_id)
        except discord.HTTPException:
            return False
        return member.guild_permissions.manage_guild

    async def run(self, control: Control) -> None:
        """Run a control's action, and count the press unless the control is unlimited.

        Raises:
            RefusalError: the user has used up the allowance, or the action refuses the press.

        """
        if not control.is_unlimited:
            await count_press(self.interaction)
        await control.act(self)

    async def defer(self) -> None:
        await self.interaction.response.defer()

    async def delete(self) -> None:
        await self.defer()
        reply, store = self.message, self.bot.store
        try:
            # The interaction's token also works in servers that the bot has not joined.
            await self.interaction.delete_original_response()
        except discord.NotFound:
            log.info("reply %d is already gone", reply.id)
        if record := await store.reply_containing(reply.id):
            # The claim stays in the store, so that an edit of the user's message does not restore the reply.
            remaining_ids = tuple(id_ for id_ in record.reply_ids if id_ != reply.id)
            await store.record_reply(record.source_id, remaining_ids)

    async def edit(
        self, card: Card, translate: Translator | None = None, *, owner_id: int | None = None
    ) -> None:
        """Show another card in the message of an acknowledged press.

        ``owner_id`` is the user who may delete the message, by default unchanged.
        """
        await reply_to_interaction(
            self.interaction,
            card,
            translate or await self.translator(),
            owner_id or self.owner_id,
            edit=True,
        )

    async def send(self, card: Card, translate: Translator | None = None, *, private: bool = True) -> None:
        await reply_to_interaction(
            self.interaction, card, translate or await self.translator(), None if private else self.user_id
        )

    async def replace_card(self, make_card: CardMaker) -> None:
        """Show another card in the message.

        The latest press determines the card. Earlier presses that are still waiting are skipped, because Discord accepts few
        edits per second.

        Raises:
            RefusalError: the card has no result.

        """
        lock = _message_locks.setdefault(self.message.id, asyncio.Lock())
        press_number = _latest_presses[lock] = _latest_presses.get(lock, 0) + 1
        await self.defer()
        async with lock:
            if _latest_presses[lock] != press_number:
                return
            context = await interaction_context(self.interaction, private=self.message.flags.ephemeral)
            await self.edit(await require_result(make_card(context)), context.translate)

    async def reply_privately(self, make_card: CardMaker) -> None:
        await self.interaction.response.defer(ephemeral=True, thinking=True)
        context = await interaction_context(self.interaction, private=True)
        await self.send(await self._await_card(make_card(context), private=True), context.translate)

    async def reply_publicly(self, make_card: CardMaker) -> None:
        """Reply publicly. Only refusals and cards about problems are private. Count the press as a request for work.

        Raises:
            RefusalError: the user may not write in the channel or has used up the allowance, or the card has no result.

        """
        if not self.may_write:
            raise await self.refusal(
                Phrase("You can't write in this channel, so Kibitz can't show it to everyone.")
            )
        await self.count_request()
        await self.interaction.response.defer(thinking=True)
        context = await interaction_context(self.interaction, private=False)
        card = await await_public_card(self.interaction, self._await_card(make_card(context), private=False))
        await self.send(card, context.translate, private=False)

    async def _await_card(self, work: Awaitable[Card], *, private: bool) -> Card:
        """Await a card. If it is slow, store the interaction, so that another process can report an interruption."""

        def save() -> None:
            self._store_task = asyncio.create_task(
                self.bot.unfinished_replies.save(self.interaction, private=private)
            )

        timer = asyncio.get_running_loop().call_later(STORE_AFTER_SECONDS, save)
        try:
            return await work
        finally:
            timer.cancel()

    async def post(
        self, make_card: CardMaker, is_offer: Callable[[Control], bool], *, variant: str = ""
    ) -> None:
        """Post a card to the channel once, in the server's look and language, and disable the buttons that offered it.

        ``is_offer`` recognizes these buttons. ``variant`` distinguishes the cards that one message offers.

        Raises:
            RefusalError: the user may not write in the channel, the card is already posted or has no result, or the channel's
                limit is reached.

        """
        posted_replies = _posted_replies.setdefault(self.bot, LRUCache(MAX_POSTED_REPLIES))
        key = self.message.id, variant
        if not self.may_write:
            raise await self.refusal(Phrase("You can't write in this channel."))
        if key in posted_replies:
            raise await self.refusal(Phrase("This is already in the channel."))
        if self.bot.channel_allowance.try_to_spend(self.channel_id) is not LimitDecision.GRANTED:
            raise await self.refusal(
                Phrase("Kibitz has just posted a lot of replies in this channel. Try again in a minute.")
            )
        posted_replies[key] = True
        try:
            await self.defer()
            context = await interaction_context(self.interaction, private=False)
            await self.send(await require_result(make_card(context)), context.translate, private=False)
        except BaseException:
            posted_replies.pop(key, None)
            raise
        await self.interaction.edit_original_response(view=with_disabled_controls(self.message, is_offer))

    async def open_form(self, form: Form) -> None:
        await self.interaction.response.send_modal(FormModal(form))

    async def await_long_task(self, work: LongTask, translate: Translator) -> Card:
        """Show a task's progress in the message of this acknowledged press. Return a card with the result or an error."""
        entry = self.user_id, work
        _long_tasks.add(entry)
        try:
            async for progress_card in work.progress(EDIT_SECONDS):
                card = replace(progress_card, controls=(*progress_card.controls, StopWork(self.user_id)))
                try:
                    progress_message = await send_unmeasured(
                        self.interaction, card, translate, None, edit=True
                    )
                    await self.bot.unfinished_replies.store_progress_message(
                        self.interaction, progress_message
                    )
                except (discord.NotFound, discord.Forbidden):
                    # The result could not be shown either.
                    work.stop()
                    raise
                except discord.HTTPException as error:
                    log.info("the progress of interaction %d was not shown: %s", self.interaction.id, error)
            try:
                return await work.reply()
            except Exception as error:  # noqa: BLE001 - the card reports it
                text = explain_error(error, f"analyzing for interaction {self.interaction.id}", translate)
                return Card(text, has_result=False)
        finally:
            _long_tasks.discard(entry)

    async def send_text(self, text: str) -> None:
        await self.send(Card(text))

    async def save_unfinished(self, restart: Control | None, *, in_place: bool = False) -> None:
        """Store the press until the reply is sent. ``restart`` starts interrupted work again."""
        await self.bot.unfinished_replies.save(self.interaction, restart=restart, in_place=in_place)


MAX_HINT_LENGTH: Final = 100
"""Discord's maximum length of a field's description."""


class FormModal(discord.ui.Modal):
    """A form as a discord.py modal."""

    def __init__(self, form: Form) -> None:
        super().__init__(title=form.title[:MAX_TITLE_LENGTH])
        self._form = form
        self._inputs = {field.name: _make_input(field) for field in form.fields}
        for field in form.fields:
            self.add_item(
                discord.ui.Label(
                    text=field.label[:MAX_TITLE_LENGTH],
                    description=field.hint[:MAX_HINT_LENGTH] or None,
                    component=self._inputs[field.name],
                )
            )

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        async with replying(interaction):
            await count_press(interaction)
            press = Press(interaction)
            values_by_name: dict[str, str] = {}
            for field in self._form.fields:
                form_input = self._inputs[field.name]
                if field.kind == "file":
                    press.file = next(iter(form_input.values), press.file)
                elif field.kind in _CHOICE_INPUTS:
                    if field.kind == "radio":
                        values = [form_input.value] if form_input.value else []
                    else:
                        values = form_input.values
                    if values or field.required:
                        await press.require_offered_values(values, form_input.options)
                    values_by_name[field.name] = " ".join(values)
                else:
                    # A modified client can send a longer text.
                    if len(form_input.value) > field.max_length:
                        raise await press.refusal(
                            Phrase("This text is longer than {limit:,} characters."), limit=field.max_length
                        )
                    values_by_name[field.name] = form_input.value
            await self._form.submit(press, values_by_name)


_CHOICE_INPUTS: Final = {
    "menu": discord.ui.Select,
    "radio": discord.ui.RadioGroup,
    "boxes": discord.ui.CheckboxGroup,
}


def _make_input(field: Field) -> Any:  # noqa: ANN401 - the five kinds of inputs have no common type
    if field.kind == "file":
        return discord.ui.FileUpload(
            custom_id=field.name, required=field.required, min_values=int(field.required)
        )
    if field.kind in _CHOICE_INPUTS:
        group: Any = _CHOICE_INPUTS[field.kind](custom_id=field.name, required=field.required)
        for choice in field.choices:
            group.add_option(
                label=choice.label, value=choice.value, default=choice.value in field.value.split()
            )
        return group
    return discord.ui.TextInput(
        custom_id=field.name,
        style=discord.TextStyle.paragraph if field.kind == "lines" else discord.TextStyle.short,
        default=field.value or None,
        placeholder=field.placeholder or None,
        max_length=field.max_length,
        required=field.required,
    )
