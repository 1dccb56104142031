"""A ranking as a table that a telephone shows without breaking its lines."""

from __future__ import annotations

from dataclasses import replace

from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import one_line
from bot.chat.page import MAX_CHOICES
from bot.domain.crossword.position import Position
from bot.features.analysis.crossword.rankings import RankedPlays, Row, alike, row_words
from bot.text import Speaker

SHORT = 8
"""Plays in a table that does not have all."""

_THROUGH = str.maketrans("", "", "()")


def table(
    ranked: RankedPlays, position: Position, say: Speaker, *, whole: bool = False
) -> tuple[str, list[str]]:
    """Lay out a ranking, the best plays or with ``whole`` all; return it with what is said once for all its rows.

    The play that was made has a mark; it is the last row where it is not among the best.
    """
    listed = _listed(ranked, MAX_CHOICES if whole else SHORT)
    made = ranked.made
    ranks, plays = [], []
    for rank, row in listed:
        mark = "→" if made is not None and alike(row.play, made.play) else ""
        ranks.append(f"{mark}{rank or ''}")
        plays.append(one_line(row_words(row, position, say)))
    columns = [
        Column("", tuple(ranks)),
        Column(
            say("play"),
            tuple(plays),
            to_the_left=True,
            short=tuple(play.translate(_THROUGH) for play in plays),
        ),
        Column(say("pts"), tuple(say.number(row.score) for _, row in listed)),
    ]
    notes = []
    for at, figure in enumerate(ranked.figures):
        cells = tuple(row.cells[at] if at < len(row.cells) else "" for _, row in listed)
        told = {cell for cell in cells if cell}
        if figure.once and len(told) == 1:
            notes.append(figure.once.format(*told))
            continue
        columns.append(Column(figure.title, cells, figure.to_the_left, figure.optional))
    return lay_out(columns, MAX_WIDTH), notes


def has_more(ranked: RankedPlays) -> bool:
    """Tell whether there are more plays than a short table has."""
    return len(ranked.rows) > SHORT


def _listed(ranked: RankedPlays, most: int) -> list[tuple[int, Row]]:
    """Return the rows with their ranks, from 1; 0 for a play that is not ranked."""
    listed = list(enumerate(ranked.rows[:most], start=1))
    made = ranked.made
    if made is not None and not any(alike(row.play, made.play) for _, row in listed):
        # It says of itself what the row of its letters says of all of them.
        listed = [*listed[: most - 1], (ranked.made_rank or 0, replace(made, any_blank=False))]
    return listed
