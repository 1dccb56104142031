"""Kibitz in servers and group conversations that the bot has not joined, for users who installed it for themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .faults import FOLLOWUP
from .kibitz import kibitz, position
from .message_bodies import control_id, every_component
from .world import StoredMessage, timestamp

if TYPE_CHECKING:
    from .server import WireServer
    from .world import Channel

OUTSIDE_CHANNELS = ("elsewhere", "group")
ALLOWED_PATHS = (
    "/interactions/",
    "/webhooks/",
    "/attachments/",
    "/users/@me",
    "/oauth2/",
    "/commands",
    "/gateway",
)


@pytest.fixture(params=OUTSIDE_CHANNELS)
def outside_channel(request: pytest.FixtureRequest, wire: WireServer) -> Channel:
    """Return a channel without the bot."""
    channel: Channel = getattr(wire.world, request.param)
    return channel


def add_message(wire: WireServer, outside_channel: Channel, text: str) -> StoredMessage:
    """Add a message from bob without sending its event to the bot."""
    world = wire.world
    message = StoredMessage(
        id=world.ids.next(), channel=outside_channel, author=world.bob, content=text, created_at=timestamp()
    )
    world.messages[message.id] = message
    return message


def made_only_allowed_requests(wire: WireServer) -> bool:
    """Return whether the bot requested neither channels nor messages. It has no access to them here."""
    return all(any(part in request.path for part in ALLOWED_PATHS) for request in wire.requests)


async def show(wire: WireServer, channel: Channel) -> StoredMessage:
    """Show a position with a command. Return the bot's message."""
    interaction = await wire.interactions.command("show", position=position("WORD"), channel=channel)
    return await wire.interactions.until_replied(interaction)


async def test_a_position_is_shown(wire: WireServer, outside_channel: Channel) -> None:
    async with kibitz(wire):
        reply = await show(wire, outside_channel)
    assert "WORD" in (reply.files[0].description or "")
    assert made_only_allowed_requests(wire)


async def test_without_attach_permission_a_card_is_text_only(
    wire: WireServer, outside_channel: Channel
) -> None:
    async with kibitz(wire):
        refusal = wire.faults.fail(
            FOLLOWUP, status=403, body={"message": "Missing Permissions", "code": 50013}
        )
        reply = await show(wire, outside_channel)
    assert refusal.hits
    assert not reply.files
    assert "WORD" in reply.text
    assert made_only_allowed_requests(wire)


@pytest.mark.parametrize("menu", ["Show position", "Convert position"])
async def test_menu_commands_read_the_message_from_the_interaction(
    wire: WireServer, outside_channel: Channel, menu: str
) -> None:
    async with kibitz(wire):
        interaction = await wire.interactions.use_menu_command(
            menu, add_message(wire, outside_channel, position("MENUS"))
        )
        reply = await wire.interactions.until_replied(interaction)
    assert reply.files if menu == "Show position" else "Player 1" in reply.text
    assert made_only_allowed_requests(wire)


async def test_only_personal_settings_open_where_the_bot_is_not_a_member(
    wire: WireServer, outside_channel: Channel
) -> None:
    async with kibitz(wire):
        interaction = await wire.interactions.command("settings me", theme="dark", channel=outside_channel)
        panel = await wire.interactions.until_replied(interaction)
        assert "- Dark theme" in panel.text
        ids = [part["custom_id"] for part in every_component(panel.components) if "custom_id" in part]
        assert ids == ["kibitz:set:me:answers", "kibitz:set:me:looks"]
        interaction = await wire.interactions.command("settings server", channel=outside_channel)
        reply = await wire.interactions.until_replied(interaction)
    assert reply.ephemeral
    is_server = outside_channel is wire.world.elsewhere
    assert ("isn't a member of this server" if is_server else "only in a server") in reply.text
    assert made_only_allowed_requests(wire)


async def test_the_reply_can_be_deleted(wire: WireServer, outside_channel: Channel) -> None:
    async with kibitz(wire):
        reply = await show(wire, outside_channel)
        await wire.interactions.press(reply, control_id(reply, "delete:"))
        await wire.journal.until(lambda: reply.deleted, "the deletion")
    assert made_only_allowed_requests(wire)


async def test_help_shows_examples(wire: WireServer, outside_channel: Channel) -> None:
    async with kibitz(wire):
        interaction = await wire.interactions.command("help", channel=outside_channel)
        reply = await wire.interactions.until_replied(interaction)
        pressed = await wire.interactions.press(reply, "kibitz:example:cgp")
        assert (await wire.interactions.until_replied(pressed)).files
    assert made_only_allowed_requests(wire)
