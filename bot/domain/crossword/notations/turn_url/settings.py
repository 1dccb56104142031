"""Reads the settings in Turn URLs: names, board, bag and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from bot.domain.crossword.notations.turn_url.bag import (
    LANGUAGES,
    MAX_LETTER_LENGTH,
    PROGRAM,
    SPECIFICATION,
    BagConvention,
    BagLetter,
    TileSet,
    canonical_bag,
    read_bag,
    tile_set,
)
from bot.domain.crossword.notations.turn_url.url import (
    DEFAULT_BINGO_BONUS,
    DEFAULT_PLAYER_COUNT,
    DEFAULT_RACK_SIZE,
    MAX_NAME_LENGTH,
    VERSION,
    GameSettings,
    Param,
    UrlTurn,
    WordTurn,
    default_player_name,
    param_of_seat,
    seat_of_param,
)
from bot.domain.crossword.rules import MAX_SIDE, BoardLayout, EndScoring, Rules, layout_of_rows
from bot.domain.reading.problems import ParseError, ReadWarning, Warnings

_SYMBOLS = str.maketrans("dtDT", "'\"-=")

DEFAULT_BOARD = (
    "D..d..T......T.-.D...D...t.t..T-..D.....t...t..-d..D...t.....t.-....D.t...D....-.D...t.d.....t.-T...d...d...t.."
    "-...d.t...d.t...-..d...t...t...T-.d.....t.d...D.-....D...d.D....-.d.....d...D..d-..d...d.....D..-T..d.d...D...D."
    "-.T......T..d..D"
)
"""The board of a game whose URL has no ``board``, from sharewords' game/settings.ts."""


@lru_cache(maxsize=64)
def read_board(text: str) -> BoardLayout:
    """Read the value of a ``board`` param: rows of bonus codes, separated by hyphens.

    The start square is in the middle, or in the later of two middle rows or columns.

    Raises:
        ParseError: the rows differ in length, a code is unknown, or a side is 0 or over :data:`bot.domain.crossword.rules.MAX_SIDE`.

    """
    rows = text.split("-")
    width = len(rows[0])
    if len(rows) > MAX_SIDE or not 1 <= width <= MAX_SIDE:
        raise ParseError(
            "board-size",
            "a board has 1 to {limit} rows and columns, not {rows} × {columns}",
            limit=MAX_SIDE,
            rows=len(rows),
            columns=width,
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise ParseError(
                "row-width",
                "row {row} should have {columns} squares, but has {width}",
                row=number,
                width=len(row),
                columns=width,
            )
        if unknown_code := next((code for code in row if code not in ".dtDT"), None):
            raise ParseError(
                "unknown-square",
                "row {row} has the square {square!r}; use only . d t D and T",
                row=number,
                square=unknown_code,
            )
    layout = layout_of_rows(tuple(row.translate(_SYMBOLS) for row in rows))
    return replace(layout, name="TurnURLDefault") if text == DEFAULT_BOARD else layout


MAX_RACK_SIZE = 100
MAX_BINGO_BONUS = 99_999
DEFAULT_BAG = "en"
"""The bag of a URL that has no ``bag`` and no word list that implies a bag."""

DICTIONARY_TYPES = ("permissive", "consensus", "wordlist", "freeapi", "custom")
"""The last two exist only in sharewords."""

_DIGITS = re.compile("[0-9]+")
_NUMBER_RANGES = {"bingo": (0, MAX_BINGO_BONUS), "racksize": (1, MAX_RACK_SIZE)}
_LANGUAGE = re.compile(r"(en|es)[._-]")


def read_digits(digits: str) -> int:
    """Return the number, or 0 for no digits. Unlike ``int``, accept thousands of leading zeros."""
    return int(digits.lstrip("0") or "0")


def check_setting(param: Param) -> None:
    """Check a param other than the bag, which depends on the board. An empty value counts as missing.

    Raises:
        ParseError: the version is unsupported, a number is out of range, or the board is invalid.

    """
    if not param.value:
        return
    if param.name == "v" and param.value != VERSION:
        raise param.piece.parse_error(
            "unsupported-version",
            "the URL has version {version} of the format; Kibitz reads version {supported}",
            version=param.value[:20],
            supported=VERSION,
        )
    if param.name == "board":
        try:
            read_board(param.value)
        except ParseError as error:
            raise error.at(*param.piece.location) from None
    if param.name in _NUMBER_RANGES:
        lowest, highest = _NUMBER_RANGES[param.name]
        if (
            not _DIGITS.fullmatch(param.value)
            or len(param.value.lstrip("0")) > 6
            or not lowest <= read_digits(param.value) <= highest
        ):
            raise param.piece.parse_error(
                "malformed-number",
                "{param}={value} is not a whole number from {lowest} to {highest}",
                param=param.name,
                value=param.value[:20],
                lowest=lowest,
                highest=highest,
            )


def read_settings(params: Mapping[str, Param], game_id: str, warnings: Warnings) -> GameSettings:
    """Return the settings of a history. Default values are treated like missing values, except for the bag.

    Raises:
        ParseError: the bag cannot be read.

    """

    def value(name: str) -> str | None:
        # Empty means missing, as in sharewords.
        return params[name].value or None if name in params else None

    def number(name: str, default: int) -> int | None:
        digits = value(name)
        return None if digits is None or read_digits(digits) == default else read_digits(digits)

    board = value("board")
    seed = value("seed")
    if seed is None:
        warnings.add("missing-seed", "the seed is missing; the game's id is used instead")
    return GameSettings(
        dictionary_type=_read_dictionary_type(params.get("dt"), warnings),
        dictionary=value("ds"),
        names=_read_names(params, warnings),
        board=None if board == DEFAULT_BOARD else board,
        bingo_bonus=number("bingo", DEFAULT_BINGO_BONUS),
        bag=_read_bag_param(params, len(read_board(board or DEFAULT_BOARD).squares), warnings),
        rack_size=number("racksize", DEFAULT_RACK_SIZE),
        seed=None if seed == game_id else seed,
        locations=tuple((name, param.piece.location) for name, param in params.items()),
    )


def _read_names(params: Mapping[str, Param], warnings: Warnings) -> tuple[str, ...]:
    """Return the names from ``p1n`` up to the first gap, or an empty tuple for two players with the default names."""
    names: list[str] = []
    while param := params.get(param_of_seat(len(names))):
        names.append(param.value[:MAX_NAME_LENGTH])
        if names[-1] != param.value:
            param.piece.warn(
                warnings,
                "long-name",
                "a name longer than {limit} characters is shortened",
                limit=MAX_NAME_LENGTH,
            )
        if not param.value:
            param.piece.warn(warnings, "empty-name", "{param} is empty", param=param.name)
    for name, param in params.items():
        seat = seat_of_param(name)
        if seat is not None and seat >= len(names):
            param.piece.warn(
                warnings,
                "name-gap",
                "{param} is ignored, because an earlier player number is missing",
                param=name,
            )
    have_default_names = all(name == default_player_name(seat) for seat, name in enumerate(names))
    return () if have_default_names and len(names) == DEFAULT_PLAYER_COUNT else tuple(names)


def _read_dictionary_type(param: Param | None, warnings: Warnings) -> str | None:
    if param is None or param.value in ("", "permissive"):
        return None
    if param.value not in DICTIONARY_TYPES:
        param.piece.warn(
            warnings,
            "unknown-dictionary-type",
            "the dictionary type {type!r} is unknown",
            type=param.value[:20],
        )
    elif param.value == "consensus":
        param.piece.warn(warnings, "consensus", "sharewords doesn't support the dictionary type consensus")
    elif param.value != "wordlist":
        param.piece.warn(
            warnings,
            "program-dictionary-type",
            "the dictionary type {type!r} is an extension of sharewords, not part of the format",
            type=param.value,
        )
    return param.value


def _read_bag_param(params: Mapping[str, Param], square_count: int, warnings: Warnings) -> str | None:
    param = params.get("bag")
    if param is None or not param.value:
        warnings.add(
            "missing-bag",
            "the URL doesn't list its tiles; using those of {language!r}",
            language=implied_bag(params["ds"].value if "ds" in params else ""),
        )
        return None
    try:
        contents = read_bag(param.value, square_count)
    except ParseError as error:
        raise error.at(*param.piece.location) from None
    if any(letter.text == "" and letter.points for letter in contents.letters):
        param.piece.warn(warnings, "blank-with-points", "the blank has points; sharewords can't play it")
    for warning in contents.warnings:
        param.piece.warn(warnings, warning.code, warning.template, **dict(warning.values))
    return canonical_bag(param.value, square_count)


def implied_bag(dictionary: str) -> str:
    """Return the language of a word list with a name such as ``es.fw2018.swdict``, or English if the name states none."""
    match = _LANGUAGE.match(dictionary.rpartition("/")[2])
    return match[1] if match else DEFAULT_BAG


UNREACHABLE_SCORELESS_LIMIT = 999_999
"""Scoreless turns never end a game."""

MIN_BAG_FOR_EXCHANGE = 1
"""Minimum number of tiles in the bag for an exchange. The bag must also hold as many tiles as are exchanged."""

MAX_UNLISTED_LETTERS = 50

_CONVENTIONS = (BagConvention(is_scaled=True, drops_bare_letters=False), SPECIFICATION, PROGRAM)
"""The conventions to try, beginning with the most likely."""

_LEXICON = re.compile(r"[\w.+-]{1,40}")


BagReading: TypeAlias = tuple[tuple[BagLetter, ...], ReadWarning | None]
"""One way to read the tiles in a game, and the warning if the turns fit only this way."""


def layout_of(settings: GameSettings) -> BoardLayout:
    return read_board(settings.board or DEFAULT_BOARD)


def bag_readings(settings: GameSettings) -> list[BagReading]:
    """Return the ways to read the bag, beginning with the most likely.

    If the program (sharewords) and the specification disagree on the number of a language's tiles, the program comes first,
    because the specification leaves the draws to it. In other conflicts, the specification comes first. A missing bag may
    be the bag of any language.
    """
    square_count = len(layout_of(settings).squares)
    location = settings.location("bag")
    implied_language = implied_bag(settings.dictionary or "")
    bags = (
        [settings.bag]
        if settings.bag
        else sorted(LANGUAGES, key=lambda language: language != implied_language)
    )
    readings: dict[tuple[BagLetter, ...], ReadWarning | None] = {}
    for bag, convention in product(bags, _CONVENTIONS):
        try:
            letters = read_bag(bag, square_count, convention).letters
        except ParseError as error:
            raise error.at(*location) from None
        warning = None
        if readings and bag == bags[0]:
            warning = _bag_warning(letters, convention).at(*location)
        elif readings:
            warning = ReadWarning(
                "bag-by-turns",
                "the turns are possible only with the tiles of {language!r}",
                values=(("language", bag),),
            )
        readings.setdefault(letters, warning)
    return list(readings.items())


def _bag_warning(letters: tuple[BagLetter, ...], convention: BagConvention) -> ReadWarning:
    template = (
        "the turns are possible only if letters without a count are removed from the bag, which is what sharewords "
        "does"
        if convention.drops_bare_letters
        else "the turns are possible only if the bag holds the {tiles} tiles that the format lists"
    )
    return ReadWarning("bag-by-turns", template, values=(("tiles", sum(letter.count for letter in letters)),))


def rules_of(settings: GameSettings, tiles: TileSet) -> Rules:
    bingo, rack_size = settings.bingo_bonus, settings.rack_size
    return Rules(
        tiles.distribution,
        layout_of(settings),
        lexicon=_lexicon_name(settings),
        rack_size=DEFAULT_RACK_SIZE if rack_size is None else rack_size,
        bingo_bonus=DEFAULT_BINGO_BONUS if bingo is None else bingo,
        min_bag_for_exchange=MIN_BAG_FOR_EXCHANGE,
        scoreless_limit=UNREACHABLE_SCORELESS_LIMIT,
        end_scoring=EndScoring.EACH_WAY,
    )


def _lexicon_name(settings: GameSettings) -> str:
    """Return the name of the word list, without address and extension, or an empty string if there is no usable name."""
    if settings.dictionary_type != "wordlist" or not settings.dictionary:
        return ""
    name = settings.dictionary[-200:].rpartition("/")[2].removesuffix(".swdict")
    return name if _LEXICON.fullmatch(name) else ""


def tiles_with_unlisted_letters(
    letters: tuple[BagLetter, ...], turns: Iterable[UrlTurn]
) -> tuple[TileSet, tuple[str, ...]]:
    """Return the tiles in the game, and the unlisted letters: blanks in these turns stand for them, but the bag lacks them.

    sharewords allows unlisted letters, although the format does not.
    """
    tiles = tile_set(letters)
    blank_letters: list[str] = []
    for turn in turns:
        if isinstance(turn, WordTurn) and turn.blanks:
            word = tiles.split_word(turn.word)
            blank_letters += (word[index] for index in turn.blanks if index < len(word))
    unlisted_letters = tuple(
        dict.fromkeys(
            letter
            for letter in blank_letters
            if letter not in tiles.machine_letters and len(letter) <= MAX_LETTER_LENGTH
        )
    )[:MAX_UNLISTED_LETTERS]
    return (tile_set(letters, unlisted_letters) if unlisted_letters else tiles), unlisted_letters
