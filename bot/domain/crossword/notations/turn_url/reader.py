"""Finds Turn URLs in free text, and reads their params as settings and turns.

A Turn URL can be on any host. It has no spaces, and contains ``gid=`` before a turn number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters
from typing import Final

from bot.domain.crossword.game import MAX_TURNS
from bot.domain.crossword.notations.turn_url.settings import check_setting, read_settings
from bot.domain.crossword.notations.turn_url.url import (
    SETTING_PARAMS,
    Changes,
    ExchangeTurn,
    GameSettings,
    Param,
    TurnUrl,
    UrlTurn,
    WordTurn,
    seat_of_param,
    split_params,
)
from bot.domain.crossword.play import Direction
from bot.domain.reading.notation import Span, are_mostly_valid
from bot.domain.reading.problems import ParseError, Reading, Warnings

_RUN = re.compile(r"[^\s<>`|\"“”«»]++")
_GID = re.compile(r"(?:\A|(?<=[#?&;(\[{*_~'‘:,!（「『【]))gid=[^&#]")
_TURN_NUMBER_PARAM = re.compile(r"[&#;]tn=[0-9]")
_CLOSING_BRACKET = re.compile(r"[)\]}]")
_TRAILING_PUNCTUATION = ".,;:!?'’*_~\\…。、，；：！？）」』】"
MAX_URL_LENGTH = 64_000
_OPENING_CHARACTERS = "([{*'‘,!（「『【"


def find(text: str) -> Iterator[Span]:
    if "tn=" not in text:
        return
    for match in _RUN.finditer(text):
        run, offset = match[0], match.start()
        position = 0
        while (gid := _GID.search(run, position)) and (number := _TURN_NUMBER_PARAM.search(run, gid.end())):
            # Form encoding escapes brackets, so a closing bracket ends the link.
            closing_bracket = _CLOSING_BRACKET.search(run, number.end())
            end = closing_bracket.start() if closing_bracket else len(run)
            start = _start_of_link(run, position, gid.start())
            yield (
                offset + start,
                offset + start + len(run[start:end].rstrip(_TRAILING_PUNCTUATION)),
                "turn-url",
            )
            position = end


# The params follow a hash, or are anywhere in an address without a hash, or are the whole text.
_LOOKS_LIKE_TURN_URL = re.compile(
    r"[a-z]{2,10}://(?:[^#]*?(?:gid|tn)=|[^#]*+#(?:[^&]*+&)*?(?:gid|tn)=)|#?(?:[^=&]++=[^&]*+&)*?(?:gid|tn)="
)


def sniff(text: str) -> bool:
    """Return whether the text is meant to be a Turn URL, even if it has no turn number."""
    words = text.split(maxsplit=1) if len(text) <= MAX_URL_LENGTH else []
    return len(words) == 1 and _LOOKS_LIKE_TURN_URL.match(words[0]) is not None


def _start_of_link(run: str, earliest_start: int, gid_offset: int) -> int:
    scheme = run.rfind("://", earliest_start, gid_offset)
    if scheme >= 0:
        return earliest_start + len(run[earliest_start:scheme].rstrip(ascii_letters))
    return max(
        earliest_start,
        *(run.rfind(character, earliest_start, gid_offset) + 1 for character in _OPENING_CHARACTERS),
    )


_PARAM_NAME = re.compile(r"(?<=[#?&])[a-z][a-z0-9]{0,9}(?==)")
_TURN = re.compile(r"[#?&](?:wl=\d{1,2}\.\d{1,2}|ex=\d)")
_KNOWN_PARAMS = frozenset((*SETTING_PARAMS, "gid", "tn", "wl", "wh", "wv", "bt", "ex"))

_MIN_KNOWN_PARAMS: Final = 4


def find_leniently(text: str) -> Iterator[Span]:
    """Yield the span of each likely Turn URL.

    A likely Turn URL has a turn and several known params, and at least four fifths of its params are known.
    """
    if "wl=" not in text and "ex=" not in text:
        return
    for match in _RUN.finditer(text):
        if len(match[0]) > MAX_URL_LENGTH:
            continue
        names = _PARAM_NAME.findall(match[0])
        known_names = [name for name in names if name in _KNOWN_PARAMS or seat_of_param(name) is not None]
        if (
            len(set(known_names)) >= _MIN_KNOWN_PARAMS
            and are_mostly_valid(len(known_names), len(names))
            and _TURN.search(match[0])
        ):
            yield match.start(), match.end(), "turn-url"


MAX_BASE_LENGTH = 2_000
"""A longer part before the ``#`` is left out."""

MAX_WORD_LENGTH = 2_000

_LINK = re.compile(r"(?:https?://)?[^\s:]+(?::[0-9]+)?(?:[/?]\S*)?", re.IGNORECASE)
_TURN_NUMBER = re.compile("[0-9]{1,6}")
_PLAYER_ID = re.compile("[1-9][0-9]{0,2}")
_LOCATION = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})")
_POSITIONS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})*")
_TURN_PARAMS = frozenset(("wl", "bt", "wh", "wv", "ex"))


def read(text: str) -> Reading[TurnUrl]:
    """Read a Turn URL: a URL on any host, or only its fragment, with or without the ``#``.

    Raises:
        ParseError: there is no ``gid``, the version is unsupported, a param is malformed, or a limit is exceeded.

    """
    warnings = Warnings(text)
    base, params = split_params(text, warnings)
    return Reading(_Reader(warnings).read(_read_base(base, warnings), params), warnings.all())


def _read_base(base: str, warnings: Warnings) -> str:
    link = next(iter(base.split()[-1:]), "")
    if link != base:
        warnings.add("text-before-link", "text before the link is ignored")
    if len(link) > MAX_BASE_LENGTH or (link and not _LINK.fullmatch(link)):
        warnings.add(
            "odd-address",
            "the text before the params is not a web address of at most {limit:,} characters, so it is ignored",
            limit=MAX_BASE_LENGTH,
        )
        return ""
    return link


class _Reader:
    def __init__(self, warnings: Warnings) -> None:
        self._warnings = warnings
        self._game_id: str | None = None
        self._player_id: int | None = None
        self._turn_number: int | None = None
        self._settings: dict[str, Param] = {}
        self._changes: list[tuple[str, str]] = []
        self._extra: list[tuple[str, str]] = []
        self._turns: list[UrlTurn] = []
        self._turn: dict[str, Param] = {}
        """The params of the turn that is being read: ``ex``, or ``wl`` with ``bt`` and ``word``."""
        self._turn_changes: list[tuple[str, str]] = []

    def read(self, base: str, params: list[Param]) -> TurnUrl:
        for param in params:
            self._read_param(param, is_first=param is params[0])
        self._finish_turn()
        if self._game_id is None:
            raise ParseError("missing-game-id", "a Turn URL starts with the id of its game, gid=")
        number = self._turn_number or 1
        settings = GameSettings()
        if number == 1:
            settings = read_settings(self._settings, self._game_id, self._warnings)
        else:
            self._changes[:0] = [
                (param.name, param.value) for param in self._settings.values() if param.name != "v"
            ]
        return TurnUrl(
            self._game_id,
            number,
            tuple(self._turns),
            settings,
            # There is only one version, so a version is never a change.
            tuple(
                sorted(
                    (change for change in self._changes if change[0] != "v"),
                    key=lambda change: change[0] not in SETTING_PARAMS,
                )
            ),
            self._player_id,
            base,
            tuple(self._extra),
        )

    def _read_param(self, param: Param, *, is_first: bool) -> None:
        name = param.name
        if name == "gid":
            self._read_game_id(param, is_first=is_first)
        elif name == "tn":
            self._read_turn_number(param)
        elif name == "pid":
            if _PLAYER_ID.fullmatch(param.value):
                self._player_id = int(param.value)
            else:
                param.piece.warn(
                    self._warnings,
                    "malformed-player-id",
                    "pid={value} doesn't match any player; ignored",
                    value=param.value[:20],
                )
        elif name in _TURN_PARAMS:
            if self._turn_number is None:
                raise param.piece.parse_error(
                    "turn-before-number",
                    "{param} belongs after tn, the number of its turn",
                    param=name,
                )
            self._read_turn_param(param)
        else:
            self._read_other_param(param)

    def _read_game_id(self, param: Param, *, is_first: bool) -> None:
        if self._game_id is not None:
            if self._game_id != param.value:
                raise param.piece.parse_error(
                    "duplicate-game-id", "the URL names two games; only one gid is allowed"
                )
            param.piece.warn(
                self._warnings, "duplicate-param", "{param} is given twice; the first one counts", param="gid"
            )
            return
        if not param.value:
            raise param.piece.parse_error(
                "missing-game-id", "a Turn URL starts with the id of its game, gid="
            )
        if not is_first:
            param.piece.warn(self._warnings, "game-id-not-first", "gid must be the first param")
        self._game_id = param.value

    def _read_turn_number(self, param: Param) -> None:
        if not _TURN_NUMBER.fullmatch(param.value) or int(param.value) == 0:
            raise param.piece.parse_error(
                "malformed-turn-number",
                "tn={value} is not a turn number; turn numbers are whole numbers starting at 1",
                value=param.value[:20],
            )
        number = int(param.value)
        if self._turn_number is None:
            self._turn_number = number
        elif self._turn_number != number:
            raise param.piece.parse_error("duplicate-turn-number", "the URL has two turn numbers")
        else:
            param.piece.warn(
                self._warnings, "duplicate-param", "{param} is given twice; the first one counts", param="tn"
            )

    def _read_other_param(self, param: Param) -> None:
        is_name = seat_of_param(param.name) is not None
        is_known = is_name or param.name in SETTING_PARAMS
        is_after_number = self._turn_number is not None
        if not is_known:
            param.piece.warn(
                self._warnings,
                "unknown-param",
                "the param {param!r} is unknown; kept as written",
                param=param.name[:20],
            )
        elif not is_name:
            check_setting(param)
            if is_after_number:
                param.piece.warn(
                    self._warnings,
                    "setting-after-number",
                    "{param} comes after tn, the turn number; sharewords accepts it only before tn",
                    param=param.name,
                )
        change = (param.name, param.value)
        if self._turn:
            self._turn_changes.append(change)
        elif not is_known:
            (self._changes if is_after_number else self._extra).append(change)
        elif is_after_number and is_name:
            self._changes.append(change)
        elif param.name in self._settings:
            param.piece.warn(
                self._warnings,
                "duplicate-param",
                "{param} is given twice; the first one counts",
                param=param.name,
            )
        else:
            self._settings[param.name] = param

    def _read_turn_param(self, param: Param) -> None:
        name = "word" if param.name in ("wh", "wv") else param.name
        if name in ("wl", "ex"):
            self._finish_turn()
        elif "wl" not in self._turn:
            raise param.piece.parse_error(
                "word-without-location",
                "{param} needs a word location; write wl before it",
                param=param.name,
            )
        elif name in self._turn and name == "bt":
            raise param.piece.parse_error(
                "duplicate-blanks", "turn {turn} has two bt params", turn=self._current_turn_number
            )
        elif name in self._turn:
            raise param.piece.parse_error(
                "duplicate-word", "turn {turn} has two words", turn=self._current_turn_number
            )
        self._turn[name] = param

    @property
    def _current_turn_number(self) -> int:
        return (self._turn_number or 1) + len(self._turns)

    def _finish_turn(self) -> None:
        turn, changes = self._turn, tuple(self._turn_changes)
        self._turn, self._turn_changes = {}, []
        if not turn:
            return
        first_param = next(iter(turn.values()))
        if "ex" in turn:
            positions = self._read_positions(first_param) if first_param.value else ()
            self._turns.append(ExchangeTurn(positions, changes, first_param.piece.location))
        elif "word" not in turn:
            first_param.piece.warn(
                self._warnings,
                "incomplete-turn",
                "turn {turn} has a location but no word; the turn and its settings are ignored",
                turn=self._current_turn_number,
            )
        else:
            self._turns.append(self._read_word(first_param, turn["word"], turn.get("bt"), changes))
        if len(self._turns) > MAX_TURNS:
            raise first_param.piece.parse_error(
                "too-many-turns", "a game has at most {limit} turns", limit=MAX_TURNS
            )

    def _read_positions(self, param: Param) -> tuple[int, ...]:
        if not _POSITIONS.fullmatch(param.value):
            raise param.piece.parse_error(
                "malformed-positions",
                "{param}={value} is not a list of tile positions; use numbers counted from 0, separated by dots",
                param=param.name,
                value=param.value[:20],
            )
        positions = tuple(map(int, param.value.split(".")))
        if len(set(positions)) != len(positions):
            raise param.piece.parse_error(
                "duplicate-position", "{param} lists a tile twice", param=param.name
            )
        return positions

    def _read_word(self, location: Param, word: Param, blanks: Param | None, changes: Changes) -> WordTurn:
        match = _LOCATION.fullmatch(location.value)
        if match is None:
            raise location.piece.parse_error(
                "malformed-location",
                "wl={value} is not a word location; use a row and a column, both counted from 0, separated by a dot",
                value=location.value[:20],
            )
        if not word.value or len(word.value) > MAX_WORD_LENGTH:
            raise word.piece.parse_error(
                "malformed-word",
                "the word in turn {turn} is empty or too long",
                turn=self._current_turn_number,
            )
        indices: tuple[int, ...] = ()
        if blanks is not None and blanks.value:
            indices = self._read_positions(blanks)
        elif blanks is not None:
            blanks.piece.warn(
                self._warnings, "empty-blanks", "bt is empty; it is written only when a blank is played"
            )
        # Dots between tiles are dropped if each tile has only one letter.
        parts = word.value.split(".")
        text = "".join(parts) if all(len(part) == 1 for part in parts) else word.value
        if blanks is not None and "." in text:
            blanks.piece.warn(
                self._warnings,
                "blank-places",
                "bt counts tiles here; the site sharewords counts characters if a word contains dots",
            )
        return WordTurn(
            int(match[1]),
            int(match[2]),
            Direction.ACROSS if word.name == "wh" else Direction.DOWN,
            text,
            tuple(sorted(indices)),
            changes,
            location.piece.location,
        )
