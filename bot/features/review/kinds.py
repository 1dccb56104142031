"""What a kind of game brings along to be reviewed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from bot.chat.card import Card
from bot.chat.control import Control
from bot.domain.reading.problems import DomainError
from bot.features.review.question import ReviewQuestion
from bot.features.review.values import PlayerGame
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.jobs.queue import Jobs
from bot.links.values import TheirTurn
from bot.storage.reviews import ReviewKey
from bot.text import Speaker

Request = TypeVar("Request")
Result = TypeVar("Result")


class Reviewing(ABC, Generic[Request, Result]):
    """How games of one kind are reviewed. All but the jobs is called on threads."""

    def __init__(self, jobs: Jobs[Request, Result, Result]) -> None:
        self.jobs = jobs

    @abstractmethod
    def request(self, item: Found, question: ReviewQuestion) -> Request | None:
        """Return the work to be done, a name of its result, too; None for what is no game, or may be going on.

        Raises:
            DomainError: it is a game that cannot be reviewed.

        """

    def at_once(self, request: Request) -> Result | None:
        """Return the result where everything is known already."""
        del request
        return None

    @abstractmethod
    def share(self, progress: Result, request: Request) -> float:
        """Return how much is done, from 0 to 1."""

    @abstractmethod
    def progress(self, progress: Result, say: Speaker) -> str:
        """Say in a line how far it is."""

    @abstractmethod
    def answer(
        self, result: Result, request: Request, question: ReviewQuestion, around: int | None = None
    ) -> Card:
        """Tell a result; ``around`` is the turn around which turns are listed."""

    @abstractmethod
    def controls(
        self, result: Result, request: Request, question: ReviewQuestion, around: int | None = None
    ) -> tuple[Control, ...]:
        """Return the controls of a card, or of the turn that is asked for."""

    @abstractmethod
    def verdict(self, result: Result, request: Request, question: ReviewQuestion) -> str:
        """Say what a review found about a turn."""

    @abstractmethod
    def squares(self, result: Result, request: Request, question: ReviewQuestion) -> Card:
        """Show a square for each turn."""

    def beside(
        self, result: Result, request: Request, theirs: Mapping[int, TheirTurn], question: ReviewQuestion
    ) -> list[str]:
        """Return lines that set what a site says of each turn, from 1, beside a result."""
        del result, request, theirs, question
        return []

    def their_verdict(self, theirs: TheirTurn, question: ReviewQuestion) -> str:
        """Say what a site found about a turn, as the site's."""
        del theirs, question
        return ""

    @abstractmethod
    def names(self, request: Request) -> tuple[tuple[str, ...], ...]:
        """Return what each player is called in the game's text."""

    @abstractmethod
    def label(self, request: Request) -> tuple[str, str]:
        """Return by which words and how thoroughly a request is answered: with the game, what its result is kept by.

        Raises:
            DomainError: it cannot be answered.

        """

    @abstractmethod
    def write(self, result: Result) -> str:
        """Write a result, without the players' names, to be read again with its request."""

    @abstractmethod
    def read(self, text: str, request: Request) -> Result:
        """Read a result.

        Raises:
            ValueError: it is none of this version.

        """

    @abstractmethod
    def players(self, result: Result, request: Request) -> tuple[PlayerGame, ...]:
        """Return what a result says of each player."""

    @abstractmethod
    def seconds(self, request: Request) -> float:
        """Return how many seconds of a processor a request takes, about; 0 where everything is known already."""

    def words(self, result: Result) -> str:
        """Return the lexicon of a result; empty where there is none."""
        del result
        return ""

    def name(self, result: Result) -> Request | None:
        """Return what a control under a result asks for, which knows less than who asked first; None for the same."""
        del result
        return None


MAX_KEPT = 64
"""Results kept in memory."""


class Results:
    """Results of reviews, in memory and in the store."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._kept: LRUCache[object, Any] = LRUCache(MAX_KEPT)
        """By content, lexicon and depth: an edited game is another."""

    async def known(self, kind: Reviewing[Any, Any], request: object, digest: str) -> object | None:
        """Return a result that is kept, or that needs no work; None when there is none."""
        kept = self._kept.get(request)
        if kept is None:
            kept = await self._desk.run(kind.at_once, request)
        if kept is None and (key := await self._key(kind, request, digest)) is not None:
            text = await self._desk.documents.review(key)
            with suppress(ValueError):
                kept = None if text is None else await self._desk.run(kind.read, text, request)
        if kept is not None:
            self._kept[request] = kept
        return kept

    async def keep(self, kind: Reviewing[Any, Any], request: object, digest: str, result: object) -> None:
        """Keep a result for whoever asks next."""
        self._kept[request] = result
        if (key := await self._key(kind, request, digest)) is not None:
            await self._desk.documents.keep_review(key, await self._desk.run(kind.write, result))

    async def _key(self, kind: Reviewing[Any, Any], request: object, digest: str) -> ReviewKey | None:
        """Return what a result is kept by in the store; None when nothing can be answered."""
        try:
            return ReviewKey(digest, *await self._desk.run(kind.label, request))
        except DomainError:  # told where the game is reviewed
            return None
