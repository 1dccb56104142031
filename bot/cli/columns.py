"""Tables on the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def columns(rows: Sequence[Sequence[str]], left: Collection[str]) -> Iterator[str]:
    """Lay out rows, the first of them titles: the columns whose titles are in ``left`` to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if title in left else cell.rjust(width)
            for title, cell, width in zip(rows[0], row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
