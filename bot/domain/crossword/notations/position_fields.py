"""Opcodes: what follows the fields of a position, a name and its operand each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from bot.domain.crossword.notations.tile_text import UnknownTileError
from bot.domain.crossword.position import MAX_PLAYERS, Player, Position, unseen_tiles
from bot.domain.crossword.rules import (
    BLANK,
    OWN_GAMES,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
    load_distribution,
    set_of_game,
    set_of_layout,
    super_distribution,
    usual_layout,
    usual_rules,
)
from bot.domain.reading.problems import ConversionError, Piece, Warnings


class Opcode(NamedTuple):
    """One opcode."""

    name: str
    operand: str
    """Words joined by single spaces."""
    piece: Piece
    """Where it starts in the text."""


Opcodes = dict[str, Opcode]
"""The opcodes of a text by name, in order."""


def operand_of(opcodes: Opcodes, name: str) -> str | None:
    """Return the operand of an opcode, or None when the text does not have it."""
    return opcodes[name].operand if name in opcodes else None


def offset_of(opcodes: Opcodes, name: str) -> int:
    """Return where an opcode starts, or 0."""
    return opcodes[name].piece.offset if name in opcodes else 0


# What the fields of a position must hold, in whichever notation of positions they stand.

MAX_EXCESS = 2
"""How many tiles more than the set has are put down to a slip."""

_SCORE = re.compile(r"[-−+]?[0-9]{1,6}")
_SCORELESS_TURNS = re.compile("[0-9]{1,3}")


def pair_players(racks: list[Piece], scores: list[Piece]) -> list[tuple[Piece, Piece]]:
    """Return the rack and the score of each player.

    Raises:
        ParseError: there are not as many racks as scores, or over :data:`~bot.domain.crossword.position.MAX_PLAYERS`.

    """
    if len(racks) != len(scores) or len(racks) > MAX_PLAYERS:
        raise racks[0].malformed(
            "player-count",
            "there are racks for {racks} players and scores for {scores}",
            racks=len(racks),
            scores=len(scores),
        )
    return list(zip(racks, scores, strict=True))


def read_score(score: Piece) -> int:
    """Read the score of a player.

    Raises:
        ParseError: it is no number of at most 6 digits.

    """
    if not _SCORE.fullmatch(score.text):
        raise score.malformed(
            "malformed-score",
            "{score!r} is no score, which is a whole number of at most 6 digits",
            score=score.text[:20],
        )
    return int(score.text.replace("−", "-"))


def read_scoreless_turns(field: Piece) -> int:
    """Read the number of scoreless turns; a semicolon after it belongs to opcodes that are not there.

    Raises:
        ParseError: it is no number of at most 3 digits.

    """
    digits = field.text.rstrip(";")
    if not _SCORELESS_TURNS.fullmatch(digits):
        raise field.malformed(
            "malformed-scoreless-turns",
            "{field!r} is no number of scoreless turns",
            field=field.text[:20],
        )
    return int(digits)


def check_excess(where: Piece, position: Position, warnings: Warnings) -> None:
    """Warn, at a piece of the text, when the board and the racks show more of a tile than the set has.

    Raises:
        RuleError: they show over :data:`MAX_EXCESS` tiles more than the set has.

    """
    unseen = position.unseen
    if not unseen.excess or not position.rules.has_known_bag:
        return
    distribution, letter = position.rules.distribution, unseen.overdrawn[0]
    has = distribution.counts[letter]
    values = {
        "tile": distribution.text(letter),
        "shown": has - unseen.counts[letter],
        "has": has,
        "distribution": distribution.name,
    }
    template = "the board and racks show {shown} × {tile}; the {distribution} set has {has}"
    if unseen.excess > MAX_EXCESS:
        raise where.illegal("too-many-tiles", template, **values)
    where.warn(warnings, "too-many-tiles", template, **values)


def check_square(position: Position) -> None:
    """Refuse a board that has not as many rows as columns: CGP has no sign for them.

    Raises:
        ConversionError: naming both.

    """
    if position.board.rows != position.board.columns:
        raise ConversionError(
            "board-not-square",
            "CGP boards are square; this one has {rows} rows and {columns} columns",
            rows=position.board.rows,
            columns=position.board.columns,
        )


def seen_players(position: Position) -> tuple[Player, ...]:
    """Return the players, with one more beside a lone player without a known rack.

    The field of the racks would be empty, and the spaces around it would close over it.
    """
    if len(position.players) < 2 and not any(player.rack for player in position.players):
        return (*position.players, Player(), Player())[:2]
    return position.players


# Which set of tiles a position is played with, where a text may name it, imply it, or leave it to its letters.

ENGLISH = "english"
SUPER_SIDE = 21
"""Side of the board that is played on with the larger set of a language."""

# Sets to try, in this order, when nothing names one and the letters are not English.
_BY_LETTERS = ("spanish", "french", "german", "catalan", "polish", "norwegian", "swedish", "dutch", "slovene")


def named_set(opcodes: Opcodes, rows: int, warnings: Warnings) -> tuple[LetterDistribution, bool]:
    """Return the set that ``ld`` names (and True), else the one that the variant, board or lexicon implies, else English."""
    named = operand_of(opcodes, "ld")
    if named and (distribution := find_distribution(named)):
        return distribution, True
    if named:
        warnings.add(
            "unknown-distribution",
            "the letter distribution {name!r} is unknown",
            offset_of(opcodes, "ld"),
            name=named[:40],
        )
    if game := set_of_game(operand_of(opcodes, "var") or ""):
        return game, True
    lexicon = operand_of(opcodes, "lex") or operand_of(opcodes, "l1") or ""
    implied = distribution_of_lexicon(lexicon) or load_distribution("english")
    layout = find_layout(operand_of(opcodes, "bdn") or "")
    made_for = set_of_layout(layout) if layout and layout.rows == rows else None
    if made_for is not None and implied.name == ENGLISH and not named:
        warnings.add(
            "distribution-by-board",
            "no letter distribution is named; the board is that of the {distribution} set",
            offset_of(opcodes, "bdn"),
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
