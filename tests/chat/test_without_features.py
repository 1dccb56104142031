"""The bot with some of its features taken out of the list: it starts, and still shows what is posted."""

from __future__ import annotations

import pytest

from bot.app.run import FEATURES, open_bot
from tests.positions import OPENING

from .viewer import replies


@pytest.fixture
def features(request):
    return tuple(feature for feature in FEATURES if feature.name in request.param)


@pytest.fixture
async def simcord_bot(settings, features):
    async with open_bot(settings, features=features) as bot:
        yield bot


NAMES = tuple(feature.name for feature in FEATURES)
NEEDED_BY = {"analysis": ("polls", "review", "puzzles"), "review": ("puzzles",)}
"""Features that build on another go with it."""
LEFT = [{*NAMES} - {name, *NEEDED_BY.get(name, ())} for name in NAMES[1:]]


def test_showing_is_at_the_bottom():
    assert NAMES[0] == "showing"


@pytest.mark.parametrize(
    "features", [*LEFT, {"showing"}], ids=lambda left: " ".join(sorted(left)), indirect=True
)
async def test_a_pasted_position_is_shown_without_another_feature(simcord_env, simcord_bot):
    guild = simcord_env.create_guild()
    channel = guild.create_text_channel("games")
    alice = guild.add_member(simcord_env.create_user("alice"))
    await alice.send(channel, OPENING)
    [answer] = replies(channel)
    assert answer.attachments[0].filename == "position.png"
