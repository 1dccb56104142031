"""How discord.py is set up: what Discord is asked to tell of, what is kept of it, and what becomes of faults."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.chat.failures import apologize
from bot.config import Settings


def options(settings: Settings) -> dict[str, Any]:
    """Return what a client is made with: no text commands, no caches of messages and members, no mentions."""
    # Voice is not used; without this every start warns of its missing libraries.
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
        "tree_cls": Tree,
        "allowed_installs": app_commands.AppInstallationType(guild=True, user=True),
        "allowed_contexts": app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
    }


class Tree(app_commands.CommandTree[Any]):
    """Commands whose faults are logged and apologized for."""

    async def on_error(
        self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /
    ) -> None:
        """Tell the person that it is our fault, with a reference number."""
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await apologize(interaction, cause)


async def payload_of(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """Return a tree's commands as Discord takes them, in every language."""
    translator = tree.translator
    assert translator is not None  # set before
    return [await command.get_translated_payload(tree, translator) for command in tree.get_commands()]
