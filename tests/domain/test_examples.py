"""The packages of all notations have the same plan, and show how they are used in examples that are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import bot.domain.chess.notations
import bot.domain.crossword.notations
from bot.domain.chess.convert import CHESS

PACKAGES = [
    f"{floor.__name__}.{module.name}"
    for floor in (bot.domain.chess.notations, bot.domain.crossword.notations)
    for module in iter_modules(floor.__path__)
    if module.ispkg
]


OF_CHESS = sorted({notation.read.__module__ for notation in CHESS.notations})
FINDERS = ["bot.domain.chess.notations.fen_in_text", "bot.domain.chess.notations.pgn_in_text"]


@pytest.mark.parametrize("name", [*PACKAGES, *OF_CHESS, "bot.domain.crossword.notations.cgp_ascii"])
def test_an_example_shows_how_a_notation_is_read_and_written(name):
    module = import_module(name)
    done = doctest.testmod(module)
    assert done.attempted > 2
    assert done.failed == 0


@pytest.mark.parametrize("name", FINDERS)
def test_an_example_shows_where_a_notation_stands_in_a_text(name):
    done = doctest.testmod(import_module(name))
    assert done.attempted
    assert done.failed == 0


@pytest.mark.parametrize("name", PACKAGES)
def test_every_notation_shows_the_same_three(name):
    module = import_module(name)
    assert {"find", "read", "write"} <= {*module.__all__}
