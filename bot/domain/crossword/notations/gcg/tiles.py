"""The tiles in the racks and words of a GCG, including multi-letter tiles, unknown tiles and tiles played through."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from bot.domain.crossword.play import THROUGH, Coordinate, Placement
from bot.domain.crossword.position import EMPTY, Board
from bot.domain.crossword.rules import BLANK, LetterDistribution
from bot.domain.crossword.scoring import check_on_board, square_name
from bot.domain.reading.problems import ConversionError, RuleError

UNKNOWN_TILE = "_"
DOT = "."
"""In a word, a tile played through. On a rack, a blank without a letter."""
SEPARATOR = "|"
"""Separates tiles that would be misread without it."""
UNKNOWN_RACK = "UNKNOWN"
"""Written by some programs for an unknown rack."""

_BRACKET = r"\[++[^\[\]]*+\]*+"
_PART_BETWEEN_SEPARATORS = re.compile(rf"[^{SEPARATOR}]+")
_PARENTHESIS_OR_TEXT = re.compile(r"[()]|[^()]+")
_RESERVED_CHARACTER = re.compile(r"[\s|().?_0-9-]")


class NotATileError(ValueError):
    """A piece of a rack or word, at ``offset`` in the text, is not a tile."""

    def __init__(self, piece: str, offset: int) -> None:
        super().__init__(piece)
        self.piece = piece
        self.offset = offset


class WordTile(NamedTuple):
    """A tile in a word, as written."""

    machine_letter: int | None
    """The machine letter that the tile has on a board, or None for a dot."""
    is_marked_on_board: bool
    """Whether the tile is marked as already on the board. Not every tile on the board is marked."""
    offset: int


class TileAlphabet:
    """The written forms of each tile in one file, including forms that ``#tile`` lines declare.

    A tile that is declared in brackets (``#tile [CH] [ch]``) is always written in brackets, so ``CH`` is two tiles.
    ``declared_tiles`` contains (tile, blank) pairs, the tile in capitals and the blank in lowercase.
    """

    def __init__(
        self, distribution: LetterDistribution, declared_tiles: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self._default_machine_letters = distribution.machine_letters
        numbers = dict(distribution.machine_letters)
        for machine_letter, text in enumerate(letter.text for letter in distribution.letters):
            if len(text) > 1:  # Ch is read as the blank for CH
                numbers.setdefault(text.capitalize(), -machine_letter)
        bracketed_numbers: set[int] = set()
        for capital, lowercase in declared_tiles:
            number = numbers.get(capital) or numbers.get(capital.strip("[]").upper())
            if number is not None:
                numbers.setdefault(capital, abs(number))
                numbers.setdefault(lowercase, -abs(number))
                if capital.startswith("["):
                    bracketed_numbers.add(abs(number))
        self._machine_letters = {
            text: number
            for text, number in numbers.items()
            if len(text) == 1 or text.startswith("[") or abs(number) not in bracketed_numbers
        }
        long_tiles = sorted((text for text in self._machine_letters if len(text) > 1), key=len, reverse=True)
        self._pattern = re.compile("|".join((*map(re.escape, long_tiles), _BRACKET, ".")), re.DOTALL)

    def pieces(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the pieces of a rack or word with their offsets.

        A piece is a part between separators. In text without separators, it is the longest tile that matches, or else text in
        brackets or a single character.
        """
        pattern = _PART_BETWEEN_SEPARATORS if SEPARATOR in text else self._pattern
        return ((match[0], match.start()) for match in pattern.finditer(text))

    def machine_letter_of(self, piece: str) -> int | None:
        """Return a piece's machine letter on a board, 0 for a blank without a letter, or None if the piece is not a tile."""
        number = self._machine_letters.get(piece)
        if number is None and piece.startswith("[") and piece.count("[") == piece.count("]"):
            inner_text = piece.strip("[]")
            number = self._machine_letters.get(inner_text, self._default_machine_letters.get(inner_text))
        return number

    def read_rack(self, text: str) -> list[tuple[int | None, int]]:
        """Return a (machine letter, offset) pair for each tile on a rack. The machine letter of an unknown tile is None.

        A lowercase letter is a blank with a letter, and its machine letter is negative, as on a board. A dot is a blank without
        a letter.

        Raises:
            NotATileError: a piece is not a tile.

        """
        tiles: list[tuple[int | None, int]] = []
        for piece, offset in self.pieces(text):
            number = BLANK if piece == DOT else self.machine_letter_of(piece)
            if number is None and piece != UNKNOWN_TILE:
                raise NotATileError(piece[:20], offset)
            tiles.append((number, offset))
        return tiles

    def read_word(self, text: str) -> list[WordTile]:
        """Read a word, in which tiles on the board may be dots, letters in parentheses, or plain letters.

        Raises:
            NotATileError: a piece is not a tile.

        """
        tiles: list[WordTile] = []
        in_parentheses = False
        for piece, offset in self._word_pieces(text):
            if piece in "()":
                in_parentheses = piece == "("
                continue
            number = None if piece == DOT else self.machine_letter_of(piece)
            if number == BLANK or (number is None and piece != DOT):
                raise NotATileError(piece[:20], offset)
            tiles.append(WordTile(number, in_parentheses or number is None, offset))
        return tiles

    def _word_pieces(self, text: str) -> Iterator[tuple[str, int]]:
        for match in _PARENTHESIS_OR_TEXT.finditer(text):
            start = match.start()
            if match[0] in "()":
                yield match[0], start
            else:
                part = match[0] if SEPARATOR not in text else match[0] + SEPARATOR
                yield from ((piece, start + offset) for piece, offset in self.pieces(part))

    def join(self, texts: Iterable[str]) -> str:
        """Join the texts of tiles, with separators if the text is ambiguous without them."""
        row = list(texts)
        text = "".join(row)
        if [piece for piece, _ in self.pieces(text)] != row:
            return SEPARATOR.join(("", *row, ""))
        return text


def place_word(
    start: Coordinate, word: list[WordTile], board: Board, distribution: LetterDistribution
) -> Placement:
    """Return the placement of a word. Tiles that are already on the board are played through.

    Raises:
        RuleError: the word does not fit on the board (code ``off-board``, ``occupied`` or ``gap``). For the last two codes, the
            error's column is the tile's column in the word's text.

    """
    placement = Placement(start, tuple(tile.machine_letter or THROUGH for tile in word))
    check_on_board(board, placement)
    tiles = []
    for tile, (row, column) in zip(word, placement.squares(), strict=True):
        tile_on_board = board.at(row, column)
        if tile_on_board == EMPTY and tile.is_marked_on_board:
            raise RuleError(
                "gap",
                "there is no tile on {square} to play through",
                (1, tile.offset + 1),
                square=square_name(row, column),
            )
        if (
            tile_on_board != EMPTY
            and tile.machine_letter is not None
            and abs(tile.machine_letter) != abs(tile_on_board)
        ):
            raise RuleError(
                "occupied",
                "{square} already holds {on_board}; {tile} can't go there",
                (1, tile.offset + 1),
                square=square_name(row, column),
                on_board=distribution.text(tile_on_board),
                tile=distribution.text(tile.machine_letter),
            )
        tiles.append(
            THROUGH if tile_on_board != EMPTY or tile.machine_letter is None else tile.machine_letter
        )
    return Placement(start, tuple(tiles))


def tiles_to_declare(distribution: LetterDistribution) -> tuple[int, ...]:
    """Return the machine letters of the tiles with several characters, which a file must declare."""
    return tuple(
        number
        for number, letter in enumerate(distribution.letters)
        if max(len(letter.text), len(letter.blank_text)) > 1
    )


alphabet_of = lru_cache(maxsize=64)(TileAlphabet)
"""Returns a cached :class:`TileAlphabet`. Most files declare no tiles, so they share the alphabet of their set."""


def check_tiles(distribution: LetterDistribution) -> None:
    """Check that GCG can hold each tile.

    Raises:
        ConversionError: a tile contains characters that the format reserves.

    """
    for letter in distribution.letters[1:]:
        for text in (letter.text, letter.blank_text):
            if not text or _RESERVED_CHARACTER.search(text) or text.startswith(("#", ">")):
                raise ConversionError(
                    "tile-not-writable", "GCG has no notation for the tile {tile!r}", tile=letter.text[:20]
                )
