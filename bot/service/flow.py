"""The flow from a source to a reply: one service for every shell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar

from bot.answers.conversion import answer_conversion, answer_expired
from bot.answers.found import Findings, Found, distinct
from bot.answers.position import MAX_SHOWN, answer_offer, answer_positions
from bot.answers.problem import answer_nothing, answer_refused
from bot.answers.reply import Answer, Image, Reply, Scene
from bot.notations import NOTATIONS
from bot.service.drawing import Artist
from bot.service.reading import INLINE_LENGTH, detect_text, read_detections, read_source
from bot.service.sources import Source
from bot.storage.documents import Document as StoredDocument
from bot.text import speaker
from render.scene import RenderedImage

Value = TypeVar("Value")

DOCUMENT_LIFE = timedelta(days=30)
"""How long a document is kept for the controls under its answer."""


class DocumentStore(Protocol):
    """Where documents are kept under their digest."""

    async def keep_document(self, document: StoredDocument) -> None:
        """Keep a document until it expires."""

    async def document(self, digest: str) -> StoredDocument | None:
        """Return a document, or None when it is unknown or expired."""


class Service:
    """Answers sources. ``documents`` is None in a shell without controls (the command line)."""

    def __init__(
        self,
        executor: Executor,
        documents: DocumentStore | None = None,
        *,
        cache_bytes: int = 16 * 2**20,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._executor = executor
        self._documents = documents
        self._clock = clock
        self._artist = Artist(executor, cache_bytes)

    async def find(self, source: Source) -> Findings:
        """Find and read the documents of a source."""
        if len(source.text) > INLINE_LENGTH or source.attachments:
            return await self._off_loop(lambda: read_source(source))
        detections = detect_text(source.text, asked=source.asked)
        if not detections:
            return Findings()
        return await self._off_loop(lambda: read_detections(source.text, detections[: source.most]))

    async def show(self, source: Source, findings: Findings | None = None) -> Reply | None:
        """Answer a source with pictures; None when there is nothing to show and nobody asked."""
        if findings is None:
            findings = await self.find(source)
        say = speaker(source.locale)
        if not findings.found:
            if not source.asked:
                return None
            if findings.refused:
                return _undrawn(answer_refused(findings.refused, say))
            return _undrawn(answer_nothing(say))
        found = await self._off_loop(lambda: distinct(findings.found))
        keep = self._documents is not None
        await self._keep(found[:MAX_SHOWN])
        answer = await self._off_loop(lambda: answer_positions(found, source.view, say, menus=keep))
        return await self._drawn(answer)

    async def convert(self, source: Source, to: str) -> Reply:
        """Give the first document of a source in another notation."""
        findings = await self.find(source)
        say = speaker(source.locale)
        if findings.found:
            first = findings.found[0]
            return _undrawn(
                await self._off_loop(
                    lambda: answer_conversion(first.document, to, say, spoiler=first.spoiler)
                )
            )
        if findings.refused:
            return _undrawn(answer_refused(findings.refused, say))
        return _undrawn(answer_nothing(say))

    async def offer(self, source: Source) -> Reply:
        """Offer the documents of a source in other notations."""
        findings = await self.find(source)
        say = speaker(source.locale)
        if not findings.found:
            return _undrawn(
                answer_refused(findings.refused, say) if findings.refused else answer_nothing(say)
            )
        shown = distinct(findings.found)[:MAX_SHOWN]
        await self._keep(shown)
        return _undrawn(await self._off_loop(lambda: answer_offer(shown, say)))

    async def convert_kept(self, digest: str, to: str, locale: str) -> Reply:
        """Give a kept document in another notation; says so when it has expired."""
        say = speaker(locale)
        kept = await self._documents.document(digest) if self._documents else None
        if kept is None or kept.format not in NOTATIONS or to not in NOTATIONS:
            return _undrawn(answer_expired(say))

        def convert() -> Answer:
            reading = NOTATIONS[kept.format].read(kept.text)
            return answer_conversion(reading.value, to, say)

        return _undrawn(await self._off_loop(convert))

    async def draw(self, scene: Scene) -> RenderedImage:
        """Draw a scene on a worker thread; equal scenes asked for at the same time are drawn once."""
        return await self._artist.draw(scene)

    async def _drawn(self, answer: Answer) -> Reply:
        pictures = await asyncio.gather(*(self.draw(drawing.scene) for drawing in answer.drawings))
        several = len(pictures) > 1
        images = tuple(
            Image(
                picture,
                drawing.alt,
                f"position-{number}.png" if several else "position.png",
                spoiler=drawing.spoiler,
            )
            for number, (drawing, picture) in enumerate(zip(answer.drawings, pictures, strict=True), start=1)
        )
        return Reply(answer.text, images, answer.files, answer.menus, answer.found)

    async def _keep(self, found: tuple[Found, ...]) -> None:
        if self._documents is None:
            return
        expires = self._clock() + DOCUMENT_LIFE
        documents = await self._off_loop(
            lambda: [StoredDocument(item.digest, item.format, item.text, expires) for item in found]
        )
        for document in documents:
            await self._documents.keep_document(document)

    async def _off_loop(self, work: Callable[[], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def _undrawn(answer: Answer) -> Reply:
    return Reply(answer.text, (), answer.files, answer.menus, answer.found)
