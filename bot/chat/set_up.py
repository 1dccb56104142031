"""Configures discord.py: intents, caches, error handling, and the names of commands."""

from __future__ import annotations

import logging
import re
from typing import Any, Final

import discord
from discord import Locale, app_commands
from discord.app_commands import TranslationContextLocation as Location

from bot.chat.failures import apologize
from bot.config import Settings
from bot.text import translator

log = logging.getLogger(__name__)


def client_options(settings: Settings) -> dict[str, Any]:
    # Without these two lines, discord.py warns about missing voice libraries at every start.
    discord.VoiceClient.warn_nacl = False
    discord.VoiceClient.warn_dave = False
    intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, guild_reactions=True)
    intents.message_content = settings.discord.message_content
    return {
        "command_prefix": (),
        "help_command": None,
        "intents": intents,
        "shard_count": settings.sharding.count,
        "shard_ids": list(settings.sharding.ids) or None,
        "allowed_mentions": discord.AllowedMentions.none(),
        "member_cache_flags": discord.MemberCacheFlags.none(),
        "chunk_guilds_at_startup": False,
        "max_messages": None,
        "tree_cls": KibitzTree,
        "allowed_installs": app_commands.AppInstallationType(guild=True, user=True),
        "allowed_contexts": app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
    }


class KibitzTree(app_commands.CommandTree[Any]):
    """A command tree that reports errors to the user."""

    async def on_error(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /
    ) -> None:
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await apologize(interaction, cause)


async def payload_of(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """Return a tree's commands as JSON for Discord's API, with translations."""
    catalogues = CatalogueTranslator()
    return [await command.get_translated_payload(tree, catalogues) for command in tree.get_commands()]


_NAME: Final = re.compile(r"[-_\w]{1,32}")
"""Discord's pattern for names of commands and options, which must also be in lower case."""
_NAME_LOCATIONS: Final = (Location.command_name, Location.group_name, Location.parameter_name)
_MAX_DESCRIPTION_LENGTH: Final = 100


class CatalogueTranslator(app_commands.Translator):
    """Translates names and descriptions of commands."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        text = translator(locale.value).catalogue.gettext(string.message)
        if text == string.message:
            return None
        is_name = context.location in _NAME_LOCATIONS and not isinstance(
            context.data, app_commands.ContextMenu
        )
        if is_name and not (_NAME.fullmatch(text) and text == text.lower()):
            log.warning("%r can't be a command's name in %s", text, locale.value)
            return None
        return text[:_MAX_DESCRIPTION_LENGTH]
