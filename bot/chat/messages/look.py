"""What a message holds: its own texts, files and pictures, or those of the message that it replies to."""

from __future__ import annotations

from dataclasses import replace

import discord

from bot.chat.client import KibitzBot
from bot.chat.messages.inbound import (
    fetched_bytes,
    is_addressed,
    looks_promising,
    replied_message,
    shows_pictures,
    source_of_answer,
    source_of_message,
)
from bot.chat.preferences import Mode
from bot.chat.source import Source
from bot.chat.styling import mode_for
from bot.features.showing.controls import SHOWING
from bot.features.showing.findings import Findings
from bot.jobs.account import OverBudgetError, current_account


def addresses_us(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell whether the text of a message mentions us."""
    return bot.user is not None and is_addressed(message, bot.user)


def is_promising(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell, without the store, whether a message addresses us or may hold a position, its pictures apart."""
    return addresses_us(bot, message) or looks_promising(
        message, bot.settings.limits, links=bot.service[SHOWING].links.are_opened
    )


def may_show_board(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell, without the store, whether a message has pictures and stands where they may be looked at unasked.

    Whoever sends us one in a direct message asks.
    """
    looks = message.guild is None or bot.preferences.may_look(message.guild.id)
    return looks and shows_pictures(message, bot.settings.limits)


async def are_pictures_looked_at(bot: KibitzBot, message: discord.Message) -> bool:
    """Tell whether pictures are looked at unasked where a message stands.

    Raises:
        StoreError: the store cannot be read.

    """
    return may_show_board(bot, message) and (
        message.guild is None or await mode_for(bot, message) is Mode.PICTURES
    )


async def read_message(
    bot: KibitzBot, message: discord.Message, *, pictures: bool
) -> tuple[Source, Findings]:
    """Read a message; of a reply that addresses us without a position, the message that it replies to.

    Raises:
        OverBudgetError: whoever wants it has too little left for as much.

    """
    addressed = addresses_us(bot, message)
    replied = replied_message(message) if addressed else None
    if replied is None or not any(one.reads_as_play(message) for one in bot.service.mentioned):
        source, findings = await _look_at(bot, message, asked=addressed, pictures=pictures)
        if replied is None or findings.found or findings.addresses:
            return source, findings
    if shown := await source_of_answer(bot, replied, message.author.id):
        return shown, await bot.service[SHOWING].find(shown)
    return await _look_at(bot, replied, asked=True, pictures=True)


async def _look_at(
    bot: KibitzBot, message: discord.Message, *, asked: bool, pictures: bool
) -> tuple[Source, Findings]:
    limits = bot.settings.limits
    account = current_account()
    size = fetched_bytes(message, limits, pictures=pictures or asked)
    if account is not None and not bot.means.cover(account, size):
        raise OverBudgetError  # before anything is fetched
    source = await source_of_message(message, asked=asked, limits=limits, pictures=pictures)
    # Whether it is shown now, later or never, a link continues its game.
    findings = await bot.service[SHOWING].find(source)
    if message.guild is None:
        # Nobody else is there to be bothered: a broken position is explained, ordinary talk is not.
        source = replace(source, asked=True)
    return source, findings


def is_doubtful(findings: Findings) -> bool:
    """Tell whether all there is are boards on pictures, and one of them is to be checked."""
    seen = [item.sight for item in findings.found]
    return bool(seen) and all(seen) and not all(sight.confident for sight in seen if sight is not None)
