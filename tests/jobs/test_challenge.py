"""The values of a challenge and of a phony equal the results of rollouts with both racks known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.crossword.game import board_before
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Coordinate, Direction, Pass, Placement
from bot.domain.crossword.position import Player
from bot.engine import analysis
from bot.engine.lexicon.lexica import Lexica
from bot.engine.plays.equity import rate
from bot.engine.plays.generate import find_plays
from bot.engine.plays.values import RatedPlay
from bot.features.analysis.crossword import challenge as challenge_module
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.request import ANALYSIS, AnalysisRequest
from bot.jobs.queue import JobControl
from bot.text import translator
from tests.domain.crossword.games import with_unseen_tiles
from tests.engine.reference_rollout import list_unseen_tiles, rollout

BOARD = (
    "15/15/15/15/15/3OUZO2PANTO1/5I1CHID4/5NTH2OFTER/2I2SOAK6/2N4MAY5/2CROWDS7/2L11Q/14U/14X/14E "
    "DGILSTV/ {scores} 0 {opcodes}"
)
LAST_PLAY = "lm O12 QUXE;"
PHONY_SCORE = 90
"""QUXE scores twice the Q, plus U, X and E, all tripled."""
LEXICA = Lexica()


@pytest.fixture(scope="module")
def lexicon():
    return LEXICA.load(LEXICA.find("SCOWL80"), cgp.read(board_text(LAST_PLAY)).value.rules.distribution)


def board_text(opcodes, scores="209/206"):
    return BOARD.format(scores=scores, opcodes=opcodes)


def analyze(position, made=None):
    request = AnalysisRequest(position, "SCOWL80", made_play=made)
    return analyze_position(request, LEXICA, JobControl())


def endgame_position(opcodes, scores, hidden="RS"):
    """Return a position with an empty bag. Also return the opponent's tiles."""
    position = cgp.read(board_text(opcodes, scores)).value
    numbers = position.rules.distribution.machine_letters
    tiles = tuple(numbers[tile] for tile in hidden)
    return with_unseen_tiles(position, tiles), tiles


@pytest.mark.parametrize("scores", ["209/206", "209/275", "600/100", "100/600"])
@pytest.mark.parametrize("rule", ["single", "double", "5pt", "10pt", "triple", ""])
def test_the_value_of_a_challenge_equals_the_result_of_rollouts(lexicon, scores, rule):
    position, hidden = endgame_position(LAST_PLAY + (f" cr {rule};" if rule else ""), scores)
    challenge = analyze(position).challenge
    own, maker = position.players
    numbers = position.rules.distribution.machine_letters

    def best_result(board, maker_score, rack, candidates):
        known_position = replace(
            position, board=board, players=(own, Player(maker_score, rack)), scoreless_turns=0
        )
        results = [
            rollout(known_position, candidate, (), 100, lexicon.graph, lexicon.leaves)
            for candidate in candidates or find_plays(known_position, lexicon.graph, lexicon.leaves, top=3)
        ]
        return max((win, points / 1000) for points, win in results)

    result_if_stays = best_result(position.board, maker.score, hidden, None)
    result_if_passed = best_result(
        position.board, maker.score, hidden, [RatedPlay.of(Pass(), 0, own.rack, 0)]
    )
    assert isinstance(position.last_play.play, Placement)
    earlier_board = board_before(position.board, position.last_play.play)
    rack = (*hidden, *(numbers[tile] for tile in "QUXE"))
    win, points = best_result(earlier_board, maker.score - PHONY_SCORE, rack, None)
    result_if_off = (win, points + PHONY_SCORE)
    assert challenge.words == ("QUXE",)
    assert (challenge.best_if_stays.win, challenge.best_if_stays.equity) == result_if_stays
    assert (challenge.best_if_off.win, challenge.best_if_off.equity) == result_if_off

    results_if_wrong = {
        "single": result_if_stays,
        "double": result_if_passed,
        "triple": (0.0, result_if_stays[1]),
    }
    for fine in (5, 10):
        won, _ = best_result(position.board, maker.score + fine, hidden, [challenge.best_if_stays.play])
        results_if_wrong[f"{fine}pt"] = won, result_if_stays[1] - fine
    for name, min_chance in challenge.rules:
        values = [result_if_stays, result_if_off, results_if_wrong[name]]
        wins = [value[0] for value in values]
        sure, good, bad = [value[1] for value in values] if len(set(wins)) == 1 else wins
        expected = None if good <= sure else (sure - bad) / (good - bad)
        assert min_chance == (expected if expected is None else pytest.approx(expected))
    assert [name for name, _ in challenge.rules] == ([rule] if rule else ["double", "5pt"])


@pytest.mark.parametrize(
    "opcodes",
    [
        "",
        "lm 10H MAY;",
        "lm phony.O12.QUXE;",
        "lm O12 QUXE +5;",
        "lm O12 QUXE; cr void;",
        "lm 6K PANTO;",
    ],
)
def test_only_a_phony_that_was_just_played_can_be_challenged(opcodes):
    assert analyze(cgp.read(board_text(opcodes)).value).challenge is None


def test_plays_are_ranked_without_a_challenge_if_there_are_too_many_tiles():
    position = cgp.read(board_text("lm O12 QUXZ;").replace("14E", "14Z")).value
    result = analyze(position)
    assert result.plays
    assert "QUXZ" in [phony.text for phony in result.phonies]
    assert result.challenge is None


@pytest.mark.parametrize("scores", ["209/206", "100/600"])
def test_the_value_of_a_phony_equals_the_result_of_rollouts(lexicon, scores):
    position, _hidden = endgame_position("", scores)
    last = cgp.read(board_text(LAST_PLAY)).value.last_play.play
    assert isinstance(last, Placement)
    position = replace(position, board=board_before(position.board, last))
    numbers = position.rules.distribution.machine_letters
    made = Placement(
        Coordinate(2, 3, Direction.DOWN), (*tuple(numbers[tile] for tile in "DTV"), 0, numbers["S"])
    )
    bluff = analyze(position, made).bluff
    known_position = replace(
        position,
        players=(position.players[0], Player(position.players[1].score, list_unseen_tiles(position))),
    )

    def best_result(candidates):
        results = [
            rollout(known_position, candidate, (), 100, lexicon.graph, lexicon.leaves)
            for candidate in candidates
        ]
        return max((win, points / 1000) for points, win in results)

    result_if_stands = best_result([rate(known_position, made, lexicon.leaves)])
    result_if_off = best_result([RatedPlay.of(Pass(), 0, known_position.players[0].rack, 0)])
    best_play_result = best_result(find_plays(known_position, lexicon.graph, lexicon.leaves, top=3))
    assert (bluff.if_unchallenged.win, bluff.if_unchallenged.equity) == result_if_stands
    assert (bluff.if_challenged_off.win, bluff.if_challenged_off.equity) == result_if_off
    assert (bluff.best.win, bluff.best.equity) == best_play_result
    wins = [best_play_result[0], result_if_stands[0], result_if_off[0]]
    sure, good, bad = (
        [best_play_result[1], result_if_stands[1], result_if_off[1]] if len(set(wins)) == 1 else wins
    )
    assert bluff.min_chance == (None if good <= sure else pytest.approx((sure - bad) / (good - bad)))
    assert analyze(position, bluff.best.play.play).bluff is None


def test_a_result_with_a_challenge_round_trips():
    result = analyze(cgp.read(board_text(LAST_PLAY)).value)
    codec = ANALYSIS.result_codec
    assert codec.read(codec.write(result)) == result
    assert result.challenge.best_if_off.win > result.challenge.best_if_stays.win


def test_a_challenge_that_always_pays_still_needs_some_doubt():
    result = analyze(cgp.read(board_text(LAST_PLAY)).value)
    sure_challenge = replace(result.challenge, rules=(("double", 0.0),))
    [text] = challenge_module.describe_challenge_and_bluff(
        replace(result, challenge=sure_challenge), translator("en")
    )
    assert "challenge if you are at least 1% sure" in text


def test_the_engine_is_compiled_before_the_clock_starts(monkeypatch):
    compiled = []
    monkeypatch.setattr(challenge_module, "compile_engine", lambda *parts: compiled.append(parts))
    stop_after = analysis.stop_after

    def timed(seconds):
        if seconds == challenge_module.MAX_SECONDS:
            assert compiled
        return stop_after(seconds)

    monkeypatch.setattr(analysis, "stop_after", timed)
    assert analyze(cgp.read(board_text(LAST_PLAY)).value).challenge is not None


def test_a_challenge_is_judged_even_if_the_bluff_is_not(monkeypatch):
    def stop(*_):
        raise analysis.StoppedError

    monkeypatch.setattr(challenge_module, "_judge_bluff", stop)
    assert analyze(cgp.read(board_text(LAST_PLAY)).value).challenge is not None
