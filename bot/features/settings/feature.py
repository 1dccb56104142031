"""Settings, help, privacy and the welcome as a feature of the bot."""

from __future__ import annotations

from bot.features.settings.about import About, Privacy
from bot.features.settings.commands import SettingsCommands
from bot.features.showing.feature import Feature, Host


def _open(_host: Host) -> None:
    """Open nothing: what is set is kept by the bot's preferences."""


FEATURE = Feature("settings", _open, (SettingsCommands, About, Privacy))
