"""A bot in an offline Discord: real discord.py against SimCord."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from bot.app.run import assembled
from bot.config import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat.client import KibitzBot

MAVEN = (
    "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/LI1L1EX1E6/1N1O1D2N2Y3/"
    "1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7 IKLMTZ/AEINRU? 0/0 0 lex OSPD1;"
)
"""The endgame of the Maven paper."""

EMPTY = "/".join(["15"] * 15)


def make_settings(folder: Path, **changes: object) -> Settings:
    """Return settings with a database and lexica in a folder."""
    fresh = Settings()
    own = {
        "discord_token": None,
        "database_url": SecretStr(f"sqlite:///{folder}/kibitz.sqlite3"),
        "port": None,
        "analysis": fresh.analysis.model_copy(update={"lexica": folder / "lexica"}),
    }
    return fresh.model_copy(update={**own, **changes})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)


@pytest.fixture
async def simcord_bot(settings: Settings) -> AsyncIterator[KibitzBot]:
    async with assembled(settings) as bot:
        yield bot


@dataclass
class World:
    """A server with a channel and two people in it."""

    env: object
    guild: object
    channel: object
    alice: object
    bob: object
    bot: KibitzBot

    @property
    def me(self) -> object:
        return self.bot.user


@pytest.fixture
def world(simcord_env, simcord_bot) -> World:
    guild = simcord_env.create_guild("Crossword club")
    channel = guild.create_text_channel("positions")
    alice = guild.add_member(simcord_env.create_user("alice"))
    bob = guild.add_member(simcord_env.create_user("bob"))
    return World(simcord_env, guild, channel, alice, bob, simcord_bot)
