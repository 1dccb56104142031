"""Checks whether MAGPIE accepts a file. See :mod:`tests.domain.crossword.notations.strict_gcg`."""

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
    RACK_SIZE,
    RACKS,
    SCORELESS_LIMIT,
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

MAX_EVENTS = 175
LAYOUTS = frozenset({"CrosswordGame"})
VARIANTS = frozenset({"classic", "wordsmog"})

_NICK = r">(?P<nick>\S+):\s+"
_CUMULATIVE = r"\s+(?P<cumulative>-?\d+)"

# The rules are in MAGPIE's order. They match anywhere in a line, because MAGPIE does not anchor them.
_find = matcher(
    {
        "player": r"#player(?P<number>[1-2])\s+(?P<nick>\S+)\s+(?P<name>.+)",
        "title": r"#title\s*(?P<text>.*)",
        "description": r"#description\s*(?P<text>.*)",
        "id": r"#id\s*(\S+)\s+(\S+)",
        "rack1": r"#rack1 (?P<rack>\S+)",
        "rack2": r"#rack2 (?P<rack>\S+)",
        "encoding": r"#character-encoding (?P<text>[!-~]+)",
        PLAY: rf"{_NICK}(?P<rack>\S+)\s+(?P<position>[0-9A-Za-z]+)\s+(?P<tiles>\S+)\s+\+(?P<score>\d+){_CUMULATIVE}",
        "note": r"#note (?P<text>.+)",
        "lexicon": r"#lexicon (?P<text>.+)",
        PHONY: rf"{_NICK}(?P<rack>\S+)\s+--\s+-(?P<score>\d+){_CUMULATIVE}",
        PASS: rf"{_NICK}(?P<rack>\S+)\s+-\s+\+0{_CUMULATIVE}",
        CHALLENGE: rf"{_NICK}(?P<rack>\S*)\s+\(challenge\)\s+(?P<score>\+\d+){_CUMULATIVE}",
        EXCHANGE: rf"{_NICK}(?P<rack>\S+)\s+-(?P<tiles>\S+)\s+\+0{_CUMULATIVE}",
        POINTS: rf"{_NICK}\((?P<rack>\S+)\)\s+(?P<score>\+\d+){_CUMULATIVE}",
        TIME: rf"{_NICK}(?P<rack>\S*)\s+\(time\)\s+(?P<score>-\d+){_CUMULATIVE}",
        PENALTY: rf"{_NICK}(?P<rack>\S+)\s+\((?P<tiles>\S+)\)\s+(?P<score>-\d+){_CUMULATIVE}",
        "game-type": r"#game-type (?P<text>.*)",
        "tile-set": r"#tile-set (?P<text>.*)",
        "board-layout": r"#board-layout (?P<text>.*)",
        "tile-distribution": r"#tile-distribution (?P<text>.*)",
    }
)

_HEADER = frozenset({"title", "id", "lexicon", "board-layout", "tile-distribution", "game-type"})


def check(text: str, *, lexicon: str = "CSW21") -> None:
    """Read a file as MAGPIE does. ``lexicon`` is the user's setting, which may be empty.

    Raises:
        RefusalError: MAGPIE rejects the file.

    """
    if not text.strip():
        raise RefusalError("gcg_empty")
    _Reader(lexicon).read([line for line in re.split(r"\r\n|[\r\n]", text) if line])


class _Reader:
    def __init__(self, lexicon: str) -> None:
        self._user_lexicon = lexicon
        self._players: dict[int, Player] = {}
        self._pragma_values: dict[str, str] = {}
        self._events: list[Event] = []
        self._last_racks: dict[int, Counter[int]] = {}
        self._seen: set[str] = set()
        self._previous = ""
        self._state: State | None = None

    def read(self, lines: list[str]) -> None:
        match = re.search(r"#character-encoding ([!-~]+)", lines[0])
        if match:
            if match[1].lower() not in {"utf-8", "utf8", "iso-8859-1"}:
                raise RefusalError("unsupported_character_encoding", lines[0])
            lines = lines[1:]
        for line in lines:
            self._read_line(line)
        # The board and the tile set are loaded even if nothing is played.
        state = self._game_state()
        if self._events:
            _Replay(self._events, self._last_racks, state).run()

    def _read_line(self, line: str) -> None:
        found = _find(line)
        token, match = found or ("", None)
        if token in TURNS | RACKS:
            if len(self._players) < 2:
                raise RefusalError("game_event_before_player", line)
            self._game_state()
        self._check_pragma_order(token, line)
        previous, self._previous = self._previous, token or self._previous
        if match is None:
            if previous != "note" and line.strip():
                raise RefusalError("no_matching_token", line)
        elif token == "player":
            self._add_player(match, line)
        elif token in EVENTS:
            self._add_event(token, match, line)
        elif token in RACKS:
            self._last_racks[int(token[-1]) - 1] = self._read_rack(match["rack"], line)
        elif token == "encoding":
            raise RefusalError("misplaced_encoding", line)
        elif token == "note" and not self._events:
            raise RefusalError("note_precedent_event", line)
        elif token == "game-type" and match["text"] not in VARIANTS:
            raise RefusalError("unrecognized_game_variant", line)
        elif token in {"lexicon", "board-layout", "tile-distribution"}:
            self._pragma_values[token] = match["text"]

    def _check_pragma_order(self, token: str, line: str) -> None:
        if token in _HEADER | {"player", "description"} and self._events:
            raise RefusalError("pragma_succeeded_event", line)
        if token in _HEADER | RACKS and token in self._seen:
            raise RefusalError("redundant_pragma", line)
        if self._seen & RACKS:
            raise RefusalError("event_after_last_rack", line)
        self._seen.add(token)

    def _add_player(self, match: re.Match[str], line: str) -> None:
        seat = int(match["number"]) - 1
        if seat in self._players:
            raise RefusalError("player_number_redundant", line)
        player = self._players[seat] = Player(match["nick"], match["name"])
        other_player = self._players.get(1 - seat)
        if other_player and other_player.name == player.name:
            raise RefusalError("duplicate_names", line)
        if other_player and other_player.nick == player.nick:
            raise RefusalError("duplicate_nicknames", line)

    def _game_state(self) -> State:
        if self._state is None:
            lexicon = self._pragma_values.get("lexicon") or self._user_lexicon
            if not lexicon:
                raise RefusalError("lexicon_not_specified")
            distribution = distribution_of(self._pragma_values.get("tile-distribution", ""), lexicon)
            layout = layout_of(self._pragma_values.get("board-layout", ""), LAYOUTS)
            self._state = State(TileReader(distribution, brackets=True), layout)
        return self._state

    def _read_rack(self, text: str, line: str) -> Counter[int]:
        rack = self._game_state().tiles.count_rack(text.replace(".", "?"))
        if not rack:
            raise RefusalError("rack_malformed", line)
        return rack

    def _add_event(self, kind: str, match: re.Match[str], line: str) -> None:
        nicks = [self._players[seat].nick if seat in self._players else "" for seat in (0, 1)]
        event = event_of(kind, match, line, nicks)
        if len(self._events) == MAX_EVENTS:
            raise RefusalError("game_events_overflow", line)
        if event.rack or kind not in {TIME, CHALLENGE}:
            rack = self._read_rack(event.rack, line)
            if kind == PENALTY:
                if self._read_rack(event.tiles, line) != rack:
                    raise RefusalError("played_letters_not_in_rack", line)
                if event.score != -self._game_state().value(rack):
                    raise RefusalError("end_rack_penalty_incorrect", line)
            if kind == POINTS and event.score != 2 * self._game_state().value(rack):
                raise RefusalError("rack_end_points_incorrect", line)
        self._events.append(event)


class _Replay:
    """Plays the events after all lines have been read."""

    def __init__(self, events: list[Event], last_racks: dict[int, Counter[int]], state: State) -> None:
        self._events = events
        self._last_racks = last_racks
        self._state = state
        self._state_before_turn = state
        self._penalized: set[int] = set()

    def run(self) -> None:
        for index, event in enumerate(self._events):
            self._check_order(index, event)
            self._play(event)
            if self._state.scores[event.player] != event.cumulative:
                raise RefusalError("cumulative_scoring_error", event.line)
            self._check_next_rack(index)

    def _check_order(self, index: int, event: Event) -> None:
        state = self._state
        previous_event = self._events[index - 1] if index else None
        if event.kind in TURNS:
            if event.player != state.on_turn:
                raise RefusalError("game_event_off_turn", event.line)
            if state.is_over:
                raise RefusalError("move_event_after_game_end", event.line)
        elif event.kind in {CHALLENGE, PHONY}:
            if previous_event is None or previous_event.kind != PLAY or previous_event.player != event.player:
                event_name = "challenge_bonus" if event.kind == CHALLENGE else "phony_tiles_returned"
                raise RefusalError(f"{event_name}_without_play", event.line)
            if event.kind == PHONY and self._read_rack(event) != self._read_rack(previous_event):
                raise RefusalError("phony_tiles_returned_mismatch", event.line)
        elif event.kind == TIME:
            later_events = self._events[index + 1 :]
            # During the game, a time penalty is allowed anywhere. At the end, the points for the racks come first.
            is_premature = (
                previous_event is None
                or previous_event.kind not in {POINTS, PENALTY, TIME}
                or any(later_event.kind != TIME for later_event in later_events)
            )
            if state.is_over and is_premature:
                raise RefusalError("premature_time_penalty", event.line)
            if event.player in self._penalized:
                raise RefusalError("game_redundant_time_penalty", event.line)
            self._penalized.add(event.player)
        elif not state.is_over:
            raise RefusalError("end_game_event_before_game_end", event.line)

    def _read_rack(self, event: Event) -> Counter[int]:
        return self._state.tiles.count_rack(event.rack.replace(".", "?")) or Counter()

    def _play(self, event: Event) -> None:
        state = self._state
        rack = self._read_rack(event)
        if event.kind != PHONY and not is_within(rack, state.unseen()):
            raise RefusalError("rack_not_in_bag", event.line)
        if event.kind in TURNS:
            self._state_before_turn = replace(state, board=dict(state.board), scores=list(state.scores))
            if event.kind == PLAY:
                self._lay_tiles(event, rack)
            else:
                self._check_exchange(event, rack)
                state.scoreless_turns += 1
            state.on_turn = 1 - event.player
            state.is_over |= state.scoreless_turns >= SCORELESS_LIMIT
        elif event.kind == PHONY:
            self._state = self._state_before_turn
            self._state.on_turn = 1 - event.player
            self._state.scoreless_turns += 1
            self._state.is_over = self._state.scoreless_turns >= SCORELESS_LIMIT
        elif event.kind == PENALTY:
            if state.scoreless_turns != SCORELESS_LIMIT:
                raise RefusalError("end_rack_penalty_without_scoreless_turns", event.line)
            state.scores[event.player] += event.score
            state.on_turn = 1 - event.player
        else:
            state.scores[event.player] += event.score

    def _check_exchange(self, event: Event, rack: Counter[int]) -> None:
        if event.kind == EXCHANGE:
            tiles = self._state.tiles.count_rack(event.tiles) if "." not in event.tiles else None
            if not tiles or not is_within(tiles, rack):
                raise RefusalError("move_validation_error", event.line)

    def _lay_tiles(self, event: Event, rack: Counter[int]) -> None:
        state = self._state
        laid_tiles = state.tiles_laid(event)
        if (
            not laid_tiles
            or not is_within(used_tiles(laid_tiles), rack)
            or not state.is_connected(laid_tiles)
        ):
            raise RefusalError("move_validation_error", event.line)
        if state.score(laid_tiles) != event.score:
            raise RefusalError("move_scoring_error", event.line)
        state.board |= laid_tiles
        state.scores[event.player] += event.score
        state.scoreless_turns = 0
        state.is_over = used_tiles(laid_tiles) == rack and state.unseen().total() <= RACK_SIZE

    def _check_next_rack(self, index: int) -> None:
        """Look ahead, as MAGPIE does, and check the next rack of the player to move."""
        state = self._state
        for later_index, event in enumerate(self._events[index + 1 :], start=index + 1):
            if event.kind in {CHALLENGE, PHONY}:
                previous_event = self._events[later_index - 1]
                if previous_event.kind != PLAY or previous_event.player != event.player:
                    event_name = "challenge_bonus" if event.kind == CHALLENGE else "phony_tiles_returned"
                    raise RefusalError(f"{event_name}_without_play", event.line)
            if event.player == state.on_turn and event.kind != POINTS and event.rack:
                if not is_within(self._read_rack(event), state.unseen()) and event.kind != PHONY:
                    raise RefusalError("rack_not_in_bag", event.line)
                return
        if not is_within(self._last_racks.get(state.on_turn, Counter()), state.unseen()):
            raise RefusalError("rack_not_in_bag", "last rack")
