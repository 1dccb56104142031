"""A review as squares, one a turn: told apart by their shapes, too, and without anything of the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.chat.markdown import escape, one_line
from bot.chat.offers import Moment
from bot.chat.page import told
from bot.chat.reply import Reply

NOTHING_LOST = "🟩"
SQUARES = ("🟡", "🔶", "🔺")
"""For what lost little, more, and much: disc, diamond, triangle, as in the picture."""
MISSING = "⬜"

MAX_SQUARES = 200
"""Squares of one player."""


def answer_squares(
    headline: str,
    rows: Iterable[tuple[str, Sequence[str]]],
    legend: Iterable[tuple[str, str]],
    moment: Moment,
) -> Reply:
    """Show each player's squares; the legend has only what is there."""
    lines, used = [], set[str]()
    for name, squares in rows:
        more = "…" if len(squares) > MAX_SQUARES else ""
        lines.append(f"{escape(one_line(name))}: {''.join(squares[:MAX_SQUARES])}{more}")
        used.update(squares[:MAX_SQUARES])
    words = " · ".join(f"{square} {word}" for square, word in legend if square in used)
    return Reply(told([headline, *lines, f"-# {words}"], moment))
