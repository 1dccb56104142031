"""Documents: what the buttons under a reply refer to, kept for a while under a digest."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import case, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.errors import StoreError
from bot.storage.ids import check_ids
from bot.storage.part import StorePart
from bot.storage.tables import document_authors, documents

_DIGEST: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_FORMAT: Final = re.compile(r"[A-Za-z0-9_.+-]{1,32}")


@dataclass(frozen=True, slots=True)
class Document:
    """A position or game in one of the notations, found again by its digest until it expires.

    Raises :exc:`ValueError` when a field cannot be kept.
    """

    digest: str
    """Names the document in a button: 1 to 32 letters, digits, ``-`` and ``_``. One digest, one document."""
    format: str
    """Which reader understands ``text``: 1 to 32 letters, digits and ``_.+-``."""
    text: str
    """The document itself, any text; never the message it came in."""
    expires: datetime
    """When it ceases to exist; with a time zone."""

    def __post_init__(self) -> None:
        if not _DIGEST.fullmatch(self.digest):
            raise ValueError(f"{self.digest!r} cannot be a digest: it needs 1 to 32 letters, digits, - and _")
        if not _FORMAT.fullmatch(self.format):
            raise ValueError(f"{self.format!r} cannot be the name of a format")
        if self.expires.tzinfo is None:
            raise ValueError("the time when a document expires needs a time zone")


class DocumentStore(StorePart):
    """What the buttons under a reply refer to."""

    @writes
    async def keep_document(
        self, connection: AsyncConnection, document: Document, *, author_id: int | None = None
    ) -> None:
        """Keep ``document``; one that is kept already expires at the later of both times.

        ``author_id`` is the user who brought it; it is forgotten with the last user who did.
        An expired document of the same digest is replaced. Raises :exc:`StoreError` when the digest already names another
        document: a button would show something other than its message.
        """
        check_ids(author_id)
        new = insert(connection, documents).values(asdict(document))
        kept, offered = documents.c, new.excluded
        statement = new.on_conflict_do_update(
            index_elements=[kept.digest],
            set_={
                "format": offered.format,
                "text": offered.text,
                "expires": case((offered.expires > kept.expires, offered.expires), else_=kept.expires),
            },
            where=or_(
                kept.expires <= self._clock(), (kept.format == offered.format) & (kept.text == offered.text)
            ),
        ).returning(kept.digest)
        if (await connection.execute(statement)).first() is None:
            raise StoreError(f"the digest {document.digest} already names another document")
        if author_id is not None:
            link = insert(connection, document_authors).values(digest=document.digest, author_id=author_id)
            await connection.execute(
                link.on_conflict_do_nothing(index_elements=list(document_authors.primary_key))
            )

    @reads
    async def document(self, connection: AsyncConnection, digest: str) -> Document | None:
        """Return the document with this digest, or None when there is none or it has expired."""
        if not _DIGEST.fullmatch(digest):
            return None
        query = select(documents).where(documents.c.digest == digest, documents.c.expires > self._clock())
        row = (await connection.execute(query)).mappings().first()
        return None if row is None else Document(**row)


async def count(connection: AsyncConnection, user_id: int, now: datetime) -> int:
    """Count the documents that a user brought and that have not expired."""
    check_ids(user_id)
    theirs = select(document_authors.c.digest).where(document_authors.c.author_id == user_id)
    query = select(func.count()).where(documents.c.digest.in_(theirs), documents.c.expires > now)
    return await connection.scalar(query) or 0


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget the documents that this user brought and nobody else."""
    check_ids(user_id)
    theirs = select(document_authors.c.digest).where(document_authors.c.author_id == user_id)
    others = select(document_authors.c.digest).where(document_authors.c.author_id != user_id)
    await connection.execute(
        delete(documents).where(documents.c.digest.in_(theirs), documents.c.digest.not_in(others))
    )
    await connection.execute(delete(document_authors).where(document_authors.c.author_id == user_id))


async def sweep(connection: AsyncConnection, now: datetime, limit: int) -> int:
    """Delete at most ``limit`` expired documents and return how many there were."""
    old = select(documents.c.digest).where(documents.c.expires <= now).limit(limit)
    result = await connection.execute(delete(documents).where(documents.c.digest.in_(old)))
    return result.rowcount
