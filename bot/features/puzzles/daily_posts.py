"""Posts daily puzzles (dailies) and their solutions, each only once, even if a process dies.

A process claims a daily in the store before sending the post. After a failure or an expired claim, the next attempt first searches
the channel for the post.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Any, Final

import aiohttp
import discord
from discord.ext import commands

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.delivery import is_temporary, pause_after
from bot.chat.layout import controls_under, send_card
from bot.chat.notices import notice_channels, send_notice
from bot.chat.periodic import PeriodicTask
from bot.chat.sending import SEND_PERMISSIONS, bot_has_permissions_in, reference_to
from bot.features.puzzles.controls import DAILIES, DailyButton
from bot.features.puzzles.daily import DailyService
from bot.features.puzzles.selection import PuzzleKind
from bot.storage.dailies import MAX_ATTEMPTS, DailyKey, DailyPost, DailySettings, DueServer
from bot.storage.errors import StoreError
from bot.text import Translator

log = logging.getLogger(__name__)

ROUND_SECONDS: Final = 5.0
MAX_EDITS: Final = 50
"""Maximum number of cards updated in one round."""
ABSENT_SERVER_PAUSE: Final = timedelta(minutes=10)
MAX_SEARCHED_MESSAGES: Final = 100
"""Maximum number of messages to search for a post from an earlier attempt."""
_SERVERS_PER_QUERY: Final = 100


class DailyPosts(commands.Cog):
    """Posts the daily puzzles in the servers whose events this process receives."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        self._rounds = PeriodicTask(self._update_if_ready, "posting dailies", ROUND_SECONDS)

    async def cog_load(self) -> None:
        self._rounds.start()

    async def cog_unload(self) -> None:
        self._rounds.cancel()

    async def _update_if_ready(self) -> None:
        if not self.bot.is_ready() or self.bot.is_closing:
            return
        try:
            with self.bot.delay_closing():
                await self.update_dailies()
        except StoreError as error:
            log.warning("a round of dailies was not completed, and will be repeated: %s", error)

    async def update_dailies(self) -> None:
        dailies = self.bot.services[DAILIES]
        last_guild_id = 0
        while due_servers := await self.bot.store.servers_with_due_daily(last_guild_id, _SERVERS_PER_QUERY):
            for server in due_servers:
                if self.bot.is_closing:
                    return
                if self.bot.receives_events_of(server.guild_id):
                    await self._update_server(dailies, server)
            last_guild_id = due_servers[-1].guild_id
        stale_posts = await self.bot.store.stale_dailies()
        own_posts = (post for post in stale_posts if self.bot.receives_events_of(post.key.guild_id))
        for post in islice(own_posts, MAX_EDITS):
            if await self.bot.store.claim_daily_edit(post):
                await self._update_counts(dailies, post)

    async def _update_server(self, dailies: DailyService, server: DueServer) -> None:
        guild, store = self.bot.get_guild(server.guild_id), self.bot.store
        number, is_late, next_due = dailies.current_daily(server)
        if guild is None or guild.unavailable:
            await store.postpone_daily(server, min(next_due, server.due + ABSENT_SERVER_PAUSE))
            return
        context = await self.bot.preferences.public_context(guild.id, guild.preferred_locale.value)
        must_retry = False
        for post in await store.open_dailies(guild.id):
            if post.key.number != number:
                must_retry |= not await self._close(dailies, guild, post, context)
        for game in () if is_late else server.settings.games.split(","):
            if game in tuple(PuzzleKind):
                key = DailyKey(guild.id, number, game)
                must_retry |= not await self._post(dailies, guild, server.settings, key, context)
        if not must_retry:
            await store.postpone_daily(server, next_due)

    async def _post(
        self,
        dailies: DailyService,
        guild: discord.Guild,
        settings: DailySettings,
        key: DailyKey,
        context: ReplyContext,
    ) -> bool:
        """Post a daily. Return False if posting must be retried."""
        store, channel_id = self.bot.store, settings.channel_id
        puzzle_id = await dailies.choose_puzzle_id(key, settings.level)
        if puzzle_id is None:
            return True
        attempt_number = await store.claim_daily(key, puzzle_id, channel_id)
        if not attempt_number:
            return await store.is_daily_posted_or_closed(key)
        channel = guild.get_channel(channel_id)
        if not isinstance(channel, discord.TextChannel) or not bot_has_permissions_in(
            channel, *SEND_PERMISSIONS
        ):
            await store.close_daily(key)
            await self._report_missing_channel(guild, channel_id, context)
            return True
        post = DailyPost(key, puzzle_id, channel_id, 0, 0)
        # Discord sends only one of several messages with the same nonce, even in different channels. A nonce has at most 25 characters.
        nonce = hashlib.blake2b(
            f"daily:{key.guild_id}:{key.game}:{key.number}".encode(), digest_size=12
        ).hexdigest()
        try:
            card = await dailies.make_card(post, context)
            mentions = discord.AllowedMentions.none()
            if (role_id := settings.role_id) is not None and all(
                # Only the day's first post mentions the role.
                earlier_post.key.number != key.number
                for earlier_post in await store.open_dailies(guild.id)
            ):
                # Allow only the mention of the role that the server has chosen.
                mentions.roles = [discord.Object(role_id)]
                card = replace(card, text=f"<@&{role_id}> {card.text}")
            message = await self._send_once(
                post,
                channel,
                attempt_number,
                card,
                context.translate,
                allowed_mentions=mentions,
                nonce=nonce,
            )
        except (RefusalError, discord.Forbidden, discord.NotFound) as error:
            await store.close_daily(key)
            if not isinstance(error, RefusalError):
                await self._report_missing_channel(guild, channel_id, context)
            return True
        if message is not None:
            await store.record_daily_post(key, message.id)
            log.info("posted %s daily %d in server %d", key.game, key.number, guild.id)
        return message is not None

    async def _close(
        self, dailies: DailyService, guild: discord.Guild, post: DailyPost, context: ReplyContext
    ) -> bool:
        """Close a daily and post its solution. Return False if closing must be retried."""
        store = self.bot.store
        attempt_number = await store.claim_daily_closing(post.key)
        if not attempt_number:
            return False
        channel = guild.get_channel(post.channel_id)
        if (
            not isinstance(channel, discord.TextChannel)
            or not bot_has_permissions_in(channel, *SEND_PERMISSIONS)
            or attempt_number > MAX_ATTEMPTS
        ):
            await store.close_daily(post.key)
            return True
        try:
            message = await self._send_once(
                post,
                channel,
                attempt_number,
                await dailies.make_solution_card(post, context),
                context.translate,
                nonce=f"over:{post.message_id}",
                reference=reference_to(channel.get_partial_message(post.message_id)),
            )
            if message is None:
                return False
        except (RefusalError, discord.Forbidden, discord.NotFound) as error:
            log.info(
                "the solution of %s daily %d in server %d was not posted: %r",
                post.key.game,
                post.key.number,
                guild.id,
                error,
            )
            message = None
        card = await dailies.make_card(post, context, is_closed=True, has_solution=message is not None)
        if (
            not await self._edit(channel, post, card, context.translate)
            # If the solution was posted, a retry must be able to find it in the channel. Otherwise, it would post the solution again.
            and (message is None or channel.permissions_for(guild.me).read_message_history)
        ):
            return False
        await store.close_daily(post.key)
        return True

    async def _send_once(
        self,
        post: DailyPost,
        channel: discord.TextChannel,
        attempt_number: int,
        card: Card,
        translate: Translator,
        **options: Any,  # noqa: ANN401 - options of discord.py's ``send``
    ) -> discord.Message | None:
        """Send a card, unless a card from an earlier attempt is among the channel's latest messages.

        Return None if sending must be retried.

        Raises:
            discord.Forbidden: the bot may not send the card to the channel.
            discord.NotFound: the channel no longer exists.

        """
        try:
            if attempt_number > 1 and channel.permissions_for(channel.guild.me).read_message_history:
                leaderboard_button = DailyButton(post.key.game, post.key.number, "b")
                async for message in channel.history(limit=MAX_SEARCHED_MESSAGES):
                    if (
                        message.author.id == channel.guild.me.id
                        and message.id != post.message_id
                        and any(control == leaderboard_button for control, _ in controls_under(message))
                    ):
                        return message
            return await send_card(
                channel.send,
                card,
                translate,
                None,
                # Attach files only with permission, because Discord blocks a bot if too many of its requests are refused.
                attach=channel.permissions_for(channel.guild.me).attach_files,
                **options,
            )
        except (discord.Forbidden, discord.NotFound):
            raise
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.warning(
                "a message for %s daily %d in server %d was not sent (attempt %d of %d): %s",
                post.key.game,
                post.key.number,
                post.key.guild_id,
                attempt_number,
                MAX_ATTEMPTS,
                error,
            )
            await self.bot.store.set_daily_claim_duration(
                post.key, timedelta(seconds=pause_after(attempt_number))
            )
            return None

    async def _update_counts(self, dailies: DailyService, post: DailyPost) -> None:
        guild = self.bot.get_guild(post.key.guild_id)
        channel = guild.get_channel(post.channel_id) if guild is not None else None
        if guild is None or not isinstance(channel, discord.TextChannel):
            return
        context = await self.bot.preferences.public_context(guild.id, guild.preferred_locale.value)
        try:
            card = await dailies.make_card(post, context)
        except RefusalError:
            return
        if await self._edit(channel, post, card, context.translate):
            await self.bot.store.record_shown_counts(post)

    async def _edit(
        self, channel: discord.TextChannel, post: DailyPost, card: Card, translate: Translator
    ) -> bool:
        """Update a daily's card. Return False if the update must be retried.

        If the card's message no longer exists, close the daily.
        """
        try:
            await send_card(
                channel.get_partial_message(post.message_id).edit,
                card,
                translate,
                None,
                edit=True,
                attach=channel.permissions_for(channel.guild.me).attach_files,
            )
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.info(
                "the card of %s daily %d in channel %d was not updated: %s",
                post.key.game,
                post.key.number,
                channel.id,
                error,
            )
            if isinstance(error, discord.NotFound):
                await self.bot.store.close_daily(post.key)
            return not is_temporary(error)
        return True

    async def _report_missing_channel(
        self, guild: discord.Guild, channel_id: int, context: ReplyContext
    ) -> None:
        text = context.translate(
            "Kibitz can't post the daily puzzle in {channel}: the channel is gone, or Kibitz isn't allowed to send "
            "messages there. Choose another channel with `/settings daily`.",
            channel=f"<#{channel_id}>",
        )
        await send_notice(
            self.bot,
            f"daily:{channel_id}",
            [channel for channel in notice_channels(guild) if channel.id != channel_id],
            text,
            context.translate,
        )
