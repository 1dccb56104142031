"""Replays the history in a Turn URL, either with the tiles that its seed determines or with public information only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from bot.domain.crossword.game import MAX_PLAYERS, Game, ReplayState, public_turn, tiles_used
from bot.domain.crossword.notations.turn_url.bag import LOST_BLANK, TileSet, canonical_bag
from bot.domain.crossword.notations.turn_url.draws import CountedRacks, Racks, SeededBag
from bot.domain.crossword.notations.turn_url.reader import read
from bot.domain.crossword.notations.turn_url.settings import (
    DEFAULT_BOARD,
    BagReading,
    bag_readings,
    read_digits,
    rules_of,
    tiles_with_unlisted_letters,
)
from bot.domain.crossword.notations.turn_url.url import (
    DEFAULT_RACK_SIZE,
    MAX_NAME_LENGTH,
    Changes,
    ExchangeTurn,
    Location,
    TurnUrl,
    WordTurn,
    param_of_seat,
    seat_of_param,
    with_nicks,
    write,
)
from bot.domain.crossword.play import (
    KIND_BY_PLAY_TYPE,
    ORDINARY_KINDS,
    THROUGH,
    Coordinate,
    Exchange,
    Pass,
    Placement,
    Play,
    ShownRack,
    Turn,
    TurnKind,
)
from bot.domain.crossword.position import EMPTY, Board
from bot.domain.crossword.rules import BLANK
from bot.domain.crossword.scoring import (
    check_on_board,
    check_placement,
    end_adjustments,
    score_placement,
    square_name,
)
from bot.domain.reading.problems import (
    ConversionError,
    DomainError,
    ParseError,
    Reading,
    ReadWarning,
    RuleError,
)


def place_word(turn: WordTurn, board: Board, tiles: TileSet) -> Placement:
    """Return the placement of a word, given the board before the turn.

    Raises:
        RuleError: the word runs off the board, has a letter that is not in the bag or that sharewords lost, or differs from a tile
            on the board, or ``bt`` marks a position outside the word or an occupied square.

    """
    letters = tiles.split_word(turn.word)
    start = Coordinate(turn.row, turn.column, turn.direction)
    if any(index >= len(letters) for index in turn.blanks):
        raise RuleError(
            "blank-outside-word",
            "bt={blank} is outside the word, which has {length} tiles",
            blank=max(turn.blanks),
            length=len(letters),
        )
    outline = Placement(start, (THROUGH,) * len(letters))
    check_on_board(board, outline)
    return Placement(
        start,
        tuple(
            _played_tile(letter, board.at(*square), square, tiles, is_blank=index in turn.blanks)
            for index, (letter, square) in enumerate(zip(letters, outline.squares(), strict=True))
        ),
    )


def _played_tile(
    letter: str, board_tile: int, square: tuple[int, int], tiles: TileSet, *, is_blank: bool
) -> int:
    """Return the tile played for a letter of a word, or ``THROUGH`` if the tile ``board_tile`` already shows the letter."""
    if letter == LOST_BLANK:
        if board_tile < EMPTY:
            return THROUGH
        raise RuleError(
            "lost-letter",
            "sharewords lost the letter of the blank on {square}, so the word doesn't show which letter it is",
            square=square_name(*square),
        )
    number = tiles.machine_letters.get(letter, BLANK)
    if number == BLANK:
        raise RuleError("unknown-letter", "the bag has no letter {letter!r}", letter=letter[:20])
    if board_tile == EMPTY:
        return -number if is_blank else number
    if abs(board_tile) != number:
        raise RuleError(
            "letter-differs",
            "the word has {letter} on {square}, but {on_board} is there",
            letter=letter,
            square=square_name(*square),
            on_board=tiles.distribution.text(board_tile),
        )
    if is_blank:
        raise RuleError(
            "blank-on-board",
            "bt marks a tile that was already on {square}",
            square=square_name(*square),
        )
    return THROUGH


SOURCE_KEY = "turn-url"
"""The key of a game's URL in ``Game.extra``."""

Deal: TypeAlias = Callable[[tuple[int, ...], int, int], Racks | CountedRacks]
"""Deals the racks. The arguments are the tiles in the order of the bag, the number of players, and the rack size."""


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game replayed from its URL."""

    game: Game
    is_over: bool
    names: tuple[str, ...]
    """The players' names after the last turn."""


class ReplayAttempt:
    """One attempt to replay a history, with one interpretation of its bag."""

    def __init__(self, history: TurnUrl, bag_reading: BagReading, deal: Deal) -> None:
        self.turns: list[Turn] = []
        """The turns played, with their racks. The racks may be secret."""
        letters, warning = bag_reading
        self.warnings: list[ReadWarning] = [warning] if warning else []
        self.error: RuleError | None = None
        self._history = history
        self._tiles, unlisted_letters = tiles_with_unlisted_letters(letters, history.turns)
        self._rules = self._first_rules = rules_of(history.settings, self._tiles)
        self._names = list(history.settings.player_names)
        self._state = ReplayState(self._rules, len(self._names))
        self._racks = deal(self._tiles.bag, len(self._names), self._rules.rack_size)
        if unlisted_letters:
            self._warn(
                "unlisted-letter",
                "a blank stands for {letter}, which is not in the letter set of this game",
                history.settings.location("bag"),
                letter=unlisted_letters[0],
            )
        try:
            self._play_all()
        except RuleError as error:
            self.error = error

    def _warn(self, code: str, template: str, location: Location, **values: object) -> None:
        self.warnings.append(ReadWarning(code, template, *location, tuple(values.items())))

    @property
    def is_over(self) -> bool:
        return self.error is None and not all(self._racks.tiles_by_seat)

    def _play_all(self) -> None:
        needed_count = self._rules.rack_size * len(self._names)
        if len(self._tiles.bag) < needed_count:
            raise RuleError(
                "too-few-tiles",
                "{players} racks of {size} need {needed} tiles; the bag has {tiles}",
                players=len(self._names),
                size=self._rules.rack_size,
                needed=needed_count,
                tiles=len(self._tiles.bag),
            ).at(*self._history.settings.location("bag"))
        first_location = self._history.turns[0].location if self._history.turns else (1, 1)
        self._apply_changes(self._history.changes, first_location)
        for number, turn in enumerate(self._history.turns):
            if not all(self._racks.tiles_by_seat):
                self._warn(
                    "after-end",
                    "the game ended after turn {turn}; the rest is left out",
                    turn.location,
                    turn=number,
                )
                return
            try:
                self._apply_changes(turn.changes, turn.location)
                seat = number % len(self._names)
                rack = self._racks.tiles_by_seat[seat]
                if isinstance(turn, WordTurn):
                    play, score = self._play_word(seat, turn)
                else:
                    play, score = self._exchange(seat, turn), 0
            except RuleError as error:
                raise error.at(*turn.location) from error
            self.turns.append(
                Turn(
                    seat,
                    KIND_BY_PLAY_TYPE[type(play)],
                    rack,
                    play=play,
                    score=score,
                    cumulative=self._state.scores[seat] + score,
                    line=turn.location[0],
                )
            )
            self._state.apply(self.turns[-1])

    def _play_word(self, seat: int, turn: WordTurn) -> tuple[Play, int]:
        placement = place_word(turn, self._state.board, self._tiles)
        check_placement(self._state.board, placement, self._rules)
        if LOST_BLANK in self._tiles.split_word(turn.word):
            self._warn(
                "lost-letter",
                "{word} doesn't show which letter a blank stands for; using the letter on the board",
                turn.location,
                word=turn.word[:40],
            )
        used_tiles = tiles_used(placement)
        if not self._racks.holds(seat, used_tiles):
            # The error must not reveal anything about a rack.
            number = len(self.turns) + 1
            if isinstance(self._racks, CountedRacks):
                raise RuleError(
                    "no-such-tiles", "turn {turn} plays tiles that are no longer in this game", turn=number
                )
            raise RuleError(
                "other-draws", "turn {turn} doesn't match the tiles drawn in this game", turn=number
            )
        self._racks.play(seat, used_tiles)
        return placement, score_placement(self._state.board, placement, self._rules).score

    def _exchange(self, seat: int, turn: ExchangeTurn) -> Play:
        positions, size, bag_count = (
            turn.positions,
            len(self._racks.tiles_by_seat[seat]),
            len(self._racks.bag),
        )
        if any(position >= size for position in positions):
            raise RuleError(
                "no-such-place",
                "ex={position} is not a position on a rack of {tiles} tiles",
                position=max(positions),
                tiles=size,
            )
        if len(positions) > bag_count:
            raise RuleError(
                "exchange-bag",
                "the bag must hold at least as many tiles as are exchanged ({tiles}); it holds {bag}",
                tiles=len(positions),
                bag=bag_count,
            )
        returned_tiles = self._racks.exchange(seat, positions)
        return Exchange(tuple(reversed(returned_tiles))) if returned_tiles else Pass()

    def _apply_changes(self, changes: Changes, location: Location) -> None:
        for param, value in changes:
            seat = seat_of_param(param)
            if seat is None:
                self._change_setting(param, value, location)
            elif seat >= len(self._names):
                raise RuleError(
                    "no-such-player",
                    "{param} names a player that this game doesn't have; it has {players}",
                    param=param,
                    players=len(self._names),
                ).at(*location)
            else:
                self._names[seat] = value[:MAX_NAME_LENGTH] or self._names[seat]

    def _change_setting(self, param: str, value: str, location: Location) -> None:
        settings, layout = self._history.settings, self._rules.layout
        if param == "bingo":
            self._rules = replace(self._rules, bingo_bonus=read_digits(value))
            return
        if param == "bag":
            with suppress(ParseError):  # an invalid bag differs from the game's bag
                value = canonical_bag(value, layout.rows * layout.columns)
        current_values = {
            "board": settings.board or DEFAULT_BOARD,
            "bag": settings.bag,
            "racksize": str(settings.rack_size or DEFAULT_RACK_SIZE),
            "seed": self._history.seed,
        }
        if current_values.get(param, value) != value:
            self._warn(
                "setting-kept",
                "{param} can't change this way during a game; the earlier value is kept",
                location,
                param=param,
            )

    def result(self) -> ReplayedGame:
        seats, known_seats = range(len(self._names)), self._racks.known_seats
        # If several racks have tiles left, onlookers cannot know which rack holds which tiles. If some plays were
        # assumed to fit their racks without a check, all racks are uncertain.
        is_last_rack_deducible = isinstance(self._racks, CountedRacks) and len(seats) <= 2
        is_public = self.is_over and (is_last_rack_deducible or known_seats is None)
        revealed_seats = (
            set(seats)
            if is_public and not is_last_rack_deducible
            else set(known_seats or ()).intersection(seats)
        )
        turns = [turn if turn.seat in revealed_seats else public_turn(turn) for turn in self.turns]
        shown_racks: tuple[ShownRack, ...] = ()
        if is_public:
            turns += self._end_turns()
        else:
            shown_racks = tuple(
                ShownRack(len(turns), seat, self._racks.tiles_by_seat[seat])
                for seat in sorted(revealed_seats)
            )
        return ReplayedGame(
            Game(
                self._first_rules,
                with_nicks(self._names),
                tuple(turns),
                game_id=self._history.game_id,
                shown_racks=shown_racks,
                incomplete=not is_public,
                extra=((SOURCE_KEY, write(self._history)),),
            ),
            self.is_over,
            tuple(self._names),
        )

    def _end_turns(self) -> list[Turn]:
        racks = tuple(self._racks.tiles_by_seat)
        if len(racks) == 1:
            return []
        if isinstance(self._racks, CountedRacks):
            # The player who has not gone out has all remaining tiles.
            unseen = tuple(sorted(self._racks.unseen.elements()))
            racks = tuple(unseen if rack else () for rack in racks)
        adjustments = end_adjustments(racks, self._rules)
        tiles_left = tuple(chain.from_iterable(racks))
        return [
            Turn(
                seat,
                TurnKind.END_RACK_PENALTY if rack else TurnKind.END_RACK_POINTS,
                rack,
                counted_tiles=rack or tiles_left,
                score=adjustments[seat],
                cumulative=self._state.scores[seat] + adjustments[seat],
                line=self._history.turns[len(self.turns) - 1].location[0],
            )
            for seat, rack in sorted(enumerate(racks), key=lambda item: bool(item[1]))
        ]


def replay(history: TurnUrl, seats: Collection[int] | None = None) -> Reading[ReplayedGame]:
    """Replay a history. If the rules forbid a turn, ``error`` is set, and the game ends before that turn.

    Without ``seats``, all plays are checked against the racks, and the racks are shown only if the game is over. With
    ``seats``, only the racks in these seats are shown, and the other players' plays are assumed to fit their racks.

    Raises:
        ConversionError: the URL is a delta.
        RuleError: the game has more than :data:`bot.domain.crossword.game.MAX_PLAYERS` players.

    """

    def deal(tiles: tuple[int, ...], player_count: int, rack_size: int) -> Racks:
        return Racks(SeededBag(tiles, history.seed), player_count, rack_size, seats)

    return _replay(history, deal)


def replay_for_onlookers(history: TurnUrl) -> Reading[ReplayedGame]:
    """Replay a history as onlookers can, without the seed.

    A play is checked against the board and the tiles that have not been laid down, never against a rack. When one of two
    players has no tiles left, the other has all remaining tiles. Otherwise no rack is known. This function raises the
    same errors as :func:`replay`.
    """
    return _replay(history, CountedRacks)


def replay_finished(history: TurnUrl) -> ReplayedGame | None:
    """Return a finished game with every rack. Return None if the game is in progress or its draws do not allow all its turns.

    During a game, it is a secret whether the draws allow a turn. Callers must prevent players from trying out plays this way.
    This function raises the same errors as :func:`replay`.
    """
    may_be_over = any(attempt.is_over for attempt in _attempts(history, CountedRacks))
    reading = replay(history) if may_be_over else None
    return reading.value if reading and reading.error is None and reading.value.is_over else None


def _attempts(history: TurnUrl, deal: Deal) -> Iterator[ReplayAttempt]:
    """Yield a replay for each way to read the bag. Raise the same errors as :func:`replay`."""
    if not history.is_history:
        raise ConversionError(
            "history-needed",
            "this URL starts at turn {turn}; to show the board, paste the URL of the whole game",
            turn=history.turn_number,
        )
    player_count = len(history.settings.player_names)
    if player_count > MAX_PLAYERS:
        raise RuleError(
            "too-many-players",
            "the game has {players} players; Kibitz reads games of up to {limit}",
            players=player_count,
            limit=MAX_PLAYERS,
        ).at(*history.settings.location(param_of_seat(MAX_PLAYERS)))
    for bag_reading in bag_readings(history.settings):
        yield ReplayAttempt(history, bag_reading, deal)


def _replay(history: TurnUrl, deal: Deal) -> Reading[ReplayedGame]:
    best_attempt: ReplayAttempt | None = None
    for attempt in _attempts(history, deal):
        if (
            best_attempt is None
            or len(attempt.turns) > len(best_attempt.turns)
            or (attempt.error is None and best_attempt.error is not None)
        ):
            best_attempt = attempt
        if attempt.error is None:
            break
    assert best_attempt is not None
    return Reading(best_attempt.result(), tuple(best_attempt.warnings), best_attempt.error)


def history_of(game: Game) -> TurnUrl:
    """Return the history of a game that came from a Turn URL, up to the game's last turn.

    Raises:
        ConversionError: the game did not come from a Turn URL, or was changed later.

    """
    source = dict(game.extra).get(SOURCE_KEY)
    plays = _plays(game)
    if source is not None:
        with suppress(DomainError):
            history = read(source).value
            history = replace(history, turns=history.turns[: len(plays)])
            # Comparing the turns with the draws would reveal some draws.
            if any(plays == _plays(attempt.result().game) for attempt in _attempts(history, CountedRacks)):
                return history
    raise ConversionError("no-seed", "a Turn URL can't hold this game: its draws don't come from a seed")


def _plays(game: Game) -> list[object]:
    return [public_turn(turn).play for turn in game.turns if turn.kind in ORDINARY_KINDS]
