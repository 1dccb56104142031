"""``/puzzle``: something to solve."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.client import KibitzBot
from bot.chat.controls.mistakes import ALL, next_mistake
from bot.chat.controls.puzzles import puzzles_of
from bot.chat.failures import answering
from bot.chat.messages.inbound import source_given
from bot.chat.reply import NoAnswerError, Reply
from bot.chat.sending.allowance import grant
from bot.chat.sending.interaction import Asking
from bot.chat.style import Style
from bot.chat.styling import style_of
from bot.domain.chess.documents import PuzzleSet
from bot.features.puzzles.crossword.values import Family
from bot.features.puzzles.wanted import Kind, Level, Wanted

_THEMES = {
    Family.BEST_PLAY.value: locale_str("best play"),
    Family.STRATEGY.value: locale_str("strategy"),
    Family.ONLY_BINGO.value: locale_str("only bingo"),
    Family.ENDGAME.value: locale_str("endgame"),
    Family.PHONY.value: locale_str("find the phony"),
    Family.HOOK.value: locale_str("find the hook"),
    "fork": locale_str("fork"),
    "pin": locale_str("pin"),
    "sacrifice": locale_str("sacrifice"),
    "promotion": locale_str("promotion"),
    "mateIn1": locale_str("mate in one"),
    "mateIn2": locale_str("mate in two"),
    "mateIn3": locale_str("mate in three"),
}
_MINE = "mine"
_OF_CROSSWORD = frozenset(family.value for family in Family)


class Puzzling(commands.Cog):
    """``/puzzle``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("puzzle"), description=locale_str("Solve a puzzle about as hard as you are strong")
    )
    @app_commands.rename(
        game=locale_str("game"),
        theme=locale_str("topic"),
        level=locale_str("level"),
        file=locale_str("file"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        game=locale_str("Crossword games or chess"),
        theme=locale_str("What it is about"),
        level=locale_str("Easier or harder than usual"),
        file=locale_str("Puzzles of your own: made by Kibitz, lichess' CSV, EPD with bm, or PGN"),
        private=locale_str("Whether only you see the answer"),
    )
    @app_commands.choices(
        game=[
            app_commands.Choice(name=locale_str("crossword games"), value=Kind.CROSSWORD.value),
            app_commands.Choice(name=locale_str("chess"), value=Kind.CHESS.value),
        ],
        theme=[
            app_commands.Choice(name=locale_str("my own mistakes"), value=_MINE),
            *(app_commands.Choice(name=name, value=value) for value, name in _THEMES.items()),
        ],
        level=[
            app_commands.Choice(name=locale_str("easy"), value=Level.EASY.value),
            app_commands.Choice(name=locale_str("usual"), value=Level.USUAL.value),
            app_commands.Choice(name=locale_str("hard"), value=Level.HARD.value),
        ],
    )
    async def puzzle(  # noqa: PLR0917 - what Discord gives by name
        self,
        interaction: discord.Interaction[KibitzBot],
        game: str = "",
        theme: str = "",
        level: str = Level.USUAL.value,
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Set a puzzle; whoever answers is answered alone."""
        async with answering(interaction):
            await grant(interaction)
            private = private or theme == _MINE
            style = await style_of(interaction, private=private)
            if theme == _MINE:
                await Asking(interaction, private=True).answer(next_mistake(interaction, game or ALL, style))
                return
            if file is not None:
                await Asking(interaction, private=private).answer(
                    self._posted(interaction, file, style, private=private)
                )
                return
            puzzles = puzzles_of(self.bot, style.say)
            wanted = Wanted(_kind(game, theme), theme=theme, level=Level(level))
            work = puzzles.next(interaction.user.id, wanted, style)
            await Asking(interaction, private=private).answer(work)

    async def _posted(
        self,
        interaction: discord.Interaction[KibitzBot],
        file: discord.Attachment,
        style: Style,
        *,
        private: bool,
    ) -> Reply:
        """Set the puzzles of a file.

        Raises:
            NoAnswerError: there are none in it.

        """
        source = await source_given(interaction, "", file, private=private)
        puzzles, service, say = puzzles_of(self.bot, style.say), self.bot.service, style.say
        if reply := await puzzles.posted.given(source, style):
            return reply
        findings = await service.find(source)
        if (
            source.unread
            or findings.stopped
            or any(isinstance(one.document, PuzzleSet) for one in findings.found[:1])
        ):
            shown = await service.show(source, style, findings)
            assert shown is not None  # a source that asks is always answered
            return shown
        raise NoAnswerError.saying(
            say(
                "There are no puzzles in this file. It may be what `puzzles make` wrote, lichess' CSV, a list of EPDs"
                " with `bm`, or games in PGN that start from positions of their own."
            )
        )


def _kind(game: str, theme: str) -> Kind:
    """Return the game; a theme that only one has decides where none is named, or another is."""
    if theme:
        return Kind.CROSSWORD if theme in _OF_CROSSWORD else Kind.CHESS
    return Kind(game) if game else Kind.CROSSWORD
