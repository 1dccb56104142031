"""The commands and mentions that analyze positions, try plays and look up words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import MAX_CHOICES, Card, Moment, RefusalError, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.failures import replying
from bot.chat.items import run_or_ask_for_input
from bot.chat.layout import controls_under, is_hidden
from bot.chat.press import Press
from bot.chat.reply_context import interaction_context
from bot.chat.sending import Responder, count_request
from bot.chat.source import Source
from bot.domain.chess.moves import is_typed_move
from bot.domain.crossword.play_text import MAX_PLAY_LENGTH, is_typed_play
from bot.features.analysis.chess import ChessAnalysisService
from bot.features.analysis.controls import (
    ANALYSES,
    CHESS_ANALYSES,
    FAIRNESS,
    RESOURCES,
    TRIALS,
    WORDS,
    AnalysisQuery,
    Analyze,
    AskEngine,
    PlayMenu,
    TryPlay,
    analysis_controls,
)
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.analysis.fairness import Fairness, WordQuery, WordQueryKind
from bot.features.analysis.service import AnalysisService
from bot.features.analysis.trials import AnalysisTarget, TrialService
from bot.features.analysis.words import MAX_WORDS, WORD_SEPARATORS, WordLookup
from bot.features.showing.controls import PRESENTER, OtherNotationMenu, TurnMenu
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.listening.inbound import (
    replied_to_message,
    source_from_context_menu,
    source_from_option,
    without_mentions,
)
from bot.jobs.account import Requester

MAX_SEARCHED_MESSAGES: Final = 25
"""``/try`` looks for a board in this many recent messages."""

_LEXICON = locale_str("The lexicon (default: the position's own, yours, or the server's)")
_PRIVATE = locale_str("Whether only you see the reply")

ANALYSIS_STEM: Final = re.compile(r"\b(?:prze)?anal[iíy][sz]", re.IGNORECASE)
"""The stem of "analyze" in each of the bot's languages, as in analyse, analysiere, analízalo and przeanalizuj."""
_TRY_PREFIX: Final = re.compile(r"\A(?:try|what if)\b:?\s*", re.IGNORECASE)
_MOMENT_CONTROLS: Final = (TryPlay, PlayMenu, Analyze, TurnMenu, OtherNotationMenu)
"""Controls that contain the position in which to try a play, in order of preference."""


class AnalysisCommands(commands.Cog):
    """Commands that analyze positions, try plays and look up words."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Analyze position"), callback=self._analyze_message)
        )

    @app_commands.command(
        name=locale_str("analyze"), description=locale_str("Find the best plays or moves in a position")
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
        async with replying(interaction):
            await self._require_analysis(interaction)

            async def handle_input(
                submission: discord.Interaction[KibitzBot], text: str, attachment: discord.Attachment | None
            ) -> None:
                await count_request(submission)
                pending_source = source_from_option(submission, text, attachment, private=private)
                await self._analyze(submission, pending_source, rack, lexicon, private=private)

            await run_or_ask_for_input(
                interaction,
                position,
                None,
                title=lambda translate: translate("Analyze position"),
                handle_input=handle_input,
            )

    async def _analyze_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with replying(interaction):
            await self._require_analysis(interaction)
            await count_request(interaction)
            await self._analyze(
                interaction, source_from_context_menu(interaction, message, private=True), private=True
            )

    async def _require_analysis(self, interaction: discord.Interaction[KibitzBot]) -> None:
        if self.bot.services.find(CHESS_ANALYSES) is None:
            await Press(interaction).require_service(ANALYSES)

    async def _analyze(
        self,
        interaction: discord.Interaction[KibitzBot],
        pending_source: Awaitable[Source],
        rack: str = "",
        lexicon: str = "",
        *,
        private: bool,
    ) -> None:
        responder = Responder(interaction, private=private)
        context = await interaction_context(interaction, private=private)

        async def store_target() -> AnalysisTarget:
            return await self.bot.services[TRIALS].store_target(await pending_source, context, rack=rack)

        target = await responder.await_or_acknowledge(store_target())
        if target.chess_analyses is not None:
            work = target.chess_analyses.analyze(target.moment, Press(interaction).requester, context)
            await responder.show(work, restart=AskEngine(target.moment))
            return
        analyses = await Press(interaction).require_service(ANALYSES)
        if target.may_be_in_progress:
            responder = responder.in_private()  # a public reply would help one of the players
        await responder.show(
            analyses.make_ranking_card(
                AnalysisQuery(target.moment, context, lexicon, may_be_in_progress=target.may_be_in_progress)
            )
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
        query = WordQuery(WordQueryKind.CHECK, tuple(WORD_SEPARATORS.split(words.strip())[:MAX_WORDS]))
        await self._answer_query(interaction, query, lexicon, private=private)

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
        await self._answer_query(
            interaction, WordQuery(WordQueryKind.HOOKS, (word,)), lexicon, private=private
        )

    @app_commands.command(
        name=locale_str("anagram"), description=locale_str("Find the words that a set of letters can make")
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
        query = WordQuery(WordQueryKind.ANAGRAM, (letters,), include_shorter=shorter)
        await self._answer_query(interaction, query, lexicon, private=private)

    @app_commands.command(name=locale_str("try"), description=locale_str("What if? See what a play is worth"))
    @app_commands.rename(
        move=locale_str("move"),
        position=locale_str("position"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        move=locale_str("The play: 8H QUIZ, QUIZ, -AEI, pass; in chess Nf3 or e2e4"),
        position=locale_str("The position, in any notation (default: Kibitz's latest board in this channel)"),
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
        async with replying(interaction):
            await count_request(interaction)
            responder = Responder(interaction, private=private)
            context = await interaction_context(interaction, private=private)
            trials = self.bot.services[TRIALS]
            moment = await responder.await_or_acknowledge(self._find_moment(interaction, position, context))
            if await trials.may_be_in_progress(moment, context.translate):
                responder = responder.in_private()  # a public reply would help one of the players
            work = trials.try_play(moment, move, context, Press(interaction).requester, lexicon=lexicon)
            await responder.send(await responder.await_or_acknowledge(work))

    async def _find_moment(
        self, interaction: discord.Interaction[KibitzBot], position: str, context: ReplyContext
    ) -> Moment:
        """Return the position in which to try a play, by default the bot's latest board in the channel."""
        if position:
            source = await source_from_option(interaction, position, None, private=True)
            return await self.bot.services[TRIALS].store_position_to_try(source, context)
        channel = interaction.channel
        can_read_history = interaction.app_permissions.read_message_history or interaction.guild_id is None
        if isinstance(channel, discord.abc.Messageable) and can_read_history:
            with suppress(discord.Forbidden):
                async for message in channel.history(limit=MAX_SEARCHED_MESSAGES):
                    if moment := _moment_under(self.bot, message):
                        return moment
        raise RefusalError.with_text(
            context.translate(
                "There is no recent board from Kibitz in this channel. Enter a position, or reply to one and mention Kibitz."
            )
        )

    @analyze.autocomplete("lexicon")
    @check.autocomplete("lexicon")
    @hooks.autocomplete("lexicon")
    @anagram.autocomplete("lexicon")
    @try_play.autocomplete("lexicon")
    async def _complete_lexicon(
        self, interaction: discord.Interaction[KibitzBot], current: str
    ) -> list[app_commands.Choice[str]]:
        lookup = self.bot.services.find(WORDS)
        names = () if lookup is None else await asyncio.to_thread(lookup.installed_lexica)
        matches = [name for name in names if current.strip().casefold() in name.casefold()]
        return [app_commands.Choice(name=name, value=name) for name in matches[:MAX_CHOICES]]

    async def _answer_query(
        self,
        interaction: discord.Interaction[KibitzBot],
        query: WordQuery,
        lexicon: str,
        *,
        private: bool,
    ) -> None:
        async with replying(interaction):
            lookup = await Press(interaction).require_service(WORDS)
            await count_request(interaction)
            await Responder(interaction, private=private).reply(partial(lookup.answer, query, lexicon))


async def reply_to_mention(
    bot: KibitzBot, message: discord.Message, source: Source, context: ReplyContext
) -> Card | None:
    """Return the reply to a message that asks to try a play or to analyze a position.

    Return None for other messages, or if :func:`_make_analysis_card` returns None.
    """
    requester = Requester(message.author.id, message.guild.id if message.guild else None)
    try:
        if play := _typed_play(message):
            target_message, trials = replied_to_message(message), bot.services[TRIALS]
            moment = _moment_under(bot, target_message) if target_message is not None else None
            moment = moment or await trials.store_position_to_try(source, context)
            return await trials.try_play(moment, play, context, requester, public=message.guild is not None)
        if ANALYSIS_STEM.search(message.content) is not None:
            return await _make_analysis_card(bot, requester, source, context)
    except RefusalError as refusal:
        return refusal.card
    return None


async def _make_analysis_card(
    bot: KibitzBot, requester: Requester, source: Source, context: ReplyContext
) -> Card | None:
    """Return the card with the analysis of a position, or None if this bot analyzes neither crossword games nor chess.

    Also return None for a crossword position if this bot analyzes only chess, or if the game may be in progress, because a public
    reply would help one of the players.

    Raises:
        RefusalError: the position cannot be analyzed, or is a chess position and this bot has no chess engine.

    """
    analyses = bot.services.find(ANALYSES)
    if analyses is None and bot.services.find(CHESS_ANALYSES) is None:
        return None
    target = await bot.services[TRIALS].store_target(source, context)
    if target.chess_analyses is not None:
        return await target.chess_analyses.analyze(target.moment, requester, context)
    if analyses is None or target.may_be_in_progress:
        return None
    return await analyses.make_ranking_card(AnalysisQuery(target.moment, context))


def _typed_play(message: discord.Message) -> str:
    if replied_to_message(message) is None:
        return ""
    text = _TRY_PREFIX.sub("", without_mentions(message.content).strip())
    return text if is_typed_play(text) or is_typed_move(text) else ""


def _moment_under(bot: KibitzBot, message: discord.Message) -> Moment | None:
    if bot.user is None or message.author.id != bot.user.id:
        return None
    controls = [control for control, _ in controls_under(message)]
    matches = (control for kind in _MOMENT_CONTROLS for control in controls if isinstance(control, kind))
    if (match := next(matches, None)) is None:
        return None
    return replace(match.moment, spoiler=match.moment.spoiler or is_hidden(message))


def _create_services(context: FeatureContext) -> None:
    services, documents, presenter = context.services, context.documents, context.services[PRESENTER]
    fairness = services.add(FAIRNESS, Fairness(documents))
    jobs, engine_jobs = context.jobs.get("analysis"), context.jobs.get("chess")
    resources = chess_analyses = None
    if jobs is not None and context.lexica is not None:
        resources = services.add(
            RESOURCES, AnalysisResources(jobs, context.lexica, context.settings.analysis.lexicon)
        )
        services.add(ANALYSES, AnalysisService(documents, resources, fairness))
        services.add(WORDS, WordLookup(documents, resources, fairness))
    if engine_jobs is not None:
        chess_analyses = services.add(CHESS_ANALYSES, ChessAnalysisService(documents, engine_jobs, fairness))
    services.add(TRIALS, TrialService(presenter, resources, chess_analyses, fairness, documents))
    presenter.control_providers.append(
        partial(analysis_controls, has_lexica=resources is not None, has_engine=chess_analyses is not None)
    )
    services.reads_as_play = lambda message: bool(_typed_play(message))
    services.reply_to_mention = reply_to_mention


FEATURE = Feature("analysis", _create_services, (AnalysisCommands,))
