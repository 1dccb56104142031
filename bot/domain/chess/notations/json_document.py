"""Chess documents as JSON, for programs. ``docs/json.md`` explains each member.

>>> from bot.domain.chess.position import START
>>> document = write(START)
>>> read(document).value == START
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import chess

from bot.domain.chess.documents import (
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_SOLUTION,
    MAX_TEXT,
    RESULTS,
    UNKNOWN_RESULT,
    BookLine,
    BookSource,
    ChessDocument,
    ChessGame,
    ChessMove,
    Puzzle,
    PuzzleSet,
    sequence_name,
)
from bot.domain.chess.notations import fen
from bot.domain.chess.notations.epd import COUNTS, OPCODE, OPERANDS
from bot.domain.chess.notations.movetext import MAX_DEPTH, MAX_MOVES, is_tag_name
from bot.domain.chess.notations.puzzles import as_comment, as_line
from bot.domain.chess.position import START, VARIANTS, ChessPosition
from bot.domain.reading.json_document import Members, Node, kind_of, lay_out, parse
from bot.domain.reading.problems import DomainError, Phrase, Reading, Warnings

MAX_ITEMS = 10_000
MAX_PAIRS = 100
MAX_OPERAND = 1_000_000
_KIND = re.compile(r'"kind"\s{0,40}:\s{0,40}"chess-')
_MAX_HEAD = 1_000
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrqk]?|[PNBRQ]@[a-h][1-8]|0000")


def is_chess(text: str) -> bool:
    """Return whether a JSON text is a chess document: its kind stands near the beginning."""
    return _KIND.search(text, 0, _MAX_HEAD) is not None


def read(text: str) -> Reading[ChessDocument]:
    """Read a document.

    Raises:
        ParseError: the text is no JSON, of a later version, or a value is not what it should be.
        RuleError: no game can go on from a position.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    members = root.members(
        "format", "version", "kind", "fen", "variant", "last_move", "operations", "tags", "start", "comment", "result",
        "turns", "variations", "puzzles", "comments", "lines",
    )  # fmt: skip
    document: ChessDocument
    match kind_of(root, members, *KINDS):
        case "chess-position":
            document = _position(root, members)
        case "chess-game":
            document = _game(root, members)
        case "chess-puzzles":
            puzzles = tuple(map(_puzzle, _some(root.require(members, "puzzles"))))
            document = PuzzleSet(puzzles, _comments(members))
        case _:
            document = BookSource(tuple(map(_book_line, _some(root.require(members, "lines")))))
    return Reading(document, warnings.all())


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
        operations = tuple(
            (name, operands.strip()) for name, operands in members["operations"].pairs(MAX_PAIRS, MAX_OPERAND)
        )
        for opcode, operands in operations:
            # The clocks are in the FEN.
            if opcode in COUNTS or not (OPCODE.fullmatch(opcode) and OPERANDS.fullmatch(operands)):
                raise members["operations"].wrong(Phrase("a list of EPD operations"))
        position = replace(position, operations=operations)
    return position


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
        _remark(members, "comment"),
        members["result"].choice(*RESULTS) if "result" in members else UNKNOWN_RESULT,
    )


def _tags(node: Node) -> tuple[tuple[str, str], ...]:
    tags = node.pairs(MAX_PAIRS, MAX_OPERAND)
    names = [name for name, _ in tags]
    if not all(map(is_tag_name, names)) or len(set(names)) < len(names):
        raise node.wrong(Phrase("a list of tags without repetition"))
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
    return BookLine(moves, name, start, comment=_remark(members, "comment"))


POSITION, GAME, PUZZLES, BOOK = KINDS = ("chess-position", "chess-game", "chess-puzzles", "chess-book")
"""The kinds of documents."""

MAX_REMARK = 1_000_000
MAX_NAGS = 1_000
_MAX_NAG = 999


def line_members(moves: tuple[ChessMove, ...]) -> Members:
    """Return the members ``turns`` and ``variations``."""
    lines = [moves]
    variations: list[Members] = []
    for number, line in enumerate(lines):  # grows as variations of variations are found
        for turn, move in enumerate(line, start=1):
            for variation in move.variations:
                lines.append(variation)
                variations.append({"line": number, "turn": turn, "turns": _turns(variation)})
    return {"turns": _turns(moves)} | _given({"variations": variations})


def _turns(moves: tuple[ChessMove, ...]) -> list[Members]:
    return [
        {"san": move.san, "uci": move.uci}
        | _given({"comment": move.comment, "before": move.before, "nags": list(move.nags)})
        for move in moves
    ]


def _given(members: Members) -> Members:
    """Return the members that are not empty."""
    return {name: value for name, value in members.items() if value}


_Move = tuple[Node, str, str, tuple[int, ...]]
"""A move in UCI, what is said after it and before it, and its annotations, before it is played."""


def read_lines(node: Node, members: dict[str, Node], board: chess.Board) -> tuple[ChessMove, ...]:
    """Read the members ``turns`` and ``variations`` and play them; the board is left where the main line ends.

    Raises:
        ParseError: a value is not what it should be, or a move is not possible.

    """
    lines = [_read_line(members["turns"])] if "turns" in members else [[]]
    depths = [0]
    variations: dict[tuple[int, int], list[int]] = {}
    for item in members["variations"].items(MAX_MOVES) if "variations" in members else ():
        variation_members = item.members("line", "turn", "turns")
        line = item.require(variation_members, "line").integer(0, len(lines) - 1)
        turn = item.require(variation_members, "turn").integer(1, max(1, len(lines[line])))
        variation = _read_line(item.require(variation_members, "turns"))
        if not variation or not lines[line] or depths[line] == MAX_DEPTH:
            raise item.wrong(Phrase("a variation on a turn"))
        variations.setdefault((line, turn), []).append(len(lines))
        lines.append(variation)
        depths.append(depths[line] + 1)
    if sum(map(len, lines)) > MAX_MOVES:
        raise node.fail("json-too-many", "{where} has more than {limit} moves", limit=MAX_MOVES)

    def play(board: chess.Board, number: int) -> tuple[ChessMove, ...]:
        moves = []
        for turn, (uci, comment, before, nags) in enumerate(lines[number], start=1):
            move = _legal_move(board, uci)
            others = tuple(
                play(board.copy(stack=False), other) for other in variations.get((number, turn), ())
            )
            moves.append(ChessMove(board.san(move), move.uci(), comment, before, nags, others))
            board.push(move)
        return tuple(moves)

    return play(board, 0)


def _read_line(node: Node) -> list[_Move]:
    return [_read_move(item) for item in node.items(MAX_MOVES)]


def _read_move(node: Node) -> _Move:
    members = node.members("san", "uci", "comment", "before", "nags")
    uci, comment, before = (
        node.require(members, "uci"),
        _remark(members, "comment"),
        _remark(members, "before"),
    )
    nags = {nag.integer(0, _MAX_NAG) for nag in members["nags"].items(MAX_NAGS)} if "nags" in members else ()
    return uci, comment, before, tuple(sorted(nags))


def _remark(members: dict[str, Node], name: str) -> str:
    return " ".join(members[name].string(MAX_REMARK).split()) if name in members else ""


def _legal_move(board: chess.Board, node: Node) -> chess.Move:
    try:
        move = chess.Move.from_uci(node.string(5))
    except ValueError:
        raise node.wrong(Phrase("a move such as e2e4")) from None
    if move and not board.is_legal(move):
        raise node.fail("json-move", "{where} is an impossible move: {move}", move=move.uci())
    return move


def write(document: ChessDocument) -> str:
    """Write a document; what is empty is left out."""
    match document:
        case ChessPosition():
            return lay_out(POSITION, _position_members(document))
        case ChessGame(start=start):
            members = _given(
                {
                    "tags": [list(pair) for pair in document.tags],
                    "start": _position_members(start) if start != START else None,
                    "comment": document.comment,
                }
            )
            return lay_out(GAME, members | {"result": document.result} | line_members(document.turns))
        case PuzzleSet():
            puzzles: Members = {
                "puzzles": [
                    {
                        "fen": puzzle.position.fen,
                        "description": list(puzzle.description),
                        "solution": list(puzzle.solution),
                    }
                    | _given({"comments": list(puzzle.comments)})
                    for puzzle in document.puzzles
                ]
            }
            return lay_out(PUZZLES, puzzles | _given({"comments": list(document.comments)}))
        case _:
            return lay_out(BOOK, {"lines": [_book_members(line) for line in document.lines]})


def _position_members(position: ChessPosition) -> Members:
    operations = [list(pair) for pair in position.operations]
    return {"fen": position.fen} | _given(
        {"variant": position.variant, "last_move": position.last_move, "operations": operations}
    )


def _book_members(line: BookLine) -> Members:
    start = line.start.fen if line.start.fen != START.fen else ""
    return {"name": line.name} | _given({"start": start, "comment": line.comment}) | line_members(line.moves)
