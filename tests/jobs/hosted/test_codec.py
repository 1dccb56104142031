"""Requests, progress and results as JSON: every written value is read back, and other JSON is rejected."""

import json
import math
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.chess.notations import pgn
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Exchange, Pass, Placement
from bot.domain.reading.problems import DomainError, Phrase, RuleError
from bot.engine.analysis import AnalysisError, AnalysisOptions
from bot.engine.lexicon.lexica import Lexica
from bot.engine.uci import EngineError
from bot.features.analysis.chess import CHESS_ANALYSIS
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.request import ANALYSIS, AnalysisRequest, Method
from bot.features.review.chess import service as chess_review
from bot.features.review.chess.review import ChessReviewRequest
from bot.features.review.chess.service import CHESS_REVIEW
from bot.features.review.crossword.values import PLAY_COMPARISON, REVIEW, ReviewRequest
from bot.jobs.codec import ENCODING_VERSION, MAX_LENGTH, Codec, CodecError
from bot.jobs.kinds import JobFailedError, decode_error, encode_error
from bot.jobs.queue import JobControl, StoppedError
from tests.domain.crossword.strategies import any_games, positions
from tests.positions import OPENING


@settings(max_examples=25)
@given(
    positions(),
    st.sampled_from(Method),
    st.floats(0, 300),
    st.sampled_from([None, Pass(), Exchange((1, 0), 2)]),
)
def test_a_request_round_trips(position, method, seconds, made_play):
    request = AnalysisRequest(
        position, "CSW24", ("SCOWL80",), method, AnalysisOptions(seconds=seconds), made_play, (("A", "B"),)
    )
    assert ANALYSIS.request_codec.read(ANALYSIS.request_codec.write(request)) == request


@settings(max_examples=25)
@given(any_games())
def test_a_game_round_trips(game):
    request = ReviewRequest(game, seconds=math.inf)
    assert REVIEW.request_codec.read(REVIEW.request_codec.write(request)) == request


PGN = """[Event "x"]
[Result "1-0"]

1. e4 {[%eval 0.3] [%clk 0:01:00]} e5 $1 {[%eval 0.2]} (1... c5 2. Nf3 (2. c3 d5)) 2. Qh5 {[%eval -0.4]} Nc6
{[%eval 0.1]} 3. Bc4 {[%eval 0.0]} Nf6?? {[%eval #1]} 4. Qxf7# 1-0
"""


def test_a_chess_game_round_trips():
    request = ChessReviewRequest(pgn.read(PGN).value)
    assert request.game.turns[1].variations
    assert CHESS_REVIEW.request_codec.read(CHESS_REVIEW.request_codec.write(request)) == request
    review = chess_review.review_game(None, request, JobControl())
    assert CHESS_REVIEW.result_codec.read(CHESS_REVIEW.result_codec.write(review)) == review


@pytest.mark.parametrize("method", [Method.EQUITY, Method.SIMULATION])
def test_engine_results_and_progress_round_trip(method, lexica):
    reported_progress = []
    request = AnalysisRequest(
        cgp.read(OPENING).value, "SCOWL80", method=method, options=AnalysisOptions(seconds=0.3)
    )
    result = analyze_position(request, lexica, JobControl(reported_progress.append))
    assert ANALYSIS.result_codec.read(ANALYSIS.result_codec.write(result)) == result
    for progress in reported_progress[:3]:
        assert ANALYSIS.progress_codec.read(ANALYSIS.progress_codec.write(progress)) == progress


@pytest.fixture(scope="module")
def lexica(tmp_path_factory):
    return Lexica(tmp_path_factory.mktemp("lexica"))


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Leaf:
    number: int
    size: float = 0.0
    colour: Colour | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    text: str
    leaves: tuple[Leaf, ...] = ()
    pair: tuple[int, str] = (1, "a")
    play: "Placement | Exchange | Pass | None" = None
    children: "tuple[Tree, ...]" = ()


CODEC = Codec[Tree](Tree)
WRITTEN = CODEC.write(Tree("t", (Leaf(1, math.inf, Colour.RED),), play=Pass(), children=(Tree("u"),)))


def test_a_tree_with_every_kind_of_value_round_trips():
    assert CODEC.write(CODEC.read(WRITTEN)) == WRITTEN
    assert CODEC.read(CODEC.write(Tree("\ud800\0é"))).text == "\ud800\0é"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"[{ENCODING_VERSION},", "[99,"),
        (f"[{ENCODING_VERSION},", "[true,"),
        ('"number":1', '"number":true'),
        ('"number":1', '"number":1.0'),
        ('"number":1', '"numbers":1'),
        ('"number":1', '"number":1,"more":2'),
        ('"size":"inf"', '"size":NaN'),
        ('"size":"inf"', '"size":"nan"'),
        ('"size":"inf"', '"size":1'),
        ('"red"', '"blue"'),
        ('"red"', '["red"]'),
        ('"Pass"', '"Tree"'),
        ('"Pass"', "[]"),
        ('[1,"a"]', "[1]"),
        ('"text":"t"', '"text":null'),
        ("]}]", "]}"),
        (WRITTEN, "[" * 100_000),
        (WRITTEN, " " * (MAX_LENGTH + 1)),
        (WRITTEN, '{"a": 1}'),
    ],
)
def test_malformed_data_is_refused(old, new):
    text = WRITTEN.replace(old, new, 1)
    assert text != WRITTEN
    with pytest.raises(CodecError):
        CODEC.read(text)


@given(st.data())
def test_a_text_that_is_changed_anywhere_is_read_or_refused(data):
    index = data.draw(st.integers(0, len(WRITTEN) - 1))
    character = data.draw(st.characters(codec="utf-8"))
    with suppress(CodecError):
        CODEC.read(WRITTEN[:index] + character + WRITTEN[index + 1 :])


@pytest.mark.parametrize(
    "error",
    [
        RuleError("code", "{a} and {b}", (3, 4), a=Phrase("a phrase"), b=2.5),
        AnalysisError("code", "nothing"),
        EngineError("code", "{none}", none=None),
        DomainError("code", "plain"),
    ],
)
def test_a_problem_is_sent_to_another_process_in_full(error):
    decoded = decode_error(encode_error(error))
    assert (type(decoded), vars(decoded), str(decoded)) == (type(error), vars(error), str(error))
    assert [*map(type, vars(decoded)["values"].values())] == [*map(type, error.values.values())]


def test_other_errors_are_sent_without_a_message():
    assert isinstance(decode_error(encode_error(StoppedError())), StoppedError)
    written = encode_error(ZeroDivisionError("secret"))
    assert "secret" not in written
    assert isinstance(decode_error(written), JobFailedError)
    assert isinstance(decode_error("[nonsense"), JobFailedError)
    changed = json.loads(encode_error(RuleError("code", "{a}", a=1)))
    changed[0] = "SystemExit"
    assert isinstance(decode_error(json.dumps(changed)), JobFailedError)


@pytest.mark.parametrize(
    "kind", [ANALYSIS, CHESS_ANALYSIS, CHESS_REVIEW, REVIEW, PLAY_COMPARISON], ids=lambda kind: kind.name
)
def test_the_codec_supports_every_type_in_a_job(kind):
    for codec in (kind.request_codec, kind.progress_codec, kind.result_codec):
        assert codec._converter  # raises a TypeError if a type is not supported
