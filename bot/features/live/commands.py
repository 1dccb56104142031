"""The commands that open games privately, and list, show and delete live games."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from functools import partial

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import MAX_CHOICES, MAX_LABEL_LENGTH
from bot.chat.client import KibitzBot
from bot.chat.failures import replying
from bot.chat.items import run_or_ask_for_input
from bot.chat.markdown import one_line
from bot.chat.reply_context import interaction_context, requester_of
from bot.chat.sending import Responder, count_request
from bot.chat.source import Source
from bot.features.live.seats import LIVE_GAMES
from bot.features.live.service import LiveGameService
from bot.features.showing.controls import PRESENTER
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.listening.inbound import source_from_context_menu, source_from_option
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)


class GameCommands(commands.GroupCog, name=locale_str("game"), description=locale_str("Step through games")):
    """``/game``, and the message context menu *Open game*."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Open game"), callback=self._open_message)
        )

    @app_commands.command(
        name=locale_str("open"), description=locale_str("Open a game at its start; only you see it")
    )
    @app_commands.rename(game=locale_str("game"), file=locale_str("file"))
    @app_commands.describe(
        game=locale_str("The game as text; leave it out to paste a long game into a form"),
        file=locale_str("A file with the game, such as a .gcg"),
    )
    async def open(
        self,
        interaction: discord.Interaction[KibitzBot],
        game: app_commands.Range[str, 1, 6000] = "",
        file: discord.Attachment | None = None,
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await run_or_ask_for_input(
                interaction,
                game,
                file,
                title=lambda translate: translate("Open a game"),
                handle_input=lambda submission, text, attachment: self._open(
                    submission, source_from_option(submission, text, attachment, private=True)
                ),
            )

    async def _open_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await self._open(interaction, source_from_context_menu(interaction, message, private=True))

    async def _open(
        self, interaction: discord.Interaction[KibitzBot], pending_source: Awaitable[Source]
    ) -> None:
        responder = Responder(interaction, private=True)
        presenter = self.bot.services[PRESENTER]
        source, findings = await responder.await_or_acknowledge(presenter.await_and_find(pending_source))
        context = await interaction_context(interaction, private=True)
        await responder.show(presenter.open(source, context, findings))

    @app_commands.command(
        name=locale_str("list"), description=locale_str("List the live games in this channel")
    )
    async def list_games(self, interaction: discord.Interaction[KibitzBot]) -> None:
        async with replying(interaction):
            await Responder(interaction, private=True).reply(
                partial(self.bot.services[LIVE_GAMES].list_games, requester_of(interaction).channel_id)
            )

    @app_commands.command(
        name=locale_str("show"),
        description=locale_str("Show the current position of a live game in this channel"),
    )
    @app_commands.rename(
        game=locale_str("game"), my_rack=locale_str("my_rack"), private=locale_str("private")
    )
    @app_commands.describe(
        game=locale_str("The id of the game (default: the latest)"),
        my_rack=locale_str("Show your own rack, only to you (players only)"),
        private=locale_str("Whether only you see the reply"),
    )
    async def show(
        self,
        interaction: discord.Interaction[KibitzBot],
        game: app_commands.Range[str, 1, 200] | None = None,
        my_rack: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await Responder(interaction, private=private or my_rack).reply(
                partial(
                    self.bot.services[LIVE_GAMES].show, requester_of(interaction), game, with_own_rack=my_rack
                )
            )

    @app_commands.command(
        name=locale_str("seats"),
        description=locale_str("See who is playing a live game in this channel, and take a seat"),
    )
    @app_commands.rename(game=locale_str("game"))
    @app_commands.describe(game=locale_str("The id of the game"))
    async def seats(
        self, interaction: discord.Interaction[KibitzBot], game: app_commands.Range[str, 1, 200]
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await Responder(interaction, private=False).reply(
                partial(self.bot.services[LIVE_GAMES].show_seats, requester_of(interaction), game)
            )

    @app_commands.command(
        name=locale_str("forget"), description=locale_str("Delete a live game in this channel")
    )
    @app_commands.rename(game=locale_str("game"))
    @app_commands.describe(game=locale_str("The id of the game"))
    async def forget(
        self, interaction: discord.Interaction[KibitzBot], game: app_commands.Range[str, 1, 200]
    ) -> None:
        async with replying(interaction):
            await Responder(interaction, private=True).reply(
                partial(
                    self.bot.services[LIVE_GAMES].forget,
                    requester_of(interaction),
                    game,
                    is_moderator=interaction.guild_id is not None and interaction.permissions.manage_messages,
                )
            )

    @show.autocomplete("game")
    @seats.autocomplete("game")
    @forget.autocomplete("game")
    async def _complete_game(
        self, interaction: discord.Interaction[KibitzBot], current: str
    ) -> list[app_commands.Choice[str]]:
        try:
            game_ids = await self.bot.services[LIVE_GAMES].list_game_ids(requester_of(interaction).channel_id)
        except StoreError as error:
            log.warning("can't suggest a channel's games: %s", error)
            return []
        current = current.strip().casefold()
        matches = [id_ for id_ in game_ids if current in id_.casefold() and len(id_) <= MAX_LABEL_LENGTH]
        return [app_commands.Choice(name=one_line(id_) or "…", value=id_) for id_ in matches[:MAX_CHOICES]]


def _create_services(context: FeatureContext) -> None:
    presenter = context.services[PRESENTER]
    live = context.services.add(
        LIVE_GAMES, LiveGameService(context.documents, context.store, presenter.feature_controls)
    )
    presenter.continue_games = live.continue_games


FEATURE = Feature("live", _create_services, (GameCommands,))
