"""Reads and writes the operations that follow the four fields of a CGP, and writes whole CGPs.

The reader accepts macondo's specification of 2022, the open-protocols specification of 2024 (with ``gid``, ``var``, ``oru`` and
a different ``lm``), and MAGPIE's ``-lex CSW21``. The writer uses the 2022 form of ``lm`` and MAGPIE's order, and leaves out default
values. Unknown or unusable operations are stored in ``Position.extra`` and written back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import chain, groupby

from bot.domain.crossword.notations.fields import (
    Operation,
    Operations,
    UnknownTileError,
    scan_tiles,
)
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, read_coordinate
from bot.domain.crossword.position import EMPTY, LastPlay, Player, Position
from bot.domain.crossword.rules import (
    BLANK,
    CLASSIC_VARIANT,
    GAMES_WITH_OWN_TILES,
    SUPER_BOARD_SIZE,
    LetterDistribution,
    Rules,
    canonical_by_alias,
    canonical_variant,
    default_layout,
    default_rules,
    distribution_of_layout,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
    layout_of_size,
)
from bot.domain.reading.problems import ConversionError, TextPiece, Warnings

# The operand of ``lm``, the last play:
#
# ====================  ==============================  =====================
# turn                  2022 (Kibitz writes this)       2024
# ====================  ==============================  =====================
# placement             ``8D W.RD``                     ``8D.WORD``
# … challenged, valid   ``8D W.RD +5``
# … challenged off      ``challenge 8D W.RD``           ``phony.8D.WORD``
# exchange              ``-QO``, ``-2``                 ``ex.QO``, ``ex.2``
# pass                  ``-``                           ``pass``
# ====================  ==============================  =====================
#
# In the 2024 form, tiles played through are letters too. They look like tiles laid down, so every letter is read as a tile
# laid down.

_PLACEMENT = re.compile(
    r"(?:(?P<off>challenge|phony)[ .])?(?P<start>[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})[ .]"
    r"(?P<tiles>\S+)(?: \+(?P<bonus>[0-9]{1,3}))?"
)
_EXCHANGE = re.compile(r"(?:-|ex\.)(?P<tiles>\S+)")
MAX_EXCHANGED_TILES = 100


def read_last_play(operand: str, position: Position) -> LastPlay | None:
    """Read the last play from an operand of ``lm``. Return None if the operand is not a play or does not fit on the board."""
    distribution = position.rules.distribution
    if operand in ("-", "pass"):
        return LastPlay(Pass())
    if match := _EXCHANGE.fullmatch(operand):
        return _read_exchange(match["tiles"], distribution)
    match = _PLACEMENT.fullmatch(operand)
    start = read_coordinate(match["start"]) if match else None
    if match is None or start is None:
        return None
    bonus = None if match["bonus"] is None else int(match["bonus"])
    readings = [
        LastPlay(Placement(start, tiles), challenge_bonus=bonus, withdrawn=match["off"] is not None)
        for require_brackets in (True, False)
        if (tiles := _read_tiles(match["tiles"], distribution, require_brackets=require_brackets)) is not None
        if position.board.contains_placement(Placement(start, tiles))
    ]
    # Without brackets, a multi-letter tile looks like several tiles. The board shows which reading is right.
    return next(
        (reading for reading in readings if last_play_matches(reading, position)), next(iter(readings), None)
    )


def _read_exchange(tiles: str, distribution: LetterDistribution) -> LastPlay | None:
    if tiles.isascii() and tiles.isdigit():
        tile_count = int(tiles) if len(tiles) <= 3 else 0
        return LastPlay(Exchange(unknown_count=tile_count)) if 0 < tile_count <= MAX_EXCHANGED_TILES else None
    machine_letters = _read_tiles(tiles, distribution, require_brackets=True)
    if machine_letters is None or len(machine_letters) > MAX_EXCHANGED_TILES or "." in tiles:
        return None
    return LastPlay(Exchange(tuple(abs(tile) for tile in machine_letters)))


def _read_tiles(
    text: str, distribution: LetterDistribution, *, require_brackets: bool
) -> tuple[int, ...] | None:
    try:
        tiles = scan_tiles(TextPiece.of(text), distribution, require_brackets=require_brackets)
        return tuple(tile for tile, _ in tiles)
    except UnknownTileError:
        return None


def last_play_matches(last_play: LastPlay, position: Position) -> bool:
    """Return whether the tiles of the last play are on the board. Passes, exchanges and withdrawn plays always match."""
    if last_play.withdrawn or not isinstance(last_play.play, Placement):
        return True
    board = position.board
    return all(
        board.at(row, column) == tile or (tile == THROUGH and board.at(row, column) != 0)
        for (row, column), tile in zip(last_play.play.squares(), last_play.play.tiles, strict=True)
    )


def write_last_play(last_play: LastPlay, distribution: LetterDistribution) -> str:
    """Write the operand of ``lm`` in the 2022 form."""
    if isinstance(last_play.play, Pass):
        return "-"
    if isinstance(last_play.play, Exchange):
        if last_play.play.unknown_count or not last_play.play.tiles:
            return f"-{last_play.play.size}"
        return "-" + _write_tiles(last_play.play.tiles, distribution, text_of_zero=distribution.text(BLANK))
    text = f"{last_play.play.start} {_write_tiles(last_play.play.tiles, distribution, text_of_zero='.')}"
    if last_play.withdrawn:
        return f"challenge {text}"
    return text if last_play.challenge_bonus is None else f"{text} +{last_play.challenge_bonus}"


def _write_tiles(tiles: tuple[int, ...], distribution: LetterDistribution, *, text_of_zero: str) -> str:
    return "".join(text_of_zero if tile == 0 else distribution.bracketed_texts[tile] for tile in tiles)


MAX_OPERATIONS = 64
_WORD = re.compile(r"[^\s;]+|;")
_DASHED_OPCODE = re.compile(r"-([a-z][a-z0-9]*)")
_NUMERIC_OPCODES = frozenset(("bb", "etl", "mcnz", "mncz", "ti", "tmr", "to"))
_NUMBER_FOLLOWS = re.compile(r"\s+[-−]?[0-9]")
_NUMBER = re.compile(r"[0-9]{1,9}")
_CLOCK = re.compile(r"[-−]?[0-9]{1,10}")


def split_operations(text: str, start: int, warnings: Warnings) -> Operations:
    operations: dict[str, Operation] = {}
    words: list[re.Match[str]] = []
    for word in chain(_WORD.finditer(text, start), [None]):
        starts_opcode = False
        if word is not None and words and word[0] in _OPCODE_WORDS:
            is_last_play = words[0][0].lstrip("-") == "lm"
            # ``to`` is also a word. In the lexicon name "words to live by", it is not an opcode, because no number follows it.
            has_operand = (
                word[0] not in _NUMERIC_OPCODES or _NUMBER_FOLLOWS.match(text, word.end()) is not None
            )
            starts_opcode = word[0].startswith("-") or (len(words) > 1 and not is_last_play and has_operand)
        if word is not None and word[0] != ";" and not starts_opcode:
            words.append(word)
            continue
        if words:
            if starts_opcode and word is not None and not word[0].startswith("-"):
                warnings.add("missing-semicolon", "an operation should end with a semicolon", word.start())
            dashed_opcode = _DASHED_OPCODE.fullmatch(words[0][0])
            add_operation(
                operations,
                Operation(
                    dashed_opcode[1] if dashed_opcode else words[0][0],
                    " ".join([other[0] for other in words[1:]]),
                    TextPiece(words[0][0], words[0].start(), text),
                ),
                warnings,
            )
        words = [word] if starts_opcode and word is not None else []
    return operations


def add_operation(operations: Operations, operation: Operation, warnings: Warnings, label: str = "") -> None:
    """Add an operation. Warn about repeated opcodes and too many operations. Warnings name ``label`` or else the opcode."""
    name = "mcnz" if operation.opcode == "mncz" else operation.opcode  # the ASCII draft spells it mncz
    if name in operations:
        operation.piece.warn(
            warnings,
            "repeated-opcode",
            "{name} is given twice; the later one counts",
            name=(label or name)[:20],
        )
        del operations[name]
    elif len(operations) >= MAX_OPERATIONS:
        operation.piece.warn(
            warnings, "too-many-opcodes", "only the first {limit} opcodes are used", limit=MAX_OPERATIONS
        )
        return
    operations[name] = operation._replace(opcode=name)


def apply_operations(position: Position, operations: Operations, warnings: Warnings) -> Position:
    for operation in operations.values():
        apply_operation = _APPLIERS.get(operation.opcode)
        changed_position = apply_operation(position, operation, warnings) if apply_operation else None
        if operation.opcode not in KNOWN_OPCODES:
            operation.piece.warn(
                warnings,
                "unknown-opcode",
                "the opcode {name!r} is unknown; kept as written",
                name=operation.opcode[:20],
            )
        elif apply_operation is not None and changed_position is None:
            operation.piece.warn(
                warnings,
                "bad-operand",
                "the opcode {name} can't have the operand {operand!r}; kept as written",
                name=operation.opcode,
                operand=operation.operand[:40],
            )
        position = changed_position or _store_as_written(position, operation)
    return position


def _store_as_written(position: Position, operation: Operation) -> Position:
    return replace(position, extra=(*position.extra, (operation.opcode, operation.operand)))


def _read_number(operand: str) -> int | None:
    return int(operand) if _NUMBER.fullmatch(operand) else None


def _rule_setter(
    field: str, read: Callable[[str], object] = _read_number
) -> Callable[[Position, Operation, Warnings], Position | None]:
    """Return a function that applies an operation by setting a field of the rules. ``read`` returns None or "" for an invalid operand."""

    def apply_operation(position: Position, operation: Operation, _: Warnings) -> Position | None:
        value = read(operation.operand)
        if value is None or value == "":
            return None
        return replace(position, rules=_rules_with(position.rules, field, value))

    return apply_operation


@lru_cache(maxsize=256)
def _rules_with(rules: Rules, field: str, value: object) -> Rules:
    """Return the rules with one field changed. Cached, because most positions name one of a few lexica."""
    return replace(rules, **{field: value})  # type: ignore[arg-type]


def _apply_distribution(position: Position, operation: Operation, _: Warnings) -> Position | None:
    # A known distribution was applied before the board was read.
    if not operation.operand:
        return None
    return position if find_distribution(operation.operand) else _store_as_written(position, operation)


def _apply_board_name(position: Position, operation: Operation, warnings: Warnings) -> Position | None:
    if not operation.operand:
        return None
    board, rules = position.board, position.rules
    layout = find_layout(operation.operand)
    if layout is None:
        operation.piece.warn(
            warnings,
            "unknown-layout",
            "the board {name!r} is unknown; shown with the standard bonus squares for its size",
            name=operation.operand[:40],
        )
    elif (layout.rows, layout.columns) != (board.rows, board.columns):
        operation.piece.warn(
            warnings,
            "layout-size",
            "the {name} board is {size}, not {shown}; shown with the standard bonus squares for {shown}",
            name=layout.name,
            size=f"{layout.rows}×{layout.columns}",
            shown=f"{board.rows}×{board.columns}",
        )
        layout = None
    if layout is None:
        layout = replace(layout_of_size(board.rows, board.columns), name=operation.operand)
    return replace(position, rules=replace(rules, layout=layout))


def _apply_clocks(position: Position, operation: Operation, _: Warnings) -> Position | None:
    clocks = operation.operand.split("/")
    if len(clocks) != len(position.players) or not all(map(_CLOCK.fullmatch, clocks)):
        return None
    return replace(
        position,
        players=tuple(
            replace(player, clock_ms=int(clock.replace("−", "-")))
            for player, clock in zip(position.players, clocks, strict=True)
        ),
    )


def _apply_last_play(position: Position, operation: Operation, warnings: Warnings) -> Position | None:
    last_play = read_last_play(operation.operand, position)
    if last_play is None:
        return None
    if not last_play_matches(last_play, position):
        operation.piece.warn(
            warnings, "last-play-differs", "the last play doesn't match the tiles on the board"
        )
    return replace(position, last_play=last_play)


_APPLIERS: dict[str, Callable[[Position, Operation, Warnings], Position | None]] = {
    "bb": _rule_setter("bingo_bonus"),
    "bdn": _apply_board_name,
    "cr": _rule_setter("challenge_rule", lambda name: canonical_by_alias("cr").get(name.lower())),
    "etl": _rule_setter("min_bag_for_exchange"),
    "gid": lambda position, operation, _: (
        replace(position, game_id=operation.operand) if operation.operand else None
    ),
    "ld": _apply_distribution,
    "lex": _rule_setter("lexicon", str),
    "lm": _apply_last_play,
    "mcnz": _rule_setter("scoreless_limit"),
    "oru": lambda position, operation, _: (
        None if operation.operand else replace(position, ignore_opponent_racks=True)
    ),
    "ti": _rule_setter("increment_ms"),
    "tmr": _apply_clocks,
    "to": _rule_setter("max_overtime_ms"),
    "var": _rule_setter("variant", canonical_variant),
}
"""Functions that apply an operation, by opcode. They return None if the operand is invalid."""

# ``l1`` and ``l2`` are MAGPIE's opcodes for the two players' lexica.
KNOWN_OPCODES = frozenset((*_APPLIERS, "l1", "l2", "mncz"))
_OPCODE_WORDS = KNOWN_OPCODES | {f"-{name}" for name in KNOWN_OPCODES}


def write_operations(position: Position) -> list[str]:
    rules, board = position.rules, position.board
    usual_rules = default_rules(
        rules.distribution, default_layout(rules.distribution, board.rows, board.columns)
    )
    # Readers assume the usual board, unless the game has its own tiles and board.
    is_usual_board = (
        rules.layout.name == usual_rules.layout.name and rules.distribution.name not in GAMES_WITH_OWN_TILES
    )
    lexicon = rules.lexicon or dict(position.extra).get("l1", "")
    implied_set = distribution_of_lexicon(lexicon) if lexicon else None
    # Readers assume the English set, unless the lexicon, a board with its own tiles, or an extra blank implies another set.
    is_set_implied = (
        rules.distribution.name == ("english_super" if board.rows == SUPER_BOARD_SIZE else "english")
        and (implied_set is None or implied_set.name == "english")
        and distribution_of_layout(rules.layout) is None
        and position.unseen.counts[BLANK] >= 0
    )
    # If ``extra`` holds the name of an unknown set, the reader chooses the same set again.
    is_set_determined = is_set_implied or any(name == "ld" for name, _ in position.extra)
    clocks = [player.clock_ms for player in position.players]
    values: list[tuple[str, str | int | None]] = [
        ("lex", rules.lexicon or None),
        ("bb", None if rules.bingo_bonus == usual_rules.bingo_bonus else rules.bingo_bonus),
        ("bdn", None if is_usual_board else rules.layout.name or None),
        ("ld", None if is_set_determined else rules.distribution.name or None),
        ("var", None if rules.variant == CLASSIC_VARIANT else rules.variant),
        ("cr", rules.challenge_rule or None),
        (
            "etl",
            None
            if rules.min_bag_for_exchange == usual_rules.min_bag_for_exchange
            else rules.min_bag_for_exchange,
        ),
        ("mcnz", None if rules.scoreless_limit == usual_rules.scoreless_limit else rules.scoreless_limit),
        ("tmr", None if None in clocks else "/".join(map(str, clocks))),
        ("ti", rules.increment_ms),
        ("to", rules.max_overtime_ms),
        ("gid", position.game_id or None),
        ("oru", "" if position.ignore_opponent_racks else None),
        ("lm", write_last_play(position.last_play, rules.distribution) if position.last_play else None),
        *position.extra,
    ]
    # A semicolon would end the operand, and the reader joins words with single spaces.
    return [
        " ".join([name, *str(value).replace(";", ",").split()]) + ";"
        for name, value in values
        if value is not None
    ]


def prepare_for_cgp(position: Position) -> Position:
    """Return the position in a form that CGP can hold, with the player to move in the first seat.

    A single player with an unknown rack gets an opponent, so that the field for the racks is ``/`` instead of empty.

    Raises:
        ConversionError: the board is not square.

    """
    if position.board.rows != position.board.columns:
        raise ConversionError(
            "board-not-square",
            "CGP boards are square; this one has {rows} rows and {columns} columns",
            rows=position.board.rows,
            columns=position.board.columns,
        )
    position = position.mover_first()
    if len(position.players) < 2 and not any(player.rack for player in position.players):
        return replace(position, players=(*position.players, Player(), Player())[:2])
    return position


_RESERVED_CHARACTER = re.compile(r"[\[\]/\s0-9?;.]")


def write(position: Position) -> str:
    """Write the canonical CGP, without default values. The player to move comes first.

    Raises:
        ConversionError: the board is not square, or a tile has no text or contains characters that CGP reserves.

    """
    position = prepare_for_cgp(position)
    board, texts = position.board, cgp_tile_texts(position.rules.distribution)
    rows = (
        "".join([
            str(len(list(run))) if is_empty else "".join([texts[tile] for tile in run])
            for is_empty, run in groupby(board.row(row), EMPTY.__eq__)
        ])
        for row in range(board.rows)
    )  # fmt: skip
    return " ".join(
        (
            "/".join(rows),
            "/".join(["".join([texts[tile] for tile in player.rack]) for player in position.players]),
            "/".join([str(player.score) for player in position.players]),
            str(position.scoreless_turns),
            *write_operations(position),
        )
    )


def write_or_none(position: Position) -> str | None:
    try:
        return write(position)
    except ConversionError:
        return None


@lru_cache(maxsize=64)
def cgp_tile_texts(distribution: LetterDistribution) -> dict[int, str]:
    """Return the text of each tile in CGP, by machine letter.

    Raises:
        ConversionError: a tile cannot be distinguished from CGP's own symbols.

    """
    for letter in distribution.letters[1:]:
        if not letter.text or _RESERVED_CHARACTER.search(letter.text):
            raise ConversionError(
                "tile-not-writable", "CGP has no notation for the tile {tile!r}", tile=letter.text[:20]
            )
    return distribution.bracketed_texts
