"""Turn URLs compared with the results of the program that defines them."""

import json
from itertools import islice

import pytest

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.bag import PROGRAM, SPECIFICATION, read_bag
from bot.domain.crossword.notations.turn_url.draws import djb2, mulberry32
from bot.domain.reading.problems import DomainError, ParseError
from tests.domain.crossword.games import faults_and_error
from tests.domain.crossword.notations.live_links import drawn_racks, first_turns_of, merge, names_by_turn
from tests.domain.shared import SHARED, needs_corpus

pytestmark = needs_corpus


def load(name):
    path = SHARED / "corpus" / name
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith("l") else json.loads(text)


GAMES = load("turnurl_games.jsonl")
CASES = load("turnurl_cases.json")
VECTORS = load("turnurl_vectors.json") or {"bags": {}, "djb2": (), "mulberry32": (), "scaledBags": {}}

# In the specification, a letter without numbers is one tile worth one point. The program removes the letter.
BARE_LETTERS = {"A": "A:1:1", "en.A": "A:1:1 B:2:4"}


def tiles_of(bag: str, convention, square_count: int = 225) -> str:
    try:
        letters = read_bag(bag, square_count, convention).letters
    except ParseError as error:
        return f"ERROR {error.code}"
    return " ".join(f"{letter.text}:{letter.count}:{letter.points}" for letter in letters)


class TestVectors:
    def test_hashes_match_the_program(self):
        assert [[text, djb2(text)] for text, _ in VECTORS["djb2"]] == VECTORS["djb2"]

    def test_random_numbers_match_the_program(self):
        for seed, numbers in VECTORS["mulberry32"]:
            assert list(islice(mulberry32(seed), len(numbers))) == numbers

    @pytest.mark.parametrize("bag", VECTORS["bags"])
    def test_bags_match_the_program_or_the_specification(self, bag):
        expected = VECTORS["bags"][bag]
        if expected.startswith("ERROR"):
            expected = f"ERROR {'duplicate-letter' if 'Duplicate' in expected else 'unknown-language'}"
        assert tiles_of(bag, PROGRAM) == expected
        if bag in BARE_LETTERS:
            assert tiles_of(bag, SPECIFICATION).startswith(BARE_LETTERS[bag])
        else:
            assert tiles_of(bag, SPECIFICATION) == expected

    @pytest.mark.parametrize("size", VECTORS["scaledBags"])
    def test_bags_for_other_boards_match_the_program(self, size):
        rows, columns = map(int, size.split("x"))
        expected = [entry.split(":") for entry in VECTORS["scaledBags"][size].split(" ")]
        letters = read_bag("en", rows * columns, PROGRAM).letters
        assert [[letter.text, str(letter.count)] for letter in letters] == expected


def rack_texts(rack, distribution) -> list[str]:
    return ["?" if tile == 0 else distribution.letters[tile].text for tile in rack]


def board_texts(position) -> list[list[str]]:
    text = position.rules.distribution.text
    board = position.board
    return [["." if tile == 0 else text(tile) for tile in board.row(row)] for row in range(board.rows)]


def expected_board(rows: list[str]) -> list[list[str]]:
    return [row.split(" ") if " " in row else list(row) for row in rows]


def differences_between(board, expected) -> list[tuple[str, str]]:
    pairs = [pair for row in zip(board, expected, strict=True) for pair in zip(*row, strict=True)]
    return [(own, other) for own, other in pairs if own != other]


def history_of_steps(steps) -> turn_url.TurnUrl:
    """Join the links that the players sent each other. Each link contains one turn."""
    history = merge(*(turn_url.read(step["turnUrl"]).value for step in steps)).history
    assert history is not None
    return history


@pytest.mark.parametrize("recorded_game", GAMES, ids=lambda recorded_game: recorded_game["params"][:30])
class TestGames:
    def test_every_step_has_the_recorded_state(self, recorded_game):
        steps = recorded_game["steps"]
        reading = turn_url.replay(history_of_steps(steps))
        game = reading.value.game
        assert reading.error is None
        names = names_by_turn(history_of_steps(steps))
        assert len(names) == len(steps)
        for number, step in enumerate(steps):
            is_last = number == len(steps) - 1
            position = game.position_at(len(game.turns) if is_last else number)
            assert [player.score for player in position.players] == list(step["scores"].values())
            assert position.bag_count == step["bag"]
            assert list(names[number]) == step["names"]
            racks = drawn_racks(first_turns_of(history_of_steps(steps), number))
            assert [rack_texts(rack, game.rules.distribution) for rack in racks] == list(
                step["racks"].values()
            )
            differences = differences_between(board_texts(position), expected_board(step["board"]))
            # ``bt`` lists the positions of blanks in a word. The program counts characters instead of tiles, so if
            # a word has tiles of several letters, the blank's letter may be a dot.
            assert all(other == "." for _, other in differences)
            assert not differences or "desync" in recorded_game

    def test_every_history_has_the_recorded_racks(self, recorded_game):
        for step in recorded_game["steps"]:
            history = turn_url.read(step["historyUrl"]).value
            reading = turn_url.replay(history)
            if "O...Qu" in step["historyUrl"]:
                # The program lost the letter of a blank before it wrote this history, so neither the program
                # nor Kibitz can read the history.
                assert reading.error is not None
                assert reading.error.code == "lost-letter"
                continue
            assert reading.error is None
            game = reading.value.game
            racks = [rack_texts(rack, game.rules.distribution) for rack in drawn_racks(history)]
            assert racks == list(step["racks"].values())
            assert game.position_at(len(game.turns)).bag_count == step["bag"]
            assert reading.value.is_over == step["over"]

    def test_links_are_written_as_the_program_writes_them(self, recorded_game):
        for step in recorded_game["steps"]:
            for url in (step["turnUrl"], step["historyUrl"]):
                assert turn_url.write(turn_url.read(url).value) == url

    def test_a_recorded_game_has_no_faults(self, recorded_game):
        game = turn_url.replay(history_of_steps(recorded_game["steps"])).value.game
        assert faults_and_error(game) == ((), None)


# Cases in which the specification differs from the program, by note.
REJECTED_BY_SPECIFICATION = {
    "no gid": "missing-fragment",  # gid comes first in every Turn URL
    "tn=5 on fresh state": "history-needed",  # a delta; the program drops its turns
    "racksize=0": "malformed-number",  # the program deals the whole bag to the first player
    "word without wl": "word-without-location",  # every turn begins with wl or ex
}
ACCEPTED_BY_SPECIFICATION = {
    "unknown after tn": ["unknown-param"],  # kept, and written back
    "dt consensus": ["consensus"],
    "dt custom (old)": ["program-dictionary-type"],
    # In the specification, en always has 100 tiles. The program scales the bag down to one tile for this board.
    "1x3 board": ["scaled-bag", "bag-by-turns"],
    "blank worth 3": ["blank-with-points"],
}
WARNINGS = {
    "unknown before tn": ["unknown-param"],
    "empty p1n": ["empty-name"],
    "60-char name": ["long-name"],
    "dt freeapi": ["program-dictionary-type"],
    "bt=2 in dotted word": ["blank-places"],
}
# The specification counts tiles in bt, so the third tile of A.Qu.A is the blank.
BOARD_BY_SPECIFICATION = {"bt=2 in dotted word": [". . . . . . . A Qu a . . . . ."]}
# An empty name counts as a player. In the program, it ends the list of names.
NAMES_BY_SPECIFICATION = {"empty p1n": ["Player 1", "B"]}


def read_and_replay(url: str):
    try:
        reading = turn_url.read(url)
        return reading, turn_url.replay(reading.value)
    except DomainError as error:
        return error


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"])
def test_a_case_has_the_recorded_result(case):
    note = case["note"]
    outcome = read_and_replay(case["url"])
    if isinstance(outcome, DomainError):
        assert case["result"] == "error" or outcome.code == REJECTED_BY_SPECIFICATION[note]
        return
    reading, replay = outcome
    if replay.error is not None:
        assert case["result"] == "error"
        assert note not in ACCEPTED_BY_SPECIFICATION
        return
    codes = [warning.code for warning in (*reading.warnings, *replay.warnings)]
    if "seed=" not in case["url"]:
        # Without a seed, which the specification requires, programs use the game's id.
        assert codes.pop(codes.index("missing-seed"))
    assert codes == ACCEPTED_BY_SPECIFICATION.get(note, WARNINGS.get(note, []))
    if note in ACCEPTED_BY_SPECIFICATION:
        assert case["result"] == "error"
        return
    assert case["result"] == "ok"
    replayed, game = replay.value, replay.value.game
    position = game.position_at(len(game.turns))
    assert [player.score for player in position.players] == list(case["scores"].values())
    assert list(replayed.names) == NAMES_BY_SPECIFICATION.get(note, case["names"])
    assert position.bag_count == case["bag"]
    assert reading.value.next_turn_number == case["nextTurn"]
    racks = [rack_texts(rack, game.rules.distribution) for rack in drawn_racks(reading.value)]
    assert racks == list(case["racks"].values())
    occupied_rows = [row for row in board_texts(position) if set(row) != {"."}]
    assert occupied_rows == expected_board(BOARD_BY_SPECIFICATION.get(note, case["board"]))


def test_every_deviation_has_a_case():
    notes = {case["note"] for case in CASES}
    deviations = (
        REJECTED_BY_SPECIFICATION,
        ACCEPTED_BY_SPECIFICATION,
        WARNINGS,
        BOARD_BY_SPECIFICATION,
        NAMES_BY_SPECIFICATION,
    )
    assert not CASES or notes.issuperset(note for table in deviations for note in table)
