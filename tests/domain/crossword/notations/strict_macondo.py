"""Checks whether macondo accepts a file. See :mod:`tests.domain.crossword.notations.strict_gcg`.

macondo follows the nicks rather than the order of play, and does not check scores. It checks that tiles are on the rack and in
the bag, and that they fit on the board. Time penalties, and points or penalties for the tiles left, end the game.
"""

import re
from collections import Counter
from dataclasses import replace

from tests.domain.crossword.notations.strict_gcg import (
    CHALLENGE,
    EVENTS,
    EXCHANGE,
    PASS,
    PENALTY,
    PHONY,
    PLAY,
    POINTS,
    RACKS,
    TIME,
    TURNS,
    Event,
    Player,
    RefusalError,
    State,
    TileReader,
    distribution_of,
    event_of,
    is_within,
    layout_of,
    matcher,
    used_tiles,
)

LAYOUTS = frozenset({"CrosswordGame", "SuperCrosswordGame"})
BRACKETED_DISTRIBUTIONS = frozenset({"spanish"})
"""Distributions whose multi-letter tiles macondo writes in brackets."""

_NICK = r">(?P<nick>\S+):\s+"

# A pragma must start its line, but an event may be anywhere in its line. The first matching rule applies. Most rules
# don't accept a negative cumulative score.
_find = matcher(
    {
        "player": r"^#player(?P<number>[1-2])\s+(?P<nick>\S+)\s+(?P<name>.+)",
        "title": r"^#title\s+.*",
        "description": r"^#description\s+.*",
        "id": r"^#id\s+(\S+)\s+(\S+)",
        "rack1": r"^#rack1\s+(?P<rack>\S+)",
        "rack2": r"^#rack2\s+(?P<rack>\S+)",
        "encoding": r"^#character-encoding\s+([!-~]+)",
        PLAY: rf"{_NICK}(?P<rack>\S+)\s+(?P<position>\w+)\s+(?P<tiles>\S+)\s+\+(?P<score>\d+)\s+(?P<cumulative>\d+)",
        "note": r"^#note\s+.*",
        "lexicon": r"^#lexicon\s+(?P<text>.+)",
        PHONY: rf"{_NICK}(?P<rack>\S+)\s+--\s+-(?P<score>\d+)\s+(?P<cumulative>\d+)",
        PASS: rf"{_NICK}(?P<rack>\S+)\s+-\s+\+0\s+(?P<cumulative>\d+)",
        CHALLENGE: rf"{_NICK}(?P<rack>\S*)\s+\(challenge\)\s+\+(?P<score>\d+)\s+(?P<cumulative>\d+)",
        EXCHANGE: rf"{_NICK}(?P<rack>\S+)\s+-(?P<tiles>\S+)\s+\+0\s+(?P<cumulative>\d+)",
        POINTS: rf"{_NICK}\((?P<rack>\S+)\)\s+\+(?P<score>\d+)\s+(?P<cumulative>-?\d+)",
        TIME: r">(?P<nick>\S+):(?:\s+(?P<rack>\S*))?\s+\(time\)\s+\+?-(?P<score>\d+)\s+(?P<cumulative>-?\d+)",
        PENALTY: rf"{_NICK}(?P<rack>\S+)\s+\((?P<tiles>\S+)\)\s+-(?P<score>\d+)\s+(?P<cumulative>-?\d+)",
        "game-type": r"^#game-type\s+.*",
        "tile-set": r"^#tile-set\s+.*",
        "game-board": r"^#game-board\s+.*",
        "continuation": r"^#- .*",
        "board-layout": r"^#board-layout\s+(?P<text>.*)",
        "tile-distribution": r"^#tile-distribution\s+(?P<text>.*)",
        "incomplete": r"^#incomplete.*",
        "tile": r"^#tile (\S+)\s+(\S+)",
    }
)

_ENDING_EVENTS = frozenset({POINTS, PENALTY, TIME})
_HEADER = frozenset(
    {"player", "title", "description", "id", "lexicon", "board-layout", "tile-distribution", "game-type"}
)


def check(text: str) -> None:
    """Read a file as macondo does.

    Raises:
        RefusalError: macondo rejects the file.

    """
    if not text.strip():
        raise RefusalError("gcg_empty")
    lines = text.split("\n")
    if match := re.search(r"^#character-encoding\s+([!-~]+)", lines[0]):
        if match[1].lower() not in {"utf-8", "utf8"}:
            raise RefusalError("unsupported_character_encoding", lines[0])
        lines = lines[1:]
    reader = _Reader()
    for line in lines:
        reader.read_line(line.strip())


class _Reader:
    def __init__(self) -> None:
        self._players: list[Player] = []
        self._pragma_values: dict[str, str] = {}
        self._previous = ""
        self._state: State | None = None
        self._state_before_turn: State | None = None
        self._last_event: Event | None = None

    def read_line(self, line: str) -> None:
        found = _find(line)
        if found is None:
            # An unknown line continues a note, but only after the first turn or rack.
            if line and (self._previous != "note" or self._state is None):
                raise RefusalError("no_matching_token", line)
            return
        token, match = found
        if token in TURNS | RACKS:
            self._start_game(line)
        if token in _HEADER and self._state is not None:
            raise RefusalError("pragma_succeeded_event", line)
        if token == "encoding":
            raise RefusalError("misplaced_encoding", line)
        if token == "player":
            if match["number"] == "2" and (not self._players or self._players[0].nick == match["nick"]):
                raise RefusalError("duplicate_nicknames", line)
            self._players.append(Player(match["nick"], match["name"]))
        elif token in {"lexicon", "board-layout", "tile-distribution"}:
            self._pragma_values[token] = match["text"]
        elif token in RACKS:
            self._read_rack(match["rack"], line)
        elif token in EVENTS:
            self._play(event_of(token, match, line, [player.nick for player in self._players]))
        self._previous = token

    def _start_game(self, line: str) -> None:
        if len(self._players) != 2:
            raise RefusalError("wrong_number_of_players", line)
        if self._state is None:
            distribution = distribution_of(self._pragma_values.get("tile-distribution", "english"), "")
            layout = layout_of(self._pragma_values.get("board-layout", ""), LAYOUTS)
            self._state = State(
                TileReader(distribution, brackets=distribution.name in BRACKETED_DISTRIBUTIONS),
                layout,
                ignores_case=True,
            )

    def _read_rack(self, text: str, line: str) -> Counter[int]:
        assert self._state is not None
        rack = self._state.tiles.count_rack(text)
        if rack is None:
            raise RefusalError("rack_malformed", line)
        if not is_within(rack, self._state.unseen()):
            raise RefusalError("rack_not_in_bag", line)
        return rack

    def _play(self, event: Event) -> None:
        state = self._state
        if state is None:
            raise RefusalError("game_event_before_game", event.line)
        if event.kind == PHONY:
            if self._last_event is None or self._last_event.kind != PLAY or self._state_before_turn is None:
                raise RefusalError("phony_tiles_returned_without_play", event.line)
            self._state = self._state_before_turn
        elif event.kind == PENALTY and event.rack != event.tiles:
            raise RefusalError("last_rack_penalty_malformed", event.line)
        elif event.kind in TURNS:
            if state.is_over:
                raise RefusalError("game_over", event.line)
            rack = self._read_rack(event.rack, event.line)
            self._state_before_turn = replace(state, board=dict(state.board))
            if event.kind == PLAY:
                laid_tiles = state.tiles_laid(event)
                if not is_within(used_tiles(laid_tiles), rack):
                    raise RefusalError("played_tiles_not_on_rack", event.line)
                state.board |= laid_tiles
            elif event.kind == EXCHANGE:
                self._check_exchange(event, rack)
        self._state.is_over |= event.kind in _ENDING_EVENTS
        self._last_event = event

    def _check_exchange(self, event: Event, rack: Counter[int]) -> None:
        assert self._state is not None
        if event.tiles.isdecimal():
            if int(event.tiles) > len(event.rack):
                raise RefusalError("exchanged_more_than_rack", event.line)
            return
        tiles = self._state.tiles.count_rack(event.tiles)
        if tiles is None or not is_within(tiles, rack):
            raise RefusalError("exchanged_tiles_not_on_rack", event.line)
