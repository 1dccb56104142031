"""Reviews of chess games: lichess's definitions, evaluations in the text, and evaluations by an engine."""

import json
from dataclasses import replace

import pytest
from chess.engine import Cp

from bot.chat.card import Moment
from bot.cli.review import chess_review_json
from bot.domain.chess.notations import pgn
from bot.engine.uci import ChessAnalysis, EngineError, EngineLine, find_engine
from bot.features.review.chess.cards import ChessCards
from bot.features.review.chess.review import (
    ChessReviewRequest,
    Evaluation,
    Judgement,
    capped_centipawns,
    evaluations_in_comments,
    game_accuracy,
    has_evaluations,
    judge,
    phase_of,
    read_evaluation,
    review_chess,
    win_percent,
)
from bot.features.review.chess.service import review_game
from bot.features.review.commands import review_controls
from bot.features.review.values import ChessPhase, ReviewError, ReviewQuery
from bot.features.showing.findings import FoundDocument
from bot.jobs.queue import JobControl

STOCKFISH = find_engine("stockfish")
needs_stockfish = pytest.mark.skipif(
    STOCKFISH is None, reason="the Debian package stockfish is not installed"
)
TAGS = '[White "alice"]\n[Black "bob"]\n[Result "{}"]\n\n'
SCHOLARS_MATE = TAGS.format("1-0") + "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"
SCHOLARS_MATE_WITH_EVALUATIONS = TAGS.format("1-0") + (
    "1. e4 {[%eval 0.25] [%clk 0:05:00]} e5 {[%eval 0.3] [%clk 0:05:00]} "
    "2. Bc4 {[%eval 0.0] [%clk 0:04:50]} Nc6 {[%eval 0.1] [%clk 0:04:59]} "
    "3. Qh5 {[%eval -0.9] [%clk 0:04:45]} Nf6 {[%eval #1] [%clk 0:04:20]} 4. Qxf7# {[%clk 0:04:44]} 1-0\n"
)


def read(text):
    return pgn.read(text).value


def review_without_engine(game):
    return review_game(None, ChessReviewRequest(game), JobControl())


@pytest.mark.parametrize(
    ("centipawns", "expected"),
    [(0, 50), (50, 54.6), (100, 59.1), (200, 67.6), (300, 75.1), (500, 86.3), (1000, 97.5), (3000, 97.5)],
)
def test_the_win_chance_follows_the_lichess_curve(centipawns, expected):
    evaluation = Evaluation(centipawns)
    assert win_percent(evaluation) == pytest.approx(expected, abs=0.06)
    assert win_percent(evaluation, white=False) == pytest.approx(100 - win_percent(evaluation))
    model = Cp(centipawns).wdl(model="lichess")
    assert win_percent(evaluation) / 100 == pytest.approx(model.expectation(), abs=0.001)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (Evaluation(0), Evaluation(-54), None),
        (Evaluation(0), Evaluation(-55), Judgement.INACCURACY),
        (Evaluation(0), Evaluation(-110), Judgement.INACCURACY),
        (Evaluation(0), Evaluation(-111), Judgement.MISTAKE),
        (Evaluation(0), Evaluation(-168), Judgement.MISTAKE),
        (Evaluation(0), Evaluation(-169), Judgement.BLUNDER),
        (Evaluation(0), Evaluation(500), None),
        (Evaluation(0), Evaluation(mate=-3), Judgement.BLUNDER),
        (Evaluation(-700), Evaluation(mate=-3), Judgement.BLUNDER),
        (Evaluation(-701), Evaluation(mate=-3), Judgement.MISTAKE),
        (Evaluation(-1000), Evaluation(mate=-3), Judgement.INACCURACY),
        (Evaluation(mate=3), Evaluation(700), Judgement.BLUNDER),
        (Evaluation(mate=3), Evaluation(701), Judgement.MISTAKE),
        (Evaluation(mate=3), Evaluation(1000), Judgement.INACCURACY),
        (Evaluation(mate=3), Evaluation(mate=-2), Judgement.BLUNDER),
        (Evaluation(mate=3), Evaluation(mate=7), None),
        (Evaluation(mate=1), Evaluation(1000, mate=0), None),
        (Evaluation(mate=1), Evaluation(0), Judgement.BLUNDER),  # stalemate
        (Evaluation(mate=-3), Evaluation(mate=-1), None),
    ],
)
def test_judgements_match_lichess_for_both_players(before, after, expected):
    assert judge(before, after, white=True) is expected
    swapped_sides = [
        Evaluation(
            None if evaluation.centipawns is None else -evaluation.centipawns,
            None if evaluation.mate is None else -evaluation.mate,
        )
        for evaluation in (before, after)
    ]
    assert judge(*swapped_sides, white=False) is expected


def test_mates_count_as_ten_pawns():
    assert [capped_centipawns(item) for item in (Evaluation(mate=9), Evaluation(mate=-1), Evaluation(-2500))] == [
        1000, -1000, -1000,
    ]  # fmt: skip
    assert capped_centipawns(Evaluation(-1000, mate=0)) == -1000
    assert [str(read_evaluation(text)) for text in ("0.35", "#-3", "-12")] == ["+0.35", "#-3", "-12.00"]


def test_the_accuracy_of_a_game_is_between_its_best_and_worst_moves():
    assert game_accuracy([50.0] * 21) == (100, 100)
    # White's only mistake gets a larger weight than in a plain mean.
    white, black = game_accuracy([50.0] * 11 + [20.0] * 10)
    assert black == 100
    assert 60 < white < 90
    black_first = game_accuracy([50.0] * 11 + [20.0] * 10, white_first=False)
    assert black_first[1] == 100  # Black's move lowers White's win chance
    assert game_accuracy([50.0, 0.0])[0] == pytest.approx(9.5, abs=0.5)
    # Computed by hand from White's accuracies, 100 and 41.0, with weights of 0 (which counts as 0.5) and 10.
    assert game_accuracy([50.0, 50.0, 50.0, 30.0])[0] == pytest.approx(
        ((100 * 0.5 + 41.0 * 10) / 10.5 + 2 / (1 / 100 + 1 / 41.0)) / 2, abs=0.1
    )


def test_a_game_with_evaluations_is_reviewed_without_an_engine():
    game = read(SCHOLARS_MATE_WITH_EVALUATIONS)
    assert has_evaluations(game)
    review = review_without_engine(game)
    assert [move.judgement for move in review.moves] == [
        None, None, None, None, Judgement.INACCURACY, Judgement.BLUNDER, None,
    ]  # fmt: skip
    white, black = review.players
    assert (white.name, black.name, white.judged_turn_count, black.judged_turn_count) == (
        "alice",
        "bob",
        4,
        3,
    )
    assert (white.mistakes[0], black.mistakes[2]) == (1, 1)
    assert white.centipawns_lost == pytest.approx((0 + 30 + 100 + 0) / 4)
    assert black.centipawns_lost == pytest.approx((5 + 10 + 1090 - 0) / 3, abs=1)
    assert review.key_turns == (6, 5)
    assert [move.time_spent for move in review.moves] == [None, None, 10_000, 1000, 5000, 39_000, 1000]
    assert review.curve[0] == pytest.approx(win_percent(Evaluation(15)))
    assert review.curve[-1] == pytest.approx(97.5, abs=0.1)
    document = json.loads(json.dumps(chess_review_json(review, "x.pgn")))
    assert (document["source"], len(document["turns"])) == ("pgn", 7)


def test_a_game_without_evaluations_needs_an_engine():
    with pytest.raises(EngineError, match="too few moves have evaluations"):
        review_without_engine(read(SCHOLARS_MATE))


def test_games_that_may_be_in_progress_or_have_no_turns_are_refused():
    with pytest.raises(ReviewError, match="isn't over"):
        review_without_engine(
            read(SCHOLARS_MATE_WITH_EVALUATIONS.replace("1-0", "*").replace(" 4. Qxf7# {[%clk 0:04:44]}", ""))
        )
    with pytest.raises(ReviewError, match="no turn"):
        review_without_engine(read(TAGS.format("1-0") + "1-0\n"))


def test_only_a_finished_game_has_a_review_button():
    game = FoundDocument("pgn", SCHOLARS_MATE_WITH_EVALUATIONS, read(SCHOLARS_MATE_WITH_EVALUATIONS))

    def controls(found):
        return review_controls(found, Moment(found.digest, 0), has_lexica=False, has_chess_engine=True)

    assert len(controls(game)) == 1
    assert controls(replace(game, is_in_progress=True)) == ()


def test_moves_without_an_evaluation_are_not_judged():
    game = read(SCHOLARS_MATE_WITH_EVALUATIONS.replace("[%eval 0.0]", ""))
    review = review_chess(game, evaluations_in_comments(game))
    assert [move.is_judged for move in review.moves] == [True, True, False, False, True, True, True]
    assert review.players[1].accuracy is None
    assert review.curve[3] is None


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (SCHOLARS_MATE.replace("1-0", "*"), [1.0, 0.0]),
        ('[Variant "King of the Hill"]\n\n1. e4 a6 2. Ke2 a5 3. Ke3 a4 4. Kd4 *\n', [1.0, 0.0]),
        ('[FEN "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"]\n\n1. Qg6 *\n', [0.5, 0.5]),  # stalemate
    ],
)
def test_without_a_result_the_final_position_decides_who_won(text, points):
    game = read(text)
    assert [player.wins for player in review_chess(game, evaluations_in_comments(game)).players] == points


def test_phases_depend_on_the_pieces():
    def phase(fen_placement):
        game = read(f'[FEN "{fen_placement} w - - 0 30"]\n[SetUp "1"]\n\n*\n')
        return phase_of(game.start)

    assert phase("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR") is ChessPhase.OPENING
    assert phase("r3k2r/pppqnppp/2nb4/8/8/2NB4/PPPQNPPP/R3K2R") is ChessPhase.MIDDLEGAME
    assert phase("4k2r/ppp2ppp/2n5/8/8/2N5/PPP2PPP/4K2R") is ChessPhase.ENDGAME


def test_only_the_best_move_is_called_the_only_good_move():
    request = ChessReviewRequest(read(SCHOLARS_MATE_WITH_EVALUATIONS))
    review = review_without_engine(request.game)
    cards = ChessCards(request, review, ReviewQuery(Moment("A" * 22, 0)))
    first = review.moves[0]
    assert cards.describe_turn(replace(first, has_one_good_move=True, best_san=first.san)).endswith(
        "the only good move."
    )
    assert cards.describe_turn(replace(first, has_one_good_move=True, best_san="d4")).endswith(
        "which loses almost nothing."
    )


def judge_answer(best, answer):
    """Return the verdict on an answer, when White missed a mate and lost one percentage point of win chance."""
    game = read(
        SCHOLARS_MATE_WITH_EVALUATIONS.replace(
            "4. Qxf7# {[%clk 0:04:44]}", "4. d3 {[%eval 9] Mistake. Qxf7# was best.} (4. Qxf7#)"
        )
    )
    cards = ChessCards(
        ChessReviewRequest(game),
        review_without_engine(game),
        ReviewQuery(Moment("d", 7)),
        lesson_jobs=object(),  # type: ignore[arg-type]
    )
    attempt = cards.judge_answer(cards.turn(7), "d4")
    lines = EngineLine(("Qxf7#",), ("h5f7",), *best), EngineLine(("d4",), ("d2d4",), *answer)
    return attempt.judge(ChessAnalysis(attempt.request.position, "", 0.0, lines))


@pytest.mark.parametrize(("centipawns", "symbol"), [(950, "🟡"), (700, "❌")])
def test_an_answer_is_better_only_if_it_loses_less_than_the_move_played(centipawns, symbol):
    text, is_right = judge_answer((None, 1), (centipawns,))
    assert text.startswith(f"{symbol} d4: ")
    assert not is_right


@pytest.mark.parametrize(
    ("centipawns", "text"),
    [
        (900, "✅ d4: as good as the best."),
        (880, "✅ d4: practically as good as the best (win chance 0.3% lower)."),
    ],
)
def test_an_answer_that_loses_almost_nothing_is_right(centipawns, text):
    assert judge_answer((900,), (centipawns,)) == (text, True)


@needs_stockfish
def test_an_engine_judges_moves_without_annotations():
    reports = []
    game = read(SCHOLARS_MATE)
    review = review_game(
        STOCKFISH, ChessReviewRequest(game, requested_nodes=20_000), JobControl(reports.append)
    )
    assert review.source.startswith("Stockfish")
    assert review.moves[5].judgement is Judgement.BLUNDER
    assert review.moves[5].best_san in {"g6", "Qe7", "Qf6"}
    assert (review.moves[6].has_one_good_move, review.moves[6].best_san) == (True, "Qxf7#")
    assert review.players[0].found_only_move_count == 1
    assert len(reports) == 8
    second_review = review_game(STOCKFISH, ChessReviewRequest(game, requested_nodes=20_000), JobControl())
    assert second_review == review


@needs_stockfish
def test_a_stopped_review_keeps_the_partial_result():
    control = JobControl(lambda report: control.stop() if len(reports) == 2 else reports.append(report))
    reports = []
    review = review_game(STOCKFISH, ChessReviewRequest(read(SCHOLARS_MATE), requested_nodes=1000), control)
    assert 0 < sum(move.is_judged for move in review.moves) < 5
