"""``/analyze``, ``/try``, ``/check``, ``/hooks`` and ``/anagram``, and the message menu *Analyze position*."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import Card, NoAnswerError
from bot.chat.client import KibitzBot
from bot.chat.failures import answering
from bot.chat.messages.inbound import source_given, source_pointed_at
from bot.chat.moment import Moment
from bot.chat.page import MAX_CHOICES
from bot.chat.paste import use_or_ask
from bot.chat.press import Press, asker_of
from bot.chat.sending import Asking, grant
from bot.chat.source import Source
from bot.chat.style import Style
from bot.chat.styling import style_of
from bot.domain.crossword.play_text import MAX_TYPED
from bot.features.analysis.controls import ANALYSES, FINDER, TRIALS, WORDS, AskEngine
from bot.features.analysis.finder import Subject
from bot.features.analysis.mentioned import moment_shown
from bot.features.analysis.question import AnalysisQuestion
from bot.features.analysis.words import WordQuestions

_LEXICON = locale_str("The lexicon; otherwise the position's own, yours, or the server's")
_PRIVATE = locale_str("Whether only you see the answer")


class Analysis(commands.Cog):
    """``/analyze``, its menu, ``/check``, ``/anagram`` and ``/hooks``."""

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
        rack=locale_str("Another rack for the player on turn, ? for a blank"),
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
        """Tell the best plays of a position."""
        async with answering(interaction):
            await Press(interaction).need(ANALYSES)

            async def use(
                answer: discord.Interaction[KibitzBot], text: str, given: discord.Attachment | None
            ) -> None:
                await grant(answer)
                bringing = source_given(answer, text, given, private=private)
                await self._analyze(answer, bringing, rack, lexicon, private=private)

            await use_or_ask(interaction, position, None, title=lambda say: say("Analyze position"), use=use)

    async def _analyze_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with answering(interaction):
            await Press(interaction).need(ANALYSES)
            await grant(interaction)
            bringing = source_pointed_at(interaction, message, private=True)
            await self._analyze(interaction, bringing, private=True)

    async def _analyze(
        self,
        interaction: discord.Interaction[KibitzBot],
        bringing: Awaitable[Source],
        rack: str = "",
        lexicon: str = "",
        *,
        private: bool,
    ) -> None:
        analyses = await Press(interaction).need(ANALYSES)
        asking = Asking(interaction, private=private)
        style = await style_of(interaction, private=private)

        async def find() -> Subject:
            return await self.bot.service[FINDER].to_analyze(await bringing, style, rack=rack)

        subject = await asking.read(find())
        asker = asker_of(interaction)
        if subject.engine is not None:
            work = subject.engine.analyze(subject.moment, asker, style)
            await asking.show(work, again=AskEngine(subject.moment).write())
            return
        if subject.live:
            # What helps one player in a game that is going on is not for the channel.
            asking = asking.in_private()
        await asking.show(analyses.best(AnalysisQuestion(subject.moment, style, lexicon, live=subject.live)))

    @app_commands.command(name=locale_str("check"), description=locale_str("Tell whether words are valid"))
    @app_commands.rename(
        words=locale_str("words"), lexicon=locale_str("lexicon"), private=locale_str("private")
    )
    @app_commands.describe(
        words=locale_str("One word, or several of one play"), lexicon=_LEXICON, private=_PRIVATE
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
        name=locale_str("hooks"), description=locale_str("Tell which letters make another word of a word")
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
        name=locale_str("anagram"), description=locale_str("Find the words that letters make")
    )
    @app_commands.rename(
        letters=locale_str("letters"),
        shorter=locale_str("shorter"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        letters=locale_str("The letters, ? for a blank"),
        shorter=locale_str("Also words that leave letters over"),
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

    @analyze.autocomplete("lexicon")
    @check.autocomplete("lexicon")
    @hooks.autocomplete("lexicon")
    @anagram.autocomplete("lexicon")
    async def _lexica(
        self, interaction: discord.Interaction[KibitzBot], typed: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest the lexica that are installed."""
        questions = interaction.client.service.of(WORDS)
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
            await Press(interaction).need(ANALYSES)
            await grant(interaction)
            questions = self.bot.service.of(WORDS)
            assert questions is not None  # comes with the analyses
            style = await style_of(interaction, private=private)
            asking = Asking(interaction, private=private)
            await asking.answer(ask(questions, style))


MAX_LOOKED_AT = 25
"""Messages of a channel among which the newest board is looked for."""


class Trying(commands.Cog):
    """``/try``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("try"), description=locale_str("See what a play would come to: what if?")
    )
    @app_commands.rename(
        move=locale_str("move"),
        position=locale_str("position"),
        lexicon=locale_str("lexicon"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        move=locale_str("The play: 8H QUIZ, H8 Q.IZ, -ABC, pass; in chess Nf3 or e2e4"),
        position=locale_str("The position, in any notation; otherwise my newest board in this channel"),
        lexicon=locale_str("The lexicon; otherwise the position's own, yours, or the server's"),
        private=locale_str("Whether only you see the answer"),
    )
    async def try_play(
        self,
        interaction: discord.Interaction[KibitzBot],
        move: app_commands.Range[str, 1, MAX_TYPED],
        position: app_commands.Range[str, 1, 6000] = "",
        lexicon: app_commands.Range[str, 1, 32] = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Show a play on a board."""
        async with answering(interaction):
            await grant(interaction)
            asking = Asking(interaction, private=private)
            style = await style_of(interaction, private=private)
            trials = self.bot.service[TRIALS]
            moment = await asking.read(self._moment(interaction, position, style))
            live = await trials.is_live(moment, style.say)
            if live:
                # What helps one player in a game that is going on is not for the channel.
                asking = asking.in_private()
            work = trials.try_play(moment, move, style, asker_of(interaction), lexicon=lexicon)
            await asking.answer(work)

    async def _moment(
        self, interaction: discord.Interaction[KibitzBot], position: str, style: Style
    ) -> Moment:
        """Return the moment to try a play in: that of a text, else of our newest board in the channel.

        Raises:
            NoAnswerError: there is none.

        """
        if position:
            source = await source_given(interaction, position, None, private=True)
            return await self.bot.service[FINDER].to_try(source, style)
        channel = interaction.channel
        readable = interaction.app_permissions.read_message_history or interaction.guild_id is None
        if isinstance(channel, discord.abc.Messageable) and readable:
            try:
                async for message in channel.history(limit=MAX_LOOKED_AT):
                    if moment := moment_shown(self.bot, message):
                        return moment
            except discord.Forbidden:
                pass  # as where there is none
        raise NoAnswerError.saying(
            style.say(
                "There is no board of mine here that I can see. Give a position, or reply to one and mention me."
            )
        )
