"""Analyses that simulate or solve positions."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from bot.chat.card import Card, RefusalError
from bot.chat.layout import lay_out
from bot.chat.press import Press, StopWork
from bot.features.analysis.controls import ANALYSES
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.request import Method
from bot.features.showing.crossword.board_scene import proposal_scene
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.text import translator
from tests.positions import FOUR_IN_BAG, MAVEN, ONE_IN_BAG, OPENING

from .actions import (
    choose,
    click,
    id_of,
    kinds_of,
    labels_of,
    last_reply,
    post_and_get_reply,
    press_analyze,
    reply_of,
    text_of,
)
from .conftest import ANALYSIS_SECONDS
from .test_analysis_story import rollout_count

ENDGAME = MAVEN.removesuffix(" lex OSPD1;")


async def analyze(person, world, text, label):
    """Post a position, press *Analyze*, and then press the button with this label."""
    result = await press_analyze(person, await post_and_get_reply(world, text))
    await click(person, reply_of(result), label=label)
    return result


async def test_a_simulation_replaces_the_ranking_in_the_message(world, short_analyses):
    result = await press_analyze(world.bob, await post_and_get_reply(world, OPENING))
    await click(world.bob, reply_of(result), label="Simulate")
    assert "\nsimulation: wins " in text_of(reply_of(result))
    await choose(world.bob, reply_of(result), "ranked", "2")
    assert " · no. 3 of " in text_of(reply_of(result))
    assert "\nsimulation: wins " in text_of(reply_of(result))


async def test_a_three_player_game_is_simulated(world, short_analyses):
    three_players = OPENING.replace("AEINRST/ 0/0", "AEINRST// 0/0/0")
    reply = reply_of(await analyze(world.alice, world, three_players, "Simulate"))
    assert "3 turns ahead" in text_of(reply)
    assert "After the best play, the next player scores " in text_of(reply)
    assert "Win chances with 3 players are estimated" in text_of(reply)
    earlier_rollout_count = rollout_count(reply)
    result = await click(world.alice, reply, custom_id=id_of(reply, "longer:"))
    assert rollout_count(reply_of(result)) > earlier_rollout_count


async def test_a_three_player_endgame_offers_no_solution(world):
    three_players = ENDGAME.replace("/AEINRU? 0/0", "/AEINR/U? 0/0/0")
    reply = reply_of(await press_analyze(world.alice, await post_and_get_reply(world, three_players)))
    assert "Simulate" in labels_of(reply)
    assert "Solve" not in labels_of(reply)


async def test_an_endgame_is_solved(world, short_analyses):
    result = await analyze(world.alice, world, ENDGAME, "Solve")
    reply = reply_of(result)
    assert re.match(
        r"\*\*.+\*\* .+ · best of .+\nendgame: (gains \+|loses )\d+ by the end · SCOWL95", text_of(reply)
    )
    assert re.search(r"Best line: \w+", text_of(reply))
    assert "roved" in text_of(reply)
    assert id_of(reply, "ranked:").startswith("kibitz:ranked:solution:")
    await choose(world.alice, reply, "ranked", "0")
    assert " by the end" in text_of(reply_of(result))


async def solve_pre_endgame(world, position, monkeypatch):
    """Solve a pre-endgame with increasing time limits until the search finds a solution."""
    for seconds in (1.0, 4.0, 16.0, 64.0):  # one second is enough on an idle machine
        monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", seconds)
        reply = reply_of(await analyze(world.alice, world, position, "Solve"))
        if "The search stopped before it found a solution" not in text_of(reply):
            break
    return text_of(reply)


async def test_a_pre_endgame_counts_the_tiles_with_which_a_play_wins(world, short_analyses, monkeypatch):
    text = await solve_pre_endgame(world, ONE_IN_BAG, monkeypatch)
    assert re.match(r"\*\*.+\*\* .+\npre-endgame: wins \d+\.\d(–\d+\.\d)?% · SCOWL95", text)
    assert "it can be any of 8 tiles" in text
    assert re.search(r"\d+-\d+-\d+|\d+–\d+", text.split("```")[1])


async def test_an_unproved_pre_endgame_shows_an_estimate(world, short_analyses, monkeypatch):
    text = await solve_pre_endgame(world, FOUR_IN_BAG, monkeypatch)
    assert re.match(
        r"\*\*.+\*\* .+\npre-endgame: wins about \d+%( \((proven|sampled) range \d+–\d+%\))? · SCOWL95", text
    )
    assert "4 tiles are in the bag." in text
    assert re.search(r" \d+†? +\d+–\d+$", text.split("```")[1], re.MULTILINE)


async def test_an_unproved_solution_offers_more_time(world, short_analyses, monkeypatch):
    result = await analyze(world.alice, world, FOUR_IN_BAG, "Solve")
    reply = reply_of(result)
    assert "```" in text_of(reply)
    assert text_of(reply).lower().count("not proved") + text_of(reply).count("The search stopped before") == 1
    time_limits = []

    def analyze_briefly(request, lexica, control, engine):
        time_limits.append(request.options.seconds)
        return analyze_position(
            replace(request, options=replace(request.options, seconds=0.5)), lexica, control, engine
        )

    monkeypatch.setattr("bot.app.queues.analyze_position", analyze_briefly)
    await click(world.alice, reply, label="15 s more")
    assert time_limits == [ANALYSIS_SECONDS + 15.0]
    assert "SCOWL95" in text_of(reply_of(result))


async def test_a_stopped_analysis_shows_the_partial_result(world, monkeypatch):
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.02)
    analyses = world.bot.services[ANALYSES]
    progress_cards, queries = [], []
    await_long_task, start = Press.await_long_task, analyses.start

    async def start_and_record(query, *arguments, **options):
        queries.append(query)
        return await start(query, *arguments, **options)

    async def stop_and_await(press, work, translate):
        """During the analysis, request another analysis, which is refused. Then stop the first."""
        with pytest.raises(RefusalError, match="One analysis at a time"):
            await start(queries[0], Method.SOLUTION, press.requester)
        progress_cards.append(await anext(work.progress(0.02)))
        long_task = asyncio.create_task(await_long_task(press, work, translate))
        await asyncio.sleep(0)
        stop_press: Any = SimpleNamespace(
            user_id=press.user_id, translator=press.translator, defer=AsyncMock()
        )
        await StopWork(press.user_id).act(stop_press)
        stop_press.defer.assert_awaited_once()
        return await long_task

    monkeypatch.setattr(analyses, "start", start_and_record)
    monkeypatch.setattr(Press, "await_long_task", stop_and_await)
    result = await analyze(world.alice, world, ENDGAME, "Simulate")
    assert progress_cards[0].text.startswith("⏳ ▱")
    assert " · best of " in text_of(reply_of(result))
    late_press: Any = SimpleNamespace(
        user_id=world.alice.id, translator=AsyncMock(return_value=translator("en")), send_text=AsyncMock()
    )
    await StopWork(world.alice.id).act(late_press)
    late_press.send_text.assert_awaited_once()


async def test_only_the_requester_and_moderators_stop_an_analysis(world):
    stop = StopWork(world.alice.id)
    view, _ = lay_out(Card("⏳", controls=(stop,)), translator("en"), None)
    await world.bot.get_channel(world.channel.id).send(view=view)
    progress_message = last_reply(world)
    refusal = await click(world.bob, progress_message, custom_id=stop.to_id())
    assert "Only moderators and the person Kibitz is replying to" in text_of(reply_of(refusal))
    moderator = world.add_member("mandy", manage_messages=True)
    for person in (world.alice, moderator):
        late_press = await click(person, progress_message, custom_id=stop.to_id())
        assert "has already finished" in text_of(reply_of(late_press))


async def test_a_finished_result_is_reused_but_a_stopped_one_is_not(world, computed_simulations, monkeypatch):
    async def stop_at_once(press, work, translate):
        del press, translate
        work.stop()
        return await work.reply()

    with monkeypatch.context() as context:
        context.setattr(Press, "await_long_task", stop_at_once)
        await analyze(world.alice, world, OPENING, "Simulate")
    first = text_of(reply_of(await analyze(world.alice, world, OPENING, "Simulate")))
    assert computed_simulations == [(ANALYSIS_SECONDS, 0)] * 2, (
        "the result of a stopped simulation was shown for the next request"
    )
    assert text_of(reply_of(await analyze(world.bob, world, OPENING, "Simulate"))) == first
    assert len(computed_simulations) == 2


async def test_a_failed_analysis_restores_the_ranking(world, short_analyses, monkeypatch):
    async def reply_with_problem(self):
        del self
        return Card("Stopped before it began.", has_result=False)

    reply = reply_of(await press_analyze(world.bob, await post_and_get_reply(world, OPENING)))
    ranking = text_of(reply)
    monkeypatch.setattr("bot.features.analysis.work.RunningWork.reply", reply_with_problem)
    result = await click(world.bob, reply, label="Simulate")
    assert [text_of(followup) for followup in result.followups] == ["Stopped before it began."]
    assert text_of(reply) == ranking
    assert "deepen" in kinds_of(reply)


@pytest.mark.parametrize(
    ("error", "phrase"),
    [(LimitError("time"), "Kibitz stopped this"), (OverBudgetError(), "asked for a lot in a short time")],
    ids=["limit", "budget"],
)
async def test_an_analysis_that_exceeds_a_limit_gets_a_notice_and_logs_no_fault(
    world, short_analyses, monkeypatch, caplog, error, phrase
):
    monkeypatch.setattr(world.bot.services[ANALYSES], "_cache_and_save", AsyncMock(side_effect=error))
    reply = reply_of(await press_analyze(world.alice, await post_and_get_reply(world, OPENING)))
    result = await click(world.alice, reply, label="Simulate")
    assert [phrase in text_of(followup) for followup in result.followups] == [True]
    assert " · best of " in text_of(reply)
    assert "fault " not in caplog.text


async def test_text_and_alt_text_mention_the_method_and_the_lexicon_used(world, short_analyses, monkeypatch):
    position = f"{ENDGAME} lex OSPD1;"
    result = await press_analyze(world.alice, await post_and_get_reply(world, position))
    scenes = []

    def create_and_record_scene(*arguments, **options):
        scenes.append(proposal_scene(*arguments, **options))
        return scenes[-1]

    monkeypatch.setattr("bot.features.analysis.crossword.card.proposal_scene", create_and_record_scene)
    for label, name in (("Simulate", "simulation: wins "), ("Solve", "endgame: ")):
        await click(world.alice, reply_of(result), label=label)
        reply = reply_of(result)
        [value_line] = [line for line in text_of(reply).split("\n") if line.startswith(name)]
        assert value_line.endswith(" · SCOWL95")
        assert not scenes[-1].sections, "the picture repeats the text of its card"
        assert name.capitalize() in reply.attachments[0].description
        assert "Lexicon SCOWL95." in reply.attachments[0].description
        assert "OSPD1" not in reply.attachments[0].description
