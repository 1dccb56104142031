"""Chess documents from the members of JSON documents; see ``docs/json.md``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.domain.chess.book import MAX_NAME, BookLine, BookSource, sequence_name
from bot.domain.chess.documents import ChessDocument
from bot.domain.chess.game import RESULTS, UNKNOWN_RESULT, ChessGame
from bot.domain.chess.notations import fen
from bot.domain.chess.notations.fen.epd import COUNTS, OPCODE, OPERANDS
from bot.domain.chess.notations.json_document.lines import (
    GAME,
    KINDS,
    MAX_REMARK,
    POSITION,
    PUZZLES,
    read_lines,
)
from bot.domain.chess.notations.puzzles import as_comment, as_line
from bot.domain.chess.position import START, ChessPosition
from bot.domain.chess.puzzles import MAX_DESCRIPTION, MAX_SOLUTION, MAX_TEXT, Puzzle, PuzzleSet
from bot.domain.chess.tags import is_tag_name
from bot.domain.chess.variants import VARIANTS
from bot.domain.reading.json_document import kind_of
from bot.domain.reading.json_node import Node, parse
from bot.domain.reading.problems import DomainError, Phrase, Reading, Warnings

MAX_ITEMS = 10_000
MAX_PAIRS = 100
MAX_OPERAND = 1_000_000
_KIND = re.compile(r'"kind"\s{0,40}:\s{0,40}"chess-')
_MAX_HEAD = 1_000
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrqk]?|[PNBRQ]@[a-h][1-8]|0000")


def is_chess(text: str) -> bool:
    """Tell whether a JSON text is a chess document: its kind stands near the beginning."""
    return _KIND.search(text, 0, _MAX_HEAD) is not None


def read(text: str) -> Reading[ChessDocument]:
    """Read a document.

    Raises:
        ParseError: the text is no JSON, of a later version, or a value is not what it should be.
        RuleError: no game can go on from a position.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    members = root.members("format", "version", "kind", *_READERS_MEMBERS)
    return Reading(_read_kind(kind_of(root, members, *KINDS), root, members), warnings.all())


_READERS_MEMBERS = (
    "fen", "variant", "last_move", "operations", "tags", "start", "comment", "result", "turns", "variations", "puzzles", "comments",
    "lines",
)  # fmt: skip


def _read_kind(kind: str, root: Node, members: dict[str, Node]) -> ChessDocument:
    if kind == POSITION:
        return _position(root, members)
    if kind == GAME:
        return _game(root, members)
    if kind == PUZZLES:
        return PuzzleSet(tuple(map(_puzzle, _some(root.require(members, "puzzles")))), _comments(members))
    return BookSource(tuple(map(_book_line, _some(root.require(members, "lines")))))


def _some(node: Node) -> Sequence[Node]:
    found = tuple(node.items(MAX_ITEMS))
    if not found:
        raise node.wrong(Phrase("a list with at least one item"))
    return found


def _fen(node: Node, variant: str = "") -> ChessPosition:
    """Read a FEN; its faults get the place of the whole value."""
    try:
        return fen.read(node.string(fen.MAX_LENGTH), variant).value
    except DomainError as error:
        raise error.at(*node.place) from None


def _position(node: Node, members: dict[str, Node]) -> ChessPosition:
    variant = members["variant"].choice(*VARIANTS) if "variant" in members else ""
    position = _fen(node.require(members, "fen"), variant)
    if "last_move" in members:
        last = members["last_move"].string(5)
        if not _UCI.fullmatch(last):
            raise members["last_move"].wrong(Phrase("a move such as e2e4"))
        position = replace(position, last_move=last)
    if "operations" in members:
        operations = tuple((name, operands.strip()) for name, operands in _pairs(members["operations"]))
        for opcode, operands in operations:
            # The clocks are in the FEN.
            if opcode in COUNTS or not (OPCODE.fullmatch(opcode) and OPERANDS.fullmatch(operands)):
                raise members["operations"].wrong(Phrase("a list of EPD operations"))
        position = replace(position, operations=operations)
    return position


def _pairs(node: Node) -> tuple[tuple[str, str], ...]:
    pairs = []
    for item in node.items(MAX_PAIRS):
        pair = [part.string(MAX_OPERAND) for part in item.items(2)]
        if len(pair) != 2:
            raise item.wrong(Phrase("a name and a text"))
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _game(node: Node, members: dict[str, Node]) -> ChessGame:
    start = START
    if "start" in members:
        start = _position(
            members["start"], members["start"].members("fen", "variant", "last_move", "operations")
        )
    return ChessGame(
        start,
        read_lines(node, members, start.board()),
        _tags(members["tags"]) if "tags" in members else (),
        _comment(members),
        members["result"].choice(*RESULTS) if "result" in members else UNKNOWN_RESULT,
    )


def _comment(members: dict[str, Node]) -> str:
    return " ".join(members["comment"].string(MAX_REMARK).split()) if "comment" in members else ""


def _tags(node: Node) -> tuple[tuple[str, str], ...]:
    tags = _pairs(node)
    names = [name for name, _ in tags]
    if not all(map(is_tag_name, names)) or len(set(names)) < len(names):
        raise node.wrong(Phrase("a list of tags, each there once"))
    return tags


def _puzzle(node: Node) -> Puzzle:
    members = node.members("fen", "description", "solution", "comments")
    return Puzzle(
        _fen(node.require(members, "fen")),
        _texts(members, "description", MAX_DESCRIPTION),
        _texts(members, "solution", MAX_SOLUTION),
        comments=_comments(members),
    )


def _comments(members: dict[str, Node]) -> tuple[str, ...]:
    if "comments" not in members:
        return ()
    return tuple(as_comment(item.string(MAX_REMARK)) for item in members["comments"].items(MAX_REMARK))


def _texts(members: dict[str, Node], name: str, most: int) -> tuple[str, ...]:
    if name not in members:
        return ()
    return tuple(as_line(item.string(MAX_TEXT)) for item in members[name].items(most))


def _book_line(node: Node) -> BookLine:
    members = node.members("name", "start", "comment", "turns", "variations")
    start = _fen(members["start"]) if "start" in members else START
    moves = read_lines(node, members, start.board())
    if not moves:
        raise node.wrong(Phrase("a sequence of moves"))
    name = sequence_name(members["name"].string(MAX_NAME)) if "name" in members else ""
    return BookLine(moves, name, start, comment=_comment(members))
