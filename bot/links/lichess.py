"""lichess.org: games, studies, puzzles and broadcast rounds, through its API."""

from __future__ import annotations

import re

from bot.links.values import (
    Contents,
    Link,
    LinkTarget,
    Pages,
    Request,
    Site,
    TargetKind,
    as_list,
    as_number,
    as_text,
    member,
    parse,
    unexpected_page_error,
)

NAME = "lichess.org"
_ALLOWED_PATHS = re.compile(
    r"/game/export/[A-Za-z0-9]{8}\?evals=true&clocks=true&opening=true&literate=false"
    r"|/api/study/[A-Za-z0-9]{8}\.pgn\?clocks=true&comments=true&variations=true&orientation=true"
    r"|/api/puzzle/(?:daily|[A-Za-z0-9]{5})|/api/broadcast/round/[A-Za-z0-9]{8}\.pgn"
)

_GAME = re.compile(r"/(?:embed/(?:game/)?)?([A-Za-z0-9]{8})(?:[A-Za-z0-9]{4})?(?:/(white|black))?")
_STUDY = re.compile(r"/study/(?:embed/)?([A-Za-z0-9]{8})(?:/([A-Za-z0-9]{8}))?")
_PUZZLE = re.compile(r"/training/(?:[A-Za-z0-9]{3,40}/)?([A-Za-z0-9]{5}|daily)")
_BROADCAST = re.compile(r"/broadcast/[\w%.~-]{1,120}/[\w%.~-]{1,120}/([A-Za-z0-9]{8})(?:/([A-Za-z0-9]{8}))?")
_PUZZLE_ID = re.compile(r"[A-Za-z0-9]{5}")
_PLY = re.compile(r"[0-9]{1,4}")
_API_PATHS = {
    TargetKind.GAME: "/game/export/{}?evals=true&clocks=true&opening=true&literate=false",
    TargetKind.STUDY: "/api/study/{}.pgn?clocks=true&comments=true&variations=true&orientation=true",
    TargetKind.PUZZLE: "/api/puzzle/{}",
    TargetKind.BROADCAST: "/api/broadcast/round/{}.pgn",
}
"""The API path for each kind of target, with a placeholder for the id."""
_PAGE_PATHS = {
    TargetKind.GAME: "/",
    TargetKind.STUDY: "/study/",
    TargetKind.PUZZLE: "/training/",
    TargetKind.BROADCAST: "/broadcast/-/-/",
}
"""The path of the web page for each kind of target, without the id."""
_PGN_TYPES = ("application/x-chess-pgn", "text/plain")
_NOT_PUZZLE_IDS = frozenset({"frame", "daily"})
"""Parts of other paths that look like puzzle ids."""
_MOVE = re.compile(r"[A-Za-z0-9=+#-]{2,10}")
_FORBIDDEN_IN_TAGS = re.compile(r"[\x00-\x1f\x7f\"\\\[\]]")
MAX_MOVES = 1_000


def _puzzle_text(page: object) -> str:
    """Return the PGN of a puzzle's game up to the puzzle's position. The site also sends the solution, which is not read."""
    game, puzzle = member(page, "game"), member(page, "puzzle")
    puzzle_id, last_ply = as_text(member(puzzle, "id")), as_number(member(puzzle, "initialPly"))
    moves = as_text(member(game, "pgn")).split()
    if not _PUZZLE_ID.fullmatch(puzzle_id) or not 0 <= last_ply < MAX_MOVES or len(moves) > MAX_MOVES:
        raise unexpected_page_error(NAME)
    moves = moves[: int(last_ply) + 1]
    if not moves or not all(map(_MOVE.fullmatch, moves)):
        raise unexpected_page_error(NAME)
    tags = {
        "Event": f"Puzzle {puzzle_id} ({as_number(member(puzzle, 'rating', 0)):.0f})",
        "Site": f"https://{NAME}/training/{puzzle_id}",
    }
    for player in as_list(member(game, "players", []))[:2]:
        colour = as_text(member(player, "color", ""))
        if colour in ("white", "black"):
            tags[colour.title()] = _FORBIDDEN_IN_TAGS.sub("", as_text(member(player, "name", "")))[:60]
    if len(moves) % 2:
        tags["Orientation"] = "black"
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{head}\n{' '.join(moves)} *\n"


class Lichess(Site):
    """Games, studies, puzzles and broadcast rounds on lichess.org."""

    name, host, allowed_paths = NAME, NAME, _ALLOWED_PATHS

    def target_of(self, link: Link) -> LinkTarget | None:
        path = link.path
        ply = int(link.fragment) if _PLY.fullmatch(link.fragment) else None
        if game := _GAME.fullmatch(path):
            # The paths of pages such as /settings consist of lowercase letters. Only one id in a thousand does.
            if path.islower() and path[1:].isalpha() and ply is None:
                return None
            is_black_at_bottom = (game[2] or link.parameters.get("color", "")) == "black"
            return LinkTarget(NAME, TargetKind.GAME, game[1], turn=ply, is_black_at_bottom=is_black_at_bottom)
        if study := _STUDY.fullmatch(path):
            return LinkTarget(NAME, TargetKind.STUDY, study[1], study[2] or "", turn=ply)
        if (puzzle := _PUZZLE.fullmatch(path)) and (
            path == "/training/daily" or puzzle[1] not in _NOT_PUZZLE_IDS
        ):
            return LinkTarget(NAME, TargetKind.PUZZLE, puzzle[1])
        if broadcast := _BROADCAST.fullmatch(path):
            return LinkTarget(NAME, TargetKind.BROADCAST, broadcast[1], broadcast[2] or "", turn=ply)
        return None

    def path_of(self, target: LinkTarget) -> str:
        part = f"/{target.part}" if target.part else ""
        side = "/black" if target.is_black_at_bottom else ""
        return f"{_PAGE_PATHS[target.kind]}{target.id}{part}{side}"

    def next_request(self, target: LinkTarget, pages: Pages) -> Request | None:
        if pages:
            return None
        types = ("application/json",) if target.kind is TargetKind.PUZZLE else _PGN_TYPES
        return Request(NAME, _API_PATHS[target.kind].format(target.id), accepted_types=types)

    def read(self, target: LinkTarget, pages: Pages) -> Contents:
        page = pages[0] or b""
        if target.kind is TargetKind.PUZZLE:
            return Contents(_puzzle_text(parse(page)), "pgn")
        return Contents(page.decode("utf-8", "replace"))
