"""A game: its players, rules and turns. Scores and totals are copied from the text, not computed.

A *moment* is the number of turns played so far. Challenge outcomes and the counts of the tiles left at the end
are also turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from bot.domain.crossword.play import (
    ORDINARY_KINDS,
    THROUGH,
    Comment,
    Exchange,
    Placement,
    Play,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
    tiles_laid,
)
from bot.domain.crossword.position import EMPTY, Board, LastPlay, Player, Position, empty_board, unseen_tiles
from bot.domain.crossword.rules import BLANK, EndScoring, Rules


def tiles_used(play: Play | None) -> tuple[int, ...]:
    """Return the known tiles that a play takes from the rack, with blanks as tile 0."""
    if isinstance(play, Placement):
        return tuple(max(tile, BLANK) for tile in play.tiles if tile != THROUGH)
    return play.tiles if isinstance(play, Exchange) else ()


def is_bingo(play: Play | None, rack_size: int) -> bool:
    return isinstance(play, Placement) and len(tiles_used(play)) == rack_size


def public_turn(turn: Turn) -> Turn:
    """Return an ordinary turn without the tiles that onlookers cannot see."""
    used_tiles = tiles_used(turn.play) if isinstance(turn.play, Placement) else ()
    return replace(
        turn,
        rack=used_tiles,
        rack_unknown_count=max(0, len(turn.rack) + turn.rack_unknown_count - len(used_tiles)),
        play=Exchange(unknown_count=turn.play.size) if isinstance(turn.play, Exchange) else turn.play,
    )


def remove_tiles(tiles: Iterable[int], tiles_to_remove: Iterable[int]) -> tuple[int, ...]:
    """Return ``tiles`` without ``tiles_to_remove``. Ignore missing tiles."""
    remaining_tiles = list(tiles)
    for tile in tiles_to_remove:
        if tile in remaining_tiles:
            remaining_tiles.remove(tile)
    return tuple(remaining_tiles)


def board_after(board: Board, play: Play) -> Board:
    return board.with_tiles((row * board.columns + column, tile) for row, column, tile in tiles_laid(play))


def board_before(board: Board, placement: Placement) -> Board | None:
    """Return the board without the tiles that a placement laid.

    Return None if it laid no tiles, or if one of them is not on the board.
    """
    laid_tiles = tiles_laid(placement)
    if (
        not laid_tiles
        or not board.contains_placement(placement)
        or any(board.at(row, column) != tile for row, column, tile in laid_tiles)
    ):
        return None
    return board.with_tiles((row * board.columns + column, EMPTY) for row, column, _ in laid_tiles)


class ReplayState:
    """The state of a game while its turns are replayed."""

    def __init__(self, rules: Rules, player_count: int) -> None:
        self.rules = rules
        self.board = empty_board(rules.layout.rows, rules.layout.columns)
        self.scores = [0] * player_count
        total, size = rules.distribution.total, rules.rack_size
        self.rack_sizes = [max(0, min(size, total - seat * size)) for seat in range(player_count)]
        self.bag_count = total - sum(self.rack_sizes)
        self.known_tiles: list[tuple[int, ...]] = [()] * player_count
        """For each seat, the tiles that all players know to be on the rack: tiles of a withdrawn phony, or of a whole rack shown
        while the bag was empty."""
        self.scoreless_turns = 0
        self.turns_left: int | None = None
        """None while the bag has tiles, or if the rules do not limit the turns."""
        self._start_last_turns()
        self.last_play: LastPlay | None = None
        self.last_seat: int | None = None
        self._undo_state: tuple[Board, int, int, int, int | None] | None = None
        """The state to restore if the last play is withdrawn: board, rack size, bag count, scoreless turns
        and turns left. A withdrawn play still uses up a turn.
        """

    @property
    def next_seat(self) -> int:
        return 0 if self.last_seat is None else (self.last_seat + 1) % len(self.scores)

    @property
    def challengeable_play(self) -> Placement | None:
        if self._undo_state is None or self.last_play is None or self.last_play.challenge_bonus is not None:
            return None
        return self.last_play.play if isinstance(self.last_play.play, Placement) else None

    @property
    def is_over(self) -> bool:
        if self.scoreless_turns >= self.rules.scoreless_limit:
            return True
        if self.rules.end_scoring is EndScoring.EQUAL_TURNS:
            return self.turns_left == 0
        return self.bag_count == 0 and not all(self.rack_sizes) and self.last_seat is not None

    def apply(self, turn: Turn) -> None:
        if turn.kind in ORDINARY_KINDS:
            self.turns_left = self.turns_left and self.turns_left - 1
            self.last_play = LastPlay(turn.play, score=turn.score, seat=turn.seat) if turn.play else None
            self.last_seat = turn.seat
            self._undo_state = None
        if isinstance(turn.play, Placement):
            self._lay_tiles(turn, turn.play)
        elif turn.kind is TurnKind.PHONY_WITHDRAWN:
            self._withdraw(turn)
        elif turn.kind in ORDINARY_KINDS:
            self.scoreless_turns += 1
            if isinstance(turn.play, Exchange) and turn.play.size:
                self.known_tiles[turn.seat] = ()
        elif turn.kind is TurnKind.CHALLENGE_BONUS and self.last_play is not None:
            self.last_play = replace(self.last_play, challenge_bonus=turn.score)
        self.scores[turn.seat] = turn.cumulative

    def _lay_tiles(self, turn: Turn, placement: Placement) -> None:
        seat = turn.seat
        used_tiles = tiles_used(placement)
        self._undo_state = (
            self.board,
            self.rack_sizes[seat],
            self.bag_count,
            self.scoreless_turns,
            self.turns_left,
        )
        self.board = board_after(self.board, placement)
        if not self.bag_count and len(turn.rack) == self.rack_sizes[seat]:
            self.known_tiles[seat] = turn.rack
        self.known_tiles[seat] = remove_tiles(self.known_tiles[seat], used_tiles)
        drawn_count = min(len(used_tiles), self.bag_count)
        self.bag_count -= drawn_count
        self.rack_sizes[seat] = max(0, self.rack_sizes[seat] - len(used_tiles)) + drawn_count
        self.scoreless_turns = 0
        self._start_last_turns()

    def _start_last_turns(self) -> None:
        if (
            self.rules.end_scoring is EndScoring.EQUAL_TURNS
            and not self.bag_count
            and self.turns_left is None
        ):
            self.turns_left = len(self.scores)

    def _withdraw(self, turn: Turn) -> None:
        last_play, seat = self.last_play, turn.seat
        if last_play is None or self._undo_state is None or not isinstance(last_play.play, Placement):
            return
        self.board, self.rack_sizes[seat], self.bag_count, scoreless_turns, self.turns_left = self._undo_state
        self.scoreless_turns = scoreless_turns + 1
        self.known_tiles[seat] = tuple(
            (Counter(self.known_tiles[seat]) + Counter(tiles_used(last_play.play))).elements()
        )
        self.last_play = replace(last_play, withdrawn=True)
        self._undo_state = None


MAX_PLAYERS = 8

MAX_TURNS = 2_000  # a bound on hostile input


@dataclass(frozen=True, slots=True)
class Game:
    """A game, finished or not. The players are in order of play."""

    rules: Rules
    names: tuple[PlayerName, ...]
    turns: tuple[Turn, ...] = ()
    title: str = ""
    description: str = ""
    authority: str = ""
    """Issuer of ``game_id``, as a reversed domain name (``io.woogles``)."""
    game_id: str = ""
    shown_racks: tuple[ShownRack, ...] = ()
    """In chronological order."""
    incomplete: bool = False
    """Whether the recorded turns stop before the end of the game."""
    note: str = ""
    """The text of the ``#note`` lines before the first turn."""
    comments: tuple[Comment, ...] = ()
    """The ``#comment`` lines before the first turn."""
    extra: tuple[tuple[str, str], ...] = ()
    """Unknown pragmas and their arguments, written back unchanged."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.names) <= MAX_PLAYERS:
            raise ValueError(f"a game has 1 to {MAX_PLAYERS} players, not {len(self.names)}")
        seats = {turn.seat for turn in self.turns} | {rack.seat for rack in self.shown_racks}
        if not seats.issubset(range(len(self.names))):
            raise ValueError("a turn or a rack belongs to a player who is not in the game")

    def position_at(self, moment: int) -> Position:
        """Return the position at a moment.

        The player to move has the rack of the next ordinary turn. Until the game is over, other racks contain only the
        tiles that all players know. A rack shown at this moment takes precedence. If the bag is empty, one of
        two racks may be deduced from the other.

        Raises:
            IndexError: the game has fewer turns.

        """
        if not 0 <= moment <= len(self.turns):
            raise IndexError(f"there is no turn {moment}; the last turn is {len(self.turns)}")
        return next(islice(self.positions(), moment, None))

    def positions(self) -> Iterator[Position]:
        state = ReplayState(self.rules, len(self.names))
        next_turns: list[Turn | None] = [None]
        """The next ordinary turn for each moment, from the last moment to the first."""
        for turn in reversed(self.turns):
            next_turns.append(turn if turn.kind in ORDINARY_KINDS else next_turns[-1])
        shown_tiles = {(rack.moment, rack.seat): rack.tiles for rack in self.shown_racks}
        end_racks = dict(filter(None, map(self._rack_counted_at_end, self.turns)))
        later_tiles = self._tiles_shown_later()
        for moment in range(len(self.turns) + 1):
            if moment:
                state.apply(self.turns[moment - 1])
            next_turn = next_turns[-1 - moment]
            on_turn = next_turn.seat if next_turn else state.next_seat
            racks = dict(enumerate(state.known_tiles))
            if next_turn is not None and next_turn.rack:
                racks[on_turn] = next_turn.rack
            elif next_turn is None and state.is_over:
                # A phony may seem to end the game, but then another ordinary turn follows.
                racks |= end_racks
            racks = {seat: shown_tiles.get((moment, seat), rack) for seat, rack in racks.items()}
            _deduce_rack(state, racks, on_turn, later_tiles[moment])
            yield Position(
                self.rules,
                state.board,
                tuple(
                    Player(state.scores[seat], racks[seat], name.name or name.nick)
                    for seat, name in enumerate(self.names)
                ),
                on_turn=on_turn,
                scoreless_turns=state.scoreless_turns,
                turns_left=state.turns_left,
                last_play=state.last_play,
                game_id=self.game_id,
            )

    def _rack_counted_at_end(self, turn: Turn) -> tuple[int, tuple[int, ...]] | None:
        """Return the seat and the tiles of the rack that a turn counts, if any."""
        if turn.kind is TurnKind.END_RACK_POINTS and len(self.names) == 2:
            return 1 - turn.seat, turn.counted_tiles
        return (turn.seat, turn.counted_tiles) if turn.kind is TurnKind.END_RACK_PENALTY else None

    def _tiles_shown_later(self) -> list[list[Counter[int]]]:
        """Return, for each moment and seat, the tiles that later turns show on the player's rack."""
        tiles_by_moment = [[Counter[int]() for _ in self.names]]
        for turn in reversed(self.turns):
            seat, tiles = self._rack_counted_at_end(turn) or (turn.seat, turn.rack)
            tiles_by_seat = list(tiles_by_moment[-1])
            tiles_by_seat[seat] = tiles_by_seat[seat] | Counter(tiles)
            tiles_by_moment.append(tiles_by_seat)
        tiles_by_moment.reverse()
        return tiles_by_moment


def _deduce_rack(
    state: ReplayState, racks: dict[int, tuple[int, ...]], on_turn: int, later_tiles: list[Counter[int]]
) -> None:
    """If the bag is empty and one of two racks is fully known, put all unseen tiles on the other rack.

    If any tiles of the player to move are known, that player's rack is not changed. A deduced rack must contain
    ``later_tiles``, because no more tiles are drawn.
    """
    for seat, other_seat in ((on_turn, 1 - on_turn), (1 - on_turn, on_turn)) if len(racks) == 2 else ():
        rack = _deduce_opponent_rack(state, seat, racks[seat])
        is_shown = other_seat == on_turn and racks[other_seat]
        if len(rack) > len(racks[other_seat]) and not is_shown and later_tiles[other_seat] <= Counter(rack):
            racks[other_seat] = rack


def _deduce_opponent_rack(state: ReplayState, seat: int, rack: tuple[int, ...]) -> tuple[int, ...]:
    """If the bag is empty and ``rack`` is the whole rack of ``seat``, return the opponent's rack. Otherwise, return no tiles."""
    if len(state.scores) != 2 or state.bag_count or len(rack) != state.rack_sizes[seat]:
        return ()
    unseen = unseen_tiles(state.rules.distribution, state.board.squares, (rack,))
    if unseen.excess or unseen.total != state.rack_sizes[1 - seat]:
        return ()
    return tuple(tile for tile, count in enumerate(unseen.counts) for _ in range(count))


# Some rules give every player a last turn after the bag is empty. If a position does not state the number of
# turns left, this number is inferred from the last play. The player who empties the bag has a full rack before doing
# so, and takes the last turn.


@dataclass(frozen=True, slots=True)
class TurnsLeft:
    """Number of turns left in a game."""

    count: int
    is_certain: bool = True
    """False if ``count`` assumes that the bag has just become empty."""


def turns_left(position: Position) -> TurnsLeft | None:
    """Return how many turns are left, or None if the bag has tiles or the rules do not limit the turns."""
    if position.rules.end_scoring is not EndScoring.EQUAL_TURNS:
        return None
    if position.turns_left is not None:
        return TurnsLeft(position.turns_left)
    if position.bag_count:
        return None
    player_count = len(position.players)
    if position.scoreless_turns:
        return TurnsLeft(max(0, player_count - position.scoreless_turns))
    return (
        _turns_left_for_two_players(position)
        if player_count == 2
        else TurnsLeft(player_count, is_certain=False)
    )


def _turns_left_for_two_players(position: Position) -> TurnsLeft:
    size = position.rules.rack_size
    own_rack = position.players[position.on_turn].rack
    unseen_count = unseen_tiles(position.rules.distribution, position.board.squares, [own_rack]).total
    last_play = position.last_play
    if last_play is not None and isinstance(last_play.play, Placement) and not last_play.withdrawn:
        return TurnsLeft(1 if unseen_count + len(tiles_used(last_play.play)) <= size else 2)
    # One turn is left if the last play laid no tiles (a pass or an exchange) or was withdrawn, because the bag was empty
    # before it. One turn is also left if the player to move has less than a full rack, because that player emptied the bag.
    has_short_rack = bool(own_rack) and len(own_rack) < size and unseen_count <= size
    return TurnsLeft(1) if last_play is not None or has_short_rack else TurnsLeft(2, is_certain=False)


_CHALLENGE_OUTCOMES = frozenset({TurnKind.PHONY_WITHDRAWN, TurnKind.CHALLENGE_BONUS})


def skip_challenge_outcomes(game: Game, moment: int) -> tuple[int, Turn | None]:
    """Return the moment after any challenge outcomes at ``moment``, and the next turn if it is ordinary, or else None.

    A challenge outcome completes the play before it.
    """
    moment = min(moment, len(game.turns))
    while moment < len(game.turns) and game.turns[moment].kind in _CHALLENGE_OUTCOMES:
        moment += 1
    turn = game.turns[moment] if moment < len(game.turns) else None
    return moment, turn if turn is not None and turn.kind in ORDINARY_KINDS else None


def moment_before(game: Game, moment: int) -> int | None:
    """Return the moment right before the previous ordinary turn, if any."""
    earlier_numbers = reversed(range(min(moment, len(game.turns))))
    return next((number for number in earlier_numbers if game.turns[number].kind in ORDINARY_KINDS), None)


def is_rack_known(game: Game, moment: int) -> bool:
    """Return whether the next ordinary turn shows the whole rack, or more tiles than the player uses."""
    turn_moment, turn = skip_challenge_outcomes(game, moment)
    if turn is None or not turn.rack:
        return False
    used_count = turn.play.size if isinstance(turn.play, Exchange) else len(tiles_used(turn.play))
    # A player who goes out plays the whole rack.
    is_last = not any(later_turn.kind in ORDINARY_KINDS for later_turn in game.turns[turn_moment + 1 :])
    return (
        len(turn.rack) > used_count
        or len(turn.rack) >= game.rules.rack_size
        or (is_last and not turn.rack_unknown_count)
    )


def nearest_moments_with_known_rack(game: Game, moment: int) -> tuple[int | None, int | None]:
    """Return the nearest earlier and later moments at which the rack of the player to move is known."""
    turn_moment, _ = skip_challenge_outcomes(game, moment)
    known_moments = [
        number
        for number, turn in enumerate(game.turns)
        if turn.kind in ORDINARY_KINDS and is_rack_known(game, number)
    ]
    return (
        max((number for number in known_moments if number < turn_moment), default=None),
        min((number for number in known_moments if number > turn_moment), default=None),
    )


def position_seen_by(game: Game, moment: int, seat: int) -> Position:
    """Return the position at a moment as the player in ``seat`` saw it.

    The player's rack is the rack of their next turn, because a rack does not change until then. Another rack is
    shown only if the game is over, or if all unseen tiles must be on it.

    Raises:
        IndexError: the game has no such moment or no such seat.

    """
    position = game.position_at(moment)
    own_rack = _own_rack(game, moment, seat, position)
    if position.is_over:
        return position
    state = ReplayState(game.rules, len(game.names))
    for turn in game.turns[:moment]:
        state.apply(turn)
    opponent_rack = _deduce_opponent_rack(state, seat, own_rack)
    return replace(
        position,
        players=tuple(
            replace(player, rack=own_rack if player_seat == seat else opponent_rack)
            for player_seat, player in enumerate(position.players)
        ),
    )


def _own_rack(game: Game, moment: int, seat: int, position: Position) -> tuple[int, ...]:
    rack = position.players[seat].rack
    if position.on_turn == seat:
        return rack
    deciding_turn = next(
        (
            turn
            for turn in game.turns[moment:]
            if turn.seat == seat
            if turn.kind is TurnKind.PHONY_WITHDRAWN or (turn.kind in ORDINARY_KINDS and turn.rack)
        ),
        None,
    )
    # The tiles drawn after a phony go back into the bag, and no turn shows them.
    if deciding_turn is None or deciding_turn.kind is TurnKind.PHONY_WITHDRAWN:
        return rack
    return deciding_turn.rack
