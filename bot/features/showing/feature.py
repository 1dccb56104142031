"""``Feature`` describes a feature to the bot. ``Host`` holds the resources from which a feature creates its services."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.chat.client import Cog
from bot.chat.control import Services
from bot.config import Settings
from bot.features.showing.document_service import DocumentService
from bot.jobs.queue import Jobs
from bot.links.fetcher import Fetcher
from bot.storage.store import Store

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


@dataclass(frozen=True, slots=True)
class Host:
    """The resources from which features create their services."""

    settings: Settings
    documents: DocumentService
    store: Store
    services: Services
    clock: Callable[[], datetime]
    fetcher: Fetcher | None = None
    """Fetches the pages of links; None if the host has not enabled links."""
    jobs: Mapping[str, Jobs[Any, Any, Any]] = field(default_factory=dict)
    """The job queues, by the name of the kind of work that they run. A kind is missing if its packages are not installed."""
    lexica: Lexica | None = None
    """The lexica; None if the packages of the engine are not installed."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature: its services and its cogs. Its controls are not listed here, because ``@control`` registers them."""

    name: str
    open: Callable[[Host], None]
    """Creates the services of the feature. By then, the features that it builds on have created theirs."""
    cogs: tuple[Cog, ...] = ()
    """The classes of the feature's commands and listeners."""
