"""Tables are at most as wide as a card on a phone (27 columns)."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from bot.chat.card import Moment, ReplyContext
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.domain.crossword.notations.fields import display_width
from bot.domain.crossword.play import Coordinate, Direction, Exchange, Placement
from bot.domain.crossword.position import Board, Player, Position
from bot.domain.crossword.rules import Rules, load_distribution, load_layout
from bot.engine.endgame.result import EndgameResult, EndgameTurn, PreEndgamePlay, PreEndgameResult, RankedPlay
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import SimulatedPlay, SimulationResult
from bot.features.analysis.controls import AnalysisDetails
from bot.features.analysis.crossword.card import analysis_card
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResult, Method
from bot.text import LANGUAGES, translator

LEXICON_NAMES = {
    "english": "NWL23",
    "spanish": "FILE2017",
    "catalan": "DISC2",
    "german": "RD28",
    "polish": "OSPS50",
    "french": "FRA24",
    "norwegian": "NSF23",
    "slovene": "SLV",
    "korean": "KOR",
}
"""The lexicon for each tested letter distribution. Some distributions have long or wide letters."""


def random_result(name: str, rng: random.Random, method: Method) -> AnalysisResult:
    """Return an analysis with random plays. Their words may be invalid."""
    distribution = load_distribution(name)
    rules = Rules(distribution=distribution, layout=load_layout("CrosswordGame"), lexicon=LEXICON_NAMES[name])
    letters = [number for number, count in enumerate(distribution.counts) if number and count]
    squares = [rng.choice(letters) if rng.random() < 0.3 else 0 for _ in range(15 * 15)]
    rack = tuple(sorted(rng.choices([0, *letters], k=7)))
    position = Position(
        rules, Board(15, 15, tuple(squares)), (Player(rng.randrange(600), rack), Player(rng.randrange(600)))
    )
    plays = []
    for _ in range(20):
        row, column = rng.randrange(15), rng.randrange(14)
        length = rng.randrange(1, 16 - column)
        tiles = tuple(
            0 if squares[row * 15 + column + offset] else rng.choice([1, 1, 1, -1]) * rng.choice(letters)
            for offset in range(length)
        )
        leave = tuple(sorted(rng.choices(letters, k=rng.randrange(7))))
        score = rng.choice([0, 9, 66, 158, 1234])
        start = Coordinate(row, column, Direction.ACROSS)
        plays.append(RatedPlay.of(Placement(start, tiles), score, leave, rng.randrange(-99_999, 200_000)))
    plays.append(RatedPlay.of(Exchange(tuple(sorted(rng.choices(letters, k=7)))), 0, (), -12_345))
    plays.sort(key=lambda rated: -rated.equity)
    result = AnalysisResult(
        AnalysisRequest(position, method=method),
        LEXICON_NAMES[name],
        "",
        (),
        "",
        20,
        1,
        tuple(plays),
        made_play=plays[-1],
    )
    if method is Method.SIMULATION:
        simulated_plays = tuple(
            SimulatedPlay(
                play, 99, rng.random(), rng.choice([0.011, 0.2]), play.equity / 1000, 3.0, (), dropped=False
            )
            for play in plays
        )
        return replace(result, simulation=SimulationResult(simulated_plays, 2, 99, None))
    if method is Method.SOLUTION and rng.random() < 0.5:
        ranked_plays = tuple(
            RankedPlay((EndgameTurn(play.play, play.score),), rng.randrange(-400, 400), rng.random() < 0.5)
            for play in plays
        )
        line = ranked_plays[0].line
        return replace(
            result,
            endgame=EndgameResult(
                -7, line, exact=False, depth=3, nodes=9, lower_bound=None, ranking=ranked_plays
            ),
        )
    if method is Method.SOLUTION:
        pre_endgame_plays = tuple(
            PreEndgamePlay(play.play, play.score, 10, 0, 0, rng.choice([0, 10]), -123.4, False, (10, 0, 0))
            for play in plays
        )
        bag_count = rng.choice([1, 4])
        if bag_count > 1:
            pre_endgame_plays = tuple(
                replace(
                    item,
                    ties=3,
                    sampled_bounds=rng.choice([None, (0.77, 0.996)]),
                    left_in_bag=rng.randrange(2),
                )
                for item in pre_endgame_plays
            )
        return replace(
            result, pre_endgame=PreEndgameResult(pre_endgame_plays, 10, False, 1, bag_count=bag_count)
        )
    return result


@pytest.mark.parametrize("name", LEXICON_NAMES)
def test_no_line_of_a_table_is_wider_than_a_phone(name):
    rng = random.Random(name)
    for method in Method:
        for locale in LANGUAGES:
            result = random_result(name, rng, method)
            for details in (AnalysisDetails(), AnalysisDetails(has_long_table=True)):
                context = ReplyContext(translate=translator(locale))
                text = analysis_card(result, Moment("x", 0), context, details=details).text
                lines = text.split("```")[1].strip("\n").splitlines()
                assert max(map(display_width, lines)) <= MAX_WIDTH, text
                assert len(lines) == 9 or (details.has_long_table and len(lines) > 12)
                assert not re.search(r"(?<!\d)-\d", "\n".join(lines)), (
                    "a negative number has a hyphen instead of a minus sign"
                )
                assert any("→" in line for line in lines)


def test_optional_columns_are_dropped_before_cells_are_cut():
    plays = Column(
        "play", ("8A (ANTI)QUARIAN", "1A A"), is_left_aligned=True, short_cells=("8A ANTIQUARIAN", "1A A")
    )
    equity = Column("equity", ("−12,3", "1,0"))
    leave = Column("leave", ("ABCDEF", ""), is_left_aligned=True, is_optional=True)
    assert lay_out([plays, equity, leave], 33).splitlines()[1] == "8A (ANTI)QUARIAN   −12,3  ABCDEF"
    assert lay_out([plays, equity, leave], 31).splitlines()[1] == "8A (ANTI)QUARIAN  −12,3 ABCDEF"
    assert lay_out([plays, equity, leave], 28).splitlines()[1] == "8A (ANTI)QUARIAN   −12,3"
    assert lay_out([plays, equity, leave], 22).splitlines()[1] == "8A ANTIQUARIAN  −12,3"
    assert lay_out([plays, equity, leave], 18).splitlines()[1] == "8A ANTIQUA…  −12,3"
    assert display_width(lay_out([plays, equity, leave], 18).splitlines()[1]) == 18


def test_a_margin_of_error_shared_by_all_plays_is_shown_once():
    result = random_result("english", random.Random(1), Method.SIMULATION)
    simulation = result.simulation
    assert simulation is not None
    simulation_with_equal_errors = replace(
        simulation, plays=tuple(replace(play, win_error=0.0123) for play in simulation.plays)
    )
    translate = translator("de")
    card = analysis_card(
        replace(result, simulation=simulation_with_equal_errors),
        Moment("x", 0),
        ReplyContext(translate=translate),
    )
    assert "Jeder Wert ± 1,2." in card.note
    assert "±" not in card.text.split("```")[1]
