"""Positions shown and converted by slash commands, message menus, forms and the menu of notations."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from unittest.mock import AsyncMock

import discord
import msgspec
import pytest
import simcord

from bot.app.run import open_bot
from bot.chat.source import Attachment
from bot.domain.notations import CROSSWORD
from bot.features.showing.controls import PRESENTER
from tests.positions import MAVEN

from .actions import choose, control, press_copy, replies, reply_of, text_of
from .conftest import make_settings

GAME = "#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n"


async def test_show_reports_the_problem_to_the_requester_alone(world):
    broken_position = MAVEN.replace("/ES3IS2E2A2/", "/ES3IS2E3A2/")
    result = await world.alice.slash(world.channel, "show", position=broken_position)
    assert result.ephemeral
    assert "row 7 should have 15 squares, but has 16" in text_of(result.response)
    assert f"(column {broken_position.index('ES3IS2E3A2') + 1})" in text_of(result.response)
    assert "▲" in text_of(result.response)


async def test_show_without_a_position_gives_an_example(world):
    result = await world.alice.slash(world.channel, "show", position="hello there")
    assert result.ephemeral
    assert "Kibitz found no position in this text" in text_of(result.response)
    assert "/15/7CAT5/" in text_of(result.response)


async def test_quoted_input_cannot_break_out_of_the_reply(world):
    result = await world.alice.slash(world.channel, "show", position="cgp 15/15/```@everyone`/15 A/ 0/0 0")
    assert result.ephemeral
    text = text_of(result.response)
    assert "@everyone" in text
    assert text.count("```") == 2, "the quoted text closed the code block"


async def test_the_menu_shows_another_users_message(world):
    message = await world.bob.send(world.channel, f"hm {MAVEN.split()[0]}")
    result = await world.alice.context_menu(world.channel, "Show position", message)
    assert "MA.TAW...c..H.." in result.response.attachments[0].description


async def test_the_menu_reports_a_message_without_a_position(world):
    message = await world.bob.send(world.channel, "hello")
    result = await world.alice.context_menu(world.channel, "Show position", message)
    assert result.ephemeral
    assert "Kibitz found no position" in text_of(result.response)


async def test_mentions_menus_and_commands_need_no_content_intent(tmp_path):
    settings = make_settings(tmp_path)
    settings = msgspec.structs.replace(
        settings, discord=msgspec.structs.replace(settings.discord, message_content=False)
    )
    approved_intents = discord.Intents.all()
    approved_intents.message_content = False
    async with (
        open_bot(settings) as bot,
        simcord.run(bot, shard_count=1, settle_timeout=30.0, approved_intents=approved_intents) as env,
    ):
        guild = env.create_guild("Crossword club")
        channel = guild.create_text_channel("positions")
        alice = guild.add_member(env.create_user("alice"))
        message = await alice.send(channel, MAVEN)
        assert replies(channel) == [], "the bot replied to a message whose content it should not receive"
        await alice.send(channel, f"<@{bot.user.id}> {MAVEN}")
        assert len(replies(channel)) == 1
        result = await alice.context_menu(channel, "Show position", message)
        assert result.response.attachments
        result = await alice.slash(channel, "show", position=MAVEN)
        assert result.response.attachments
        await alice.send_dm(MAVEN)
        assert alice.user.dm_channel.last_message.attachments


async def test_a_missing_content_intent_ends_the_login(tmp_path):
    approved_intents = discord.Intents.all()
    approved_intents.message_content = False
    async with open_bot(make_settings(tmp_path)) as bot:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with simcord.run(bot, shard_count=1, approved_intents=approved_intents):
                pass


async def test_unchanged_commands_are_not_uploaded_again(world):
    await world.restart()
    uploads = [
        request
        for request in world.env.http_requests
        if request.method == "PUT" and request.path.endswith("/commands")
    ]
    assert len(uploads) == 1


async def test_an_unexpected_error_gets_an_apology_with_a_number(world, monkeypatch, caplog):
    failing_show = AsyncMock(side_effect=RuntimeError("secret inner detail"))
    monkeypatch.setattr(world.bot.services[PRESENTER], "show", failing_show)
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    text = text_of(reply_of(result))
    assert "Something went wrong in Kibitz" in text
    assert "secret inner detail" not in text
    number = text.rsplit(" ", 1)[1].rstrip(".")
    assert number in caplog.text


async def test_a_private_menu_lists_every_other_notation(world):
    await world.alice.send(world.channel, MAVEN)
    reply = world.channel.last_message
    copy = await press_copy(world.bob, reply)
    assert copy.ephemeral
    assert MAVEN in text_of(copy)
    menu = control(copy, "more")
    assert menu["placeholder"] == "Other notations"
    assert {option["value"] for option in menu["options"]} == {
        f"to:{notation.name}" for notation in CROSSWORD.notations if notation.name not in {"gcg", "turn-url"}
    }, "the menu lacks a notation, or offers one that only games have"
    result = await choose(world.bob, copy, "more", "to:text")
    assert result.ephemeral
    assert "B E R G S" in text_of(reply_of(result))
    assert len(world.channel.history(viewer=world.alice)) == 2, "another user saw the conversion"


async def test_the_conversion_menu_works_after_a_restart(world):
    message = await world.bob.send(world.channel, f"hm {MAVEN}")
    conversion_menu = reply_of(await world.alice.context_menu(world.channel, "Convert position", message))
    assert conversion_menu.ephemeral
    assert "Player 1 to move" in text_of(conversion_menu)
    await world.restart()
    result = await world.alice.select(conversion_menu, ["cgp"])
    assert MAVEN in text_of(reply_of(result))
    world.clock.ahead = timedelta(days=31)
    result = await world.alice.select(conversion_menu, ["cgp"])
    assert "has expired" in text_of(reply_of(result))


async def test_convert_reads_a_file_and_reports_losses(world):
    result = await world.alice.slash(
        world.channel, "convert", to="cgp", file=("a.gcg", GAME.encode()), private=True
    )
    assert result.ephemeral
    content = text_of(result.response)
    assert "/3NASTIER5/" in content
    assert "Not included: the turns before the position (1); the names of the players" in content


async def test_convert_sends_long_text_as_a_file(world):
    result = await world.alice.slash(world.channel, "convert", to="json", position="/".join(["21"] * 21))
    [file] = result.response.attachments
    assert file.filename == "position.json"
    assert (await file.read()).startswith(b'{\n  "format": "kibitz"')


async def test_convert_reports_an_unreadable_file(world):
    limit = world.bot.settings.limits.attachment_bytes
    result = await world.alice.slash(world.channel, "convert", to="cgp", file=("big.gcg", b" " * (limit + 1)))
    assert result.ephemeral
    assert "big.gcg wasn't read" in text_of(result.response).replace("\\", "")
    assert f"{limit:,} bytes" in text_of(result.response)


@pytest.fixture
def slow_files(monkeypatch):
    """Make each file take much longer to load than the bot waits before it acknowledges the command."""

    async def fetch(attachment):
        await asyncio.sleep(0.5)
        return Attachment(attachment.filename, await attachment.read())

    monkeypatch.setattr("bot.chat.sending.ACKNOWLEDGE_SECONDS", 0.02)
    monkeypatch.setattr("bot.features.showing.listening.inbound.read_attachment", fetch)


async def test_a_slow_file_is_acknowledged_privately_and_shown_publicly(world, slow_files):
    message = await world.bob.send(world.channel, "?", attachments=[("a.txt", MAVEN.encode())])
    message_count = len(world.channel.history(viewer=world.bob))
    result = await world.alice.context_menu(world.channel, "Show position", message)
    [reply] = result.followups
    assert reply.attachments
    assert not reply.ephemeral
    assert len(world.channel.history(viewer=world.bob)) == message_count + 1
    assert result.ephemeral, "other users saw that the bot is thinking"
    assert result.response is None, "the private acknowledgement was not removed"


async def test_a_problem_in_a_slow_file_is_reported_to_the_requester_alone(world, slow_files):
    message = await world.bob.send(world.channel, "?", attachments=[("a.txt", b"hello")])
    message_count = len(world.channel.history(viewer=world.bob))
    result = await world.alice.context_menu(world.channel, "Show position", message)
    assert result.ephemeral
    assert "Kibitz found no position" in text_of(result.response)
    assert len(world.channel.history(viewer=world.bob)) == message_count


@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_problem_in_a_file_to_convert_is_reported_to_the_requester_alone(world, request, is_slow):
    if is_slow:
        request.getfixturevalue("slow_files")
    result = await world.alice.slash(world.channel, "convert", to="cgp", file=("a.gcg", b"hello"))
    assert result.ephemeral
    assert "Kibitz found no position" in text_of(result.response)
    assert world.channel.history(viewer=world.bob) == []


async def test_convert_without_a_position_opens_a_form(world):
    form = await world.alice.slash(world.channel, "convert", to="cgp")
    assert form.modal["title"] == "Convert to CGP"
    result = await world.alice.submit_modal(form, {"text": GAME})
    assert "/3NASTIER5/" in text_of(result.response)
    form = await world.alice.slash(world.channel, "convert", to="cgp", private=True)
    result = await world.alice.submit_modal(form, {"file": ("a.gcg", GAME.encode())})
    assert result.ephemeral
    assert "/3NASTIER5/" in text_of(result.response)
    form = await world.alice.slash(world.channel, "convert", to="cgp")
    result = await world.alice.submit_modal(form, {})
    assert result.ephemeral
    assert "Kibitz found no position" in text_of(result.response)


async def test_show_takes_a_file_or_opens_a_form(world):
    result = await world.alice.slash(world.channel, "show", file=("a.gcg", GAME.encode()))
    assert "Turn 1 of 1" in text_of(result.response)
    form = await world.alice.slash(world.channel, "show", private=True)
    assert form.modal["title"] == "Show position"
    result = await world.alice.submit_modal(form, {"text": GAME})
    assert "Turn 1 of 1" in text_of(result.response)
    assert result.ephemeral
    form = await world.alice.slash(world.channel, "show")
    result = await world.alice.submit_modal(form, {"text": "  \n"})
    assert "Kibitz found no position" in text_of(result.response)
    assert result.ephemeral
    result = await world.alice.slash(world.channel, "show", file=("a.png", b"\x89PNG\r\n\x1a\n"))
    assert "This picture can't be read: the file is damaged or incomplete." in text_of(result.response)
    assert result.ephemeral
    result = await world.alice.slash(world.channel, "show", file=("SPOILER_a.zip", b"PK\3\4 cut off"))
    assert "||This file can't be read: the archive is damaged.||" in text_of(result.response)


@pytest.mark.parametrize("menu", ["Show position", "Convert position", "Open game", "Analyze position"])
async def test_the_menus_report_a_file_that_is_too_large(world, menu):
    large_file = b"#" * (world.bot.settings.limits.attachment_bytes + 1)
    message = await world.bob.send(world.channel, "see", attachments=[("big.gcg", large_file)])
    result = await world.alice.context_menu(world.channel, menu, message)
    reply = reply_of(result)
    assert "big.gcg wasn't read" in text_of(reply)
    assert reply.ephemeral


async def test_an_error_in_a_form_gets_an_apology(world, monkeypatch, caplog):
    form = await world.alice.slash(world.channel, "convert", to="cgp")
    failing_convert = AsyncMock(side_effect=RuntimeError("secret inner detail"))
    monkeypatch.setattr(world.bot.services[PRESENTER], "convert", failing_convert)
    result = await world.alice.submit_modal(form, {"text": MAVEN})
    assert "Something went wrong in Kibitz" in text_of(result.response)
    assert "secret inner detail" in caplog.text


async def test_closing_waits_for_the_reply_to_a_menu_choice(world, monkeypatch):
    message = await world.alice.send(world.channel, MAVEN)
    is_waited_for = []
    convert_stored = world.bot.services[PRESENTER].convert_stored

    async def observe(*arguments, **named):
        is_waited_for.append(asyncio.current_task() in world.bot._running_tasks)
        return await convert_stored(*arguments, **named)

    monkeypatch.setattr(world.bot.services[PRESENTER], "convert_stored", observe)
    conversion_menu = reply_of(await world.bob.context_menu(world.channel, "Convert position", message))
    await world.bob.select(conversion_menu, ["cgp"])
    assert is_waited_for == [True]


async def test_a_failed_conversion_is_reported_to_the_requester_alone(world):
    result = await world.alice.slash(world.channel, "convert", to="gcg", position=MAVEN)
    assert result.ephemeral
    assert "this is a single position" in text_of(result.response)
    assert world.channel.history(viewer=world.bob) == []
