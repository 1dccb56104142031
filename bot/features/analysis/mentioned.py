"""Analyses and plays asked for in a message that mentions us, mostly as a reply to somebody's position."""

from __future__ import annotations

import re
from typing import Final

import discord

from bot.chat.card import Card, NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.layout import controls_under
from bot.chat.messages.inbound import is_hidden, replied_message, without_mentions
from bot.chat.moment import Moment
from bot.chat.source import Source
from bot.chat.style import Style
from bot.domain.chess.moves import is_typed_move
from bot.domain.crossword.play_text import is_typed_play
from bot.features.analysis.controls import ANALYSES, FINDER, TRIALS, Analyze, Plays, Try
from bot.features.analysis.question import AnalysisQuestion
from bot.features.showing.controls import More, Turns
from bot.jobs.queue import Asker

ASKED: Final = re.compile(r"\b(?:prze)?anal[iíy][sz]", re.IGNORECASE)
"""How the word begins in the languages that we speak: analyze, analysis, analiza, analyse, analysiere, przeanalizuj."""


class AnalysisOnMention:
    """Analyzes, or tries a play, where a message that mentions the bot asks for it."""

    def reads_as_play(self, message: discord.Message) -> bool:
        """Return whether the text of a message is a play for the board that it replies to."""
        return bool(tried_play(message))

    async def answer(
        self, bot: KibitzBot, message: discord.Message, source: Source, style: Style
    ) -> Card | None:
        """Return the play on the board, or the best plays; None where the message asks for neither."""
        if play := tried_play(message):
            return await _trial(bot, message, source, style, play)
        if ASKED.search(message.content) is not None:
            return await _analysis(bot, message, source, style)
        return None


async def _analysis(bot: KibitzBot, message: discord.Message, source: Source, style: Style) -> Card | None:
    """Return the best plays of what a message asks about, or why there are none.

    None where nobody analyzes, and for a game that may still be going on: what helps one of its players is not for
    everybody. The button under its picture answers in private.
    """
    analyses = bot.service.of(ANALYSES)
    if analyses is None:
        return None
    asker = Asker(message.author.id, message.guild.id if message.guild else None)
    try:
        subject = await bot.service[FINDER].to_analyze(source, style)
        if subject.engine is not None:
            return await subject.engine.analyze(subject.moment, asker, style)
        if subject.live:
            return None
        return await analyses.best(AnalysisQuestion(subject.moment, style))
    except NoAnswerError as no:
        return no.reply


_INTRODUCED: Final = re.compile(r"\A(?:try|what if)\b:?\s*", re.IGNORECASE)
_BY_KIND: Final = (Try, Plays, Analyze, Turns, More)
"""Which control under an answer names the moment that it shows; the first there is."""


def tried_play(message: discord.Message) -> str:
    """Return the play that a reply which mentions us wants to see; empty when it wants something else."""
    if replied_message(message) is None:
        return ""
    text = _INTRODUCED.sub("", without_mentions(message.content).strip())
    return text if is_typed_play(text) or is_typed_move(text) else ""


async def _trial(bot: KibitzBot, message: discord.Message, source: Source, style: Style, play: str) -> Card:
    """Return what a play comes to on the board that a message replies to, or why there is nothing to show."""
    asker = Asker(message.author.id, message.guild.id if message.guild else None)
    replied = replied_message(message)
    try:
        moment = moment_shown(bot, replied) if replied is not None else None
        moment = moment or await bot.service[FINDER].to_try(source, style)
        return await bot.service[TRIALS].try_play(
            moment, play, style, asker, public=message.guild is not None
        )
    except NoAnswerError as no:
        return no.reply


def moment_shown(bot: KibitzBot, answer: discord.Message) -> Moment | None:
    """Return the moment that an answer of ours shows, as its controls name it; None when they name none."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    states = [state for state, _ in controls_under(answer)]
    for kind in _BY_KIND:
        for state in states:
            if isinstance(state, kind):
                hidden = state.moment.spoiler or is_hidden(answer)
                return Moment(state.moment.digest, state.moment.turn, state.moment.side, hidden)
    return None
