"""Positions and moves that stand in a link to a board of lichess or chess.com: the link is read, nobody is asked.

The analysis boards and the editor of lichess have a FEN with low lines for spaces in their path (``/analysis/…``,
``/editor/…``), or among the parameters (``?fen=…``), or moves (``/analysis/pgn/e4_e5``); by which rules is played a part
of the path or a parameter tells (``/analysis/atomic/…``, ``?variant=atomic``). Boards of chess.com have a FEN among the
parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote

from bot.domain.chess.variants import CRAZYHOUSE, VARIANTS
from bot.domain.reading.detection import Span

MAX_LENGTH = 2_000
"""Longest link that is looked at, in characters."""

SITES = ("lichess.org/", "chess.com/")
"""One of them stands in every link."""

_SITE = r"(?:https?://)?(?:www\.)?"
_BOARD = re.compile(
    rf"(?<![\w.@:/%=-])(?P<url>(?i:{_SITE}(?:lichess\.org/(?:analysis|editor)[/?]|chess\.com/[a-z0-9/_-]{{1,60}}\?))"
    r"[\w/%?&=#.,:;+~!*'-]{4,1900}+)"
)
_LICHESS = re.compile(rf"(?i:{_SITE}lichess\.org/)")
_CHESS_COM = re.compile(rf"(?i:{_SITE}chess\.com/)")
_RANKS = 7
"""Slashes of a FEN. The pockets of Crazyhouse may stand behind one more."""
_RULES = frozenset({"standard", "fromPosition", *VARIANTS})
"""Parts of a path that say by which rules is played."""
_MOVES = re.compile(r"[A-Za-z0-9=+#_ .-]{2,1900}")
_SPACES = re.compile(r"[_\s]+|\+(?![0-3])(?<![0-3]\+)")
_FEN = re.compile(
    r"[pnbrqkPNBRQK1-8/~]{15,90}(?:\[[pnbrqPNBRQ-]{0,64}\])?"
    r"(?:[ _+][A-Za-z0-9-]{1,6}){0,3}(?:[ _][0-3]\+[0-3])?(?:[ _+][0-9-]{1,6}){0,2}(?:[ _]\+[0-3]\+[0-3])?"
)
_TRAILING = ".,:;!?*_~'"


def find(text: str) -> Iterable[Span]:
    """Return each link with a position or with the moves of a game in a text, from left to right."""
    lower = text.lower()
    return _find(text) if any(site in lower for site in SITES) else ()


def _find(text: str) -> Iterator[Span]:
    for match in _BOARD.finditer(text):
        url = match["url"].rstrip(_TRAILING)
        if name := "fen" if position_in(url) else "pgn" if moves_in(url) else "":
            yield match.start(), match.start() + len(url), name


def position_in(url: str) -> str:
    """Return the FEN that stands in a link; nothing when the text is none, or has none."""
    found = ""
    if _is_of_lichess(url):
        found = _path(url).partition("/")[2]
        if found.partition("/")[0] in _RULES:
            found = found.partition("/")[2]
        found = found.strip("_ ") or _parameters(url).get("fen", "").strip()
    elif _is_of_chess_com(url):
        found = _parameters(url).get("fen", "").strip()
    ranks = _RANKS + (variant_in(url) == CRAZYHOUSE and found.count("/") > _RANKS)
    return _SPACES.sub(" ", found) if found.count("/") == ranks and _FEN.fullmatch(found) else ""


def variant_in(url: str) -> str:
    """Return the key of the variant whose board a link of lichess shows; empty for usual chess, and for other texts."""
    if not _is_of_lichess(url):
        return ""
    told = (_path(url).partition("/")[2].partition("/")[0], _parameters(url).get("variant", ""))
    return next((rules for rules in told if rules in VARIANTS), "")


def moves_in(url: str) -> str:
    """Return the moves that stand in a link, with spaces between; nothing when the text is none, or has none."""
    if not _is_of_lichess(url):
        return ""
    board, _, rest = _path(url).partition("/")
    kind, _, moves = rest.partition("/")
    if board != "analysis" or kind != "pgn" or not _MOVES.fullmatch(moves):
        return ""
    # A plus is a space, or the sign of check, which tells nothing.
    return " ".join(moves.replace("_", " ").replace("+", " ").split())


def is_black_below(url: str) -> bool:
    """Tell whether a link shows its board from Black's side."""
    if _is_of_lichess(url):
        return _parameters(url).get("color", "").lower() == "black"
    return _is_of_chess_com(url) and _parameters(url).get("flip", "").lower() in ("true", "1")


def _is_of_lichess(url: str) -> bool:
    """Tell whether a text is a link to lichess, with or without its beginning."""
    return len(url) <= MAX_LENGTH and _LICHESS.match(url) is not None


def _is_of_chess_com(url: str) -> bool:
    """Tell whether a text is a link to chess.com, with or without its beginning."""
    return len(url) <= MAX_LENGTH and _CHESS_COM.match(url) is not None


def _path(url: str) -> str:
    """Return the path of a link without its first slash and what is escaped in it."""
    path = url.partition("://")[2] or url
    path = path.partition("/")[2].partition("#")[0].partition("?")[0]
    return unquote(path).rstrip("/")


def _parameters(url: str) -> dict[str, str]:
    """Return the parameters of a link, the last of each name."""
    query = url.partition("#")[0].partition("?")[2]
    try:
        return dict(parse_qsl(query, max_num_fields=20))
    except ValueError:  # more than that
        return {}
