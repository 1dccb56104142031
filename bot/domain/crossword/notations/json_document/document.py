"""Positions and games as JSON: everything they hold, for programs. ``docs/json.md`` tells what each member means.

The text is an object with ``format`` ("kibitz"), ``version`` and ``kind`` ("position" or "game"). A tile is its
written form, a blank that stands for a tile has ``?`` before it, and a square without a tile is an empty string.
"""

from __future__ import annotations

import json

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations.json_document.reader import FORMAT, VERSION, read_game, read_position
from bot.domain.crossword.notations.json_document.writer import game_members, position_members
from bot.domain.crossword.position import Position
from bot.domain.reading.json_node import Node, parse
from bot.domain.reading.problems import Reading, Warnings

_LINE = 110


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


def kind_of(root: Node, members: dict[str, Node], *kinds: str) -> str:
    """Return which of the kinds a document of ours is.

    Raises:
        ParseError: it is none of ours, of a later version, or of another kind.

    """
    if "format" not in members or members["format"].value != FORMAT:
        raise root.fail(
            "json-format",
            "this JSON is not a document of Kibitz: it lacks the format {format!r}",
            format=FORMAT,
        )
    version = root.required(members, "version")
    if version.integer(1, 10**9) > VERSION:
        raise version.fail(
            "json-version",
            "version {version} is newer than {known}, the last one known here",
            version=version.value,
            known=VERSION,
        )
    return root.required(members, "kind").choice(*kinds)


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
    return laid_out({"format": FORMAT, "version": VERSION, "kind": kind} | members, "") + "\n"


def laid_out(value: object, indent: str) -> str:
    """Write a value on one line if it fits, else each member on its own."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE or not isinstance(value, dict | list):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(name, ensure_ascii=False)}: {laid_out(item, inner)}" for name, item in value.items()
        ]
        return "{\n" + inner + f",\n{inner}".join(items) + f"\n{indent}}}"
    return "[\n" + inner + f",\n{inner}".join(laid_out(item, inner) for item in value) + f"\n{indent}]"
