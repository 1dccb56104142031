"""Interactions of the local Discord: commands, menus, presses and forms reach the client, and its answers are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest
from discord import app_commands

from .faults import CALLBACK
from .throwaway import Echo, running

if TYPE_CHECKING:
    from .conftest import Serve
    from .server import WireServer

TEXT = {"name": "text", "type": 3, "value": "hello"}


async def test_a_command_is_answered_and_followed_up(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        interaction = await wire.interactions.command("echo", TEXT)
        await wire.journal.until(lambda: interaction.followups, "the follow-up")
    assert interaction.original is not None
    assert interaction.original.content == "hello"
    assert not interaction.original.ephemeral
    assert [(message.content, message.ephemeral) for message in interaction.followups] == [
        ("and again", True)
    ]
    assert interaction.followups[0].sent["allowed_mentions"] == {"parse": []}


async def test_a_deferred_answer_keeps_its_ephemerality_and_files(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        interaction = await wire.interactions.command("think", channel=wire.world.direct)
        answer = await wire.interactions.until_answered(interaction)
    assert (answer.content, answer.ephemeral) == ("done", True)
    assert [(file.name, file.data) for file in answer.files] == [("thought.txt", b"thought")]


async def test_choices_are_offered_while_typing(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        interaction = await wire.interactions.autocomplete("echo", {**TEXT, "value": "he", "focused": True})
        callback = await wire.journal.until(lambda: interaction.callback, "the choices")
    choices = [{"name": "he", "value": "he"}, {"name": "hehe", "value": "hehe"}]
    assert callback == {"type": 8, "data": {"choices": choices}}


async def test_a_form_is_shown_filled_in_and_answered(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        form = await wire.interactions.command("ask")
        # The client knows the form only when it has read the response to its request to open it.
        await wire.journal.until(lambda: form.callback, "the form")
        await wire.wait_for_reply(await wire.say("a message in between"))
        sent = await wire.interactions.submit(form, words="hello")
        answer = await wire.interactions.until_answered(sent)
    assert answer.content == "hello"


async def test_a_message_menu_command_gets_its_target(wire: WireServer) -> None:
    client = Echo(intents=discord.Intents(guilds=True))
    async with running(client):
        await wire.gateway.wait_until_ready()
        target = await wire.say("position", author=wire.world.bob)
        interaction = await wire.interactions.use_menu_command("Echo this", target)
        answer = await wire.interactions.until_answered(interaction)
    assert answer.content == "bob: position"
    assert client.heard == []


async def test_a_pressed_button_edits_its_message(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        message = await wire.wait_for_reply(await wire.say("button"))
        response = await wire.interactions.press(message, "echo:press")
        await wire.journal.until(lambda: message.edits, "the edit")
        with pytest.raises(LookupError):
            await wire.interactions.press(message, "echo:press")
    assert response.original is message
    assert (message.content, message.components) == ("pressed", [])


async def test_a_value_chosen_in_a_menu_arrives(wire: WireServer) -> None:
    async with running(Echo()):
        await wire.gateway.wait_until_ready()
        message = await wire.wait_for_reply(await wire.say("button"))
        response = await wire.interactions.press(message, "echo:pick", "two")
        answer = await wire.interactions.until_answered(response)
    assert (answer.content, answer.ephemeral) == ("picked two", True)


async def test_an_answer_after_the_deadline_is_refused(serve: Serve) -> None:
    wire = await serve(interaction_deadline=0.1)
    wire.faults.slow(CALLBACK, seconds=0.2)
    refused: list[BaseException] = []
    client = Echo()

    async def on_error(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
        refused.append(error.__cause__ or error)

    client.tree.error(on_error)
    async with running(client):
        await wire.gateway.wait_until_ready()
        interaction = await wire.interactions.command("echo", TEXT)
        await wire.until_requested("POST", "/callback")
        await wire.wait_for_reply(await wire.say("still here"))
    assert interaction.callback is None
    assert [getattr(error, "code", None) for error in refused] == [10062]


async def test_commands_are_registered_and_keep_their_ids(wire: WireServer) -> None:
    client = Echo()
    async with running(client):
        await wire.gateway.wait_until_ready()
        first = await client.tree.sync()
        again = await client.tree.sync()
        fetched = await client.tree.fetch_commands()
        await client.tree.sync(guild=discord.Object(wire.world.guild_id))
    assert sorted(command.name for command in first) == ["Echo this", "ask", "echo", "think"]
    assert [command.id for command in first] == [command.id for command in again]
    assert [command.id for command in fetched] == [command.id for command in again]
    assert wire.rest.syncs == 3
    assert wire.rest.commands[wire.world.guild_id] == []


async def test_a_command_discord_would_refuse_is_refused(wire: WireServer) -> None:
    client = Echo()

    async def long(interaction: discord.Interaction) -> None:
        raise NotImplementedError

    # discord.py shortens long descriptions in decorators, but not in this constructor.
    client.tree.add_command(app_commands.Command(name="long", description="x" * 101, callback=long))
    async with running(client):
        await wire.gateway.wait_until_ready()
        with pytest.raises(discord.HTTPException, match="1 to 100 characters"):
            await client.tree.sync()
    assert wire.rest.syncs == 0
