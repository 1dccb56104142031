"""Values of the domain from the members of JSON documents; see ``docs/json.md``."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from bot.domain.crossword.game import MAX_PLAYERS as MAX_GAME_PLAYERS
from bot.domain.crossword.game import MAX_TURNS, Game
from bot.domain.crossword.play import (
    Comment,
    Exchange,
    Pass,
    Placement,
    Play,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
    read_coordinate,
)
from bot.domain.crossword.position import EMPTY, MAX_PLAYERS, Board, LastPlay, Player, Position, empty_board
from bot.domain.crossword.rules import (
    BLANK,
    BLANK_TEXT,
    CLASSIC,
    MAX_SIDE,
    BoardLayout,
    EndCount,
    Letter,
    LetterDistribution,
    Rules,
    find_distribution,
    find_layout,
    usual_rules,
)
from bot.domain.reading.json_document import Node, kind_of, parse
from bot.domain.reading.problems import Phrase, Reading, Warnings

# The rules of a JSON document: tiles and boards by name or square by square.

MAX_LETTERS = 500
MAX_TILES = 10_000
MAX_TILE_TEXT = 32
MAX_NAME = 1_000
MAX_NUMBER = 10**9
MAX_BINGO_TIMES = 100


def read_rules(node: Node) -> Rules:
    """Read the rules; by default they are the usual ones for the tiles.

    Raises:
        ParseError: a value is not what the schema says.

    """
    members = node.members(
        "tiles",
        "board",
        "lexicon",
        "variant",
        "rack_size",
        "bingo_bonus",
        "bingo_times",
        "exchange_limit",
        "scoreless_limit",
        "end_count",
        "challenge_rule",
        "time_increment",
        "max_overtime",
    )
    usual = usual_rules(
        _distribution(node.require(members, "tiles")), _layout(node.require(members, "board"))
    )

    def number(name: str, default: int) -> int:
        return members[name].integer(0, MAX_NUMBER) if name in members else default

    def optional(name: str) -> int | None:
        return members[name].integer(0, MAX_NUMBER) if name in members else None

    def text(name: str, default: str) -> str:
        return members[name].string(MAX_NAME) if name in members else default

    end = (
        members["end_count"].choice(*(count.value for count in EndCount)) if "end_count" in members else None
    )
    return replace(
        usual,
        lexicon=text("lexicon", ""),
        variant=text("variant", CLASSIC),
        rack_size=number("rack_size", usual.rack_size),
        bingo_bonus=number("bingo_bonus", usual.bingo_bonus),
        bingo_times=members["bingo_times"].integer(1, MAX_BINGO_TIMES)
        if "bingo_times" in members
        else usual.bingo_times,
        exchange_limit=number("exchange_limit", usual.exchange_limit),
        scoreless_limit=number("scoreless_limit", usual.scoreless_limit),
        end_count=usual.end_count if end is None else EndCount(end),
        challenge_rule=text("challenge_rule", ""),
        time_increment=optional("time_increment"),
        max_overtime=optional("max_overtime"),
    )


def _distribution(node: Node) -> LetterDistribution:
    if isinstance(node.value, str):
        distribution = find_distribution(node.string(MAX_NAME))
        if distribution is None:
            raise node.fail("unknown-distribution", "{where} is not a known letter distribution")
        return distribution
    members = node.members("name", "letters")
    letters_node = node.require(members, "letters")
    letters = tuple(_letter(letter) for letter in letters_node.items(MAX_LETTERS))
    texts = [letter.text for letter in letters]
    blanks = {BLANK_TEXT + text for text in texts[1:]}
    shown = [*texts, *(letter.blank_text for letter in letters[1:])]
    if (
        len(letters) < 2
        or texts[0] != BLANK_TEXT
        or len({*texts, *blanks}) != len(texts) + len(blanks)
        or len(set(shown)) != len(shown)
    ):
        raise letters_node.wrong(Phrase("a list of different letters that starts with the blank ?"))
    return LetterDistribution(members["name"].string(MAX_NAME) if "name" in members else "", letters)


def _letter(node: Node) -> Letter:
    members = node.members("tile", "blank", "count", "points", "vowel")
    text = node.require(members, "tile").string(MAX_TILE_TEXT)
    if not text:
        raise members["tile"].wrong(Phrase("the written form of a tile"))
    return Letter(
        text,
        members["blank"].string(MAX_TILE_TEXT)
        if "blank" in members and members["blank"].value
        else text.lower(),
        node.require(members, "count").integer(0, MAX_TILES),
        node.require(members, "points").integer(-MAX_TILES, MAX_TILES),
        "vowel" in members and members["vowel"].boolean(),
    )


def _layout(node: Node) -> BoardLayout:
    if isinstance(node.value, str):
        layout = find_layout(node.string(MAX_NAME))
        if layout is None:
            raise node.fail("unknown-layout", "{where} is not a known board")
        return layout
    members = node.members("name", "rows", "start")
    rows_node = node.require(members, "rows")
    rows = [row.string(MAX_SIDE) for row in rows_node.items(MAX_SIDE)]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise rows_node.wrong(Phrase("a list of rows of equal length"))
    limits = (len(rows) - 1, len(rows[0]) - 1)
    start = (len(rows) // 2, len(rows[0]) // 2)
    if "start" in members:
        given = tuple(item.integer(0, limits[index]) for index, item in enumerate(members["start"].items(2)))
        if len(given) != 2:
            raise members["start"].wrong(Phrase("a row and a column"))
        start = (given[0], given[1])
    name = members["name"].string(MAX_NAME) if "name" in members else ""
    try:
        return BoardLayout(name, len(rows), len(rows[0]), "".join(rows), start)
    except ValueError:
        raise rows_node.wrong(Phrase("a list of rows of the symbols . ' \" ^ - = ~ #")) from None


MAX_POINTS = 999_999
MAX_CLOCK = 10**12
MAX_RACK = 1_000
MAX_EXTRA = 1_000


class _Tiles(NamedTuple):
    """The written forms of tiles on a board and on racks."""

    board: dict[str, int]
    rack: dict[str, int]
    name: str

    def on_board(self, node: Node) -> int:
        return self._find(node, self.board)

    def on_rack(self, node: Node) -> int:
        return self._find(node, self.rack)

    def all_on_rack(self, members: dict[str, Node], name: str) -> tuple[int, ...]:
        return tuple(self.on_rack(item) for item in members[name].items(MAX_RACK)) if name in members else ()

    def _find(self, node: Node, numbers: dict[str, int]) -> int:
        number = numbers.get(node.value) if isinstance(node.value, str) else None
        if number is None:
            raise node.fail(
                "unknown-tile", "{where} is not a tile of the {distribution} set", distribution=self.name[:40]
            )
        return number


def _tiles(distribution: LetterDistribution) -> _Tiles:
    rack = {letter.text: number for number, letter in enumerate(distribution.letters)}
    board = {text: number for text, number in rack.items() if number != BLANK}
    blanks = {BLANK_TEXT + text: -number for text, number in board.items()}
    return _Tiles({**blanks, **board, "": EMPTY}, rack, distribution.name)


_MEMBERS = (
    "format",
    "version",
    "kind",
    "rules",
    "board",
    "players",
    "on_turn",
    "scoreless_turns",
    "turns_left",
    "last_play",
    "opponent_rack_unknown",
    "game_id",
    "extra",
    "turns",
    "title",
    "description",
    "authority",
    "shown_racks",
    "incomplete",
    "note",
    "comments",
)


def read(text: str) -> Reading[Position | Game]:
    """Read a position or a game.

    Raises:
        ParseError: the text is no JSON, of a later version, or a value is not what the schema says.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    members = root.members(*_MEMBERS) if isinstance(root.value, dict) else {}
    kind = kind_of(root, members, "position", "game")
    value = _read_game(root, members) if kind == "game" else _read_position(root, members)
    return Reading(value, warnings.all())


def _read_position(root: Node, members: dict[str, Node]) -> Position:
    """Read a position.

    Raises:
        ParseError: a value is not what the schema says.

    """
    rules = read_rules(root.require(members, "rules"))
    tiles = _tiles(rules.distribution)
    board_node = root.require(members, "board")
    board = _board(board_node, tiles)
    if (board.rows, board.columns) != (rules.layout.rows, rules.layout.columns):
        raise board_node.fail(
            "json-board-size",
            "{where} has {rows} rows and {columns} columns, unlike the board of the rules",
            rows=board.rows,
            columns=board.columns,
        )
    players_node = root.require(members, "players")
    players = tuple(_player(node, tiles) for node in players_node.items(MAX_PLAYERS))
    if not players:
        raise players_node.fail("json-empty", "{where} lists no players")
    position = Position(
        rules,
        board,
        players,
        on_turn=members["on_turn"].integer(0, len(players) - 1) if "on_turn" in members else 0,
        scoreless_turns=members["scoreless_turns"].integer(0, 999) if "scoreless_turns" in members else 0,
        turns_left=members["turns_left"].integer(0, MAX_PLAYERS) if "turns_left" in members else None,
        opponent_rack_unknown="opponent_rack_unknown" in members
        and members["opponent_rack_unknown"].boolean(),
        game_id=_string(members, "game_id"),
        extra=members["extra"].pairs(MAX_EXTRA, 200_000) if "extra" in members else (),
    )
    if position.unseen.excess and rules.has_known_bag:
        board_node.warn(
            "too-many-tiles",
            "the board and racks show more tiles than the {distribution} set has",
            distribution=rules.distribution.name,
        )
    if "last_play" in members:
        position = replace(position, last_play=_last_play(members["last_play"], position, tiles))
    return position


def _string(members: dict[str, Node], name: str) -> str:
    return members[name].string() if name in members else ""


def _board(node: Node, tiles: _Tiles) -> Board:
    rows = [[tiles.on_board(square) for square in row.items(MAX_SIDE)] for row in node.items(MAX_SIDE)]
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise node.wrong(Phrase("a list of rows of equal length"))
    return Board(len(rows), len(rows[0]), tuple(square for row in rows for square in row))


def _player(node: Node, tiles: _Tiles) -> Player:
    members = node.members("name", "score", "rack", "clock")
    return Player(
        members["score"].integer(-MAX_POINTS, MAX_POINTS) if "score" in members else 0,
        tiles.all_on_rack(members, "rack"),
        _string(members, "name"),
        members["clock"].integer(-MAX_CLOCK, MAX_CLOCK) if "clock" in members else None,
    )


def _last_play(node: Node, position: Position, tiles: _Tiles) -> LastPlay:
    members = node.members("play", "challenge_bonus", "withdrawn", "score", "player")
    seats = len(position.players) - 1
    return LastPlay(
        _play(node.require(members, "play"), position.rules, tiles),
        members["challenge_bonus"].integer(0, MAX_POINTS) if "challenge_bonus" in members else None,
        "withdrawn" in members and members["withdrawn"].boolean(),
        members["score"].integer(-MAX_POINTS, MAX_POINTS) if "score" in members else None,
        members["player"].integer(0, seats) if "player" in members else None,
    )


def _play(node: Node, rules: Rules, tiles: _Tiles) -> Play:
    members = node.members("type", "coordinate", "tiles", "unknown")
    kind = node.require(members, "type").choice("placement", "exchange", "pass")
    if kind == "pass":
        return Pass()
    if kind == "exchange":
        unknown = members["unknown"].integer(0, MAX_RACK) if "unknown" in members else 0
        return Exchange(tiles.all_on_rack(members, "tiles"), unknown)
    coordinate = node.require(members, "coordinate")
    start = read_coordinate(coordinate.string(8))
    if start is None:
        raise coordinate.wrong(Phrase("a coordinate like 8D or D8"))
    laid = tuple(tiles.on_board(item) for item in node.require(members, "tiles").items(MAX_SIDE))
    placement = Placement(start, laid)
    if not laid or not empty_board(rules.layout.rows, rules.layout.columns).holds(placement):
        raise node.fail("json-off-board", "{where} is not on the board")
    return placement


def _read_game(root: Node, members: dict[str, Node]) -> Game:
    """Read a game.

    Raises:
        ParseError: a value is not what the schema says.

    """
    rules = read_rules(root.require(members, "rules"))
    tiles = _tiles(rules.distribution)
    names = tuple(_name(node) for node in root.require(members, "players").items(MAX_GAME_PLAYERS))
    if not names:
        raise members["players"].fail("json-empty", "{where} lists no players")
    turn_nodes = members["turns"].items(MAX_TURNS) if "turns" in members else ()
    turns = tuple(_turn(node, rules, tiles, len(names)) for node in turn_nodes)
    shown_nodes = members["shown_racks"].items(MAX_TURNS) if "shown_racks" in members else ()
    return Game(
        rules,
        names,
        turns,
        _string(members, "title"),
        _string(members, "description"),
        _string(members, "authority"),
        _string(members, "game_id"),
        tuple(_shown_rack(node, tiles, len(turns), len(names)) for node in shown_nodes),
        "incomplete" in members and members["incomplete"].boolean(),
        _string(members, "note"),
        _comments(members),
        members["extra"].pairs(MAX_EXTRA, 200_000) if "extra" in members else (),
    )


def _name(node: Node) -> PlayerName:
    members = node.members("nick", "name")
    return PlayerName(_string(members, "nick"), _string(members, "name"))


def _turn(node: Node, rules: Rules, tiles: _Tiles, seats: int) -> Turn:
    members = node.members(
        "player", "kind", "rack", "rack_unknown", "play", "tiles", "score", "cumulative", "note", "comments"
    )
    kind = TurnKind(node.require(members, "kind").choice(*(kind.value for kind in TurnKind)))
    play = _play(members["play"], rules, tiles) if "play" in members else None
    try:
        return Turn(
            node.require(members, "player").integer(0, seats - 1),
            kind,
            tiles.all_on_rack(members, "rack"),
            members["rack_unknown"].integer(0, MAX_RACK) if "rack_unknown" in members else 0,
            play,
            tiles.all_on_rack(members, "tiles"),
            members["score"].integer(-MAX_POINTS, MAX_POINTS) if "score" in members else 0,
            members["cumulative"].integer(-MAX_POINTS, MAX_POINTS) if "cumulative" in members else 0,
            _string(members, "note"),
            _comments(members),
        )
    except TypeError:
        raise node.fail(
            "json-turn", "{where} is of kind {kind}, which doesn't match its play", kind=kind.value
        ) from None


def _shown_rack(node: Node, tiles: _Tiles, turns: int, seats: int) -> ShownRack:
    members = node.members("after", "player", "tiles", "unknown")
    return ShownRack(
        node.require(members, "after").integer(0, turns),
        node.require(members, "player").integer(0, seats - 1),
        tiles.all_on_rack(members, "tiles"),
        members["unknown"].integer(0, MAX_RACK) if "unknown" in members else 0,
    )


def _comments(members: dict[str, Node]) -> tuple[Comment, ...]:
    if "comments" not in members:
        return ()
    comments = []
    for node in members["comments"].items(MAX_TURNS):
        parts = node.members("text", "author", "date")
        comments.append(Comment(_string(parts, "text"), _string(parts, "author"), _string(parts, "date")))
    return tuple(comments)
