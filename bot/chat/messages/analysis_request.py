"""Analyses asked for in a message that mentions us: "@Kibitz analyze", mostly as a reply to somebody's position."""

from __future__ import annotations

import re
from typing import Final

import discord

from bot.chat.client import KibitzBot
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.style import Style
from bot.features.analysis.question import AnalysisQuestion
from bot.features.showing.reading import Source
from bot.jobs.queue import Asker

_ASKED: Final = re.compile(r"\b(?:prze)?anal[iíy][sz]", re.IGNORECASE)
"""How the word begins in the languages that we speak: analyze, analysis, analiza, analyse, analysiere, przeanalizuj."""


def asks_for_analysis(message: discord.Message) -> bool:
    """Tell whether a message that mentions us wants to know what should be played."""
    return _ASKED.search(message.content) is not None


async def analysis_for(
    bot: KibitzBot, message: discord.Message, source: Source, style: Style
) -> Reply | None:
    """Return the best plays of what a message asks about, or why there are none.

    None where nobody analyzes, and for a game that may still be going on: what helps one of its players is not for
    everybody. The button under its picture answers in private.
    """
    analyses = bot.service.analyses
    if analyses is None:
        return None
    asker = Asker(message.author.id, message.guild.id if message.guild else None)
    try:
        subject = await bot.service.to_analyze(source, style)
        if subject.engine is not None:
            return await subject.engine.analyze(subject.moment, asker, style)
        if subject.live:
            return None
        return await analyses.best(AnalysisQuestion(subject.moment, style))
    except NoAnswerError as no:
        return no.reply
