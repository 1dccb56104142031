"""Drawing: equal pictures asked for at the same time are drawn once, the latest ones are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable

from cachetools import LRUCache

from bot.chat.card import Card, Scene
from bot.features.showing.reader import Reader
from render.animate import draw_replay
from render.chart import draw_chart
from render.layout import draw_board, draw_mosaic
from render.scene import BoardScene, ChessScene, MosaicScene, RenderedImage, ReplayScene


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


class Artist:
    """Draws pictures where ``reader`` works. ``cache_bytes`` bounds what is kept of them."""

    def __init__(self, reader: Reader, cache_bytes: int) -> None:
        self._reader = reader
        self._metrics = reader.metrics
        self._pictures: LRUCache[Hashable, RenderedImage] = LRUCache(
            cache_bytes, getsizeof=lambda picture: len(picture.data)
        )
        self._drawing: dict[Hashable, asyncio.Task[RenderedImage]] = {}

    async def draw(self, scene: Scene) -> RenderedImage:
        """Draw a scene."""
        return await self.share(scene, lambda: self._reader.run(draw_scene, scene))

    async def draw_all(self, reply: Card) -> Card:
        """Draw all that a reply shows."""
        if not reply.drawings:
            return reply
        return reply.drawn(await asyncio.gather(*(self.draw(drawing.scene) for drawing in reply.drawings)))

    async def share(
        self, key: Hashable, work: Callable[[], Coroutine[object, object, RenderedImage]]
    ) -> RenderedImage:
        """Return the picture that ``key`` names, done by ``work`` when it is neither kept nor under way."""
        if picture := self._pictures.get(key):
            self._metrics.count("pictures", "hit")
            return picture
        task = self._drawing.get(key)
        self._metrics.count("pictures", "miss" if task is None else "shared")
        if task is None:
            task = asyncio.create_task(self._count_time(work()))
            self._drawing[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        # One asker's cancellation must not take the picture from the others.
        return await asyncio.shield(task)

    async def _count_time(self, work: Coroutine[object, object, RenderedImage]) -> RenderedImage:
        with self._metrics.stage("draw"):
            return await work

    def _finish(self, key: Hashable, done: asyncio.Task[RenderedImage]) -> None:
        del self._drawing[key]
        if done.cancelled() or done.exception() is not None:
            return
        picture = done.result()
        if len(picture.data) <= self._pictures.maxsize:
            self._pictures[key] = picture
