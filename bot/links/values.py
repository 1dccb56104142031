"""Types for links, requests and sites, and strict readers for JSON and GCG pages.

The readers raise :exc:`LinkError`. Targets, pages and contents are sent between processes.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from bot.domain.reading.problems import DomainError


class TargetKind(Enum):
    """The kind of a link's target."""

    GAME = "game"
    COLLECTION = "collection"
    STUDY = "study"
    BROADCAST = "broadcast"
    PUZZLE = "puzzle"


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link. It contains no text from the message except ids."""

    site: str
    """The site's host without ``www``."""
    kind: TargetKind
    id: str
    part: str = ""
    """The chapter of a study, or the game of a broadcast or collection, if the link names one."""
    turn: int | None = None
    """The number of turns before the linked position. In crossword games, a turn is an event; in chess, a half-move."""
    is_black_at_bottom: bool = False
    """Whether the link shows a chess game from Black's side."""
    spoiler: bool = False
    """Whether replies mark the contents as a spoiler."""


class LinkError(DomainError):
    """A link cannot be opened. The message gives the reason, and is shown after "Kibitz can't open …:"."""


def unexpected_page_error(site: str) -> LinkError:
    return LinkError("link-odd", "{site} returned something other than a game", site=site)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a site."""

    site: str
    path: str
    """The path, including the leading slash and the query."""
    body: str = ""
    """The JSON body of a POST, or empty for a GET."""
    accepted_types: tuple[str, ...] = ("text/plain",)
    """The accepted content types."""
    truncate: bool = False
    """Whether to truncate a page that is too long instead of rejecting it."""
    optional: bool = False
    """Whether the link can be shown without this page."""


@dataclass(frozen=True, slots=True)
class SitePlayer:
    """A player's statistics in a site's own review."""

    name: str
    mistake_index: float
    """A lower index is better."""
    elo: int = 0
    """The estimated rating, or 0 if there is none."""


@dataclass(frozen=True, slots=True)
class SiteTurn:
    """The evaluation of a turn in a site's own review."""

    event_number: int
    """The number of the event, counted from 1."""
    mistake_size: str
    """``small``, ``medium``, ``large``, or ``best`` for no mistake."""
    win_chance_lost: float
    """The win chance lost, from 0 to 1. It is 0 if the site gives the loss in points."""
    points_lost: float
    best_play: str
    """The best play in the site's notation."""
    best_score: int


@dataclass(frozen=True, slots=True)
class SiteReview:
    """A site's own review of a game."""

    players: tuple[SitePlayer, ...]
    turns: tuple[SiteTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a link's target."""

    text: str = ""
    format: str = ""
    """The name of the notation, or empty for one or more chess games."""
    may_be_in_progress: bool = False
    title: str = ""
    games: tuple[tuple[LinkTarget, str], ...] = ()
    """The games in a collection, with their titles."""
    review: SiteReview | None = None


Pages = tuple[bytes | None, ...]
"""The pages fetched for a link so far. An optional page that could not be fetched is None."""


class Link(NamedTuple):
    """The parts of a link to a site."""

    path: str
    """The path without a trailing slash."""
    parameters: dict[str, str]
    fragment: str


class Site(ABC):
    """A site whose links Kibitz recognizes."""

    name: str
    host: str
    allowed_paths: re.Pattern[str] = re.compile("(?!)")
    """Matches the paths that may be requested, by default none."""

    @abstractmethod
    def target_of(self, link: Link) -> LinkTarget | None:
        """Return a link's target, or None if the link is not supported."""

    @abstractmethod
    def path_of(self, target: LinkTarget) -> str:
        """Return the path of a target's web page, for links shown to users."""

    @abstractmethod
    def read(self, target: LinkTarget, pages: Pages) -> Contents:
        """Return the contents of a link.

        Raises:
            LinkError: a page does not have the expected contents.

        """

    def next_request(self, _target: LinkTarget, _pages: Pages) -> Request | None:
        """Return the next request, given the pages so far, or None if the pages are complete."""
        return None

    def refusal_error(self, _body: bytes) -> LinkError | None:
        """Return a specific error for a site's error page, or None if the HTTP status is enough."""
        return None


_MISSING = object()


def parse(page: bytes) -> object:
    try:
        return json.loads(page)
    except (ValueError, RecursionError):
        raise _unexpected_json_error() from None


def member(value: object, name: str, default: object = _MISSING) -> object:
    """Return a member of an object, or ``default`` if it is missing or null. Sites omit zeros and empty values."""
    if not isinstance(value, dict):
        raise _unexpected_json_error()
    result = default if value.get(name) is None else value[name]
    if result is _MISSING:
        raise _unexpected_json_error()
    return result


def as_list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _unexpected_json_error()
    return value


def as_text(value: object) -> str:
    """Check that a value is a string, and return it with unpaired surrogates replaced."""
    if not isinstance(value, str):
        raise _unexpected_json_error()
    return value.encode("utf-8", "replace").decode()


def as_number(value: object) -> float:
    """Check that a value is a finite number, and return it. Woogles sends large numbers as strings."""
    try:
        parsed = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        parsed = math.nan
    if not math.isfinite(parsed):
        raise _unexpected_json_error()
    return parsed


def _unexpected_json_error() -> LinkError:
    return LinkError("link-odd", "the site returned something other than a game")


_ID: Final = re.compile(r"^#id(?![\w-])[^\r\n]*", re.MULTILINE | re.IGNORECASE)
_ENCODING: Final = re.compile(r"\A\ufeff?[ \t]{0,20}#character-encoding[^\r\n]*\r?\n?", re.IGNORECASE)
_GCG_START: Final = re.compile(r"\ufeff?\s{0,20}[#>]")


def is_gcg(text: str) -> bool:
    """Return whether a page begins like a GCG, with a pragma or a turn."""
    return _GCG_START.match(text) is not None


def with_id(text: str, authority: str, game_id: str) -> str:
    """Return a GCG with the given id, which replaces the first ``#id`` line if there is one."""
    line = f"#id {authority} {game_id}"
    new_text, count = _ID.subn(lambda _: line, text, count=1)
    return new_text if count else with_pragma(text, line)


def with_pragma(text: str, line: str) -> str:
    """Return a GCG with a pragma added at the beginning, or after the ``#character-encoding`` pragma."""
    encoding_line = _ENCODING.match(text)
    offset = encoding_line.end() if encoding_line is not None else 0
    return f"{text[:offset]}{line}\n{text[offset:]}"
