"""The rules that the settings of a Turn URL make, and the ways to read its bag."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain.crossword.layouts import BoardLayout
from bot.domain.crossword.notations.turn_url.bag import (
    LANGUAGES,
    MAX_LETTER_LENGTH,
    PROGRAM,
    TEXT,
    BagLetter,
    Convention,
    read_bag,
)
from bot.domain.crossword.notations.turn_url.board import DEFAULT_BOARD, read_board
from bot.domain.crossword.notations.turn_url.settings import implied_bag
from bot.domain.crossword.notations.turn_url.tiles import TileSet, tile_set
from bot.domain.crossword.notations.turn_url.values import (
    DEFAULT_BINGO_BONUS,
    DEFAULT_RACK_SIZE,
    Settings,
    UrlTurn,
    WordTurn,
)
from bot.domain.crossword.rules import EndCount, Rules
from bot.domain.reading.problems import ParseError, ReadWarning

NO_SCORELESS_LIMIT = 999_999
"""No number of passes ends the game."""

EXCHANGE_LIMIT = 1
"""As many tiles can be exchanged as the bag holds."""

MAX_UNLISTED = 50
"""Most letters outside the bag that blanks may stand for."""

_CONVENTIONS = (Convention(scaled=True, bare_removes=False), TEXT, PROGRAM)
"""Likeliest first: what the draws follow is the program, what a letter alone means is for the text to say."""

_LEXICON = re.compile(r"[\w.+-]{1,40}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to read the tiles of a game."""

    letters: tuple[BagLetter, ...]
    remark: ReadWarning | None = None
    """What to say when the turns fit only this way."""


def layout_of(settings: Settings) -> BoardLayout:
    """Return the board of a game."""
    return read_board(settings.board or DEFAULT_BOARD)


def candidates(settings: Settings) -> list[Candidate]:
    """Return the ways to read the bag, the likeliest first.

    The text leaves the draws to the program, so a language's tiles are as many as the program puts in. Where it
    reads a param against the text otherwise, the text comes first. A bag that is not told may be any language's.
    """
    layout = layout_of(settings)
    squares = layout.rows * layout.columns
    place = settings.place("bag")
    if settings.bag is None:
        first = implied_bag(settings.dictionary or "")
        bags = [first, *(language for language in LANGUAGES if language != first)]
    else:
        bags = [settings.bag]
    found: dict[tuple[BagLetter, ...], Candidate] = {}
    for bag in bags:
        for convention in _CONVENTIONS:
            letters = _letters(bag, squares, convention, place)
            remark = None
            if found:
                remark = _remark(letters, convention, place) if settings.bag else _language_remark(bag)
            found.setdefault(letters, Candidate(letters, remark))
    return list(found.values())


def _letters(bag: str, squares: int, convention: Convention, place: tuple[int, int]) -> tuple[BagLetter, ...]:
    try:
        return read_bag(bag, squares, convention).letters
    except ParseError as error:
        raise error.at(*place) from None


def _remark(letters: tuple[BagLetter, ...], convention: Convention, place: tuple[int, int]) -> ReadWarning:
    template = (
        "the turns fit only when letters without a count are taken out of the bag, as sharewords does"
        if convention.bare_removes
        else "the turns fit only when the bag holds the {tiles} tiles that the format lists"
    )
    tiles = sum(letter.count for letter in letters)
    return ReadWarning("bag-by-turns", template, *place, (("tiles", tiles),))


def _language_remark(language: str) -> ReadWarning:
    return ReadWarning(
        "bag-by-turns", "the turns fit only the tiles of {language!r}", 1, 1, (("language", language),)
    )


def rules_of(settings: Settings, tiles: TileSet) -> Rules:
    """Return the rules of a game with these tiles."""
    bingo, rack_size = settings.bingo_bonus, settings.rack_size
    return Rules(
        tiles.distribution,
        layout_of(settings),
        lexicon=_lexicon(settings),
        rack_size=DEFAULT_RACK_SIZE if rack_size is None else rack_size,
        bingo_bonus=DEFAULT_BINGO_BONUS if bingo is None else bingo,
        exchange_limit=EXCHANGE_LIMIT,
        scoreless_limit=NO_SCORELESS_LIMIT,
        end_count=EndCount.EACH_WAY,
    )


def _lexicon(settings: Settings) -> str:
    """Return the word list's name without its address and ending, when the words are checked by one."""
    if settings.dictionary_type != "wordlist" or not settings.dictionary:
        return ""
    name = settings.dictionary[-200:].rpartition("/")[2].removesuffix(".swdict")
    return name if _LEXICON.fullmatch(name) else ""


def with_unlisted(
    letters: tuple[BagLetter, ...], turns: Iterable[UrlTurn]
) -> tuple[TileSet, tuple[str, ...]]:
    """Return the tiles of the game, and the letters outside the bag that blanks in these turns stand for.

    The format wants a blank to stand for a letter of the bag; sharewords accepts any.
    """
    tiles = tile_set(letters)
    unlisted: dict[str, None] = {}
    for turn in turns:
        if not isinstance(turn, WordTurn) or not turn.blanks:
            continue
        word = tiles.split_word(turn.word)
        for place in turn.blanks:
            letter = word[place] if place < len(word) else ""
            if (
                letter not in tiles.numbers
                and len(letter) <= MAX_LETTER_LENGTH
                and len(unlisted) < MAX_UNLISTED
            ):
                unlisted[letter] = None
    return (tile_set(letters, tuple(unlisted)) if unlisted else tiles), tuple(unlisted)
