"""``kibitz doctor``, which a host runs before the first start of the bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kibitz import environment, forked_program, uses_programs
from .world import Intent

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Serve
    from .server import WireServer

pytestmark = uses_programs


async def run_doctor(wire: WireServer, folder: Path, **overrides: str) -> tuple[int, str]:
    async with forked_program(
        "bot", "doctor", environment=environment(wire, folder, **overrides), folder=folder
    ) as doctor:
        return await doctor.until_ended(), doctor.output


async def test_a_working_setup_has_no_problems(wire: WireServer, tmp_path: Path) -> None:
    code, output = await run_doctor(wire, tmp_path)
    assert code == 0, output
    assert "❌" not in output
    assert "The token belongs to kibitz." in output
    assert "The message-content intent is on." in output
    assert "is up to date" in output
    assert wire.token not in output


async def test_a_wrong_token_is_reported_but_not_printed(wire: WireServer, tmp_path: Path) -> None:
    code, output = await run_doctor(wire, tmp_path, DISCORD_TOKEN="not-the-token")
    assert code == 2
    assert "❌ Discord rejects the token" in output
    assert "not-the-token" not in output


async def test_missing_intents_and_permissions_are_listed(serve: Serve, tmp_path: Path) -> None:
    wire = await serve(denied=Intent.MESSAGE_CONTENT)
    wire.world.permissions = 1 << 10  # only View Channels
    code, output = await run_doctor(wire, tmp_path)
    assert code == 2
    assert "❌ The message-content intent is off" in output
    assert "❌ In 'Club' the bot lacks: add reactions, send messages" in output
    code, output = await run_doctor(wire, tmp_path, KIBITZ_DISCORD__MESSAGE_CONTENT="false")
    assert "message-content intent" not in output
