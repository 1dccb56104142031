"""Keeping the finished games that somebody posts, where that person wants to look back at them."""

from __future__ import annotations

import logging

import discord

from bot.chat.client import KibitzBot
from bot.features.showing.findings import Findings, distinct
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)


async def collect_own(bot: KibitzBot, message: discord.Message, findings: Findings) -> None:
    """Keep the finished games of an answered message as its author's, or those of its edit in their place.

    What goes wrong is logged: the answer is out.
    """
    own_games = bot.service.own_games
    if message.guild is None or own_games is None:
        return
    try:
        if (await bot.preferences.user(message.author.id)).games:
            await own_games.collect(distinct(findings.found), message.id, message.guild.id, message.author.id)
    except StoreError as error:
        log.warning("the games of message %d are not kept for a look back: %s", message.id, error)
