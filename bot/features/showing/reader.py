"""Finds and reads the documents in a source: short text on a thread, everything else in a process that can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import ParamSpec, TypeVar

from bot.chat.source import Attachment, Source, is_picture
from bot.features.showing.findings import Findings
from bot.features.showing.reading.archives import ZIP_SIGNATURE
from bot.features.showing.reading.documents import (
    MAX_INLINE_SIZE,
    SheetReader,
    detect_text,
    read_file,
    read_first,
    read_text,
)
from bot.features.showing.reading.links import targets_in
from bot.jobs.account import ACCOUNT, Budget
from bot.jobs.processes import LimitError, Processes
from bot.links.sites import may_contain_links
from bot.links.values import LinkTarget
from bot.observe.metrics import Metrics

_TYPICAL_COMPRESSION_RATIO = 5
"""Length of text divided by its compressed size."""

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")

PRELOADED_MODULES = (
    "bot.jobs.processes",
    "bot.features.showing.reading.documents",
    "bot.features.showing.reading.pictures",
    "bot.sight.chess",
    "bot.sight.crossword",
    "bot.sight.bonus",
    "bot.sight.racks",
    "bot.sight.scores",
    "bot.sight.doubtful_squares",
    "chess.polyglot",  # bot.domain.chess.python_chess imports chess.polyglot and chess.variant when they are first used
    "chess.variant",
    "encodings.cp437",  # zipfile would import this codec when it opens the archive of neural networks
    "numpy.ma",  # the first call of numpy.median would import this
    "render.animate",
)
"""Modules that the fork server imports in advance, because importing takes longer than most tasks.

Modules that are not installed are skipped.
"""


class Reader:
    """Reads short text on an executor, and long text in ``processes``.

    The current account (:data:`~bot.jobs.account.ACCOUNT`) is charged for long work in advance. Methods raise OverBudgetError if
    the account's budget is too small, and LimitError if a process exceeded its limits and was killed. :meth:`find` reports
    an unfinished file instead of raising LimitError. Without processes (on the command line), everything is read on the
    executor. ``lexica_folder`` contains the host's lexica.
    """

    def __init__(
        self,
        executor: Executor,
        processes: Processes | None = None,
        *,
        budget: Budget | None = None,
        metrics: Metrics | None = None,
        lexica_folder: Path | None = None,
    ) -> None:
        self.read_sheet: SheetReader | None = None
        """Reads a whole file as a sheet of puzzles. Set by another feature."""
        self._executor = executor
        self._lexica_folder = lexica_folder
        self._processes = processes
        self._budget = budget or Budget()
        self.metrics = metrics or Metrics()

    def stop_reading(self) -> None:
        if self._processes is not None:
            self._processes.close()

    async def run(
        self, work: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Value:
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, partial(work, *args, **kwargs)
        )

    async def find(self, source: Source) -> Findings:
        is_short = len(source.text) <= MAX_INLINE_SIZE
        targets: tuple[LinkTarget, ...] = ()
        if is_short and may_contain_links(source.text):
            detections = detect_text(source.text, on_request=False)
            targets = targets_in(source.text, detections, spoiler=source.spoiler)
        if is_short and not source.attachments:
            # Most messages contain nothing to read, and need no thread.
            detections = detect_text(source.text, on_request=source.on_request and not targets)
            if not detections:
                return Findings(link_targets=targets)
            with self.metrics.measure_stage("read"):
                findings = await self.run(
                    read_first, source.text, detections, source.max_documents, spoiler=source.spoiler
                )
            return replace(findings, link_targets=targets)
        text_source = replace(source, attachments=())
        parts = [
            (
                attachment.name,
                _charged_size(attachment),
                partial(read_file, attachment, text_source, self._lexica_folder, self.read_sheet),
            )
            for attachment in source.attachments
        ]
        if source.text:
            parts.insert(0, ("", len(source.text), partial(read_text, source.text, text_source)))
        with self._charge_for([size for _, size, _ in parts]), self.metrics.measure_stage("read"):
            findings = reduce(add, await asyncio.gather(*(self._read_part(*part) for part in parts)))
        return replace(findings, link_targets=targets) if targets else findings

    async def run_reader(
        self,
        size: int,
        work: Callable[Parameters, Value],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Value:
        """Run a function that reads ``size`` bytes or characters, in a worker process if ``size`` is large."""
        with self._charge_for([size]):
            return await self._run_sized(size, work, *args, **kwargs)

    async def run_in_process(
        self, work: Callable[Parameters, Value], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Value:
        """Run a slow function in a worker process. Charge its time to the current account."""
        with self._charge_for([]):
            return await self._run_sized(MAX_INLINE_SIZE + 1, work, *args, **kwargs)

    @contextmanager
    def _charge_for(self, sizes: Sequence[int]) -> Iterator[None]:
        """Charge the current account in advance for long text. Without ``sizes``, only check that the budget is not used up.

        At the end, refund this charge, because the actual time is charged separately.
        """
        account = ACCOUNT.get()
        if account is None or (sizes and max(sizes) <= MAX_INLINE_SIZE):
            yield
            return
        seconds = self._budget.charge(account, sum(size for size in sizes if size > MAX_INLINE_SIZE))
        try:
            yield
        finally:
            self._budget.spend(account, -seconds)

    async def _read_part(self, name: str, size: int, work: Callable[[], Findings]) -> Findings:
        try:
            return await self._run_sized(size, work)
        except LimitError:
            return Findings(unfinished_files=(name,))

    async def _run_sized(
        self,
        size: int,
        work: Callable[Parameters, Value],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Value:
        if size > MAX_INLINE_SIZE and self._processes is not None:
            return await self._processes.run(work, *args, **kwargs)
        return await self.run(work, *args, **kwargs)


def _charged_size(attachment: Attachment) -> int:
    """Return the size in bytes to charge. For an archive, this is an estimate. Pictures and archives always count as long."""
    size = len(attachment.data)
    if is_picture(attachment.data):
        return max(size, MAX_INLINE_SIZE + 1)
    return (
        max(_TYPICAL_COMPRESSION_RATIO * size, MAX_INLINE_SIZE + 1)
        if attachment.data.startswith(ZIP_SIGNATURE)
        else size
    )
