"""The progress reports of a running analysis."""

import asyncio
import re

import pytest

from bot.chat.card import Moment
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import Pass
from bot.engine.plays.values import RatedPlay
from bot.engine.simulation.result import SimulatedPlay, SimulationResult
from bot.features.analysis.controls import AnalysisQuery
from bot.features.analysis.crossword.request import ANALYSIS, Compiling
from bot.features.analysis.service import progress_card
from bot.features.analysis.work import RunningWork
from bot.jobs.queue import ClosedError, DetachedError, Running, StoppedError, Ticket, Waiting

POSITION = cgp.read(f"{'/'.join(['15'] * 15)} AEINRST/ 0/0 0").value
PARTIAL_RESULT = SimulationResult(
    (SimulatedPlay(RatedPlay.of(Pass(), 0, (), 0), 9, 0.5, 0.1, 0.0, 1.0, (), dropped=False),), 2, 9, None
)


def running_work(ticket, *, spoiler=False):
    query = AnalysisQuery(Moment("d" * 12, 0, spoiler=spoiler), seconds=10.0)

    async def report(progress, elapsed):
        return progress_card(progress, elapsed, query, POSITION)

    return RunningWork(ticket, query.context.translate, report=report, finish=None, refuse=None)


@pytest.mark.parametrize("spoiler", [False, True])
async def test_the_leading_play_is_hidden_in_a_hidden_reply(spoiler):
    ticket = Ticket()
    ticket.set_state(Running(PARTIAL_RESULT))
    bar, best = (await anext(running_work(ticket, spoiler=spoiler).progress(0))).text.split(" · ")
    assert re.fullmatch("⏳ [▰▱]{10} 10 s left", bar)
    assert "best so far: pass, wins 50.0 ± 10.0%" in best
    assert (best.startswith("||"), best.endswith("||")) == (spoiler, spoiler)


async def test_the_bar_shows_the_progress_of_compilation():
    ticket = Ticket()
    ticket.set_state(Running(ANALYSIS.progress_codec.read(ANALYSIS.progress_codec.write(Compiling(0.4)))))
    assert (
        await anext(running_work(ticket).progress(0))
    ).text == "⏳ ▰▰▰▰▱▱▱▱▱▱ Compiling the engine (only once): 40%"


async def test_a_waiting_analysis_shows_its_queue_position():
    ticket = Ticket()
    ticket.set_state(Waiting(3))
    cards = running_work(ticket).progress(3600)
    assert (await anext(cards)).text == "⏳ 3 analyses are ahead of yours"
    asyncio.get_running_loop().call_later(0.01, ticket.finish, None)
    async with asyncio.timeout(5):
        assert [card async for card in cards] == []


async def test_progress_is_reported_no_more_often_than_requested():
    ticket = Ticket()
    ticket.set_state(Waiting(3))
    cards = running_work(ticket).progress(0.05)
    assert (await anext(cards)).text == "⏳ 3 analyses are ahead of yours"
    for ahead in (2, 1):
        asyncio.get_running_loop().call_later(0.01, ticket.set_state, Waiting(ahead))
        await asyncio.sleep(0.015)
    assert (await anext(cards)).text == "⏳ 1 analysis is ahead of yours"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (StoppedError, "Stopped before it began."),
        (DetachedError, "You left this analysis. It continues for someone else who requested it."),
        (ClosedError, "Kibitz was restarted before this was finished. Ask again to start it over."),
    ],
)
async def test_the_reply_says_why_the_analysis_stopped(error, text):
    ticket = Ticket()
    ticket.fail(error())
    reply = await running_work(ticket).reply()
    assert reply.text == text
    assert not reply.has_result
