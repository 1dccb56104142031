"""Fields shared by the notations for positions: rows of tiles, racks, scores and operations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from bot.domain.crossword.position import MAX_PLAYERS, Board, Player, Position, unseen_tiles
from bot.domain.crossword.rules import (
    BLANK,
    DEFAULT_RACK_SIZE,
    SUPER_BOARD_SIZE,
    LetterDistribution,
    candidate_distributions,
    default_layout,
    default_rules,
    distribution_of_game,
    distribution_of_layout,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
    load_distribution,
    super_distribution,
)
from bot.domain.reading.problems import ParseError, Phrase, TextPiece, Warnings

RUN_GROUP, TILE_GROUP, MIXED_GROUP, BRACKET_GROUP = "run", "tile", "mixed", "bracket"
"""Names of groups in :func:`token_pattern`."""

MIN_ROWS = 7
"""Minimum number of rows of a board in free text. Dates, paths and fractions have fewer parts."""

MISSING_FIELD_ERRORS = {
    2: Phrase(
        "after the board, a CGP needs racks, scores and the number of scoreless turns; two of these are missing"
    ),
    3: Phrase(
        "after the board, a CGP needs racks, scores and the number of scoreless turns; one of these is missing"
    ),
}
"""Errors for a CGP with two or three of its four fields, by number of fields."""


@lru_cache(maxsize=64)
def splittable_tiles(distribution: LetterDistribution) -> frozenset[str]:
    """Return the multi-letter tiles that can also be spelled with other tiles in the set, such as ``LL`` in Spanish.

    Players often omit the brackets around these tiles, so ``LL`` may be one tile or two.
    """
    texts = distribution.machine_letters
    return frozenset(
        text for text in texts if len(text) > 1 and all(character in texts for character in text)
    )


@lru_cache(maxsize=64)
def token_pattern(distribution: LetterDistribution, *, require_brackets: bool = False) -> re.Pattern[str]:
    """Return a pattern that splits a row into tiles, numbers, bracketed text and other characters.

    If ``require_brackets`` is set, :func:`splittable_tiles` are matched only in brackets, so ``LL`` is two tiles.
    """
    texts = distribution.machine_letters
    tiles = distribution.pattern.pattern
    if require_brackets and (ambiguous_tiles := splittable_tiles(distribution)):
        tiles = "|".join(
            re.escape(text) for text in sorted(texts, key=len, reverse=True) if text not in ambiguous_tiles
        )
    # Blanks that stand for multi-letter tiles may be in mixed case (Qu), unless they can be read as several tiles.
    mixed_case_pattern = "|".join(
        re.escape(text.capitalize())
        for text, tile in distribution.machine_letters.items()
        if tile > 0 and len(text) > 1 and not all(character in texts for character in text.capitalize())
        if text.capitalize() not in texts
    )
    return re.compile(
        rf"(?P<run>[0-9]+)|{f'(?P<mixed>{mixed_case_pattern})|' if mixed_case_pattern else ''}(?P<tile>{tiles})"
        r"|(?P<bracket>\[++[^\[\]/]*+\]*+)|(?P<other>.)",
        re.DOTALL,
    )


class UnknownTileError(ParseError):
    """Part of the text is not a tile of the distribution."""


def unknown_tile_error(token: TextPiece, distribution: LetterDistribution) -> UnknownTileError:
    return UnknownTileError(
        "unknown-tile",
        "{token!r} is not a tile of the {distribution!r} set",
        token.location,
        token=token.text[:20],
        distribution=distribution.name,
    )


def token_machine_letter(match: re.Match[str], distribution: LetterDistribution) -> int | None:
    if match.lastgroup == TILE_GROUP:
        return distribution.machine_letters[match[0]]
    return (
        bracketed_machine_letter(match[0], distribution)
        if match.lastgroup in (MIXED_GROUP, BRACKET_GROUP)
        else None
    )


def bracketed_machine_letter(token: str, distribution: LetterDistribution) -> int | None:
    """Return the machine letter of a tile such as ``[CH]``, ``[[CH]]`` or ``Qu``, or None for other text.

    In mixed case, as in ``Qu``, the tile is a blank that stands for QU.
    """
    if token.count("[") != token.count("]"):
        return None
    inner_text = token.strip("[]")
    tile = distribution.machine_letters.get(inner_text)
    if (
        tile is None
        and len(inner_text) > 1
        and (capital_tile := distribution.machine_letters.get(inner_text.upper()))
    ):
        return -capital_tile
    return tile


def read_rack(rack: TextPiece, distribution: LetterDistribution, warnings: Warnings) -> tuple[int, ...]:
    """Read the tiles in a rack as machine letters.

    A lowercase letter is read as a capital, ``.`` as a blank, and digits are skipped, each with a warning. ``LL`` without
    brackets is read as two tiles, unless the rack would then be too long.

    Raises:
        UnknownTileError: part of the rack is not a tile of the distribution.

    """
    tile_texts = distribution.pattern.findall(rack.text)
    tiles = tuple(map(distribution.machine_letters.__getitem__, tile_texts))
    if len(tile_texts) == len(rack.text) and min(tiles, default=0) >= 0:  # each tile is one character
        return tiles
    if any(character.isdigit() for character in rack.text):
        rack.warn(warnings, "digit-on-rack", "digits on a rack are not tiles; ignored")
    tiles_with_offsets = list(scan_tiles(rack, distribution, skip_digits=True, require_brackets=True))
    if (
        len(tiles_with_offsets) > DEFAULT_RACK_SIZE
        and splittable_tiles(distribution)
        and "[" not in rack.text
    ):
        tiles_with_offsets = list(scan_tiles(rack, distribution, skip_digits=True))
    machine_letters = []
    for tile, offset in tiles_with_offsets:
        if tile < 0:
            warnings.add("small-letter-on-rack", "tiles on a rack should be capital letters", offset)
        elif tile == BLANK and rack.whole_text[offset] == ".":
            warnings.add("dot-on-rack", 'a blank on a rack should be written as "?"', offset)
        machine_letters.append(abs(tile))
    return tuple(machine_letters)


def scan_tiles(
    piece: TextPiece,
    distribution: LetterDistribution,
    *,
    skip_digits: bool = False,
    require_brackets: bool = False,
) -> Iterator[tuple[int, int]]:
    """Yield the machine letter of each tile in a row, rack or word, and the tile's offset in the whole text.

    A ``.`` yields 0, which is a blank on a rack and a tile played through in a word. For ``require_brackets``, see
    :func:`token_pattern`.

    Raises:
        UnknownTileError: part of the text is not a tile of the distribution.

    """
    for match in token_pattern(distribution, require_brackets=require_brackets).finditer(piece.text):
        if match.lastgroup == RUN_GROUP and skip_digits:
            continue
        tile = token_machine_letter(match, distribution)
        if tile is None and match[0] == ".":
            tile = BLANK
        if tile is None:
            raise unknown_tile_error(piece.part(*match.span()), distribution)
        yield tile, piece.offset + match.start()


def display_width(text: str) -> int:
    """Return the number of columns that text takes up in a monospaced font."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 0 if unicodedata.combining(character) else 1
        for character in text
    )


class Operation(NamedTuple):
    """An opcode and its operand, such as ``lex CSW24``."""

    opcode: str
    operand: str
    """Words joined by single spaces."""
    piece: TextPiece
    """The text that warnings about the operation point to."""


Operations = dict[str, Operation]


NO_OPERATION = Operation("", "", TextPiece.of(""))


MAX_EXCESS = 2
"""Maximum number of surplus tiles that cause only a warning."""

_SCORE = re.compile(r"[-−+]?[0-9]{1,6}")
SCORELESS_TURNS = re.compile("[0-9]{1,3}")


def read_players(
    racks: list[TextPiece], scores: list[TextPiece], rack_tiles: Iterable[tuple[int, ...]]
) -> tuple[Player, ...]:
    """Return players with these scores and racks. ``rack_tiles`` contains the tiles of each rack.

    Raises:
        ParseError: the numbers of racks and scores differ, there are over
            :data:`~bot.domain.crossword.position.MAX_PLAYERS` racks, or a score is malformed.

    """
    if len(racks) > MAX_PLAYERS:
        raise racks[MAX_PLAYERS].parse_error(
            "player-count",
            "the game has {players} players; Kibitz reads games of up to {limit}",
            players=len(racks),
            limit=MAX_PLAYERS,
        )
    if len(racks) != len(scores):
        raise racks[0].parse_error(
            "player-count",
            "the number of racks is {racks}, but the number of scores is {scores}",
            racks=len(racks),
            scores=len(scores),
        )
    players = []
    for score, rack in zip(scores, rack_tiles, strict=True):
        if not _SCORE.fullmatch(score.text):
            raise score.parse_error(
                "malformed-score",
                "{score!r} is not a score; a score is a whole number of at most 6 digits",
                score=score.text[:20],
            )
        players.append(Player(int(score.text.replace("−", "-")), rack))
    return tuple(players)


def check_excess(piece: TextPiece, position: Position, warnings: Warnings) -> None:
    """Warn at ``piece`` if the board and the racks show surplus tiles: more of a tile than the set has.

    Raises:
        RuleError: there are more than :data:`MAX_EXCESS` surplus tiles.

    """
    unseen = position.unseen
    if not unseen.excess or not position.rules.distribution.has_known_bag:
        return
    distribution, letter = position.rules.distribution, unseen.overdrawn_letters[0]
    count_in_set = distribution.counts[letter]
    values = {
        "tile": distribution.text(letter),
        "shown": count_in_set - unseen.counts[letter],
        "has": count_in_set,
        "distribution": distribution.name,
    }
    template = "the board and racks have {shown} × {tile}; the {distribution!r} set has {has}"
    if unseen.excess > MAX_EXCESS:
        raise piece.rule_error("too-many-tiles", template, **values)
    piece.warn(warnings, "too-many-tiles", template, **values)


ENGLISH = "english"


def build_position(
    read_tiles: Callable[[LetterDistribution], tuple[Board, Iterable[Player]]],
    tiles_in_text: Callable[[LetterDistribution], Iterable[int]] | None,
    operations: Operations,
    rows: list[TextPiece],
    warnings: Warnings,
    *,
    scoreless_field: TextPiece | None = None,
) -> Position:
    """Build a position with the set of tiles that the text names or implies, or else with a set that fits the letters.

    For a given set, ``read_tiles`` returns the board and the players, and ``tiles_in_text`` returns all tiles. Both raise
    ``UnknownTileError`` if the set lacks a tile. If the players are an iterator, it is not consumed before the set is found.

    Raises:
        DomainError: the tiles cannot be read, or ``scoreless_field`` is not a number of scoreless turns.

    """
    distribution, is_settled = _implied_distribution(operations, len(rows), warnings)
    try:
        board, players = read_tiles(distribution)
    except UnknownTileError:
        fitting_set = (
            None
            if is_settled or tiles_in_text is None
            else _distribution_by_letters(tiles_in_text, rows, warnings)
        )
        if fitting_set is None:
            raise
        distribution = fitting_set
        board, players = read_tiles(distribution)
    scoreless_turns = 0
    if scoreless_field:
        # Some programs end an empty list of operations with a semicolon.
        digits = scoreless_field.text.rstrip(";")
        if not SCORELESS_TURNS.fullmatch(digits):
            raise scoreless_field.parse_error(
                "malformed-scoreless-turns",
                "{field!r} is not a number of scoreless turns (0 to 999)",
                field=scoreless_field.text[:20],
            )
        scoreless_turns = int(digits)
    position = Position(
        default_rules(distribution, default_layout(distribution, board.rows, board.columns)),
        board,
        tuple(players),
        scoreless_turns=scoreless_turns,
    )
    if (
        not is_settled
        and not operations.get("bdn", NO_OPERATION).operand
        and position.unseen.counts[BLANK] < 0
    ):
        return _convert_if_crossplay(position, warnings, rows[0].offset)
    return position


def _implied_distribution(
    operations: Operations, row_count: int, warnings: Warnings
) -> tuple[LetterDistribution, bool]:
    """Return the set of tiles that the operations imply, or else the English set, and whether the choice is settled.

    The default set is not settled, and neither is a set that only the lexicon implies: the letters may show that another set is used.
    """
    name = operations.get("ld", NO_OPERATION).operand
    if name and (distribution := find_distribution(name)):
        return distribution, True
    if name:
        operations["ld"].piece.warn(
            warnings, "unknown-distribution", "the letter distribution {name!r} is unknown", name=name[:40]
        )
    if "var" in operations and (game_distribution := distribution_of_game(operations["var"].operand)):
        return game_distribution, True
    lexicon = operations.get("lex", NO_OPERATION).operand or operations.get("l1", NO_OPERATION).operand
    implied_set = distribution_of_lexicon(lexicon) or load_distribution(ENGLISH)
    layout = find_layout(operations["bdn"].operand) if "bdn" in operations else None
    board_set = distribution_of_layout(layout) if layout and layout.rows == row_count else None
    if board_set is not None and implied_set.name == ENGLISH and not name:
        operations["bdn"].piece.warn(
            warnings,
            "distribution-by-board",
            "no letter distribution is named; using the {distribution!r} set, which goes with this board",
            distribution=board_set.name,
        )
        return board_set, True
    return (super_distribution(implied_set) if row_count == SUPER_BOARD_SIZE else implied_set), False


def _convert_if_crossplay(position: Position, warnings: Warnings, offset: int) -> Position:
    distribution, board = position.rules.distribution, position.board
    crossplay = load_distribution("crossplay")
    if distribution.name != ENGLISH or (board.rows, board.columns) != (15, 15):
        return position
    blank_count = distribution.counts[BLANK] - position.unseen.counts[BLANK]
    racks = [player.rack for player in position.players]
    if blank_count != crossplay.counts[BLANK] or unseen_tiles(crossplay, board.squares, racks).excess:
        return position
    warnings.add(
        "crossplay-by-blanks",
        "there are {blanks} blanks, as in Crossplay; using Crossplay's tiles and board",
        offset,
        blanks=blank_count,
    )
    return replace(
        position, rules=default_rules(crossplay, default_layout(crossplay, board.rows, board.columns))
    )


def _distribution_by_letters(
    tiles_in_text: Callable[[LetterDistribution], Iterable[int]], rows: list[TextPiece], warnings: Warnings
) -> LetterDistribution | None:
    """Return the set that has all the letters in the text, or None. If several sets fit, choose the set with the fewest surplus tiles."""
    best_fit: tuple[int, LetterDistribution] | None = None
    for base_set in candidate_distributions():
        distribution = super_distribution(base_set) if len(rows) == SUPER_BOARD_SIZE else base_set
        try:
            excess = unseen_tiles(distribution, tiles_in_text(distribution), ()).excess
        except UnknownTileError:
            continue
        if best_fit is None or excess < best_fit[0]:
            best_fit = (excess, distribution)
    if best_fit is None:
        return None
    rows[0].warn(
        warnings,
        "distribution-by-letters",
        "no letter distribution is named; using the {distribution!r} set, which has these letters",
        distribution=best_fit[1].name,
    )
    return best_fit[1]
