"""Positions and games as JSON, without any loss. ``docs/json.md`` explains each member.

A tile is stored as a string, its written form. On the board, a blank is ``?`` followed by the tile that it stands for, and an empty
square is an empty string.

>>> from bot.domain.crossword.notations import cgp
>>> position = cgp.read("/".join(["15"] * 15)).value
>>> document = write(position)
>>> read(document).value == position
True
>>> list(find(document)) == [(0, len(document) - 1, "json")]
True
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from bot.domain.crossword.game import MAX_PLAYERS as MAX_GAME_PLAYERS, MAX_TURNS, Game
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
    MAX_SIDE,
    BoardLayout,
    EndScoring,
    Letter,
    LetterDistribution,
    Rules,
    default_rules,
    distribution_names,
    find_distribution,
    find_layout,
    layout_names,
    layout_of_rows,
    load_distribution,
    load_layout,
)
from bot.domain.reading.json_document import (
    FLAG,
    HEADER_NAMES,
    Codec,
    Codecs,
    Node,
    choice,
    count,
    find,
    keep_empty,
    kind_of,
    list_codec,
    number,
    pairs,
    parse,
    read_members,
    record,
    reject_empty,
    string,
    write_document,
    write_members,
)
from bot.domain.reading.problems import ConversionError, Phrase, Reading, Warnings

__all__ = ["find", "read", "write"]

MAX_LETTERS = 500
MAX_COUNT_OR_POINTS = 10_000
"""Maximum count, and maximum points, of a kind of tile."""
MAX_TILE_LENGTH = 32
MAX_NAME_LENGTH = 1_000
MAX_NUMBER = 10**9
MAX_BINGO_MULTIPLIER = 100
MAX_POINTS = 999_999
MAX_CLOCK_MS = 10**12
MAX_RACK_TILES = 1_000
MAX_EXTRA_PAIRS = 1_000

# Known letter distributions and boards are written by name, and others in full.


def _read_tile_text(node: Node, _: object) -> str:
    text = node.string(MAX_TILE_LENGTH)
    if not text:
        raise node.error("json-type", "{where} is not the written form of a tile")
    return text


def _letter(text: str, count: int, points: int, blank_text: str = "", is_vowel: bool = False) -> Letter:  # noqa: FBT001, FBT002 - record() passes it by name
    return Letter(text, blank_text or text.lower(), count, points, is_vowel)


_LETTER = record(
    _letter,
    "tile count points",
    tile=Codec(_read_tile_text, attribute="text"),
    blank=keep_empty(string(MAX_TILE_LENGTH))._replace(attribute="blank_text"),
    count=number(0, MAX_COUNT_OR_POINTS),
    points=number(-MAX_COUNT_OR_POINTS, MAX_COUNT_OR_POINTS),
    vowel=FLAG._replace(attribute="is_vowel"),
)
_LETTERS = list_codec(_LETTER, MAX_LETTERS)


def _read_distribution(node: Node, _: object) -> LetterDistribution:
    if isinstance(node.value, str):
        distribution = find_distribution(node.string(MAX_NAME_LENGTH))
        if distribution is None:
            raise node.error("unknown-distribution", "{where} is not a known letter distribution")
        return distribution
    members = node.members("name", "letters")
    letters = _LETTERS.read(node.require(members, "letters"), None)
    texts = [letter.text for letter in letters]
    blanks = {BLANK_TEXT + text for text in texts[1:]}
    written_forms = [*texts, *(letter.blank_text for letter in letters[1:])]
    if (
        len(letters) < 2
        or texts[0] != BLANK_TEXT
        or len({*texts, *blanks}) != len(texts) + len(blanks)
        or len(set(written_forms)) != len(written_forms)
    ):
        raise members["letters"].error(
            "json-type", "{where} is not a list of different letters that starts with the blank ?"
        )
    return LetterDistribution(members["name"].string(MAX_NAME_LENGTH) if "name" in members else "", letters)


def _write_distribution(distribution: LetterDistribution, _: object) -> object:
    if distribution.name in distribution_names() and load_distribution(distribution.name) == distribution:
        return distribution.name
    texts = [letter.text for letter in distribution.letters[1:]]
    written_forms = {*texts, *(BLANK_TEXT + text for text in texts), "", BLANK_TEXT}
    if len(written_forms) != 2 * len(texts) + 2:
        raise ConversionError("tile-not-writable", "this set has tiles that are written the same way")
    return {"name": distribution.name, "letters": _LETTERS.write(distribution.letters, None)}


def _read_layout(node: Node, _: object) -> BoardLayout:
    if isinstance(node.value, str):
        layout = find_layout(node.string(MAX_NAME_LENGTH))
        if layout is None:
            raise node.error("unknown-layout", "{where} is not a known board")
        return layout
    members = node.members("name", "rows", "start")
    rows_node = node.require(members, "rows")
    rows = [row.string(MAX_SIDE) for row in rows_node.items(MAX_SIDE)]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise rows_node.error("json-type", "{where} is not a list of rows of equal length")
    name = members["name"].string(MAX_NAME_LENGTH) if "name" in members else ""
    try:
        layout = layout_of_rows(tuple(rows), name=name)
    except ValueError:
        raise rows_node.error(
            "json-type", "{where} is not a list of rows of the symbols . ' \" ^ - = ~ #"
        ) from None
    if "start" not in members:
        return layout
    coordinates = list(members["start"].items(2))
    if len(coordinates) != 2:
        raise members["start"].error("json-type", "{where} is not a row and a column")
    row, column = coordinates
    return replace(layout, start=(row.integer(0, layout.rows - 1), column.integer(0, layout.columns - 1)))


def _write_layout(layout: BoardLayout, _: object) -> object:
    if layout.name in layout_names() and load_layout(layout.name) == layout:
        return layout.name
    return {"name": layout.name, "rows": layout.symbol_rows, "start": list(layout.start)}


def _unusual_multiplier(multiplier: int, context: _Context) -> int | None:
    usual_multiplier = default_rules(context.rules.distribution, context.rules.layout).bingo_multiplier
    return None if multiplier == usual_multiplier else multiplier


_NUMBER = number(0, MAX_NUMBER)
_RULES = record(
    lambda distribution, layout, **others: replace(default_rules(distribution, layout), **others),
    "tiles board",
    tiles=Codec(_read_distribution, _write_distribution, "distribution"),
    board=Codec(_read_layout, _write_layout, "layout"),
    rack_size=_NUMBER,
    bingo_bonus=_NUMBER,
    exchange_limit=_NUMBER._replace(attribute="min_bag_for_exchange"),
    scoreless_limit=_NUMBER,
    end_count=choice(EndScoring)._replace(attribute="end_scoring"),
    variant=keep_empty(string(MAX_NAME_LENGTH)),
    lexicon=string(MAX_NAME_LENGTH),
    challenge_rule=string(MAX_NAME_LENGTH),
    bingo_times=Codec(number(1, MAX_BINGO_MULTIPLIER).read, _unusual_multiplier, "bingo_multiplier"),
    time_increment=_NUMBER._replace(attribute="increment_ms"),
    max_overtime=_NUMBER._replace(attribute="max_overtime_ms"),
)


class _Context(NamedTuple):
    rules: Rules
    seat_count: int = 0
    turn_count: int = 0


def _context(values: dict[str, Any]) -> _Context:
    players = values.get("players") or values.get("names", ())
    return _Context(values.get("rules"), len(players), len(values.get("turns", ())))  # type: ignore[arg-type]  # the rules are read before anything that needs the context


@lru_cache(maxsize=16)
def _tiles_by_text(distribution: LetterDistribution) -> tuple[dict[str, int], dict[str, int]]:
    """Return machine letters by written form, for boards and for racks."""
    rack = {letter.text: number for number, letter in enumerate(distribution.letters)}
    board = {text: number for text, number in rack.items() if number != BLANK}
    blanks = {BLANK_TEXT + text: -number for text, number in board.items()}
    return {**blanks, **board, "": EMPTY}, rack


def _read_machine_letter(node: Node, context: _Context, *, on_board: bool) -> int:
    distribution = context.rules.distribution
    numbers = _tiles_by_text(distribution)[0 if on_board else 1]
    number = numbers.get(node.value) if isinstance(node.value, str) else None
    if number is None:
        raise node.error(
            "unknown-tile",
            "{where} is not a tile of the {distribution!r} set",
            distribution=distribution.name[:40],
        )
    return number


def _square_text(tile: int, context: _Context) -> str:
    text = context.rules.distribution.letters[abs(tile)].text if tile != EMPTY else ""
    return BLANK_TEXT + text if tile < 0 else text


_SQUARES = list_codec(
    Codec(lambda node, context: _read_machine_letter(node, context, on_board=True), _square_text), MAX_SIDE
)
_RACK = list_codec(
    Codec(
        lambda node, context: _read_machine_letter(node, context, on_board=False),
        lambda tile, context: context.rules.distribution.letters[tile].text,
    ),
    MAX_RACK_TILES,
)
_SEAT = Codec(lambda node, context: node.integer(0, context.seat_count - 1), lambda seat, _: seat)
_POINTS = number(-MAX_POINTS, MAX_POINTS)
_UNKNOWN_COUNT = count(MAX_RACK_TILES)._replace(attribute="unknown_count")
_EXCHANGE: Codecs = {"tiles": _RACK, "unknown": _UNKNOWN_COUNT}


def _read_play(node: Node, context: _Context) -> Play:
    members = node.members("type", "coordinate", "tiles", "unknown")
    kind = node.require(members, "type").choice("placement", "exchange", "pass")
    if kind == "pass":
        return Pass()
    if kind == "exchange":
        return Exchange(**read_members(node, members, _EXCHANGE, "", lambda _: context))
    coordinate = node.require(members, "coordinate")
    start = read_coordinate(coordinate.string(8))
    if start is None:
        raise coordinate.error("json-type", "{where} is not a coordinate like 8D or D8")
    placement = Placement(start, _SQUARES.read(node.require(members, "tiles"), context))
    layout = context.rules.layout
    if not placement.tiles or not empty_board(layout.rows, layout.columns).contains_placement(placement):
        raise node.error("json-off-board", "{where} doesn't fit on the board")
    return placement


def _write_play(play: Play | None, context: _Context) -> object:
    match play:
        case Pass():
            return {"type": "pass"}
        case Exchange():
            return {"type": "exchange"} | write_members(play, _EXCHANGE, context)
        case Placement(start, tiles):
            return {"type": "placement", "coordinate": str(start), "tiles": _SQUARES.write(tiles, context)}
    return None


_PLAY = Codec(_read_play, _write_play)
_COMMENTS = list_codec(record(Comment, text=keep_empty(string()), author=string(), date=string()), MAX_TURNS)
_LAST_PLAY = record(
    LastPlay,
    "play",
    play=_PLAY,
    withdrawn=FLAG,
    challenge_bonus=number(0, MAX_POINTS),
    score=_POINTS,
    player=_SEAT._replace(attribute="seat"),
)


def _read_board(node: Node, context: _Context) -> Board:
    rows = list_codec(_SQUARES, MAX_SIDE).read(node, context)
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise node.error("json-type", "{where} is not a list of rows of equal length")
    layout = context.rules.layout
    if (len(rows), len(rows[0])) != (layout.rows, layout.columns):
        raise node.error(
            "json-board-size",
            "{where} has {rows} rows and {columns} columns, unlike the board layout in the rules",
            rows=len(rows),
            columns=len(rows[0]),
        )
    return Board(len(rows), len(rows[0]), tuple(square for row in rows for square in row))


def _players(codec: Codec, limit: int) -> Codec:
    return reject_empty(
        list_codec(codec, limit), "json-empty", Phrase("{where} is empty; at least one player is needed")
    )


_POSITION: Codecs = {
    "rules": _RULES,
    "board": Codec(
        _read_board,
        lambda board, context: [
            [_square_text(tile, context) for tile in board.row(row)] for row in range(board.rows)
        ],
    ),
    "players": _players(
        record(
            Player,
            name=string(),
            rack=_RACK,
            score=_POINTS,
            clock=number(-MAX_CLOCK_MS, MAX_CLOCK_MS)._replace(attribute="clock_ms"),
        ),
        MAX_PLAYERS,
    ),
    "on_turn": _SEAT,
    "scoreless_turns": count(999),
    "turns_left": number(0, MAX_PLAYERS),
    "last_play": _LAST_PLAY,
    "opponent_rack_unknown": FLAG._replace(attribute="ignore_opponent_racks"),
    "game_id": string(),
    "extra": pairs(MAX_EXTRA_PAIRS, 200_000),
}


_TURN = record(
    Turn,
    "player kind",
    player=_SEAT._replace(attribute="seat"),
    kind=choice(TurnKind),
    rack=_RACK,
    rack_unknown=count(MAX_RACK_TILES)._replace(attribute="rack_unknown_count"),
    play=_PLAY,
    tiles=_RACK._replace(attribute="counted_tiles"),
    score=_POINTS,
    cumulative=_POINTS,
    note=string(),
    comments=_COMMENTS,
)


def _read_turn(node: Node, context: _Context) -> object:
    try:
        return _TURN.read(node, context)
    except TypeError:
        raise node.error(
            "json-turn",
            "{where}.play doesn't fit the kind {kind!r}",
            kind=node.members_present(("kind",))["kind"].value,
        ) from None


_GAME: Codecs = {
    "rules": _RULES,
    "players": _players(
        record(PlayerName, nick=keep_empty(string()), name=keep_empty(string())), MAX_GAME_PLAYERS
    )._replace(attribute="names"),
    "turns": keep_empty(list_codec(Codec(_read_turn, _TURN.write), MAX_TURNS), []),
    "title": string(),
    "description": string(),
    "authority": string(),
    "game_id": string(),
    "shown_racks": list_codec(
        record(
            ShownRack,
            "after player",
            after=Codec(
                lambda node, context: node.integer(0, context.turn_count), lambda moment, _: moment, "moment"
            ),
            player=_SEAT._replace(attribute="seat"),
            tiles=keep_empty(_RACK, []),
            unknown=_UNKNOWN_COUNT,
        ),
        MAX_TURNS,
    ),
    "incomplete": FLAG,
    "note": string(),
    "comments": _COMMENTS,
    "extra": pairs(MAX_EXTRA_PAIRS, 200_000),
}


def read(text: str) -> Reading[Position | Game]:
    """Read a position or a game.

    Raises:
        ParseError: the text is not JSON, its version is too new, or a value does not follow the schema.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    if kind_of(root, "position", "game") == "game":
        members = root.members(*HEADER_NAMES, *_GAME)
        values = read_members(root, members, _GAME, "rules players", _context)
        return Reading(Game(**values), warnings.all())
    members = root.members(*HEADER_NAMES, *_POSITION)
    position = Position(**read_members(root, members, _POSITION, "rules board players", _context))
    if position.unseen.excess and position.rules.distribution.has_known_bag:
        members["board"].warn(
            "too-many-tiles",
            "the board and racks show more tiles than the {distribution!r} set has",
            distribution=position.rules.distribution.name,
        )
    return Reading(position, warnings.all())


def write(document: Position | Game) -> str:
    """Write a position or a game.

    Raises:
        ConversionError: two tiles in the set are written the same way.

    """
    kind, codecs = ("game", _GAME) if isinstance(document, Game) else ("position", _POSITION)
    return write_document(kind, write_members(document, codecs, _Context(document.rules)))
