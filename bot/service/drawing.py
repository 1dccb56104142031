"""Drawing on worker threads: equal pictures asked for at the same time are drawn once, the latest ones are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Executor

from bot.answers.reply import Answer, Reply, Scene
from bot.observe.metrics import Metrics
from render.animate import draw_replay
from render.board import draw_board
from render.chart import draw_chart
from render.chessboard import draw_chessboard
from render.scene import BoardScene, ChessScene, RenderedImage, ReplayScene


class PictureCache:
    """The latest pictures by what names them, bounded by their bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._pictures: OrderedDict[Hashable, RenderedImage] = OrderedDict()

    def get(self, key: Hashable) -> RenderedImage | None:
        """Return a picture if it is kept."""
        picture = self._pictures.get(key)
        if picture is not None:
            self._pictures.move_to_end(key)
        return picture

    def put(self, key: Hashable, picture: RenderedImage) -> None:
        """Keep a picture, letting go of the longest unused."""
        if key in self._pictures:
            return
        self._pictures[key] = picture
        self._size += len(picture.data)
        while self._size > self._limit and len(self._pictures) > 1:
            _, dropped = self._pictures.popitem(last=False)
            self._size -= len(dropped.data)


def draw_scene(scene: Scene) -> RenderedImage:
    """Draw a scene of any kind."""
    match scene:
        case BoardScene():
            return draw_board(scene)
        case ChessScene():
            return draw_chessboard(scene)
        case ReplayScene():
            return draw_replay(scene)
        case _:
            return draw_chart(scene)


class Artist:
    """Draws pictures on an executor. ``cache_bytes`` bounds what is kept of them."""

    def __init__(self, executor: Executor, cache_bytes: int, metrics: Metrics | None = None) -> None:
        self._executor = executor
        self._metrics = metrics or Metrics()
        self._pictures = PictureCache(cache_bytes)
        self._drawing: dict[Hashable, asyncio.Task[RenderedImage]] = {}

    async def draw(self, scene: Scene) -> RenderedImage:
        """Draw a scene."""
        return await self.shared(scene, lambda: self._off_loop(scene))

    async def drawn(self, answer: Answer) -> Reply:
        """Draw all that an answer shows."""
        return answer.drawn(await asyncio.gather(*(self.draw(drawing.scene) for drawing in answer.drawings)))

    async def shared(
        self, key: Hashable, work: Callable[[], Coroutine[object, object, RenderedImage]]
    ) -> RenderedImage:
        """Return the picture that ``key`` names, done by ``work`` when it is neither kept nor under way."""
        if picture := self._pictures.get(key):
            self._metrics.looked_up("hit")
            return picture
        task = self._drawing.get(key)
        self._metrics.looked_up("miss" if task is None else "shared")
        if task is None:
            task = asyncio.create_task(self._timed(work()))
            self._drawing[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        # One asker's cancellation must not take the picture from the others.
        return await asyncio.shield(task)

    async def _timed(self, work: Coroutine[object, object, RenderedImage]) -> RenderedImage:
        with self._metrics.stage("draw"):
            return await work

    async def _off_loop(self, scene: Scene) -> RenderedImage:
        return await asyncio.get_running_loop().run_in_executor(self._executor, draw_scene, scene)

    def _finish(self, key: Hashable, done: asyncio.Task[RenderedImage]) -> None:
        del self._drawing[key]
        if not done.cancelled() and done.exception() is None:
            self._pictures.put(key, done.result())
