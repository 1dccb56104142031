"""Showing and converting positions on request."""

from __future__ import annotations

from collections.abc import Awaitable

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import Card
from bot.chat.client import KibitzBot
from bot.chat.commands.paste import use_or_ask
from bot.chat.failures import answering
from bot.chat.messages.inbound import source_given, source_pointed_at
from bot.chat.sending import Asking, grant
from bot.chat.styling import style_of
from bot.domain.notations import NOTATIONS
from bot.features.showing.findings import Findings
from bot.features.showing.reading import Source
from bot.text import Speaker


class Positions(commands.Cog):
    """``/show``, ``/convert`` and the menus of the same names."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Show position"), callback=self._show_message)
        )
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Convert position"), callback=self._convert_message)
        )

    @app_commands.command(
        name=locale_str("show"), description=locale_str("Show a position or a game as a picture")
    )
    @app_commands.rename(
        position=locale_str("position"), file=locale_str("file"), private=locale_str("private")
    )
    @app_commands.describe(
        position=locale_str("The text, in any notation; leave it out to paste a long one into a form"),
        file=locale_str("A file with it, such as a .gcg"),
        private=locale_str("Whether only you see the answer"),
    )
    async def show(
        self,
        interaction: discord.Interaction[KibitzBot],
        position: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Answer with the picture of a position; ask for it when none is given."""
        async with answering(interaction):
            await grant(interaction)

            async def use(
                answer: discord.Interaction[KibitzBot], text: str, given: discord.Attachment | None
            ) -> None:
                bringing = source_given(answer, text, given, private=private)
                await self._answer_show(answer, bringing, private=private)

            await use_or_ask(interaction, position, file, title=lambda say: say("Show position"), use=use)

    @app_commands.command(
        name=locale_str("convert"),
        description=locale_str("Give a position or a game in another notation"),
    )
    @app_commands.rename(
        to=locale_str("to"),
        position=locale_str("position"),
        file=locale_str("file"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        to=locale_str("The notation you want"),
        position=locale_str("The text, in any notation; leave it out to paste a long one into a form"),
        file=locale_str("A file with it, such as a .gcg"),
        private=locale_str("Whether only you see the answer"),
    )
    @app_commands.choices(
        to=[
            app_commands.Choice(name=locale_str(notation.label), value=name)
            for name, notation in NOTATIONS.items()
        ]
    )
    async def convert(
        self,
        interaction: discord.Interaction[KibitzBot],
        to: str,
        position: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Answer with a position in another notation; ask for it when none is given."""
        async with answering(interaction):
            await grant(interaction)

            async def use(
                answer: discord.Interaction[KibitzBot], text: str, given: discord.Attachment | None
            ) -> None:
                await self._answer_convert(answer, text, given, to, private=private)

            def title(say: Speaker) -> str:
                return say("Convert to {notation}", notation=NOTATIONS[to].label)

            await use_or_ask(interaction, position, file, title=title, use=use)

    async def _answer_convert(
        self,
        interaction: discord.Interaction[KibitzBot],
        text: str,
        file: discord.Attachment | None,
        to: str,
        *,
        private: bool,
    ) -> None:
        asking = Asking(interaction, private=private)

        async def convert() -> Card:
            source = await source_given(interaction, text, file, private=private)
            return await self.bot.service.convert(source, to, await style_of(interaction, private=private))

        await asking.answer(convert())

    async def _convert_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with answering(interaction):
            await grant(interaction)
            await interaction.response.defer(ephemeral=True, thinking=True)
            source = await source_pointed_at(interaction, message, private=True)
            style = await style_of(interaction, private=True)
            await Asking(interaction, private=True).send(await self.bot.service.offer(source, style))

    async def _show_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with answering(interaction):
            await grant(interaction)
            bringing = source_pointed_at(interaction, message, private=False)
            await self._answer_show(interaction, bringing, private=False)

    async def _answer_show(
        self, interaction: discord.Interaction[KibitzBot], bringing: Awaitable[Source], *, private: bool
    ) -> None:
        asking = Asking(interaction, private=private)

        async def find() -> tuple[Source, Findings]:
            source = await bringing
            return source, await self.bot.service.find(source)

        source, findings = await asking.read(find())
        style = await style_of(interaction, private=private or not findings.found)

        async def show() -> Card:
            reply = await self.bot.service.show(source, style, findings)
            assert reply is not None  # a source that asks is always answered
            return reply

        if findings.found:
            await asking.show(show())
        else:
            await asking.send(await show())
