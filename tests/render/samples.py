"""Sample scenes, written by hand because drawing does not need the rules of a game."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PIL import Image

from render.drawing import BoundedCache, Pen
from render.layout import lay_out
from render.scene import (
    Badge,
    BoardScene,
    ChartScene,
    ChessScene,
    Frame,
    Layout,
    Mark,
    MosaicPart,
    MosaicScene,
    Piece,
    PieceKind,
    PlayerRow,
    ReplayScene,
    Section,
    Series,
    Square,
    SquareKind,
    TileFace,
)
from render.theme import Colour

SQUARES_BY_SYMBOL = {
    ".": Square(),
    "'": Square(SquareKind.LETTER_2, "2L"),
    '"': Square(SquareKind.LETTER_3, "3L"),
    "^": Square(SquareKind.LETTER_4, "4L"),
    "-": Square(SquareKind.WORD_2, "2W"),
    "=": Square(SquareKind.WORD_3, "3W"),
    "~": Square(SquareKind.WORD_4, "4W"),
    "#": Square(SquareKind.MISSING),
}
STANDARD_HALF = (
    "=..'...=...'..=",
    '.-..."..."...-.',
    "..-...'.'...-..",
    "'..-...'...-..'",
    "....-.....-....",
    '."..."..."...".',
    "..'...'.'...'..",
    "=..'...-...'..=",
)
SUPER_HALF = (
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
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
POINTS = dict(zip(_LETTERS, _POINTS, strict=True))


TURN_DELAY, END_DELAY = 1500, 5000
"""The delays of an ordinary frame and of the last frame of a replay, in milliseconds."""


def cached_bytes(cache: BoundedCache[Any]) -> int:
    return sum(map(cache._size_of, (cache._old | cache._young).values()))


def paint_scene(scene: BoardScene) -> tuple[Image.Image, Pen]:
    drawing, pen = lay_out(scene)
    return drawing.paint_box((0, 0, drawing.width, drawing.height), pen.palette.index_of(Colour.PAGE)), pen


def replay_of(scenes: Iterable[BoardScene | ChessScene], delay: int = TURN_DELAY) -> ReplayScene:
    """Return a replay that shows each scene for ``delay`` milliseconds, except for the last scene, which is shown longer."""
    frames = [Frame(scene, delay) for scene in scenes]
    return ReplayScene((*frames[:-1], *(replace(last, delay=max(delay, END_DELAY)) for last in frames[-1:])))


def face(letter: str) -> TileFace:
    # A lower-case letter is a blank, and ``?`` is an unassigned blank.
    if letter == "?":
        return TileFace("", is_blank=True)
    if letter.islower():
        return TileFace(letter.upper(), is_blank=True)
    return TileFace(letter, POINTS.get(letter, 1))


def rack(letters: str) -> tuple[TileFace, ...]:
    return tuple(map(face, letters))


def board(half: tuple[str, ...], rows: str = "", last_play: frozenset[int] = frozenset()) -> BoardScene:
    """Return a board, given its squares from the top row to the middle row, and its tiles in CGP."""
    side = len(half[0])
    squares = [SQUARES_BY_SYMBOL[symbol] for symbol in "".join(half + half[-2::-1])]
    squares[len(squares) // 2] = replace(squares[len(squares) // 2], is_start=True)
    tiles: list[TileFace | None] = []
    for row in filter(None, rows.split("/")):
        for token in re.findall(r"\d+|\D", row):
            tiles += [None] * int(token) if token.isdigit() else [face(token)]
        tiles += [None] * (-len(tiles) % side)
    tiles += [None] * (side * side - len(tiles))
    marks = [Mark.LAST if index in last_play and tile else Mark.NONE for index, tile in enumerate(tiles)]
    return BoardScene(
        side,
        side,
        tuple(squares),
        tuple(tiles),
        tuple(marks),
        tuple(str(row + 1) for row in range(side)),
        tuple(_LETTERS[:side]),
    )


BOARD_FIELDS = ("rows", "columns", "squares", "tiles", "marks", "row_labels", "column_labels")
"""Fields of :class:`BoardScene` that describe the board, not its panel or overlays."""

MIDGAME = board(
    STANDARD_HALF,
    "W1C12/ETA2V9/BEN1JO9/1I1ZAX9/LI2V5R4/AD1RED4E4/T1GALE1RILL4/IF1WINDY2I4/NU2N1EAU1g4/ODONATES2I4"
    "/4SAT3O4/10N4",
    frozenset(range(70, 186, 15)) - {100},
)
LARGE_BOARD = board(
    SUPER_HALF,
    "7ANCORA8/8I2E9/5ELOQUENT8/3JAW2A1ROOTY6/4HE3B2V8/2DEISM3PLAGUED4/11T2FILeMOT/7RONTE9/8FOE10/10MM9"
    "/9SEALGH6/9q1XI8/9U1ID8/9a11/5V3W11/5I3K2PANEERS2/5N2VeTCH7/5I3R2INMATES2/5CONFS4UREA3/11PRISED4",
    frozenset(range(140, 147)),
)
PLAYER_TO_MOVE = PlayerRow("bob", "208", to_move=True, note="to move", rack=rack("EKMORR?"))
PLAYERS = (PlayerRow("alice", "335", rack_note="rack hidden"), PLAYER_TO_MOVE)
NAMES = ("דוד בן־גוריון", "محمد علي 23", "สมชาย ที่รัก", "田中さん", "王小明", "김철수", "Ὀδυσσεύς", "🔥alice🎉")
UNSEEN = "AA B C EEEE F GG HH II M OOO PP Q R SS TT U Y ?"
SECTIONS = (
    Section("Last play", ("K5", "RE(L)IgION", "+78")),
    Section("Unseen 30 · bag 23", tuple(UNSEEN.split())),
    Section("Lexicon", ("ENABLE",), is_strong=False),
)
GAME = replace(MIDGAME, players=PLAYERS, sections=SECTIONS, layout=Layout.WIDE)
BIG_GAME = replace(LARGE_BOARD, players=PLAYERS, sections=SECTIONS, layout=Layout.WIDE)


def growing_replay(scene: BoardScene, turns: int, delay: int = 500) -> ReplayScene:
    """Return a replay in which the tiles of a scene appear over ``turns`` turns, and the scores rise."""
    squares_with_tiles = [index for index, face in enumerate(scene.tiles) if face is not None]
    frames = []
    for turn in range(turns + 1):
        visible = set(squares_with_tiles[: len(squares_with_tiles) * turn // turns])
        last = set(squares_with_tiles[len(squares_with_tiles) * max(0, turn - 1) // turns :]) & visible
        position = replace(
            scene,
            tiles=tuple(face if index in visible else None for index, face in enumerate(scene.tiles)),
            marks=tuple(Mark.LAST if index in last else Mark.NONE for index in range(len(scene.tiles))),
        )
        players = tuple(
            replace(player, score=str(17 * turn + number), to_move=turn % 2 == number, note="")
            for number, player in enumerate(scene.players)
        )
        frames.append(Frame(replace(position, players=players), delay))
    return ReplayScene(tuple(frames))


def with_proposal(scene: BoardScene) -> BoardScene:
    """Add a play, its score, its cross-words, other plays and a phony to a scene with the board of :data:`MIDGAME`."""
    tiles, marks = list(scene.tiles), list(scene.marks)
    for index, letter in ((157, "M"), (158, "O"), (159, "r"), (161, "K")):
        tiles[index], marks[index] = face(letter), Mark.GHOST
    for index in (142, 143, 127, 112, 97, 128, 113):
        marks[index] = Mark.CROSS
    for index in (45, 60, 75, 90, 105, 120, 135):
        if tiles[index]:
            marks[index] = Mark.PHONY
    badges = (Badge(10, 7, "+34", word_end=(10, 11)), Badge(10, 7, "1"), Badge(1, 9, "2"), Badge(13, 2, "3"))
    return replace(scene, tiles=tuple(tiles), marks=tuple(marks), badges=badges)


def rows_by_letter(scene: BoardScene) -> BoardScene:
    """Return a board with French labels: letters for rows, numbers for columns."""
    return replace(
        scene,
        row_labels=tuple(_LETTERS[: scene.rows]),
        column_labels=tuple(str(column + 1) for column in range(scene.columns)),
    )


def pieces(placement: str) -> tuple[Piece | None, ...]:
    squares: list[Piece | None] = []
    for symbol in placement.replace("/", ""):
        squares += (
            [None] * int(symbol) if symbol.isdigit() else [Piece(PieceKind(symbol.upper()), symbol.isupper())]
        )
    return tuple(squares)


MATE = ChessScene(
    pieces("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR"),
    layout=Layout.WIDE,
    last_move=(31, 13),
    king_in_check=4,
    players=(PlayerRow("alice", "1"), PlayerRow("bob", "0", note="checkmate")),
    sections=(Section("Last move", ("4.", "Qxf7#")),),
)


EMPTY = board(STANDARD_HALF)
TURN_SCENE = replace(
    MIDGAME,
    players=(replace(PLAYERS[0], note="12:41"), replace(PLAYER_TO_MOVE, note="to move · 9:03")),
    sections=(Section("", ("Turn", "12", "of", "28")), *SECTIONS),
)
PROPOSAL = replace(with_proposal(GAME), layout=Layout.BOARD)
_ALICE = Series("alice", (0, 24, 24, 60, 81, 155, 171, 203, 240, 262, 335))
SCORES = ChartScene(
    "Scores by turn", (_ALICE, Series("bob", (0, 18, 44, 52, 118, 118, 130, 150, 171, 194, 208)))
)
SPREAD = ChartScene(
    "Who was ahead",
    (Series("", (0, 6, -20, 8, -37, 37, 41, 53, 69, 68, 127)),),
    side_names=("alice ahead", "bob ahead"),
    stars=(5, 10),
    star_name="a bingo",
    axis_names=("points ahead", "turn"),
)
CHANCES = ChartScene(
    "Winning chances",
    (Series("alice", (50, 46, 61, 58, 83, 79, 97, 100)),),
    span=(0, 100),
    base=50,
    unit=" %",
)


def numbered_replay(replay: ReplayScene) -> ReplayScene:
    last = len(replay.frames) - 1
    return replay_of(
        replace(frame.scene, sections=(Section("Turn", (f"{turn}", "of", f"{last}")),))
        for turn, frame in enumerate(replay.frames)
    )


REPLAY = numbered_replay(growing_replay(replace(GAME, layout=Layout.TALL, cell_size=30), 12))
FOOLS_MATE = (
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", (), None),
    ("1. f3", "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR", (53, 45), None),
    ("1. … e5", "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR", (12, 28), None),
    ("2. g4", "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR", (54, 38), None),
    ("2. … Qh4#", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR", (3, 39), 60),
)
CHESS_REPLAY = replay_of(
    ChessScene(
        pieces(placement),
        last_move=last,
        king_in_check=check,
        cell_size=50,
        layout=Layout.TALL,
        sections=(Section("Fool's mate", (move,)),),
    )
    for move, placement, last, check in FOOLS_MATE
)

BOARD_ONLY = replace(GAME, layout=Layout.BOARD)
_CURVE = ChartScene(
    "",
    (Series("", (0, 6, -20, 8, -37, -67, 41, 53, 69, 68, 127)),),
    side_names=("alice ahead", "bob ahead"),
    stars=(3, 6),
    star_name="a bingo",
    axis_names=("points ahead", "turn"),
)
_KEY_TURNS = tuple(
    MosaicPart(replace(BOARD_ONLY.crop(row, column, 7, 9), coordinates=False), title)
    for row, column, title in ((4, 4, "8. bob +78"), (0, 0, "12. alice +64"), (8, 3, "15. bob +52"))
)
ENDING = MosaicScene(
    ((MosaicPart(BOARD_ONLY),), (MosaicPart(_CURVE),), _KEY_TURNS),
    (
        PlayerRow("alice", "335", to_move=True, note="2 bingos · 30.5 a turn"),
        PlayerRow("bob", "208", note="no bingos"),
    ),
)
SEVERAL_POSITIONS = MosaicScene(
    (
        (MosaicPart(BOARD_ONLY, "1. alice 335 – bob 208"), MosaicPart(MATE, "2. White mates")),
        (
            MosaicPart(replace(BIG_GAME, layout=Layout.BOARD), "3. 21 × 21"),
            MosaicPart(BOARD_ONLY, "4. " + "W" * 90),
        ),
    ),
    theme="dark",
)
