"""The listener replies once to each message that contains a position, and edits or deletes the reply when the message changes."""

from __future__ import annotations

import logging
from collections import deque
from contextlib import suppress
from datetime import datetime
from functools import partial

import discord
from discord.ext import commands

from bot.chat.card import Card, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.delivery import (
    FailedWork,
    MessageTasks,
    ReplyUncertainError,
    find_reply_after,
    find_sent_reply,
    holding_claim,
    record_reply,
)
from bot.chat.limits import LimitDecision
from bot.chat.notices import report_missing_permission, send_overload_notice
from bot.chat.preferences import Mode
from bot.chat.reactions import (
    OWN_REACTIONS,
    QUESTION_EMOJI,
    SHOW_EMOJI,
    fetch_message,
    offer_reaction,
    own_reactions,
    remove_own_reactions,
)
from bot.chat.reply_context import channel_mode, message_context
from bot.chat.sending import (
    SEND_PERMISSIONS,
    bot_has_permissions,
    edit_reply,
    reply_to_message,
    sending_permission,
)
from bot.chat.source import Source
from bot.features.showing.controls import PRESENTER, CopyPosition, DocumentMenu
from bot.features.showing.findings import Findings
from bot.features.showing.listening import live_boards
from bot.features.showing.listening.inbound import (
    has_permitted_pictures,
    has_readable_pictures,
    is_addressed,
    is_addressed_or_may_contain_position,
    is_automated,
    is_crosspost_of_bot,
    may_need_reply,
    read_message,
)
from bot.jobs.account import ACCOUNT, OverBudgetError, Requester
from bot.storage.replies import ReplyRecord
from bot.storage.store import REPLY_RETENTION

log = logging.getLogger(__name__)

MAX_REMEMBERED_DELETIONS = 1_000
"""Maximum number of deleted messages to remember. A message deleted while it waits in the queue gets no reply."""


def _requester(message: discord.Message, presser_id: int | None = None) -> Requester:
    return Requester(
        presser_id or message.author.id, message.guild.id if message.guild else None, message.channel.id
    )


class Listener(commands.Cog):
    """Replies to messages and reactions, and updates or deletes replies when their messages change."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self.message_tasks = MessageTasks(bot)
        self._deleted_ids: deque[int] = deque(maxlen=MAX_REMEMBERED_DELETIONS)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        self.bot.services.metrics.count("messages_seen")
        if not may_need_reply(self.bot, message):
            return
        if not self.bot.message_queue.is_full(message.channel.id):
            await self.message_tasks.run(
                message.id, _requester(message), "replying to", partial(self._reply, message)
            )
        # Many messages in the channel are waiting. Send an overload notice, unless the bot did so recently.
        elif is_addressed_or_may_contain_position(self.bot, message) and (
            self.bot.channel_allowance.refuse(message.channel.id) is LimitDecision.REFUSED_WITH_WARNING
        ):
            await self.message_tasks.run(
                message.id,
                _requester(message),
                "sending an overload notice for",
                partial(send_overload_notice, self.bot, message),
                in_turn=False,
            )

    @commands.Cog.listener()
    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        message = payload.message
        # When Discord adds a link preview, it reports an edit without an edit time. After the retention period, the store no longer
        # knows whether the message has a reply.
        if message.edited_at is None or message.edited_at - message.created_at > REPLY_RETENTION:
            return
        if is_automated(message) or not (
            self._may_have_reply(message.id)
            or may_need_reply(self.bot, message)
            or self._has_own_reaction(message)
        ):
            return
        await self.message_tasks.run(
            message.id, _requester(message), "handling the edit of", partial(self._handle_edit, message)
        )

    @commands.Cog.listener()
    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self._handle_deletion(payload.message_id, payload)

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in payload.message_ids:
            await self._handle_deletion(message_id, payload)

    @commands.Cog.listener()
    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Reply to a message when a user presses one of the bot's reactions, or adds 🔍 to a message with a picture."""
        if str(payload.emoji) not in OWN_REACTIONS or payload.guild_id is None or self.bot.user is None:
            return
        if payload.user_id == self.bot.user.id:
            # Another process of the bot may have added this reaction.
            self.bot.messages_with_reaction.add(payload.message_id)
            return
        if payload.member is not None and payload.member.bot:
            return
        # If the bot has not reacted to the message, it must fetch the message to look for a picture. The user's reaction then counts
        # towards the limit on presses.
        if not self.bot.messages_with_reaction.may_contain(payload.message_id) and (
            str(payload.emoji) != SHOW_EMOJI
            or self.bot.press_allowance.try_to_spend(payload.user_id) is not LimitDecision.GRANTED
        ):
            return
        if not self.bot.message_queue.is_full(payload.channel_id):
            await self.message_tasks.run(
                payload.message_id,
                Requester(payload.user_id, payload.guild_id, payload.channel_id),
                "replying on request to",
                partial(self._reply_to_reaction, payload, payload.guild_id),
            )

    async def _reply_to_reaction(self, payload: discord.RawReactionActionEvent, guild_id: int) -> None:
        message = await fetch_message(self.bot, payload)
        if message is None:
            return
        emoji = str(payload.emoji)
        has_pictures = (
            emoji == SHOW_EMOJI
            and not is_automated(message)
            and has_readable_pictures(message, self.bot.settings.limits)
        )
        if not (has_pictures or emoji in own_reactions(message)):
            return
        mode = await channel_mode(self.bot, message)
        explains_error = emoji == QUESTION_EMOJI
        if explains_error:
            is_offered = mode is not Mode.OFF and await self.bot.preferences.wants_error_reactions(guild_id)
        else:
            is_offered = mode is Mode.ON_REQUEST or (has_pictures and mode is not Mode.OFF)
        if is_offered and await self._load_record(message.id) is None:
            await self._reply(message, presser_id=payload.user_id, explains_error=explains_error)

    def _may_have_reply(self, message_id: int) -> bool:
        return self.message_tasks.is_working_on(message_id) or self.bot.messages_with_reply.may_contain(
            message_id
        )

    def _has_own_reaction(self, message: discord.Message) -> bool:
        return bool(own_reactions(message)) or self.bot.messages_with_reaction.contains(message.id)

    async def retry(self, failed_work: FailedWork) -> None:
        await self.message_tasks.run(
            failed_work.message_id,
            failed_work.requester,
            "retrying",
            partial(self._retry, failed_work),
            earlier_failure=failed_work,
        )

    async def _retry(self, failed_work: FailedWork) -> None:
        try:
            channel_id = failed_work.requester.channel_id
            channel = self.bot.get_channel(channel_id) or await self.bot.fetch_channel(channel_id)
            message = await channel.fetch_message(failed_work.message_id)  # type: ignore[union-attr]
        except (discord.NotFound, discord.Forbidden):
            await self._delete_replies(failed_work.message_id)
            return
        record = await self._load_record(message.id)
        if record is not None and record.recorded_at is not None:
            await self._handle_edit(message)
        elif failed_work.is_granted or may_need_reply(self.bot, message):
            await self._reply(message, is_granted=failed_work.is_granted)
        if record is not None:
            # This has no effect if the message has a reply or is claimed.
            await self.bot.store.delete_expired_claim(message.id)

    async def reply_to_missed(self, message: discord.Message, since: datetime) -> None:
        """Reply to a message that was posted while the bot was offline. If the message was edited, update the reply.

        Messages and edits before ``since`` are ignored.
        """
        record = await self._load_record(message.id)
        if record is None:
            if (
                message.created_at >= since
                and may_need_reply(self.bot, message)
                and not self._has_own_reaction(message)
            ):
                await self.message_tasks.run(
                    message.id,
                    _requester(message),
                    "replying to",
                    partial(self._reply, message, is_missed=True),
                )
        elif record.recorded_at is not None and message.edited_at is not None and message.edited_at >= since:
            await self.message_tasks.run(
                message.id, _requester(message), "handling the edit of", partial(self._handle_edit, message)
            )

    async def _reply(
        self,
        message: discord.Message,
        *,
        presser_id: int | None = None,
        explains_error: bool = False,
        is_granted: bool = False,
        is_missed: bool = False,
    ) -> None:
        """Reply to a message according to the channel's mode.

        ``presser_id`` is the user who requested the reply with a reaction, if any. ``explains_error`` means that the reaction was the
        question mark. ``is_granted`` means that an earlier attempt has already counted this reply against the limits. ``is_missed``
        means that the message was posted while the bot was offline. If a limit then prevents the reply, no warning is sent.
        """
        requester = _requester(message, presser_id)
        ACCOUNT.set(requester)
        is_requested = presser_id is not None or is_granted or is_addressed(self.bot, message)
        mode = await channel_mode(self.bot, message)
        may_read_pictures = mode is Mode.PICTURES and has_permitted_pictures(self.bot, message)
        if (
            message.id in self._deleted_ids
            or (mode is Mode.OFF and not is_requested)
            or (
                message.flags.is_crossposted
                and await is_crosspost_of_bot(self.bot, message, is_requested=is_requested)
            )
        ):
            return
        # In a server, a message with only pictures gets an unrequested reply only if a picture shows a board.
        needs_board = not is_requested and not is_addressed_or_may_contain_position(self.bot, message)
        if needs_board and not may_read_pictures:
            return
        try:
            source, findings = await read_message(
                self.bot, message, with_pictures=is_requested or may_read_pictures
            )
        except OverBudgetError:
            if not (is_granted or is_missed or needs_board):
                await self._refuse(message, self.bot.user_allowance.refuse(requester.user_id))
            return
        if explains_error and findings.broken_texts:
            findings = findings.with_only_broken_texts()
        elif needs_board and message.guild is not None and not findings.documents:
            await remove_own_reactions(self.bot, message)
            return
        elif not self._should_reply(message, findings):
            await self._update_reactions(message, findings, mode)
            return
        if not bot_has_permissions(message, *SEND_PERMISSIONS):
            await report_missing_permission(self.bot, message, sending_permission(message))
        elif not is_requested and message.guild and (mode is Mode.ON_REQUEST or _is_doubtful(findings)):
            await offer_reaction(self.bot, message, SHOW_EMOJI)
        elif not is_granted and (decision := self._spend_allowance(requester)) is not LimitDecision.GRANTED:
            if not is_missed:
                await self._refuse(message, decision)
        else:
            await self._reply_once(message, source, findings)
            await remove_own_reactions(self.bot, message)

    async def _update_reactions(self, message: discord.Message, findings: Findings, mode: Mode) -> None:
        if (
            message.guild is not None
            and mode is not Mode.OFF
            and findings.broken_texts
            and bot_has_permissions(message, *SEND_PERMISSIONS)
            and await self.bot.preferences.wants_error_reactions(message.guild.id)
        ):
            await offer_reaction(self.bot, message, QUESTION_EMOJI)
        else:
            await remove_own_reactions(self.bot, message)

    async def _reply_once(self, message: discord.Message, source: Source, findings: Findings) -> None:
        # From now on, the message may have a reply: from this process, or from another process that has claimed the message.
        self.bot.messages_with_reply.add(message.id)
        attempt = await self.bot.store.claim_reply(
            message.id,
            channel_id=message.channel.id,
            guild_id=message.guild.id if message.guild else None,
            author_id=message.author.id,
        )
        if not attempt:
            return
        async with holding_claim(self.bot, message.id, attempt) as claim:
            if attempt > 1 and await self._record_if_sent(message):
                return
            context = await message_context(self.bot, message)
            reply = await self._make_reply(message, source, context, findings)
            if not (reply.find_control(CopyPosition) or reply.find_control(DocumentMenu)):
                # Other features have nothing to add to a reply without a board, or with an unconfirmed board from a picture.
                findings = Findings()
            update, notified_user_id = findings.update, None
            if update is not None:
                reply, notified_user_id = await live_boards.mention_next_player(
                    self.bot, message, update, reply, context.translate
                )
            await claim.renew()
            with self.bot.services.metrics.measure_stage("send"):
                sent_reply = await reply_to_message(
                    message, reply, context.translate, notified_user_id=notified_user_id
                )
            self.bot.services.metrics.count("replies", "message")
            await record_reply(self.bot.store, message.id, sent_reply.id)
            if update is not None:
                await live_boards.record_board_message(
                    self.bot, message, update, sent_reply, context.translate
                )
            await self._notify_features(message, findings)
            if (reply.drawings or reply.files) and not bot_has_permissions(message, "attach_files"):
                await report_missing_permission(self.bot, message, "attach_files")

    async def _record_if_sent(self, message: discord.Message) -> bool:
        """Return whether an earlier attempt sent or may have sent a reply. If so, record the reply, with its id if known."""
        try:
            sent_reply = await find_sent_reply(self.bot, message)
        except ReplyUncertainError as error:
            log.warning("a reply was not sent again: %s", error)
            await self.bot.store.record_reply(message.id, ())
            return True
        if sent_reply is None:
            return False
        await self.bot.store.record_reply(message.id, (sent_reply.id,))
        if message.edited_at is not None and message.edited_at > sent_reply.created_at:
            await self._handle_edit(message)
        return True

    async def _make_reply(
        self, message: discord.Message, source: Source, context: ReplyContext, findings: Findings
    ) -> Card:
        reply_to_mention = self.bot.services.reply_to_mention
        if (
            reply_to_mention
            and (findings.documents or findings.link_targets)
            and is_addressed(self.bot, message)
            and (card := await reply_to_mention(self.bot, message, source, context))
        ):
            return card
        return await self.bot.services[PRESENTER].show(source, context, findings)

    def _spend_allowance(self, requester: Requester) -> LimitDecision:
        if not self.bot.work_budget.can_afford(requester):
            return self.bot.user_allowance.refuse(requester.user_id)
        decision = self.bot.user_allowance.try_to_spend(requester.user_id)
        return (
            decision
            if decision is not LimitDecision.GRANTED
            else self.bot.channel_allowance.try_to_spend(requester.channel_id)
        )

    async def _refuse(self, message: discord.Message, decision: LimitDecision) -> None:
        if decision is LimitDecision.REFUSED_WITH_WARNING:
            await send_overload_notice(self.bot, message)

    def _should_reply(self, message: discord.Message, findings: Findings) -> bool:
        return bool(
            findings.documents
            or findings.waiting_games
            or findings.unfinished_files
            or findings.sheets
            or is_addressed(self.bot, message)
            or (findings.link_targets and self.bot.services[PRESENTER].links.are_enabled)
            or (message.guild is None and findings.unreadable_texts)
        )

    async def _load_record(self, message_id: int) -> ReplyRecord | None:
        return (
            await self.bot.store.reply(message_id)
            if self.bot.messages_with_reply.may_contain(message_id)
            else None
        )

    async def _handle_edit(self, message: discord.Message) -> None:
        record = await self._load_record(message.id)
        if record is None or record.recorded_at is None:
            if may_need_reply(self.bot, message):
                await self._reply(message, is_granted=record is not None)
            elif record is not None:
                await self.bot.store.delete_expired_claim(message.id)
            elif self._has_own_reaction(message):
                await remove_own_reactions(self.bot, message)
            return
        if not record.reply_ids:
            return  # the reply was deleted, or its id is unknown
        ACCOUNT.set(_requester(message))
        try:
            source, findings = await self._read_again(message)
        except OverBudgetError:
            await self._refuse(message, self.bot.user_allowance.refuse(message.author.id))
            return
        if not self._should_reply(message, findings):
            if not findings.broken_texts:
                await self._delete_replies(message.id)
                return
            findings = findings.with_only_broken_texts()
        context = await message_context(self.bot, message)
        reply, update = await self._make_reply(message, source, context, findings), findings.update
        for reply_id in record.reply_ids:
            try:
                card = (
                    await live_boards.card_for_edit(self.bot, message, update, reply, reply_id)
                    if update is not None
                    else reply
                )
                with self.bot.services.metrics.measure_stage("send"):
                    await edit_reply(message, reply_id, card, context.translate)
                self.bot.services.metrics.count("replies", "edit")
            except discord.NotFound:
                log.info("the reply to message %d is already gone", message.id)
        await self._notify_features(message, findings)

    async def _notify_features(self, message: discord.Message, findings: Findings) -> None:
        for notify in self.bot.services.after_reply:
            await notify(self.bot, message, findings)

    async def _read_again(self, message: discord.Message) -> tuple[Source, Findings]:
        with_pictures = (
            has_permitted_pictures(self.bot, message)
            and await channel_mode(self.bot, message) is Mode.PICTURES
        )
        source, findings = await read_message(self.bot, message, with_pictures=with_pictures)
        if (
            with_pictures
            or findings.documents
            or not has_readable_pictures(message, self.bot.settings.limits)
        ):
            return source, findings
        return await read_message(self.bot, message, with_pictures=True)

    async def _handle_deletion(
        self, message_id: int, payload: discord.RawMessageDeleteEvent | discord.RawBulkMessageDeleteEvent
    ) -> None:
        if not self._may_have_reply(message_id):
            return
        self._deleted_ids.append(message_id)
        await self.message_tasks.run(
            message_id,
            Requester(0, payload.guild_id, payload.channel_id),
            "handling the deletion of",
            partial(self._delete_replies, message_id),
            in_turn=False,
        )

    async def _delete_replies(self, message_id: int) -> None:
        record = await self._load_record(message_id)
        if record is None:
            return
        channel = self.bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
        reply_ids = record.reply_ids
        if record.recorded_at is None:
            with suppress(ReplyUncertainError, discord.NotFound, discord.Forbidden):
                sent_reply = await find_reply_after(self.bot, channel, message_id)
                reply_ids = () if sent_reply is None else (sent_reply.id,)
        for reply_id in reply_ids:
            try:
                await channel.get_partial_message(reply_id).delete()
            except (discord.NotFound, discord.Forbidden):
                log.info("the reply to message %d is gone or out of reach", message_id)
        await self.bot.store.forget_reply(message_id)


def _is_doubtful(findings: Findings) -> bool:
    confidences = [found.picture_confidence for found in findings.documents]
    return all(confidences) and any(
        not confidence.is_confident for confidence in confidences if confidence is not None
    )
