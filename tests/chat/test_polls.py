"""Polls: answers are secret until the reveal, which marks voters who have seen an analysis."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.features.polls.commands import CHECK_SECONDS, QUERY_SECONDS
from bot.features.polls.controls import POLLS
from bot.jobs.local import JobLimits, LocalJobQueue
from bot.storage.polls import Poll
from tests.positions import MAVEN, transposed

from .actions import click, controls_of, id_of, post_and_get_reply, replies, reply_of, text_of
from .conftest import WithStockfish

BOARD = "15/15/15/15/15/15/15/6THE6/15/15/15/15/15/15/15 QUIZAB?/ 20/12 0 lex SCOWL80;"
FEN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


@pytest.fixture(autouse=True)
def skip_waiting(world, request):
    """Update polls immediately. Except in long tests, compare answers without a job."""
    world.bot.edit_limiter.seconds = 0.0
    if request.node.get_closest_marker("long") is None:
        kind = world.bot.services[POLLS]._kinds["crossword"]
        # With a full queue, plays are compared by equity, so the simulation need not be compiled.
        kind._resources = replace(
            kind._resources, jobs=LocalJobQueue(lambda *_: None, JobLimits(max_waiting=0))
        )


async def open_poll(world, person, text, when="0"):
    """Post a position and start a poll about it.

    ``when`` is the number of minutes until the reveal. With "0", a press reveals the answers.
    """
    board = await post_and_get_reply(world, text)
    form = await click(person, board, custom_id=id_of(board, "ask:"))
    result = await person.submit_modal(form, {"when": when})
    assert not result.ephemeral
    return replies(world.channel)[-1]


async def enter_play(person, card, text):
    form = await click(person, card, custom_id=id_of(card, "poll:p"))
    result = await person.submit_modal(form, {"play": text})
    assert result.ephemeral
    return reply_of(result)


async def test_poll_plays_are_hidden_until_the_reveal(world):
    card = await open_poll(world, world.alice, BOARD)
    assert f"<@{world.alice.id}> asks: **what would you play?**" in text_of(card)
    assert "0 answers so far" in text_of(card)
    assert card.attachments[0].description.startswith("What would you play?")
    phony = await enter_play(world.bob, card, "9F QUIZ")
    assert "TU is not in SCOWL80" in text_of(phony)
    impossible = await enter_play(world.bob, card, "9F XENON")
    assert "not on the rack" in text_of(impossible)
    first_answer = await enter_play(world.bob, card, "pass")
    assert "✅ Your answer: **pass**." in text_of(first_answer)
    second_answer = await enter_play(world.bob, card, "I5 BIZE")
    assert "✅ Your new answer: **I5 BIZ" in text_of(second_answer)
    await enter_play(world.alice, card, "-QU")
    card = replies(world.channel)[-1]
    assert "2 answers so far" in text_of(card)
    assert "BIZ" not in text_of(card)
    refusal = await click(world.bob, card, custom_id=id_of(card, "poll:r"))
    assert "Only moderators and the person who started this poll" in text_of(reply_of(refusal))
    form = await click(world.bob, card, custom_id=id_of(card, "poll:p"))
    await click(world.alice, card, custom_id=id_of(card, "poll:r"))
    late_answer = await world.bob.submit_modal(form, {"play": "pass"})
    assert "This poll is over." in text_of(reply_of(late_answer))
    reply = replies(world.channel)[-1]
    assert reply.id == card.id
    assert f"<@{world.bob.id}> 🏆" in text_of(reply)
    assert "BIZ" in text_of(reply)
    assert "★ marks the engine's choice." in text_of(reply)
    assert "Proposed: " in reply.attachments[0].description
    assert max(len(line) for line in text_of(reply).split("```")[1].splitlines()) <= 30
    assert len(reply.attachments) == 1
    assert (await world.bot.store.count_user_data(world.bob.id))["polls"] == 0


async def test_looking_at_an_analysis_is_disclosed_in_the_poll(world):
    board = await post_and_get_reply(world, BOARD)
    card = await open_poll(world, world.alice, BOARD)
    result = await click(world.bob, board, custom_id=id_of(board, "analyze:"))
    warning = reply_of(result)
    assert "marks you with 👀" in text_of(warning)
    public_result = await world.bob.slash(world.channel, "analyze", position=transposed(BOARD))
    assert public_result.ephemeral
    assert "There is no public analysis" in text_of(reply_of(public_result))
    trial = await world.bob.slash(world.channel, "try", move="I5 BIZE", position=BOARD, private=True)
    assert "marks you with 👀" in text_of(reply_of(trial))
    look = await click(world.bob, warning, custom_id=id_of(warning, "look:"))
    assert "👀 The reveal will show that you looked" in text_of(reply_of(look))
    result = await click(world.bob, board, custom_id=id_of(board, "analyze:"))
    assert "SCOWL80" in text_of(reply_of(result))
    assert "1 person has seen the analysis" in text_of(replies(world.channel)[-1])
    confirmation = await enter_play(world.bob, card, "I5 BIZE")
    assert "the reveal will show this" in text_of(confirmation).lower()
    # An answer is final after its author has seen an analysis.
    await enter_play(world.alice, card, "pass")
    warning = reply_of(await world.alice.slash(world.channel, "analyze", position=BOARD, private=True))
    await click(world.alice, warning, custom_id=id_of(warning, "look:"))
    refusal = await enter_play(world.alice, card, "-QU")
    assert "so your answer is final" in text_of(refusal)
    await click(world.alice, card, custom_id=id_of(card, "poll:r"))
    reply = replies(world.channel)[-1]
    assert f"<@{world.bob.id}>👀" in text_of(reply)
    assert f"<@{world.alice.id}> 🏆" in text_of(reply)
    result_after_reveal = await world.bob.slash(world.channel, "analyze", position=BOARD)
    assert not result_after_reveal.ephemeral


async def test_a_poll_is_revealed_on_time_after_a_restart(world):
    card = await open_poll(world, world.alice, FEN, when="10")
    refusal = await enter_play(world.bob, card, "Qxh8")
    assert "wasn't saved" in text_of(refusal)
    await enter_play(world.bob, card, "Qxf7#")
    await enter_play(world.alice, card, "h5f7")
    second_board = await post_and_get_reply(world, FEN)
    form = await click(world.alice, second_board, custom_id=id_of(second_board, "ask:"))
    result = await world.alice.submit_modal(form, {"when": "0"})
    assert "is still open in this channel" in text_of(reply_of(result))
    await world.restart()
    world.clock.ahead += timedelta(minutes=11)
    keeper = world.bot.get_cog("PollKeeper")
    await keeper.reveal_due_polls()
    reply = next(item for item in replies(world.channel) if item.id == card.id)
    assert "Qxf7#" in text_of(reply).replace("\\", "")
    assert "🏆" not in text_of(reply)
    assert await world.bot.store.open_poll_end_times() == {}


async def test_polls_owned_by_other_processes_do_not_delay_a_reveal(world):
    card = await open_poll(world, world.alice, FEN, when="10")
    for number in range(1, 61):
        ends = datetime.now(UTC) + timedelta(seconds=number)
        poll = Poll(number, number, 7, number, "d" * 22, 0, None, False, "b" * 22, ends)
        assert await world.bot.store.save_poll(poll)
    world.clock.ahead += timedelta(minutes=11)
    await world.bot.get_cog("PollKeeper").reveal_due_polls()
    assert await world.bot.store.poll(card.id) is None


async def test_a_bot_that_shuts_down_leaves_the_reveal_to_the_next_process(world, monkeypatch):
    """A bot that is shutting down ends its jobs, so its reveal would lack the engine's opinion."""
    card = await open_poll(world, world.alice, FEN, when="10")
    await enter_play(world.bob, card, "Qxf7#")
    polls, keeper = world.bot.services[POLLS], world.bot.get_cog("PollKeeper")
    make_result_card = polls.make_result_card

    async def close_and_make_result_card(*arguments):
        world.bot.is_closing = True
        return await make_result_card(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(polls, "make_result_card", close_and_make_result_card)
        await click(world.alice, card, custom_id=id_of(card, "poll:r"))
    assert "Qxf7#" not in text_of(replies(world.channel)[-1]).replace("\\", "")
    world.bot.is_closing = False
    await keeper.reveal_due_polls()
    assert "Qxf7#" in text_of(replies(world.channel)[-1]).replace("\\", "")
    assert await world.bot.store.open_poll_end_times() == {}


async def test_answers_are_deleted_with_user_data_and_polls_with_their_cards(world):
    card = await open_poll(world, world.alice, BOARD)
    await enter_play(world.bob, card, "pass")
    result = await world.bob.slash(world.channel, "privacy show")
    assert "1 poll or poll answer" in text_of(result.response)
    await world.bot.store.forget_user(world.bob.id)
    assert (await world.bot.store.count_user_data(world.bob.id))["polls"] == 0
    [delete_id] = [
        component["custom_id"]
        for component in controls_of(card)
        if component["custom_id"].startswith("kibitz:delete")
    ]
    await click(world.alice, card, custom_id=delete_id)
    assert await world.bot.store.open_poll_end_times() == {}


async def test_the_database_is_queried_rarely_before_a_poll_ends(world, monkeypatch):
    keeper, query_times, now = world.bot.get_cog("PollKeeper"), [], [1000.0]
    # The first query, when the bot starts, may still be running.
    await keeper.cog_unload()
    await keeper._check_task.wait_until_ended()
    open_poll_end_times = world.bot.store.open_poll_end_times

    async def query_and_record():
        query_times.append(now[0])
        return await open_poll_end_times()

    monkeypatch.setattr(world.bot.store, "open_poll_end_times", query_and_record)
    monkeypatch.setattr("bot.features.polls.commands.time.monotonic", lambda: now[0])

    async def run_checks(seconds):
        for _ in range(int(seconds / CHECK_SECONDS)):
            now[0] += CHECK_SECONDS
            await keeper._reveal_if_due()

    await keeper.reveal_due_polls()
    await run_checks(QUERY_SECONDS - CHECK_SECONDS)
    assert query_times == [1000.0]
    await run_checks(CHECK_SECONDS)
    assert query_times == [1000.0, 1000.0 + QUERY_SECONDS]
    start_time = now[0]
    poll = Poll(
        1, 2, world.guild.id, 3, "d" * 22, 0, None, False, "b" * 22, datetime.now(UTC) + timedelta(minutes=1)
    )
    world.bot.dispatch("poll_begun", poll)
    await asyncio.sleep(0)
    await run_checks(60)
    assert query_times[2:] == [start_time + 60]


class TestWithAnEngine(WithStockfish):
    async def test_the_engine_compares_moves_and_shows_the_best(self, world, monkeypatch):
        for name in ("BEST_MOVE_SECONDS", "MOVE_SECONDS"):
            monkeypatch.setattr(f"bot.features.polls.chess.{name}", 0.1)
        for move, table in (("Qxf7#", ["1★ Qxf7#", "2 Qxe5+"]), ("a3", ["★ Qxf7#", "1 ", "2 "])):
            card = await open_poll(world, world.alice, FEN)
            await enter_play(world.alice, card, "Qxe5+")
            await enter_play(world.bob, card, move)
            await click(world.alice, card, custom_id=id_of(card, "poll:r"))
            reply = replies(world.channel)[-1]
            rows = text_of(reply).split("```")[1].strip().splitlines()[1:]
            assert all(
                " ".join(row.split()).startswith(start) for row, start in zip(rows, table, strict=True)
            ), rows
            assert rows[0].split()[-1] == "#1"
            assert "★ marks the engine's choice. Stockfish" in text_of(reply)
            # The better of the two answers wins, even if it is not the best move: a3 does not lose the queen.
            assert f"<@{world.bob.id}> 🏆" in text_of(reply)


@pytest.mark.long
async def test_poll_plays_are_simulated_or_solved(world, monkeypatch):
    monkeypatch.setattr("bot.features.polls.crossword.COMPARE_SECONDS", 2.0)
    endgame = MAVEN.replace("OSPD1", "SCOWL80")
    for board, play, output in ((BOARD, "I5 BIZE", "rollouts, 2 turns ahead"), (endgame, "pass", "roved")):
        card = await open_poll(world, world.alice, board)
        await enter_play(world.bob, card, play)
        await click(world.alice, card, custom_id=id_of(card, "poll:r"))
        reply = replies(world.channel)[-1]
        assert output in text_of(reply)
        assert f"<@{world.bob.id}>" in text_of(reply)


async def test_an_analysis_in_a_direct_message_counts_as_a_view(world):
    card = await open_poll(world, world.alice, BOARD)
    await world.bob.send_dm("hello")
    result = await world.bob.user.slash("analyze", position=BOARD)
    assert "SCOWL80" in text_of(reply_of(result)), (
        "instead of the analysis, a warning revealed the poll outside its server"
    )
    assert "seen the analysis" not in text_of(replies(world.channel)[-1])
    confirmation = await enter_play(world.bob, card, "I5 BIZE")
    assert "✅ Your answer: **I5 BIZ" in text_of(confirmation)
    assert "👀 You looked at the analysis before you answered." in text_of(confirmation)
    await click(world.alice, card, custom_id=id_of(card, "poll:r"))
    reply = replies(world.channel)[-1]
    assert f"<@{world.bob.id}>👀" in text_of(reply)
    assert "🏆" not in text_of(reply)


async def test_the_card_of_an_open_poll_does_not_depend_on_the_answers(world):
    carol = world.add_member("carol")
    cards_by_poll = []
    for plays in (("I5 BIZE", "pass"), ("-QU", "-QUIZ")):
        card = await open_poll(world, world.alice, BOARD)
        cards = []
        for person, play in zip((world.bob, carol), plays, strict=True):
            await enter_play(person, card, play)
            await enter_play(person, card, play)  # from another client
            reply = replies(world.channel)[-1]
            files = [(file.filename, file.description, await file.read()) for file in reply.attachments]
            assert len(files) == 1
            text = re.sub(r"<t:\d+:", "<t:0:", text_of(reply))
            cards.append((text, [component["custom_id"] for component in controls_of(reply)], files))
        cards_by_poll.append(cards)
        await click(world.alice, card, custom_id=id_of(card, "poll:r"))
    assert "1 answer so far" in cards_by_poll[0][0][0]
    assert "2 answers so far" in cards_by_poll[0][1][0]
    assert cards_by_poll[0] == cards_by_poll[1]


async def test_two_forms_from_one_person_count_as_one_answer(world):
    card = await open_poll(world, world.alice, BOARD)
    forms = [await click(world.bob, card, custom_id=id_of(card, "poll:p")) for _ in range(2)]
    for form, play in zip(forms, ("pass", "-QU"), strict=True):
        await world.bob.submit_modal(form, {"play": play})
    assert "1 answer so far" in text_of(replies(world.channel)[-1])
    assert [entry.play for entry in await world.bot.store.poll_entries(card.id)] == ["-QU"]
