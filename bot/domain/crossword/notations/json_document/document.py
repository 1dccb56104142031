"""Positions and games as JSON: everything they hold, for programs. ``docs/json.md`` tells what each member means.

The text is an object with ``format`` ("kibitz"), ``version`` and ``kind`` ("position" or "game"). A tile is its
written form, a blank that stands for a tile has ``?`` before it, and a square without a tile is an empty string.
"""

from __future__ import annotations

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations.json_document.reader import read_game, read_position
from bot.domain.crossword.notations.json_document.writer import game_members, position_members
from bot.domain.crossword.position import Position
from bot.domain.reading.json_document import kind_of, lay_out
from bot.domain.reading.json_node import parse
from bot.domain.reading.problems import Reading, Warnings


def read(text: str) -> Reading[Position | Game]:
    """Read a position or a game.

    Raises:
        ParseError: the text is no JSON, of a later version, or a value is not what the schema says.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    members = root.members(*_MEMBERS) if isinstance(root.value, dict) else {}
    kind = kind_of(root, members, "position", "game")
    value = read_game(root, members) if kind == "game" else read_position(root, members)
    return Reading(value, warnings.all())


_MEMBERS = (
    "format",
    "version",
    "kind",
    "rules",
    "board",
    "players",
    "on_turn",
    "scoreless_turns",
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


def write(document: Position | Game) -> str:
    """Write a position or a game.

    Raises:
        ConversionError: the set has tiles that are written alike.

    """
    kind = "game" if isinstance(document, Game) else "position"
    members = game_members(document) if isinstance(document, Game) else position_members(document)
    return lay_out(kind, members)
