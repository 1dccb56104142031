"""JSON documents are read back unchanged and match the schema. Faults are reported with their location."""

import dataclasses
import json
import re
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import cgp, json_document
from bot.domain.crossword.play import Comment, Pass, PlayerName, ShownRack, Turn
from bot.domain.crossword.position import LastPlay, Player, Position
from bot.domain.crossword.rules import Letter, LetterDistribution, Rules
from bot.domain.reading import json_document as reading_json
from bot.domain.reading.problems import ConversionError, ParseError, Warnings
from tests.domain.crossword.strategies import any_games, custom_distributions, custom_layouts, positions
from tests.positions import EMPTY_BOARD

SCHEMA = json.loads(
    (resources.files("bot.domain.crossword") / "data" / "document.schema.json").read_text(encoding="utf-8")
)
MANUAL = (Path(__file__).parents[4] / "docs" / "json.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@st.composite
def any_positions(draw) -> Position:
    position = draw(positions())
    rules = position.rules
    if draw(st.booleans()):
        layout = draw(custom_layouts(position.board.rows, position.board.columns))
        rules = dataclasses.replace(rules, layout=layout)
    if draw(st.booleans()):
        empty_position = dataclasses.replace(
            position,
            rules=dataclasses.replace(rules, distribution=draw(custom_distributions())),
            board=dataclasses.replace(position.board, squares=(0,) * len(position.board.squares)),
            players=(Player(5, (0, 1)), Player(7)),
            last_play=LastPlay(Pass(), seat=1),
            on_turn=1,
        )
        return dataclasses.replace(
            empty_position,
            board=empty_position.board.with_tiles([(0, 1), (len(empty_position.board.squares) - 1, -1)]),
        )
    return dataclasses.replace(position, rules=rules)


class TestRoundTrip:
    @given(any_positions())
    def test_positions_round_trip(self, validator, position):
        text = json_document.write(position)
        assert json_document.read(text).value == position
        validator.validate(json.loads(text))

    @given(any_games())
    def test_games_round_trip(self, validator, game):
        text = json_document.write(game)
        assert json_document.read(text).value == game
        validator.validate(json.loads(text))

    def test_a_written_position_has_short_readable_lines(self):
        position = cgp.read(f"{EMPTY_BOARD[3:]}/7Ab6 Q?/ 24/0 0 lex CSW24;").value
        text = json_document.write(position)
        assert '"rules": {' in text
        assert '"tiles": "english"' in text
        assert '["", "", "", "", "", "", "", "A", "?B", "", "", "", "", "", ""]' in text
        assert '"players": [{"rack": ["Q", "?"], "score": 24}, {"score": 0}]' in text
        assert max(map(len, text.split("\n"))) <= 110


class TestManual:
    @pytest.mark.parametrize(
        "kind", [Position, Game, Rules, Player, LastPlay, PlayerName, Turn, ShownRack, Comment]
    )
    def test_every_field_has_a_member(self, kind):
        member_names = {
            "distribution": "tiles",
            "layout": "board",
            "bingo_multiplier": "bingo_times",
            "names": "players",
            "end_scoring": "end_count",
            "rack_unknown_count": "rack_unknown",
            "unknown_count": "unknown",
            "moment": "after",
            "ignore_opponent_racks": "opponent_rack_unknown",
            "seat": "player",
            "counted_tiles": "tiles",
            "clock_ms": "clock",
            "min_bag_for_exchange": "exchange_limit",
            "increment_ms": "time_increment",
            "max_overtime_ms": "max_overtime",
        }
        for field in dataclasses.fields(kind):
            if (kind, field.name) == (Turn, "line"):
                continue  # the line number in the source text is not stored
            name = member_names.get(field.name, field.name)
            assert f'"{name}"' in json.dumps(SCHEMA["$defs"]), name
            assert name in MANUAL, name

    def test_every_member_of_the_schema_is_in_the_manual(self):
        def members(value):
            if isinstance(value, dict):
                yield from value.get("properties", {})
                for item in value.values():
                    yield from members(item)
            elif isinstance(value, list):
                for item in value:
                    yield from members(item)

        assert [name for name in members(SCHEMA) if not re.search(rf"\b{name}\b", MANUAL)] == []


def document_json(**members: object) -> str:
    """Return a position in JSON with these members. A member with the value ``None`` is removed."""
    default_members = {
        "format": "kibitz",
        "version": 1,
        "kind": "position",
        "rules": {"tiles": "english", "board": {"rows": ["..", ".."]}},
        "board": [["", "A"], ["?B", ""]],
        "players": [{"score": 1}],
    }
    present_members = {
        name: value for name, value in (default_members | members).items() if value is not None
    }
    return json.dumps(present_members, indent=1)


def test_a_small_document_is_read():
    position = json_document.read(document_json()).value
    assert position.board.squares == (0, 1, -2, 0)
    assert position.rules.bingo_bonus == 50
    assert position.rules.layout.start == (1, 1)


def test_null_means_the_same_as_a_missing_member():
    text = document_json(last_play=None, game_id="x").replace('"x"', "null")
    assert json_document.read(text).value == json_document.read(document_json()).value


def test_unknown_members_are_ignored_with_a_warning():
    reading = json_document.read(document_json(players=[{"score": 1, "mood": "good"}], weather="fine"))
    assert [warning.message for warning in reading.warnings] == [
        "weather is unknown; ignored",
        "players[0].mood is unknown; ignored",
    ]
    assert reading.warnings[1].line > 1


def test_too_many_tiles_are_reported():
    reading = json_document.read(document_json(board=[["Z", "Z"], ["Z", "Z"]]))
    assert [warning.code for warning in reading.warnings] == ["too-many-tiles"]


@pytest.mark.parametrize(
    ("members", "code", "message"),
    [
        (
            {"format": "other"},
            "json-format",
            "this JSON is not a Kibitz document: its format is not 'kibitz'",
        ),
        (
            {"version": 2},
            "json-version",
            "version 2 is newer than 1, the latest that this version of Kibitz can read",
        ),
        ({"version": None}, "json-missing", "'version' is missing from the document"),
        ({"kind": "puzzle"}, "json-type", "kind is not one of position, game"),
        ({"rules": None}, "json-missing", "'rules' is missing from the document"),
        ({"rules": {"tiles": "elvish", "board": "CrosswordGame"}}, "unknown-distribution", None),
        ({"rules": {"tiles": "english", "board": "round"}}, "unknown-layout", None),
        ({"rules": {"tiles": "english", "board": {"rows": ["xx"]}}}, "json-type", None),
        ({"rules": {"tiles": "english", "board": {"rows": ["..", "."]}}}, "json-type", None),
        ({"rules": {"tiles": "english", "board": {"rows": [".."], "start": [1, 0]}}}, "json-range", None),
        (
            {"rules": {"tiles": {"letters": [{"tile": "?", "count": 2, "points": 0}]}, "board": {}}},
            "json-type",
            None,
        ),
        ({"rules": {"tiles": "english", "board": "CrosswordGame"}}, "json-board-size", None),
        ({"board": []}, "json-type", "board is not a list of rows of equal length"),
        ({"board": [["", ""], [""]]}, "json-type", None),
        ({"board": [["", "Ж"], ["", ""]]}, "unknown-tile", "board[0][1] is not a tile of the 'english' set"),
        ({"board": [["", "?"], ["", ""]]}, "unknown-tile", None),
        ({"board": [["", 7], ["", ""]]}, "unknown-tile", None),
        ({"board": [[""] * 51]}, "json-too-many", "board[0] has 51 items; at most 50 are allowed"),
        ({"players": []}, "json-empty", "players is empty; at least one player is needed"),
        *(
            (
                {"players": [{"score": score}]},
                code,
                "players[0].score is not a whole number from -999999 to 999999",
            )
            for score, code in (
                (1.5, "json-type"),
                (True, "json-type"),
                ("1", "json-type"),
                (10**6, "json-range"),
                (10**15, "json-type"),
                (-(10**15), "json-type"),
                (10**3_000, "json-type"),
            )
        ),
        (
            {"players": [{"rack": ["a"]}]},
            "unknown-tile",
            "players[0].rack[0] is not a tile of the 'english' set",
        ),
        ({"players": [{"rack": "ABC"}]}, "json-type", "players[0].rack is not a list"),
        ({"players": [{"name": ["x"]}]}, "json-type", None),
        ({"players": {"score": 1}}, "json-type", None),
        ({"on_turn": 1}, "json-range", "on_turn is not 0, the only number allowed"),
        ({"extra": [["x"]]}, "json-type", "extra[0] is not a pair of a name and a value"),
        ({"last_play": {"play": {"type": "jump"}}}, "json-type", None),
        ({"last_play": {"play": {"type": "placement", "tiles": ["A"]}}}, "json-missing", None),
        (
            {"last_play": {"play": {"type": "placement", "coordinate": "H", "tiles": ["A"]}}},
            "json-type",
            None,
        ),
        (
            {"last_play": {"play": {"type": "placement", "coordinate": "2B", "tiles": ["A"] * 2}}},
            "json-off-board",
            None,
        ),
        (
            {"last_play": {"play": {"type": "placement", "coordinate": "2B", "tiles": []}}},
            "json-off-board",
            None,
        ),
    ],
)
def test_a_fault_has_a_code_and_a_message(members, code, message):
    with pytest.raises(ParseError) as caught:
        json_document.read(document_json(**members))
    assert caught.value.code == code
    assert message is None or str(caught.value) == message


def test_a_fault_is_located_at_its_value():
    text = document_json(players=[{"score": 1}, {"name": 'x"]}', "rack": ["A", "ж"]}])
    with pytest.raises(ParseError) as caught:
        json_document.read(text)
    line = text.split("\n")[caught.value.line - 1]
    assert line[caught.value.column - 1 :].startswith('"\\u0436"')


def test_a_repeated_member_is_reported_at_its_last_location():
    text = '{"format": "kibitz", "version": 1, "kind": "position", "kind": "puzzle"}'
    with pytest.raises(ParseError) as caught:
        json_document.read(text)
    assert caught.value.column == text.index('"puzzle"') + 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "json-syntax"),
        ("{", "json-syntax"),
        ("null", "json-format"),
        ("7", "json-format"),
        ("[]", "json-format"),
        ("[" * 200_000, "json-depth"),
        ('{"a":' * 200_000, "json-depth"),
        ('"' + '\\"' * 400_000, "json-syntax"),
        ("9" * 1_000_000, "json-format"),
        ("-" + "9" * 5_000, "json-format"),
        ("1e999999999", "json-format"),
        ("NaN", "json-format"),
        (" " * 2_000_001, "too-long"),
        (document_json().replace('"score": 1', '"score": ' + "9" * 10_000), "json-type"),
        (document_json().replace('"score": 1', '"score": 1e999'), "json-type"),
        (document_json().replace('"score": 1', '"name": "\\ud800"'), "json-type"),
        (document_json().replace('"score": 1', '"score": Infinity'), "json-type"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_hostile_texts_are_rejected_with_a_short_message(text, code):
    with pytest.raises(ParseError) as caught:
        json_document.read(text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 300


def test_deep_nesting_in_an_unknown_member_is_ignored():
    text = document_json(weather="DEEP").replace('"DEEP"', "[" * 100 + "]" * 100)
    assert [warning.code for warning in json_document.read(text).warnings] == ["unknown-member"]


def test_every_lost_member_is_reported():
    text = json_document.write(cgp.read(EMPTY_BOARD).value)
    text = text.replace('"kind"', '"x": 1, "y": 2, "on_turn": 1, "kind"', 1)
    warnings = json_document.read(text).warnings
    assert [(warning.code, *dict(warning.values).values()) for warning in warnings] == [
        ("repeated-member", "on_turn"),
        ("unknown-member", "x"),
        ("unknown-member", "y"),
    ]


def test_many_unknown_members_give_few_warnings():
    members = ", ".join(f'"m{number}": 0' for number in range(100_000))
    reading = json_document.read(document_json()[:-1] + ", " + members + "}")
    assert 1 <= len(reading.warnings) <= 10


def test_one_more_warning_than_returned_is_located(monkeypatch):
    located_paths = []

    def offset_of(text, path, find=reading_json._offset_of):
        located_paths.append(path)
        return find(text, path)

    monkeypatch.setattr(reading_json, "_offset_of", offset_of)
    turn = {"player": 0, "kind": "pass", "play": {"type": "pass"}, **dict.fromkeys("abcdefghij", 0)}
    reading = json_document.read(document_json(board=None, kind="game", turns=[turn] * 30))
    assert len(reading.warnings) == Warnings.MAX_WARNINGS
    # One more warning shows that some are left out.
    assert len(located_paths) == Warnings.MAX_WARNINGS + 1


def test_a_turn_whose_kind_differs_from_its_play_is_rejected():
    text = document_json(
        board=None, kind="game", turns=[{"player": 0, "kind": "play", "play": {"type": "pass"}}]
    )
    with pytest.raises(ParseError, match=r"turns\[0\].play doesn't fit the kind 'play'"):
        json_document.read(text)


@pytest.mark.parametrize("texts", [("A", "?A"), ("A", "A"), ("",), ("?",)])
def test_tiles_with_the_same_written_form_are_rejected(texts):
    letters = (
        Letter("?", "?", 1, 0),
        *(Letter(text, f"{number}", 1, 1) for number, text in enumerate(texts)),
    )
    position = json_document.read(document_json(board=[["", ""], ["", ""]])).value
    rules = dataclasses.replace(position.rules, distribution=LetterDistribution("odd", letters))
    with pytest.raises(ConversionError):
        json_document.write(dataclasses.replace(position, rules=rules))
