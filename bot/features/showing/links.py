"""Opens the links in a message, and writes the cards about them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from bot.chat.card import MAX_LABEL_LENGTH, Card, Choice, join_fitting_blocks, truncate, with_paging
from bot.chat.markdown import as_spoiler, escape, isolated_name
from bot.chat.source import Source
from bot.domain.notations import Document
from bot.features.showing.controls import FROM_PREFIX, LinkedGameMenu
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import Findings, LinkResult
from bot.features.showing.reading.links import read_link
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.links import woogles
from bot.links.fetcher import Fetcher
from bot.links.sites import SITES, link_to, source_target
from bot.links.values import LinkError, LinkTarget, Pages, Request, SiteReview, TargetKind
from bot.text import Translator

log = logging.getLogger(__name__)

MAX_OPENED_LINKS = 4
"""Equals ``MAX_SHOWN_DOCUMENTS``, the maximum number of positions in a reply."""


class LinkOpener:
    """Opens links. ``fetcher`` is None if the host has not enabled links."""

    def __init__(self, documents: DocumentService, fetcher: Fetcher | None) -> None:
        self._documents = documents
        self._fetcher = fetcher

    @property
    def are_enabled(self) -> bool:
        return self._fetcher is not None

    async def open_all(self, source: Source, findings: Findings) -> Findings:
        """Replace the links in the findings with their contents. Links after the first :data:`MAX_OPENED_LINKS` become errors."""
        if not findings.link_targets:
            return findings
        user_id = source.requester.user_id if source.requester is not None else 0
        all_findings = replace(findings, link_targets=())
        for target in findings.link_targets[:MAX_OPENED_LINKS]:
            all_findings += await self.open(target, user_id)
        error = LinkError(
            "link-many", "Kibitz opens at most {limit} links per message", limit=MAX_OPENED_LINKS
        )
        unopened = tuple(LinkResult(target, error) for target in findings.link_targets[MAX_OPENED_LINKS:])
        return all_findings + Findings(link_results=unopened)

    async def open(self, target: LinkTarget, user_id: int) -> Findings:
        """Return a link's content, or the reason why it cannot be opened. ``user_id`` is the requester's id."""
        try:
            return await self._open(target, user_id)
        except LinkError as error:
            return Findings(link_results=(LinkResult(target, error),))

    async def _open(self, target: LinkTarget, user_id: int) -> Findings:
        if self._fetcher is None:
            raise LinkError(
                "link-off", "links are not opened here; paste the game itself, or attach its file"
            )
        requests, pages = await self._fetch_pages(self._fetcher, target, user_id)
        try:
            size = sum(len(page or b"") for page in pages)
            link_result, findings = await self._documents.run_reader(size, read_link, target, pages)
        except OverBudgetError:
            raise LinkError(
                "link-budget", "Kibitz has read a lot for you just now; try again in a minute"
            ) from None
        except LimitError:
            raise LinkError(
                "link-heavy", "the page from {site} took too long to read", site=target.site
            ) from None
        is_changing = target.kind is TargetKind.COLLECTION or target.id == "daily"
        if not is_changing and not any(item.is_in_progress for item in findings.documents):
            for request in requests:
                # The site may review the game later, so a missing review is not final.
                if not (request.optional and target.site == woogles.NAME and link_result.review is None):
                    self._fetcher.cache_as_final(request)
        return replace(findings, link_results=(link_result,))

    async def _fetch_pages(
        self, fetcher: Fetcher, target: LinkTarget, user_id: int
    ) -> tuple[Sequence[Request], Pages]:
        """Return the requests that succeeded, and all pages. An optional page that could not be fetched is None."""
        requests: list[Request] = []
        pages: list[bytes | None] = []
        while request := SITES[target.site].next_request(target, tuple(pages)):
            try:
                pages.append(await fetcher.get(request, user_id))
                requests.append(request)
            except LinkError as error:
                if not request.optional:
                    raise
                log.info("skipped an optional page: %s", error.code)
                pages.append(None)
        return requests, tuple(pages)

    async def fetch_site_review(self, document: Document, user_id: int) -> SiteReview | None:
        """Return a site's review of a game, or None if there is no review or it can't be fetched or read."""
        source = await asyncio.to_thread(source_target, document) if self._fetcher is not None else None
        if (
            self._fetcher is None
            or source is None
            or source.site != woogles.NAME
            or source.kind is not TargetKind.GAME
        ):
            return None
        try:
            page = await self._fetcher.get(woogles.review_request(source.id), user_id)
            return await self._documents.run_reader(len(page), woogles.read_review, page)
        except (LinkError, OverBudgetError, LimitError):
            return None


MAX_TITLE_LENGTH = 100
MAX_NAME_LENGTH = 30
GAMES_PER_PAGE = 23
"""The limit of a menu (25), minus two entries that lead to the previous and next pages."""


def source_link(document: Document, translate: Translator) -> str | None:
    """Return a Markdown link to a game, or None if its site is unknown."""
    target = source_target(document)
    return site_link(target, translate) if target is not None else None


def site_link(target: LinkTarget, translate: Translator) -> str:
    """Return a Markdown link. Its angle brackets keep Discord from showing a preview."""
    labels = {
        TargetKind.GAME: translate("Game on {site}", site=target.site),
        TargetKind.PUZZLE: translate("Puzzle on {site}", site=target.site),
        TargetKind.STUDY: translate("Study on {site}", site=target.site),
        TargetKind.BROADCAST: translate("Broadcast on {site}", site=target.site),
        TargetKind.COLLECTION: translate("Collection on {site}", site=target.site),
    }
    return f"[{labels[target.kind]}](<{link_to(target)}>)"


def link_remarks(link_results: tuple[LinkResult, ...], translate: Translator) -> list[str]:
    lines = []
    for item in link_results:
        if item.review is not None:
            lines.append(review_text(item.review, item.target.site, translate))
        if item.error is not None:
            line = translate(
                "Kibitz can't open {link}: {problem}.",
                link=site_link(item.target, translate),
                problem=escape(translate.problem(item.error)),
            )
            lines.append(as_spoiler(line) if item.target.spoiler else line)
    return lines


def unopened_links_card(link_results: tuple[LinkResult, ...], translate: Translator) -> Card:
    return Card(join_fitting_blocks(link_remarks(link_results, translate)), has_result=False)


def review_text(review: SiteReview, site: str, translate: Translator) -> str:
    players = []
    for player in review.players:
        mistake_index = translate.number(player.mistake_index, ".1f")
        elo = f" (≈ {player.elo})" if player.elo else ""
        players.append(f"{escape(player.name, MAX_NAME_LENGTH)} {mistake_index}{elo}")
    return translate(
        "🔎 {site} has its own review. Mistake index: {players}.", site=site, players=", ".join(players)
    )


def collection_card(link_result: LinkResult, translate: Translator, start: int) -> Card:
    """Return a card with a menu of a collection's games. The menu shows the page that contains the game at index ``start``."""
    target, games = link_result.target, link_result.games
    count_text = translate.plural("{number} game", "{number} games", len(games))
    title = escape(truncate(link_result.title, MAX_TITLE_LENGTH))
    text = " · ".join(
        [f"**{title}**" if title else "", count_text, site_link(target, translate)]
    ).removeprefix(" · ")
    start = min(max(0, start), len(games) - 1) // GAMES_PER_PAGE * GAMES_PER_PAGE
    choices = []
    for number, (game, game_title) in enumerate(games[start : start + GAMES_PER_PAGE], start=start + 1):
        name = "" if target.spoiler else isolated_name(game_title, MAX_LABEL_LENGTH - 6)
        # A collection may contain a game twice, but Discord requires different values in a menu.
        value = f"{number}:{game.id}"
        label = f"{number}. {name or translate('Game {number}', number=number)}"
        choices.append(Choice(value, label[:MAX_LABEL_LENGTH]))
    earlier = start - GAMES_PER_PAGE if start else None
    later = start + GAMES_PER_PAGE if start + GAMES_PER_PAGE < len(games) else None
    menu = LinkedGameMenu(
        target.id, target.spoiler, with_paging(tuple(choices), FROM_PREFIX, earlier, later, translate)
    )
    return Card(as_spoiler(text) if target.spoiler else text, controls=(menu,), accent="board")
