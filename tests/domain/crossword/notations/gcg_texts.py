"""Short GCG texts, and functions that read GCG and check the result."""

from bot.domain.crossword.notations import gcg
from tests.domain.faults import value_without_faults

PLAYERS = "#player1 alice Alice A.\n#player2 bob Bob B.\n"
OPENING = PLAYERS + ">alice: ABDELRW 8D WARBLED +84 84\n"


def read_without_faults(text):
    return value_without_faults(gcg.read(text))


def warning_codes(text):
    reading = gcg.read(text)
    assert reading.error is None
    return [warning.code for warning in reading.warnings]


def read_error(text):
    problem = gcg.read(text).error
    assert problem is not None
    return problem


def board_row(game, row):
    board = game.position_at(len(game.turns)).board
    return "".join(game.rules.distribution.text(tile) if tile else "." for tile in board.row(row))
