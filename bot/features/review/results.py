"""Results of reviews, kept for whoever asks next, also of another process."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from cachetools import LRUCache

from bot.domain.reading.problems import DomainError
from bot.features.review.kinds import Reviewing
from bot.features.showing.desk import Desk
from bot.storage.reviews import ReviewKey

MAX_KEPT = 64
"""Results kept in memory."""


class Results:
    """Results of reviews, in memory and in the store."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._kept: LRUCache[object, Any] = LRUCache(MAX_KEPT)
        """By content, lexicon and depth: an edited game is another."""

    async def known(self, kind: Reviewing[Any, Any], request: object, digest: str) -> object | None:
        """Return a result that is kept, or that needs no work; None when there is none."""
        kept = self._kept.get(request)
        if kept is None:
            kept = await self._desk.run(kind.at_once, request)
        if kept is None and (key := await self._key(kind, request, digest)) is not None:
            text = await self._desk.documents.review(key)
            with suppress(ValueError):
                kept = None if text is None else await self._desk.run(kind.read, text, request)
        if kept is not None:
            self._kept[request] = kept
        return kept

    async def keep(self, kind: Reviewing[Any, Any], request: object, digest: str, result: object) -> None:
        """Keep a result for whoever asks next."""
        self._kept[request] = result
        if (key := await self._key(kind, request, digest)) is not None:
            await self._desk.documents.keep_review(key, await self._desk.run(kind.write, result))

    async def _key(self, kind: Reviewing[Any, Any], request: object, digest: str) -> ReviewKey | None:
        """Return what a result is kept by in the store; None when nothing can be answered."""
        try:
            return ReviewKey(digest, *await self._desk.run(kind.label, request))
        except DomainError:  # told where the game is reviewed
            return None
