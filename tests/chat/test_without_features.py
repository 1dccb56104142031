"""The bot without some of its features: it starts, and still shows posted positions."""

from __future__ import annotations

import pytest

from bot.app.run import FEATURES, open_bot
from tests.positions import OPENING

from .actions import replies
from .conftest import add_member


@pytest.fixture
def features(request):
    return tuple(feature for feature in FEATURES if feature.name in request.param)


@pytest.fixture
async def simcord_bot(settings, features):
    async with open_bot(settings, features=features) as bot:
        yield bot


NAMES = tuple(feature.name for feature in FEATURES)
NEEDED_BY = {"analysis": ("polls", "review", "puzzles"), "review": ("puzzles",)}
"""For each feature, the features that need it and are left out with it."""
REMAINING = [{*NAMES} - {name, *NEEDED_BY.get(name, ())} for name in NAMES[1:]]


@pytest.mark.parametrize(
    "features", [*REMAINING, {"showing"}], ids=lambda names: " ".join(sorted(names)), indirect=True
)
async def test_a_pasted_position_is_shown_if_other_features_are_missing(simcord_env, simcord_bot):
    guild = simcord_env.create_guild()
    channel = guild.create_text_channel("games")
    alice = add_member(simcord_env, guild, "alice")
    await alice.send(channel, OPENING)
    [reply] = replies(channel)
    assert reply.attachments[0].filename == "position.png"
