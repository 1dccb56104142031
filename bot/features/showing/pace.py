"""Times: the pace of replays, and clocks."""

from __future__ import annotations

from enum import StrEnum

MAX_FRAMES = 150
"""Maximum number of positions in a replay."""
FRAME_MILLISECONDS = 1500
REMARK_FACTOR = 2
"""The factor for frames with more to see: a bingo, a remark."""
LAST_FRAME_MILLISECONDS = 4000


class Pace(StrEnum):
    """The speed of a replay."""

    SLOW = "slow"
    USUAL = "usual"
    FAST = "fast"

    def duration(self, milliseconds: int) -> int:
        """Return the duration of a frame at this pace, in steps of 10 milliseconds."""
        times = {Pace.SLOW: 2.0, Pace.USUAL: 1.0, Pace.FAST: 0.4}[self]
        return round(milliseconds * times / 10) * 10


def clock_text(milliseconds: int) -> str:
    """Write a clock as minutes and seconds, overtime with a minus."""
    sign = "-" if milliseconds < 0 else ""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{sign}{minutes}:{seconds:02}"


def evenly_spread(count: int, limit: int) -> list[int]:
    """Return at most ``limit`` of the numbers below ``count``, evenly spread, with the first and the last."""
    if count <= limit:
        return list(range(count))
    return [number * (count - 1) // (limit - 1) for number in range(limit)]
