"""The ranking, text and legend of an analysis."""

import re
from dataclasses import replace
from typing import Any

import pytest

from bot.chat.card import Moment, ReplyContext
from bot.cli.analyze import analysis_json, analysis_lines
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.engine import installed, kernel_cache
from bot.engine.analysis import AnalysisOptions
from bot.engine.endgame import search as endgame_search
from bot.engine.endgame.result import PreEndgamePlay, PreEndgameResult
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.values import can_move_blanks, deduplicate, replace_blanks
from bot.features.analysis.controls import Deepen
from bot.features.analysis.crossword import analyze as analysis
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.card import analysis_card, ranking_table
from bot.features.analysis.crossword.rankings import describe_gain, rank_plays
from bot.features.analysis.crossword.request import (
    AnalysisRequest,
    AnalysisResources,
    Compiling,
    Method,
    can_be_solved,
)
from bot.features.analysis.crossword.trial import try_play
from bot.features.review.crossword.cards import describe_play_and_score
from bot.jobs.queue import JobControl
from bot.text import translator
from tests.domain.crossword.games import placement, with_unseen_tiles
from tests.positions import EIGHT_UNSEEN, EMPTY_BOARD, FOUR_IN_BAG, MAVEN, OPENING

translate = translator("en")
MOMENT = Moment("x", 0)
LEXICA = Lexica()
CROSSPLAY_ENDGAME = with_unseen_tiles(
    cgp.read(f"{EMPTY_BOARD} AEINRT/ 0/0 0 ld crossplay;").value, (12, 15, 19, 20)
)
"""The bag is empty, and the opponent holds L, O, S and T."""


def analyze_text(text, *, method=Method.EQUITY, made_play=None, **options):
    request = AnalysisRequest(
        cgp.read(text).value, method=method, made_play=made_play, options=AnalysisOptions(**options)
    )
    return analyze_position(request, LEXICA, JobControl())


def solve_until_first_report(text, **options):
    """Stop solving at the first progress report, so the result does not depend on the machine's speed."""
    control = JobControl(lambda progress: None if isinstance(progress, Compiling) else control.stop())
    request = AnalysisRequest(
        cgp.read(text).value, method=Method.SOLUTION, options=AnalysisOptions(seconds=60, **options)
    )
    return analyze_position(request, LEXICA, control)


@pytest.mark.parametrize(
    ("position", "method", "parts"),
    [
        (cgp.read(OPENING).value, Method.SIMULATION, ("plays", "simulation")),
        (CROSSPLAY_ENDGAME, Method.SOLUTION, ("plays", "best")),
    ],
    ids=["simulation", "last turns"],
)
def test_compiling_is_reported_once_before_the_work(monkeypatch, position, method, parts):
    parts_compiled, reports = [], []

    def compile_in_processes(*parts, progress):
        parts_compiled.append(parts)
        progress(0.5)

    monkeypatch.setattr(installed, "loaded_parts", loaded_parts := set())
    monkeypatch.setattr(analysis, "loaded_parts", loaded_parts)
    monkeypatch.setattr(kernel_cache, "compile_in_processes", compile_in_processes)
    request = AnalysisRequest(position, method=method, options=AnalysisOptions(iterations=2))
    for _ in range(2):
        analyze_position(request, LEXICA, JobControl(reports.append))
    assert parts_compiled == [parts]
    assert reports[0] == Compiling(0.5)
    assert sum(isinstance(report, Compiling) for report in reports) == 1


def ranking_text(result):
    card = analysis_card(result, MOMENT, ReplyContext(translate=translate))
    return f"{card.text}\n{card.note}"


@pytest.mark.parametrize("method", [Method.EQUITY, Method.SIMULATION])
def test_a_phony_that_was_played_is_not_ranked(method):
    text = f"{EMPTY_BOARD} JKQVWXZ/ 0/0 0"
    made_play = placement("8D", "ZJQKXWV")
    result = analyze_text(text, made_play=made_play, plays=3, method=method, seconds=0.5)
    ranking = ranking_text(result)
    assert f"Played: **8D ZJQKXWV** +{result.made_play.score}, not in SCOWL95, not ranked." in ranking
    assert result.made_play.score > result.plays[0].score
    assert "less than the best" not in ranking
    ranked = rank_plays(result, translate)
    assert ranked.played_rank is None
    table, _ = ranking_table(ranked, translate)
    row = next(line for line in table.splitlines() if "ZJQK" in line)
    assert row.split() == ["→", "8D", "ZJQKXWV", str(result.made_play.score), "–"]


def test_plays_that_differ_only_in_the_blank_are_listed_once():
    result = analyze_text(f"{EMPTY_BOARD} ABCEER?/ 0/0 0", plays=15)
    assert len(result.plays) == 15
    assert len({replace_blanks(play.play) for play in result.plays}) == 15
    unlimited_result = analyze_text(f"{EMPTY_BOARD} ABCEER?/ 0/0 0", plays=None)
    assert result.plays == deduplicate(unlimited_result.plays)[:15]
    assert "ACERBE·R" in ranking_text(result)
    assert "A · precedes a blank" in ranking_text(result)


def test_plays_whose_blanks_can_be_moved_are_recognized():
    for rack in ("ABCEER?", "AAB??EE", "ACEENS?", "AEINRST", "QQZ??"):
        result = analyze_text(f"{EMPTY_BOARD} {rack}/ 0/0 0", plays=None)
        rack_tiles = result.request.position.players[0].rack
        counts: dict[Any, int] = {}
        for rated in result.plays:
            counts[replace_blanks(rated.play)] = counts.get(replace_blanks(rated.play), 0) + 1
        for play, count in counts.items():
            assert (count > 1) == (isinstance(play, Placement) and can_move_blanks(play, rack_tiles))


def test_a_play_made_with_another_blank_has_the_rank_of_its_row():
    text = f"{EMPTY_BOARD} ABCEER?/ 0/0 0"
    all_plays = analyze_text(text, plays=None).plays
    plays_without_blanks = [replace_blanks(rated.play) for rated in all_plays]
    first = next(rated for rated in all_plays if plays_without_blanks.count(replace_blanks(rated.play)) > 1)
    other = [rated for rated in all_plays if replace_blanks(rated.play) == replace_blanks(first.play)][-1]
    ranked = rank_plays(analyze_text(text, plays=60, made_play=other.play), translate)
    assert ranked.rows[ranked.played_rank - 1].play == first.play
    assert ranked.played_row.play == other.play
    assert ranked.loss == f"{(all_plays[0].equity - other.equity) / 1000:.1f} less than the best"
    table, _ = ranking_table(ranked, translate, max_rows=25)
    assert "→" in table.splitlines()[min(ranked.played_rank, 25)]


def test_the_places_of_a_word_are_sorted_by_equity():
    """A ranking lists each play only with its best blank, but a user may try another blank."""
    text = f"{EMPTY_BOARD} SEEDER?/ 0/0 0"
    equities = {rated.play: rated.equity for rated in analyze_text(text, plays=None).plays}
    for word in ("SEEDERS", "sEEDERS"):
        resources = AnalysisResources(None, LEXICA, "SCOWL80")
        trial = try_play(cgp.read(text).value, word, ReplyContext(translate=translate), "", resources)
        # On an empty board, the engine lists only plays that go across.
        values = [equities[play] for play in trial.alternatives if play in equities]
        assert len(set(values)) > 1
        assert values == sorted(values, reverse=True)


def test_a_negative_gain_is_called_a_loss():
    assert describe_gain(28, translate) == "gains +28 by the end"
    assert describe_gain(-28, translate) == "loses 28 by the end"


def test_every_symbol_in_an_endgame_table_is_explained(monkeypatch):
    result = solve_until_first_report(MAVEN.removesuffix(" lex OSPD1;"), plays=3)
    unproved_endgame = replace(
        result.endgame,
        exact=False,
        ranking=tuple(replace(item, exact=False) for item in result.endgame.ranking),
    )
    ranking = ranking_text(replace(result, endgame=unproved_endgame))
    assert "?" in ranking.split("```")[1]
    assert "A ? marks an estimated gain." in ranking
    assert "The gain is how many points" in ranking
    made_play = result.plays[-1]
    unranked_result = replace(
        result, made_play=made_play, endgame=replace(unproved_endgame, ranking=unproved_endgame.ranking[:1])
    )
    assert "not among the plays compared" in ranking_text(unranked_result)


def test_undecided_wins_are_shown_as_a_range():
    result = analyze_text(OPENING, plays=2)
    plays = tuple(
        PreEndgamePlay(rated.play, rated.score, wins, 0, 8 - wins, undecided, 12.0, False, proved)
        for rated, wins, undecided, proved in zip(
            result.plays, (8, 6), (8, 0), ((0, 0, 0), (6, 0, 2)), strict=True
        )
    )
    undecided_result = replace(
        result, pre_endgame=PreEndgameResult(plays, 8, False, 1), made_play=result.plays[1]
    )
    ranking = ranking_text(undecided_result)
    assert " 0–8\n" in ranking.split("```")[1]
    assert "6-0-2" in ranking.split("```")[1]
    assert "8-0-0" not in ranking
    assert "wins 0.0–100.0%" in ranking
    assert "the second best play, 0.0–25.0% fewer wins than the best" in ranking
    assert "A range such as" in ranking
    headings, *rows = (line.split() for line in list(analysis_lines(undecided_result))[2:5])
    assert headings[-5:] == ["won", "tied", "lost", "open", "gain"]
    assert [row[-5:] for row in rows] == [["0", "0", "0", "8", "+12.0"], ["6", "0", "2", "0", "+12.0"]]


def test_unproved_wins_are_marked_as_estimates():
    result = solve_until_first_report(FOUR_IN_BAG, plays=4)
    assert can_be_solved(result.request.position)
    pre_endgame = result.pre_endgame
    assert pre_endgame is not None
    assert (pre_endgame.bag_count, pre_endgame.total_weight) == (4, 11 * 10 * 9 * 8)
    assert "4 tiles are in the bag." in ranking_text(result)
    assert "A range such as 40–60" in ranking_text(result)
    assert f"wins about {100 * max(play.cautious_share for play in pre_endgame.plays):.0f}%" in ranking_text(
        result
    )

    def pre_endgame_play(number, left_in_bag, proved, *, exact=False):
        rated = result.plays[number]
        undecided = 7920 - sum(proved)
        wins, ties, losses = (3000, 0, 1000) if undecided else proved
        return PreEndgamePlay(
            rated.play, 20, wins, ties, losses, undecided, 12.25, exact, proved, left_in_bag
        )

    plays = (
        pre_endgame_play(0, 0, (3960, 0, 100)),
        pre_endgame_play(1, 2, (0, 0, 0)),
        pre_endgame_play(2, 0, (1980, 0, 5940), exact=True),
        replace(pre_endgame_play(3, 4, (0, 0, 0)), play=Exchange((1,))),
    )
    unproved_result = replace(result, pre_endgame=PreEndgameResult(plays, 7920, False, 1, True, bag_count=4))
    table = ranking_text(unproved_result).split("```")[1]
    assert re.search(r" 75 +50–99\n.* 75† +0–100\n.* 75† .*\n.* 25.0 +=\n", table), table
    for sentence in (
        "no play that empties the bag wins more often",
        "A † marks a play that leaves tiles in the bag. It is judged as if both players knew these tiles",
        "Two exchanges in a row aren't considered.",
    ):
        assert sentence in ranking_text(unproved_result)
    assert "wins about 75% (proven range 50–99%)" in ranking_text(unproved_result)
    assert "≈" not in ranking_text(unproved_result)
    sampled_plays = (replace(plays[0], sampled_bounds=(0.712, 0.79)), *plays[1:])
    sampled_result = replace(
        unproved_result, pre_endgame=PreEndgameResult(sampled_plays, 7920, False, 1, True, bag_count=4)
    )
    assert re.search(r" 75 +≈71–79\n.* 75† +0–100\n", ranking_text(sampled_result).split("```")[1])
    assert "A range after ≈ is a 99% confidence interval from a random sample of the draws." in ranking_text(
        sampled_result
    )
    assert "wins about 75% (sampled range 71–79%)" in ranking_text(sampled_result)
    document: Any = analysis_json(sampled_result)["pre_endgame"]
    assert [item["sampled"] for item in document["plays"]] == [[0.712, 0.79], None, None, None]
    barely_narrowed_plays = (replace(plays[0], sampled_bounds=(0.5001, plays[0].bounds[1])), *plays[1:])
    assert ranking_text(
        replace(sampled_result, pre_endgame=replace(sampled_result.pre_endgame, plays=barely_narrowed_plays))
    ) == ranking_text(unproved_result)
    proved_result = replace(
        unproved_result, pre_endgame=PreEndgameResult(plays[2:3], 7920, True, 1, True, bag_count=4)
    )
    assert "Proved: no play wins more often." in ranking_text(proved_result)
    assert not {"†", "range", "exchanges"} & set(
        re.findall(r"\w+|†", ranking_text(proved_result).replace("win % range", ""))
    )
    document = analysis_json(unproved_result)["pre_endgame"]
    assert [item["leaves_in_bag"] for item in document["plays"]] == [0, 2, 0, 4]
    assert [(item["least_wins"], item["most_wins"]) for item in document["plays"][:2]] == [
        (3960, 7820),
        (0, 7920),
    ]
    assert any("50–99" in line for line in analysis_lines(unproved_result))


@pytest.mark.parametrize("max_records", [16, 64])
def test_plays_are_ranked_even_if_the_position_cannot_be_solved(monkeypatch, max_records):
    monkeypatch.setattr(endgame_search, "INITIAL_RECORD_COUNT", max_records)
    monkeypatch.setattr(endgame_search, "MAX_RECORDS", max_records)
    result = solve_until_first_report(EIGHT_UNSEEN, plays=5)
    assert result.pre_endgame is None
    assert result.simulation is not None
    ranking = ranking_text(result)
    assert f"Not solved: the endgame has more than {max_records} plays." in ranking
    assert len(rank_plays(result, translate).rows) == 5


def test_rollouts_with_an_empty_bag_go_to_the_end_of_the_game():
    result = analyze_text(MAVEN, method=Method.SIMULATION, plays=2, iterations=2)
    card = analysis_card(result, MOMENT, ReplyContext(translate=translate))
    assert "4 rollouts, to the end of the game. " in card.note
    assert not any(isinstance(control, Deepen) for control in card.more_controls)


def test_only_a_placement_shows_its_score():
    position = cgp.read(OPENING).value
    descriptions = [
        describe_play_and_score(play, score, position, translate)
        for play, score in ((placement("8H", "TEA"), 6), (Exchange((2, 3)), 0), (Pass(), 0))
    ]
    assert descriptions == ["8H TEA for 6", "exchange BC", "pass"]
