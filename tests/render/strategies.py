"""Random scenes, as Hypothesis strategies."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from hypothesis import strategies as st

from render.scene import (
    Arrow,
    Badge,
    BoardScene,
    ChartScene,
    ChessScene,
    Circle,
    Frame,
    Layout,
    Mark,
    Piece,
    PieceKind,
    PlayerRow,
    ReplayScene,
    Section,
    Series,
    Square,
    SquareKind,
    Stroke,
    TileFace,
)
from render.theme import theme_names
from tests.render.samples import BOARD_FIELDS

# Text as it may appear in chat messages, with control characters, direction overrides, emoji, stacked accents and lone surrogates.
texts = st.text(st.characters(), max_size=40) | st.sampled_from(
    ("", "alice", "\u202eevil\u0000\n", "\U0001f468\u200d\U0001f469", "Z\u0337\u0322\u031b", "김철수", "\ud800", "W" * 90)
)  # fmt: skip
faces = st.builds(
    TileFace,
    text=st.sampled_from(("", "A", "W", "Q", "L·L", "Щ", "ᄀ", "İ", "DZS", "\u202e")) | texts,
    points=st.none() | st.integers(-5, 12345),
    is_blank=st.booleans(),
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
chess_players = st.builds(
    PlayerRow,
    name=texts,
    score=texts,
    rack_note=texts,
    captured=st.lists(st.builds(Piece, st.sampled_from(PieceKind), st.booleans()), max_size=20).map(tuple),
    can_drop_captured=st.booleans(),
)
sections = st.builds(Section, texts, st.lists(texts, max_size=40).map(tuple), st.booleans())


@st.composite
def board_fields(draw: st.DrawFn) -> dict[str, Any]:
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    size = rows * columns

    def draw_for_each_square(values: st.SearchStrategy[Any]) -> tuple[Any, ...]:
        drawn = draw(st.lists(values, min_size=1, max_size=6))
        return tuple(drawn[index * 7 % len(drawn)] for index in range(size))

    labels = st.lists(texts, min_size=1, max_size=3)
    row_labels, column_labels = draw(labels), draw(labels)
    return {
        "rows": rows,
        "columns": columns,
        "squares": draw_for_each_square(squares),
        "tiles": draw_for_each_square(st.none() | faces),
        "marks": draw_for_each_square(st.sampled_from(Mark)),
        "row_labels": tuple(row_labels[row % len(row_labels)] for row in range(rows)),
        "column_labels": tuple(column_labels[column % len(column_labels)] for column in range(columns)),
    }


@st.composite
def boards(draw: st.DrawFn) -> BoardScene:
    board = draw(board_fields())
    rows, columns = board["rows"], board["columns"]
    size = rows * columns
    badge = st.builds(
        Badge,
        st.integers(0, rows - 1),
        st.integers(0, columns - 1),
        st.sampled_from(("1", "+34", "128")) | texts,
        st.none() | st.just((rows - 1, columns - 1)),
    )
    scene = draw(_surroundings)
    return replace(
        scene,
        **board,
        badges=tuple(draw(st.lists(badge, max_size=4))),
        doubtful_squares=tuple(draw(st.lists(st.integers(0, size - 1), max_size=3))),
    )


_surroundings = st.builds(
    partial(BoardScene, 0, 0, (), (), (), (), ()),
    players=st.lists(players, max_size=10).map(tuple),
    sections=st.lists(sections, max_size=6).map(tuple),
    layout=st.sampled_from(Layout),
    theme=st.sampled_from(theme_names()),
    cell_size=st.none() | st.integers(8, 70),
    coordinates=st.booleans(),
)
scenes = boards()
square_indices = st.integers(0, 63)
strokes = st.none() | st.sampled_from(Stroke)
chess_scenes = st.builds(
    ChessScene,
    pieces=st.lists(
        st.none() | st.builds(Piece, st.sampled_from(PieceKind), st.booleans()), min_size=64, max_size=64
    ).map(tuple),
    flipped=st.booleans(),
    last_move=st.lists(square_indices, max_size=3).map(tuple),
    king_in_check=st.none() | square_indices,
    players=st.lists(chess_players, max_size=4).map(tuple),
    sections=st.lists(sections, max_size=3).map(tuple),
    layout=st.sampled_from(Layout),
    theme=st.sampled_from(theme_names()),
    cell_size=st.none() | st.integers(8, 100),
    arrows=st.lists(
        st.tuples(square_indices, square_indices, st.booleans(), strokes)
        .filter(lambda ends: ends[0] != ends[1])
        .map(lambda ends: Arrow(*ends)),
        max_size=4,
    ).map(tuple),
    circles=st.lists(st.builds(Circle, square_indices, strokes), max_size=4).map(tuple),
    coordinates=st.booleans(),
)
charts = st.builds(
    ChartScene,
    title=texts,
    series=st.lists(
        st.builds(Series, texts, st.lists(st.integers(-2000, 2000), min_size=1, max_size=60).map(tuple)),
        min_size=1,
        max_size=8,
    ).map(tuple),
    theme=st.sampled_from(theme_names()),
    width=st.integers(240, 900),
    height=st.integers(160, 600),
    span=st.none() | st.just((0, 100)) | st.just((-50, 50)),
    base=st.sampled_from((0, 50)),
    unit=st.sampled_from(("", " %")) | texts,
    side_names=st.none() | st.tuples(texts, texts),
    stars=st.lists(st.integers(0, 70), max_size=5).map(tuple),
    star_name=texts,
    axis_names=st.tuples(texts, texts),
    divider=st.none() | st.tuples(st.integers(0, 70), texts),
)


@st.composite
def replays(draw: st.DrawFn) -> ReplayScene:
    """Draw a replay: scenes with the same crossword board but unrelated panels, or unrelated chess positions."""
    unrelated_scenes: list[Any] = draw(
        st.lists(scenes, min_size=1, max_size=4) | st.lists(chess_scenes, min_size=1, max_size=4)
    )
    first = unrelated_scenes[0]
    shared_fields: dict[str, Any] = {
        "layout": first.layout,
        "theme": first.theme,
        "cell_size": first.cell_size,
    }
    if isinstance(first, BoardScene):
        shared_fields |= {name: getattr(first, name) for name in BOARD_FIELDS}
        shared_fields |= {"badges": (), "doubtful_squares": ()}
    else:
        shared_fields |= {"flipped": first.flipped}
    delays = draw(
        st.lists(st.integers(0, 3000), min_size=len(unrelated_scenes), max_size=len(unrelated_scenes))
    )
    frame_scenes = (replace(scene, **shared_fields) for scene in unrelated_scenes)
    frames = tuple(Frame(scene, delay) for scene, delay in zip(frame_scenes, delays, strict=True))
    return ReplayScene(frames)
