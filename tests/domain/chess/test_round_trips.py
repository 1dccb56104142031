"""Writing and reading a document in any notation preserves it, except for reported losses."""

import json
from typing import Any

import chess
from hypothesis import assume, example, given, settings, strategies as st

from bot.domain.chess.documents import NOTATION_LABELS, BookSource, ChessGame, PuzzleSet
from bot.domain.chess.notations import book as book_reader, polyglot
from bot.domain.chess.notations.polyglot import compile_book
from bot.domain.chess.position import ChessPosition, position_of
from bot.domain.notations import NOTATIONS, convert, detect
from bot.domain.reading.problems import ConversionError, DomainError
from tests.domain.chess.strategies import STARTS, random_board

TEXT = st.one_of(
    st.text(st.sampled_from("ab Z1.é{}()[]\"'\\;:,/#*-=?!%$<>|`_\t\n"), max_size=24),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
"""Texts made of characters that have a meaning in a notation, and texts of any characters."""
SHORT = st.text(st.sampled_from('ab1. é{"\\;/#*-[D]S'), max_size=32)
TAG_NAMES = st.sampled_from(
    ["Event", "Site", "White", "Black", "Opening", "ECO", "WhiteElo", "x_1", "Variant"]
)
OPCODES = st.sampled_from(["id", "bm", "c0", "wdl", "dtz", "D1", "Source", "STS-rating", "acd"])
OPERANDS = st.one_of(
    TEXT.map(lambda text: json.dumps(" ".join(text.split()), ensure_ascii=False)),
    st.sampled_from(["", "e4", "2", "+1.5", "Tal, Riga"]),
)


@st.composite
def moves_and_variations(draw, board, max_moves=12, depth=2):
    """Draw moves from a position, including null moves, with comments and variations.

    Lines are numbered in the order drawn. The parent of a variation is a pair: a line's number, and the number of the move
    that the variation replaces in this line.
    """
    turns, variations = [], []
    pending_lines: list[tuple[Any, int, tuple[int, int] | None]] = [(board.copy(stack=False), 0, None)]
    line_count = 0
    while pending_lines:
        line_board, level, parent = pending_lines.pop(0)
        line = []
        for _ in range(draw(st.integers(0 if parent is None else 1, max_moves >> level))):
            moves = sorted(line_board.legal_moves, key=str)
            if not moves:
                break
            is_null = not line_board.is_check() and draw(st.integers(0, 19)) == 0
            move = chess.Move.null() if is_null else draw(st.sampled_from(moves))
            item = {"uci": move.uci()}
            if draw(st.integers(0, 3)) == 0:
                item["comment"] = draw(TEXT)
            if draw(st.integers(0, 3)) == 0:
                item["nags"] = draw(st.lists(st.integers(0, 999), max_size=3))
            if parent is not None and not line and draw(st.booleans()):
                item["before"] = draw(TEXT)
            line.append(item)
            if level < depth and draw(st.integers(0, 5)) == 0:
                pending_lines.append((line_board.copy(stack=False), level + 1, (line_count, len(line))))
            line_board.push(move)
        if parent is None:
            turns = line
        elif line:
            variations.append({"line": parent[0], "turn": parent[1], "turns": line})
        else:
            continue
        line_count += 1
    return {"turns": turns, "variations": variations}


@st.composite
def positions(draw):
    """Draw a position for a JSON document."""
    board = random_board(draw(st.integers(0, 2**32)), draw(st.integers(0, 60)), draw(st.sampled_from(STARTS)))
    last_move = {"last_move": board.peek().uci()} if board.move_stack and draw(st.booleans()) else {}
    operations = draw(st.lists(st.tuples(OPCODES, OPERANDS), max_size=3))
    return {"fen": board.fen(en_passant="fen"), **last_move, "operations": operations}


@st.composite
def documents(draw):
    kind = draw(st.sampled_from(["position", "game", "puzzles", "book"]))
    if kind == "position":
        members = draw(positions())
    elif kind == "game":
        start = draw(st.one_of(st.just({"fen": chess.STARTING_FEN}), positions()))
        tags = draw(st.dictionaries(TAG_NAMES, TEXT, max_size=4))
        members = {
            "start": start, "tags": list(tags.items()), "comment": draw(TEXT),
            "result": draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])), **draw(moves_and_variations(chess.Board(start["fen"]))),
        }  # fmt: skip
    elif kind == "puzzles":
        members = {"puzzles": draw(st.lists(st.fixed_dictionaries({
            "fen": st.sampled_from(STARTS), "description": st.lists(SHORT, max_size=3), "solution": st.lists(SHORT, max_size=4),
            "comments": st.lists(TEXT, max_size=2),
        }), min_size=1, max_size=3)), "comments": draw(st.lists(TEXT, max_size=2))}  # fmt: skip
    else:
        members = {"lines": []}
        for start in draw(st.lists(st.sampled_from(STARTS), min_size=1, max_size=4)):
            line = draw(moves_and_variations(chess.Board(start), max_moves=6))
            if line["turns"]:
                names = {"name": draw(TEXT), "comment": draw(TEXT)}
                members["lines"].append({"start": start, **names, **line})
        assume(members["lines"])
    return json.dumps({"format": "kibitz", "version": 1, "kind": f"chess-{kind}", **members})


def annotations_of(line):
    return [(move.comment, move.comment_before, move.nags) for move in line]


def contents_of_game(game):
    return {
        "moves": [move.uci for move in game.turns], "fen": game.start.fen, "last-move": game.start.last_move,
        "operations": game.start.operations, "annotations": (annotations_of(game.turns), game.comment),
        "variations": [move.variations for move in game.turns], "tags": set(game.tags), "result": game.result,
    }  # fmt: skip


def contents_of(document):
    """Return the parts of a document that a conversion can lose, by the code of the loss that reports them."""
    match document:
        case ChessPosition():
            return contents_of_game(ChessGame(document))
        case ChessGame():
            return contents_of_game(document)
        case PuzzleSet():
            puzzles = [
                (puzzle.position.fen, puzzle.description, puzzle.solution) for puzzle in document.puzzles
            ]
            comments = [puzzle.comments for puzzle in document.puzzles], document.comments
            return {"fen": [puzzle[0] for puzzle in puzzles], "texts": puzzles, "annotations": comments}
        case BookSource():
            sequences = document.lines
            return {
                "sequences": [(line.start.fen, [move.uci for move in line.moves]) for line in sequences],
                "annotations": [(annotations_of(line.moves), line.comment) for line in sequences],
                "variations": [[move.variations for move in line.moves] for line in sequences],
                "tags": [line.name for line in sequences],
            }


def game_of(source):
    [line] = source.lines
    return ChessGame(line.start, line.moves, (("Opening", line.name),) if line.name else (), line.comment)


def contents_of_text(document, to, text):
    if isinstance(document, PuzzleSet) and to != "puzzles":
        return None  # the text has a position on each line, so it is not one document
    if isinstance(document, BookSource) and to == "pgn":
        games = [NOTATIONS["pgn"].read(found.text).value for found in detect(text)]
        return {
            "sequences": [(game.start.fen, [move.uci for move in game.turns]) for game in games],
            "annotations": [(annotations_of(game.turns), game.comment) for game in games],
            "variations": [[move.variations for move in game.turns] for game in games],
            "tags": [dict(game.tags).get("Opening", "") for game in games],
        }
    reread = NOTATIONS[to].read(text).value
    return contents_of(game_of(reread) if isinstance(document, ChessGame) and to == "book" else reread)


def check_round_trips(document):
    """Write a document in every notation, and read the text. Each difference must have been reported as a loss."""
    contents_before = contents_of(document)
    for to in NOTATION_LABELS:
        try:
            conversion = convert(document, to)
        except ConversionError:
            continue
        losses = {loss.code for loss in conversion.losses}
        if to == "json":
            assert not losses
            assert contents_of(NOTATIONS[to].read(conversion.text).value) == contents_before
            continue
        contents_after = contents_of_text(document, to, conversion.text)
        if contents_after is None or (isinstance(document, ChessGame) and to in ("fen", "epd")):
            continue
        assert {
            code for code in contents_before if contents_before[code] != contents_after[code]
        } <= losses, (to, conversion.text)


@settings(max_examples=60)
@given(documents())
def test_any_document_round_trips_or_its_losses_are_reported(text):
    check_round_trips(NOTATIONS["json"].read(text).value)


QUOTED = TEXT.map(lambda text: " ".join(text.split()))
TAGS = st.builds(
    "[{} {}{}{}]\n".format,
    TAG_NAMES,
    st.sampled_from(['"', '""', "", "'"]),
    QUOTED,
    st.sampled_from(['"', '""', ""]),
)
MOVES = st.builds(
    lambda seed, plies, remarks: " ".join(
        f"{move.uci()} {remark}" for move, remark in zip(random_board(seed, plies).move_stack, remarks, strict=False)
    ),
    st.integers(0, 2**16), st.integers(1, 8),
    st.lists(st.one_of(st.just(""), TEXT.map("{{{}}}".format), st.sampled_from(["$4", "!?", "; a}\n", "// b\n", "(Nf3 {c})", "({d})"])),
             min_size=8, max_size=8),
)  # fmt: skip
DOCUMENT_TEXTS = st.one_of(
    st.builds("{} {}".format, st.sampled_from(STARTS), st.lists(st.builds("{} {};".format, OPCODES, OPERANDS)).map(" ".join)),
    st.builds("{}\n1. {} {}".format, st.lists(TAGS, max_size=4).map("".join), MOVES, st.sampled_from(["1-0", "*", ""])),
    st.lists(st.builds("{}\n1. {}\n".format, st.one_of(st.just(""), TAGS, QUOTED.map("// {}".format)), MOVES),
             min_size=1, max_size=4).map("".join),
    st.lists(st.builds("[D]{}\n[S]{}\n{}\n".format, SHORT, SHORT, st.sampled_from(STARTS)), min_size=1, max_size=3).map("".join),
)  # fmt: skip


@settings(max_examples=60)
@given(DOCUMENT_TEXTS, st.sampled_from(["fen", "epd", "pgn", "puzzles", "book"]))
@example(f"[D]two  spaces\n[S]1  1\n{STARTS[0]}\n", "puzzles")
def test_any_text_round_trips_or_its_losses_are_reported(text, notation):
    try:
        document = NOTATIONS[notation].read(text).value
    except DomainError:
        return
    check_round_trips(document)


@settings(max_examples=30)
@given(DOCUMENT_TEXTS)
def test_a_compiled_book_is_read_with_every_move_of_its_source(text):
    try:
        reading = book_reader.read(text)
    except DomainError:
        return
    compiled = compile_book(reading.value)
    data = polyglot.write(compiled)
    assert data
    reread_book = polyglot.read(data)
    for line in reading.value.lines:
        board = line.start.board()
        for move in line.moves:
            if move.uci == "0000":
                assert "book-null" in {warning.code for warning in reading.warnings}
                break
            position = position_of(board)
            found = {
                (continuation.uci, continuation.count) for continuation in reread_book.continuations(position)
            }
            assert found == {
                (continuation.uci, continuation.count) for continuation in compiled.continuations(position)
            }
            assert move.uci in {uci for uci, _ in found}
            board.push_uci(move.uci)
