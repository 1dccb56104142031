"""The boards of live games. Only a game's newest reply shows its board. Earlier replies lose their picture and controls.

If a server is set to use threads, the bot opens a thread for each game. Links posted in this thread continue the game.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

import discord

from bot.chat.card import MAX_TEXT_LENGTH, Card
from bot.chat.client import KibitzBot
from bot.chat.layout import send_card, text_of
from bot.chat.markdown import one_line
from bot.chat.reply_context import game_channel_id
from bot.chat.sending import bot_has_permissions
from bot.features.showing.findings import LiveGameUpdate
from bot.storage.errors import StoreError
from bot.storage.live_games import BoardMessage
from bot.text import Translator

log = logging.getLogger(__name__)

MAX_TITLE_LENGTH: Final = 100

_ARCHIVE_MINUTES: Final = 7 * 24 * 60


async def mention_next_player(
    bot: KibitzBot, message: discord.Message, update: LiveGameUpdate, card: Card, translate: Translator
) -> tuple[Card, int | None]:
    """If the update made it a player's turn, mention that player on the card. Return the card, and the id of the user to notify.

    If no user can or should be mentioned, the card is unchanged and the id is None.
    """
    user_id = update.user_to_move
    if user_id is None or user_id == message.author.id or message.guild is None:
        return card, None
    line = translate("{player}, it is your turn.", player=f"<@{user_id}>")
    try:
        choices = await bot.preferences.servers.get(message.guild.id)
        is_wanted = choices.settings.turns is not False and (await bot.preferences.users.get(user_id)).turns
    except StoreError as error:
        log.warning("can't look up whether a player wants to be mentioned: %s", error)
        return card, None
    if not is_wanted or len(card.text) + 1 + len(line) > MAX_TEXT_LENGTH:
        return card, None
    return replace(card, text=f"{card.text}\n{line}"), user_id


async def record_board_message(
    bot: KibitzBot,
    message: discord.Message,
    update: LiveGameUpdate,
    sent_reply: discord.Message,
    translate: Translator,
) -> None:
    """Record that a reply now shows its game's board, and remove the picture and the controls from the previous reply.

    For a new game, also open a thread if the server is set to use threads. Errors are only logged.
    """
    channel_id = _board_channel_id(message)
    if channel_id is None:
        return
    try:
        previous = await bot.store.record_live_board(
            channel_id, update.game_id, BoardMessage(sent_reply.channel.id, sent_reply.id)
        )
        if previous is not None:
            await _close_board(bot, previous, translate)
        if update.is_new and message.guild is not None:
            choices = await bot.preferences.servers.get(message.guild.id)
            if choices.settings.live == "thread":
                await _open_thread(sent_reply, message, update, translate)
    except (StoreError, discord.HTTPException) as error:
        log.warning("can't move the board of a live game or open its thread: %s", error)


async def card_for_edit(
    bot: KibitzBot, message: discord.Message, update: LiveGameUpdate, card: Card, reply_id: int
) -> Card:
    """Return the card for an edited reply. If a newer reply shows the board, leave out the picture and the controls."""
    channel_id = _board_channel_id(message)
    board = await bot.store.live_board_message(channel_id, update.game_id) if channel_id is not None else None
    if board is None or board.message_id == reply_id:
        return card
    return replace(card, drawings=(), controls=())


def _board_channel_id(message: discord.Message) -> int | None:
    return (
        game_channel_id(message.channel, message.guild.me.id)
        if message.guild is not None
        else message.channel.id
    )


async def _close_board(bot: KibitzBot, board: BoardMessage, translate: Translator) -> None:
    record = await bot.store.reply_containing(board.message_id)
    try:
        message = await bot.get_partial_messageable(board.channel_id).fetch_message(board.message_id)
        await send_card(
            message.edit,
            Card(text_of(message)),
            translate,
            record.author_id if record else None,
            edit=True,
        )
    except discord.NotFound:
        log.info("message %d, which showed a live game, no longer exists", board.message_id)


async def _open_thread(
    sent_reply: discord.Message, message: discord.Message, update: LiveGameUpdate, translate: Translator
) -> None:
    if not (
        isinstance(message.channel, discord.TextChannel)
        and not message.channel.is_news()
        and bot_has_permissions(message, "create_public_threads", "send_messages_in_threads")
    ):
        return
    title = one_line(" – ".join(update.names)) or one_line(update.game_id) or "…"
    thread = await sent_reply.create_thread(
        name=title[:MAX_TITLE_LENGTH], auto_archive_duration=_ARCHIVE_MINUTES
    )
    await send_card(
        thread.send,
        Card(translate("Post the next links here to continue the game in this thread.")),
        translate,
        None,
    )
