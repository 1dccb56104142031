"""Lines of moves with their variations as members of JSON documents.

Variations stand beside the main line in one list, each with the number of the line (0 for the main one, else its place in
the list from 1) and the turn (from 1) it is another way for: however deep they are in one another, the text is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import chess

from bot.domain.chess.game import ChessMove
from bot.domain.chess.notations.pgn.lines import MAX_DEPTH, MAX_MOVES
from bot.domain.reading.json_document import Members
from bot.domain.reading.json_node import Node
from bot.domain.reading.problems import Phrase

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
                variations.append(
                    {"line": number, "turn": turn, "turns": [_move_members(other) for other in variation]}
                )
    members: Members = {"turns": [_move_members(move) for move in moves]}
    return members | {"variations": variations} if variations else members


def _move_members(move: ChessMove) -> Members:
    members: Members = {"san": move.san, "uci": move.uci}
    told = {"comment": move.comment, "before": move.before, "nags": list(move.nags)}
    return members | {name: value for name, value in told.items() if value}


@dataclass(slots=True)
class _Told:
    """A move as it is written, before it is played."""

    uci: Node
    comment: str
    before: str
    nags: tuple[int, ...]
    variations: list[list[_Told]] = field(default_factory=list)


def read_lines(node: Node, members: dict[str, Node], board: chess.Board) -> tuple[ChessMove, ...]:
    """Read the members ``turns`` and ``variations`` and play them; the board is left where the main line ends.

    Raises:
        ParseError: a value is not what it should be, or a move is not possible.

    """
    lines = [_line(members["turns"])] if "turns" in members else [[]]
    depths = [0]
    for item in members["variations"].items(MAX_MOVES) if "variations" in members else ():
        told = item.members("line", "turn", "turns")
        line = item.require(told, "line").integer(0, len(lines) - 1)
        turn = item.require(told, "turn").integer(1, max(1, len(lines[line])))
        variation = _line(item.require(told, "turns"))
        if not variation or not lines[line] or depths[line] == MAX_DEPTH:
            raise item.wrong(Phrase("a variation on a turn"))
        lines[line][turn - 1].variations.append(variation)
        lines.append(variation)
        depths.append(depths[line] + 1)
    if sum(map(len, lines)) > MAX_MOVES:
        raise node.fail("json-too-many", "{where} has more than {limit} moves", limit=MAX_MOVES)
    return _play(board, lines[0])


def _line(node: Node) -> list[_Told]:
    return [_read_move(item) for item in node.items(MAX_MOVES)]


def _read_move(node: Node) -> _Told:
    members = node.members("san", "uci", "comment", "before", "nags")
    return _Told(
        node.require(members, "uci"),
        _remark(members, "comment"),
        _remark(members, "before"),
        tuple(sorted({nag.integer(0, _MAX_NAG) for nag in members["nags"].items(MAX_NAGS)}))
        if "nags" in members
        else (),
    )


def _remark(members: dict[str, Node], name: str) -> str:
    return " ".join(members[name].string(MAX_REMARK).split()) if name in members else ""


def _play(board: chess.Board, line: list[_Told]) -> tuple[ChessMove, ...]:
    moves = []
    for told in line:
        move = _move(board, told.uci)
        variations = tuple(_play(board.copy(stack=False), other) for other in told.variations)
        moves.append(ChessMove(board.san(move), move.uci(), told.comment, told.before, told.nags, variations))
        board.push(move)
    return tuple(moves)


def _move(board: chess.Board, node: Node) -> chess.Move:
    try:
        move = chess.Move.from_uci(node.string(5))
    except ValueError:
        raise node.wrong(Phrase("a move such as e2e4")) from None
    if move and not board.is_legal(move):
        raise node.fail("json-move", "{where} is not possible: {move}", move=move.uci())
    return move
