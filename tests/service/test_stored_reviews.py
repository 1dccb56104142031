"""Reviews are stored without the players' names. When a review is read, its game supplies the names."""

from dataclasses import replace

import pytest

from bot.domain.chess.notations import pgn
from bot.domain.crossword.play import Exchange, Pass
from bot.engine.lexicon.lexica import DEFAULT_LEXICON, Lexica
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.review.chess.review import ChessReviewRequest, evaluations_in_comments, review_chess
from bot.features.review.chess.service import ChessReviewer
from bot.features.review.crossword.review import review_game
from bot.features.review.crossword.service import CrosswordReviewer
from bot.features.review.crossword.values import ReviewRequest
from bot.jobs.local import LocalJobQueue
from tests.review.games import Table, scowl_lexicon
from tests.review.test_crossword_review import SMALL_EFFORT


def fail_if_called(*_):
    raise AssertionError("no job may start")


@pytest.fixture
async def crossword_reviewer():
    jobs = LocalJobQueue(fail_if_called)
    yield CrosswordReviewer(jobs, jobs, AnalysisResources(jobs, Lexica(), "SCOWL80"))
    await jobs.close()


@pytest.fixture(scope="module")
def game():
    table = Table(3)
    table.play()
    table.play_phony(stands=False)
    table.play(Exchange(table.racks[table.seat][:3]))
    table.play(Pass())
    game = table.finish()
    return replace(game, rules=replace(game.rules, lexicon="CSW24"))


async def test_a_stored_review_is_complete_and_anonymous(crossword_reviewer, game):
    request = ReviewRequest(game, preferred_lexica=("SCOWL80",))
    review = replace(review_game(game, scowl_lexicon(), SMALL_EFFORT), missing_lexicon="CSW24")
    assert {type(turn.play) for turn in review.turns} >= {Exchange, Pass}
    text = crossword_reviewer.to_json(review)
    assert "Alice" not in text
    assert crossword_reviewer.from_json(text, request) == review


async def test_an_unreadable_review_is_rejected(crossword_reviewer, game):
    for text in ("", "{", "{}", '{"lexicon": 5}', "[" * 10_000):
        with pytest.raises(ValueError):  # noqa: PT011 - the message is from the library
            crossword_reviewer.from_json(text, ReviewRequest(game))


async def test_lexica_are_identified_by_content(crossword_reviewer, game, tmp_path):
    usual_key_parts = crossword_reviewer.key_parts(ReviewRequest(game))
    assert usual_key_parts == crossword_reviewer.key_parts(ReviewRequest(game, "scowl95"))
    name = DEFAULT_LEXICON
    assert usual_key_parts[0].startswith(f"{name}:")
    graph = crossword_reviewer._resources.lexica.find(name).graph_path.read_bytes()
    (tmp_path / f"{name}.kwg").write_bytes(graph + graph[-4:])
    other_resources = AnalysisResources(crossword_reviewer.jobs, Lexica(tmp_path), name)
    assert (
        CrosswordReviewer(crossword_reviewer.jobs, crossword_reviewer.jobs, other_resources).key_parts(
            ReviewRequest(game)
        )
        != usual_key_parts
    )


async def test_a_stored_chess_review_is_complete_and_anonymous():
    text = '[White "alice"]\n[Black "bob"]\n[Result "1-0"]\n\n1. e4 {[%eval 0.3]} e5 {[%eval #-3]} 1-0\n'
    chess_game = pgn.read(text).value
    jobs = LocalJobQueue(fail_if_called)
    reviewer = ChessReviewer(jobs, None)
    review = review_chess(chess_game, evaluations_in_comments(chess_game))
    stored_text = reviewer.to_json(review)
    assert "alice" not in stored_text
    assert reviewer.from_json(stored_text, ChessReviewRequest(chess_game)) == review
    await jobs.close()
