"""Finished reviews, and analyses that took long: kept beside the document they are about, and gone with it."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.part import StorePart
from bot.storage.tables import documents, reviews

MAX_REVIEW: Final = 1 << 20
"""Bytes of a review that is kept, before they are compressed."""

MAX_OF_DOCUMENT: Final = 200
"""Reviews and analyses of a document that are kept: of a long game every turn, simulated and solved."""

_WORD: Final = re.compile(r"[ -~]{0,64}")


@dataclass(frozen=True, slots=True)
class ReviewKey:
    """Names the review of a document, or an analysis. Raises :exc:`ValueError` when a part cannot be kept."""

    digest: str
    """The document's."""
    lexicon: str
    """The words that it goes by, and which edition of them; empty where there are none."""
    depth: str
    """How it was made; of an analysis also of what in the document."""

    def __post_init__(self) -> None:
        for part in (self.digest, self.lexicon, self.depth):
            if not _WORD.fullmatch(part):
                raise ValueError(f"{part!r} cannot name a review: it needs up to 64 plain characters")


class ReviewStore(StorePart):
    """Reviews of stored documents, and analyses that took long."""

    @writes
    async def keep_review(
        self, connection: AsyncConnection, key: ReviewKey, engine: str, content: str
    ) -> bool:
        """Keep the review of a kept document, made by a version of the engine, until the document goes.

        Returns False when the document is not kept, or the review is longer than :data:`bot.storage.reviews.MAX_REVIEW`.
        """
        now = self._clock()
        data = content.encode()
        if len(data) > MAX_REVIEW:
            return False
        await connection.execute(
            delete(reviews).where(reviews.c.digest == key.digest, reviews.c.engine != engine)
        )
        others = select(func.count()).where(
            reviews.c.digest == key.digest,
            or_(reviews.c.lexicon != key.lexicon, reviews.c.depth != key.depth),
        )
        if (await connection.scalar(others) or 0) >= MAX_OF_DOCUMENT:
            return False
        values = {
            "digest": key.digest,
            "lexicon": key.lexicon,
            "depth": key.depth,
            "engine": engine,
            "content": zlib.compress(data),
        }
        # Whoever brought the document may have it forgotten at the same time.
        row = select(*(literal(value, reviews.c[name].type) for name, value in values.items())).where(
            select(documents.c.digest)
            .where(documents.c.digest == key.digest, documents.c.expires > now)
            .exists()
        )
        new = insert(connection, reviews).from_select(list(values), row)
        statement = new.on_conflict_do_update(
            index_elements=list(reviews.primary_key),
            set_={"engine": new.excluded.engine, "content": new.excluded.content},
        ).returning(reviews.c.digest)
        # The row itself tells: of an INSERT not every driver says how many rows it made.
        return (await connection.execute(statement)).first() is not None

    @reads
    async def review(self, connection: AsyncConnection, key: ReviewKey, engine: str) -> str | None:
        """Return the review of a kept document by this version of the engine; None when there is none."""
        now = self._clock()
        query = (
            select(reviews.c.content)
            .join(documents, documents.c.digest == reviews.c.digest)
            .where(
                reviews.c.digest == key.digest,
                reviews.c.lexicon == key.lexicon,
                reviews.c.depth == key.depth,
                reviews.c.engine == engine,
                documents.c.expires > now,
            )
        )
        data = await connection.scalar(query)
        return None if data is None else zlib.decompressobj().decompress(data, MAX_REVIEW).decode()
