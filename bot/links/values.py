"""What a link names, what is asked for it, and what came of it: values that cross from one process to another."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from bot.domain.reading.problems import DomainError


class Kind(Enum):
    """What a link leads to."""

    GAME = "game"
    COLLECTION = "collection"
    STUDY = "study"
    BROADCAST = "broadcast"
    PUZZLE = "puzzle"


@dataclass(frozen=True, slots=True)
class Address:
    """What a link names. Nothing of the message is in it but ids of a known form and small numbers."""

    site: str
    """The name of the site: its host without ``www``."""
    kind: Kind
    id: str
    part: str = ""
    """The chapter of a study, or the game of a broadcast or a collection, where the link names one."""
    turn: int | None = None
    """How many turns are taken where the link opens its game: events of a crossword game, half-moves of chess."""
    black: bool = False
    """Whether it shows a game of chess from Black's side."""
    spoiler: bool = False
    """Whether the link stands behind spoiler bars."""


class LinkError(DomainError):
    """A link cannot be opened; the sentence says why, to go on after "I cannot open …:"."""


def odd(site: str) -> LinkError:
    """Make the error for a page that is not what it should be."""
    return LinkError("link-odd", "{site} gave something else than a game", site=site)


@dataclass(frozen=True, slots=True)
class Request:
    """Something to be asked of a host."""

    host: str
    path: str
    """With its first slash, and parameters."""
    body: str = ""
    """What is posted, as JSON; nothing for a request that only gets."""
    types: tuple[str, ...] = ("text/plain",)
    """The types of content that may come back."""
    cut: bool = False
    """Whether the beginning will do where there is more than is read."""
    optional: bool = False
    """Whether there is something to show without it."""


@dataclass(frozen=True, slots=True)
class Given:
    """A document that a site gave."""

    format: str
    """The name of its notation."""
    text: str
    going_on: bool = False
    """Whether its game goes on, as far as the site tells."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A game of a collection."""

    address: Address
    title: str


@dataclass(frozen=True, slots=True)
class TheirPlayer:
    """What a site's own review says of a player."""

    name: str
    index: float
    """The mistake index: the lower, the better."""
    elo: int = 0
    """The rating that it seems to be; 0 where none is told."""


@dataclass(frozen=True, slots=True)
class TheirTurn:
    """What a site's own review says of a turn."""

    event: int
    """Which of the game's events it is, from 1, as the site counts them."""
    size: str
    """``best``, ``small``, ``medium`` or ``large``."""
    win_lost: float
    """Probability of winning that the play lost; 0 where the site tells points."""
    points_lost: float
    best: str
    """The best play, as the site writes it."""
    best_score: int


@dataclass(frozen=True, slots=True)
class TheirReview:
    """What a site's own review of a game says."""

    players: tuple[TheirPlayer, ...]
    turns: tuple[TheirTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """What a link leads to."""

    text: str = ""
    """A text with games of chess, one after the other."""
    documents: tuple[Given, ...] = ()
    title: str = ""
    listed: tuple[Listed, ...] = ()
    """The games of a collection, of which each is asked for by itself."""
    review: TheirReview | None = None


Pages = tuple[bytes | None, ...]
"""What came for a link so far; None for a page that could not be had, and need not be."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site whose links are opened."""

    name: str
    host: str
    """The host that is asked, and that links lead to."""
    listed: re.Pattern[str] | None
    """All paths that may be asked for; None where nothing is."""
    find: Callable[[str, dict[str, str], str], Address | None]
    """Returns what a link names by its path, parameters and fragment; None where it is nothing that is opened."""
    path_of: Callable[[Address], str]
    """Returns the path under which people find something on the site."""
    next_request: Callable[[Address, Pages], Request | None]
    """Returns what is to be asked next; None when that is all."""
    read: Callable[[Address, Pages], Contents]
    """Returns what a link leads to; raises :exc:`LinkError` for a page that is not what it should be."""
    refusal: Callable[[bytes], LinkError | None] = lambda _: None
    """Returns the problem that an error of the site tells, where it is one that people should know."""
