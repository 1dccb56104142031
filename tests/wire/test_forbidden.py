"""Discord rejects a request although the bot seems to have permission. No error is logged, and the bot continues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.storage.settings import ServerSettings

from .faults import CREATE_MESSAGE, DELETE_MESSAGE, EDIT_MESSAGE, EDIT_ORIGINAL, FOLLOWUP, Endpoint
from .kibitz import kibitz, position
from .message_bodies import control_id

if TYPE_CHECKING:
    from bot.chat.client import KibitzBot

    from .server import WireServer

REACT = Endpoint("PUT", r"/channels/\d+/messages/\d+/reactions/.+")
PERMISSION_ERRORS = [
    {"message": "Missing Permissions", "code": 50013},
    {"message": "Missing Access", "code": 50001},
]
GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: ABCDEFG -AB +0 0\n"
)


async def post_position(wire: WireServer, bot: KibitzBot) -> None:
    await wire.post(position("REFUSED"))


async def edit_position(wire: WireServer, bot: KibitzBot) -> None:
    message = await wire.post(position("BEFORE"))
    await wire.wait_for_reply(message)
    await wire.change(message, position("AFTER"))


async def delete_position(wire: WireServer, bot: KibitzBot) -> None:
    message = await wire.post(position("GOING"))
    await wire.wait_for_reply(message)
    await wire.remove(message)


async def post_position_on_request(wire: WireServer, bot: KibitzBot) -> None:
    await bot.store.change_server_settings(wire.world.guild_id, lambda _: ServerSettings(mode="on_request"))
    await wire.post(position("MARKED"))


async def step_through(wire: WireServer, bot: KibitzBot) -> None:
    reply = await wire.wait_for_reply(await wire.post(GAME))
    await wire.interactions.press(reply, control_id(reply, "view:"))


async def convert(wire: WireServer, bot: KibitzBot) -> None:
    reply = await wire.wait_for_reply(await wire.post(position("MENU")))
    await wire.interactions.press(reply, control_id(reply, "copy:"))


async def show(wire: WireServer, bot: KibitzBot) -> None:
    await wire.interactions.command("show", position=position("COMMAND"))


@pytest.mark.parametrize("error_body", PERMISSION_ERRORS, ids=["permission", "access"])
@pytest.mark.parametrize(
    ("cause_request", "endpoint"),
    [
        (post_position, CREATE_MESSAGE),
        (edit_position, EDIT_MESSAGE),
        (delete_position, DELETE_MESSAGE),
        (post_position_on_request, REACT),
        (step_through, EDIT_ORIGINAL),
        (convert, FOLLOWUP),
        (show, FOLLOWUP),
    ],
)
async def test_a_refused_request_does_not_block_the_next_message(
    wire: WireServer,
    caplog: pytest.LogCaptureFixture,
    cause_request: Any,
    endpoint: Endpoint,
    error_body: Any,
) -> None:
    async with kibitz(wire) as bot:
        await bot.wait_until_ready()
        refusal = wire.faults.fail(endpoint, status=403, body=error_body)
        await cause_request(wire, bot)
        await wire.journal.until(lambda: refusal.hits, "the refused request")
        after = await wire.post(position("AFTERWARDS"), channel=wire.world.direct)
        await wire.wait_for_reply(after)
        assert len(wire.world.replies_to(after)) == 1
    assert "fault " not in caplog.text
