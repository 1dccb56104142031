"""The form encoding of Turn URLs: names and values in the fragment of a URL, each with its place in the text.

The encoding is ``application/x-www-form-urlencoded`` as the WHATWG URL standard defines it for ``URLSearchParams``.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote_plus, unquote_to_bytes

from bot.domain.crossword.notations.turn_url.values import (
    SETTING_PARAMS,
    VERSION,
    ExchangeTurn,
    Settings,
    TurnUrl,
    UrlTurn,
)
from bot.domain.crossword.play import Direction
from bot.domain.reading.problems import ParseError, Piece, Warnings, require_length

MAX_LENGTH = 64 * 1024
"""Longest Turn URL that is read, in characters."""

MAX_PARAMS = 10_000

# What people put around a link, and what URLs never end in.
_AROUND = " \t\r\n<>`\"'"
_LINE_BREAK = re.compile(r"(?<![ \t])[ \t]*+[\r\n][ \t\r\n]*+")
_SEPARATOR = re.compile(r"&(?:amp;)?|#(?=[a-z][a-z0-9]{0,9}=)")
_PLAIN = re.compile(r"[A-Za-z0-9*._-]*")
_FIRST = re.compile(r"(?:^|[#?&;])gid=")


class Param(NamedTuple):
    """One name and value."""

    name: str
    piece: Piece
    """The value where it stands in the text, decoded."""

    @property
    def value(self) -> str:
        """The value, decoded."""
        return self.piece.text


def split(text: str, warnings: Warnings) -> tuple[str, list[Param]]:
    """Return what stands before the fragment (empty when there is nothing) and the params in their order.

    Accepts a whole URL, a fragment with or without its ``#``, and, with a warning, params after a ``?``, line breaks
    inside the URL, and ``&amp;``.

    Raises:
        ParseError: the text is too long, or there is no fragment with a ``gid``.

    """
    require_length(text, MAX_LENGTH)
    start = len(text) - len(text.lstrip(_AROUND))
    end = len(text.rstrip(_AROUND))
    base_end, start = _fragment(text, start, end, warnings)
    base = _LINE_BREAK.sub("", text[:base_end]).strip(_AROUND)
    params: list[Param] = []
    position = start
    while position <= end:
        match = _SEPARATOR.search(text, position, end)
        piece_end = match.start() if match else end
        if piece_end > position:
            params.append(_read_param(text, position, piece_end, warnings))
        if match is None:
            break
        if len(match[0]) > 1:
            warnings.add("html-escaped", "&amp; is an & that was escaped for a web page", match.start())
        elif match[0] == "#":
            warnings.add("second-hash", "a second # stands where an & belongs", match.start())
        position = match.end()
        _check_count(text, position, params)
    return base, params


def _fragment(text: str, start: int, end: int, warnings: Warnings) -> tuple[int, int]:
    """Return where the part before the fragment ends, and where the params start."""
    hash_at = text.find("#", start, end)
    if hash_at >= 0 and not text.startswith("gid=", start):
        return hash_at, hash_at + 1
    first = _FIRST.search(text[start:end])
    if first is None:
        raise _no_fragment(text)
    gid = start + first.end() - len("gid=")
    if "?" in text[start:gid]:
        warnings.add("not-in-fragment", "the params of a Turn URL stand after a #, not after a ?", gid)
        return text.index("?", start), text.index("?", start) + 1
    return start, start


def _no_fragment(text: str) -> ParseError:
    return Piece("", len(text), text).malformed(
        "missing-fragment", "this is no Turn URL: there is no part after a # that starts with gid="
    )


def _check_count(text: str, position: int, params: list[Param]) -> None:
    if len(params) > MAX_PARAMS:
        raise Piece("", position, text).malformed(
            "too-many-params", "a Turn URL has at most {limit} params", limit=MAX_PARAMS
        )


def _read_param(text: str, start: int, end: int, warnings: Warnings) -> Param:
    piece = text[start:end]
    if "\n" in piece or "\r" in piece:
        warnings.add("line-break", "a line break inside the URL is passed over", start)
        piece = _LINE_BREAK.sub("", piece)
    name, equals, value = piece.partition("=")
    return Param(decode(name), Piece(decode(value), start + len(name) + len(equals), text))


def decode(text: str) -> str:
    """Decode a name or value: ``+`` is a space, ``%C3%91`` is ``Ñ``; what is no UTF-8 becomes ``�``."""
    if "+" in text:
        text = text.replace("+", " ")
    text = _well_formed(text)
    if "%" not in text:
        return text
    return unquote_to_bytes(text.encode(errors="replace")).decode("utf-8", "replace")


def encode(text: str) -> str:
    """Encode a name or value; only ASCII letters, digits and ``*-._`` stand for themselves, a space is ``+``."""
    if _PLAIN.fullmatch(text):
        return text
    return quote_plus(_well_formed(text), safe="*").replace("~", "%7E")


def _well_formed(text: str) -> str:
    """Replace surrogates on their own, which are no characters, by ``�``."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def join(params: list[tuple[str, str]]) -> str:
    """Write params in their order."""
    return "&".join(f"{encode(name)}={encode(value)}" for name, value in params)


# Writing Turn URLs in their canonical form: the order of sharewords, nothing that is the default anyway.


def write(turn_url: TurnUrl) -> str:
    """Write a Turn URL; without a base, only its params."""
    params = [("gid", turn_url.game_id)]
    if turn_url.player_id is not None:
        params.append(("pid", str(turn_url.player_id)))
    if turn_url.is_history:
        params += _write_settings(turn_url.settings)
    params += turn_url.extra
    params += [change for change in turn_url.changes if change[0] in SETTING_PARAMS]
    params.append(("tn", str(turn_url.turn_number)))
    params += [change for change in turn_url.changes if change[0] not in SETTING_PARAMS]
    for turn in turn_url.turns:
        params += _write_turn(turn)
    return f"{turn_url.base}#{join(params)}" if turn_url.base else join(params)


def _write_settings(settings: Settings) -> list[tuple[str, str]]:
    values = {
        "v": VERSION,
        "board": settings.board,
        "bingo": settings.bingo_bonus,
        "bag": settings.bag,
        "racksize": settings.rack_size,
        "seed": settings.seed,
        "dt": settings.dictionary_type,
        "ds": settings.dictionary,
    }
    params = [(name, str(values[name])) for name in SETTING_PARAMS if values[name] is not None]
    names = [(f"p{number}n", name) for number, name in enumerate(settings.names, start=1)]
    return [params[0], *names, *params[1:]]


def _write_turn(turn: UrlTurn) -> list[tuple[str, str]]:
    if isinstance(turn, ExchangeTurn):
        return [("ex", ".".join(map(str, turn.positions))), *turn.changes]
    params = [("wl", f"{turn.row}.{turn.column}"), *turn.changes]
    if turn.blanks:
        params.append(("bt", ".".join(map(str, turn.blanks))))
    params.append(("wh" if turn.direction is Direction.ACROSS else "wv", turn.word))
    return params
