"""What both games say in the same way."""

from __future__ import annotations

MAX_ALT = 1024
"""Characters Discord keeps of an attachment's description."""


def clock_text(milliseconds: int) -> str:
    """Write a clock as minutes and seconds, overtime with a minus."""
    sign = "-" if milliseconds < 0 else ""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{sign}{minutes}:{seconds:02}"
