"""Documents stored for the controls under their answers, and read again when a control is used."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from bot import __version__
from bot.domain.notations import NOTATIONS
from bot.features.showing.findings import GOING_ON, OPENED, SEEN, Found, Sight, document_digest
from bot.features.showing.reader import Reader
from bot.features.showing.reading.documents import read_document
from bot.storage.documents import Document as StoredDocument
from bot.storage.documents import ReviewKey
from bot.storage.errors import StoreError

log = logging.getLogger(__name__)

DOCUMENT_LIFE = timedelta(days=30)
"""The time for which a document is stored."""


class DocumentStore(Protocol):
    """Stores documents under their digests."""

    async def keep_document(self, document: StoredDocument, *, author_id: int | None = None) -> None:
        """Store a document until it expires."""

    async def document(self, digest: str) -> StoredDocument | None:
        """Return a document; None when it is unknown or has expired."""

    async def keep_review(self, key: ReviewKey, engine: str, content: str) -> bool:
        """Store a review as long as its document; return False when the document is not stored."""

    async def review(self, key: ReviewKey, engine: str) -> str | None:
        """Return the review of a stored document; None when there is none."""


class Documents:
    """The documents of a store as values. Without a store nothing is stored."""

    def __init__(self, reader: Reader, store: DocumentStore | None, clock: Callable[[], datetime]) -> None:
        self._reader = reader
        self._store = store
        self._clock = clock
        self.are_kept = store is not None
        """Whether there is a store, so that controls can find documents again."""

    async def keep(self, found: tuple[Found, ...], author_id: int | None) -> None:
        """Store documents for their controls, with the account that brought them."""
        if self._store is None:
            return
        expires = self._clock() + DOCUMENT_LIFE

        def stored() -> list[StoredDocument]:
            return [StoredDocument(item.digest, *item.stored, expires) for item in found]

        for document in await self._reader.run(stored):
            await self._store.keep_document(document, author_id=author_id)

    async def keep_text(self, format_name: str, text: str, author_id: int | None) -> str:
        """Store a text in a format of a feature's own, and return its digest."""
        digest = await self._reader.run(document_digest, format_name, text)
        if self._store is not None:
            document = StoredDocument(digest, format_name, text, self._clock() + DOCUMENT_LIFE)
            await self._store.keep_document(document, author_id=author_id)
        return digest

    async def text_of(self, digest: str, format_name: str) -> str | None:
        """Return the stored text of a format; None when it has expired or has another format."""
        kept = await self._store.document(digest) if self._store else None
        return kept.text if kept is not None and kept.format == format_name else None

    async def keep_review(self, key: ReviewKey, content: str) -> None:
        """Store a review beside its document. When the store fails, the next reader waits for a new review."""
        if self._store is None:
            return
        try:
            await self._store.keep_review(key, __version__, content)
        except StoreError as error:
            log.warning("a review is not kept: %s", error)

    async def review(self, key: ReviewKey) -> str | None:
        """Return a stored review of this version; None when there is none, or the store fails."""
        if self._store is None:
            return None
        try:
            return await self._store.review(key, __version__)
        except StoreError as error:
            log.warning("a review is made anew: %s", error)
            return None

    async def open(self, digest: str) -> Found | None:
        """Read a stored document again; None when it has expired.

        Raises:
            OverBudgetError, LimitError: reading it would exceed the limits.

        """
        kept = await self._store.document(digest) if self._store else None
        if kept is None:
            return None
        whole = kept.format.removesuffix(GOING_ON)
        name = whole.removesuffix(OPENED)
        notation = name.removesuffix(SEEN)
        if notation not in NOTATIONS:
            return None
        line, _, text = kept.text.partition("\n") if notation != name else ("", "", kept.text)
        item = await self._reader.read(len(text), read_document, notation, text)
        if notation != name:
            return replace(item, sight=Sight.read(line))
        item = replace(item, going_on=whole != kept.format)
        return item if name == whole else await self._reader.run(item.with_racks)
