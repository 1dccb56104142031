"""Showing and converting positions on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands

from bot.answers.problem import reply_unread
from bot.answers.reply import Reply
from bot.chat.inbound import may_hold_text, read_attachment, source_of_message
from bot.chat.outbound import answer_interaction
from bot.notations import NOTATIONS
from bot.service import Attachment, Source
from bot.text import speaker

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

SHOW_MENU = "Show position"
CONVERT_MENU = "Convert position"


class Positions(commands.Cog):
    """``/show``, ``/convert`` and the menus of the same names."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        self._menus = (
            app_commands.ContextMenu(name=SHOW_MENU, callback=self._show_message),
            app_commands.ContextMenu(name=CONVERT_MENU, callback=self._convert_message),
        )

    async def cog_load(self) -> None:
        """Add the context menus."""
        for menu in self._menus:
            self.bot.tree.add_command(menu)

    async def cog_unload(self) -> None:
        """Take the context menus out again."""
        for menu in self._menus:
            self.bot.tree.remove_command(menu.name, type=menu.type)

    @app_commands.command(description="Show a position or a game as a picture")
    @app_commands.describe(
        position="The text, in any notation: CGP, GCG, Turn URL …", private="Whether only you see the answer"
    )
    async def show(
        self,
        interaction: discord.Interaction,
        position: app_commands.Range[str, 1, 6000],
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Answer with the picture of a position."""
        source = Source(position, locale=interaction.locale.value, view=self.bot.look)
        with self.bot.in_hand():
            await self._answer_show(interaction, source, private=private)

    @app_commands.command(description="Give a position or a game in another notation")
    @app_commands.describe(
        to="The notation you want",
        position="The text, in any notation: CGP, GCG, Turn URL …",
        file="A file with it, such as a .gcg",
        private="Whether only you see the answer",
    )
    @app_commands.choices(
        to=[app_commands.Choice(name=notation.label, value=name) for name, notation in NOTATIONS.items()]
    )
    async def convert(
        self,
        interaction: discord.Interaction,
        to: str,
        position: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        """Answer with a position in another notation."""
        with self.bot.in_hand():
            limit = self.bot.settings.limits.attachment_bytes
            if file is not None and not may_hold_text(file, limit):
                unread = reply_unread(file.filename, limit, speaker(interaction.locale.value))
                await self._send(interaction, unread, private=True)
                return
            files: tuple[Attachment, ...] = ()
            if file is not None:
                # Fetching may take longer than the three seconds Discord waits for a sign. Without a file the
                # answer is at hand at once, and a problem is told to the asker alone.
                await interaction.response.defer(ephemeral=private, thinking=True)
                files = (await read_attachment(file),)
            source = Source(position, files, interaction.locale.value, view=self.bot.look)
            reply = await self.bot.service.convert(source, to)
            await self._send(interaction, reply, private=private)

    async def _convert_message(self, interaction: discord.Interaction, message: discord.Message) -> None:
        with self.bot.in_hand():
            await interaction.response.defer(ephemeral=True, thinking=True)
            source = await self._source_of(interaction, message)
            reply = await self.bot.service.offer(source)
            await self._send(interaction, reply, private=True)

    async def _show_message(self, interaction: discord.Interaction, message: discord.Message) -> None:
        with self.bot.in_hand():
            if message.attachments:
                # Fetching files may take longer than the three seconds Discord waits for a sign.
                await interaction.response.defer(thinking=True)
            await self._answer_show(interaction, await self._source_of(interaction, message), private=False)

    async def _source_of(self, interaction: discord.Interaction, message: discord.Message) -> Source:
        return await source_of_message(
            message,
            asked=True,
            view=self.bot.look,
            locale=interaction.locale.value,
            attachment_bytes=self.bot.settings.limits.attachment_bytes,
        )

    async def _answer_show(self, interaction: discord.Interaction, source: Source, *, private: bool) -> None:
        findings = await self.bot.service.find(source)
        if findings.found and not interaction.response.is_done():
            # Drawing may have to wait for others; Discord wants a sign within three seconds.
            await interaction.response.defer(ephemeral=private, thinking=True)
        reply = await self.bot.service.show(source, findings)
        assert reply is not None  # a source that asks is always answered
        await self._send(interaction, reply, private=private)

    async def _send(self, interaction: discord.Interaction, reply: Reply, *, private: bool) -> None:
        """Send a reply; one that only says what is wrong bothers nobody else."""
        say = speaker(interaction.locale.value)
        await answer_interaction(interaction, reply, say, private=private or not reply.found)
