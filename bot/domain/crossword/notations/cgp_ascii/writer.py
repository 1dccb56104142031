"""Writing the ASCII draft of CGP."""

from __future__ import annotations

from dataclasses import replace

from bot.domain.crossword.board import EMPTY
from bot.domain.crossword.notations.cgp.opcodes import write_opcodes as write_cgp_opcodes
from bot.domain.crossword.notations.cgp_ascii.opcodes import EARLIER, OPCODE_SEPARATOR
from bot.domain.crossword.notations.cgp_ascii.reader import SEPARATOR
from bot.domain.crossword.notations.cgp_ascii.tiles import MAX_TILE, RUN_SIGN, rune
from bot.domain.crossword.notations.position_checks import check_square, seen_players
from bot.domain.crossword.play import Exchange, Pass, Play
from bot.domain.crossword.position import Position
from bot.domain.reading.problems import ConversionError


def write(position: Position) -> str:
    """Write a position in the draft's spelling, the player on turn first.

    Opcodes whose operand is not ASCII are left out, as is a last play that was challenged off.

    Raises:
        ConversionError: the board is not square, or the set has over 42 tiles.

    """
    check_square(position)
    tiles = len(position.rules.distribution.letters) - 1
    if tiles > MAX_TILE:
        raise ConversionError(
            "too-many-kinds",
            "the ASCII draft of CGP has signs for {limit} tiles; this set has {tiles}",
            limit=MAX_TILE,
            tiles=tiles,
        )
    position = position.mover_first()
    players = seen_players(position)
    racks = ("".join(rune(tile) if tile else RUN_SIGN for tile in player.rack) for player in players)
    fields = (
        SEPARATOR.join(_write_row(position.board.row(row)) for row in range(position.board.rows)),
        SEPARATOR.join(racks),
        SEPARATOR.join(str(player.score) for player in players),
        str(position.scoreless_turns),
        _write_opcodes(position),
    )
    return " ".join(fields).rstrip()


def _write_row(row: tuple[int, ...]) -> str:
    parts: list[str] = []
    run = 0
    for square in (*row, None):
        if square == EMPTY:
            run += 1
            continue
        if run:
            parts.append(RUN_SIGN if run == 1 else RUN_SIGN * 2 + chr(32 + run))
            run = 0
        if square is not None:
            parts.append(rune(square))
    return "".join(parts)


def _write_opcodes(position: Position) -> str:
    """Write the opcodes, between bars; what is not ASCII or holds a bar is left out.

    So is a set that nobody knows: the signs say nothing without one that is known.
    """
    earlier = dict(position.extra).get(EARLIER, "")
    extra = tuple((name, operand) for name, operand in position.extra if name not in (EARLIER, "lm", "ld"))
    bare = replace(position, last_play=None, extra=extra)
    written = [opcode.removesuffix(";") for opcode in write_cgp_opcodes(bare)]
    opcodes = ["mncz" + opcode[4:] if opcode.startswith("mcnz ") else opcode for opcode in written]
    last = position.last_play
    if last is not None and not last.withdrawn:
        opcodes.append(f"lm {_write_play(last.play)}")
    opcodes += [f"lm {operand}" for operand in earlier.split(OPCODE_SEPARATOR) if operand]
    return "|".join(opcode for opcode in opcodes if opcode.isascii() and "|" not in opcode)


def _write_play(play: Play) -> str:
    if isinstance(play, Pass):
        return "pass"
    if isinstance(play, Exchange):
        known = not play.unknown and play.tiles
        return f"exchange {_runes(play.tiles) if known else RUN_SIGN * play.count}"
    return f"{play.start} {_runes(play.tiles)}"


def _runes(tiles: tuple[int, ...]) -> str:
    return "".join(rune(tile) if tile else RUN_SIGN for tile in tiles)
