"""How one answer looks and speaks: made once, where it is known who sees the answer, and passed on whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.text import Speaker, speaker
from render.scene import Layout


@dataclass(frozen=True, slots=True)
class View:
    """How a person wants to see positions."""

    theme: str = "light"
    layout: Layout = Layout.TALL
    coordinates: bool = True
    """Whether the rows and columns are named beside the board."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who sees an answer."""

    user_id: int
    """Who asked."""
    guild_id: int | None = None
    public: bool = False
    """Whether others see it, too."""


@dataclass(frozen=True, slots=True)
class Style:
    """How one answer is to look and to speak, and which lexicon it goes by."""

    view: View = field(default_factory=View)
    say: Speaker = field(default_factory=lambda: speaker("en"))
    lexicon: str = ""
    """The lexicon to go by where a position names none; empty when nobody chose one."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Lexica to take for others that are not installed, as the server chose."""
    audience: Audience | None = None
    """Who sees the answer; None where it does not matter."""

    @property
    def preferred(self) -> tuple[str, ...]:
        """The lexica to go by where a position names none."""
        return (self.lexicon,) if self.lexicon else ()
