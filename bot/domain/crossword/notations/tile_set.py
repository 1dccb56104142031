"""Which set of tiles a position is played with, where a text may name it, imply it, or leave it to its letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from bot.domain.crossword.bag import unseen_tiles
from bot.domain.crossword.distributions import (
    BLANK,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    find_distribution,
    load_distribution,
    super_distribution,
)
from bot.domain.crossword.layouts import find_layout
from bot.domain.crossword.notations.opcodes import Opcodes
from bot.domain.crossword.notations.tile_text import UnknownTileError
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import OWN_GAMES, set_of_game, set_of_layout, usual_layout, usual_rules
from bot.domain.reading.problems import Warnings

ENGLISH = "english"
SUPER_SIDE = 21
"""Side of the board that is played on with the larger set of a language."""

# Sets to try, in this order, when nothing names one and the letters are not English.
_BY_LETTERS = ("spanish", "french", "german", "catalan", "polish", "norwegian", "swedish", "dutch", "slovene")


def named_set(opcodes: Opcodes, rows: int, warnings: Warnings) -> tuple[LetterDistribution, bool]:
    """Return the set that ``ld`` names (and True), else the one that the variant, board or lexicon implies, else English."""
    named = opcodes.operand("ld")
    if named and (distribution := find_distribution(named)):
        return distribution, True
    if named:
        warnings.add(
            "unknown-distribution",
            "the letter distribution {name!r} is unknown",
            opcodes.offset("ld"),
            name=named[:40],
        )
    if game := set_of_game(opcodes.operand("var") or ""):
        return game, True
    lexicon = opcodes.operand("lex") or opcodes.operand("l1") or ""
    implied = distribution_of_lexicon(lexicon) or load_distribution("english")
    layout = find_layout(opcodes.operand("bdn") or "")
    made_for = set_of_layout(layout) if layout and layout.rows == rows else None
    if made_for is not None and implied.name == ENGLISH and not named:
        warnings.add(
            "distribution-by-board",
            "no letter distribution is named; the board is that of the {distribution} set",
            opcodes.offset("bdn"),
            distribution=made_for.name,
        )
        return made_for, True
    return (super_distribution(implied) if rows == SUPER_SIDE else implied), False


def crossplay_by_blanks(position: Position, warnings: Warnings, offset: int) -> Position:
    """Return a position that names neither tiles nor board as one of Crossplay, where it shows as many blanks.

    It stays as it is where it has more of other tiles than Crossplay has.
    """
    english, board = position.rules.distribution, position.board
    crossplay = load_distribution("crossplay")
    if english.name != ENGLISH or (board.rows, board.columns) != (15, 15):
        return position
    blanks = english.counts[BLANK] - position.unseen.counts[BLANK]
    racks = [player.rack for player in position.players]
    if blanks != crossplay.counts[BLANK] or unseen_tiles(crossplay, board.squares, racks).excess:
        return position
    warnings.add(
        "crossplay-by-blanks",
        "{blanks} blanks are shown, as only Crossplay has them; taken for Crossplay, its tiles and its board",
        offset,
        blanks=blanks,
    )
    return replace(position, rules=usual_rules(crossplay, usual_layout(crossplay, board.rows, board.columns)))


@cache
def _names_by_letters() -> tuple[str, ...]:
    """Return the sets to try; those of Turn URLs and of games of their own have the letters of other sets."""
    others = (
        name
        for name in distribution_names()
        if name not in _BY_LETTERS and not name.startswith("turn-url-") and name not in OWN_GAMES
    )
    return (*_BY_LETTERS, *others)


def set_of_letters(
    scan: Callable[[LetterDistribution], Iterable[int]], rows: int, warnings: Warnings, offset: int
) -> LetterDistribution | None:
    """Return the set that has all tiles of a text and is exceeded least, the more usual one first, or None.

    ``scan`` reads the tiles of the text with a set, and raises ``UnknownTileError`` where the set lacks one.
    """
    best: tuple[int, LetterDistribution] | None = None
    for name in _names_by_letters():
        distribution = load_distribution(name)
        try:
            excess = unseen_tiles(distribution, scan(distribution), ()).excess
        except UnknownTileError:
            continue
        if best is None or excess < best[0]:
            best = (excess, distribution)
    if best is None:
        return None
    warnings.add(
        "distribution-by-letters",
        "no letter distribution is named; the letters are those of the {distribution} set",
        offset,
        distribution=best[1].name,
    )
    return super_distribution(best[1]) if rows == SUPER_SIDE else best[1]
