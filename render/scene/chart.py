"""Charts of values over turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    name: str
    values: tuple[int, ...]
    """The value before the first turn, then the one after each turn."""


@dataclass(frozen=True, slots=True)
class ChartScene:
    """Lines over turns: cumulative scores, a spread, or chances to win in per cent."""

    title: str
    series: tuple[Series, ...]
    theme: str = "light"
    width: int = 900
    height: int = 500
    """Size of the whole picture in pixels."""
    span: tuple[int, int] | None = None
    """Lowest and highest value of the axis, such as 0 and 100; None for what the values need and 0."""
    base: int = 0
    """The value whose line across is drawn thicker: 0 for scores, 50 for chances."""
    unit: str = ""
    """Follows every value: `` %``."""
    sides: tuple[str, str] | None = None
    """Fills what lies between the first line and the base, and names what is above and what is below: who is ahead.
    Values have signs then."""
    stars: tuple[int, ...] = ()
    """Turns with a star on the first line, such as bingos."""
    star: str = ""
    """What a star means."""
    axes: tuple[str, str] = ("", "")
    """What the values stand for, and what they are counted over."""
    marks: tuple[tuple[int, int], ...] = ()
    """Turns that are pointed out on the first line, each with its kind from 0: disc, diamond, triangle."""
    mark_names: tuple[str, ...] = ()
    """What the kinds mean, in their order."""
    bars: tuple[int, ...] = ()
    """Bars at the foot, one for each turn from the first on, such as what a play scored."""
    first: int = 0
    """The number of the first value below the axis: 0 for a start before the first turn."""
    bound: tuple[int, str] | None = None
    """A turn with a line from top to bottom, such as the one that emptied the bag, and what it means."""
