"""Every regular expression of the bot takes linear time, even on a hostile text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from bot.chat.items import dynamic_item_class
from bot.domain.crossword.notations import fields
from bot.domain.crossword.notations.cgp import reader as cgp_reader
from bot.domain.crossword.notations.gcg import tiles as gcg_tiles
from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.spelling import Speller
from bot.features.showing.chess.books import KnownMoveMenu
from tests.domain.growth import find_superlinear_growth
from tests.domain.patterns import (
    MATCHING_METHODS,
    PASSED_ON,
    apply,
    risky_texts,
    stored_patterns,
    uses_of_patterns,
    uses_of_re,
)

OTHER_USES = {
    ".id_pattern": {"fullmatch"},
    "bot.domain.chess.notations.fen_in_text._SIDE": {"match"},
    "bot.domain.chess.notations.fen_in_text._CASTLING": {"match"},
    "bot.domain.chess.notations.fen_in_text._EN_PASSANT": {"match"},
    "bot.domain.chess.notations.fen_in_text._NUMBER": {"match"},
    "bot.domain.chess.notations.fen_in_text._OPERATION": {"match"},
    "bot.domain.chess.notations.fen_in_text._ANY_EN_PASSANT": {"match"},
    "bot.domain.chess.notations.fen_in_text._ANY_NUMBER": {"match"},
    "bot.domain.crossword.notations.cgp_ascii._RACKS": {"match"},
    "bot.domain.crossword.notations.cgp_ascii._SCORES": {"match"},
    "bot.domain.crossword.notations.cgp_ascii._SCORELESS_TURNS": {"match"},
    "bot.domain.crossword.notations.cgp_ascii._OPERAND": {"match"},
    "bot.domain.crossword.notations.cgp_ascii._LAST_PLAY": {"match"},
    "bot.domain.crossword.notations.cgp.reader._SCORELESS_TURNS": {"match"},
    "bot.domain.crossword.notations.cgp.reader._OPERAND": {"match"},
    "bot.domain.crossword.notations.cgp.reader._LAST_PLAY": {"match"},
    ".allowed_paths": {"fullmatch"},
    "bot.domain.crossword.notations.gcg.settings._HANDLED_PRAGMA": {"fullmatch"},
    "bot.domain.crossword.notations.gcg.tiles._PART_BETWEEN_SEPARATORS": {"finditer"},
    "bot.domain.crossword.notations.turn_url.bag._SEGMENT": {"fullmatch"},
    "bot.domain.notations._NOTATION_CHARACTERS": {"search"},
    "bot.domain.reading.notation._ANY_TEXT": {"search"},
    "bot.domain.reading.notation.RACKS": {"match"},
    "bot.domain.reading.notation.SCORES": {"match"},
    "bot.features.showing.correction._FEN_DIGITS": {"sub"},
    "bot.features.showing.correction._CGP_DIGITS": {"sub"},
}
"""Uses of patterns that are passed on or stored in a table. The patterns' own modules do not show these uses."""

BUILT_PATTERNS: dict[tuple[str, str], tuple[Callable[[], re.Pattern | None], set[str]]] = {
    ("bot.chat.control", "decorate"): (lambda: KnownMoveMenu.id_pattern, {"fullmatch"}),
    ("bot.domain.crossword.rules", "__post_init__"): (
        lambda: load_distribution("catalan").pattern,
        {"match", "findall", "finditer"},
    ),
    ("bot.domain.crossword.notations.gcg.tiles", "__init__"): (
        lambda: gcg_tiles.alphabet_of(load_distribution("catalan"))._pattern,
        {"finditer"},
    ),
    ("bot.domain.crossword.notations.fields", "token_pattern"): (
        lambda: fields.token_pattern(load_distribution("catalan"), require_brackets=True),
        {"finditer"},
    ),
    ("bot.domain.crossword.notations.cgp.reader", "_strict_tokens"): (
        lambda: cgp_reader._strict_tokens(load_distribution("spanish"))[0],
        {"findall"},
    ),
    ("bot.chat.items", "dynamic_item_class"): (
        lambda: dynamic_item_class().__discord_ui_compiled_template__,
        {"match"},
    ),
    ("bot.engine.lexicon.spelling", "__init__"): (
        lambda: Speller(load_distribution("catalan"))._pattern,
        {"match"},
    ),
}
"""Patterns that functions build, for example from tiles: an example of each, and the methods that are called on it."""

MAX_TEXTS = 120
"""Maximum number of texts that are tried on a pattern by default."""
LENGTH = 2_500
"""Length of the shorter text, in characters. Quadratic work on the longer text takes over a tenth of a second."""


def _patterns_with_uses() -> Iterator[tuple[str, re.Pattern, set[str]]]:
    uses: dict[int, set[str]] = {}
    stored = stored_patterns()
    for item in stored:
        other_uses = [methods for name, methods in OTHER_USES.items() if name in item.name]
        direct_uses = uses_of_patterns().get(item.name, frozenset())
        if PASSED_ON in direct_uses and not other_uses:
            direct_uses = frozenset()
        uses.setdefault(id(item.pattern), set()).update(direct_uses & MATCHING_METHODS, *other_uses)
    items_by_id = {id(item.pattern): item for item in stored}
    yield from ((item.name, item.pattern, uses[key]) for key, item in items_by_id.items())
    yield from ((".".join(path), make(), methods) for path, (make, methods) in BUILT_PATTERNS.items())


def test_no_pattern_is_compiled_in_an_unlisted_function():
    compiling_functions = {
        (module, function)
        for module, function, name in uses_of_re()
        if name in MATCHING_METHODS | {"template"} or (name == "compile" and function)
    }
    assert compiling_functions == set(BUILT_PATTERNS)
    assert len(stored_patterns()) > 150


def test_every_pattern_has_a_known_use():
    assert [name for name, _, methods in _patterns_with_uses() if not methods] == []
    stored_names = [item.name for item in stored_patterns()]
    assert [key for key in OTHER_USES if not any(key in name for name in stored_names)] == []


def _find_superlinear_patterns(area: str, limit: int | None) -> list[str]:
    descriptions = []
    for name, pattern, methods in _patterns_with_uses():
        if area != _area(name):
            continue
        for method in sorted(methods):
            for start, piece, end in risky_texts(pattern)[:limit]:
                output = find_superlinear_growth(
                    lambda text: apply(pattern, method, text),  # noqa: B023 - called immediately
                    lambda size: start + (piece * size)[:size] + end,  # noqa: B023
                    LENGTH,
                )
                if output:
                    descriptions.append(f"{name}.{method} on {start!r} + {piece!r}… + {end!r}: {output}")
                    break
    return descriptions


AREAS = ("bot.domain.chess", "bot.domain.crossword", "others")


def _area(name: str) -> str:
    return next((area for area in AREAS if name.startswith(area)), AREAS[-1])


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("limit", [MAX_TEXTS, pytest.param(None, marks=pytest.mark.long)])
def test_every_pattern_takes_linear_time_on_repeated_pieces(area, limit):
    assert _find_superlinear_patterns(area, limit) == []
