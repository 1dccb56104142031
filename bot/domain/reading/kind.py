"""What a game brings along to be known everywhere: its documents, the notations they are found, read and written in, and losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from bot.domain.reading.detection import Finder, Meant
from bot.domain.reading.problems import Phrase, Reading


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the wanted notation cannot hold."""

    code: str
    """Names the kind of loss for programs; it does not change with the wording."""
    template: str
    """The sentence with its values left open, without a capital and a full stop."""
    values: tuple[tuple[str, object], ...] = ()

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template.format(**dict(self.values))


@dataclass(frozen=True, slots=True)
class Conversion:
    """A document in the wanted notation."""

    text: str
    losses: tuple[Loss, ...] = ()
    """What the text does not hold, each once."""


Document = TypeVar("Document")
Read = TypeVar("Read", covariant=True)  # noqa: PLC0105 - the one name is clear
Written = TypeVar("Written", contravariant=True)  # noqa: PLC0105


@dataclass(frozen=True, slots=True)
class Notation(Generic[Read]):
    """One notation."""

    name: str
    """The name in commands and in stored documents."""
    label: str
    """The name for people; one that is no :class:`Phrase` is the same in every language."""
    suffix: str
    """The ending of a file in this notation, without the dot."""
    read: Callable[[str], Reading[Read]]
    """Reads one text; raises ``DomainError``."""


class Convert(Protocol[Written]):
    """Writes a document in a notation; see :func:`bot.domain.notations.convert`."""

    def __call__(self, document: Written, to: str, *, turn: int | None = None) -> Conversion:
        """Write a document."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Document]):
    """A kind of game."""

    name: str
    documents: tuple[type[Document], ...]
    """The classes of what can be found, shown and converted."""
    notations: tuple[Notation[Document], ...]
    """The notations that a document of this kind may be written in."""
    finders: tuple[Finder, ...]
    """How each notation is found in a text, in order of precedence where two overlap."""
    meant: tuple[tuple[str, Meant], ...]
    """How a whole text is known that means to be in a notation, in order of precedence."""
    nearly: tuple[Finder, ...]
    """How each notation is found where it is clearly meant, readable or not; for some it cannot be told."""
    convert: Convert[Document]
    beyond: Mapping[type[Document], frozenset[str]]
    """By the class of a document, the notations that can tell none of its like."""
    refusal: Phrase
    """Says that a document of this kind is not written in ``{notation}``, one of another kind."""

    def notation(self, name: str) -> Notation[Document] | None:
        """Return the notation of a name; None when this kind has none."""
        return next((one for one in self.notations if one.name == name), None)
