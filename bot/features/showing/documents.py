"""Documents kept for the controls under their answers, and read again when somebody uses one."""

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
from bot.storage.errors import StoreError
from bot.storage.reviews import ReviewKey

log = logging.getLogger(__name__)

DOCUMENT_LIFE = timedelta(days=30)
"""How long a document is kept for the controls under its answer."""


class DocumentStore(Protocol):
    """Where documents are kept under their digest."""

    async def keep_document(self, document: StoredDocument, *, author_id: int | None = None) -> None:
        """Keep a document until it expires."""

    async def document(self, digest: str) -> StoredDocument | None:
        """Return a document, or None when it is unknown or expired."""

    async def keep_review(self, key: ReviewKey, engine: str, content: str) -> bool:
        """Keep a review as long as its document; False when that is not kept."""

    async def review(self, key: ReviewKey, engine: str) -> str | None:
        """Return a review of a kept document, or None when there is none."""


class Documents:
    """The documents of a store as values. Without a store nothing is kept."""

    def __init__(self, reader: Reader, store: DocumentStore | None, clock: Callable[[], datetime]) -> None:
        self._reader = reader
        self._store = store
        self._clock = clock

    @property
    def are_kept(self) -> bool:
        """Whether there is a store, so that controls can find documents again."""
        return self._store is not None

    async def keep(self, found: tuple[Found, ...], author_id: int | None) -> None:
        """Keep documents for their controls, as brought by somebody."""
        if self._store is None:
            return
        expires = self._clock() + DOCUMENT_LIFE

        def stored() -> list[StoredDocument]:
            return [StoredDocument(item.digest, item.kept_as, item.kept_text, expires) for item in found]

        for document in await self._reader.run(stored):
            await self._store.keep_document(document, author_id=author_id)

    async def keep_text(self, format_name: str, text: str, author_id: int | None) -> str:
        """Keep a text of a format that no reader of notations knows, as brought by somebody, and return its digest."""
        digest = await self._reader.run(document_digest, format_name, text)
        if self._store is not None:
            document = StoredDocument(digest, format_name, text, self._clock() + DOCUMENT_LIFE)
            await self._store.keep_document(document, author_id=author_id)
        return digest

    async def text_of(self, digest: str, format_name: str) -> str | None:
        """Return a kept text of a format; None when it has expired, or is of another format."""
        kept = await self._store.document(digest) if self._store else None
        return kept.text if kept is not None and kept.format == format_name else None

    async def keep_review(self, key: ReviewKey, content: str) -> None:
        """Keep a review beside its document, for whoever asks next; where it cannot be kept, it is made anew."""
        if self._store is None:
            return
        try:
            await self._store.keep_review(key, __version__, content)
        except StoreError as error:
            log.warning("a review is not kept: %s", error)

    async def review(self, key: ReviewKey) -> str | None:
        """Return a kept review that this version made; None when there is none, or it cannot be read now."""
        if self._store is None:
            return None
        try:
            return await self._store.review(key, __version__)
        except StoreError as error:
            log.warning("a review is made anew: %s", error)
            return None

    async def open(self, digest: str) -> Found | None:
        """Read a kept document again; None when it has expired.

        Raises:
            OverBudgetError, LimitError: it is long, and takes more than there is for it.

        """
        kept = await self._store.document(digest) if self._store else None
        whole = kept.format.removesuffix(GOING_ON) if kept is not None else ""
        name = whole.removesuffix(OPENED)
        notation = name.removesuffix(SEEN)
        if kept is None or notation not in NOTATIONS:
            return None
        if notation != name:
            line, _, text = kept.text.partition("\n")
            sight = Sight.read(line)
            item = await self._reader.read(len(text), read_document, notation, text)
            return replace(item, sight=sight)
        item = await self._reader.read(len(kept.text), read_document, name, kept.text)
        if whole != kept.format:
            item = replace(item, going_on=True)
        if name == whole:
            return item
        return await self._reader.run(item.with_racks)
