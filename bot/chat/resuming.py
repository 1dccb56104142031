"""Finishing what a process that died has left: its result where jobs outlive the process that asked, else a word about it."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final

import aiohttp
import discord

from bot.chat.client import KibitzBot
from bot.chat.control import Control, read
from bot.chat.failures import report
from bot.chat.ids.analysis import DeepenId, LongerId
from bot.chat.ids.chess import EngineId
from bot.chat.ids.reviews import LearnId, ReviewId
from bot.chat.press import Resumed
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.outbound import answered_of, files_of, without_files
from bot.chat.style import Style
from bot.features.analysis.crossword.analysis import answer_interrupted
from bot.features.analysis.service import AnalysisQuestion
from bot.features.review.question import ReviewQuestion
from bot.jobs.queue import Asker
from bot.storage.errors import StoreError
from bot.storage.unfinished import Unfinished
from bot.text import Speaker

log = logging.getLogger(__name__)

TOKEN_LIFE: Final = timedelta(minutes=15)
"""How long Discord knows the token of an interaction."""


async def finish(bot: KibitzBot, record: Unfinished) -> None:
    """Tell in a message that is ours now what came of it, or that it was interrupted; when that fails, somebody tries again."""
    try:
        with bot.in_hand():
            if await _finished(bot, record):
                await bot.store.forget_unfinished(record.interaction_id)
            else:
                await bot.store.adopt_unfinished(record.interaction_id, bot.instance, "")
    except StoreError as error:
        log.warning("interaction %d is taken up later: %s", record.interaction_id, error)


async def _finished(bot: KibitzBot, record: Unfinished) -> bool:
    if not (record.resume and bot.service.jobs_last):
        return await _tell_interrupted(bot, record)
    try:
        style = await _style(bot, record)
        reply = await _reply(bot, record, style)
        if reply is not None:
            await _tell(bot, record, reply, style)
            return True
    except NoAnswerError as no:
        log.info("interaction %d has no answer any more: %s", record.interaction_id, no.reply.text)
    except (discord.HTTPException, aiohttp.ClientError) as error:
        log.warning("interaction %d is not told its result: %s", record.interaction_id, error)
    except Exception as error:  # noqa: BLE001 - the message must not go on showing progress
        report(error, f"going on with interaction {record.interaction_id}")
    return await _tell_interrupted(bot, record)


async def _style(bot: KibitzBot, record: Unfinished) -> Style:
    if record.private or record.guild_id is None:
        return await bot.preferences.private(record.user_id, record.guild_id, record.locale)
    return await bot.preferences.public(record.guild_id, record.locale)


async def _reply(bot: KibitzBot, record: Unfinished, style: Style) -> Reply | None:
    """Ask once more: equal requests are one job, so this finds the one that is under way, or its result."""
    asker = Asker(record.user_id, record.guild_id)
    typed = bot.unfinished.typed_in(record)
    match read(record.resume):
        case DeepenId() | LongerId() as state if bot.service.analyses is not None:
            question = AnalysisQuestion(state.moment, style, state.lexicon, way=state.way)
            longer = isinstance(state, LongerId)
            analyses = bot.service.analyses
            known = None if longer else await analyses.answer_kept(question, state.method)
            return known or await (await analyses.start(question, state.method, asker, longer=longer)).reply()
        case ReviewId() as state:
            review = ReviewQuestion(state.moment, style, state.lexicon, state.depth)
            known = await bot.service.reviews.known(review)
            return known or await (await bot.service.reviews.start(review, asker)).reply()
        case EngineId() as state if (engine := bot.service.chess.engine) is not None:
            return await engine.analyze(state.moment, asker, style, seconds=state.seconds or None)
        case LearnId() as state if typed:
            lesson = ReviewQuestion(state.moment, style, state.lexicon, state.depth)
            lessons = bot.service.lessons
            found = await lessons.answer(lesson, state.marks, typed, asker)
            reply = found if isinstance(found, Reply) else await found.reply()
            return reply if reply.found else await lessons.show(lesson, state.marks)
        case Control() as other:
            return await other.resume(Resumed(bot, asker, style, typed))
    return None


async def _tell(bot: KibitzBot, record: Unfinished, reply: Reply, style: Style) -> None:
    """Write a result into its message."""
    message = await _message(bot, record)
    if message is None:
        return
    view = bot.view_of(reply, style.say, None if record.private else answered_of(message) or record.user_id)
    try:
        await message.edit(content=reply.text, attachments=files_of(reply), view=view)
    except discord.Forbidden:
        await message.edit(content=without_files(reply, style.say), attachments=[], view=view)


async def _tell_interrupted(bot: KibitzBot, record: Unfinished) -> bool:
    """Write into a message that still waits that its job was interrupted; False when it is worth trying again."""
    say = (await _style(bot, record)).say
    try:
        message = await _message(bot, record)
        if message is not None and _waits(message, say):
            await message.edit(content=answer_interrupted(say).text, view=_again(record, say))
    except (discord.NotFound, discord.Forbidden) as error:
        log.info("the message of interaction %d is gone: %s", record.interaction_id, error)
    except (discord.HTTPException, aiohttp.ClientError) as error:
        log.warning(
            "the message of interaction %d does not say yet that it was interrupted: %s",
            record.interaction_id,
            error,
        )
        return discord.utils.utcnow() - record.begun > TOKEN_LIFE
    return True


async def _message(bot: KibitzBot, record: Unfinished) -> discord.Message | discord.WebhookMessage | None:
    """Return a message as it stands: by the interaction's token, else as any message of the bot; None: it cannot be changed.

    Raises:
        discord.HTTPException: Discord refused it, or the message is gone.

    """
    token = bot.unfinished.token_of(record)
    if token is not None and bot.application_id is not None:
        webhook = discord.Webhook.partial(bot.application_id, token, client=bot)
        try:
            return await webhook.fetch_message("@original")  # type: ignore[arg-type]  # as Discord calls it
        except discord.NotFound:
            log.info("the token of interaction %d is too old, or its message gone", record.interaction_id)
    if record.message_id is None:
        log.info("what interaction %d shows to its asker alone cannot be changed", record.interaction_id)
        return None
    channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
    return await channel.fetch_message(record.message_id)


def _waits(message: discord.Message, say: Speaker) -> bool:
    """Tell whether a message still says that something is coming: it may have been answered in the last moment."""
    return message.flags.loading or "⏳" in message.content or message.content == say("Here it is:")


def _again(record: Unfinished, say: Speaker) -> discord.ui.View | None:
    """Make the button that asks once more, or leads back to where it was asked."""
    if not record.again:
        return None
    view = discord.ui.View(timeout=None)
    if isinstance(read(record.again), LearnId):
        label, sign = say("Back"), None
    else:
        label, sign = say("Analyze"), "\N{LEFT-POINTING MAGNIFYING GLASS}"
    view.add_item(discord.ui.Button(label=label, emoji=sign, custom_id=record.again))
    # Not this view answers it, but what recognizes the ``custom_id``.
    view.stop()
    return view
