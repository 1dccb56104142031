"""Where a document comes from, as far as its own text tells: a game of a site is linked to there."""

from __future__ import annotations

from typing import Final

from bot.domain.chess.game import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import Document
from bot.links import cross_tables, woogles
from bot.links.sites import address_in
from bot.links.values import Address

_PATHS: Final = {
    woogles.AUTHORITY: "https://woogles.io/game/",
    woogles.PUZZLES: "https://woogles.io/puzzle/",
    cross_tables.AUTHORITY: "https://cross-tables.com/annotated.php?u=",
}
_TAGS: Final = ("GameURL", "ChapterURL", "Site", "Link")
"""Tags of PGN that have links to games, the most exact first."""


def source_of(document: Document) -> Address | None:
    """Return where a game or puzzle is found on its site; None where it does not tell."""
    match document:
        case Game(authority=authority, game_id=game_id) if authority in _PATHS:
            return address_in(_PATHS[authority] + game_id)
        case ChessGame():
            found = (address_in(document.tag(name)) for name in _TAGS)
            return next((address for address in found if address is not None), None)
        case _:
            return None
