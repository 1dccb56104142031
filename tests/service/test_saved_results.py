"""Saved results are complete and anonymous, and the key of a result contains everything on which the result depends."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, cast

import pytest

from bot.domain.crossword.notations import cgp
from bot.engine.analysis import AnalysisOptions
from bot.engine.lexicon.lexica import Lexica
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.request import AnalysisRequest, AnalysisResources, Method
from bot.features.analysis.fairness import Fairness
from bot.features.analysis.service import AnalysisService
from bot.features.showing.document_service import DocumentService
from bot.jobs.queue import JobControl
from tests.positions import MAVEN, OPENING

from .memory_store import MemoryStore

LEXICA = Lexica()


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def analyses(store):
    with ThreadPoolExecutor(1) as executor:
        documents = DocumentService(executor, cast("Any", store))
        yield AnalysisService(
            documents,
            AnalysisResources(cast("Any", None), LEXICA, "SCOWL80"),
            Fairness(documents),
        )


def request(text=OPENING, method=Method.SIMULATION):
    seconds = 20.0 if method is Method.SIMULATION else 0.3
    position = cgp.read(text).value
    named_players = tuple(replace(player, name="alice") for player in position.players)
    options = AnalysisOptions(plays=3, seconds=seconds, iterations=4)
    return AnalysisRequest(replace(position, players=named_players), "", ("SCOWL80",), method, options)


def result_of(request):
    return analyze_position(request, LEXICA, JobControl())


@pytest.mark.parametrize(
    ("text", "method"), [(OPENING, Method.SIMULATION), (MAVEN.split(" lex")[0], Method.SOLUTION)]
)
async def test_a_saved_result_is_complete_and_anonymous(analyses, store, text, method):
    original_request = request(text, method)
    result = result_of(original_request)
    await analyses.save_result("digest", result)
    [content] = store.reviews.values()
    assert "alice" not in content
    saved_result = await analyses.load_result("digest", original_request.with_seconds(0.0))
    assert saved_result == result
    assert saved_result.is_settled == result.is_settled


async def test_a_saved_result_is_found_only_for_an_equivalent_request(analyses, store):
    original_request = request()
    await analyses.save_result("digest", result_of(original_request))

    async def find(digest="digest", **changes):
        return await analyses.load_result(digest, replace(original_request, **changes))

    assert await find() is not None
    assert await find(preferred_lexica=("CROSSWD", "SCOWL80")) is None
    assert await find(lexicon="SCOWL80", preferred_lexica=()) is not None, (
        "the same lexicon, chosen in another way, found no result"
    )
    assert await find("another") is None
    assert await find(options=replace(original_request.options, plies=4)) is None
    assert await find(options=replace(original_request.options, infer=True)) is None
    assert await find(options=replace(original_request.options, seconds=1.0)) is not None
    leading_players = tuple(
        replace(player, score=player.score + 9) for player in original_request.position.players[:1]
    )
    assert (
        await find(
            position=replace(
                original_request.position, players=leading_players + original_request.position.players[1:]
            )
        )
        is None
    )
    for text in ("", "[]", "[1, {}]", "[" * 5000):
        store.reviews = dict.fromkeys(store.reviews, text)
        assert await find() is None, "an unreadable result was returned"
