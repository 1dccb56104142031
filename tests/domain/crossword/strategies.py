"""Hypothesis strategies for domain objects.

Tiles are drawn from a shuffled bag, so no position contains more copies of a tile than its set.
"""

import random
from dataclasses import replace

from hypothesis import strategies as st

from bot.domain.crossword.game import Game
from bot.domain.crossword.play import (
    THROUGH,
    Comment,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import Board, LastPlay, Player, Position
from bot.domain.crossword.rules import (
    BLANK,
    BoardLayout,
    EndScoring,
    Letter,
    LetterDistribution,
    Rules,
    default_rules,
    distribution_names,
    layout_names,
    layout_of_size,
    load_distribution,
    load_layout,
)

LEXICA = (
    "",
    "NWL23",
    "CSW21",
    "OSPS49",
    "FISE2",
    "FRA24",
    "RD28",
    "DISC2",
    "NSF23",
    "ENABLE",
    "our own list",
)
NAMES = ("", "alice", "bob", "Alice B.", "Ольга", "O'Neill / co", "x|y", "two  spaces", "김", "a" * 60)

NOTES = st.sampled_from(("", "hm", '„quoted“ \\ "and" ;|', "two\nlines", "😀"))

seeds = st.integers(0, 2**32 - 1)
scores = st.integers(-999, 1999)


def distributions():
    return st.sampled_from(distribution_names()).map(load_distribution)


def sides():
    return st.one_of(st.sampled_from((15, 15, 15, 21)), st.integers(1, 50))


def shuffled_bag(distribution: LetterDistribution, randomness: random.Random) -> list[int]:
    bag = [tile for tile, count in enumerate(distribution.counts) for _ in range(count)]
    randomness.shuffle(bag)
    return bag


def _tile_on_board(tile: int, distribution: LetterDistribution, randomness: random.Random) -> int:
    """Return a drawn tile as it appears on a board: a blank gets a random letter."""
    return -randomness.randrange(1, len(distribution.letters)) if tile == BLANK else tile


@st.composite
def boards_and_bags(draw, distribution: LetterDistribution, rows: int, columns: int):
    """Draw a board with random tiles on random squares, and the rest of the bag."""
    randomness = random.Random(draw(seeds))
    bag = shuffled_bag(distribution, randomness)
    count = draw(st.integers(0, min(rows * columns, len(bag))))
    squares = [0] * (rows * columns)
    for index in randomness.sample(range(rows * columns), count):
        squares[index] = _tile_on_board(bag.pop(), distribution, randomness)
    return Board(rows, columns, tuple(squares)), bag


@st.composite
def rules(draw, distribution: LetterDistribution, rows: int, columns: int) -> Rules:
    same_size_layouts = [
        load_layout(name)
        for name in layout_names()
        if (load_layout(name).rows, load_layout(name).columns) == (rows, columns)
    ]
    default_layout = layout_of_size(rows, columns)
    layout = draw(
        st.sampled_from((default_layout, *same_size_layouts, replace(default_layout, name="Club board")))
    )
    milliseconds = st.none() | st.integers(0, 10**9 - 1)
    return replace(
        default_rules(distribution, layout),
        lexicon=draw(st.sampled_from(LEXICA)),
        variant=draw(st.sampled_from(("classic", "wordsmog"))),
        bingo_bonus=draw(st.sampled_from((50, 50, 42, 0))),
        min_bag_for_exchange=draw(st.sampled_from((7, 7, 1, 5))),
        scoreless_limit=draw(st.sampled_from((6, 6, 4))),
        challenge_rule=draw(st.sampled_from(("", "void", "single", "double", "5pt", "10pt", "triple"))),
        increment_ms=draw(milliseconds),
        max_overtime_ms=draw(milliseconds),
    )


@st.composite
def placements(draw, distribution: LetterDistribution, rows: int, columns: int) -> Placement:
    """Draw a placement that stays on the board. It may cover tiles."""
    direction = draw(st.sampled_from(Direction))
    row, column = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
    room = columns - column if direction is Direction.ACROSS else rows - row
    letter = st.integers(1, len(distribution.letters) - 1)
    tile = st.one_of(letter, letter.map(lambda number: -number), st.just(THROUGH))
    tiles = draw(st.lists(tile, min_size=1, max_size=min(room, 15)))
    return Placement(Coordinate(row, column, direction), tuple(tiles))


@st.composite
def last_plays(draw, distribution: LetterDistribution, rows: int, columns: int) -> LastPlay:
    """Draw a last play that CGP can express."""
    kind = draw(st.sampled_from(("placement", "challenged", "withdrawn", "exchange", "count", "pass")))
    if kind == "pass":
        return LastPlay(Pass())
    if kind == "count":
        return LastPlay(Exchange(unknown_count=draw(st.integers(1, 20))))
    if kind == "exchange":
        tile = st.integers(0, len(distribution.letters) - 1)
        return LastPlay(Exchange(tuple(draw(st.lists(tile, min_size=1, max_size=9)))))
    placement = draw(placements(distribution, rows, columns))
    bonus = draw(st.sampled_from((0, 5, 10))) if kind == "challenged" else None
    return LastPlay(placement, challenge_bonus=bonus, withdrawn=kind == "withdrawn")


@st.composite
def players(draw, bag: list[int]) -> tuple[Player, ...]:
    """Draw one to eight players with full, partial and unknown racks from a bag."""
    count = draw(st.sampled_from((2, 2, 2, 1, 3, 4, 8)))
    clocks = draw(st.none() | st.just(st.integers(-(10**7), 10**7)))
    drawn_players: list[Player] = []
    for _ in range(count):
        size = min(draw(st.integers(0, 7)), len(bag))
        rack = tuple(bag.pop() for _ in range(size))
        clock = None if clocks is None else draw(clocks)
        drawn_players.append(Player(draw(scores), rack, clock_ms=clock))
    return tuple(drawn_players)


@st.composite
def cgp_positions(draw, is_square: bool = True) -> Position:
    """Draw a position whose player to move comes first and whose players have no names. If its board is square, CGP can represent it."""
    distribution = draw(distributions())
    rows = draw(sides())
    columns = rows if is_square else draw(st.integers(1, 50))
    board, bag = draw(boards_and_bags(distribution, rows, columns))
    drawn_players = draw(players(bag))
    if len(drawn_players) == 1 and not drawn_players[0].rack:
        drawn_players = (*drawn_players, Player(0, clock_ms=drawn_players[0].clock_ms))
    words = st.sampled_from(("x", "7", "Spring/Summer", "ąę", "a=b", "5.5"))
    extra = draw(
        st.dictionaries(
            st.sampled_from(("foo", "wgt", "zz9")), st.lists(words, max_size=3).map(" ".join), max_size=2
        )
    )
    return Position(
        draw(rules(distribution, rows, columns)),
        board,
        drawn_players,
        scoreless_turns=draw(st.integers(0, 6)),
        last_play=draw(st.none() | last_plays(distribution, rows, columns)),
        ignore_opponent_racks=draw(st.booleans()),
        game_id=draw(st.sampled_from(("", "RSwBsyCj", "io.woogles-7"))),
        extra=tuple(extra.items()),
    )


@st.composite
def positions(draw, is_square: bool = False) -> Position:
    """Draw a position with names, any seat to move, and a last play that may have a player and a score."""
    position = draw(cgp_positions(is_square=is_square))
    named_players = tuple(replace(player, name=draw(st.sampled_from(NAMES))) for player in position.players)
    last_play = position.last_play
    if last_play is not None:
        last_play = replace(
            last_play,
            score=draw(st.none() | scores),
            seat=draw(st.none() | st.integers(0, len(named_players) - 1)),
        )
    return replace(
        position,
        players=named_players,
        on_turn=draw(st.integers(0, len(named_players) - 1)),
        last_play=last_play,
    )


@st.composite
def custom_distributions(draw) -> LetterDistribution:
    """Draw a tile set with multi-letter tiles, odd characters, and a blank that may score points."""
    texts = draw(
        st.lists(
            st.text("ABCÉЖ가.-/ 7[", min_size=1, max_size=3).filter(lambda text: text.strip()),
            min_size=1,
            max_size=8,
            unique=True,
        )
    )
    count, points = st.integers(0, 12), st.integers(0, 10)
    blank = Letter("?", "?", draw(count), draw(points))
    letters = (Letter(text, f"({text})", draw(count), draw(points), draw(st.booleans())) for text in texts)
    return LetterDistribution("our own set", (blank, *letters))


@st.composite
def custom_layouts(draw, rows: int, columns: int) -> BoardLayout:
    """Draw a layout whose start square may be anywhere."""
    randomness = random.Random(draw(seeds))
    squares = "".join(randomness.choices(".'\"^-=~#", k=rows * columns))
    return BoardLayout(
        "", rows, columns, squares, (randomness.randrange(rows), randomness.randrange(columns))
    )


def racks(distribution: LetterDistribution, max_size: int = 9):
    return st.lists(st.integers(0, len(distribution.letters) - 1), max_size=max_size).map(tuple)


@st.composite
def turns(draw, distribution: LetterDistribution, rows: int, columns: int, seat_count: int) -> Turn:
    """Draw a turn, which need not be playable."""
    kind = draw(st.sampled_from(TurnKind))
    play = None
    if kind is TurnKind.PLAY:
        play = draw(placements(distribution, rows, columns))
    elif kind is TurnKind.EXCHANGE:
        play = Exchange(draw(racks(distribution)), draw(st.integers(0, 3)))
    elif kind is TurnKind.PASS:
        play = Pass()
    return Turn(
        draw(st.integers(0, seat_count - 1)),
        kind,
        draw(racks(distribution)),
        draw(st.integers(0, 2)),
        play,
        draw(racks(distribution)),
        draw(scores),
        draw(scores),
        draw(st.sampled_from(("", "good", "two\nlines"))),
        draw(st.lists(st.builds(Comment, NOTES, NOTES, NOTES), max_size=1).map(tuple)),
    )


@st.composite
def any_games(draw) -> Game:
    """Draw a game with any contents. The turns need not be playable."""
    distribution = draw(distributions() | custom_distributions())
    rows, columns = draw(sides()), draw(sides())
    seat_count = draw(st.sampled_from((2, 2, 1, 3, 8)))
    drawn_turns = tuple(draw(st.lists(turns(distribution, rows, columns, seat_count), max_size=6)))
    shown_racks = st.builds(
        ShownRack,
        st.integers(0, len(drawn_turns)),
        st.integers(0, seat_count - 1),
        racks(distribution),
        st.integers(0, 3),
    )
    game_rules = draw(rules(distribution, rows, columns))
    if draw(st.booleans()):
        game_rules = replace(
            game_rules, layout=draw(custom_layouts(rows, columns)), end_scoring=EndScoring.EACH_WAY
        )
    return Game(
        game_rules,
        tuple(PlayerName(f"p{seat}", draw(st.sampled_from(NAMES))) for seat in range(seat_count)),
        drawn_turns,
        draw(NOTES),
        draw(NOTES),
        draw(st.sampled_from(("", "io.woogles"))),
        draw(st.sampled_from(("", "RSwBsyCj"))),
        tuple(draw(st.lists(shown_racks, max_size=2))),
        draw(st.booleans()),
        draw(NOTES),
        tuple(draw(st.lists(st.builds(Comment, NOTES, NOTES, NOTES), max_size=2))),
        tuple(draw(st.lists(st.tuples(st.sampled_from(("style", "htarget")), NOTES), max_size=2))),
    )
