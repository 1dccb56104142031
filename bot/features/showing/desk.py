"""Where all services work: beside the event loop, on pictures and on kept documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

from bot.chat.card import Card, NoAnswerError, Scene
from bot.features.showing.conversion import answer_expired
from bot.features.showing.documents import Documents, DocumentStore
from bot.features.showing.drawing import Artist
from bot.features.showing.findings import Findings, Found
from bot.features.showing.reader import Reader
from bot.features.showing.reading import Source
from bot.features.showing.reading.documents import SheetReader
from bot.jobs.account import Budget
from bot.jobs.processes import Processes
from bot.observe.metrics import Metrics
from bot.text import Speaker
from render.scene import RenderedImage

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


class Desk:
    """The one door to threads, to processes that can be killed, to pictures and to kept documents.

    Without ``store`` (the command line) no document is kept; without ``processes`` everything runs on the executor.
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
        self.metrics = metrics or Metrics()
        self._reader = Reader(executor, processes, budget=budget, metrics=self.metrics, lexica=lexica)
        self._artist = Artist(self._reader, cache_bytes)
        self.documents = Documents(self._reader, store, clock)

    def read_sheets_with(self, read_sheet: SheetReader) -> None:
        """Have whole files read for another feature."""
        self._reader.read_sheet = read_sheet

    def stop_reading(self) -> None:
        """Kill what runs in processes; see :meth:`Processes.close`."""
        self._reader.stop()

    async def run(
        self, work: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Value:
        """Do work on a thread."""
        return await self._reader.run(work, *args, **kwargs)

    async def answer(
        self, work: Callable[Parameters, Card], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Card:
        """Make a reply on a thread, and draw what it shows."""
        return await self.draw(await self._reader.run(work, *args, **kwargs))

    async def draw(self, reply: Card) -> Card:
        """Draw all that a reply shows."""
        return await self._artist.draw_all(reply)

    async def picture(self, scene: Scene) -> RenderedImage:
        """Draw a scene; equal scenes asked for at the same time are drawn once."""
        return await self._artist.draw(scene)

    async def picture_apart(
        self,
        key: Hashable,
        work: Callable[Parameters, RenderedImage],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> RenderedImage:
        """Return the picture that ``key`` names, drawn by ``work`` in a process when there is none yet.

        Raises:
            OverBudgetError: the current account has nothing left.
            LimitError: it took too much and was killed.

        """
        return await self._artist.share(key, lambda: self._reader.apart(work, *args, **kwargs))

    async def document(self, digest: str, say: Speaker) -> Found:
        """Read a kept document again.

        Raises:
            NoAnswerError: it has expired.
            OverBudgetError, LimitError: it is long, and takes more than there is for it.

        """
        item = await self.documents.open(digest)
        if item is None:
            raise NoAnswerError(answer_expired(say))
        return item

    async def find(self, source: Source) -> Findings:
        """Find and read the documents of a source; see :meth:`Reader.find`."""
        return await self._reader.find(source)

    async def read(
        self,
        size: int,
        work: Callable[Parameters, Value],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Value:
        """Do work on so many bytes or characters, in a process when they are many; see :meth:`Reader.read`."""
        return await self._reader.read(size, work, *args, **kwargs)
