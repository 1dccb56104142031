"""A small discord.py bot, with which the local server itself is tested."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
from discord import app_commands
from discord.ext import commands

from .server import TOKEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: The intents of a bot that reads messages in guilds and direct channels.
INTENTS = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class Echo(commands.AutoShardedBot):
    """Answers every message of a user. It has special answers to `picture`, `read` and `button`, and repeats other messages."""

    def __init__(self, *, intents: discord.Intents = INTENTS, picture: bytes = b"", **options: Any) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            **options,
        )
        self.picture = picture
        self.heard: list[str] = []
        self.failures: list[BaseException] = []
        self.resumed = 0
        echo: app_commands.Command[Any, ..., None] = app_commands.Command(
            name="echo", description="Say it again", callback=_echo
        )
        echo.autocomplete("text")(_complete)
        self.tree.add_command(echo)
        self.tree.add_command(app_commands.Command(name="ask", description="Show a form", callback=_ask))
        self.tree.add_command(app_commands.Command(name="think", description="Answer later", callback=_think))
        self.tree.add_command(app_commands.ContextMenu(name="Echo this", callback=_echo_this))

    async def setup_hook(self) -> None:
        # Registered before any message is sent, because a test presses a button faster than a user could.
        self.add_view(_Buttons())

    async def on_shard_resumed(self, shard_id: int) -> None:
        self.resumed += 1

    async def on_message(self, message: discord.Message) -> None:
        if message.author.bot:
            return
        self.heard.append(message.content)
        try:
            if message.content == "picture":
                file = discord.File(BytesIO(self.picture), filename="board.png", description="a board")
                await message.reply(file=file)
            elif message.content == "read":
                data = await message.attachments[0].read()
                await message.reply(f"{len(data)} bytes, {message.attachments[0].content_type}")
            elif message.content == "button":
                await message.reply("press", view=_Buttons())
            else:
                await message.reply(message.content or "(nothing to read)")
        except (discord.DiscordException, aiohttp.ClientError) as error:
            self.failures.append(error)


class _Buttons(discord.ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Press", custom_id="echo:press")
    async def press(self, interaction: discord.Interaction, button: discord.ui.Button[_Buttons]) -> None:
        await interaction.response.edit_message(content="pressed", view=None)

    @discord.ui.select(
        custom_id="echo:pick", options=[discord.SelectOption(label=label) for label in ("one", "two")]
    )
    async def pick(self, interaction: discord.Interaction, menu: discord.ui.Select[_Buttons]) -> None:
        await interaction.response.send_message(f"picked {menu.values[0]}", ephemeral=True)


async def _echo(interaction: discord.Interaction, text: str) -> None:
    await interaction.response.send_message(text)
    await interaction.followup.send("and again", ephemeral=True)


async def _complete(interaction: discord.Interaction, text: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=text * count, value=text * count) for count in (1, 2)]


class _Form(discord.ui.Modal, title="A form"):
    words: discord.ui.TextInput[_Form] = discord.ui.TextInput(label="Words", custom_id="words")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(self.words.value)


async def _ask(interaction: discord.Interaction) -> None:
    await interaction.response.send_modal(_Form(custom_id="echo:form"))


async def _think(interaction: discord.Interaction) -> None:
    await interaction.response.defer(thinking=True, ephemeral=True)
    file = discord.File(BytesIO(b"thought"), filename="thought.txt")
    await interaction.edit_original_response(content="done", attachments=[file])


async def _echo_this(interaction: discord.Interaction, message: discord.Message) -> None:
    await interaction.response.send_message(f"{message.author.name}: {message.content}")


@asynccontextmanager
async def running(client: discord.Client, token: str = TOKEN) -> AsyncIterator[asyncio.Task[None]]:
    """Log the client in, and close it on leaving; yield the task of its `start`."""
    task = asyncio.create_task(client.start(token))
    try:
        yield task
    finally:
        await client.close()
        await asyncio.wait([task], timeout=5.0)
        assert task.done(), "the client did not stop"
        if not task.cancelled():
            task.exception()
