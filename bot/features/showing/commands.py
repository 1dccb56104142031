"""``/show``, ``/convert`` and ``/book``, and the message context menus."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from functools import partial

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.failures import replying
from bot.chat.items import run_or_ask_for_input
from bot.chat.reply_context import interaction_context, requester_of
from bot.chat.sending import Responder, count_request
from bot.chat.source import Source
from bot.domain.notations import NOTATIONS
from bot.features.showing.controls import PRESENTER
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.listening.catch_up import CatchUp, MessagesWithReply
from bot.features.showing.listening.inbound import (
    read_attachment,
    should_read,
    source_from_context_menu,
    source_from_option,
    source_of_message,
)
from bot.features.showing.listening.listener import Listener
from bot.features.showing.remarks import unread_file_card
from bot.features.showing.service import Presenter
from bot.text import Translator


class PositionCommands(commands.Cog):
    """``/show``, ``/convert``, and the context menus of messages."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class, so the menus are added here.
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
        position=locale_str("The text, in any notation; leave it out to paste a long text into a form"),
        file=locale_str("A file with the game, such as a .gcg"),
        private=locale_str("Whether only you see the reply"),
    )
    async def show(
        self,
        interaction: discord.Interaction[KibitzBot],
        position: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await run_or_ask_for_input(
                interaction,
                position,
                file,
                title=lambda translate: translate("Show position"),
                handle_input=lambda replied_to, text, attachment: self._show(
                    replied_to,
                    source_from_option(replied_to, text, attachment, private=private),
                    private=private,
                ),
            )

    @app_commands.command(
        name=locale_str("convert"),
        description=locale_str("Convert a position or a game to another notation"),
    )
    @app_commands.rename(
        to=locale_str("to"),
        position=locale_str("position"),
        file=locale_str("file"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        to=locale_str("The notation you want"),
        position=locale_str("The text, in any notation; leave it out to paste a long text into a form"),
        file=locale_str("A file with the game, such as a .gcg"),
        private=locale_str("Whether only you see the reply"),
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
        async with replying(interaction):
            await count_request(interaction)

            async def convert(pending_source: Awaitable[Source], context: ReplyContext) -> Card:
                return await self.bot.services[PRESENTER].convert(await pending_source, to, context)

            await run_or_ask_for_input(
                interaction,
                position,
                file,
                title=lambda translate: translate("Convert to {notation}", notation=NOTATIONS[to].label),
                handle_input=lambda replied_to, text, attachment: Responder(
                    replied_to, private=private
                ).reply(partial(convert, source_from_option(replied_to, text, attachment, private=private))),
            )

    async def _convert_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await interaction.response.defer(ephemeral=True, thinking=True)
            source = await source_from_context_menu(interaction, message, private=True)
            context = await interaction_context(interaction, private=True)
            await Responder(interaction, private=True).send(
                await self.bot.services[PRESENTER].offer_conversions(source, context)
            )

    async def _show_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await self._show(
                interaction, source_from_context_menu(interaction, message, private=False), private=False
            )

    async def _show(
        self, interaction: discord.Interaction[KibitzBot], pending_source: Awaitable[Source], *, private: bool
    ) -> None:
        responder = Responder(interaction, private=private)
        source, findings = await responder.await_or_acknowledge(
            self.bot.services[PRESENTER].await_and_find(pending_source)
        )
        context = await interaction_context(interaction, private=private or not findings.documents)
        work = self.bot.services[PRESENTER].show(source, context, findings)
        if findings.documents:
            await responder.show(work)
        else:
            await responder.send(await work)


_MESSAGE_LINK = re.compile(
    r"\s*<?https://(?:(?:canary|ptb)\.)?discord(?:app)?\.com/channels/(?:\d{1,20}|@me)/(\d{1,20})/(\d{1,20})>?\s*"
)


class BookCommands(commands.Cog):
    """``/book``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("book"),
        description=locale_str("Look up the known moves of a chess position in an opening book"),
    )
    @app_commands.rename(
        position=locale_str("position"),
        book=locale_str("book"),
        file=locale_str("file"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        position=locale_str(
            "A FEN, PGN moves or a link to a message in this channel (default: the book's starting position)"
        ),
        book=locale_str("The book's source as text, or a link to a message in this channel that contains it"),
        file=locale_str("The book as a file: its source, or a Polyglot book (.bin)"),
        private=locale_str("Whether only you see the reply"),
    )
    async def book(
        self,
        interaction: discord.Interaction[KibitzBot],
        position: app_commands.Range[str, 1, 6000] = "",
        book: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await Responder(interaction, private=private).reply(
                partial(self._look_up, interaction, position, book, file, private=private)
            )

    async def _look_up(
        self,
        interaction: discord.Interaction[KibitzBot],
        position: str,
        book: str,
        file: discord.Attachment | None,
        context: ReplyContext,
        *,
        private: bool,
    ) -> Card:
        limits, translate = self.bot.settings.limits, context.translate
        if file is not None and not should_read(file, limits):
            raise RefusalError(unread_file_card(file.filename, limits.attachment_bytes, translate))
        return await self.bot.services[PRESENTER].books.look_up(
            await self._read_source(interaction, position, translate),
            await self._read_source(interaction, book, translate, file),
            requester_of(interaction, private=private),
            context,
        )

    async def _read_source(
        self,
        interaction: discord.Interaction[KibitzBot],
        text: str,
        translate: Translator,
        file: discord.Attachment | None = None,
    ) -> Source | None:
        if link := _MESSAGE_LINK.fullmatch(text):
            message = await self._fetch_message(interaction, int(link[1]), int(link[2]), translate)
            return await source_of_message(message, on_request=True, limits=self.bot.settings.limits)
        if not text and file is None:
            return None
        return Source(text, () if file is None else (await read_attachment(file),))

    async def _fetch_message(
        self,
        interaction: discord.Interaction[KibitzBot],
        channel_id: int,
        message_id: int,
        translate: Translator,
    ) -> discord.Message:
        """Fetch a message. Refuse messages in other channels, because the user may not be allowed to read them."""
        if channel_id != interaction.channel_id:
            raise RefusalError.with_text(translate("Kibitz can read only messages in this channel."))
        try:
            return await self.bot.get_partial_messageable(
                channel_id, guild_id=interaction.guild_id
            ).fetch_message(message_id)
        except (discord.NotFound, discord.Forbidden):
            raise RefusalError.with_text(translate("Kibitz can't see that message.")) from None


def _create_services(context: FeatureContext) -> None:
    context.services.add(PRESENTER, Presenter(context.documents, context.fetcher))


FEATURE = Feature(
    "showing", _create_services, (PositionCommands, BookCommands, MessagesWithReply, Listener, CatchUp)
)
