"""Hypothesis strategies for games that follow the rules, but whose words are random letters.

Every tile is drawn from a shuffled bag, and every placement after the first touches tiles on the board. Scores are computed directly from the
rules, without the project's own scoring code.
"""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import strategies as st

from bot.domain.crossword.game import MAX_PLAYERS, Game
from bot.domain.crossword.play import (
    THROUGH,
    Comment,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    PlayerName,
    ShownRack,
    Turn,
    TurnKind,
    read_coordinate,
)
from bot.domain.crossword.play_text import placement_text, turn_text
from bot.domain.crossword.position import Board, Position, empty_board
from bot.domain.crossword.replay import Replay
from bot.domain.crossword.rules import (
    BLANK,
    MISSING_SQUARE,
    EndScoring,
    LetterDistribution,
    Rules,
    default_rules,
    load_distribution,
    load_layout,
)
from bot.domain.reading.problems import ReadWarning, RuleError
from tests.domain.crossword.naive_scoring import score_of_words
from tests.domain.crossword.strategies import seeds, shuffled_bag

REMARKS = (
    "",
    "well played",
    "é ü ł",
    'say "no" \\ yes',
    "12 Q(A)T +30 30",
    "&amp;",
    "a &lt; b & c &amp",
    "#findingsad",
    "a  b",
)
NICKS = ("alice", "bob", "carol", "d:e", "f(g)", "élan", "7", "Quackle", "h_i")

ENGLISH = load_distribution("english")
RULES = default_rules(ENGLISH, load_layout("CrosswordGame"))


def tiles(text: str, distribution: LetterDistribution = ENGLISH) -> tuple[int, ...]:
    return tuple(distribution.machine_letters[token] for token in distribution.pattern.findall(text))


def placement(coordinate: str, word: str) -> Placement:
    """Return a placement of English tiles. A dot stands for a tile on the board: ``placement("H8", ".AT")``."""
    start = read_coordinate(coordinate)
    assert start is not None
    return Placement(
        start, tuple(THROUGH if letter == "." else ENGLISH.machine_letters[letter] for letter in word)
    )


def laid_tiles(placement: Placement) -> dict[tuple[int, int], int]:
    return {
        square: tile
        for square, tile in zip(placement.squares(), placement.tiles, strict=True)
        if tile != THROUGH
    }


def naive_score(board: Board, placement: Placement, rules: Rules) -> int:
    squares = {divmod(index, board.columns): tile for index, tile in enumerate(board.squares) if tile}
    laid = laid_tiles(placement)
    bonus = rules.bingo_bonus if len(laid) == rules.rack_size else 0
    return score_of_words(squares, laid, rules.layout, rules.distribution.points) + bonus


def with_unseen_tiles(position: Position, tiles: tuple[int, ...] = ()) -> Position:
    """Return the position with a tile set that leaves exactly ``tiles`` unseen."""
    used = Counter(max(tile, BLANK) for tile in position.board.squares if tile)
    for group in (tiles, *(player.rack for player in position.players)):
        used.update(group)
    letters = tuple(
        replace(letter, count=used[number])
        for number, letter in enumerate(position.rules.distribution.letters)
    )
    small_distribution = replace(position.rules.distribution, name="small", letters=letters)
    return replace(position, rules=replace(position.rules, distribution=small_distribution))


class SimulatedGame:
    def __init__(
        self,
        rules: Rules,
        player_count: int,
        randomness: random.Random,
        *,
        must_name_exchanged_tiles: bool = False,
    ) -> None:
        self.rules = rules
        self.must_name_exchanged_tiles = must_name_exchanged_tiles
        self.randomness = randomness
        self.bag = shuffled_bag(rules.distribution, randomness)
        self.racks = [self.refill([]) for _ in range(player_count)]
        self.scores = [0] * player_count
        self.board = empty_board(rules.layout.rows, rules.layout.columns)
        self.turns: list[Turn] = []
        self.scoreless_turns = 0
        self.turns_left: int | None = None
        """Number of turns left, or None while the bag has tiles. If the rules give every player a last turn, the game ends at 0."""

    def refill(self, rack: list[int]) -> list[int]:
        count = min(self.rules.rack_size - len(rack), len(self.bag))
        return rack + [self.bag.pop() for _ in range(count)]

    def add_turn(self, seat: int, kind: TurnKind, score: int = 0, **fields) -> None:
        self.scores[seat] += score
        rack = fields.pop("rack", tuple(self.racks[seat]))
        self.turns.append(Turn(seat, kind, rack, score=score, cumulative=self.scores[seat], **fields))

    def random_placement(self, seat: int) -> Placement | None:
        for _ in range(40):
            direction = self.randomness.choice(list(Direction))
            row, column = (self.randomness.randrange(side) for side in (self.board.rows, self.board.columns))
            if not self.board.tile_count:
                row, column = self.rules.layout.start
            if found := self._placement_at(seat, Coordinate(row, column, direction)):
                return found
        return None

    def _placement_at(self, seat: int, start: Coordinate) -> Placement | None:
        step = (0, 1) if start.direction is Direction.ACROSS else (1, 0)
        row, column = start.row, start.column
        is_inside = lambda r, c: r < self.board.rows and c < self.board.columns  # noqa: E731
        if row - step[0] >= 0 and column - step[1] >= 0 and self.board.at(row - step[0], column - step[1]):
            return None
        rack = self.randomness.sample(self.racks[seat], len(self.racks[seat]))
        wanted_count = self.randomness.choice((1, 2, 3, 4, len(rack)))
        if not self.board.tile_count:
            wanted_count = max(wanted_count, 2)
        tiles, is_touching, laid_count = [], not self.board.tile_count, 0
        while is_inside(row, column) and (self.board.at(row, column) or (laid_count < wanted_count and rack)):
            if self.board.at(row, column):
                tiles.append(THROUGH)
                is_touching = True
            else:
                if self.rules.layout.squares[row * self.board.columns + column] == MISSING_SQUARE:
                    return None
                tile = rack.pop()
                blank = -self.randomness.randrange(1, len(self.rules.distribution.letters))
                tiles.append(tile or blank)
                laid_count += 1
                neighbours = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
                is_touching |= any(
                    min(r, c) >= 0 and is_inside(r, c) and self.board.at(r, c) for r, c in neighbours
                )
            row, column = row + step[0], column + step[1]
        if not is_touching or not laid_count or (len(tiles) == 1 and not self.board.tile_count):
            return None
        return Placement(start, tuple(tiles))

    def lay(self, seat: int, placement: Placement) -> None:
        """Play a placement. Some plays are then challenged."""
        score = naive_score(self.board, placement, self.rules)
        self.add_turn(seat, TurnKind.PLAY, score, play=placement)
        columns = self.board.columns
        new_tiles = laid_tiles(placement)
        outcome = self.randomness.random()
        if outcome < 0.1:
            self.add_turn(seat, TurnKind.PHONY_WITHDRAWN, -score)
            self.scoreless_turns += 1
            return
        self.scoreless_turns = 0
        self.board = self.board.with_tiles((r * columns + c, tile) for (r, c), tile in new_tiles.items())
        for tile in new_tiles.values():
            self.racks[seat].remove(max(tile, 0))
        self.racks[seat] = self.refill(self.racks[seat])
        if outcome > 0.9:
            rack = tuple(self.racks[seat]) if self.randomness.random() < 0.5 else ()
            self.add_turn(seat, TurnKind.CHALLENGE_BONUS, self.randomness.choice((0, 5, 10)), rack=rack)

    def exchange(self, seat: int) -> None:
        """Exchange random tiles. The turn names all, some or none of them."""
        count = self.randomness.randint(1, min(len(self.racks[seat]), len(self.bag)))
        tiles = self.randomness.sample(self.racks[seat], count)
        known_count = (
            count
            if self.must_name_exchanged_tiles
            else self.randomness.choice((0, count, self.randomness.randint(0, count)))
        )
        self.add_turn(seat, TurnKind.EXCHANGE, play=Exchange(tuple(tiles[:known_count]), count - known_count))
        for tile in tiles:
            self.racks[seat].remove(tile)
        self.racks[seat] = self.refill(self.racks[seat])
        self.bag += tiles
        self.randomness.shuffle(self.bag)
        self.scoreless_turns += 1

    def step(self, seat: int) -> None:
        choice = self.randomness.random()
        placement = self.random_placement(seat) if choice < 0.9 else None
        if placement is not None:
            self.lay(seat, placement)
        elif len(self.bag) >= max(1, self.rules.min_bag_for_exchange) and choice < 0.97:
            self.exchange(seat)
        else:
            self.add_turn(seat, TurnKind.PASS, play=Pass())
            self.scoreless_turns += 1
        if self.turns_left is not None:
            self.turns_left -= 1
        elif not self.bag:
            self.turns_left = len(self.racks)

    def finish(self) -> None:
        if self.rules.end_scoring is EndScoring.EQUAL_TURNS:
            return
        values = [sum(self.rules.distribution.points(tile) for tile in rack) for rack in self.racks]
        seat_out = next((seat for seat, rack in enumerate(self.racks) if not rack), None)
        if seat_out is None:
            for seat, rack in enumerate(self.racks):
                self.add_turn(seat, TurnKind.END_RACK_PENALTY, -values[seat], counted_tiles=tuple(rack))
        else:
            tiles_left = tuple(tile for rack in self.racks for tile in rack)
            counts_twice = self.rules.end_scoring is EndScoring.TWICE
            self.add_turn(
                seat_out,
                TurnKind.END_RACK_POINTS,
                sum(values) * (1 + counts_twice),
                counted_tiles=tiles_left,
                rack=(),
            )
            for seat, rack in enumerate(self.racks):
                if rack and not counts_twice:
                    self.add_turn(seat, TurnKind.END_RACK_PENALTY, -values[seat], counted_tiles=tuple(rack))
        if self.randomness.random() < 0.2:
            self.add_turn(self.randomness.randrange(len(self.racks)), TurnKind.TIME_PENALTY, -10, rack=())

    @property
    def is_over(self) -> bool:
        if self.rules.end_scoring is EndScoring.EQUAL_TURNS:
            return self.turns_left == 0 or self.scoreless_turns >= self.rules.scoreless_limit
        return not all(self.racks) or self.scoreless_turns >= self.rules.scoreless_limit


SETS = (
    "english",
    "english",
    "english",
    "polish",
    "catalan",
    "spanish",
    "german",
    "korean",
    "hong_kong_english",
    "crossplay",
)


SIMPLE_SETS = ("english", "english", "polish", "german", "french", "norwegian")


@st.composite
def games(draw, *, finished: bool | None = None, simple: bool = False, set_name: str = "") -> Game:
    """Draw a game of any length. It contains only what GCG and JSON can hold.

    A simple game has two players and a standard board. It names all exchanged tiles, and has no comments, no extra pragmas, and
    no note before the first turn.
    """
    randomness = random.Random(draw(seeds))
    name = set_name or draw(st.sampled_from(SIMPLE_SETS if simple else SETS))
    is_large = draw(st.booleans()) and name in {"english", "catalan"} and not simple
    layout_names = ("CrosswordGame",) if simple else ("CrosswordGame", "WorldWildlifeFund", "Crossplay")
    layout = load_layout("SuperCrosswordGame" if is_large else draw(st.sampled_from(layout_names)))
    rules = default_rules(load_distribution(f"{name}_super" if is_large else name), layout)
    rules = replace(rules, lexicon=draw(st.sampled_from(("", "CSW21", "OSPS49"))))
    if draw(st.booleans()):
        rules = replace(rules, variant="wordsmog")
    player_count = 2 if simple else draw(st.sampled_from((2, 2, 2, 3, 4, MAX_PLAYERS)))
    is_finished = draw(st.booleans()) if finished is None else finished
    if is_finished and not simple and rules.end_scoring is EndScoring.TWICE and draw(st.booleans()):
        rules = replace(rules, end_scoring=EndScoring.EACH_WAY)
    simulated = SimulatedGame(rules, player_count, randomness, must_name_exchanged_tiles=simple)
    limit = 400 if is_finished else draw(st.integers(0, 20))
    seat = 0
    while not simulated.is_over and limit:
        simulated.step(seat)
        seat = (seat + 1) % player_count
        limit -= 1
    if simulated.is_over:
        simulated.finish()
    game = _annotated_game(draw, simulated, is_over=simulated.is_over)
    if simple:
        turns = tuple(replace(turn, comments=()) for turn in game.turns)
        game = replace(game, turns=turns, note="", extra=())
    return game


def _annotated_game(draw, simulated: SimulatedGame, *, is_over: bool) -> Game:
    line = st.sampled_from(REMARKS)
    remark = st.lists(line, max_size=3).map(lambda lines: "\n".join(lines).strip())
    turns = tuple(
        replace(turn, note=draw(remark)) if simulated.randomness.random() < 0.2 else turn
        for turn in simulated.turns
    )
    if turns and draw(st.booleans()):
        comment = Comment(draw(remark), draw(line), "2026-01-31")
        turns = (*turns[:-1], replace(turns[-1], comments=(comment,)))
    nicks = draw(
        st.lists(
            st.sampled_from(NICKS), min_size=len(simulated.racks), max_size=len(simulated.racks), unique=True
        )
    )
    shown_racks: tuple[ShownRack, ...] = ()
    if not is_over and turns and draw(st.booleans()):
        shown_racks = (ShownRack(len(turns), 0, tuple(simulated.racks[0]), 0),)
    are_tiles_counted = any(turn.kind is TurnKind.END_RACK_POINTS and turn.score for turn in turns)
    is_equal_turns = simulated.rules.end_scoring is EndScoring.EQUAL_TURNS
    rules = (
        simulated.rules
        if are_tiles_counted or is_equal_turns
        else replace(simulated.rules, end_scoring=EndScoring.TWICE)
    )
    return Game(
        rules,
        tuple(PlayerName(nick, f"{nick.title()} X.") for nick in nicks),
        turns,
        title=draw(st.sampled_from(("", "Final, round 3"))),
        description=draw(st.sampled_from(("", "One line", "Two\nlines"))),
        authority=draw(st.sampled_from(("", "io.woogles"))) if (has_id := draw(st.booleans())) else "",
        game_id="RSwBsyCj" if has_id else "",
        shown_racks=shown_racks,
        incomplete=not is_over,
        note=draw(remark).replace("\n\n", "\n"),
        extra=draw(st.sampled_from(((), (("tile-set", "wood"), ("weather", ""))))),
    )


def faults_and_error(game: Game) -> tuple[tuple[ReadWarning, ...], RuleError | None]:
    """Replay a whole game. Return its faults with their lines, and the error that stops the replay, if any."""
    replay = Replay(game.rules, len(game.names))
    faults: list[ReadWarning] = []
    for turn in game.turns:
        try:
            turn_faults = replay.play(turn)
        except RuleError as error:
            return tuple(faults), error.at(max(turn.line, 1), error.column)
        faults += (fault.at(max(turn.line, 1), 1) for _, fault in turn_faults)
    return tuple(faults), None


def final_racks(game: Game) -> tuple[tuple[int, ...] | None, ...]:
    """Return each player's rack as shown after the last turn, or None if it is not shown."""
    racks_by_seat = {rack.seat: rack.tiles for rack in game.shown_racks if rack.moment == len(game.turns)}
    return tuple(racks_by_seat.get(seat) for seat in range(len(game.names)))


def turn_texts(game: Game) -> tuple[str, ...]:
    distribution = game.rules.distribution
    return tuple(
        placement_text(turn.play, position.board, distribution)
        if isinstance(turn.play, Placement)
        else turn_text(turn, distribution)
        for turn, position in zip(game.turns, game.positions(), strict=False)
    )
