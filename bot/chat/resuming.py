"""Going on with what another process had begun: where jobs outlive the process that asked, their results are told all the same."""

from __future__ import annotations

import logging

import aiohttp
import discord

from bot.answers.reply import NoAnswerError, Reply
from bot.chat import ids
from bot.chat.client import KibitzBot
from bot.chat.failures import report
from bot.chat.ids import DeepenId, EngineId, LongerId, ReviewId
from bot.chat.sending.outbound import answered_of, files_of, without_files
from bot.chat.unfinished import tell_interrupted, webhook_of
from bot.jobs.queue import Asker
from bot.scenes.style import Style
from bot.service.analysis import AnalysisQuestion
from bot.service.review.question import ReviewQuestion
from bot.storage.errors import StoreError
from bot.storage.unfinished import Unfinished

log = logging.getLogger(__name__)


def can_resume(bot: KibitzBot, record: Unfinished) -> bool:
    """Tell whether the job of a message still goes on, or is done, without its process."""
    return bool(record.resume) and bot.service.jobs_last


async def resume(bot: KibitzBot, record: Unfinished) -> None:
    """Wait for the result of a message that is ours now, and tell it; when that fails, somebody tries again."""
    try:
        with bot.in_hand():
            if await _resumed(bot, record):
                await bot.store.forget_unfinished(record.interaction_id)
            else:
                await bot.store.adopt_unfinished(record.interaction_id, bot.instance, "")
    except StoreError as error:
        log.warning("interaction %d is taken up later: %s", record.interaction_id, error)


async def _resumed(bot: KibitzBot, record: Unfinished) -> bool:
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
    return await tell_interrupted(bot, record)


async def _style(bot: KibitzBot, record: Unfinished) -> Style:
    if record.message_id is None or record.guild_id is None:
        return await bot.preferences.private(record.user_id, record.guild_id, record.locale)
    return await bot.preferences.public(record.guild_id, record.locale)


async def _reply(bot: KibitzBot, record: Unfinished, style: Style) -> Reply | None:
    """Ask once more: equal requests are one job, so this finds the one that is under way, or its result."""
    asker = Asker(record.user_id, record.guild_id)
    match ids.read(record.resume):
        case DeepenId() | LongerId() as state if bot.service.analyses is not None:
            question = AnalysisQuestion(state.moment, style, state.lexicon, way=state.way)
            longer = isinstance(state, LongerId)
            analyses = bot.service.analyses
            known = None if longer else await analyses.answer_kept(question, state.method)
            if known is not None:
                return known
            running = await analyses.start(question, state.method, asker, longer=longer)
            return await running.reply()
        case ReviewId() as state:
            review = ReviewQuestion(state.moment, style, state.lexicon, state.depth)
            known = await bot.service.reviews.known(review)
            return known or await (await bot.service.reviews.start(review, asker)).reply()
        case EngineId() as state if (engine := bot.service.chess.engine) is not None:
            return await engine.analyze(state.moment, asker, style, seconds=state.seconds or None)
    return None


async def _tell(bot: KibitzBot, record: Unfinished, reply: Reply, style: Style) -> None:
    """Write a result into its message: with the interaction's token, else as any message of the bot."""
    author = await _answered(bot, record)
    view = bot.view_of(reply, style.say, author)
    webhook = webhook_of(bot, record)
    if webhook is not None:
        try:
            await webhook.edit_message(
                "@original",  # type: ignore[call-overload]  # as Discord calls it
                content=reply.text,
                attachments=files_of(reply),
                view=view,
            )
        except discord.NotFound:
            log.info("the token of interaction %d is too old", record.interaction_id)
        except discord.Forbidden:
            await webhook.edit_message(
                "@original",  # type: ignore[call-overload]  # as above
                content=without_files(reply, style.say),
                attachments=[],
                view=view,
            )
            return
        else:
            return
    if record.message_id is not None:
        channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
        message = channel.get_partial_message(record.message_id)
        await message.edit(content=reply.text, attachments=files_of(reply), view=view)


async def _answered(bot: KibitzBot, record: Unfinished) -> int | None:
    """Return who may delete the message, as its button names them."""
    if record.message_id is None:
        return None
    channel = bot.get_partial_messageable(record.channel_id, guild_id=record.guild_id)
    try:
        return answered_of(await channel.fetch_message(record.message_id)) or record.user_id
    except discord.HTTPException:
        return record.user_id
