"""What was found in a source: documents that could be read, and texts that could not."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import json_document, turn_url
from bot.domain.crossword.notations.turn_url.live import Contradiction, Refusal
from bot.domain.crossword.notations.turn_url.url import TurnUrl
from bot.domain.crossword.position import Position
from bot.domain.notations import ChessDocument, Document, final_position, is_chess
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.links.values import Address, LinkError, TheirReview

PICTURE = "picture"
"""Stands for the format of a picture that could not be read."""
OPENED = "+racks"
"""Behind a format: a document of it with racks that its text does not show to everybody."""
SEEN = "+seen"
"""Behind a format: a position read from the pixels of a picture. The first line of its text is :meth:`Sight.write`'s."""
GOING_ON = "+going-on"
"""Behind a format: a game of it that goes on elsewhere. It is shown, and analyzed for nobody."""


@dataclass(frozen=True, slots=True)
class LiveNews:
    """What a link told of a live game, beside the game itself."""

    game_id: str
    begun: bool = False
    """Whether nothing was known of the game before."""
    last: int = 0
    """The number of the last turn of the link."""
    known: int = 0
    """How many turns are known from the start."""
    waiting: tuple[int, ...] = ()
    """Turns that wait for one before them."""
    missing: tuple[int, ...] = ()
    """Turns that are waited for."""
    contradictions: tuple[Contradiction, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    kept: bool = True
    """Whether it is remembered."""
    seated: tuple[tuple[int, int], ...] = ()
    """Who is known since this link to play: seats with the ids of accounts."""
    names: tuple[str, ...] = ()
    """What the players are called, by seat."""
    strange: int = 0
    """The number of the last turn, if somebody else than its player told it; 0 otherwise."""
    players: tuple[tuple[int, int, str], ...] = ()
    """Who is known to play: seats with the ids of accounts and what these are called where the game is played."""
    turn_of: int | None = None
    """The account of who is to move now, if that is known and the game has just come to it."""
    let_go: tuple[str, ...] = ()
    """The ids of games that are forgotten in favour of this one."""
    limit: int = 0
    """How many games are kept for each who begins them."""


@dataclass(frozen=True, slots=True)
class Link:
    """A Turn URL in a source: the history of a game, or a part of it that tells no board by itself."""

    url: TurnUrl
    text: str
    """As it stood in the source."""
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """How sure a position is that was read from the pixels of a picture."""

    confident: bool
    """Whether it may be stated; whose turn it is apart."""
    doubtful: tuple[str, ...] = ()
    """The squares to check, by their names; none where it may be stated."""
    sides: bool = True
    """Whether it is clear from which side the board is seen."""
    turn: bool = True
    """Whether it is clear whose turn it is."""
    board_alone: bool = False
    """Whether neither a rack nor scores were found."""
    rack: bool = False
    """Whether a rack was read."""
    rack_doubtful: bool = False
    """Whether that rack is to be checked."""
    scores: bool = False
    """Whether scores were read."""
    scores_doubtful: bool = False
    """Whether those scores are to be checked."""
    highlighted: bool = False
    """Whether who is to move is taken from a highlight beside the board."""
    odd_squares: bool = False
    """Whether the bonus squares are those of no board that is known."""
    odd_tiles: bool = False
    """Whether there is more of a letter than the usual tiles have, so that another language's are taken."""

    @property
    def to_check(self) -> tuple[str, ...]:
        """What to check, for programs: squares, ``rack``, ``scores`` also where it is not clear which is whose, ``tiles``."""
        scores = self.scores_doubtful or (self.scores and not self.turn)
        return (
            *self.doubtful,
            *["rack"] * self.rack_doubtful,
            *["scores"] * scores,
            *["tiles"] * self.odd_tiles,
        )

    def write(self) -> str:
        """Write it in one line, as it is kept beside its position until somebody has looked at that."""
        return " ".join([*(name for name in _TOLD if getattr(self, name)), *self.doubtful])

    @classmethod
    def read(cls, line: str) -> Sight:
        """Read what :meth:`write` wrote."""
        words = line.split()
        told = {name: name in words for name in _TOLD}
        return cls(doubtful=tuple(word for word in words if word not in told), **told)


_TOLD = (
    "confident",
    "sides",
    "turn",
    "board_alone",
    "rack",
    "rack_doubtful",
    "scores",
    "scores_doubtful",
    "highlighted",
    "odd_squares",
    "odd_tiles",
)
"""What is kept of a sight by its name, where it is so."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document that was read. Warnings are placed in the whole source."""

    format: str
    text: str
    """The document's text, as it stood in the source."""
    document: Document
    warnings: tuple[ReadWarning, ...] = ()
    spoiler: bool = False
    error: DomainError | None = None
    """Where reading had to stop; the document holds everything before."""
    news: LiveNews | None = None
    """Set when the document is a live game that a link has told something of."""
    opened: bool = False
    """Whether it is the game of a link with the racks that its seed tells."""
    going_on: bool = False
    """Whether it is a game that goes on at the site that gave it."""
    at: int | None = None
    """The turn at which it is opened at first, where a link names one."""
    black: bool = False
    """Whether a link shows it from Black's side."""
    named: bool = False
    """Whether a link names this one of several."""
    sight: Sight | None = None
    """Set when it was read from the pixels of a picture; ``text`` is what was read."""

    def naming(self, names: Sequence[str]) -> Found:
        """Return a crossword position with its players' names, in the notation that holds names; any other document as it is."""
        position = self.document
        if not any(names) or not isinstance(position, Position) or len(names) != len(position.players):
            return self
        players = (replace(player, name=name) for player, name in zip(position.players, names, strict=True))
        position = replace(position, players=tuple(players))
        return replace(self, format="json", text=json_document.write(position), document=position)

    @property
    def kept_as(self) -> str:
        """The format under which the document is kept: one with racks is another than one without."""
        seen = "" if self.sight is None else SEEN
        return self.format + seen + (OPENED if self.opened else "") + (GOING_ON if self.going_on else "")

    @property
    def kept_text(self) -> str:
        """The text under which the document is kept: with what is doubtful in it, if it was read from a picture."""
        return self.text if self.sight is None else f"{self.sight.write()}\n{self.text}"

    @property
    def digest(self) -> str:
        """Name the document: 22 characters that are safe in a button's id."""
        return document_digest(self.kept_as, self.kept_text)

    def with_racks(self) -> Found:
        """Return a finished game of a link with all racks; any other document as it is.

        Whoever asks must not be one who tries out how a game might end, see :func:`turn_url.finished`.
        """
        if self.format != "turn-url":
            return self
        try:
            whole = turn_url.finished(turn_url.read(self.text).value)
        except DomainError:  # told where it was read
            return self
        return self if whole is None else replace(self, document=whole.game, error=None, opened=True)

    @property
    def position(self) -> Position:
        """The position of a crossword game to show: of a whole game, the last."""
        assert isinstance(self.document, Position | Game), "chess has positions of its own"
        return final_position(self.document)

    @property
    def chess(self) -> ChessDocument:
        """The document of chess."""
        assert is_chess(self.document), "a crossword game has positions"
        return self.document


@dataclass(frozen=True, slots=True)
class Refused:
    """A text that looks like a notation and could not be read. The error is placed in the whole source."""

    format: str
    text: str
    error: DomainError
    whole: str
    """The whole text in which the error is placed."""
    spoiler: bool = False
    meant: bool = False
    """Whether it is clearly meant as a notation, whoever looks at it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of a link, beside the documents that were found there."""

    address: Address
    error: LinkError | None = None
    """Why it cannot be opened."""
    title: str = ""
    listed: tuple[tuple[Address, str], ...] = ()
    """The games of a collection with their titles."""
    review: TheirReview | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything found in one source, in its order."""

    found: tuple[Found, ...] = ()
    refused: tuple[Refused, ...] = ()
    links: tuple[Link, ...] = ()
    """Every Turn URL, from which live games go on."""
    waiting: tuple[LiveNews, ...] = ()
    """Live games that cannot be shown yet: their start is not known."""
    unread: int = 0
    """Further documents that were only counted, equal ones once."""
    beyond: int = 0
    """The same, counted as often as they stand there."""
    stopped: tuple[str, ...] = ()
    """Names of files whose reading was ended, for it took too much; "" is the text itself."""
    addresses: tuple[Address, ...] = ()
    """What links name that were not opened yet."""
    opened: tuple[Opened, ...] = ()
    """What came of those that were."""
    sheets: tuple[Any, ...] = ()
    """What another feature's reader made of whole files (puzzles); the positions in them are also :attr:`found`."""

    @property
    def broken(self) -> tuple[Refused, ...]:
        """What is clearly meant as a position or game and cannot be read, where there is nothing else to show."""
        if self.found or self.waiting or self.stopped or self.sheets:
            return ()
        return tuple(one for one in self.refused if one.meant)

    def explained(self) -> Findings:
        """Return the findings of a source whose answer says what is wrong with what is :attr:`broken`."""
        return replace(self, refused=self.broken)

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.found + other.found,
            self.refused + other.refused,
            self.links + other.links,
            self.waiting + other.waiting,
            self.unread + other.unread,
            self.beyond + other.beyond,
            self.stopped + other.stopped,
            self.addresses + other.addresses,
            self.opened + other.opened,
            self.sheets + other.sheets,
        )


def distinct(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Return each document once, hidden if it is hidden anywhere: two controls cannot bear one name."""
    known: dict[str, Found] = {}
    for item in found:
        first = known.setdefault(item.digest, item)
        if item.spoiler and not first.spoiler:
            known[item.digest] = replace(first, spoiler=True)
    return tuple(known.values())


def document_digest(format_name: str, text: str) -> str:
    """Return the name of a document: 128 bits of its SHA-256, in URL-safe base 64; of any text, half a character too."""
    whole = hashlib.sha256(f"{format_name}\0{text}".encode("utf-8", "surrogatepass")).digest()
    return urlsafe_b64encode(whole[:16]).decode().rstrip("=")
