"""woogles.io: games, annotated games, collections, puzzles and reviews, through its Connect API.

Every method is a POST request with a JSON object.
"""

from __future__ import annotations

import re

from bot.links.values import (
    Contents,
    Link,
    LinkError,
    LinkTarget,
    Pages,
    Request,
    Site,
    SitePlayer,
    SiteReview,
    SiteTurn,
    TargetKind,
    as_list,
    as_number,
    as_text,
    is_gcg,
    member,
    parse,
    unexpected_page_error,
    with_id,
)

NAME = "woogles.io"
_ALLOWED_PATHS = re.compile(
    r"/api/(?:game_service\.GameMetadataService/GetGCG|puzzle_service\.PuzzleService/GetPuzzle"
    r"|collections_service\.CollectionsService/GetCollection|analysis_service\.AnalysisService/GetAnalysisResult)"
)
AUTHORITY = "io.woogles"
PUZZLE_AUTHORITY = "io.woogles.puzzle"
"""Authorities in the ``#id`` line of a GCG, for the games and puzzles of this site."""
MAX_GAMES = 500
MAX_EVENTS = 200
MAX_PLAY_LENGTH = 60
_MISTAKE_SIZES = {"SMALL": "small", "MEDIUM": "medium", "LARGE": "large"}
_MAX_PLAYED_ID_LENGTH = 12
"""Maximum length of the id of a game played on the site. The id of an annotated game is longer."""

_ID = r"[2-9A-HJ-NP-Za-km-z]{8,32}"
_GAME = re.compile(rf"/(?:game|anno|editor|embed/game)/({_ID})")
_PUZZLE = re.compile(rf"/puzzle/({_ID})")
_COLLECTION = re.compile(
    rf"/collections/([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}|{_ID})(?:/chapter/([1-9][0-9]{{0,2}}))?"
)
_TURN = re.compile(r"[1-9][0-9]{0,3}")
_WORD = re.compile(r"[^\s>#:()]{1,80}")
_SQUARE = re.compile(r"[0-9A-Za-z]{2,4}")
_IN_PROGRESS = re.compile(r"until the game is over", re.IGNORECASE)
"""The site's reason for not returning a game that is still being played."""


def is_annotated(game_id: str) -> bool:
    """Return whether an id belongs to an annotated game, whose author may still be adding turns."""
    return len(game_id) > _MAX_PLAYED_ID_LENGTH


def review_request(game_id: str) -> Request:
    return _request("analysis_service.AnalysisService/GetAnalysisResult", "gameId", game_id, optional=True)


def _request(method: str, name: str, value: str, *, optional: bool = False) -> Request:
    # Ids contain no characters that JSON would escape.
    return Request(
        NAME, f"/api/{method}", f'{{"{name}":"{value}"}}', ("application/json",), optional=optional
    )


def _read_collection(collection: object) -> Contents:
    games = []
    for game in as_list(member(collection, "games"))[:MAX_GAMES]:
        match = _GAME.fullmatch(f"/game/{as_text(member(game, 'gameId'))}")
        if match is not None:
            title = as_text(member(game, "chapterTitle", "")) or as_text(member(game, "title", ""))
            games.append((LinkTarget(NAME, TargetKind.GAME, match[1]), title))
    if not games:
        raise LinkError("link-empty", "it contains no games")
    return Contents(title=as_text(member(collection, "title", "")), games=tuple(games))


def read_review(body: bytes | None) -> SiteReview | None:
    """Return the review in a response, or None if no review can be read."""
    try:
        result = member(parse(body or b""), "result")
        players = tuple(
            SitePlayer(
                as_text(member(player, "playerName", "")),
                as_number(member(player, "mistakeIndex", 0)),
                max(0, round(as_number(member(player, "estimatedElo", 0)))),
            )
            for player in as_list(member(result, "playerSummaries"))[:4]
        )
        turns = tuple(map(_read_turn, as_list(member(result, "turns", []))[:MAX_EVENTS]))
    except LinkError:
        return None
    return SiteReview(players, turns) if players else None


def _read_turn(turn: object) -> SiteTurn:
    # The site leaves out members that are 0 or empty.
    return SiteTurn(
        _integer(turn, "turnNumber"),
        _MISTAKE_SIZES.get(as_text(member(turn, "mistakeSize", "")), "best"),
        min(1.0, max(0.0, as_number(member(turn, "winProbLoss", 0)))),
        max(0.0, as_number(member(turn, "spreadLoss", 0))),
        as_text(member(turn, "optimalMove", ""))[:MAX_PLAY_LENGTH],
        _integer(turn, "optimalScore"),
    )


def _puzzle_text(history: object, puzzle_id: str) -> str:
    """Return the GCG of a puzzle's game up to the puzzle's position. The site does not send the answer."""
    nicks = [as_text(member(player, "nickname", "")) for player in as_list(member(history, "players"))[:2]]
    nicks = [
        nick if _WORD.fullmatch(nick) else f"player{number}" for number, nick in enumerate(nicks, start=1)
    ]
    if len(nicks) != 2:
        raise unexpected_page_error(NAME)
    if nicks[0] == nicks[1]:
        nicks = ["player1", "player2"]
    lines = [f"#player{number} {nick} {nick}" for number, nick in enumerate(nicks, start=1)]
    lines.append(f"#id {PUZZLE_AUTHORITY} {puzzle_id}")
    for pragma, name in (
        ("lexicon", "lexicon"),
        ("board-layout", "boardLayout"),
        ("tile-distribution", "letterDistribution"),
    ):
        if value := as_text(member(history, name, "")):
            lines.append(f"#{pragma} {_checked_word(value)}")
    next_seat = 0
    for event in as_list(member(history, "events", []))[:MAX_EVENTS]:
        seat = _seat(event, nicks)
        lines.append(f">{nicks[seat]}: {_event_in_gcg(event)} {_integer(event, 'cumulative'):d}")
        next_seat = 1 - seat
    racks = [as_text(rack) for rack in as_list(member(history, "lastKnownRacks", []))[:2]]
    if len(racks) > next_seat and racks[next_seat]:
        lines.append(f"#rack{next_seat + 1} {_checked_word(racks[next_seat])}")
    return "\n".join(lines) + "\n"


def _seat(event: object, nicks: list[str]) -> int:
    nick = as_text(member(event, "nickname", ""))
    seat = nicks.index(nick) if nick in nicks else _integer(event, "playerIndex")
    if seat not in (0, 1):
        raise unexpected_page_error(NAME)
    return seat


def _event_in_gcg(event: object) -> str:
    rack = as_text(member(event, "rack", ""))
    rack = f"{_checked_word(rack)} " if rack else ""
    match as_text(member(event, "type", "TILE_PLACEMENT_MOVE")):
        case "TILE_PLACEMENT_MOVE":
            square, tiles = as_text(member(event, "position")), as_text(member(event, "playedTiles"))
            if not _SQUARE.fullmatch(square):
                raise unexpected_page_error(NAME)
            return f"{rack}{square} {_checked_word(tiles)} {_integer(event, 'score'):+d}"
        case "PHONY_TILES_RETURNED":
            return f"{rack}-- {-abs(_integer(event, 'lostScore')):+d}"
        case "EXCHANGE":
            return f"{rack}-{_checked_word(as_text(member(event, 'exchanged')))} +0"
        case "CHALLENGE_BONUS":
            return f"{rack}(challenge) {_integer(event, 'bonus'):+d}"
        case "PASS" | "UNSUCCESSFUL_CHALLENGE_TURN_LOSS":
            return f"{rack}- +0"
        case _:
            raise unexpected_page_error(NAME)


def _checked_word(word: str) -> str:
    if not _WORD.fullmatch(word):
        raise unexpected_page_error(NAME)
    return word


def _integer(event: object, name: str) -> int:
    value = as_number(member(event, name, 0))
    if abs(value) > 10_000 or value != int(value):
        raise unexpected_page_error(NAME)
    return int(value)


class Woogles(Site):
    """Games, collections and puzzles on woogles.io."""

    name, host, allowed_paths = NAME, NAME, _ALLOWED_PATHS

    def target_of(self, link: Link) -> LinkTarget | None:
        if game := _GAME.fullmatch(link.path):
            turn = link.parameters.get("turn", "")
            # The site counts from 1, and its turn 1 is the empty board.
            return LinkTarget(
                NAME, TargetKind.GAME, game[1], turn=int(turn) - 1 if _TURN.fullmatch(turn) else None
            )
        if puzzle := _PUZZLE.fullmatch(link.path):
            return LinkTarget(NAME, TargetKind.PUZZLE, puzzle[1])
        if collection := _COLLECTION.fullmatch(link.path):
            return LinkTarget(NAME, TargetKind.COLLECTION, collection[1], collection[2] or "")
        return None

    def path_of(self, target: LinkTarget) -> str:
        match target.kind:
            case TargetKind.PUZZLE:
                return f"/puzzle/{target.id}"
            case TargetKind.COLLECTION:
                return f"/collections/{target.id}{f'/chapter/{target.part}' if target.part else ''}"
            case _:
                return f"/{'anno' if is_annotated(target.id) else 'game'}/{target.id}"

    def next_request(self, target: LinkTarget, pages: Pages) -> Request | None:
        match target.kind, len(pages):
            case TargetKind.GAME, 0:
                return _request("game_service.GameMetadataService/GetGCG", "gameId", target.id)
            case TargetKind.GAME, 1:
                return review_request(target.id)
            case TargetKind.PUZZLE, 0:
                return _request("puzzle_service.PuzzleService/GetPuzzle", "puzzleId", target.id)
            case TargetKind.COLLECTION, 0:
                return _request(
                    "collections_service.CollectionsService/GetCollection", "collectionUuid", target.id
                )
            case _:
                return None

    def refusal_error(self, body: bytes) -> LinkError | None:
        try:
            message = as_text(member(parse(body), "message"))
        except LinkError:
            return None
        if _IN_PROGRESS.search(message):
            return LinkError(
                "link-going-on",
                "the game is still in progress; {site} will share it when it's over",
                site=NAME,
            )
        return None

    def read(self, target: LinkTarget, pages: Pages) -> Contents:
        page = parse(pages[0] or b"")
        match target.kind:
            case TargetKind.PUZZLE:
                return Contents(_puzzle_text(member(page, "history"), target.id), "gcg")
            case TargetKind.COLLECTION:
                return _read_collection(member(page, "collection"))
            case _:
                gcg = as_text(member(page, "gcg"))
                if not is_gcg(gcg):
                    raise unexpected_page_error(NAME)
                gcg = with_id(gcg, AUTHORITY, target.id)
                return Contents(
                    gcg,
                    "gcg",
                    may_be_in_progress=is_annotated(target.id),
                    review=read_review(pages[1] if len(pages) > 1 else None),
                )
