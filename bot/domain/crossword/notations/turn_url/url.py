"""A Turn URL as values and as text: the settings and turns of a game, or only its later turns.

The params are in the fragment, encoded as ``application/x-www-form-urlencoded`` (see ``URLSearchParams`` in the WHATWG URL
standard).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias
from urllib.parse import quote_plus, unquote_plus

from bot.domain.crossword.play import Direction, PlayerName
from bot.domain.reading.problems import TextPiece, Warnings, require_max_length

MAX_NAME_LENGTH = 50
"""Maximum length of a name in characters, as in sharewords."""

_NAME_PARAM = re.compile(r"p([1-9][0-9]{0,2})n")


def seat_of_param(param: str) -> int | None:
    """Return the seat that a param such as ``p1n`` names, counted from 0, or None for other params."""
    match = _NAME_PARAM.fullmatch(param)
    return int(match[1]) - 1 if match else None


def param_of_seat(seat: int) -> str:
    return f"p{seat + 1}n"


def default_player_name(seat: int) -> str:
    return f"Player {seat + 1}"


def with_nicks(names: Iterable[str]) -> tuple[PlayerName, ...]:
    """Give each name a different nick without spaces, such as ``Ann_Lee`` for ``Ann Lee``."""
    players: list[PlayerName] = []
    used_nicks: set[str] = set()
    for seat, name in enumerate(names):
        nick = base = "_".join(name.split()) or default_player_name(seat).replace(" ", "_")
        number = 2
        while nick in used_nicks:
            nick = f"{base}_{number}"
            number += 1
        used_nicks.add(nick)
        players.append(PlayerName(nick, name))
    return tuple(players)


VERSION = "1"
SETTING_PARAMS = ("v", "board", "bingo", "bag", "racksize", "seed", "dt", "ds")
"""The params of a game's settings except the players' names, in the order in which they are written."""

DEFAULT_BINGO_BONUS = 42
DEFAULT_RACK_SIZE = 7
DEFAULT_PLAYER_COUNT = 2

Location: TypeAlias = tuple[int, int]
"""Line and column in text, both counted from 1."""

Changes: TypeAlias = tuple[tuple[str, str], ...]
"""(name, value) pairs of params that change something during the game. For example, ``p1n`` renames the first player."""


@dataclass(frozen=True, slots=True)
class WordTurn:
    """A played word, including the letters that were already on the board. Its row and column are counted from 0."""

    row: int
    column: int
    direction: Direction
    word: str
    """The word as written, with dots between the tiles if a tile has several letters."""
    blanks: tuple[int, ...] = ()
    """Indexes of the tiles in the word that are blanks laid in this turn."""
    changes: Changes = ()
    location: Location = field(default=(1, 1), compare=False)


@dataclass(frozen=True, slots=True)
class ExchangeTurn:
    """An exchange or a pass."""

    positions: tuple[int, ...] = ()
    """Positions of the exchanged tiles on the rack, counted from 0 in the order drawn. A pass has none."""
    changes: Changes = ()
    location: Location = field(default=(1, 1), compare=False)


UrlTurn: TypeAlias = WordTurn | ExchangeTurn


@dataclass(frozen=True, slots=True)
class GameSettings:
    """The settings before the first turn. None and the empty tuple mean the format's default."""

    names: tuple[str, ...] = ()
    """In order of play; empty means ``Player 1`` and ``Player 2``."""
    board: str | None = None
    bingo_bonus: int | None = None
    bag: str | None = None
    rack_size: int | None = None
    seed: str | None = None
    """The seed for drawing tiles. None means the game's id."""
    dictionary_type: str | None = None
    dictionary: str | None = None
    locations: tuple[tuple[str, Location], ...] = field(default=(), compare=False, repr=False)
    """(param name, location of the value in the text) pairs."""

    @property
    def player_names(self) -> tuple[str, ...]:
        names = self.names or ("",) * DEFAULT_PLAYER_COUNT
        return tuple(name or default_player_name(seat) for seat, name in enumerate(names))

    def location(self, param: str) -> Location:
        """Return the location of a param's value, or the start of the text if the param is missing."""
        return dict(self.locations).get(param, (1, 1))


@dataclass(frozen=True, slots=True)
class TurnUrl:
    """A Turn URL. It is either a history, which holds a game from its first turn, or a delta, which holds only later turns."""

    game_id: str
    turn_number: int = 1
    """The number of the first turn in ``turns``."""
    turns: tuple[UrlTurn, ...] = ()
    settings: GameSettings = GameSettings()
    """The settings of a history. The settings of a delta are in ``changes``."""
    changes: Changes = ()
    """The changes before the first of ``turns``."""
    player_id: int | None = None
    """Number of the player who has this copy of the game, counted from 1."""
    base: str = ""
    """The URL up to the ``#``, or empty for a bare fragment."""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown params before the turns. They are written back."""

    @property
    def is_history(self) -> bool:
        """Whether the URL contains the game from its first turn."""
        return self.turn_number == 1

    @property
    def next_turn_number(self) -> int:
        return self.turn_number + len(self.turns)

    @property
    def seed(self) -> str:
        return self.game_id if self.settings.seed is None else self.settings.seed


MAX_LENGTH = 64 * 1024

MAX_PARAMS = 10_000

# Characters that may surround a URL, but are not part of it at either end.
_SURROUNDING_CHARACTERS = " \t\r\n<>`\"'"
_LINE_BREAK = re.compile(r"(?<![ \t])[ \t]*+[\r\n][ \t\r\n]*+")
_SEPARATOR = re.compile(r"&(?:amp;)?|#(?=[a-z][a-z0-9]{0,9}=)")
_FIRST_PARAM = re.compile(r"(?:^|[#?&;])gid=")


class Param(NamedTuple):
    """A decoded name and value."""

    name: str
    piece: TextPiece
    """The decoded value, with its location in the text."""

    @property
    def value(self) -> str:
        return self.piece.text


def split_params(text: str, warnings: Warnings) -> tuple[str, list[Param]]:
    """Return the part before the fragment, which may be empty, and the params in order.

    Accept some deviations with a warning: params after a ``?``, a second ``#``, line breaks inside the URL, and ``&amp;``.

    Raises:
        ParseError: the text is too long, has neither a fragment nor a ``gid``, or has too many params.

    """
    require_max_length(text, MAX_LENGTH)
    start = len(text) - len(text.lstrip(_SURROUNDING_CHARACTERS))
    end = len(text.rstrip(_SURROUNDING_CHARACTERS))
    base_end, start = _find_fragment(text, start, end, warnings)
    base = _LINE_BREAK.sub("", text[:base_end]).strip(_SURROUNDING_CHARACTERS)
    params: list[Param] = []
    offset = start
    for separator in (*_SEPARATOR.finditer(text, start, end), None):
        piece_end = separator.start() if separator else end
        if piece_end > offset:
            params.append(_read_param(text, offset, piece_end, warnings))
        if separator is None:
            break
        if len(separator[0]) > 1:
            warnings.add("html-escaped", "&amp; is an & escaped for a web page", separator.start())
        elif separator[0] == "#":
            warnings.add("second-hash", "there is a second # where an & belongs", separator.start())
        offset = separator.end()
        if len(params) > MAX_PARAMS:
            raise TextPiece("", offset, text).parse_error(
                "too-many-params", "a Turn URL has at most {limit} params", limit=MAX_PARAMS
            )
    return base, params


def _find_fragment(text: str, start: int, end: int, warnings: Warnings) -> tuple[int, int]:
    hash_offset = text.find("#", start, end)
    if hash_offset >= 0 and not text.startswith("gid=", start):
        return hash_offset, hash_offset + 1
    first_param = _FIRST_PARAM.search(text[start:end])
    if first_param is None:
        raise TextPiece("", len(text), text).parse_error(
            "missing-fragment", "this is not a Turn URL: it has neither a # nor the param gid"
        )
    gid_offset = start + first_param.end() - len("gid=")
    if "?" in text[start:gid_offset]:
        warnings.add(
            "not-in-fragment", 'the params of a Turn URL belong after a "#", not after a "?"', gid_offset
        )
        return text.index("?", start), text.index("?", start) + 1
    return start, start


def _read_param(text: str, start: int, end: int, warnings: Warnings) -> Param:
    piece = text[start:end]
    if "\n" in piece or "\r" in piece:
        warnings.add("line-break", "a line break inside the URL is ignored", start)
        piece = _LINE_BREAK.sub("", piece)
    name, equals, value = piece.partition("=")
    return Param(decode(name), TextPiece(decode(value), start + len(name) + len(equals), text))


def decode(text: str) -> str:
    """Decode a name or value: ``+`` is a space, ``%C3%91`` is ``Ñ``. Invalid UTF-8 becomes ``�``."""
    return unquote_plus(_replace_lone_surrogates(text))


def encode(text: str) -> str:
    """Encode a name or value. ASCII letters, digits and ``*-._`` are not changed, and a space becomes ``+``."""
    return quote_plus(_replace_lone_surrogates(text), safe="*").replace("~", "%7E")


def _replace_lone_surrogates(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write(turn_url: TurnUrl) -> str:
    """Write a Turn URL in sharewords' order, without default values. Without a base, write only the params."""
    params = [("gid", turn_url.game_id)]
    if turn_url.player_id is not None:
        params.append(("pid", str(turn_url.player_id)))
    settings = turn_url.settings
    if turn_url.is_history:
        values = {
            "board": settings.board,
            "bingo": settings.bingo_bonus,
            "bag": settings.bag,
            "racksize": settings.rack_size,
            "seed": settings.seed,
            "dt": settings.dictionary_type,
            "ds": settings.dictionary,
        }
        params.append(("v", VERSION))
        params += [(param_of_seat(seat), name) for seat, name in enumerate(settings.names)]
        params += [(name, str(value)) for name, value in values.items() if value is not None]
    params += turn_url.extra
    params += [change for change in turn_url.changes if change[0] in SETTING_PARAMS]
    params.append(("tn", str(turn_url.turn_number)))
    params += [change for change in turn_url.changes if change[0] not in SETTING_PARAMS]
    for turn in turn_url.turns:
        params += _write_turn(turn)
    fragment = "&".join(f"{encode(name)}={encode(value)}" for name, value in params)
    return f"{turn_url.base}#{fragment}" if turn_url.base else fragment


def _write_turn(turn: UrlTurn) -> list[tuple[str, str]]:
    if isinstance(turn, ExchangeTurn):
        return [("ex", ".".join(map(str, turn.positions))), *turn.changes]
    params = [("wl", f"{turn.row}.{turn.column}"), *turn.changes]
    if turn.blanks:
        params.append(("bt", ".".join(map(str, turn.blanks))))
    params.append(("wh" if turn.direction is Direction.ACROSS else "wv", turn.word))
    return params
