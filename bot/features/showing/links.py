"""Links: opening them, and the words about them. The pages of a site are read like a posted file."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.chat.card import MAX_LABEL, Card, Choice, clipped, fitting
from bot.chat.markdown import behind_bars, escape, name
from bot.chat.source import Source
from bot.domain.notations import Document
from bot.features.showing.controls import linked_menu
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Findings, Opened
from bot.features.showing.reading.links import read_link
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.links import woogles
from bot.links.fetcher import Fetcher
from bot.links.sites import SITES, link_to, source_of
from bot.links.values import Address, Kind, LinkError, Pages, Request, TheirReview
from bot.text import Speaker

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


MAX_TITLE = 100
MAX_NAME = 30
PAGE = 23
"""Games of a collection in one list; two entries lead to others."""


def source_link(document: Document, say: Speaker) -> str | None:
    """Link to a game on its site; only an id of a known form comes from its text."""
    address = source_of(document)
    return link_words(address, say) if address is not None else None


def link_words(address: Address, say: Speaker) -> str:
    """Link to something on its site, without a preview."""
    match address.kind:
        case Kind.PUZZLE:
            words = say("Puzzle on {site}", site=address.site)
        case Kind.STUDY:
            words = say("Study on {site}", site=address.site)
        case Kind.BROADCAST:
            words = say("Broadcast on {site}", site=address.site)
        case Kind.COLLECTION:
            words = say("Collection on {site}", site=address.site)
        case _:
            words = say("Game on {site}", site=address.site)
    return f"[{words}](<{link_to(address)}>)"


def unopened_words(opened: tuple[Opened, ...], say: Speaker) -> list[str]:
    """Explain each link that cannot be opened, hidden where the link is."""
    lines = []
    for one in opened:
        if one.error is not None:
            line = say(
                "I cannot open this: {link}. The reason: {problem}.",
                link=link_words(one.address, say),
                problem=escape(say.problem(one.error)),
            )
            lines.append(behind_bars(line) if one.address.spoiler else line)
    return lines


def answer_unopened(opened: tuple[Opened, ...], say: Speaker) -> Card:
    """Say why links cannot be opened, where there is nothing else to show."""
    return Card(fitting(unopened_words(opened, say)), found=False)


def their_words(review: TheirReview, site: str, say: Speaker) -> str:
    """Say in a line what a site's own review found, as the site's own."""
    players = []
    for player in review.players:
        index = say.number(player.index, ".1f")
        elo = f" (≈ {player.elo})" if player.elo else ""
        players.append(f"{escape(player.name, MAX_NAME)} {index}{elo}")
    return say(
        "🔎 {site} has a review of its own: mistake index {players}.", site=site, players=", ".join(players)
    )


def answer_collection(opened: Opened, say: Speaker, start: int = 0) -> Card:
    """List the games of a collection to choose from, ``start`` being the place of the first one listed."""
    address, listed = opened.address, opened.listed
    count = say.count("{number} game", "{number} games", len(listed))
    title = escape(clipped(opened.title, MAX_TITLE))
    text = " · ".join([f"**{title}**" if title else "", count, link_words(address, say)]).removeprefix(" · ")
    start = min(max(0, start), len(listed) - 1) // PAGE * PAGE
    choices = []
    for number, (game, game_title) in enumerate(listed[start : start + PAGE], start=start + 1):
        words = "" if address.spoiler else name(game_title, MAX_LABEL - 6)
        # A game may be there twice, and no value of a list may.
        value = f"{number}:{game.id}"
        label = f"{number}. {words or say('Game {number}', number=number)}"
        choices.append(Choice(value, label[:MAX_LABEL]))
    menu = linked_menu(
        address.id,
        tuple(choices),
        say,
        earlier=start - PAGE if start else None,
        later=start + PAGE if start + PAGE < len(listed) else None,
        spoiler=address.spoiler,
    )
    return Card(behind_bars(text) if address.spoiler else text, controls=(menu,), accent="board")
