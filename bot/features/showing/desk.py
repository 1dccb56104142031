"""The desk of all services: it reads and draws beside the event loop, and stores the documents of answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Executor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from cachetools import LRUCache

from bot import __version__
from bot.chat.card import Card, NoAnswerError, Scene
from bot.domain.notations import NOTATIONS
from bot.features.showing.findings import (
    GOING_ON,
    OPENED_SUFFIX,
    SEEN_SUFFIX,
    Found,
    PictureConfidence,
    distinct,
    short_digest,
)
from bot.features.showing.reader import Reader
from bot.features.showing.reading.documents import read_document
from bot.features.showing.remarks import answer_expired
from bot.jobs.account import Budget
from bot.jobs.processes import Processes
from bot.observe.metrics import Metrics
from bot.storage.documents import ReviewKey
from bot.storage.errors import StoreError
from bot.text import Speaker
from render.animate import draw_replay
from render.chart import draw_chart
from render.layout import draw_board, draw_mosaic
from render.scene import BoardScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

if TYPE_CHECKING:
    from bot.storage.store import Store

Parameters = ParamSpec("Parameters")

log = logging.getLogger(__name__)

DOCUMENT_LIFETIME = timedelta(days=30)
"""The time for which a document is stored."""


def draw_scene(scene: Scene) -> RenderedImage:
    """Draw a scene of any kind."""
    match scene:
        case BoardScene() | ChessScene():
            return draw_board(scene)
        case MosaicScene():
            return draw_mosaic(scene)
        case ReplayScene():
            return draw_replay(scene)
        case _:
            return draw_chart(scene)


class Desk(Reader):
    """A reader that also draws pictures, stores documents, and opens them again.

    Equal pictures requested at the same time are drawn once. The latest ones are cached, up to ``cache_bytes``. Without
    ``store`` (the command line) nothing is stored; without ``processes`` everything runs on the executor.
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
        lexica: Path | None = None,
    ) -> None:
        super().__init__(executor, processes, budget=budget, metrics=metrics, lexica=lexica)
        self.is_storing = store is not None
        """Whether controls find documents again."""
        self._store = store
        self._clock = clock
        self._pictures: LRUCache[Hashable, RenderedImage] = LRUCache(
            cache_bytes, getsizeof=lambda picture: len(picture.data)
        )
        self._drawing: dict[Hashable, asyncio.Task[RenderedImage]] = {}

    async def answer(
        self, work: Callable[Parameters, Card], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Card:
        """Make a card on a thread, and draw its pictures."""
        return await self.draw(await self.run(work, *args, **kwargs))

    async def draw(self, card: Card) -> Card:
        """Draw the pictures of a card."""
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
        """Return the picture of a scene, cached under ``key`` or the scene itself.

        ``work`` draws a picture that is not cached; by default a thread does.

        Raises:
            OverBudgetError: the current account has nothing left.
            LimitError: a process that drew it exceeded its limits and was killed.

        """
        key = scene if key is None else key
        if picture := self._pictures.get(key):
            self.metrics.count("pictures", "hit")
            return picture
        task = self._drawing.get(key)
        self.metrics.count("pictures", "miss" if task is None else "shared")
        if task is None:
            drawing = self.run(draw_scene, scene) if work is None else work()
            task = self._drawing[key] = asyncio.create_task(self._drawn(key, drawing))
            # A failure that no request waits for any longer needs no report.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        # When one request is cancelled, the others still get the picture.
        return await asyncio.shield(task)

    async def _drawn(self, key: Hashable, work: Coroutine[object, object, RenderedImage]) -> RenderedImage:
        try:
            with self.metrics.stage("draw"):
                picture = await work
        finally:
            del self._drawing[key]
        if len(picture.data) <= self._pictures.maxsize:
            self._pictures[key] = picture
        return picture

    async def keep(self, found: tuple[Found, ...], author_id: int | None) -> None:
        """Store documents for their controls, with the account that brought them."""
        if self._store is None:
            return
        expires = self._clock() + DOCUMENT_LIFETIME
        with self.metrics.stage("keep"):
            for item in await self.run(distinct, found):  # a thread computes the digests
                await self._store.keep_document(item.digest, *item.stored, expires, author_id=author_id)

    async def keep_text(self, format_name: str, text: str, author_id: int | None) -> str:
        """Store a text in a format of a feature's own, and return its digest."""
        digest = await self.run(short_digest, f"{format_name}\0{text}")
        if self._store is not None:
            expires = self._clock() + DOCUMENT_LIFETIME
            await self._store.keep_document(digest, format_name, text, expires, author_id=author_id)
        return digest

    async def text_of(self, digest: str, format_name: str) -> str | None:
        """Return the stored text of a format; None when it has expired or has another format."""
        stored = await self._store.document(digest) if self._store else None
        return stored[1] if stored is not None and stored[0] == format_name else None

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
            log.warning("a review is computed again: %s", error)
            return None

    async def open(self, digest: str) -> Found | None:
        """Read a stored document again; None when it has expired.

        Raises:
            OverBudgetError, LimitError: reading it would exceed the limits.

        """
        stored = await self._store.document(digest) if self._store else None
        if stored is None:
            return None
        format_name, text = stored
        whole = format_name.removesuffix(GOING_ON)
        name = whole.removesuffix(OPENED_SUFFIX)
        notation = name.removesuffix(SEEN_SUFFIX)
        if notation not in NOTATIONS:
            return None
        line = ""
        if notation != name:
            line, _, text = text.partition("\n")
        item = await self.read(len(text), read_document, notation, text)
        if notation != name:
            return replace(item, sight=PictureConfidence.read(line))
        item = replace(item, going_on=whole != format_name)
        return item if name == whole else await self.run(item.with_racks)

    async def document(self, digest: str, say: Speaker) -> Found:
        """Read a stored document again.

        Raises:
            NoAnswerError: it has expired.
            OverBudgetError, LimitError: reading it would exceed the limits.

        """
        item = await self.open(digest)
        if item is None:
            raise NoAnswerError(answer_expired(say))
        return item
