"""Reads the lines around a text board (players, rules and last play), and writes text boards."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from bot.domain.crossword.notations import fields
from bot.domain.crossword.notations.cgp.operations import add_operation, cgp_tile_texts, write_operations
from bot.domain.crossword.notations.fields import Operation, Operations
from bot.domain.crossword.play import column_name
from bot.domain.crossword.position import EMPTY, MAX_PLAYERS, Player, Position
from bot.domain.crossword.rules import (
    PLAIN_SQUARE,
    SQUARE_SYMBOLS,
    BoardLayout,
    LetterDistribution,
    default_layout,
    find_layout,
    layout_of_rows,
    layout_of_size,
)
from bot.domain.reading.problems import ConversionError, TextPiece, Warnings

SYMBOL_BY_CODE = {
    **dict.fromkeys(("2L", "DL"), "'"),
    **dict.fromkeys(("3L", "TL"), '"'),
    **dict.fromkeys(("4L", "QL"), "^"),
    **dict.fromkeys(("2W", "DW"), "-"),
    **dict.fromkeys(("3W", "TW"), "="),
    **dict.fromkeys(("4W", "QW"), "~"),
    **dict.fromkeys(("--", "__", "SS"), PLAIN_SQUARE),
}
"""Maps a code for a square in other programs, such as ``DL``, to Kibitz's symbol. ``SS`` is the start square."""
EMPTY_SYMBOLS = SQUARE_SYMBOLS | {"", "*", "+", "_", "·", "•", "○", ":"}

LABEL_BY_OPCODE = {
    "lex": "Lexicon",
    "bb": "Bingo bonus",
    "bdn": "Board",
    "ld": "Tiles",
    "var": "Variant",
    "cr": "Challenge rule",
    "etl": "Exchange limit",
    "mcnz": "Scoreless limit",
    "tmr": "Clocks in ms",
    "ti": "Increment in ms",
    "to": "Overtime in ms",
    "gid": "Game",
    "oru": "Opponent's rack",
    "lm": "Last play",
}
"""Labels below a text board, by CGP opcode."""

SCORELESS_LABEL, SQUARES_LABEL, BAG_LABEL = "Scoreless turns", "Squares", "Bag"
"""Labels of lines that are not CGP operations."""
_OPCODE_BY_LABEL = {label.lower(): name for name, label in LABEL_BY_OPCODE.items()}
_LABELLED_LINE = re.compile(r"\s*+(?P<label>[A-Za-z][A-Za-z0-9' -]{0,30}+):(?:\s(?P<value>.*+))?+")
_SURROUNDING_CHARACTERS = " \t`|>*_=-—─+\r\ufeff\u200b"
"""Characters around a board that have no meaning: drawn lines, and Markdown for quotes and code."""
OPCODE = re.compile(r"[a-z][a-z0-9-]{0,30}")
_COUNT = re.compile("[0-9]{1,4}")
_LAST_PLAY = re.compile(
    r"(?P<play>.*?)(?:, (?P<score>-?[0-9]{1,6}) points)?(?:, player (?P<seat>[0-9]{1,3}))?"
)
_SCORE = r"[-−]?[0-9]{1,6}+"
# Two or more spaces end a name only if the rest of the line is a score, or a score and a rack.
_PLAYER = re.compile(
    rf"(?P<turn>[>→ ]) (?P<name>(?:[^ \n]++| (?! )| {{2,}}+(?!{_SCORE}(?: {{2}}\S{{1,400}}+)?+\s*+\Z))*+)"
    rf" {{2,}}+(?P<score>{_SCORE})(?: {{2}}(?P<rack>\S{{1,400}}+))?+\s*+"
)
# A player's line, as macondo and Quackle write it: "->   alice  AEINRST  24".
_RACK_LETTERS = r"[^\W\d]*+\??+[^\W\d]*+\??+[^\W\d]*+"
_PLAYER_BESIDE = re.compile(
    rf"\s*+(?P<turn>->|→|>)?\s*+(?P<name>[^\s:(](?:[^\s:(]++|\s++(?!(?:{_RACK_LETTERS}\s++)?+{_SCORE}\s*+\Z))*+)\s++"
    rf"(?:(?P<rack>{_RACK_LETTERS})\s++)?+(?P<score>{_SCORE})\s*+"
)
MAX_NAME_LENGTH = 61
"""Maximum length of a name beside a board. Longer text is assumed to be a sentence."""


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """The lines below a board that start with a label, such as ``Lexicon: CSW24``.

    ``score`` and ``seat`` belong to the last play, and ``rack`` belongs to the player to move.
    """

    operations: Operations
    scoreless_turns: int = 0
    squares: TextPiece | None = None
    """The bonus squares: the rows of the board layout, separated by slashes."""
    score: int | None = None
    seat: int | None = None
    rack: TextPiece | None = None


def read_labelled_lines(lines: tuple[TextPiece, ...], warnings: Warnings) -> LabelledLines:
    operations: dict[str, Operation] = {}
    labelled_lines = LabelledLines({})
    for line in lines:
        match = _LABELLED_LINE.fullmatch(line.text[:5_000])
        label, value = (match["label"], " ".join((match["value"] or "").split())) if match else ("", "")
        opcode = _OPCODE_BY_LABEL.get(label.lower(), label)
        if label == SQUARES_LABEL:
            labelled_lines = replace(labelled_lines, squares=line._replace(text=value))
        elif match and label.lower() in ("rack", "my rack") and value:
            labelled_lines = replace(labelled_lines, rack=line.part(*match.span("value")))
        elif label.lower() == SCORELESS_LABEL.lower() and fields.SCORELESS_TURNS.fullmatch(value):
            labelled_lines = replace(labelled_lines, scoreless_turns=int(value))
        elif opcode in LABEL_BY_OPCODE or OPCODE.fullmatch(opcode):
            if opcode == "lm" and (last_play_match := _LAST_PLAY.fullmatch(value)):
                value = last_play_match["play"]
                labelled_lines = replace(
                    labelled_lines,
                    score=int(last_play_match["score"]) if last_play_match["score"] else None,
                    seat=int(last_play_match["seat"]) - 1 if last_play_match["seat"] else None,
                )
            operation = Operation(opcode, "" if opcode == "oru" else value, line)
            add_operation(operations, operation, warnings, LABEL_BY_OPCODE.get(opcode, opcode))
        elif (
            # The number of tiles in the bag follows from the board and the racks.
            not (label == BAG_LABEL and _COUNT.fullmatch(value))
            and not _PLAYER.fullmatch(line.text[:1_000])
            and line.text.strip(_SURROUNDING_CHARACTERS)
        ):
            warn_about_stray_line(warnings, line.offset)
    return replace(labelled_lines, operations=operations)


def warn_about_stray_line(warnings: Warnings, offset: int) -> None:
    warnings.add("stray-line", "this line can't be used; ignored", offset)


def layout_of_squares(squares: str, position: Position) -> BoardLayout | None:
    """Return the layout in a ``Squares`` line, or None if it does not fit the board or has unknown symbols."""
    rows = tuple(squares.split("/"))
    if len(rows) != position.board.rows or any(len(row) != position.board.columns for row in rows):
        return None
    try:
        return layout_of_rows(rows, name=position.rules.layout.name)
    except ValueError:  # an unknown symbol
        return None


def read_players(
    lines: tuple[TextPiece, ...], distribution: LetterDistribution, warnings: Warnings
) -> tuple[tuple[Player, ...], int]:
    """Return the players below a board, in seat order, and the seat of the player to move.

    Raises:
        ParseError: there are over :data:`~bot.domain.crossword.position.MAX_PLAYERS` players, or a rack contains something other
            than tiles.

    """
    players: list[Player] = []
    on_turn = 0
    for line in lines:
        match = _PLAYER.fullmatch(line.text[:1_000])
        if match is None:
            continue
        if len(players) == MAX_PLAYERS:
            raise line.parse_error("player-count", "there are more than {limit} players", limit=MAX_PLAYERS)
        if match["turn"] != " ":
            on_turn = len(players)
        rack = (
            fields.read_rack(line.part(*match.span("rack")), distribution, warnings) if match["rack"] else ()
        )
        name = " ".join(match["name"].split())
        players.append(Player(int(match["score"].replace("−", "-")), rack, name))
    return tuple(players), on_turn


def with_rack(
    players: tuple[Player, ...],
    seat: int,
    rack: TextPiece,
    distribution: LetterDistribution,
    warnings: Warnings,
) -> tuple[Player, ...]:
    """Give a player the rack in a line such as ``Rack: AEINRST``. Warn if the line shows no rack, or if the player already has a rack."""
    try:
        tiles = fields.read_rack(rack.strip(), distribution, warnings)
    except fields.UnknownTileError:
        tiles = ()
    if not tiles or players[seat].rack:
        warn_about_stray_line(warnings, rack.offset)
        return players
    return (*players[:seat], replace(players[seat], rack=tiles), *players[seat + 1 :])


def read_players_beside(
    lines: tuple[TextPiece, ...], distribution: LetterDistribution
) -> tuple[tuple[Player, ...], int]:
    """Return the players to the right of a board, and the seat of the player to move.

    Text between name and score that is not a rack is part of the name.
    """
    players: list[Player] = []
    on_turn = 0
    for line in lines:
        match = _PLAYER_BESIDE.fullmatch(line.text[:200])
        if match is None or len(match["name"]) > MAX_NAME_LENGTH or len(players) == MAX_PLAYERS:
            continue
        name, rack = match["name"].strip(), match["rack"] or ""
        try:
            tiles = (
                fields.read_rack(TextPiece.of(rack), distribution, Warnings(rack)) if rack.isupper() else ()
            )
        except fields.UnknownTileError:
            tiles = ()
        if rack and not tiles:
            name = f"{name} {rack}"
        if match["turn"]:
            on_turn = len(players)
        players.append(Player(int(match["score"].replace("−", "-")), tiles, name))
    return tuple(players), on_turn


def write(position: Position) -> str:
    """Write the board, the players (with a mark for the player to move) and the lines with labels, such as ``Bag: 79``.

    Raises:
        ConversionError: a tile is written like an empty square, contains a character that CGP reserves, or has no text.

    """
    _check_tile_texts(position.rules.distribution)
    paragraphs = (_draw_board(position), _write_players(position), _write_labelled_lines(position))
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines)


def _check_tile_texts(distribution: LetterDistribution) -> None:
    cgp_tile_texts(distribution)  # raises an error for a tile that cannot be written
    for letter in distribution.letters[1:]:
        for text in (letter.text, letter.blank_text):
            if text in EMPTY_SYMBOLS or any(map(str.isspace, text)):
                raise ConversionError(
                    "tile-not-writable",
                    "a text board can't show the tile {tile!r}",
                    tile=letter.text[:20],
                )


def _draw_board(position: Position) -> list[str]:
    board, distribution = position.board, position.rules.distribution
    squares = position.rules.layout.squares
    symbols = [
        distribution.text(square) if square != EMPTY else squares[index]
        for index, square in enumerate(board.squares)
    ]
    header = [column_name(column) for column in range(board.columns)]
    width = max(map(fields.display_width, (*header, *symbols)))
    rows = (symbols[start : start + board.columns] for start in range(0, len(symbols), board.columns))
    return [
        "   " + _pad_cells(header, width),
        *(f"{number:>2} {_pad_cells(cells, width)}" for number, cells in enumerate(rows, start=1)),
    ]


def _pad_cells(cells: list[str], width: int) -> str:
    return " ".join(cell + " " * (width - fields.display_width(cell)) for cell in cells).rstrip()


def _write_players(position: Position) -> list[str]:
    distribution = position.rules.distribution
    names = [plain_name(player.name) for player in position.players]
    scores = [str(player.score) for player in position.players]
    name_width = max(map(fields.display_width, names), default=0)
    score_width = max(map(len, scores), default=0)
    return [
        f"{'>' if seat == position.on_turn else ' '} {name}{' ' * (name_width - fields.display_width(name))}"
        f"  {score:>{score_width}}  {''.join(distribution.bracketed_texts[tile] for tile in player.rack)}".rstrip()
        for seat, (player, name, score) in enumerate(zip(position.players, names, scores, strict=True))
    ]


def plain_name(name: str) -> str:
    """Return a name without the control characters, backticks and repeated spaces that could break its line or code block."""
    visible_text = "".join(
        " " if unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cf") else character
        for character in name
    )
    return " ".join(visible_text.replace("`", "'").split())


def _write_labelled_lines(position: Position) -> list[str]:
    lines = [f"{BAG_LABEL}: {position.bag_count}"] if position.rules.distribution.has_known_bag else []
    if position.scoreless_turns:
        lines.append(f"{SCORELESS_LABEL}: {position.scoreless_turns}")
    for operation in write_operations(position):
        name, _, operand = operation.removesuffix(";").partition(" ")
        if name == "oru":
            operand = "unknown"
        if name == "lm" and (last_play := position.last_play) is not None:
            operand += f", {last_play.score} points" if last_play.score is not None else ""
            operand += f", player {last_play.seat + 1}" if last_play.seat is not None else ""
        if name in LABEL_BY_OPCODE or OPCODE.fullmatch(name):
            lines.append(f"{LABEL_BY_OPCODE.get(name, name)}: {operand}".rstrip())
    layout, distribution = position.rules.layout, position.rules.distribution
    if layout.squares != _layout_by_name(layout, distribution).squares:
        lines.append(f"{SQUARES_LABEL}: {'/'.join(layout.symbol_rows)}")
    return lines


def _layout_by_name(layout: BoardLayout, distribution: LetterDistribution) -> BoardLayout:
    """Return the layout that a reader would choose if only the name were written."""
    if not layout.name:
        return default_layout(distribution, layout.rows, layout.columns)
    known_layout, size = find_layout(layout.name), (layout.rows, layout.columns)
    if known_layout is not None and (known_layout.rows, known_layout.columns) == size:
        return known_layout
    return layout_of_size(*size)
