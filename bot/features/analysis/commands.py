"""``/analyze``, ``/try``, ``/check``, ``/hooks``, ``/anagram``, the menu *Analyze position*, and analyses by mention."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import MAX_CHOICES, Card, Moment, NoAnswerError, Style
from bot.chat.client import KibitzBot
from bot.chat.failures import answering
from bot.chat.items import use_or_ask
from bot.chat.layout import controls_under, is_hidden
from bot.chat.press import Press
from bot.chat.sending import Responder, grant
from bot.chat.source import Source
from bot.chat.styling import interaction_style
from bot.domain.chess.moves import is_typed_move
from bot.domain.crossword.play_text import MAX_PLAY_LENGTH, is_typed_play
from bot.features.analysis.chess import ChessAnalyses
from bot.features.analysis.controls import (
    ANALYSES,
    ENGINE,
    FAIRNESS,
    MEANS,
    TRIALS,
    UNDER_WAY,
    WORDS,
    AnalysisQuestion,
    Analyze,
    AskEngine,
    Plays,
    Try,
    offers,
)
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.service import Analyses
from bot.features.analysis.trials import Subject, Trials
from bot.features.analysis.words import WordQuestions
from bot.features.analysis.work import UnderWay
from bot.features.showing.controls import SHOWING, More, Turns
from bot.features.showing.feature import Feature, Host
from bot.features.showing.listening.inbound import (
    replied_message,
    source_from_message,
    source_from_option,
    without_mentions,
)
from bot.jobs.account import Requester

MAX_MESSAGES: Final = 25
"""Maximum number of messages of a channel among which ``/try`` looks for the latest board."""

_LEXICON = locale_str("The lexicon; otherwise the position's own, yours, or the server's")
_PRIVATE = locale_str("Whether only you see the answer")

ANALYSIS: Final = re.compile(r"\b(?:prze)?anal[iíy][sz]", re.IGNORECASE)
"""The stem in all languages: analyze, analysis, analiza, analyse, analysiere, przeanalizuj."""
_LEAD: Final = re.compile(r"\A(?:try|what if)\b:?\s*", re.IGNORECASE)
_NAMING_THE_MOMENT: Final = (Try, Plays, Analyze, Turns, More)
"""Controls that name the moment of an answer, the most reliable first."""


class Analysis(commands.Cog):
    """The commands of the analysis."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Analyze position"), callback=self._analyze_message)
        )

    @app_commands.command(
        name=locale_str("analyze"), description=locale_str("Find the best plays of a crossword-game position")
    )
    @app_commands.rename(
        position=locale_str("position"),
        rack=locale_str("rack"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        position=locale_str("The text, in any notation: CGP, GCG, Turn URL …"),
        rack=locale_str("Another rack for the player to move, ? for a blank"),
        lexicon=_LEXICON,
        private=_PRIVATE,
    )
    async def analyze(
        self,
        interaction: discord.Interaction[KibitzBot],
        position: app_commands.Range[str, 1, 6000] = "",
        rack: app_commands.Range[str, 1, 60] = "",
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Answer with the best plays of a position."""
        async with answering(interaction):
            await Press(interaction).need(ANALYSES)

            async def use(
                answer: discord.Interaction[KibitzBot], text: str, attachment: discord.Attachment | None
            ) -> None:
                await grant(answer)
                source_task = source_from_option(answer, text, attachment, private=private)
                await self._analyze(answer, source_task, rack, lexicon, private=private)

            await use_or_ask(interaction, position, None, title=lambda say: say("Analyze position"), use=use)

    async def _analyze_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with answering(interaction):
            await Press(interaction).need(ANALYSES)
            await grant(interaction)
            source_task = source_from_message(interaction, message, private=True)
            await self._analyze(interaction, source_task, private=True)

    async def _analyze(
        self,
        interaction: discord.Interaction[KibitzBot],
        source_task: Awaitable[Source],
        rack: str = "",
        lexicon: str = "",
        *,
        private: bool,
    ) -> None:
        analyses = await Press(interaction).need(ANALYSES)
        responder = Responder(interaction, private=private)
        style = await interaction_style(interaction, private=private)

        async def find() -> Subject:
            return await self.bot.service[TRIALS].to_analyze(await source_task, style, rack=rack)

        subject = await responder.read(find())
        requester = Press(interaction).requester
        if subject.engine is not None:
            work = subject.engine.analyze(subject.moment, requester, style)
            await responder.show(work, again=AskEngine(subject.moment).write())
            return
        if subject.live:
            responder = responder.in_private()  # help for one player is not for the channel
        await responder.show(
            analyses.best(AnalysisQuestion(subject.moment, style, lexicon, live=subject.live))
        )

    @app_commands.command(name=locale_str("check"), description=locale_str("Check whether words are valid"))
    @app_commands.rename(
        words=locale_str("words"), lexicon=locale_str("lexicon"), private=locale_str("private")
    )
    @app_commands.describe(
        words=locale_str("One word, or all words of a play"), lexicon=_LEXICON, private=_PRIVATE
    )
    async def check(
        self,
        interaction: discord.Interaction[KibitzBot],
        words: app_commands.Range[str, 1, 300],
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Judge words."""
        await self._answer_question(
            interaction,
            lambda questions, style: questions.check(words, lexicon, style),
            private=private,
        )

    @app_commands.command(
        name=locale_str("hooks"),
        description=locale_str("List the letters that turn a word into a longer word"),
    )
    @app_commands.rename(
        word=locale_str("word"), lexicon=locale_str("lexicon"), private=locale_str("private")
    )
    @app_commands.describe(word=locale_str("The word"), lexicon=_LEXICON, private=_PRIVATE)
    async def hooks(
        self,
        interaction: discord.Interaction[KibitzBot],
        word: app_commands.Range[str, 1, 40],
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """List the hooks of a word."""
        await self._answer_question(
            interaction,
            lambda questions, style: questions.hooks(word, lexicon, style),
            private=private,
        )

    @app_commands.command(
        name=locale_str("anagram"), description=locale_str("Find the words from a set of letters")
    )
    @app_commands.rename(
        letters=locale_str("letters"),
        shorter=locale_str("shorter"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        letters=locale_str("The letters, ? for a blank"),
        shorter=locale_str("Whether to list shorter words as well"),
        lexicon=_LEXICON,
        private=_PRIVATE,
    )
    async def anagram(
        self,
        interaction: discord.Interaction[KibitzBot],
        letters: app_commands.Range[str, 1, 60],
        shorter: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """List anagrams."""
        await self._answer_question(
            interaction,
            lambda questions, style: questions.anagrams(letters, lexicon, style, shorter=shorter),
            private=private,
        )

    @app_commands.command(name=locale_str("try"), description=locale_str("What if? See what a play is worth"))
    @app_commands.rename(
        move=locale_str("move"),
        position=locale_str("position"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        move=locale_str("The play: 8H QUIZ, QUIZ, -AEI, pass; in chess Nf3 or e2e4"),
        position=locale_str("The position, in any notation; otherwise my latest board in this channel"),
        lexicon=_LEXICON,
        private=_PRIVATE,
    )
    async def try_play(
        self,
        interaction: discord.Interaction[KibitzBot],
        move: app_commands.Range[str, 1, MAX_PLAY_LENGTH],
        position: app_commands.Range[str, 1, 6000] = "",
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Show a play on a board."""
        async with answering(interaction):
            await grant(interaction)
            responder = Responder(interaction, private=private)
            style = await interaction_style(interaction, private=private)
            trials = self.bot.service[TRIALS]
            moment = await responder.read(self._moment(interaction, position, style))
            if await trials.is_live(moment, style.say):
                responder = responder.in_private()  # help for one player is not for the channel
            work = trials.try_play(moment, move, style, Press(interaction).requester, lexicon=lexicon)
            await responder.answer(work)

    async def _moment(
        self, interaction: discord.Interaction[KibitzBot], position: str, style: Style
    ) -> Moment:
        """Return the moment of a text, or else of our latest board in the channel.

        Raises:
            NoAnswerError: there is no such board.

        """
        if position:
            source = await source_from_option(interaction, position, None, private=True)
            return await self.bot.service[TRIALS].to_try(source, style)
        channel = interaction.channel
        readable = interaction.app_permissions.read_message_history or interaction.guild_id is None
        if isinstance(channel, discord.abc.Messageable) and readable:
            try:
                async for message in channel.history(limit=MAX_MESSAGES):
                    if moment := _moment_of(self.bot, message):
                        return moment
            except discord.Forbidden:
                pass
        raise NoAnswerError.saying(
            style.say(
                "I can't find a board of mine in this channel. Enter a position, or reply to one and mention me."
            )
        )

    @analyze.autocomplete("lexicon")
    @check.autocomplete("lexicon")
    @hooks.autocomplete("lexicon")
    @anagram.autocomplete("lexicon")
    @try_play.autocomplete("lexicon")
    async def _lexica(
        self, interaction: discord.Interaction[KibitzBot], typed: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest the installed lexica."""
        del interaction
        questions = self.bot.service.find(WORDS)
        if questions is None:
            return []
        names = await asyncio.to_thread(questions.installed)
        wanted = typed.strip().casefold()
        return [app_commands.Choice(name=name, value=name) for name in names if wanted in name.casefold()][
            :MAX_CHOICES
        ]

    async def _answer_question(
        self,
        interaction: discord.Interaction[KibitzBot],
        ask: Callable[[WordQuestions, Style], Awaitable[Card]],
        *,
        private: bool,
    ) -> None:
        """Answer a question about words."""
        async with answering(interaction):
            questions = await Press(interaction).need(WORDS)
            await grant(interaction)
            style = await interaction_style(interaction, private=private)
            await Responder(interaction, private=private).answer(ask(questions, style))


class AnalysisOnMention:
    """Analyzes a position, or tries a play, in answer to a message that mentions the bot."""

    def reads_as_play(self, message: discord.Message) -> bool:
        """Return whether the text of a message is a play for the board that it replies to."""
        return bool(_typed_play(message))

    async def answer(
        self, bot: KibitzBot, message: discord.Message, source: Source, style: Style
    ) -> Card | None:
        """Return the card of a play or of an analysis, or the reason against it; None if the message asks for neither."""
        requester = Requester(message.author.id, message.guild.id if message.guild else None)
        try:
            if play := _typed_play(message):
                replied, trials = replied_message(message), bot.service[TRIALS]
                moment = _moment_of(bot, replied) if replied is not None else None
                moment = moment or await trials.to_try(source, style)
                return await trials.try_play(moment, play, style, requester, public=message.guild is not None)
            if ANALYSIS.search(message.content) is not None:
                return await _analysis(bot, requester, source, style)
        except NoAnswerError as no:
            return no.reply
        return None


async def _analysis(bot: KibitzBot, requester: Requester, source: Source, style: Style) -> Card | None:
    """Return the best plays of a position.

    None without analyses, and for a game that may be in progress: help for one of its players is not for everyone. The
    button under its picture answers in private.

    Raises:
        NoAnswerError: there is nothing to analyze.

    """
    analyses = bot.service.find(ANALYSES)
    if analyses is None:
        return None
    subject = await bot.service[TRIALS].to_analyze(source, style)
    if subject.engine is not None:
        return await subject.engine.analyze(subject.moment, requester, style)
    return None if subject.live else await analyses.best(AnalysisQuestion(subject.moment, style))


def _typed_play(message: discord.Message) -> str:
    """Return the play in a reply that mentions us; empty if it asks for something else."""
    if replied_message(message) is None:
        return ""
    text = _LEAD.sub("", without_mentions(message.content).strip())
    return text if is_typed_play(text) or is_typed_move(text) else ""


def _moment_of(bot: KibitzBot, answer: discord.Message) -> Moment | None:
    """Return the moment that the controls of a card name; None for a message without such controls."""
    if bot.user is None or answer.author.id != bot.user.id:
        return None
    states = [state for state, _ in controls_under(answer)]
    named = (state for kind in _NAMING_THE_MOMENT for state in states if isinstance(state, kind))
    if (state := next(named, None)) is None:
        return None
    return replace(state.moment, spoiler=state.moment.spoiler or is_hidden(answer))


def _open(host: Host) -> None:
    services, documents, showing = host.services, host.documents, host.services[SHOWING]
    fairness = services.add(FAIRNESS, Fairness(documents))
    under_way = services.add(UNDER_WAY, UnderWay())
    services.stop_functions.append(under_way.stop)
    jobs, engine_jobs = host.jobs.get("analysis"), host.jobs.get("chess")
    means = engine = None
    if jobs is not None and host.lexica is not None:
        means = services.add(MEANS, AnalysisMeans(jobs, host.lexica, host.settings.analysis.lexicon))
        services.add(ANALYSES, Analyses(documents, means, fairness, under_way))
        services.add(WORDS, WordQuestions(documents, means, fairness))
    if engine_jobs is not None:
        engine = services.add(ENGINE, ChessAnalyses(documents, engine_jobs, fairness))
    services.add(TRIALS, Trials(showing, means, engine, fairness, documents))
    showing.offered.append(partial(offers, analysis=means is not None, engine=engine is not None))
    services.mention_answerers.append(AnalysisOnMention())


FEATURE = Feature("analysis", _open, (Analysis,))
