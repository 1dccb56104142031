"""Chess documents as JSON. ``docs/json.md`` explains each member.

>>> from bot.domain.chess.position import START_POSITION
>>> document = write(START_POSITION)
>>> read(document).value == START_POSITION
True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from bot.domain.chess.documents import (
    MAX_DESCRIPTION_LINES,
    MAX_LINE_LENGTH,
    MAX_NAME_LENGTH,
    MAX_SOLUTION_LINES,
    RESULTS,
    BookLine,
    BookSource,
    ChessDocument,
    ChessGame,
    ChessMove,
    Puzzle,
    PuzzleSet,
    line_name,
)
from bot.domain.chess.notations import fen
from bot.domain.chess.notations.epd import CLOCK_OPCODES, OPCODE, OPERANDS
from bot.domain.chess.notations.movetext import MAX_DEPTH, MAX_MOVES, is_ordinary_tag_name
from bot.domain.chess.notations.puzzles import as_comment, as_line
from bot.domain.chess.position import START_POSITION, VARIANTS, ChessPosition
from bot.domain.chess.python_chess import chess
from bot.domain.reading.json_document import (
    HEADER_NAMES,
    Codec,
    Codecs,
    Members,
    Node,
    keep_empty,
    kind_of,
    list_codec,
    number,
    pairs,
    parse,
    read_members,
    record,
    reject_empty,
    write_document,
    write_members,
)
from bot.domain.reading.problems import DomainError, Phrase, Reading, Warnings

MAX_ITEMS = 10_000
"""Maximum number of puzzles, or of lines in a book."""
MAX_PAIRS = 100
"""Maximum number of tags or EPD operations."""
MAX_OPERAND_LENGTH = 1_000_000
"""Maximum number of characters in a tag's value or an operation's operands."""
_KIND = re.compile(r'"kind"\s{0,40}:\s{0,40}"chess-')
POSITION, GAME, PUZZLES, BOOK = "chess-position", "chess-game", "chess-puzzles", "chess-book"
_KIND_BY_CLASS = {ChessPosition: POSITION, ChessGame: GAME, PuzzleSet: PUZZLES, BookSource: BOOK}
_UCI = re.compile(r"([a-h][1-8])(?!\1)[a-h][1-8][nbrqk]?|[PNBRQ]@[a-h][1-8]|0000")


def is_chess(text: str) -> bool:
    return _KIND.search(text, 0, 1_000) is not None


def read(text: str) -> Reading[ChessDocument]:
    """Read a document.

    Raises:
        ParseError: the text is not JSON, its version is too new, or a value does not follow the schema.
        RuleError: a position is illegal.

    """
    warnings = Warnings(text)
    root = parse(text.removeprefix("\ufeff"), warnings)
    kind = kind_of(root, *KINDS)
    make, codecs, required = KINDS[kind]
    members = root.members(*HEADER_NAMES, *codecs, *(_LINE_MEMBERS if kind == GAME else ()))
    values = read_members(root, members, codecs, required, lambda _: None)
    if kind == GAME:
        values["turns"] = read_move_lines(root, members, values.get("start", START_POSITION).board())
    return Reading(make(**values), warnings.all())


def write(document: ChessDocument) -> str:
    kind = _KIND_BY_CLASS[type(document)]
    lines = write_move_lines(document.turns) if isinstance(document, ChessGame) else {}
    return write_document(kind, write_members(document, KINDS[kind][1], None) | lines)


def _read_fen(node: Node, variant: str = "") -> ChessPosition:
    try:
        return fen.read(node.string(fen.MAX_LENGTH), variant).value
    except DomainError as error:
        raise error.at(*node.location) from None


def _make_position(
    fen: Node, variant: str = "", last_move: str = "", operations: tuple[tuple[str, str], ...] = ()
) -> ChessPosition:
    return replace(_read_fen(fen, variant), last_move=last_move, operations=operations)


def _read_last_move(node: Node, _: object) -> str:
    move = node.string(5)
    if not _UCI.fullmatch(move):
        raise node.error("json-type", "{where} is not a move such as e2e4")
    return move


def _read_operations(node: Node, _: object) -> tuple[tuple[str, str], ...]:
    operations = tuple((name, operands.strip()) for name, operands in _PAIRS.read(node, None))
    for opcode, operands in operations:
        if opcode in CLOCK_OPCODES or not (OPCODE.fullmatch(opcode) and OPERANDS.fullmatch(operands)):
            raise node.error("json-type", "{where} is not a list of EPD operations")
    return operations


def _read_tags(node: Node, _: object) -> tuple[tuple[str, str], ...]:
    tags: tuple[tuple[str, str], ...] = _PAIRS.read(node, None)
    names = [name for name, _ in tags]
    if not all(map(is_ordinary_tag_name, names)) or len(set(names)) < len(names):
        raise node.error("json-type", "{where} is not a list of distinct tags")
    return tags


def _text_list_codec(clean: Callable[[str], str], max_length: int, max_count: int) -> Codec:
    return list_codec(Codec(lambda node, _: clean(node.string(max_length)), lambda text, _: text), max_count)


def _nonempty_list_codec(codec: Codec) -> Codec:
    return reject_empty(
        list_codec(codec, MAX_ITEMS), "json-type", Phrase("{where} is not a list with at least one item")
    )


def _read_book_line(node: Node, _: object) -> BookLine:
    members = node.members(*_BOOK_LINE, *_LINE_MEMBERS)
    values = read_members(node, members, _BOOK_LINE, "", lambda _: None)
    moves = read_move_lines(node, members, values.get("start", START_POSITION).board())
    if not moves:
        raise node.error("json-type", "{where} has no moves")
    return BookLine(moves, **values)


MAX_REMARK_LENGTH = 1_000_000
"""Maximum number of characters in a comment."""
MAX_COMMENTS = 1_000_000
"""Maximum number of comments in a puzzle, or after the last puzzle."""
MAX_NAGS = 1_000
_MAX_NAG_VALUE = 999
_LINE_MEMBERS = ("turns", "variations")
_PAIRS = pairs(MAX_PAIRS, MAX_OPERAND_LENGTH)
_REMARK = Codec(lambda node, _: " ".join(node.string(MAX_REMARK_LENGTH).split()))
_COMMENTS = _text_list_codec(as_comment, MAX_REMARK_LENGTH, MAX_COMMENTS)
_POSITION: Codecs = {
    "fen": Codec(lambda node, _: node),
    "variant": Codec(lambda node, _: node.choice(*VARIANTS)),
    "last_move": Codec(_read_last_move),
    "operations": Codec(_read_operations, _PAIRS.write),
}
_START = record(_make_position, "fen", **_POSITION)
_GAME: Codecs = {
    "tags": Codec(_read_tags, _PAIRS.write),
    "start": Codec(
        _START.read, lambda start, _: None if start == START_POSITION else _START.write(start, None)
    ),
    "comment": _REMARK,
    "result": Codec(lambda node, _: node.choice(*RESULTS)),
}


_PUZZLE = record(
    Puzzle,
    "fen",
    fen=Codec(lambda node, _: _read_fen(node), lambda position, _: position.fen, "position"),
    description=keep_empty(_text_list_codec(as_line, MAX_LINE_LENGTH, MAX_DESCRIPTION_LINES), []),
    solution=keep_empty(_text_list_codec(as_line, MAX_LINE_LENGTH, MAX_SOLUTION_LINES), []),
    comments=_COMMENTS,
)
_BOOK_LINE: Codecs = {
    "name": Codec(lambda node, _: line_name(node.string(MAX_NAME_LENGTH)), lambda name, _: name),
    "start": Codec(
        lambda node, _: _read_fen(node),
        lambda start, _: None if start.fen == START_POSITION.fen else start.fen,
    ),
    "comment": _REMARK,
}
_BOOK: Codecs = {
    "lines": _nonempty_list_codec(
        Codec(
            _read_book_line,
            lambda line, _: write_members(line, _BOOK_LINE, None) | write_move_lines(line.moves),
        )
    )._replace(attribute="lines")
}
KINDS: dict[str, tuple[Callable[..., ChessDocument], Codecs, str]] = {
    POSITION: (_make_position, _POSITION, "fen"),
    GAME: (ChessGame, _GAME, ""),
    PUZZLES: (PuzzleSet, {"puzzles": _nonempty_list_codec(_PUZZLE), "comments": _COMMENTS}, "puzzles"),
    BOOK: (BookSource, _BOOK, "lines"),
}
"""For each kind: constructor, members, and names of required members."""


def write_move_lines(moves: tuple[ChessMove, ...]) -> Members:
    lines = [moves]
    variations: list[Members] = []
    for index, line in enumerate(lines):  # ``lines`` grows as variations of variations are found
        for turn, move in enumerate(line, start=1):
            for variation in move.variations:
                lines.append(variation)
                variations.append({"line": index, "turn": turn, "turns": _write_turns(variation)})
    return {"turns": _write_turns(moves)} | ({"variations": variations} if variations else {})


def _write_turns(moves: tuple[ChessMove, ...]) -> object:
    return _LINE.write(moves, None) or []


_UnplayedMove = tuple[Node, str, str, tuple[int, ...]]
"""A move to be played: UCI, comment after, comment before, annotations."""


def read_move_lines(node: Node, members: dict[str, Node], board: chess.Board) -> tuple[ChessMove, ...]:
    """Read the members ``turns`` and ``variations``, and play the main line on the board.

    Raises:
        ParseError: a value does not follow the schema, or a move is not possible.

    """
    lines = [_LINE.read(members["turns"], None) if "turns" in members else ()]
    depths = [0]
    variations: dict[tuple[int, int], list[int]] = {}
    for item in members["variations"].items(MAX_MOVES) if "variations" in members else ():
        variation_members = item.members("line", "turn", "turns")
        line = item.require(variation_members, "line").integer(0, len(lines) - 1)
        turn = item.require(variation_members, "turn").integer(1, max(1, len(lines[line])))
        variation = _LINE.read(item.require(variation_members, "turns"), None)
        if not variation:
            raise item.error("json-type", "{where} has no moves")
        if not lines[line]:
            raise item.error("json-type", "{where} is not a variation on a turn")
        if depths[line] == MAX_DEPTH:
            raise item.error("json-depth", "{where} is nested too deeply")
        variations.setdefault((line, turn), []).append(len(lines))
        lines.append(variation)
        depths.append(depths[line] + 1)
    if sum(map(len, lines)) > MAX_MOVES:
        raise node.error("json-too-many", "{where} has more than {limit} moves", limit=MAX_MOVES)

    def play(board: chess.Board, line_index: int) -> tuple[ChessMove, ...]:
        moves = []
        for turn, (uci, comment, comment_before, nags) in enumerate(lines[line_index], start=1):
            move = _legal_move(board, uci)
            move_variations = tuple(
                play(board.copy(stack=False), variation_index)
                for variation_index in variations.get((line_index, turn), ())
            )
            moves.append(
                ChessMove(board.san(move), move.uci(), comment, comment_before, nags, move_variations)
            )
            board.push(move)
        return tuple(moves)

    return play(board, 0)


def _unplayed_move(
    uci: Node, comment: str = "", comment_before: str = "", nags: tuple[int, ...] = (), **_: str
) -> _UnplayedMove:
    # ``san`` is not needed, because ``uci`` determines the move.
    return uci, comment, comment_before, tuple(sorted(set(nags)))


_LINE = list_codec(
    record(
        _unplayed_move,
        "uci",
        san=Codec(lambda *_: "", lambda san, _: san),
        uci=Codec(lambda node, _: node),
        comment=_REMARK,
        before=_REMARK._replace(attribute="comment_before"),
        nags=list_codec(number(0, _MAX_NAG_VALUE), MAX_NAGS),
    ),
    MAX_MOVES,
)


def _legal_move(board: chess.Board, node: Node) -> chess.Move:
    try:
        move = chess.Move.from_uci(node.string(5))
    except ValueError:
        raise node.error("json-type", "{where} is not a move such as e2e4") from None
    if move and not board.is_legal(move):
        raise node.error("json-move", "{where} is an impossible move: {move}", move=move.uci())
    return move
