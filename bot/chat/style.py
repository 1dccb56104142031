"""The style of an answer: its look, language and lexicon, decided once for its audience."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.text import Speaker, speaker
from render.scene import Layout


@dataclass(frozen=True, slots=True)
class View:
    """The look of positions."""

    theme: str = "light"
    layout: Layout = Layout.TALL
    coordinates: bool = True
    """Whether the rows and columns are named beside the board."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The audience of an answer."""

    user_id: int
    """The user answered."""
    guild_id: int | None = None
    public: bool = False
    """Whether others see it."""


@dataclass(frozen=True, slots=True)
class Style:
    """The look, language and lexicon of one answer."""

    view: View = field(default_factory=View)
    say: Speaker = field(default_factory=lambda: speaker("en"))
    lexicon: str = ""
    """The lexicon for positions that name none; empty if none was chosen."""
    aliases: tuple[tuple[str, str], ...] = ()
    """The server's substitutes for lexica that are not installed."""
    audience: Audience | None = None
    """None where the audience does not matter."""

    @property
    def preferred(self) -> tuple[str, ...]:
        """The lexica for positions that name none."""
        return (self.lexicon,) if self.lexicon else ()
