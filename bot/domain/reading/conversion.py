"""What comes out when a document is written in another notation: the text, and what the text does not hold."""

from __future__ import annotations

from dataclasses import dataclass


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
