"""Refuses analyses and word lookups that would spoil a daily puzzle or an open poll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final, Protocol

from bot.chat.card import Moment, ReplyContext
from bot.domain.chess.documents import ChessGame
from bot.domain.chess.position import ChessPosition
from bot.domain.crossword.game import Game, skip_challenge_outcomes
from bot.domain.crossword.position import Position
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import FoundDocument
from bot.features.showing.subjects import position_at, position_to_analyze, words_on

MAX_CHECKED_POSITIONS: Final = 600


class WordQueryKind(StrEnum):
    """A kind of query about words."""

    CHECK = "check"
    HOOKS = "hooks"
    ANAGRAM = "anagram"


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A user's query about words."""

    kind: WordQueryKind
    words: tuple[str, ...]
    """The words to look up, or the letters to make anagrams from."""
    include_shorter: bool = False
    """Whether anagrams may leave out letters."""


class SpoilerGuard(Protocol):
    """Raises :exc:`RefusalError` if a reply would be a spoiler for the user."""

    async def check_positions(
        self, positions: Sequence[Position | ChessPosition], context: ReplyContext
    ) -> None: ...

    async def check_words(self, query: WordQuery, context: ReplyContext) -> None: ...


class Fairness:
    """Asks the guards of all features whether a reply may be shown. A reply that is the same for every user is not checked."""

    def __init__(self, documents: DocumentService) -> None:
        self._documents = documents
        self.guards: list[SpoilerGuard] = []

    async def check(self, found: FoundDocument, context: ReplyContext, moment: Moment | None = None) -> None:
        """Check whether an analysis of one position or, without a moment, of a whole game may be shown.

        Raises:
            RefusalError: the analysis would be a spoiler.

        """
        if context.user_id:
            positions, played_words = await self._documents.run(_analyzed_positions_and_words, found, moment)
            for guard in self.guards:
                await guard.check_positions(positions, context)
            if played_words:
                await self.check_words(WordQuery(WordQueryKind.CHECK, played_words), context)

    async def check_words(self, query: WordQuery, context: ReplyContext) -> None:
        """Raise :exc:`RefusalError` if the reply to a query would be a spoiler."""
        if context.user_id:
            for guard in self.guards:
                await guard.check_words(query, context)


def _analyzed_positions_and_words(
    found: FoundDocument, moment: Moment | None
) -> tuple[tuple[Position | ChessPosition, ...], tuple[str, ...]]:
    document = found.document
    if moment is None and isinstance(document, (Game, ChessGame)):
        return tuple(islice(document.positions(), MAX_CHECKED_POSITIONS)), ()
    position = position_to_analyze(found, moment or Moment(found.digest, 0))
    if moment is None or not isinstance(document, Game) or isinstance(position, ChessPosition):
        return (position,), ()
    position_after_play = position_at(found, skip_challenge_outcomes(document, moment.turn)[0] + 1)
    return (position,), tuple(words_on(position_after_play) - words_on(position))
