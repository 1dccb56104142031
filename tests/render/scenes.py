"""Random scenes beside the sample ones."""

from __future__ import annotations

from hypothesis import strategies as st

from render.samples import BIG_GAME, GAME, LARGE, MIDGAME, PLAYERS, SECTIONS, TO_MOVE, face, rack
from render.scene import (
    BoardScene,
    Grid,
    Layout,
    Mark,
    PlayerRow,
    Section,
    Square,
    SquareKind,
    TileFace,
)
from render.theme import theme_names

__all__ = ["BIG_GAME", "GAME", "LARGE", "MIDGAME", "PLAYERS", "SECTIONS", "TO_MOVE", "face", "rack"]

# What chat can hold: control characters, direction overrides, emoji, stacked accents, lone surrogates.
texts = st.text(st.characters(), max_size=40) | st.sampled_from(
    ("", "alice", "\u202eevil\u0000\n", "\U0001f468\u200d\U0001f469", "Z\u0337\u0322\u031b", "김철수", "\ud800", "W" * 90)
)  # fmt: skip
faces = st.builds(
    TileFace,
    text=st.sampled_from(("", "A", "W", "Q", "L·L", "Щ", "ᄀ", "İ", "DZS", "\u202e")) | texts,
    points=st.none() | st.integers(-5, 12345),
    blank=st.booleans(),
)
squares = st.builds(
    Square, st.sampled_from(SquareKind), st.sampled_from(("", "2L", "start", "\n")), st.booleans()
)
players = st.builds(
    PlayerRow,
    name=texts,
    score=st.sampled_from(("", "0", "-10", "1234567890123456789")) | texts,
    to_move=st.booleans(),
    note=texts,
    rack=st.none() | st.lists(faces, max_size=25).map(tuple),
    rack_note=texts,
)
sections = st.builds(Section, texts, st.lists(texts, max_size=40).map(tuple), st.booleans())


@st.composite
def grids(draw: st.DrawFn, most: int = 9) -> Grid:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    size = rows * columns

    def filled(values: st.SearchStrategy[object]) -> tuple[object, ...]:
        some = draw(st.lists(values, min_size=1, max_size=6))
        return tuple(some[place * 7 % len(some)] for place in range(size))

    labels = st.lists(texts, min_size=1, max_size=3)
    row_labels, column_labels = draw(labels), draw(labels)
    return Grid(
        rows,
        columns,
        filled(squares),
        filled(st.none() | faces),
        filled(st.sampled_from(Mark)),
        tuple(row_labels[row % len(row_labels)] for row in range(rows)),
        tuple(column_labels[column % len(column_labels)] for column in range(columns)),
    )


scenes = st.builds(
    BoardScene,
    grid=grids(),
    players=st.lists(players, max_size=10).map(tuple),
    sections=st.lists(sections, max_size=6).map(tuple),
    layout=st.sampled_from(Layout),
    theme=st.sampled_from(theme_names()),
    cell=st.none() | st.integers(8, 70),
)
