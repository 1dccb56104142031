"""The findings in a source: readable documents, and texts that cannot be read."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final

from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import json_document, turn_url
from bot.domain.crossword.notations.turn_url.live import Contradiction, Refusal
from bot.domain.crossword.notations.turn_url.url import TurnUrl
from bot.domain.crossword.position import Position
from bot.domain.notations import ChessDocument, Document, is_chess
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.links.values import Address, LinkError, SiteReview

PICTURE = "picture"
"""The format of a picture that could not be read."""
OPENED_SUFFIX = "+racks"
"""Suffix of the format of a document with racks that its text does not show to everybody."""
SEEN_SUFFIX = "+seen"
"""Suffix of the format of a position read from a picture. The first line of its text is :meth:`Sight.write`'s."""
GOING_ON = "+going-on"
"""Suffix of the format of a game that is still being played elsewhere. It is shown but not analyzed."""


@dataclass(frozen=True, slots=True)
class LiveNews:
    """The news of a live game that a link brought, apart from the game itself."""

    game_id: str
    begun: bool = False
    """Whether the game is new here."""
    last: int = 0
    """The number of the last turn of the link."""
    known: int = 0
    """The number of turns known from the start."""
    waiting: tuple[int, ...] = ()
    """Turns that follow a missing one."""
    missing: tuple[int, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    stored: bool = True
    """Whether the game is stored."""
    seated: tuple[tuple[int, int], ...] = ()
    """Seats with the accounts that this link has shown to hold them."""
    names: tuple[str, ...] = ()
    """The names of the players, by seat."""
    strange: int = 0
    """The number of the last turn if an account other than its player's posted it; else 0."""
    players: tuple[tuple[int, int, str], ...] = ()
    """Known players: seats, accounts, and their names where the game is played."""
    turn_of: int | None = None
    """The account to move, if it is known and the game has just reached it."""
    let_go: tuple[str, ...] = ()
    """The ids of games that were forgotten to make room."""
    limit: int = 0
    """Maximum number of games stored for each account that begins them."""


@dataclass(frozen=True, slots=True)
class Link:
    """A Turn URL in a source: a whole game, or only some turns, from which no board can be built."""

    url: TurnUrl
    text: str
    """The link as written in the source."""
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class PictureConfidence:
    """The certainty of a position that was read from a picture."""

    confident: bool
    """Whether the position is certain, apart from the side to move."""
    doubtful: tuple[str, ...] = ()
    """The names of the squares to check."""
    side_certain: bool = True
    """Whether the side from which the board is seen is certain."""
    turn_certain: bool = True
    """Whether the player to move is certain."""
    board_alone: bool = False
    """Whether neither a rack nor scores were found."""
    has_rack: bool = False
    """Whether a rack was read."""
    rack_doubtful: bool = False
    """Whether that rack needs a check."""
    has_scores: bool = False
    """Whether scores were read."""
    scores_doubtful: bool = False
    """Whether those scores need a check."""
    highlighted: bool = False
    """Whether a highlight beside the board determined the player to move."""
    odd_squares: bool = False
    """Whether the bonus squares match no known board layout."""
    odd_tiles: bool = False
    """Whether the board has more tiles of a letter than its letter distribution, so that a different distribution was
    chosen."""

    @property
    def to_check(self) -> tuple[str, ...]:
        """The squares to check, then ``rack``, ``scores`` (even if only their order is uncertain) and ``tiles``."""
        scores = self.scores_doubtful or (self.has_scores and not self.turn_certain)
        return (
            *self.doubtful,
            *["rack"] * self.rack_doubtful,
            *["scores"] * scores,
            *["tiles"] * self.odd_tiles,
        )

    def write(self) -> str:
        """Write the confidence on one line: the stored names of its true fields, then the doubtful squares."""
        return " ".join(
            [*(stored for name, stored in _flags().items() if getattr(self, name)), *self.doubtful]
        )

    @classmethod
    def read(cls, line: str) -> PictureConfidence:
        """Read a line of :meth:`write`."""
        words, flags = line.split(), _flags()
        doubtful = tuple(word for word in words if word not in flags.values())
        return cls(doubtful=doubtful, **{name: stored in words for name, stored in flags.items()})


# Released versions wrote these names.
_STORED_NAMES: Final = {
    "side_certain": "sides",
    "turn_certain": "turn",
    "has_rack": "rack",
    "has_scores": "scores",
}


def _flags() -> dict[str, str]:
    """Return the stored name of each field that is a flag."""
    names = (field.name for field in fields(PictureConfidence) if field.name != "doubtful")
    return {name: _STORED_NAMES.get(name, name) for name in names}


WHITE, BLACK = 0, 1
"""The sides of a moment of chess: who sits below."""


@dataclass(frozen=True)
class Found:
    """A document that was read. The places of warnings are those in the whole source."""

    format: str
    text: str
    """The text of the document as it is in the source."""
    document: Document
    warnings: tuple[ReadWarning, ...] = ()
    spoiler: bool = False
    error: DomainError | None = None
    """The error at which reading stopped; the document holds everything before it."""
    news: LiveNews | None = None
    """Set for a live game that a link has continued."""
    opened: bool = False
    """Whether it is the game of a link, with the racks that follow from its seed."""
    going_on: bool = False
    """Whether the game is still being played at the site of its link."""
    at: int | None = None
    """The turn that a link names."""
    black: bool = False
    """Whether a link shows the board from Black's side."""
    named: bool = False
    """Whether a link names this document of several."""
    sight: PictureConfidence | None = None
    """Set for a position read from a picture; ``text`` is what was read."""

    def naming(self, names: Sequence[str]) -> Found:
        """Return a crossword position with the names of its players, as JSON; any other document unchanged."""
        position = self.document
        if not any(names) or not isinstance(position, Position) or len(names) != len(position.players):
            return self
        players = (replace(player, name=name) for player, name in zip(position.players, names, strict=True))
        position = replace(position, players=tuple(players))
        return replace(self, format="json", text=json_document.write(position), document=position)

    @property
    def stored(self) -> tuple[str, str]:
        """The format and the text under which the document is stored."""
        flags = (OPENED_SUFFIX if self.opened else "") + (GOING_ON if self.going_on else "")
        if self.sight is None:
            return self.format + flags, self.text
        return self.format + SEEN_SUFFIX + flags, f"{self.sight.write()}\n{self.text}"

    @cached_property
    def digest(self) -> str:
        """The name of the document: 22 characters that a control's id can hold."""
        return short_digest("\0".join(self.stored))

    def with_racks(self) -> Found:
        """Return a finished game of a link with all racks; any other document unchanged.

        Callers make sure that the reader is not trying out possible ends of the game; see :func:`turn_url.finished`.
        """
        if self.format != "turn-url":
            return self
        try:
            whole = turn_url.replay_finished(turn_url.read(self.text).value)
        except DomainError:  # reported where the link was read
            return self
        return self if whole is None else replace(self, document=whole.game, error=None, opened=True)

    @property
    def position(self) -> Position:
        """The crossword position to show: of a game, the last."""
        assert isinstance(self.document, Position | Game), "chess has positions of its own"
        if isinstance(self.document, Position):
            return self.document
        return self.document.position_at(len(self.document.turns))

    @property
    def chess(self) -> ChessDocument:
        """The chess document."""
        assert is_chess(self.document), "a crossword game has positions"
        return self.document


@dataclass(frozen=True, slots=True)
class Refused:
    """A text that resembles a notation and cannot be read. The place of the error is that in the whole source."""

    format: str
    text: str
    error: DomainError
    whole: str
    """The whole source."""
    spoiler: bool = False
    is_explicit: bool = False
    """Whether the text is clearly meant as that notation."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The result of opening a link, apart from its documents."""

    address: Address
    error: LinkError | None = None
    """The reason why it cannot be opened."""
    title: str = ""
    listed: tuple[tuple[Address, str], ...] = ()
    """The games of a collection with their titles."""
    review: SiteReview | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything found in one source, in its order."""

    found: tuple[Found, ...] = ()
    refused: tuple[Refused, ...] = ()
    links: tuple[Link, ...] = ()
    """All Turn URLs, which continue live games."""
    waiting: tuple[LiveNews, ...] = ()
    """Live games that cannot be shown yet because their start is unknown."""
    unread: int = 0
    """The number of further documents; equal ones count once."""
    beyond: int = 0
    """The number of further documents, with repetitions."""
    stopped: tuple[str, ...] = ()
    """The names of files whose reading exceeded a limit; ``""`` is the text itself."""
    addresses: tuple[Address, ...] = ()
    """The addresses of links that have not been opened."""
    opened: tuple[Opened, ...] = ()
    """The results of links that have been opened."""
    sheets: tuple[Any, ...] = ()
    """Whole files as another feature's reader read them (puzzles); the positions in them are also in :attr:`found`."""

    @property
    def broken(self) -> tuple[Refused, ...]:
        """The texts that are clearly meant as positions or games, if there is nothing to show."""
        if self.found or self.waiting or self.stopped or self.sheets:
            return ()
        return tuple(refused for refused in self.refused if refused.is_explicit)

    @property
    def news(self) -> LiveNews | None:
        """The news of a live game that was found alone."""
        return self.found[0].news if len(self.found) == 1 else None

    def with_explained_refusals(self) -> Findings:
        """Return the findings with only those refused texts that an answer explains."""
        return replace(self, refused=self.broken)

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            **{field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        )


def distinct(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return each document once, as a spoiler if it is one anywhere: two controls cannot have one id."""
    known: dict[str, Found] = {}
    for item in found:
        first = known.setdefault(item.digest, item)
        if item.spoiler and not first.spoiler:
            known[item.digest] = replace(first, spoiler=True)
    return tuple(known.values())


def is_collection(found: tuple[Found, ...]) -> bool:
    """Return whether several games of chess were found and nothing else."""
    return len(found) > 1 and all(isinstance(item.document, ChessGame) for item in found)


def short_digest(text: str) -> str:
    """Return 128 bits of the SHA-256 of a text in URL-safe base 64: 22 characters. Lone surrogates are allowed."""
    whole = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return urlsafe_b64encode(whole[:16]).decode().rstrip("=")
