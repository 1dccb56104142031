"""Conversions of chess documents, compared with the table in ``docs/conversions.md``."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.domain.chess.convert import LOSS_PHRASES, as_game
from bot.domain.chess.documents import NOTATION_LABELS, ChessGame, ChessMove
from bot.domain.chess.notations import (
    book as book_reader,
    epd,
    fen,
    json_document,
    pgn,
    puzzles as puzzle_reader,
)
from bot.domain.chess.notations.movetext import MAX_DEPTH
from bot.domain.notations import NOTATIONS, convert, target_notations
from bot.domain.reading.problems import ConversionError, ParseError, RuleError
from tests.domain.chess.test_pgn import GAME
from tests.domain.crossword.test_convert import manual_table, table_cell

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads(
    (ROOT / "bot" / "domain" / "chess" / "data" / "document.schema.json").read_text(encoding="utf-8")
)
ENDGAME = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"
PLAIN_GAME = "1. e4 e5 2. Nf3"
PUZZLES = f"[D]one\n[S]1. e4 Ke7\n{ENDGAME}\n"
BOOK = f'// Open\n1. e4 e5 (1... c5 2. Nc3)\n// End\n[FEN "{ENDGAME}"]\n1. e4 Ke7\n'

SOURCES: dict[str, Any] = {
    "position": fen.read(ENDGAME).value,
    "position after a move": pgn.read(PLAIN_GAME).value.position_at(3),
    "position with operations": epd.read('4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "x";').value,
    "game": pgn.read(PLAIN_GAME).value,
    "game with comments, variations, tags and a result": pgn.read(GAME).value,
    "game from a custom position": pgn.read(f'[FEN "{ENDGAME}"]\n1. e4 Ke7').value,
    "game without moves": pgn.read('[Event "x"]\n[White "alice"]\n[Black "bob"] *').value,
    "position in a variant": fen.read(ENDGAME, "atomic").value,
    "position whose FEN implies its variant": fen.read("4k3/8/8/8/8/8/4P3/4K3[Nn] w - - 5 39").value,
    "game in a variant": pgn.read(f'[Variant "Atomic"]\n{PLAIN_GAME}').value,
    "puzzles": puzzle_reader.read(PUZZLES).value,
    "puzzles with comments": puzzle_reader.read(f"// by alice\n{PUZZLES}# the end\n").value,
    "opening book": book_reader.read(BOOK).value,
}

HEADINGS, *ROWS = manual_table("from chess")
CELLS = [(row[0], to, cell) for row in ROWS for to, cell in zip(HEADINGS[1:], row[1:], strict=True)]


@pytest.mark.parametrize(("source", "to", "cell"), CELLS)
def test_the_losses_of_every_conversion_match_the_manual(source, to, cell):
    assert table_cell(SOURCES[source], to) == cell


def test_the_manual_lists_all_notations_sources_and_losses():
    assert HEADINGS[1:] == list(NOTATION_LABELS)
    assert [row[0] for row in ROWS] == list(SOURCES)
    assert {row[0]: row[1] for row in manual_table("chess loss")[1:]} == LOSS_PHRASES
    assert target_notations(SOURCES["game"]) == tuple(
        name for name in NOTATIONS if name in NOTATION_LABELS and name != "puzzles"
    )


@pytest.mark.parametrize(("source", "to"), [(source, to) for source, to, cell in CELLS if cell == "lossless"])
def test_a_lossless_conversion_round_trips(source, to):
    document = SOURCES[source]
    text = convert(document, to).text
    if source.startswith("puzzles") and to == "epd":
        found = [epd.read(line).value for line in text.splitlines()]
        assert [position.fen for position in found] == [puzzle.position.fen for puzzle in document.puzzles]
        assert dict(found[0].operations)["c0"] == '"one"'
        assert dict(found[0].operations)["c3"] == '"1. e4 Ke7"'
        return
    if source == "opening book" and to == "pgn":
        parts = text.split("\n\n[Event")
        games = [pgn.read(part if index == 0 else f"[Event{part}").value for index, part in enumerate(parts)]
        assert games == [as_game(line) for line in document.lines]
        return
    reread = NOTATIONS[to].read(text).value
    if isinstance(reread, ChessGame) and not isinstance(document, ChessGame):
        assert reread.start == document
    elif hasattr(reread, "puzzles"):
        assert [replace(puzzle, line_number=1) for puzzle in reread.puzzles] == [
            replace(puzzle, line_number=1) for puzzle in document.puzzles
        ]
    elif hasattr(reread, "lines"):
        lines = document.lines if hasattr(document, "lines") else None
        moves = [line.moves for line in reread.lines]
        assert moves == ([line.moves for line in lines] if lines else [document.turns])
    else:
        assert reread == document


def test_a_game_is_converted_at_any_turn():
    game = SOURCES["game with comments, variations, tags and a result"]
    for turn in range(len(game.turns) + 1):
        assert fen.read(convert(game, "fen", turn=turn).text).value.fen == game.position_at(turn).fen
    conversion = convert(game, "uci", turn=2)
    assert conversion.text == "e2e4 e7e5"
    assert pgn.read(convert(game, "pgn", turn=2).text).value.turns == game.turns[:2]
    assert convert(game, "pgn", turn=2).losses == ()


def test_an_impossible_conversion_is_rejected_with_the_reason():
    with pytest.raises(ConversionError, match="a position has no moves to write as UCI"):
        convert(SOURCES["position"], "uci")
    with pytest.raises(ConversionError, match="there is no turn 4; the last turn is 3"):
        convert(SOURCES["game"], "fen", turn=4)
    with pytest.raises(ConversionError, match="this is a single position, so it has no turns to choose from"):
        convert(SOURCES["position"], "fen", turn=0)
    with pytest.raises(ConversionError, match="FEN is for a different kind of document"):
        convert(SOURCES["opening book"], "fen")
    with pytest.raises(ConversionError, match="GCG is for crossword games"):
        convert(SOURCES["game"], "gcg")


def test_braces_in_a_comment_are_reported_as_lost():
    game = ChessGame(turns=(ChessMove("e4", "e2e4", comment="a {b}"),))
    conversion = convert(game, "pgn")
    assert "a (b)" in conversion.text
    assert [loss.message for loss in conversion.losses] == ["comments and annotations"]


@pytest.mark.parametrize("source", SOURCES)
def test_json_follows_the_schema_and_round_trips(source):
    document = SOURCES[source]
    text = convert(document, "json").text
    jsonschema.validate(json.loads(text), SCHEMA)
    assert NOTATIONS["json"].read(text).warnings == ()
    reread: Any = NOTATIONS["json"].read(text).value
    assert json_document.write(reread) == text


def document_json(kind, **members):
    return json.dumps({"format": "kibitz", "version": 1, "kind": kind, **members})


@pytest.mark.parametrize(
    ("text", "error_type", "message"),
    [
        (document_json("chess-position"), ParseError, "'fen' is missing from the document"),
        (document_json("chess-position", fen=3), ParseError, "fen is not a string"),
        (document_json("chess-position", fen="4k3/8/8/8/8/8/8/8 w - - 0 1"), RuleError, "there is no white king"),
        *((document_json("chess-position", fen=ENDGAME, last_move=move), ParseError, "last_move is not a move such as e2e4")
          for move in ("x", "e2e2", "e7e7q")),
        (document_json("chess-game", start={"fen": ENDGAME, "last_move": "a1a1"}), ParseError,
         "start.last_move is not a move such as e2e4"),
        (document_json("chess-game", turns=[{"uci": "e2e2"}]), ParseError, "turns[0].uci is not a move such as e2e4"),
        (document_json("chess-position", fen=ENDGAME, operations=[["b m", "x"]]), ParseError,
         "operations is not a list of EPD operations"),
        (document_json("chess-position", fen=ENDGAME, operations=[["bm"]]), ParseError, "operations[0] is not a pair of a name and a value"),
        (document_json("chess-game", turns=[{"uci": "e2e5"}]), ParseError, "turns[0].uci is an impossible move: e2e5"),
        (document_json("chess-game", turns=[{"uci": "huh"}]), ParseError, "turns[0].uci is not a move such as e2e4"),
        (document_json("chess-game", turns=[{}]), ParseError, "'uci' is missing from turns[0]"),
        (document_json("chess-game", result="2-0"), ParseError, "result is not one of 1-0, 0-1, 1/2-1/2, *"),
        (document_json("chess-game", turns=[{"uci": "e2e4"}], variations=[{"line": 0, "turn": 2, "turns": []}]), ParseError,
         "variations[0].turn is not 1, the only number allowed"),
        (document_json("chess-game", turns=[{"uci": "e2e4"}], variations=[{"line": 0, "turn": 1, "turns": []}]), ParseError,
         "variations[0] has no moves"),
        (document_json("chess-game", turns=[{"uci": "e2e4"}],
                       variations=[{"line": line, "turn": 1, "turns": [{"uci": "e2e4"}]} for line in range(MAX_DEPTH + 1)]),
         ParseError, f"variations[{MAX_DEPTH}] is nested too deeply"),
        (document_json("chess-puzzles", puzzles=[{"fen": ENDGAME, "description": ["a"] * 4}]), ParseError,
         "puzzles[0].description has 4 items; at most 3 are allowed"),
        (document_json("chess-book", lines=[]), ParseError, "lines is not a list with at least one item"),
        (document_json("chess-book", lines=[{"turns": []}]), ParseError, "lines[0] has no moves"),
        (document_json("chess-x"), ParseError,
         "kind is not one of chess-position, chess-game, chess-puzzles, chess-book"),
        (document_json("chess-game").replace("1,", "2,"), ParseError, "version 2 is newer than 1, the latest that this version of Kibitz can read"),
        ('{"kind": "chess-game"}', ParseError,
         "this JSON is not a Kibitz document: its format is not 'kibitz'"),
    ],
)  # fmt: skip
def test_errors_in_json_are_reported(text, error_type, message):
    with pytest.raises(error_type) as caught:
        NOTATIONS["json"].read(text)
    assert caught.value.message == message
