"""An in-memory store, and a function that creates the services of all features."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.app.run import FEATURES
from bot.chat.control import Services
from bot.config import Settings
from bot.features.showing.document_service import DocumentService
from bot.features.showing.feature import FeatureContext
from bot.storage.documents import ReviewKey
from bot.storage.store import Store


class MemoryStore:
    def __init__(self) -> None:
        self.documents: dict[str, tuple[str, str, datetime]] = {}
        self.authors: dict[str, int | None] = {}
        self.reviews: dict[tuple[ReviewKey, str], str] = {}

    async def save_document(
        self, digest: str, format_name: str, text: str, expires: datetime, *, author_id: int | None = None
    ) -> None:
        self.documents[digest] = format_name, text, expires
        self.authors[digest] = author_id

    async def document(self, digest: str) -> tuple[str, str] | None:
        format_name, text, expires = self.documents.get(digest, ("", "", datetime.min.replace(tzinfo=UTC)))
        return (format_name, text) if expires > datetime.now(UTC) else None

    async def save_review(self, key: ReviewKey, engine: str, content: str) -> None:
        self.reviews[key, engine] = content

    async def review(self, key: ReviewKey, engine: str) -> str | None:
        return self.reviews.get((key, engine))


def create_all_services(documents: DocumentService, store: Store, **context: Any) -> Services:
    services = Services(documents.metrics)
    for feature in FEATURES:
        feature.create_services(
            FeatureContext(Settings(), documents, store, services, lambda: datetime.now(UTC), **context)
        )
    return services
