"""What a kind of game brings along to be answered about; :mod:`bot.features.showing.kinds` has the table of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from bot.chat.card import Card, Drawing
from bot.chat.control import Control, Field
from bot.chat.moment import Moment
from bot.chat.style import Style
from bot.features.showing.findings import Found
from bot.features.showing.pace import Pace
from bot.text import Speaker

Document = TypeVar("Document")
Shown = TypeVar("Shown", contravariant=True)  # noqa: PLC0105 - the one name is clear


class Offers(Protocol):
    """Returns the controls that another feature puts under a document: under a moment of it, or under one of several."""

    def __call__(self, item: Found, moment: Moment, number: int | None = None) -> tuple[Control, ...]:
        """Offer something; ``number`` is that of a position among several, None where it stands alone."""


class Show(Protocol):
    """Shows a moment of a stored document, with its controls; None when it has no moments."""

    def __call__(
        self, item: Found, moment: Moment, style: Style, offers: Offers, *, around: int | None = None
    ) -> Card | None:
        """Answer; ``around`` is the turn or puzzle around which others are listed, the one shown when None."""


@dataclass(frozen=True, slots=True)
class KindAnswers(Generic[Document]):
    """The answers about the documents of one kind of game."""

    line: Callable[[Document, Speaker], str]
    """Says in one line what a document is."""
    drawing: Callable[[Found, Style], Drawing]
    """Returns the picture of a document: of a game its end."""
    to_copy: Callable[[Found], str | None]
    """Returns the canonical text, when it says something else than the text that was posted."""
    remarks: Callable[[Found, Speaker], tuple[str, ...]]
    """Says where reading stopped, what the reader forgave, and what else is to be known."""
    facts: Callable[[Found], dict[str, object]]
    """Returns what a document is as plain data, for ``inspect --json``."""
    turns: Callable[[Document], int]
    """Returns how many turns of a game there are to step through; 0 for what is no game."""
    brief: Callable[[Document, Speaker], str]
    """Says in few words what a document is, for a list; nothing where there is nothing to say."""
    copied: str
    """The notation that is copied most: that of the position itself."""
    posted: Callable[[tuple[Found, ...], int, Style, Offers], Card | None]
    """Answers a source with a viewer: what was found, and how much more there is; None where it takes several pictures."""
    show: Show
    chart: Callable[[Document, Moment, Style], Card | None]
    """Shows the scores over the turns; None where there are none."""
    replay: Callable[[Document, Moment, Pace, Style], Card | None]
    """Shows a game from the start to the end; None when it is none."""
    form: Callable[[Document, Speaker], tuple[Field, ...]]
    """Returns what can be corrected of a position that was read from a picture."""
    filled: Callable[[Mapping[str, str]], str]
    """Returns what a form says, by the names of its fields, in the notation that is copied most."""
    convert: Callable[[Document, Moment, str, Speaker], Card | None]
    """Gives a document up to a moment in another notation, by its name; None when it has no moments."""
