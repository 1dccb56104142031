"""The opcodes of the ASCII draft of CGP: between bars, ``lm`` in runes, once for each play."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain.crossword.distributions import LetterDistribution
from bot.domain.crossword.notations.cgp.last_play import last_play_matches
from bot.domain.crossword.notations.cgp.opcodes import KNOWN, MAX_OPCODES
from bot.domain.crossword.notations.cgp_ascii.tiles import RUN_SIGN, tile_of
from bot.domain.crossword.notations.opcodes import Opcode, Opcodes
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, read_coordinate
from bot.domain.crossword.position import LastPlay, Position
from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ParseError, Warnings

EARLIER = "earlier"
"""Name in ``Position.extra`` of the plays before the last one, as the draft writes them."""

OPCODE_SEPARATOR = " | "


@dataclass(frozen=True, slots=True)
class DraftOpcodes:
    """The opcodes of a record: those that CGP has too, and the last plays, the latest first."""

    opcodes: Opcodes
    last_plays: tuple[Opcode, ...]


def split_opcodes(text: str, start: int, warnings: Warnings) -> DraftOpcodes:
    """Split ``text[start:]`` into opcodes; a semicolon after one is passed over."""
    found: dict[str, Opcode] = {}
    last_plays: list[Opcode] = []
    for padded in Piece(text[start:], start, text).split("|"):
        piece = padded.strip()
        words = piece.text.split()
        if not words:
            continue
        if len(found) + len(last_plays) >= MAX_OPCODES:
            piece.warn(
                warnings, "too-many-opcodes", "only the first {limit} opcodes are read", limit=MAX_OPCODES
            )
            break
        name = "mcnz" if words[0] == "mncz" else words[0]
        opcode = Opcode(name, " ".join(words[1:]), piece)
        if name == "lm":
            last_plays.append(opcode)
            continue
        opcode = replace(opcode, name=name.rstrip(";") or name, operand=opcode.operand.rstrip(";"))
        if opcode.name in found:
            piece.warn(
                warnings, "repeated-opcode", "{name} is given twice; the later one counts", name=name[:20]
            )
            del found[opcode.name]
        found[opcode.name] = opcode
    return DraftOpcodes(Opcodes(tuple(found.values())), tuple(last_plays))


def apply_last_plays(position: Position, last_plays: tuple[Opcode, ...], warnings: Warnings) -> Position:
    """Return the position with its last play; the plays before it are kept as they are written."""
    if not last_plays:
        return position
    first, *earlier = last_plays
    last = _read_last_play(first.operand, position)
    if last is None:
        first.piece.warn(
            warnings,
            "bad-operand",
            "the opcode {name} does not take {operand!r}; it is kept",
            name="lm",
            operand=first.operand[:40],
        )
        earlier = [first, *earlier]
    elif not last_play_matches(last, position):
        first.piece.warn(warnings, "last-play-differs", "the last play is not what lies on the board")
    if earlier:
        kept = OPCODE_SEPARATOR.join(opcode.operand for opcode in earlier)
        position = replace(position, extra=(*position.extra, (EARLIER, kept)))
    return replace(position, last_play=last)


def _read_last_play(operand: str, position: Position) -> LastPlay | None:
    kind, _, runes = operand.partition(" ")
    if operand == "pass":
        return LastPlay(Pass())
    if not runes or " " in runes:
        return None
    if kind == "exchange":
        if runes.strip(RUN_SIGN) == "":
            return LastPlay(Exchange(unknown=len(runes)))
        known = _tiles(runes, position.rules.distribution, on_board=False)
        return None if known is None else LastPlay(Exchange(known))
    start = read_coordinate(kind)
    tiles = _tiles(runes, position.rules.distribution, on_board=True)
    if start is None or tiles is None:
        return None
    placement = Placement(start, tiles)
    row, column = placement.squares()[-1]
    return LastPlay(placement) if row < position.board.rows and column < position.board.columns else None


def _tiles(runes: str, distribution: LetterDistribution, *, on_board: bool) -> tuple[int, ...] | None:
    try:
        return tuple(
            THROUGH if sign.text == RUN_SIGN else tile_of(sign, distribution, on_board=on_board)
            for sign in Piece.of(runes).signs()
        )
    except ParseError:
        return None


def known_name(name: str) -> bool:
    """Tell whether a word is the name of an opcode, in the draft's spelling or CGP's."""
    return name in KNOWN
