"""Where all services work: beside the event loop, on pictures and on kept documents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec

from cachetools import LRUCache

from bot.chat.card import Card, NoAnswerError, Scene
from bot.features.showing.conversion import answer_expired
from bot.features.showing.documents import Documents, DocumentStore
from bot.features.showing.findings import Found
from bot.features.showing.reader import Reader
from bot.jobs.account import Budget
from bot.jobs.processes import Processes
from bot.observe.metrics import Metrics
from bot.text import Speaker
from render.animate import draw_replay
from render.chart import draw_chart
from render.layout import draw_board, draw_mosaic
from render.scene import BoardScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Parameters = ParamSpec("Parameters")


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
    """A reader that also draws pictures and opens kept documents.

    Equal pictures requested at the same time are drawn once. The latest ones are cached, up to ``cache_bytes``. Without
    ``store`` (the command line) no document is kept; without ``processes`` everything runs on the executor.
    """

    def __init__(
        self,
        executor: Executor,
        store: DocumentStore | None = None,
        *,
        processes: Processes | None = None,
        budget: Budget | None = None,
        cache_bytes: int = 16 * 2**20,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        metrics: Metrics | None = None,
        lexica: Path | None = None,
    ) -> None:
        super().__init__(executor, processes, budget=budget, metrics=metrics, lexica=lexica)
        self.documents = Documents(self, store, clock)
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
        if not card.drawings:
            return card
        return card.drawn(await asyncio.gather(*(self.picture(drawing.scene) for drawing in card.drawings)))

    async def picture(self, scene: Scene) -> RenderedImage:
        """Draw a scene."""
        return await self._share(scene, lambda: self.run(draw_scene, scene))

    async def picture_apart(
        self,
        key: Hashable,
        work: Callable[Parameters, RenderedImage],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> RenderedImage:
        """Return the picture that ``key`` names, drawn by ``work`` in a process when it is not cached.

        Raises:
            OverBudgetError: the current account has nothing left.
            LimitError: the process exceeded its limits and was killed.

        """
        return await self._share(key, lambda: self.apart(work, *args, **kwargs))

    async def _share(
        self, key: Hashable, work: Callable[[], Coroutine[object, object, RenderedImage]]
    ) -> RenderedImage:
        if picture := self._pictures.get(key):
            self.metrics.count("pictures", "hit")
            return picture
        task = self._drawing.get(key)
        self.metrics.count("pictures", "miss" if task is None else "shared")
        if task is None:
            task = self._drawing[key] = asyncio.create_task(self._drawn(key, work()))
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

    async def document(self, digest: str, say: Speaker) -> Found:
        """Read a kept document again.

        Raises:
            NoAnswerError: it has expired.
            OverBudgetError, LimitError: reading it would exceed the limits.

        """
        item = await self.documents.open(digest)
        if item is None:
            raise NoAnswerError(answer_expired(say))
        return item
