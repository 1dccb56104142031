"""Reads short GCG texts for the tests of the GCG reader."""

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.rules import load_distribution

PLAYERS = "#player1 alice Alice A.\n#player2 bob Bob B.\n"
OPENING = PLAYERS + ">alice: ABDELRW 8D WARBLED +84 84\n"


def read(text):
    return gcg.read(text)


def read_without_faults(text):
    reading = gcg.read(text)
    assert reading.error is None
    assert reading.warnings == ()
    return reading.value


def codes(text):
    reading = gcg.read(text)
    assert reading.error is None
    return [warning.code for warning in reading.warnings]


def error(text):
    found = gcg.read(text).error
    assert found is not None
    return found


def tiles(text, name="english"):
    distribution = load_distribution(name)
    return tuple(distribution.numbers[letter] for letter in text)


def board_row(game, row):
    board = game.position_at(len(game.turns)).board
    return "".join(game.rules.distribution.text(tile) if tile else "." for tile in board.row(row))
