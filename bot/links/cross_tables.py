"""cross-tables.com: annotated games as GCG files. The lexicon of older games is only in the site's index."""

from __future__ import annotations

import csv
import re

from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError
from bot.links.values import (
    Contents,
    Link,
    LinkTarget,
    Pages,
    Request,
    Site,
    TargetKind,
    is_gcg,
    unexpected_page_error,
    with_id,
    with_pragma,
)

NAME = "cross-tables.com"
_ALLOWED_PATHS = re.compile(r"/annotated/selfgcg/[0-9]{1,5}/anno[0-9]{1,7}\.gcg|/rest/allanno\.php")
AUTHORITY = "com.cross-tables"
"""The authority in the ``#id`` line of a game from this site."""

_GAME = re.compile(r"/annotated/selfgcg/[0-9]{1,5}/anno([1-9][0-9]{0,6})\.gcg")
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
_TURN = re.compile(r"([0-9]{1,3})#?")
_LEXICON_LINE = re.compile(rb"^#lexicon[ \t]", re.MULTILINE | re.IGNORECASE)
_LEXICON = re.compile(r"[A-Za-z0-9._-]{2,20}")
_ID_COLUMN, _LEXICON_COLUMN = 0, 7
"""Columns of the index of annotated games."""


def _lexicon_in_index(game_id: str, index: bytes) -> str:
    """Return a game's lexicon from the index, or an empty string if the lexicon is missing or invalid."""
    start = f"{game_id},".encode()
    for line in index.splitlines():
        if line.lstrip(b'"').startswith((start, f'{game_id}",'.encode())):
            try:
                fields = next(csv.reader([line.decode("cp1252", "replace")]), [])
            except csv.Error:  # a field is longer than the csv module allows
                return ""
            if len(fields) > _LEXICON_COLUMN and fields[_ID_COLUMN].strip() == game_id:
                lexicon = fields[_LEXICON_COLUMN].strip()
                return lexicon if _LEXICON.fullmatch(lexicon) else ""
    return ""


class CrossTables(Site):
    """Annotated games on cross-tables.com."""

    name, host, allowed_paths = NAME, "www.cross-tables.com", _ALLOWED_PATHS

    def target_of(self, link: Link) -> LinkTarget | None:
        file = _GAME.fullmatch(link.path)
        number = file[1] if file else link.parameters.get("u", "") if link.path == "/annotated.php" else ""
        if not _NUMBER.fullmatch(number):
            return None
        turn = _TURN.fullmatch(link.fragment)
        return LinkTarget(NAME, TargetKind.GAME, number, turn=int(turn[1]) if turn else None)

    def path_of(self, target: LinkTarget) -> str:
        return f"/annotated.php?u={target.id}"

    def next_request(self, target: LinkTarget, pages: Pages) -> Request | None:
        if not pages:
            return Request(
                NAME,
                f"/annotated/selfgcg/{int(target.id) // 100}/anno{target.id}.gcg",
                accepted_types=("text/plain", "application/octet-stream", "text/gcg", "text/x-gcg"),
            )
        if len(pages) == 1 and not _LEXICON_LINE.search(pages[0] or b""):
            return Request(
                NAME,
                "/rest/allanno.php",
                accepted_types=("text/plain", "text/csv", "text/html", "application/octet-stream"),
                truncate=True,
                optional=True,
            )
        return None

    def read(self, target: LinkTarget, pages: Pages) -> Contents:
        try:
            text, _ = decode(pages[0] or b"")
        except DomainError:
            text = ""
        if not is_gcg(text):
            raise unexpected_page_error(NAME)
        text = with_id(text, AUTHORITY, target.id)
        if len(pages) > 1 and (lexicon := _lexicon_in_index(target.id, pages[1] or b"")):
            text = with_pragma(text, f"#lexicon {lexicon}")
        return Contents(text, "gcg")
