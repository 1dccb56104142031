"""Finds links to the supported sites in text, and the page that a document came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from bot.domain.chess.board_link import split_link
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import Document
from bot.links import cross_tables, lichess, woogles
from bot.links.values import Contents, Link, LinkError, LinkTarget, Pages, Site, TargetKind

_CHESS_COM: Final = re.compile(
    r"(?:/analysis)?/(?:game/(?:live/|daily/)?|live/game/|daily/game/|daily/)([1-9][0-9]{4,14})"
)


class ChessCom(Site):
    """chess.com, which provides no games by id. :meth:`read` raises an error that explains how to post the game instead."""

    name, host = "chess.com", "www.chess.com"

    def target_of(self, link: Link) -> LinkTarget | None:
        game = _CHESS_COM.fullmatch(link.path)
        return LinkTarget(self.name, TargetKind.GAME, game[1]) if game else None

    def path_of(self, target: LinkTarget) -> str:
        return f"/game/{target.id}"

    def read(self, _target: LinkTarget, _pages: Pages) -> Contents:
        raise LinkError(
            "link-paste",
            "{site} doesn't share games by link; paste the PGN (Share → PGN)",
            site=self.name,
        )


SITES: Final[dict[str, Site]] = {
    site.name: site for site in (woogles.Woogles(), cross_tables.CrossTables(), lichess.Lichess(), ChessCom())
}

MAX_LINKS = 50

_LINK = re.compile(
    r"(?<![\w.@:/%=-])(?i:(?:https?://)?(?:www\.)?(?P<host>woogles\.io|cross-tables\.com|lichess\.org|chess\.com))"
    r"(?P<rest>/[\w/%?&=#.,:;+~!*'-]{4,500}+)"
)
_TRAILING_PUNCTUATION = ".,:;!?*_~'"
"""Punctuation that may follow a link."""


def may_contain_links(text: str) -> bool:
    """Return whether text may contain a link to one of :data:`SITES`. The check takes microseconds."""
    lowercase = text.lower()
    return any(f"{name}/" in lowercase for name in SITES)


def find_links(text: str) -> Iterator[tuple[int, int, LinkTarget]]:
    """Return (start, end, target) tuples for the first :data:`MAX_LINKS` links that a site recognizes."""
    return islice(_find_all(text), MAX_LINKS)


def _find_all(text: str) -> Iterator[tuple[int, int, LinkTarget]]:
    for match in _LINK.finditer(text):
        relative_url = match["rest"].rstrip(_TRAILING_PUNCTUATION)
        path, parameters, fragment = split_link(relative_url)
        target = SITES[match["host"].lower()].target_of(Link(path.rstrip("/"), parameters, fragment))
        if target is not None:
            yield match.start(), match.start("rest") + len(relative_url), target


def target_in(text: str) -> LinkTarget | None:
    """Return the target of a link, or None if the text is not exactly one link."""
    return next((target for start, end, target in find_links(text) if (start, end) == (0, len(text))), None)


def link_to(target: LinkTarget) -> str:
    site = SITES[target.site]
    return f"https://{site.host}{site.path_of(target)}"


def is_allowed_path(site: str, path: str) -> bool:
    return site in SITES and SITES[site].allowed_paths.fullmatch(path) is not None


_URL_PREFIXES: Final = {
    woogles.AUTHORITY: "https://woogles.io/game/",
    woogles.PUZZLE_AUTHORITY: "https://woogles.io/puzzle/",
    cross_tables.AUTHORITY: "https://cross-tables.com/annotated.php?u=",
}
_TAGS: Final = ("GameURL", "ChapterURL", "Site", "Link")
"""PGN tags that may contain a link to the game, the most specific first."""


def source_target(document: Document) -> LinkTarget | None:
    """Return the page that a game or puzzle names as its source, or None if it names no page on a supported site."""
    match document:
        case Game(authority=authority, game_id=game_id) if authority in _URL_PREFIXES:
            return target_in(_URL_PREFIXES[authority] + game_id)
        case ChessGame():
            targets = (target_in(document.tag(name)) for name in _TAGS)
            return next((target for target in targets if target is not None), None)
        case _:
            return None
