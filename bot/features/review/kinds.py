"""The interface of a kind of game that can be reviewed, and the values of lessons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import TypeAdapter

from bot.chat.card import Choice
from bot.features.review.cards import ReviewCards
from bot.features.review.controls import Learn
from bot.features.review.values import ReviewQuestion
from bot.features.showing.findings import Found
from bot.jobs.queue import Jobs

Request = TypeVar("Request")
Result = TypeVar("Result")

UNTRIED: Final = "0"
"""The mark of a turn before any hint; the digits after it count the hints given."""
ALONE: Final = "s"
HELPED: Final = "h"
SHOWN: Final = "x"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A place in a lesson."""

    question: ReviewQuestion
    """Names the review; the moment has the turn, 0 at the end, and the side of the player who learns."""
    turns: tuple[int, ...]
    """The turns of the lesson."""
    marks: str = ""
    """The state of each turn, one sign each; missing ones are untried."""
    lead: str = ""
    """The verdict on the last answer, shown first."""

    @property
    def place(self) -> int:
        """The index of the turn in the lesson."""
        return self.turns.index(self.question.moment.turn)

    @property
    def mark(self) -> str:
        """The state of the turn."""
        return self._mark_at(self.place)

    @property
    def is_open(self) -> bool:
        """Whether the best play is still hidden."""
        return self.mark.isdigit()

    @property
    def hints(self) -> int:
        """The number of hints given."""
        return int(self.mark) if self.is_open else 0

    def count(self, marks: str) -> int:
        """Return how many turns have one of these marks."""
        return sum(self._mark_at(place) in marks for place in range(len(self.turns)))

    def marked(self, mark: str) -> Lesson:
        """Return the lesson with another mark for this turn, unless the turn is solved already."""
        if not self.is_open:
            return self
        before = self.marks[: self.place].ljust(self.place, UNTRIED)
        return replace(self, marks=before + mark + self.marks[self.place + 1 :])

    def control(self, what: str, turn: int) -> Learn:
        """Return a control that leads to a turn; see :class:`Learn`."""
        moment = self.question.moment
        return Learn(
            replace(moment, turn=turn),
            self.question.depth,
            self.question.lexicon,
            what,
            self.marks,
            at=moment.turn,
        )

    def choose(self, player: Choice) -> Learn:
        """Return the control that begins a player's lesson; without a name it starts over."""
        moment = replace(self.question.moment, turn=0, side=int(player.value))
        return Learn(moment, self.question.depth, self.question.lexicon, "c", player=player.label)

    def _mark_at(self, place: int) -> str:
        return self.marks[place] if place < len(self.marks) else UNTRIED


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on an answer."""

    words: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that takes work to judge."""

    request: Any
    """The request for :attr:`Reviewing.attempts`."""
    judge: Callable[[Any], Judged]
    """Turns the result of the work into a verdict."""


class Reviewing(ABC, Generic[Request, Result]):
    """Reviews games of one kind. All methods run on threads."""

    name: ClassVar[str]
    """The name of the kind of game."""
    result: ClassVar[Any]
    """The type of the results."""

    def __init__(
        self, jobs: Jobs[Request, Result, Result], attempts: Jobs[Any, Any, Any] | None = None
    ) -> None:
        self.jobs = jobs
        """Review games."""
        self.attempts = attempts
        """Judge the answers of lessons; None where nothing can."""

    @abstractmethod
    def request(self, item: Found, question: ReviewQuestion) -> Request | None:
        """Return the work for a question; None when the document is no game, or its game may still be running.

        Raises:
            DomainError: the game cannot be reviewed.

        """

    def at_once(self, request: Request) -> Result | None:
        """Return the result if it takes no work."""
        del request
        return None

    def named(self, request: Request, result: Result) -> Request:
        """Return the request that the controls of a result's card stand for."""
        del result
        return request

    @abstractmethod
    def names(self, request: Request) -> tuple[tuple[str, ...], ...]:
        """Return the names of each player in the game's text; an empty text for a missing name."""

    @abstractmethod
    def label(self, request: Request) -> tuple[str, str]:
        """Return the lexicon's edition and the effort, which with the game identify a saved result.

        Raises:
            DomainError: the request cannot be answered.

        """

    @abstractmethod
    def seconds(self, request: Request) -> float:
        """Return roughly how many CPU seconds a request takes."""

    @abstractmethod
    def cards(self, request: Request, result: Result, question: ReviewQuestion) -> ReviewCards[Any]:
        """Return the cards of a result."""

    @abstractmethod
    def attempt(self, cards: ReviewCards[Any], lesson: Lesson, typed: str) -> Judged | Attempt:
        """Judge a typed answer, or return the work that judges it.

        Raises:
            DomainError: it is no legal play.

        """

    @cached_property
    def _json(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.result)

    def write(self, result: Any) -> str:  # noqa: ANN401 - a dataclass with players
        """Write a result as JSON, without the players' names."""
        players = tuple(replace(player, name="") for player in result.players)
        return self._json.dump_json(replace(result, players=players)).decode()

    def read(self, text: str, request: Request) -> Result:
        """Read a result, and add the players' names.

        Raises:
            ValueError: another version of Kibitz wrote it.

        """
        result = self._json.validate_json(text)
        names = (next(filter(None, names), "") for names in self.names(request))
        players = tuple(
            replace(player, name=name) for player, name in zip(result.players, names, strict=True)
        )
        return replace(result, players=players)  # type: ignore[no-any-return]
