"""Every CGP in the shared corpus is read as its table row says."""

import pytest

from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Placement
from bot.domain.crossword.position import EMPTY
from bot.domain.crossword.rules import load_distribution
from bot.domain.reading.problems import DomainError
from tests.domain.shared import needs_corpus, read_table

pytestmark = needs_corpus

ROWS = read_table("corpus/cgp.tsv")

# MAGPIE's error codes, and Kibitz's codes for the same errors.
CODES = {
    "ERROR_STATUS_CGP_PARSE_MISSING_REQUIRED_FIELDS": "missing-fields",
    "ERROR_STATUS_CGP_PARSE_INVALID_NUMBER_OF_BOARD_COLUMNS": "row-width",
    "ERROR_STATUS_CGP_PARSE_INVALID_NUMBER_OF_BOARD_ROWS": "row-count",
    "ERROR_STATUS_CGP_PARSE_INVALID_NUMBER_OF_PLAYER_RACKS": "player-count",
    "ERROR_STATUS_CGP_PARSE_MALFORMED_SCORES": "malformed-score",
}
# Kibitz accepts one or two surplus tiles with a warning.
WARNINGS_FOR_ERRORS = {
    "ERROR_STATUS_CGP_PARSE_BOARD_LETTERS_NOT_IN_BAG": "too-many-tiles",
    "ERROR_STATUS_CGP_PARSE_RACK_LETTERS_NOT_IN_BAG": "too-many-tiles",
}
# One CGP in the table is only whitespace, written as C escape sequences.
ESCAPED_WHITESPACE = r"\n\r\t\v\f  "
# Other programs accept these positions without a warning.
EXPECTED_WARNINGS = {
    "digit-on-rack": "a rack of ABC5DF",
    "distribution-by-letters": "a Catalan board without the name of its set",
}


def rows_of_kind(*kinds: str):
    return [
        pytest.param(row, id=f"{number}") for number, row in enumerate(ROWS, start=2) if row["kind"] in kinds
    ]


@pytest.mark.parametrize("row", rows_of_kind("cgp", "board-only", "cgp-error-test", "cgp-writer-expected"))
def test_every_cgp_in_the_corpus_is_read_as_expected(row):
    text, expected = row["cgp"], row["expected"]
    if text == ESCAPED_WHITESPACE:
        text = "\n\r\t\v\f  "
    if expected in CODES:
        with pytest.raises(DomainError) as caught:
            cgp.read(text)
        assert caught.value.code == CODES[expected]
        assert 1 <= caught.value.column <= len(text) + 1
        return
    reading = cgp.read(text)
    codes = [warning.code for warning in reading.warnings]
    if expected in WARNINGS_FOR_ERRORS:
        assert codes == [WARNINGS_FOR_ERRORS[expected]]
    else:
        assert set(codes) <= EXPECTED_WARNINGS.keys()
    written = cgp.write(reading.value)
    assert cgp.read(written).value == reading.value
    assert written.split()[0] == text.split()[0]
    if expected == "exact writer output, defaults omitted":
        assert written == text


def test_only_two_valid_rows_have_warnings():
    texts_with_warnings = [
        row["cgp"] for row in ROWS if row["expected"].startswith("valid") and _warning_codes(row)
    ]
    assert len(texts_with_warnings) == 2


def _warning_codes(row: dict[str, str]) -> list[str]:
    if row["kind"].startswith("row"):
        return []
    return [warning.code for warning in cgp.read(row["cgp"]).warnings]


@pytest.mark.parametrize("row", rows_of_kind("row(catalan)", "row(english)"))
def test_a_single_row_of_a_board_round_trips(row):
    name = row["kind"].removeprefix("row(").removesuffix(")")
    reading = cgp.read("/".join([row["cgp"]] + ["15"] * 14) + f" / 0/0 0 ld {name};")
    assert reading.warnings == ()
    assert cgp.write(reading.value).startswith(row["cgp"] + "/15/")
    assert name == "catalan" or reading.value.board.tile_count == 4


def test_the_row_of_catalan_tiles_is_read_tile_by_tile():
    numbers = load_distribution("catalan").machine_letters
    row = next(row["cgp"] for row in ROWS if row["cgp"].startswith("[QU]3[l·l]"))
    board = cgp.read("/".join([row] + ["15"] * 14) + " / 0/0 0 ld catalan;").value.board
    assert board.row(0) == (numbers["QU"], *[EMPTY] * 3, numbers["l·l"], *[EMPTY] * 9, numbers["NY"])


@pytest.mark.parametrize("row", rows_of_kind("cgp-spec-lm", "cgp-spec-op"))
def test_opcodes_in_the_later_specification_are_read(row):
    empty = "/".join(["15"] * 15)
    # Two operands in the table are placeholders.
    opcode = row["cgp"].replace("n8.TILES", "8D.TILES").replace("<id>", "RSwBsyCj")
    position = cgp.read(f"{empty} / 0/0 0 {opcode}").value
    if opcode.startswith("lm"):
        assert position.last_play is not None
        assert position.last_play.play == Placement(Coordinate(7, 3, Direction.ACROSS), (20, 9, 12, 5, 19))
    elif opcode.startswith("gid"):
        assert position.game_id == "RSwBsyCj"
    else:
        assert position.ignore_opponent_racks
    assert position.extra == ()
