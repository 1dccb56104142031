"""The packages of all notations have the same functions, and doctests that show their use."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import bot.domain.chess.notations
import bot.domain.crossword.notations
from bot.domain.chess.convert import CHESS

PACKAGES = [
    f"{package.__name__}.{module.name}"
    for package in (bot.domain.chess.notations, bot.domain.crossword.notations)
    for module in iter_modules(package.__path__)
    if module.ispkg
]


CHESS_MODULES = sorted({notation.read.__module__ for notation in CHESS.notations})
FINDERS = ["bot.domain.chess.notations.fen_in_text", "bot.domain.chess.notations.pgn_in_text"]


@pytest.mark.parametrize("name", [*PACKAGES, *CHESS_MODULES, "bot.domain.crossword.notations.cgp_ascii"])
def test_an_example_shows_how_a_notation_is_read_and_written(name):
    module = import_module(name)
    results = doctest.testmod(module)
    assert results.attempted > 2
    assert results.failed == 0


@pytest.mark.parametrize("name", FINDERS)
def test_an_example_shows_how_a_notation_is_found(name):
    results = doctest.testmod(import_module(name))
    assert results.attempted
    assert results.failed == 0


@pytest.mark.parametrize("name", PACKAGES)
def test_every_notation_exports_find_read_and_write(name):
    module = import_module(name)
    assert {"find", "read", "write"} <= {*module.__all__}
