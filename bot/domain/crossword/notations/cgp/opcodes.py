"""The opcodes of CGP: what follows the four fields.

Read in every spelling that is written (``formats/cgp.txt``, its 2024 successor with ``gid var oru`` and another
``lm``, MAGPIE's ``-lex CSW21``); written in the spelling of ``formats/cgp.txt``, in MAGPIE's order, leaving out
defaults. What is unknown or unusable is kept in ``Position.extra`` and written back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from bot.domain.crossword.notations import tile_text
from bot.domain.crossword.notations.position_fields import Opcode, Opcodes, check_square, seen_players
from bot.domain.crossword.play import THROUGH, Exchange, Pass, Placement, read_coordinate
from bot.domain.crossword.position import EMPTY, Board, LastPlay, Position
from bot.domain.crossword.rules import (
    BLANK,
    CLASSIC,
    OWN_GAMES,
    LetterDistribution,
    Rules,
    canonical_challenge_rule,
    canonical_variant,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
    layout_of_size,
    set_of_layout,
    usual_layout,
    usual_rules,
)
from bot.domain.reading.problems import ConversionError, Piece, Warnings

# The operand of CGP's ``lm``: the last play, in its two spellings.
#
# ====================  ==============================  =====================
# turn                  ``formats/cgp.txt`` (written)   its 2024 successor
# ====================  ==============================  =====================
# placement             ``8D W.RD``                     ``8D.WORD``
# unsuccessfully chal-  ``8D W.RD +5``
# lenged placement
# challenged off        ``challenge 8D W.RD``           ``phony.8D.WORD``
# exchange              ``-QO``, ``-2``                 ``ex.QO``, ``ex.2``
# pass                  ``-``                           ``pass``
# ====================  ==============================  =====================
#
# The later spelling writes tiles played through as letters, so all the letters are taken as laid down.

_PLACEMENT = re.compile(
    r"(?:(?P<off>challenge|phony)[ .])?(?P<start>[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})[ .]"
    r"(?P<tiles>\S+)(?: \+(?P<bonus>[0-9]{1,3}))?"
)
_EXCHANGE = re.compile(r"(?:-|ex\.)(?P<tiles>\S+)")
MAX_EXCHANGED = 100


def read_last_play(operand: str, position: Position) -> LastPlay | None:
    """Read the operand, or return None when it is none or does not fit on the board."""
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
        for apart in (True, False)
        if (tiles := _tiles(match["tiles"], distribution, apart=apart)) is not None
        if _fits(Placement(start, tiles), position)
    ]
    # Long tiles without brackets are told from short ones by what lies on the board.
    return next((last for last in readings if last_play_matches(last, position)), next(iter(readings), None))


def _fits(placement: Placement, position: Position) -> bool:
    row, column = placement.squares()[-1]
    return row < position.board.rows and column < position.board.columns


def _read_exchange(tiles: str, distribution: LetterDistribution) -> LastPlay | None:
    if tiles.isascii() and tiles.isdigit():
        count = int(tiles) if len(tiles) <= 3 else 0
        return LastPlay(Exchange(unknown=count)) if 0 < count <= MAX_EXCHANGED else None
    known = _tiles(tiles, distribution, apart=True)
    if known is None or len(known) > MAX_EXCHANGED or "." in tiles:
        return None
    return LastPlay(Exchange(tuple(abs(tile) for tile in known)))


def _tiles(text: str, distribution: LetterDistribution, *, apart: bool) -> tuple[int, ...] | None:
    try:
        scanned = tuple(tile_text.scan_tiles(Piece.of(text), distribution, apart=apart))
    except tile_text.UnknownTileError:
        return None
    return tuple(number for number, _ in scanned)


def last_play_matches(last: LastPlay, position: Position) -> bool:
    """Tell whether the tiles of a standing placement lie on the board where it says."""
    if last.withdrawn or not isinstance(last.play, Placement):
        return True
    board = position.board
    return all(
        board.at(row, column) == tile or (tile == THROUGH and board.at(row, column) != 0)
        for (row, column), tile in zip(last.play.squares(), last.play.tiles, strict=True)
    )


def write_last_play(last: LastPlay, distribution: LetterDistribution) -> str:
    """Write the operand in the spelling of ``formats/cgp.txt``."""
    if isinstance(last.play, Pass):
        return "-"
    if isinstance(last.play, Exchange):
        if last.play.unknown or not last.play.tiles:
            return f"-{last.play.count}"
        return "-" + _write_tiles(last.play.tiles, distribution, zero=distribution.text(BLANK))
    text = f"{last.play.start} {_write_tiles(last.play.tiles, distribution, zero='.')}"
    if last.withdrawn:
        return f"challenge {text}"
    return text if last.challenge_bonus is None else f"{text} +{last.challenge_bonus}"


def _write_tiles(tiles: tuple[int, ...], distribution: LetterDistribution, *, zero: str) -> str:
    return "".join(zero if tile == 0 else tile_text.bracketed(distribution.text(tile)) for tile in tiles)


# Those of the text, those of its successor, and MAGPIE's lexica of the two players.
_TEXT = ("bb", "bdn", "cr", "etl", "ld", "lex", "lm", "mcnz", "ti", "tmr", "to")
KNOWN = frozenset((*_TEXT, "gid", "var", "oru", "l1", "l2", "mncz"))
MAX_OPCODES = 64
_WORD = re.compile(r"[^\s;]+|;")
_DASHED = re.compile(r"-([a-z][a-z0-9]*)")
_NUMERIC = frozenset(("bb", "etl", "mcnz", "mncz", "ti", "tmr", "to"))
_NUMBER_FOLLOWS = re.compile(r"\s+[-−]?[0-9]")
_NUMBER = re.compile(r"[0-9]{1,9}")
_CLOCK = re.compile(r"[-−]?[0-9]{1,10}")


def split_opcodes(text: str, start: int, warnings: Warnings) -> Opcodes:
    """Split ``text[start:]`` into opcodes."""
    found: dict[str, Opcode] = {}
    words: list[re.Match[str]] = []
    for match in _WORD.finditer(text, start):
        if match[0] == ";":
            _finish(words, found, warnings)
        elif words and _starts_another(words, match):
            if not match[0].startswith("-"):
                Piece.matched(match).warn(warnings, "missing-semicolon", "an opcode ends with a semicolon")
            _finish(words, found, warnings)
            words.append(match)
        else:
            words.append(match)
    _finish(words, found, warnings)
    return found


def _starts_another(words: list[re.Match[str]], word: re.Match[str]) -> bool:
    """Tell whether a word starts a new opcode although the one before was not closed."""
    if (dashed := _DASHED.fullmatch(word[0])) and dashed[1] in KNOWN:
        return True
    if len(words) < 2 or words[0][0].lstrip("-") == "lm" or word[0] not in KNOWN:
        return False
    # A lexicon may be called "words to live by".
    return word[0] not in _NUMERIC or _NUMBER_FOLLOWS.match(word.string, word.end()) is not None


def _finish(words: list[re.Match[str]], found: dict[str, Opcode], warnings: Warnings) -> None:
    if not words:
        return
    first = words[0]
    name = first[0]
    if dashed := _DASHED.fullmatch(name):
        name = dashed[1]
    if name == "mncz":  # the draft's spelling
        name = "mcnz"
    operand = " ".join(word[0] for word in words[1:])
    words.clear()
    if name in found:
        Piece.matched(first).warn(
            warnings, "repeated-opcode", "{name} is given twice; the later one counts", name=name[:20]
        )
        del found[name]
    elif len(found) >= MAX_OPCODES:
        Piece.matched(first).warn(
            warnings, "too-many-opcodes", "only the first {limit} opcodes are read", limit=MAX_OPCODES
        )
        return
    found[name] = Opcode(name, operand, Piece.matched(first))


def apply_opcodes(position: Position, opcodes: Opcodes, warnings: Warnings) -> Position:
    """Return the position with what the opcodes say of it."""
    for opcode in opcodes.values():
        reader = _READERS.get(opcode.name)
        if reader is None:
            if opcode.name not in KNOWN:
                opcode.piece.warn(
                    warnings,
                    "unknown-opcode",
                    "the opcode {name!r} is unknown; it is kept",
                    name=opcode.name[:20],
                )
            position = _keep(position, opcode)
            continue
        changed = reader(position, opcode, warnings)
        if changed is None:
            opcode.piece.warn(
                warnings,
                "bad-operand",
                "the opcode {name} does not take {operand!r}; it is kept",
                name=opcode.name,
                operand=opcode.operand[:40],
            )
            changed = _keep(position, opcode)
        position = changed
    return position


def _keep(position: Position, opcode: Opcode) -> Position:
    return replace(position, extra=(*position.extra, (opcode.name, opcode.operand)))


def _number(operand: str) -> int | None:
    return int(operand) if _NUMBER.fullmatch(operand) else None


def _rule(
    field: str, read: Callable[[str], object] = _number
) -> Callable[[Position, Opcode, Warnings], Position | None]:
    """Make the reader of an opcode that sets one field of the rules; ``read`` returns nothing when it cannot."""

    def read_opcode(position: Position, opcode: Opcode, _: Warnings) -> Position | None:
        value = read(opcode.operand)
        if value is None or value == "":
            return None
        return replace(position, rules=replace(position.rules, **{field: value}))  # type: ignore[arg-type]

    return read_opcode


def _distribution(position: Position, opcode: Opcode, _: Warnings) -> Position | None:
    # The set was chosen before the board was read, and an unknown name was warned of there.
    if not opcode.operand:
        return None
    return position if find_distribution(opcode.operand) else _keep(position, opcode)


def _board_name(position: Position, opcode: Opcode, warnings: Warnings) -> Position | None:
    if not opcode.operand:
        return None
    board, rules = position.board, position.rules
    layout = find_layout(opcode.operand)
    if layout is None:
        opcode.piece.warn(
            warnings,
            "unknown-layout",
            "the board {name!r} is unknown; shown with the usual squares of its size",
            name=opcode.operand[:40],
        )
    elif (layout.rows, layout.columns) != (board.rows, board.columns):
        opcode.piece.warn(
            warnings,
            "layout-size",
            "the board {name} has {rows} rows, not {shown}; shown with the usual squares of this size",
            name=layout.name,
            rows=layout.rows,
            shown=board.rows,
        )
        layout = None
    if layout is None:
        layout = replace(layout_of_size(board.rows, board.columns), name=opcode.operand)
    return replace(position, rules=replace(rules, layout=layout))


def _timer(position: Position, opcode: Opcode, _: Warnings) -> Position | None:
    clocks = opcode.operand.split("/")
    if len(clocks) != len(position.players) or not all(map(_CLOCK.fullmatch, clocks)):
        return None
    players = tuple(
        replace(player, clock=int(clock.replace("−", "-")))
        for player, clock in zip(position.players, clocks, strict=True)
    )
    return replace(position, players=players)


def _game_id(position: Position, opcode: Opcode, _: Warnings) -> Position | None:
    return replace(position, game_id=opcode.operand) if opcode.operand else None


def _opponent_rack_unknown(position: Position, opcode: Opcode, _: Warnings) -> Position | None:
    return None if opcode.operand else replace(position, opponent_rack_unknown=True)


def _last_play(position: Position, opcode: Opcode, warnings: Warnings) -> Position | None:
    last = read_last_play(opcode.operand, position)
    if last is None:
        return None
    if not last_play_matches(last, position):
        opcode.piece.warn(warnings, "last-play-differs", "the last play is not what lies on the board")
    return replace(position, last_play=last)


_READERS: dict[str, Callable[[Position, Opcode, Warnings], Position | None]] = {
    "bb": _rule("bingo_bonus"),
    "bdn": _board_name,
    "cr": _rule("challenge_rule", canonical_challenge_rule),
    "etl": _rule("exchange_limit"),
    "gid": _game_id,
    "ld": _distribution,
    "lex": _rule("lexicon", str),
    "lm": _last_play,
    "mcnz": _rule("scoreless_limit"),
    "oru": _opponent_rack_unknown,
    "ti": _rule("time_increment"),
    "tmr": _timer,
    "to": _rule("max_overtime"),
    "var": _rule("variant", canonical_variant),
}


def write_opcodes(position: Position) -> list[str]:
    """Write the opcodes that a position needs, each with its semicolon."""
    rules, board = position.rules, position.board
    usual = usual_rules(rules.distribution, usual_layout(rules.distribution, board.rows, board.columns))
    values: list[tuple[str, str | int | None]] = [
        ("lex", rules.lexicon or None),
        ("bb", None if rules.bingo_bonus == usual.bingo_bonus else rules.bingo_bonus),
        ("bdn", None if _takes_layout(rules, usual) else rules.layout.name),
        ("ld", None if _is_silent(position) or _keeps_set(position) else rules.distribution.name or None),
        ("var", None if rules.variant == CLASSIC else rules.variant),
        ("cr", rules.challenge_rule or None),
        ("etl", None if rules.exchange_limit == usual.exchange_limit else rules.exchange_limit),
        ("mcnz", None if rules.scoreless_limit == usual.scoreless_limit else rules.scoreless_limit),
        ("tmr", _clocks(position)),
        ("ti", rules.time_increment),
        ("to", rules.max_overtime),
        ("gid", position.game_id or None),
        ("oru", "" if position.opponent_rack_unknown else None),
        ("lm", write_last_play(position.last_play, rules.distribution) if position.last_play else None),
        *position.extra,
    ]
    written = ((name, _operand_text(value)) for name, value in values if value is not None)
    return [f"{name} {operand}".rstrip() + ";" for name, operand in written]


def _takes_layout(rules: Rules, usual: Rules) -> bool:
    """Tell whether every reader takes the board without being told, or it has no name to tell."""
    own_game = rules.distribution.name in OWN_GAMES
    return not rules.layout.name or (rules.layout.name == usual.layout.name and not own_game)


def _is_silent(position: Position) -> bool:
    """Tell whether every reader takes the set of tiles without being told: English, and nothing says otherwise."""
    rules = position.rules
    # A board with tiles of its own, or a blank too many, speaks for another game.
    if set_of_layout(rules.layout) is not None or position.unseen.counts[BLANK] < 0:
        return False
    lexicon = rules.lexicon or dict(position.extra).get("l1", "")
    implied = distribution_of_lexicon(lexicon) if lexicon else None
    if implied is not None and implied.name != "english":
        return False
    return rules.distribution.name == ("english_super" if position.board.rows == 21 else "english")


def _keeps_set(position: Position) -> bool:
    """Tell whether a name is kept that no set has: it is written back, and the set is found again as it was."""
    return "ld" in dict(position.extra)


def _operand_text(value: str | int) -> str:
    """Write an operand; a semicolon would end it, so it becomes a comma, and spaces are single."""
    return " ".join(str(value).replace(";", ",").split())


def _clocks(position: Position) -> str | None:
    clocks = [player.clock for player in position.players]
    return None if None in clocks else "/".join(map(str, clocks))


# Writing CGP in its strict form, leaving out what is the default anyway.

_RESERVED = re.compile(r"[\[\]/\s0-9?;.]")


def write(position: Position) -> str:
    """Write the canonical CGP of a position, the player on turn first.

    Raises:
        ConversionError: the board is not square, or a tile is written with characters that CGP needs itself.

    """
    check_square(position)
    position = position.mover_first()
    distribution = position.rules.distribution
    check_tiles(distribution)
    position = replace(position, players=seen_players(position))
    fields = (
        write_board(position.board, distribution),
        "/".join(write_tiles(player.rack, distribution) for player in position.players),
        "/".join(str(player.score) for player in position.players),
        str(position.scoreless_turns),
        *write_opcodes(position),
    )
    return " ".join(fields)


def check_tiles(distribution: LetterDistribution) -> None:
    """Refuse tiles that cannot be told from CGP's own signs.

    Raises:
        ConversionError: naming the first such tile.

    """
    for letter in distribution.letters[1:]:
        inner = letter.text
        if not inner or _RESERVED.search(inner):
            raise ConversionError(
                "tile-not-writable", "CGP cannot write the tile {tile!r}", tile=letter.text[:20]
            )


def write_tiles(tiles: Iterable[int], distribution: LetterDistribution) -> str:
    """Write tiles in a row, long ones in brackets."""
    return "".join(tile_text.bracketed(distribution.text(tile)) for tile in tiles)


def write_board(board: Board, distribution: LetterDistribution) -> str:
    """Write the board field."""
    return "/".join(_write_row(board.row(row), distribution) for row in range(board.rows))


def _write_row(row: tuple[int, ...], distribution: LetterDistribution) -> str:
    parts: list[str] = []
    run = 0
    for square in row:
        if square == EMPTY:
            run += 1
            continue
        if run:
            parts.append(str(run))
            run = 0
        parts.append(tile_text.bracketed(distribution.text(square)))
    if run:
        parts.append(str(run))
    return "".join(parts)
