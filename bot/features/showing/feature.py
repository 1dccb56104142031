"""The values that describe a feature to the bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.chat.client import Cog
from bot.chat.control import Services
from bot.config import Settings
from bot.features.showing.desk import Desk
from bot.jobs.queue import Jobs
from bot.links.fetcher import Fetcher
from bot.storage.store import Store

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


@dataclass(frozen=True, slots=True)
class Host:
    """The resources with which features are opened."""

    settings: Settings
    desk: Desk
    store: Store
    services: Services
    clock: Callable[[], datetime]
    fetcher: Fetcher | None = None
    """Fetches pages that links lead to; None where links are not opened."""
    jobs: Mapping[str, Jobs[Any, Any, Any]] = field(default_factory=dict)
    """The queues of long work by the names of its kinds; only of what is installed."""
    lexica: Lexica | None = None
    """The lexica; None where the engine's packages are not installed."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature; its controls register themselves where they are defined."""

    name: str
    open: Callable[[Host], None]
    """Opens the services of the feature, after those of the features that it builds on."""
    cogs: tuple[Cog, ...] = ()
    """The feature's commands and listeners, made with the bot."""
