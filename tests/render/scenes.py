"""Sample scenes, made by hand: a rendering test needs no rules."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import strategies as st

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

KINDS = {
    ".": Square(),
    "'": Square(SquareKind.LETTER_2, "2L"),
    '"': Square(SquareKind.LETTER_3, "3L"),
    "^": Square(SquareKind.LETTER_4, "4L"),
    "-": Square(SquareKind.WORD_2, "2W"),
    "=": Square(SquareKind.WORD_3, "3W"),
    "~": Square(SquareKind.WORD_4, "4W"),
    "#": Square(SquareKind.MISSING),
}
STANDARD = (
    "=..'...=...'..=",
    '.-..."..."...-.',
    "..-...'.'...-..",
    "'..-...'...-..'",
    "....-.....-....",
    '."..."..."...".',
    "..'...'.'...'..",
    "=..'...-...'..=",
)
SUPER = (
    "~..'...=..'..=...'..~",
    '.-.."...-...-..."..-.',
    "..-..^...-.-...^..-..",
    "'..=..'...=...'..=..'",
    '."..-..."..."...-..".',
    "..^..-...'.'...-..^..",
    "...'..-...'...-..'...",
    "=......-.....-......=",
    '.-.."..."..."..."..-.',
    "..-..'...'.'...'..-..",
    "'..=..'...-...'..=..'",
)
_POINTS = (1, 3, 3, 2, 1, 4, 2, 4, 1, 8, 5, 1, 3, 1, 1, 3, 10, 1, 1, 1, 1, 4, 4, 8, 4, 10)
POINTS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _POINTS, strict=True))


def face(letter: str) -> TileFace:
    """Lower case is a blank, ``?`` an unassigned one."""
    if letter == "?":
        return TileFace("", blank=True)
    if letter.islower():
        return TileFace(letter.upper(), blank=True)
    return TileFace(letter, POINTS.get(letter, 1))


def rack(letters: str) -> tuple[TileFace, ...]:
    return tuple(map(face, letters))


def grid(half: tuple[str, ...], rows: str = "", last: frozenset[int] = frozenset()) -> Grid:
    """A board from the upper half of its squares and rows as a CGP writes them."""
    side = len(half[0])
    squares = [KINDS[sign] for sign in "".join(half + half[-2::-1])]
    squares[len(squares) // 2] = replace(squares[len(squares) // 2], start=True)
    tiles: list[TileFace | None] = []
    for row in filter(None, rows.split("/")):
        for sign in re.findall(r"\d+|\D", row):
            tiles += [None] * int(sign) if sign.isdigit() else [face(sign)]
        tiles += [None] * (-len(tiles) % side)
    tiles += [None] * (side * side - len(tiles))
    marks = [Mark.LAST if place in last and tile else Mark.NONE for place, tile in enumerate(tiles)]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:side]
    return Grid(
        side,
        side,
        tuple(squares),
        tuple(tiles),
        tuple(marks),
        tuple(str(row + 1) for row in range(side)),
        tuple(letters),
    )


MIDGAME = grid(
    STANDARD,
    "W1C12/ETA2V9/BEN1JO9/1I1ZAX9/LI2V5R4/AD1RED4E4/T1GALE1RILL4/IF1WINDY2I4/NU2N1EAU1g4/ODONATES2I4"
    "/4SAT3O4/10N4",
    frozenset(range(70, 186, 15)) - {100},
)
LARGE = grid(
    SUPER,
    "7ANCORA8/8I2E9/5ELOQUENT8/3JAW2A1ROOTY6/4HE3B2V8/2DEISM3PLAGUED4/11T2FILeMOT/7RONTE9/8FOE10/10MM9"
    "/9SEALGH6/9q1XI8/9U1ID8/9a11/5V3W11/5I3K2PANEERS2/5N2VeTCH7/5I3R2INMATES2/5CONFS4UREA3/11PRISED4",
    frozenset(range(140, 147)),
)
TO_MOVE = PlayerRow("bob", "208", to_move=True, note="to move", rack=rack("EKMORR?"))
PLAYERS = (PlayerRow("alice", "335", rack_note="rack hidden"), TO_MOVE)
UNSEEN = "AA B C EEEE F GG HH II M OOO PP Q R SS TT U Y ?"
SECTIONS = (
    Section("Last play", ("K5", "RE(L)IgION", "+78")),
    Section("Unseen 30 · bag 23", tuple(UNSEEN.split())),
    Section("Lexicon", ("ENABLE",), strong=False),
)
GAME = BoardScene(MIDGAME, PLAYERS, SECTIONS)
BIG_GAME = BoardScene(LARGE, PLAYERS, SECTIONS)

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
