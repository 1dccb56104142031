"""Opening links: what a site gives for one is read like a posted file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.chat.source import Source
from bot.domain.notations import Document
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Findings, Opened
from bot.features.showing.reading.links import read_link
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.links import woogles
from bot.links.fetcher import Fetcher
from bot.links.sites import SITES, source_of
from bot.links.values import Address, Kind, LinkError, Pages, Request, TheirReview

log = logging.getLogger(__name__)

MAX_OPENED = 4
"""Links of one message that are opened: as many as positions are shown."""


class Links:
    """Opens links. ``fetcher`` is None where the host has not switched that on."""

    def __init__(self, desk: Desk, fetcher: Fetcher | None) -> None:
        self._desk = desk
        self._fetcher = fetcher

    @property
    def are_opened(self) -> bool:
        """Whether links are opened at all."""
        return self._fetcher is not None

    async def follow(self, source: Source, findings: Findings) -> Findings:
        """Open what links name in a source, and add it to what was found there."""
        if not findings.addresses:
            return findings
        asker = source.origin.author_id if source.origin is not None else 0
        opened = replace(findings, addresses=())
        for address in findings.addresses[:MAX_OPENED]:
            opened += await self.open(address, asker)
        for address in findings.addresses[MAX_OPENED:]:
            error = LinkError("link-many", "at most {most} links of one message are opened", most=MAX_OPENED)
            opened += Findings(opened=(Opened(address, error),))
        return opened

    async def open(self, address: Address, asker: int) -> Findings:
        """Return what a link leads to; why it cannot be opened is among the findings."""
        try:
            return await self._open(address, asker)
        except LinkError as error:
            return Findings(opened=(Opened(address, error),))

    async def _open(self, address: Address, asker: int) -> Findings:
        if self._fetcher is None:
            raise LinkError("link-off", "links are not opened here; paste the game itself, or drop its file")
        asked, pages = await self._pages(self._fetcher, address, asker)
        try:
            size = sum(len(page or b"") for page in pages)
            opened, findings = await self._desk.read(size, read_link, address, pages)
        except OverBudgetError:
            raise LinkError("link-budget", "you have had much read just now; try again in a minute") from None
        except LimitError:
            raise LinkError(
                "link-heavy", "what {site} gave takes too long to read", site=address.site
            ) from None
        changes = address.kind is Kind.COLLECTION or address.id == "daily"
        if not changes and not any(item.going_on for item in findings.found):
            for request in asked:
                # A review may yet be made where there is none.
                if not (request.optional and address.site == woogles.NAME and opened.review is None):
                    self._fetcher.keep_long(request)
        return replace(findings, opened=(opened,))

    async def _pages(self, fetcher: Fetcher, address: Address, asker: int) -> tuple[Sequence[Request], Pages]:
        """Ask for one page after the other; what need not be had is None where it cannot."""
        asked: list[Request] = []
        pages: list[bytes | None] = []
        while request := SITES[address.site].next_request(address, tuple(pages)):
            try:
                pages.append(await fetcher.get(request, asker))
                asked.append(request)
            except LinkError as error:
                if not request.optional:
                    raise
                log.info("a page is left out: %s", error.code)
                pages.append(None)
        return asked, tuple(pages)

    async def review_of(self, document: Document, asker: int) -> TheirReview | None:
        """Return what the site of a game says of it in its own review; None where it has none, or gives none now."""
        source = await asyncio.to_thread(source_of, document) if self._fetcher is not None else None
        if (
            self._fetcher is None
            or source is None
            or source.site != woogles.NAME
            or source.kind is not Kind.GAME
        ):
            return None
        try:
            page = await self._fetcher.get(woogles.review_request(source.id), asker)
            return await self._desk.read(len(page), woogles.read_review, page)
        except (LinkError, OverBudgetError, LimitError):
            return None
