"""Settings: what can be set, where it is read, and which shards come of it."""

from bot.config.sections import Analysis, Chess, ConfigError, Limits, Links
from bot.config.settings import Settings, load_settings
from bot.config.sharding import Sharding

__all__ = ["Analysis", "Chess", "ConfigError", "Limits", "Links", "Settings", "Sharding", "load_settings"]
