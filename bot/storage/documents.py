"""Documents, such as positions and games, with their reviews and analyses."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, case, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import BaseStore, count, has_rows, insert, insert_missing, reads, upsert, writes
from bot.storage.errors import StoreError
from bot.storage.tables import document_authors, documents, reviews

MAX_REVIEW_BYTES: Final = 1 << 20
"""Maximum size of a review before compression."""
MAX_REVIEWS_PER_DOCUMENT: Final = 200
"""Maximum number of reviews and analyses per document: enough to simulate and solve every turn of a long game."""

_DIGEST: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_KEY_FIELD: Final = re.compile(r"[ -~]{0,64}")


@dataclass(frozen=True, slots=True)
class ReviewKey:
    """Identifies a review or an analysis. Raises :exc:`ValueError` for a field that cannot be stored."""

    digest: str
    lexicon: str
    """The lexicon and its edition; empty in chess."""
    depth: str
    """The depth, such as ``quick``. For an analysis, the string also names the analyzed part of the document."""

    def __post_init__(self) -> None:
        for part in (self.digest, self.lexicon, self.depth):
            if not _KEY_FIELD.fullmatch(part):
                raise ValueError(
                    f"{part!r} can't identify a review: a field has at most 64 printable ASCII characters"
                )


class DocumentStore(BaseStore):
    """Stores documents with their reviews and analyses."""

    @writes
    async def save_document(
        self,
        connection: AsyncConnection,
        digest: str,
        format_name: str,
        text: str,
        expires: datetime,
        *,
        author_id: int | None = None,
    ) -> None:
        """Store a document. ``format_name`` is its notation, or a feature's own format.

        If the document is already stored, the later expiry time is kept. An expired document with the same digest is replaced.
        ``author_id`` is a user who posted the document. When the data of all such users is deleted, so is the document.

        Raises:
            StoreError: the digest already identifies another document.

        """
        new = insert(connection, documents).values(
            digest=digest, format=format_name, text=text, expires=expires
        )
        old, excluded = documents.c, new.excluded
        statement = new.on_conflict_do_update(
            index_elements=[old.digest],
            set_={
                "format": excluded.format,
                "text": excluded.text,
                "expires": case((excluded.expires > old.expires, excluded.expires), else_=old.expires),
            },
            where=or_(
                old.expires <= self._clock(), (old.format == excluded.format) & (old.text == excluded.text)
            ),
        ).returning(old.digest)
        if not await has_rows(connection, statement):
            raise StoreError(f"the digest {digest} already identifies another document")
        if author_id is not None:
            await insert_missing(connection, document_authors, digest=digest, author_id=author_id)

    @reads
    async def document(self, connection: AsyncConnection, digest: str) -> tuple[str, str] | None:
        """Return the format and the text of a document, or None if it is missing or has expired."""
        if not _DIGEST.fullmatch(digest):
            return None
        query = select(documents.c.format, documents.c.text).where(
            documents.c.digest == digest, documents.c.expires > self._clock()
        )
        row = (await connection.execute(query)).first()
        return None if row is None else (row.format, row.text)

    @writes
    async def save_review(
        self, connection: AsyncConnection, key: ReviewKey, engine: str, content: str
    ) -> None:
        """Store a document's review, unless the document is missing or a limit is exceeded.

        ``engine`` is the engine's version. Reviews by other versions are deleted.
        """
        data = content.encode()
        is_stored = (documents.c.digest == key.digest) & (documents.c.expires > self._clock())
        if len(data) > MAX_REVIEW_BYTES or not await lock_documents(connection, is_stored):
            return
        is_of_document = reviews.c.digest == key.digest
        await connection.execute(delete(reviews).where(is_of_document, reviews.c.engine != engine))
        is_other = or_(reviews.c.lexicon != key.lexicon, reviews.c.depth != key.depth)
        if await count(connection, is_of_document & is_other) < MAX_REVIEWS_PER_DOCUMENT:
            await upsert(
                connection, reviews, {**asdict(key), "engine": engine, "content": zlib.compress(data)}
            )

    @reads
    async def review(self, connection: AsyncConnection, key: ReviewKey, engine: str) -> str | None:
        """Return the review by this version of the engine, or None."""
        query = (
            select(reviews.c.content)
            .join(documents, documents.c.digest == reviews.c.digest)
            .where(
                reviews.c.digest == key.digest,
                reviews.c.lexicon == key.lexicon,
                reviews.c.depth == key.depth,
                reviews.c.engine == engine,
                documents.c.expires > self._clock(),
            )
        )
        data = await connection.scalar(query)
        return None if data is None else zlib.decompressobj().decompress(data, MAX_REVIEW_BYTES).decode()


async def lock_documents(connection: AsyncConnection, condition: ColumnElement[bool]) -> Sequence[str]:
    """Lock the selected documents against deletion. Return their digests."""
    query = select(documents.c.digest).where(condition).order_by(documents.c.digest).with_for_update()
    return (await connection.scalars(query)).all()


async def forget_author(connection: AsyncConnection, user_id: int) -> None:
    """Delete the documents that only this user posted. Unlink the user from all other documents."""
    user_digests = select(document_authors.c.digest).where(document_authors.c.author_id == user_id)
    other_users_digests = select(document_authors.c.digest).where(document_authors.c.author_id != user_id)
    await connection.execute(
        delete(documents).where(
            documents.c.digest.in_(user_digests), documents.c.digest.not_in(other_users_digests)
        )
    )
    await connection.execute(delete(document_authors).where(document_authors.c.author_id == user_id))
