"""Two gateways get the links of a live game, and one is killed: the game is complete, and each link gets one reply."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from bot.domain.crossword.notations import turn_url
from tests.domain.crossword.notations.live_links import history, turn_link

if TYPE_CHECKING:
    from tests.wire.server import WireServer

    from .conftest import Start

pytestmark = [pytest.mark.load, pytest.mark.long]

LINK_COUNT = 14
SETTINGS = {"KIBITZ_ANALYSIS__ENABLED": "false", "KIBITZ_ANALYSIS__JOBS": "1"}
MAX_SECONDS = 120.0
"""Maximum wait for a reply, including the time until the killed gateway's claim expires and the message is retried."""


@pytest.mark.parametrize("seed", range(3))
async def test_a_live_game_survives_a_killed_gateway(wire: WireServer, start: Start, sql, seed: int) -> None:
    rng = random.Random(seed)
    game = history(f"g{seed}", LINK_COUNT)
    turns = rng.sample(range(1, LINK_COUNT + 1), LINK_COUNT)
    async with AsyncExitStack() as stack:
        gateways = [await stack.enter_async_context(start("run", **SETTINGS)) for _ in range(2)]
        await wire.gateway.wait_until_ready(2, within=60)
        killed, other = rng.sample(gateways, 2)
        posted = []
        for index, turn in enumerate(turns):
            author = wire.world.alice if turn % 2 else wire.world.bob
            posted.append(await wire.post(turn_link(game, turn), author=author))
            await asyncio.sleep(rng.uniform(0, 0.3))
            if index == LINK_COUNT // 2:
                await killed.kill()
        for message in posted:
            await wire.wait_for_reply(message, within=MAX_SECONDS)
        assert [len(wire.world.replies_to(message)) for message in posted] == [1] * LINK_COUNT
        result = await wire.interactions.until_replied(await wire.interactions.command("game show"))
        assert other.exception_lines == []
    assert f"Turn {LINK_COUNT} of {LINK_COUNT}" in result.text
    alices_score, bobs_score = (
        player.score for player in turn_url.replay(game).value.game.position_at(LINK_COUNT).players
    )
    assert f"alice {alices_score} – bob {bobs_score}" in result.text
    stored = {bytes(text).decode() for (text,) in await sql("SELECT text FROM live_texts")}
    assert stored == {turn_link(game, turn) for turn in turns}
