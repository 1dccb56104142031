"""chess.com: it gives out no game by its id, so nothing is asked; who posts a link is told how to get the game."""

from __future__ import annotations

import re

from bot.links.values import Address, Contents, Kind, LinkError, Pages, Site

NAME = "chess.com"
_HOST = "www.chess.com"

_GAME = re.compile(
    r"(?:/analysis)?/(?:game/(?:live/|daily/)?|live/game/|daily/game/|daily/)([1-9][0-9]{4,14})"
)


def _find(path: str, parameters: dict[str, str], fragment: str) -> Address | None:
    """Return what a link to the site names; None where it is no game."""
    del parameters, fragment
    game = _GAME.fullmatch(path)
    return Address(NAME, Kind.GAME, game[1]) if game else None


def _path_of(address: Address) -> str:
    """Return the path under which people find a game on the site."""
    return f"/game/{address.id}"


def _read(address: Address, pages: Pages) -> Contents:
    """Say how the game can be had.

    Raises:
        LinkError: always.

    """
    del address, pages
    raise LinkError(
        "link-paste", "{site} gives its games to nobody by link; paste the PGN (Share → PGN)", site=NAME
    )


SITE = Site(NAME, _HOST, None, _find, _path_of, lambda *_: None, _read)
