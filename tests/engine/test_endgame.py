"""The endgame solver, compared with reference values and with an exhaustive search."""

import math
import threading
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import board_after, remove_tiles, tiles_used
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Pass, Placement
from bot.domain.crossword.position import Board, Player, Position, unseen_tiles
from bot.domain.crossword.rules import BLANK, BoardLayout, Letter, LetterDistribution, default_rules
from bot.domain.crossword.scoring import check_on_rack, check_placement, rack_points, score_placement
from bot.engine.analysis import AnalysisError, StoppedError
from bot.engine.endgame.result import EndgameResult
from bot.engine.endgame.solve import solve_endgame
from bot.engine.lexicon.builder import build_word_graph
from tests.domain.crossword.games import with_unseen_tiles
from tests.domain.shared import SHARED, needs_corpus
from tests.engine.endgame_oracle import Oracle, racks_of, small_endings, values_by_board
from tests.engine.shared import enable1_graph
from tests.examples import thorough_examples, try_examples, usual_and_long


def reference_endings() -> list[tuple[str, str, int, bool]]:
    """Return each endgame's CGP, rack sizes and value, and whether the value is proved."""
    path = SHARED / "corpus" / "engine" / "endgames.tsv"
    if not path.exists():
        return []
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return [(row[0], row[1], int(row[2]), row[4] == "EXACT") for row in rows]


def tile_count_of(sizes: str) -> int:
    return sum(map(int, sizes.split("v")))


EXACT_ENDGAMES = [row for row in reference_endings() if row[3]]
SHORT_ENDGAMES = [row for row in EXACT_ENDGAMES if tile_count_of(row[1]) <= 6]
LONG_ENDGAMES = [row for row in EXACT_ENDGAMES if tile_count_of(row[1]) > 6]


def gain_of_line(position: Position, result: EndgameResult) -> int:
    """Return the points that the player to move gains on the opponent in the result's line."""
    rules, board = position.rules, position.board
    own = position.players[position.on_turn].rack
    others = unseen_tiles(rules.distribution, board.squares, [own]).counts
    racks = [own, tuple(Counter(dict(enumerate(others))).elements())]
    gains = [0, 0]
    passes = 0
    for number, turn in enumerate(result.line):
        seat = number % 2
        if isinstance(turn.play, Pass):
            passes += 1
            assert turn.score == 0
            continue
        passes = 0
        assert isinstance(turn.play, Placement)
        check_placement(board, turn.play, rules)
        check_on_rack(tiles_used(turn.play), racks[seat], rules.distribution)
        assert score_placement(board, turn.play, rules).score == turn.score
        gains[seat] += turn.score
        racks[seat] = remove_tiles(racks[seat], tiles_used(turn.play))
        board = board_after(board, turn.play)
        if not racks[seat]:
            assert turn is result.line[-1]
            return (
                gains[0] - gains[1] + (-2 if seat else 2) * rack_points(racks[1 - seat], rules.distribution)
            )
    earlier_passes = position.scoreless_turns if passes == len(result.line) else 0
    assert passes in {2, 3} or passes + earlier_passes == rules.scoreless_limit
    points_left = [rack_points(rack, rules.distribution) for rack in racks]
    return gains[0] - points_left[0] - (gains[1] - points_left[1])


@needs_corpus
@pytest.mark.parametrize(
    ("text", "value"),
    [row[::2][:2] for row in SHORT_ENDGAMES]
    + [pytest.param(*row[::2][:2], marks=pytest.mark.long) for row in LONG_ENDGAMES],
)
def test_the_reference_values_of_endgames_are_proved(text, value):
    position = cgp.read(text).value
    result = solve_endgame(position, enable1_graph(), seconds=math.inf)
    assert (result.value, result.exact, result.lower_bound) == (value, True, value)
    assert gain_of_line(position, result) == value


@usual_and_long(100, 1_000)
def test_the_solver_agrees_with_exhaustive_search(number):
    try_examples(number, check_against_oracle, small_endings())


def check_against_oracle(ending):
    position, words = ending
    result = solve_endgame(position, build_word_graph(sorted(words)), seconds=math.inf)
    own, other = racks_of(position)
    oracle = Oracle(position.rules, words)
    assert result.value == oracle.value(position.board, own, other, (), position.scoreless_turns)
    assert result.exact
    assert gain_of_line(position, result) == result.value


@settings(thorough_examples(60))
@given(small_endings(max_rack_size=2))
def test_every_play_is_ranked_by_the_resulting_value(ending):
    position, words = ending
    result = solve_endgame(position, build_word_graph(sorted(words)), seconds=math.inf, top=50)
    values = values_by_board(position, words)
    assert [ranked.value for ranked in result.ranking] == sorted(values.values(), reverse=True)[:50]
    assert all(ranked.exact for ranked in result.ranking)
    assert len({ranked.play for ranked in result.ranking}) == len(result.ranking)
    for ranked in result.ranking:
        line = replace(result, line=ranked.line)
        assert gain_of_line(position, line) == ranked.value


@needs_corpus
def test_each_depth_and_the_proved_line_are_reported():
    position = cgp.read(LONG_ENDGAMES[-1][0]).value
    reported: list[EndgameResult] = []
    complete_result = solve_endgame(position, enable1_graph(), seconds=math.inf, progress=reported.append)
    assert complete_result.exact
    assert [item.depth for item in reported] == list(range(1, len(reported) + 1))
    assert len(reported) < complete_result.depth
    assert not any(item.exact for item in reported)
    # The line is reported as soon as it is proved, before other plays are ranked.
    with_ranking: list[EndgameResult] = []
    solve_endgame(
        position,
        enable1_graph(),
        top=2,
        progress=with_ranking.append,
        cancelled=lambda: with_ranking[-1:] == [complete_result],
    )
    assert with_ranking[-1] == complete_result


@needs_corpus
def test_cancelling_gives_a_partial_result():
    position = cgp.read(LONG_ENDGAMES[-1][0]).value
    reported: list[EndgameResult] = []
    complete_result = solve_endgame(position, enable1_graph(), seconds=math.inf, progress=reported.append)
    checks = iter(range(100))
    result = solve_endgame(position, enable1_graph(), cancelled=lambda: next(checks) > 2)
    assert not result.exact
    assert result.line
    assert result.depth <= len(reported)
    assert result.nodes < complete_result.nodes
    assert result.lower_bound is None or result.lower_bound <= complete_result.value


@needs_corpus
def test_stopping_before_the_first_result_raises_an_error():
    position = cgp.read(LONG_ENDGAMES[-1][0]).value
    with pytest.raises(StoppedError):
        solve_endgame(position, enable1_graph(), cancelled=lambda: True)


@needs_corpus
def test_threads_do_not_change_the_values():
    rows = SHORT_ENDGAMES[-4:]
    found: dict[int, int] = {}

    def solve(number: int) -> None:
        found[number] = solve_endgame(
            cgp.read(rows[number % 4][0]).value, enable1_graph(), seconds=math.inf
        ).value

    threads = [threading.Thread(target=solve, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: rows[number % 4][2] for number in range(8)}


def with_racks(position: Position, own: tuple[int, ...], other: tuple[int, ...]) -> Position:
    return with_unseen_tiles(replace(position, players=(Player(0, own), Player(0, other))))


@needs_corpus
@pytest.mark.parametrize(
    ("own", "other", "code"),
    [
        ((BLANK,) * 7, (1,) * 7, "too-many-blanks"),
        ((1, 2, 3), (BLANK,) * 5, "too-many-blanks"),
        (tuple(range(1, 8)), tuple(range(1, 27)), "rack-too-long"),
        (tuple(range(1, 20)), tuple(range(1, 20)), "endgame-too-long"),
        (tuple(range(1, 8)), (), "game-over"),
        ((), tuple(range(1, 8)), "no-rack"),
    ],
)
def test_endgames_with_unsuitable_racks_are_refused(own, other, code):
    position = with_racks(cgp.read(SHORT_ENDGAMES[0][0]).value, own, other)
    with pytest.raises(AnalysisError) as refused:
        solve_endgame(position, enable1_graph())
    assert refused.value.code == code


@needs_corpus
def test_positions_that_are_not_endgames_are_refused():
    position = cgp.read(SHORT_ENDGAMES[0][0]).value
    board = replace(position.board, squares=(0,) * len(position.board.squares))
    cases = {
        "too-many-tiles": replace(position, players=(Player(0, (26,) * 7), Player(0, (22,)))),
        "bag-not-empty": replace(position, board=position.board.with_tiles((i, 0) for i in range(60))),
        "not-two-players": replace(position, players=(*position.players, Player(0, ()))),
        "empty-board": with_racks(replace(position, board=board), (1, 2), (3, 4)),
        "game-over": replace(position, scoreless_turns=6),
    }
    for code, case in cases.items():
        with pytest.raises(AnalysisError) as refused:
            solve_endgame(case, enable1_graph())
        assert refused.value.code == code


@needs_corpus
def test_a_search_with_four_blanks_can_be_stopped():
    position = with_racks(
        cgp.read(SHORT_ENDGAMES[0][0]).value,
        (BLANK, BLANK, BLANK, BLANK, 1, 5, 19),
        (5, 18, 20, 9, 14, 1, 19),
    )
    checks = iter(range(1000))
    result = solve_endgame(position, enable1_graph(), cancelled=lambda: next(checks) > 20)
    assert result.line
    assert not result.exact


def test_tiles_may_have_negative_points():
    """Going out with X has a negative score, but gains the points for the opponent's Q."""
    points = {"A": 0, "B": 0, "W": 1, "Y": 10, "X": -15, "Q": 42}
    letters = [Letter(name, name.lower(), 1, value) for name, value in points.items()]
    tiles = LetterDistribution("own", (Letter("?", "?", 0, 0), *letters))
    number = {name: index for index, name in enumerate(points, 1)}
    layout = BoardLayout("", 1, 6, "'.....", (0, 1))
    rules = replace(default_rules(tiles, layout), rack_size=1, bingo_bonus=0)
    words = [bytes(map(number.__getitem__, word)) for word in ["AB", "ABW", "ABWY", "ABWYX", "YAB", "YABW"]]
    board = Board(1, 6, (0, number["A"], number["B"], 0, 0, 0))
    players = Player(0, tuple(number[name] for name in "WYX")), Player(0, (number["Q"],))
    check_against_oracle((Position(rules, board, players), frozenset(words)))
