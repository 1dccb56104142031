"""The Game Params of Turn URLs: names, board, bag and so on, read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.domain.crossword.notations.turn_url.bag import canonical_bag, read_bag
from bot.domain.crossword.notations.turn_url.board import DEFAULT_BOARD, read_board
from bot.domain.crossword.notations.turn_url.names import (
    MAX_NAME,
    default_name,
    param_of_seat,
    seat_of_param,
    shorten,
)
from bot.domain.crossword.notations.turn_url.params import Param
from bot.domain.crossword.notations.turn_url.values import (
    DEFAULT_BINGO_BONUS,
    DEFAULT_PLAYERS,
    DEFAULT_RACK_SIZE,
    Settings,
)
from bot.domain.reading.problems import ParseError, Warnings

VERSION = "1"
MAX_RACK_SIZE = 100
MAX_NUMBER = 99_999
DEFAULT_DICTIONARY_TYPE = "permissive"
DEFAULT_BAG = "en"
"""What is taken for a missing ``bag``, which the format wants named unless the word list implies it."""

DICTIONARY_TYPES = ("permissive", "consensus", "wordlist", "freeapi", "custom")
"""The last two are sharewords' own."""

SETTING_PARAMS = ("v", "board", "bingo", "bag", "racksize", "seed", "dt", "ds")
"""The Game Params besides the players' names, in the order they are written."""

_DIGITS = re.compile("[0-9]+")
_LANGUAGE = re.compile(r"(en|es)[._-]")


def read_number(param: Param, lowest: int, highest: int) -> int:
    """Read a whole number.

    Raises:
        ParseError: it is none, or outside the limits.

    """
    digits = param.value.lstrip("0") or "0"
    if not _DIGITS.fullmatch(param.value) or len(digits) > 6 or not lowest <= int(digits) <= highest:
        raise param.piece.malformed(
            "malformed-number",
            "{param}={value} is no whole number from {lowest} to {highest}",
            param=param.name,
            value=param.value[:20],
            lowest=lowest,
            highest=highest,
        )
    return int(digits)


def check_setting(param: Param) -> None:
    """Check a param that can be judged by itself; the bag is judged with the board. An empty value says nothing.

    Raises:
        ParseError: it is of another version, a number out of its bounds, or no board.

    """
    if not param.value:
        return
    if param.name == "v" and param.value != VERSION:
        raise param.piece.malformed(
            "unsupported-version",
            "the URL is of version {version} of the format; Kibitz reads version {supported}",
            version=param.value[:20],
            supported=VERSION,
        )
    if param.name == "board":
        try:
            read_board(param.value)
        except ParseError as error:
            raise error.at(*param.piece.place) from None
    elif param.name == "bingo":
        read_number(param, 0, MAX_NUMBER)
    elif param.name == "racksize":
        read_number(param, 1, MAX_RACK_SIZE)


def read_settings(params: Mapping[str, Param], game_id: str, warnings: Warnings) -> Settings:
    """Return the settings of a history; what is the default anyway is treated like what is not said.

    Raises:
        ParseError: the bag cannot be read.

    """

    def value(name: str) -> str | None:
        # An empty value says nothing, as in sharewords.
        return params[name].value or None if name in params else None

    def number(name: str, default: int, lowest: int, highest: int) -> int | None:
        if not value(name):
            return None
        found = read_number(params[name], lowest, highest)
        return None if found == default else found

    places = tuple((name, param.piece.place) for name, param in params.items())
    board = value("board")
    layout = read_board(board or DEFAULT_BOARD)
    seed = value("seed")
    if seed is None:
        warnings.add("missing-seed", "the seed is missing; the tiles are drawn by the id of the game")
    dictionary_type = _dictionary_type(params.get("dt"), warnings)
    return Settings(
        _names(params, warnings),
        None if board == DEFAULT_BOARD else board,
        number("bingo", DEFAULT_BINGO_BONUS, 0, MAX_NUMBER),
        _bag(params, layout.rows * layout.columns, warnings),
        number("racksize", DEFAULT_RACK_SIZE, 1, MAX_RACK_SIZE),
        None if seed == game_id else seed,
        dictionary_type,
        value("ds"),
        places,
    )


def _names(params: Mapping[str, Param], warnings: Warnings) -> tuple[str, ...]:
    """Return the names numbered from 1 without a gap; two players by their default names are none."""
    names: list[str] = []
    while param := params.get(param_of_seat(len(names))):
        names.append(shorten(param.value))
        if names[-1] != param.value:
            param.piece.warn(
                warnings, "long-name", "a name is longer than {limit} characters; cut", limit=MAX_NAME
            )
        if not param.value:
            param.piece.warn(warnings, "empty-name", "{param} is empty", param=param.name)
    for name, param in params.items():
        seat = seat_of_param(name)
        if seat is not None and seat >= len(names):
            param.piece.warn(
                warnings,
                "name-gap",
                "players are numbered from 1 without a gap; {param} is left out",
                param=name,
            )
    usual = all(name == default_name(seat) for seat, name in enumerate(names))
    return () if usual and len(names) == DEFAULT_PLAYERS else tuple(names)


def _dictionary_type(param: Param | None, warnings: Warnings) -> str | None:
    if param is None or param.value in ("", DEFAULT_DICTIONARY_TYPE):
        return None
    if param.value not in DICTIONARY_TYPES:
        param.piece.warn(
            warnings,
            "unknown-dictionary-type",
            "the dictionary type {type!r} is unknown",
            type=param.value[:20],
        )
    elif param.value == "consensus":
        param.piece.warn(warnings, "consensus", "sharewords does not know the dictionary type consensus")
    elif param.value != "wordlist":
        param.piece.warn(
            warnings,
            "program-dictionary-type",
            "the dictionary type {type!r} is sharewords' own, not the format's",
            type=param.value,
        )
    return param.value


def _bag(params: Mapping[str, Param], squares: int, warnings: Warnings) -> str | None:
    param = params.get("bag")
    if param is None or not param.value:
        warnings.add(
            "missing-bag",
            "the URL names no tiles; taken for those of {language!r}",
            language=implied_bag(params["ds"].value if "ds" in params else ""),
        )
        return None
    try:
        contents = read_bag(param.value, squares)
    except ParseError as error:
        raise error.at(*param.piece.place) from None
    if any(letter.text == "" and letter.points for letter in contents.letters):
        param.piece.warn(warnings, "blank-with-points", "the blank has points; sharewords cannot play it")
    for remark in contents.remarks:
        param.piece.warn(warnings, remark.code, remark.template, **dict(remark.values))
    return canonical_bag(param.value, squares)


def implied_bag(dictionary: str) -> str:
    """Return the bag that goes with a word list, known by a name such as ``es.fw2018.swdict``; English otherwise."""
    match = _LANGUAGE.match(dictionary[:200].rpartition("/")[2])
    return match[1] if match else DEFAULT_BAG
