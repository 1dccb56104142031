"""Reads links to boards on lichess and chess.com, without a request to either site.

A lichess link contains moves (``/analysis/pgn/e4_e5``) or a FEN. The FEN is in the path (``/analysis/…``,
``/editor/…``, with underscores for spaces) or in a parameter (``?fen=…``). The path or a parameter may name a
variant (``/analysis/atomic/…``, ``?variant=atomic``). A chess.com link contains a FEN in a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import parse_qsl, unquote

from bot.domain.chess.position import CRAZYHOUSE, VARIANTS
from bot.domain.reading.notation import Span

MAX_LENGTH = 2_000

SITES = ("lichess.org/", "chess.com/")
"""Every link contains one of these."""

_URL_PREFIX = r"(?:https?://)?(?:www\.)?"
_BOARD = re.compile(
    rf"(?<![\w.@:/%=-])(?P<url>(?i:{_URL_PREFIX}(?:lichess\.org/(?:analysis|editor)[/?]|chess\.com/[a-z0-9/_-]{{1,60}}\?))"
    r"[\w/%?&=#.,:;+~!*'-]{4,1900}+)"
)
_START = re.compile(rf"(?i:{_URL_PREFIX}(lichess\.org|chess\.com)/)")
_SLASH_COUNT = 7
"""Number of slashes in a FEN. In Crazyhouse, another slash may precede the pockets."""
_FIELD_COUNT = 6
_VARIANT_NAMES = frozenset({"standard", "fromPosition", *VARIANTS})
_MOVES = re.compile(r"[A-Za-z0-9=+#_ .-]{2,1900}")
_SPACES = re.compile(r"[_\s]+|\+(?![0-3])(?<![0-3]\+)")
_FEN = re.compile(
    r"[pnbrqkPNBRQK1-8/~]{15,90}(?:\[[pnbrqPNBRQ-]{0,64}\])?"
    r"(?:[ _+][A-Za-z0-9-]{1,6}){0,3}(?:[ _][0-3]\+[0-3])?(?:[ _+][0-9-]{1,6}){0,2}(?:[ _]\+[0-3]\+[0-3])?"
)
_LICHESS = "lichess.org"
_PGN_PATH = "analysis/pgn/"
_TRAILING_PUNCTUATION = ".,:;!?*_~'"


def find(text: str) -> Iterator[Span]:
    lowercase_text = text.lower()
    if SITES[0] in lowercase_text or SITES[1] in lowercase_text:
        for match in _BOARD.finditer(text):
            url = match["url"].rstrip(_TRAILING_PUNCTUATION)
            if name := "fen" if fen_in(url) else "pgn" if moves_in(url) else "":
                yield match.start(), match.start() + len(url), name


def fen_in(url: str) -> str:
    site, path, parameters = _split_url(url)
    fen = ""
    if site == _LICHESS:
        fen = path.partition("/")[2]
        if fen.partition("/")[0] in _VARIANT_NAMES:
            fen = fen.partition("/")[2]
    fen = fen.strip("_ ") or parameters.get("fen", "").strip()
    slash_count = _SLASH_COUNT + (variant_in(url) == CRAZYHOUSE and fen.count("/") > _SLASH_COUNT)
    if fen.count("/") != slash_count or not _FEN.fullmatch(fen):
        return ""
    # Between the fields, a plus is a space. Within a field, it belongs to the checks of Three-check.
    is_separated_by_plus = "_" not in fen and " " not in fen and fen.count("+") < _FIELD_COUNT
    return fen.replace("+", " ") if is_separated_by_plus else _SPACES.sub(" ", fen)


def variant_in(url: str) -> str:
    """Return the key of the variant that a lichess link names, or an empty string."""
    site, path, parameters = _split_url(url)
    names = (path.partition("/")[2].partition("/")[0], parameters.get("variant", ""))
    return next((name for name in names if site == _LICHESS and name in VARIANTS), "")


def moves_in(url: str) -> str:
    """Return the moves in a link, separated by spaces, or an empty string."""
    site, path, _ = _split_url(url)
    if (
        site != _LICHESS
        or not path.startswith(_PGN_PATH)
        or not _MOVES.fullmatch(moves := path.removeprefix(_PGN_PATH))
    ):
        return ""
    # A plus can be a space or a check symbol. Moves can be read without check symbols, so every plus becomes a space.
    return " ".join(moves.replace("_", " ").replace("+", " ").split())


def is_black_at_bottom(url: str) -> bool:
    site, _, parameters = _split_url(url)
    if site == _LICHESS:
        return parameters.get("color", "").lower() == "black"
    return parameters.get("flip", "").lower() in ("true", "1")


def _split_url(url: str) -> tuple[str, str, dict[str, str]]:
    prefix = _START.match(url) if len(url) <= MAX_LENGTH else None
    if prefix is None:
        return "", "", {}
    path, parameters, _ = split_link(url[prefix.end() :])
    return prefix[1].lower(), unquote(path).rstrip("/"), parameters


def split_link(after_host: str) -> tuple[str, dict[str, str], str]:
    """Split the part of a link after the host into path, parameters and fragment."""
    before_fragment, _, fragment = after_host.partition("#")
    path, _, query = before_fragment.partition("?")
    with suppress(ValueError):  # raised for more than 20 parameters; then all of them are ignored
        return path, dict(parse_qsl(query, max_num_fields=20)), fragment
    return path, {}, fragment
