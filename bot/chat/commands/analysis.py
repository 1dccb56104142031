"""Analysis on request: the best plays of a position, and questions about words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.answers.reply import Reply
from bot.chat.commands.paste import use_or_ask
from bot.chat.controls.analysis import analyses_of, asker_of, follow_analysis
from bot.chat.failures import answering
from bot.chat.ids import AnalyzeId
from bot.chat.messages.inbound import source_given, source_pointed_at
from bot.chat.sending.allowance import grant
from bot.chat.sending.interaction import Asking
from bot.chat.style import style_of
from bot.chat.unfinished import finished_or_told
from bot.engine.options import AnalysisOptions
from bot.jobs.analysis import Method
from bot.scenes.style import Style
from bot.service import Source
from bot.service.analysis import AnalysisQuestion
from bot.service.service import Subject
from bot.service.words import WordQuestions

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

MAX_CHOICES = 25
MAX_SECONDS = 60

_LEXICON = locale_str("The lexicon; otherwise the position's own, yours, or the server's")
_PRIVATE = locale_str("Whether only you see the answer")


@dataclass(frozen=True, slots=True)
class _Options:
    """How somebody wants a position analyzed."""

    rack: str = ""
    turn: int | None = None
    lexicon: str = ""
    method: Method = Method.EQUITY
    spoiler: bool = False
    analysis: AnalysisOptions = field(default_factory=AnalysisOptions)


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
        turn=locale_str("turn"),
        lexicon=locale_str("lexicon"),
        plays=locale_str("plays"),
        method=locale_str("method"),
        seconds=locale_str("seconds"),
        plies=locale_str("plies"),
        infer=locale_str("infer"),
        spoiler=locale_str("spoiler"),
        private=locale_str("private"),
        file=locale_str("file"),
    )
    @app_commands.describe(
        position=locale_str("The text, in any notation: CGP, GCG, Turn URL …"),
        rack=locale_str("Another rack for the player on turn, ? for a blank"),
        turn=locale_str("Of a game: after how many turns (otherwise the latest with something to play)"),
        lexicon=_LEXICON,
        plays=locale_str("How many plays to compare"),
        method=locale_str("How to compare the plays"),
        seconds=locale_str("How long a simulation or a solution may take"),
        plies=locale_str("How many turns a simulation plays on"),
        infer=locale_str("Have a simulation guess the opponent's tiles from the last play"),
        spoiler=locale_str("Hide the answer until it is clicked, for those who want to think first"),
        private=_PRIVATE,
        file=locale_str("A file with it, such as a .gcg"),
    )
    @app_commands.choices(
        method=[
            app_commands.Choice(name=locale_str("equity: score and leave, at once"), value="equity"),
            app_commands.Choice(name=locale_str("simulation: by wins, playing on"), value="simulation"),
            app_commands.Choice(name=locale_str("solution: proved, when the bag is empty"), value="solution"),
        ]
    )
    async def analyze(  # noqa: PLR0917 - discord.py reads the signature
        self,
        interaction: discord.Interaction[KibitzBot],
        position: app_commands.Range[str, 1, 6000] = "",
        rack: app_commands.Range[str, 1, 60] = "",
        turn: app_commands.Range[int, 0, 2000] | None = None,
        lexicon: app_commands.Range[str, 1, 32] = "",
        plays: app_commands.Range[int, 2, 25] = 15,
        method: str = "equity",
        seconds: app_commands.Range[int, 1, MAX_SECONDS] = 15,
        plies: app_commands.Range[int, 1, 10] = 2,
        infer: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        spoiler: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        file: discord.Attachment | None = None,
    ) -> None:
        """Tell the best plays of a position."""
        async with answering(interaction):
            await analyses_of(interaction)
            options = _Options(
                rack,
                turn,
                lexicon,
                Method(method),
                spoiler,
                AnalysisOptions(plays, float(seconds), plies, infer),
            )

            async def use(
                answer: discord.Interaction[KibitzBot], text: str, given: discord.Attachment | None
            ) -> None:
                await grant(answer)
                bringing = source_given(answer, text, given, private=private)
                await self._analyze(answer, bringing, options, private=private)

            await use_or_ask(interaction, position, file, title=lambda say: say("Analyze position"), use=use)

    async def _analyze_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with answering(interaction):
            await analyses_of(interaction)
            await grant(interaction)
            bringing = source_pointed_at(interaction, message, private=True)
            await self._analyze(interaction, bringing, _Options(), private=True)

    async def _analyze(
        self,
        interaction: discord.Interaction[KibitzBot],
        bringing: Awaitable[Source],
        options: _Options,
        *,
        private: bool,
    ) -> None:
        analyses = await analyses_of(interaction)
        asking = Asking(interaction, private=private)
        style = await style_of(interaction, private=private)

        async def find() -> Subject:
            return await self.bot.service.to_analyze(
                await bringing,
                style,
                turn=options.turn,
                rack=options.rack,
                spoiler=options.spoiler,
            )

        subject = await asking.read(find())
        asker = asker_of(interaction)
        if subject.engine is not None:
            work = subject.engine.analyze(subject.moment, asker, style)
            async with finished_or_told(interaction, style.say.locale):
                await asking.answer(work)
            return
        if subject.live:
            # What helps one player in a game that is going on is not for the channel.
            asking = asking.in_private()
        question = AnalysisQuestion(
            subject.moment, style, options.lexicon, options.analysis, live=subject.live
        )
        if options.method is Method.EQUITY:
            await asking.show(analyses.best(question))
            return
        if known := await analyses.answer_kept(question, options.method):
            await asking.send(known)
            return
        running = await analyses.start(question, options.method, asker)
        again = AnalyzeId(subject.moment, options.lexicon)
        # A lexicon may be asked for in words that no id holds.
        again = again if again.fits() else AnalyzeId(subject.moment)
        async with finished_or_told(interaction, style.say.locale, again.write()):
            await asking.watch(follow_analysis(interaction, running, style.say))

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
        questions = interaction.client.service.words
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
        ask: Callable[[WordQuestions, Style], Awaitable[Reply]],
        *,
        private: bool,
    ) -> None:
        """Answer a question about words."""
        async with answering(interaction):
            await analyses_of(interaction)
            await grant(interaction)
            questions = self.bot.service.words
            assert questions is not None  # comes with the analyses
            style = await style_of(interaction, private=private)
            asking = Asking(interaction, private=private)
            await asking.answer(ask(questions, style))
