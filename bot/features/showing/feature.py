"""The values by which the bot knows a feature, and the resources that a feature gets."""

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
    """The queues of long work, by the name of the kind of work. Kinds whose packages are not installed are missing."""
    lexica: Lexica | None = None
    """The lexica; None if the packages of the engine are not installed."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature. Its controls are not listed, because ``@control`` registers them."""

    name: str
    open: Callable[[Host], None]
    """Creates the services of the feature. The features that it builds on are opened first."""
    cogs: tuple[Cog, ...] = ()
    """The classes of the feature's commands and listeners."""
