"""The documents, unreadable parts and links in a source."""

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
from bot.domain.crossword.notations.turn_url.live import Contradiction, RefusedTurn
from bot.domain.crossword.notations.turn_url.url import TurnUrl
from bot.domain.crossword.position import Position
from bot.domain.notations import ChessDocument, Document, is_chess
from bot.domain.reading.problems import DomainError, ReadWarning
from bot.links.values import LinkError, LinkTarget, SiteReview

UNREADABLE_PICTURE = "picture"
"""The :attr:`UnreadableText.format` of a picture."""
RACKS_SUFFIX = "+racks"
"""Added to the stored format of a game whose racks are computed from its seed."""
PICTURE_SUFFIX = "+seen"
"""Added to the stored format of a position read from a picture. The stored text starts with
:meth:`PictureConfidence.to_line`."""
IN_PROGRESS_SUFFIX = "+going-on"
"""Added to the stored format of a game in progress on its site. Kibitz does not analyze it."""


@dataclass(frozen=True, slots=True)
class LiveGameUpdate:
    """The changes that the Turn URLs in a source made to a live game, and other facts about the game."""

    game_id: str
    is_new: bool = False
    """Whether Kibitz started following the game because of this source."""
    last_turn: int = 0
    """The last turn in the Turn URLs, or 0 if they contain no turns."""
    contiguous_turn_count: int = 0
    """The number of turns before the first missing turn."""
    waiting_turns: tuple[int, ...] = ()
    """Known turns that cannot be shown yet, because an earlier turn is missing."""
    missing_turns: tuple[int, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    refused_turns: tuple[RefusedTurn, ...] = ()
    is_stored: bool = True
    """If False, the game became too long, and the store still has its earlier version."""
    new_seats: tuple[tuple[int, int], ...] = ()
    """(seat, user id) pairs of all known players if the source changed the seats, otherwise empty."""
    names: tuple[str, ...] = ()
    """The players' names by seat."""
    unconfirmed_turn: int = 0
    """The last turn, if the source's author was the first to post it but the turn belongs to another user's seat; otherwise 0."""
    players: tuple[tuple[int, int, str], ...] = ()
    """The seat, user id and server display name of each known player."""
    user_to_move: int | None = None
    """The id of the user to move, if known. Set only if the source added turns."""
    deleted_game_ids: tuple[str, ...] = ()
    """Games deleted to make room."""
    max_games: int = 0
    """Maximum number of live games per user. Set only if games were deleted."""


@dataclass(frozen=True, slots=True)
class TurnLink:
    """A Turn URL, which may contain too few turns to show a board."""

    url: TurnUrl
    text: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class PictureConfidence:
    """The certainty with which a position was read from a picture."""

    is_confident: bool
    """Whether everything except the side to move was read with certainty."""
    doubtful_squares: tuple[str, ...] = ()
    is_orientation_certain: bool = True
    is_turn_certain: bool = True
    is_board_alone: bool = False
    """Whether a crossword board was read without a rack and without scores. False for chessboards."""
    has_rack: bool = False
    is_rack_doubtful: bool = False
    has_scores: bool = False
    are_scores_doubtful: bool = False
    is_mover_highlighted: bool = False
    """Whether the player to move was recognized from a highlight."""
    has_odd_squares: bool = False
    """Whether the bonus squares match no known layout."""
    has_odd_tiles: bool = False
    """Whether a letter occurs more often than the usual tiles allow. Kibitz then assumes another language's tiles."""

    @property
    def parts_to_check(self) -> tuple[str, ...]:
        """The squares to check, then ``rack``, ``scores`` and ``tiles`` if they need checking."""
        must_check_scores = self.are_scores_doubtful or (self.has_scores and not self.is_turn_certain)
        return (
            *self.doubtful_squares,
            *["rack"] * self.is_rack_doubtful,
            *["scores"] * must_check_scores,
            *["tiles"] * self.has_odd_tiles,
        )

    def to_line(self) -> str:
        flags = (stored for name, stored in _FLAGS.items() if getattr(self, name))
        return " ".join([*flags, *self.doubtful_squares])

    @classmethod
    def from_line(cls, line: str) -> PictureConfidence:
        words = line.split()
        return cls(
            doubtful_squares=tuple(word for word in words if word not in _FLAGS.values()),
            **{name: stored in words for name, stored in _FLAGS.items()},
        )


_FLAGS: Final = {
    "is_confident": "confident",
    "is_orientation_certain": "sides",
    "is_turn_certain": "turn",
    "is_board_alone": "board_alone",
    "has_rack": "rack",
    "is_rack_doubtful": "rack_doubtful",
    "has_scores": "scores",
    "are_scores_doubtful": "scores_doubtful",
    "is_mover_highlighted": "highlighted",
    "has_odd_squares": "odd_squares",
    "has_odd_tiles": "odd_tiles",
}
"""The word stored for each flag. The words must not change, because stored documents contain them."""


WHITE, BLACK = 0, 1
"""Values of ``Moment.seat`` in chess, where the seat is the side at the bottom of the board."""


@dataclass(frozen=True)
class FoundDocument:
    """A parsed document. Line and column numbers in warnings refer to the whole source, not to ``text``."""

    format: str
    text: str
    """The document as written in the source."""
    document: Document
    warnings: tuple[ReadWarning, ...] = ()
    spoiler: bool = False
    error: DomainError | None = None
    """The error at which reading stopped. The document contains everything before the error."""
    update: LiveGameUpdate | None = None
    """Set only for a live game."""
    has_seed_racks: bool = False
    """Whether the document includes racks computed from the seed of a Turn URL."""
    is_in_progress: bool = False
    """Whether the game is in progress on the site that its link leads to."""
    linked_turn: int | None = None
    is_black_at_bottom: bool = False
    is_link_target: bool = False
    """Whether the link to a study or a broadcast selects this game."""
    picture_confidence: PictureConfidence | None = None
    """If set, the document is a position read from a picture, and ``text`` is its CGP or FEN."""

    def with_names(self, names: Sequence[str]) -> FoundDocument:
        """Rename the players of a crossword position, and write it as JSON.

        If all names are empty, or if they do not fit the document, return it unchanged.
        """
        position = self.document
        if not any(names) or not isinstance(position, Position) or len(names) != len(position.players):
            return self
        players = (replace(player, name=name) for player, name in zip(position.players, names, strict=True))
        position = replace(position, players=tuple(players))
        return replace(self, format="json", text=json_document.write(position), document=position)

    @property
    def stored_form(self) -> tuple[str, str]:
        """The format and the text to store."""
        flags = (RACKS_SUFFIX if self.has_seed_racks else "") + (
            IN_PROGRESS_SUFFIX if self.is_in_progress else ""
        )
        if self.picture_confidence is None:
            return self.format + flags, self.text
        return self.format + PICTURE_SUFFIX + flags, f"{self.picture_confidence.to_line()}\n{self.text}"

    @cached_property
    def digest(self) -> str:
        """Identifies the document in 22 characters, which fit in a control's id."""
        return short_digest("\0".join(self.stored_form))

    def with_racks(self) -> FoundDocument:
        """Add all racks to a finished game from a Turn URL. Return any other document unchanged.

        Callers must make sure that the game is really over. Otherwise, a user could make up the remaining turns to see the racks. See
        :func:`turn_url.replay_finished`.
        """
        if self.format != "turn-url":
            return self
        try:
            replayed = turn_url.replay_finished(turn_url.read(self.text).value)
        except DomainError:  # Kibitz reports this error when it reads the link
            return self
        return (
            self
            if replayed is None
            else replace(self, document=replayed.game, error=None, has_seed_racks=True)
        )

    @property
    def position(self) -> Position:
        """The crossword position to show. For a game, this is the last position."""
        assert isinstance(self.document, Position | Game), "this is a chess document"
        if isinstance(self.document, Position):
            return self.document
        return self.document.position_at(len(self.document.turns))

    @property
    def chess_document(self) -> ChessDocument:
        assert is_chess(self.document), "this is not a chess document"
        return self.document


@dataclass(frozen=True, slots=True)
class UnreadableText:
    """Text in a known notation that cannot be read completely, or an unreadable file or picture.

    The error's line and column refer to ``source_text``, not to ``text``. Both texts are empty if a whole file or picture is unreadable.
    """

    format: str
    text: str
    error: DomainError
    source_text: str
    spoiler: bool = False
    is_explicit: bool = False
    """Whether the text is clearly meant to be in that notation."""


@dataclass(frozen=True, slots=True)
class LinkResult:
    """The result of opening a link. Its documents are in :attr:`Findings.documents`."""

    target: LinkTarget
    error: LinkError | None = None
    title: str = ""
    games: tuple[tuple[LinkTarget, str], ...] = ()
    """The games in a collection, with their titles."""
    review: SiteReview | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """The contents of one source, in order of appearance."""

    documents: tuple[FoundDocument, ...] = ()
    unreadable_texts: tuple[UnreadableText, ...] = ()
    turn_links: tuple[TurnLink, ...] = ()
    waiting_games: tuple[LiveGameUpdate, ...] = ()
    """Live games that cannot be shown yet, because their first turns are unknown."""
    left_out_count: int = 0
    """The number of documents left out because there were too many. Identical documents count once."""
    left_out_count_with_repeats: int = 0
    unfinished_files: tuple[str, ...] = ()
    """Files that took too much time or memory to read. An empty name means the text of the source itself."""
    link_targets: tuple[LinkTarget, ...] = ()
    """Links that have not been opened."""
    link_results: tuple[LinkResult, ...] = ()
    sheets: tuple[Any, ...] = ()
    """Sheets of puzzles, read by another feature. Their positions are also in :attr:`documents`."""

    @property
    def broken_texts(self) -> tuple[UnreadableText, ...]:
        """Unreadable parts that are clearly meant to be positions or games.

        Empty if the findings contain a document, a waiting game, an unfinished file or a sheet.
        """
        if self.documents or self.waiting_games or self.unfinished_files or self.sheets:
            return ()
        return tuple(unreadable for unreadable in self.unreadable_texts if unreadable.is_explicit)

    @property
    def update(self) -> LiveGameUpdate | None:
        """The live game's update if the game is the only document, otherwise None."""
        return self.documents[0].update if len(self.documents) == 1 else None

    def with_only_broken_texts(self) -> Findings:
        """Keep only the unreadable parts that a reply should explain."""
        return replace(self, unreadable_texts=self.broken_texts)

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            **{field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        )


def without_repeats(documents: tuple[FoundDocument, ...]) -> tuple[FoundDocument, ...]:
    """Remove repeats, because two controls must not have the same id.

    If any copy is a spoiler, the document becomes a spoiler.
    """
    by_digest: dict[str, FoundDocument] = {}
    for found in documents:
        first = by_digest.setdefault(found.digest, found)
        if found.spoiler and not first.spoiler:
            by_digest[found.digest] = replace(first, spoiler=True)
    return tuple(by_digest.values())


def are_several_chess_games(documents: tuple[FoundDocument, ...]) -> bool:
    """Return whether the documents are two or more chess games and nothing else."""
    return len(documents) > 1 and all(isinstance(found.document, ChessGame) for found in documents)


def short_digest(text: str) -> str:
    """Return 128 bits of the text's SHA-256 in URL-safe base64, as 22 characters. The text may contain lone surrogates."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return urlsafe_b64encode(digest[:16]).decode().rstrip("=")
