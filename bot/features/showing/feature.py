"""The declaration of a feature, and the resources from which it creates its services."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.chat.client import CogFactory
from bot.chat.control import Services
from bot.config import Settings
from bot.features.showing.document_service import DocumentService
from bot.jobs.queue import JobQueue
from bot.links.fetcher import Fetcher
from bot.storage.store import Store

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica


@dataclass(frozen=True, slots=True)
class FeatureContext:
    """The resources that features need to create their services."""

    settings: Settings
    documents: DocumentService
    store: Store
    services: Services
    clock: Callable[[], datetime]
    fetcher: Fetcher | None = None
    """Fetches the pages of links. None if the host has not enabled links."""
    jobs: Mapping[str, JobQueue[Any, Any, Any]] = field(default_factory=dict)
    """Maps each kind of job to its queue. A kind is missing if this machine cannot run it."""
    lexica: Lexica | None = None
    """None if the bot does not analyze crossword positions."""


@dataclass(frozen=True, slots=True)
class Feature:
    """The services and the cogs of a feature. Controls register themselves with ``@control``."""

    name: str
    create_services: Callable[[FeatureContext], None]
    """Creates the feature's services. The services of the features that it depends on already exist."""
    cogs: tuple[CogFactory, ...] = ()
