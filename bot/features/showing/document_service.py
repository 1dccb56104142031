"""Reads, draws and stores documents outside the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Executor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from cachetools import LRUCache

from bot import __version__
from bot.chat.card import Card, RefusalError, Scene
from bot.domain.notations import NOTATIONS
from bot.features.showing.findings import (
    IN_PROGRESS_SUFFIX,
    PICTURE_SUFFIX,
    RACKS_SUFFIX,
    FoundDocument,
    PictureConfidence,
    short_digest,
    without_repeats,
)
from bot.features.showing.reader import Parameters, Reader
from bot.features.showing.reading.documents import read_document
from bot.features.showing.remarks import expired_card
from bot.jobs.account import Budget
from bot.jobs.processes import Processes
from bot.observe.metrics import Metrics
from bot.storage.documents import ReviewKey
from bot.storage.errors import StoreError
from bot.text import Translator
from render.animate import draw_replay
from render.chart import draw_chart
from render.layout import draw_board, draw_mosaic
from render.scene import BoardScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

if TYPE_CHECKING:
    from bot.storage.store import Store

log = logging.getLogger(__name__)

DOCUMENT_LIFETIME = timedelta(days=30)


def draw_scene(scene: Scene) -> RenderedImage:
    match scene:
        case BoardScene() | ChessScene():
            return draw_board(scene)
        case MosaicScene():
            return draw_mosaic(scene)
        case ReplayScene():
            return draw_replay(scene)
        case _:
            return draw_chart(scene)


class DocumentService(Reader):
    """Reads, draws and stores documents.

    Concurrent requests for the same picture share one drawing. Recent pictures are cached, up to a total size of ``cache_bytes``.
    Without ``store`` (on the command line), nothing is stored. Without ``processes``, everything runs on the executor.
    """

    def __init__(
        self,
        executor: Executor,
        store: Store | None = None,
        *,
        processes: Processes | None = None,
        budget: Budget | None = None,
        cache_bytes: int = 16 * 2**20,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        metrics: Metrics | None = None,
        lexica_folder: Path | None = None,
    ) -> None:
        super().__init__(executor, processes, budget=budget, metrics=metrics, lexica_folder=lexica_folder)
        self.has_store = store is not None
        self._store = store
        self._clock = clock
        self._pictures: LRUCache[Hashable, RenderedImage] = LRUCache(
            cache_bytes, getsizeof=lambda picture: len(picture.data)
        )
        self._draw_tasks: dict[Hashable, asyncio.Task[RenderedImage]] = {}

    async def run_and_draw(
        self, work: Callable[Parameters, Card], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Card:
        return await self.draw(await self.run(work, *args, **kwargs))

    async def draw(self, card: Card) -> Card:
        if all(drawing.picture is not None for drawing in card.drawings):
            return card
        return card.with_pictures(
            await asyncio.gather(*(self.picture(drawing.scene) for drawing in card.drawings))
        )

    async def picture(
        self,
        scene: Scene,
        key: Hashable = None,
        work: Callable[[], Coroutine[object, object, RenderedImage]] | None = None,
    ) -> RenderedImage:
        """Return the picture of a scene, cached under ``key`` (by default the scene itself).

        By default, a thread draws the picture. If ``work`` is given, ``work`` draws it instead.
        """
        key = scene if key is None else key
        if picture := self._pictures.get(key):
            self.metrics.count("pictures", "hit")
            return picture
        task = self._draw_tasks.get(key)
        self.metrics.count("pictures", "miss" if task is None else "shared")
        if task is None:
            coroutine = self.run(draw_scene, scene) if work is None else work()
            task = self._draw_tasks[key] = asyncio.create_task(self._draw_and_cache(key, coroutine))
            # Without this callback, asyncio would log the task's error if all requests for the picture were cancelled.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        # Other requests still get the picture if this request is cancelled.
        return await asyncio.shield(task)

    async def _draw_and_cache(
        self, key: Hashable, coroutine: Coroutine[object, object, RenderedImage]
    ) -> RenderedImage:
        try:
            with self.metrics.measure_stage("draw"):
                picture = await coroutine
        finally:
            del self._draw_tasks[key]
        if len(picture.data) <= self._pictures.maxsize:
            self._pictures[key] = picture
        return picture

    async def save(self, documents: tuple[FoundDocument, ...], author_id: int | None) -> None:
        if self._store is None:
            return
        expires = self._clock() + DOCUMENT_LIFETIME
        with self.metrics.measure_stage("keep"):
            # ``without_repeats`` runs on a thread, because it computes digests.
            for found in await self.run(without_repeats, documents):
                await self._store.save_document(
                    found.digest, *found.stored_form, expires, author_id=author_id
                )

    async def save_text(self, format_name: str, text: str, author_id: int | None) -> str:
        """Store text in a feature's own format, and return its digest."""
        digest = await self.run(short_digest, f"{format_name}\0{text}")
        if self._store is not None:
            expires = self._clock() + DOCUMENT_LIFETIME
            await self._store.save_document(digest, format_name, text, expires, author_id=author_id)
        return digest

    async def load_text(self, digest: str, format_name: str) -> str | None:
        """Return text that :meth:`save_text` stored, or None if it has expired or is in another format."""
        stored = await self._store.document(digest) if self._store else None
        return stored[1] if stored is not None and stored[0] == format_name else None

    async def save_review(self, key: ReviewKey, content: str) -> None:
        if self._store is None:
            return
        try:
            await self._store.save_review(key, __version__, content)
        except StoreError as error:
            log.warning("can't store a review: %s", error)

    async def load_review(self, key: ReviewKey) -> str | None:
        """Return a review stored by this version of Kibitz, or None if there is none or the store fails."""
        if self._store is None:
            return None
        try:
            return await self._store.review(key, __version__)
        except StoreError as error:
            log.warning("can't load a stored review, so it will be computed again: %s", error)
            return None

    async def find_document(self, digest: str) -> FoundDocument | None:
        """Load and parse a stored document. Return None if it has expired or was stored by :meth:`save_text`."""
        stored = await self._store.document(digest) if self._store else None
        if stored is None:
            return None
        # ``FoundDocument.stored_form`` adds suffixes to the notation.
        format_name, text = stored
        without_progress = format_name.removesuffix(IN_PROGRESS_SUFFIX)
        without_racks = without_progress.removesuffix(RACKS_SUFFIX)
        notation = without_racks.removesuffix(PICTURE_SUFFIX)
        if notation not in NOTATIONS:
            return None
        confidence = None
        if notation != without_racks:
            line, _, text = text.partition("\n")
            confidence = PictureConfidence.from_line(line)
        found = await self.run_reader(len(text), read_document, notation, text)
        found = replace(found, picture_confidence=confidence, is_in_progress=without_progress != format_name)
        return found if without_racks == without_progress else await self.run(found.with_racks)

    async def load_document(self, digest: str, translate: Translator) -> FoundDocument:
        """Load and parse a stored document. Raise RefusalError if it has expired."""
        found = await self.find_document(digest)
        if found is None:
            raise RefusalError(expired_card(translate))
        return found
