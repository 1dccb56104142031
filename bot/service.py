"""The flow from a source to a reply: one service for every shell."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar

from bot.answers.conversion import answer_conversion, answer_expired
from bot.answers.found import Findings, Found, Refused, distinct
from bot.answers.position import MAX_SHOWN, answer_offer, answer_positions
from bot.answers.problem import answer_nothing, answer_refused
from bot.answers.reply import Answer, Image, Reply
from bot.domain.detect import Detection, detect, whole_text
from bot.domain.errors import DomainError, ReadWarning, place
from bot.domain.formats import gcg
from bot.notations import NOTATIONS
from bot.scenes import View
from bot.storage.documents import Document as StoredDocument
from bot.text import speaker
from render.board import draw_board
from render.scene import BoardScene, RenderedImage

Value = TypeVar("Value")

DOCUMENT_LIFE = timedelta(days=30)
"""How long a document is kept for the controls under its answer."""

INLINE_LENGTH = 4_000
"""Texts up to this length are searched on the event loop; longer ones on a worker thread."""


class DocumentStore(Protocol):
    """Where documents are kept under their digest."""

    async def keep_document(self, document: StoredDocument) -> None:
        """Keep a document until it expires."""

    async def document(self, digest: str) -> StoredDocument | None:
        """Return a document, or None when it is unknown or expired."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a source. What it holds is recognized by its content, not by its name."""

    name: str
    data: bytes
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """What somebody sent, free of any shell."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    locale: str = "en"
    asked: bool = True
    """Whether an answer is expected in any case; a listener stays silent when there is nothing to show."""
    view: View = field(default_factory=View)
    most: int = 24
    """Documents read from one text; the rest is not looked at."""


class PictureCache:
    """The latest pictures by scene, bounded by their bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._pictures: OrderedDict[BoardScene, RenderedImage] = OrderedDict()

    def get(self, scene: BoardScene) -> RenderedImage | None:
        """Return the picture of a scene if it is kept."""
        picture = self._pictures.get(scene)
        if picture is not None:
            self._pictures.move_to_end(scene)
        return picture

    def put(self, scene: BoardScene, picture: RenderedImage) -> None:
        """Keep a picture, letting go of the longest unused."""
        if scene in self._pictures:
            return
        self._pictures[scene] = picture
        self._size += len(picture.data)
        while self._size > self._limit and len(self._pictures) > 1:
            _, dropped = self._pictures.popitem(last=False)
            self._size -= len(dropped.data)


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
        self._pictures = PictureCache(cache_bytes)
        self._drawing: dict[BoardScene, asyncio.Task[RenderedImage]] = {}

    async def find(self, source: Source) -> Findings:
        """Find and read the documents of a source."""
        if len(source.text) > INLINE_LENGTH or source.attachments:
            return await self._off_loop(lambda: _read_source(source))
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

    async def draw(self, scene: BoardScene) -> RenderedImage:
        """Draw a scene on a worker thread; equal scenes asked for at the same time are drawn once."""
        if picture := self._pictures.get(scene):
            return picture
        task = self._drawing.get(scene)
        if task is None:
            task = asyncio.create_task(self._off_loop(lambda: draw_board(scene)))
            self._drawing[scene] = task
            task.add_done_callback(lambda done: self._finish(scene, done))
        # One asker's cancellation must not take the picture from the others.
        return await asyncio.shield(task)

    def _finish(self, scene: BoardScene, done: asyncio.Task[RenderedImage]) -> None:
        del self._drawing[scene]
        if not done.cancelled() and done.exception() is None:
            self._pictures.put(scene, done.result())

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


def detect_text(text: str, *, asked: bool) -> tuple[Detection, ...]:
    """Detect notations; for somebody who asked, also a text that only means to be one."""
    detections = detect(text)
    if not detections and asked and (whole := whole_text(text)):
        return (whole,)
    return detections


def _read_source(source: Source) -> Findings:
    findings = read_text(source.text, source)
    for attachment in source.attachments:
        findings += _read_attachment(attachment, source)
    return findings


def read_text(text: str, source: Source, *, spoiler: bool = False) -> Findings:
    """Find and read the documents of one of a source's texts."""
    detections = detect_text(text, asked=source.asked)[: source.most]
    return read_detections(text, detections, spoiler=spoiler)


def _read_attachment(attachment: Attachment, source: Source) -> Findings:
    try:
        text, warnings = gcg.decode(attachment.data)
    except DomainError as error:
        # A picture or a program holds nothing; a text in an encoding nobody knows is a GCG that says so.
        refused = () if error.code == "binary" else (Refused("gcg", "", error, ""),)
        return Findings(refused=refused)
    findings = read_text(text, source, spoiler=attachment.spoiler)
    found = tuple(replace(item, warnings=warnings + item.warnings) for item in findings.found)
    return Findings(found, findings.refused)


def read_detections(text: str, detections: tuple[Detection, ...], *, spoiler: bool = False) -> Findings:
    """Read what was detected; places of warnings and errors are those in the whole text."""
    found: list[Found] = []
    refused: list[Refused] = []
    for detection in detections:
        line, column = place(text, detection.start)
        hidden = spoiler or detection.spoiler
        try:
            reading = NOTATIONS[detection.format].read(detection.text)
        except DomainError as error:
            moved = _moved_error(error, line, column)
            refused.append(Refused(detection.format, detection.text, moved, text, hidden))
            continue
        warnings = tuple(_moved_warning(warning, line, column) for warning in reading.warnings)
        stop = _moved_error(reading.error, line, column) if reading.error else None
        found.append(Found(detection.format, detection.text, reading.value, warnings, hidden, stop))
        if stop is not None:
            refused.append(Refused(detection.format, detection.text, stop, text, hidden))
    return Findings(tuple(found), tuple(refused))


def _moved_warning(warning: ReadWarning, line: int, column: int) -> ReadWarning:
    moved = warning.column + column - 1 if warning.line == 1 else warning.column
    return ReadWarning(warning.code, warning.template, warning.line + line - 1, moved, warning.values)


def _moved_error(error: DomainError, line: int, column: int) -> DomainError:
    moved = error.column + column - 1 if error.line == 1 else error.column
    return type(error)(error.code, error.template, line=error.line + line - 1, column=moved, **error.values)
