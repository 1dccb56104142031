"""What would you play? Asked by a button, answered in secret, looked at with one's name, and revealed to everybody."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.config import Chess
from bot.engine.uci import find_engine
from bot.features.polls.commands import CHECK_SECONDS, QUERY_SECONDS
from bot.features.polls.controls import POLLS
from bot.jobs.local import JobLimits, LocalJobs
from bot.storage.polls import Poll
from tests.positions import MAVEN, transposed

from .conftest import make_settings
from .test_analysis import controls_by_kind, post_text
from .viewer import answer_of, click, components_of, replies, text_of

BOARD = "15/15/15/15/15/15/15/6THE6/15/15/15/15/15/15/15 QUIZAB?/ 20/12 0 lex SCOWL80;"
FEN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"


@pytest.fixture(autouse=True)
def at_once(world, request):
    """Let cards change at once after an answer, and compare answers in no time."""
    world.bot.edit_limiter.seconds = 0.0
    if request.node.get_closest_marker("long") is None:
        kind = world.bot.service[POLLS]._kinds["crossword"]
        # Where nothing more may wait plays are compared by equity, and no kernel of the simulation is compiled.
        kind._resources = replace(kind._resources, jobs=LocalJobs(lambda *_: None, JobLimits(waiting=0)))


def control(message, word):
    [found] = [
        component["custom_id"]
        for component in components_of(message)
        if component["custom_id"].startswith(f"kibitz:{word}")
    ]
    return found


async def open_poll(world, person, text, when="0"):
    """Post a position and ask the others about it; return the card."""
    board = await post_text(world, text)
    opened = await click(person, board, custom_id=control(board, "ask:"))
    form = await person.submit_modal(opened, {"when": when})
    assert not form.ephemeral
    return replies(world.channel)[-1]


async def played(person, card, text):
    opened = await click(person, card, custom_id=control(card, "poll:p"))
    form = await person.submit_modal(opened, {"play": text})
    assert form.ephemeral
    return answer_of(form)


async def test_poll_plays_are_hidden_until_the_reveal(world):
    card = await open_poll(world, world.alice, BOARD)
    assert f"<@{world.alice.id}> asks: **what would you play?**" in text_of(card)
    assert "0 answers so far" in text_of(card)
    assert card.attachments[0].description.startswith("What would you play?")
    phony = await played(world.bob, card, "9F QUIZ")
    assert "TU is not in SCOWL80" in text_of(phony)
    wrong = await played(world.bob, card, "9F XENON")
    assert "not on the rack" in text_of(wrong)
    first = await played(world.bob, card, "pass")
    assert "✅ Your answer: **pass**." in text_of(first)
    again = await played(world.bob, card, "I5 BIZE")
    assert "✅ Your new answer: **I5 BIZ" in text_of(again)
    assert "Your new answer" in text_of(again)
    await played(world.alice, card, "-QU")
    card = replies(world.channel)[-1]
    assert "2 answers so far" in text_of(card)
    assert "BIZ" not in text_of(card)
    refused = await click(world.bob, card, custom_id=control(card, "poll:r"))
    assert "Only moderators and the person who started this poll" in text_of(answer_of(refused))
    opened = await click(world.bob, card, custom_id=control(card, "poll:p"))
    await click(world.alice, card, custom_id=control(card, "poll:r"))
    late = await world.bob.submit_modal(opened, {"play": "pass"})
    assert "This poll is over." in text_of(answer_of(late))
    reply = replies(world.channel)[-1]
    assert reply.id == card.id
    assert f"<@{world.bob.id}> 🏆" in text_of(reply)
    assert "BIZ" in text_of(reply)
    assert "★ marks the engine's choice." in text_of(reply)
    assert "Proposed: " in reply.attachments[0].description
    assert max(len(line) for line in text_of(reply).split("```")[1].splitlines()) <= 30
    assert len(reply.attachments) == 1
    assert (await world.bot.store.user_data(world.bob.id)).polls == 0


async def test_looking_at_an_analysis_is_disclosed_in_the_poll(world):
    board = await post_text(world, BOARD)
    card = await open_poll(world, world.alice, BOARD)
    pressed = await click(world.bob, board, custom_id=controls_by_kind(board)["kibitz:analyze"]["custom_id"])
    warning = answer_of(pressed)
    assert "marks you with 👀" in text_of(warning)
    everybody = await world.bob.slash(world.channel, "analyze", position=transposed(BOARD))
    assert everybody.ephemeral
    assert "There is no public analysis" in text_of(answer_of(everybody))
    trial = await world.bob.slash(world.channel, "try", move="I5 BIZE", position=BOARD, private=True)
    assert "marks you with 👀" in text_of(answer_of(trial))
    noted = await click(world.bob, warning, custom_id=control(warning, "look:"))
    assert "👀 The reveal will show that you looked" in text_of(answer_of(noted))
    pressed = await click(world.bob, board, custom_id=controls_by_kind(board)["kibitz:analyze"]["custom_id"])
    assert "SCOWL80" in text_of(answer_of(pressed))
    assert "1 person has seen the analysis" in text_of(replies(world.channel)[-1])
    taken = await played(world.bob, card, "I5 BIZE")
    assert "the reveal will show this" in text_of(taken).lower()
    # A member who has answered and then looks has answered for good.
    await played(world.alice, card, "pass")
    warning = answer_of(await world.alice.slash(world.channel, "analyze", position=BOARD, private=True))
    await click(world.alice, warning, custom_id=control(warning, "look:"))
    stands = await played(world.alice, card, "-QU")
    assert "so your answer is final" in text_of(stands)
    await click(world.alice, card, custom_id=control(card, "poll:r"))
    reply = replies(world.channel)[-1]
    assert f"<@{world.bob.id}>👀" in text_of(reply)
    assert f"<@{world.alice.id}> 🏆" in text_of(reply)
    after = await world.bob.slash(world.channel, "analyze", position=BOARD)
    assert not after.ephemeral


async def test_a_poll_is_revealed_on_time_after_a_restart(world):
    card = await open_poll(world, world.alice, FEN, when="10")
    refused = await played(world.bob, card, "Qxh8")
    assert "was not saved" in text_of(refused)
    await played(world.bob, card, "Qxf7#")
    await played(world.alice, card, "h5f7")
    second = await post_text(world, FEN)
    opened = await click(world.alice, second, custom_id=control(second, "ask:"))
    form = await world.alice.submit_modal(opened, {"when": "0"})
    assert "is still open in this channel" in text_of(answer_of(form))
    await world.restart()
    world.clock.ahead += timedelta(minutes=11)
    keeper = world.bot.get_cog("PollKeeper")
    await keeper.reveal_due_polls()
    reply = next(item for item in replies(world.channel) if item.id == card.id)
    assert "Qxf7#" in text_of(reply).replace("\\", "")
    assert "🏆" not in text_of(reply)
    assert await world.bot.store.open_polls() == {}


async def test_a_bot_that_closes_leaves_the_reveal_to_the_next(world, monkeypatch):
    """Its jobs end without a result: the plays would be shown without the engine's opinion for good."""
    card = await open_poll(world, world.alice, FEN, when="10")
    await played(world.bob, card, "Qxf7#")
    polls, keeper = world.bot.service[POLLS], world.bot.get_cog("PollKeeper")
    reveal = polls.reveal

    async def closing(*arguments):
        world.bot.is_closing = True
        return await reveal(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(polls, "reveal", closing)
        await click(world.alice, card, custom_id=control(card, "poll:r"))
    assert "Qxf7#" not in text_of(replies(world.channel)[-1]).replace("\\", "")
    world.bot.is_closing = False
    await keeper.reveal_due_polls()
    assert "Qxf7#" in text_of(replies(world.channel)[-1]).replace("\\", "")
    assert await world.bot.store.open_polls() == {}


async def test_deleting_user_data_removes_polls(world):
    card = await open_poll(world, world.alice, BOARD)
    await played(world.bob, card, "pass")
    response = await world.bob.slash(world.channel, "privacy show")
    assert "1 poll or poll answer" in text_of(response.response)
    await world.bot.store.forget_user(world.bob.id)
    assert (await world.bot.store.user_data(world.bob.id)).polls == 0
    [delete] = [
        component["custom_id"]
        for component in components_of(card)
        if component["custom_id"].startswith("kibitz:delete")
    ]
    await click(world.alice, card, custom_id=delete)
    assert await world.bot.store.open_polls() == {}


async def test_the_database_is_queried_rarely_before_a_poll_ends(world, monkeypatch):
    keeper, looks, now = world.bot.get_cog("PollKeeper"), [], [1000.0]
    # Its own look at the start may still be running.
    await keeper.cog_unload()
    await keeper._checks.wait_ended()
    open_polls = world.bot.store.open_polls

    async def counted():
        looks.append(now[0])
        return await open_polls()

    monkeypatch.setattr(world.bot.store, "open_polls", counted)
    monkeypatch.setattr("bot.features.polls.commands.time.monotonic", lambda: now[0])

    async def rounds(seconds):
        for _ in range(int(seconds / CHECK_SECONDS)):
            now[0] += CHECK_SECONDS
            await keeper._reveal_if_due()

    await keeper.reveal_due_polls()
    await rounds(QUERY_SECONDS - CHECK_SECONDS)
    assert looks == [1000.0]
    await rounds(CHECK_SECONDS)
    assert looks == [1000.0, 1000.0 + QUERY_SECONDS]
    begun = now[0]
    poll = Poll(
        1, 2, world.guild.id, 3, "d" * 22, 0, None, False, "b" * 22, datetime.now(UTC) + timedelta(minutes=1)
    )
    world.bot.dispatch("poll_begun", poll)
    await asyncio.sleep(0)
    await rounds(60)
    assert looks[2:] == [begun + 60]


@pytest.mark.skipif(find_engine("stockfish") is None, reason="the Debian package stockfish is not installed")
class TestWithAnEngine:
    @pytest.fixture
    def settings(self, tmp_path):
        return make_settings(tmp_path, chess=Chess(engine="stockfish"))

    async def test_the_engine_compares_moves_and_shows_the_best(self, world, monkeypatch):
        for name in ("BEST_SECONDS", "MOVE_SECONDS"):
            monkeypatch.setattr(f"bot.features.polls.chess.{name}", 0.1)
        for found, table in (("Qxf7#", ["1★ Qxf7#", "2 Qxe5+"]), ("a3", ["★ Qxf7#", "1 ", "2 "])):
            card = await open_poll(world, world.alice, FEN)
            await played(world.alice, card, "Qxe5+")
            await played(world.bob, card, found)
            await click(world.alice, card, custom_id=control(card, "poll:r"))
            reply = replies(world.channel)[-1]
            rows = text_of(reply).split("```")[1].strip().splitlines()[1:]
            assert all(
                " ".join(row.split()).startswith(start) for row, start in zip(rows, table, strict=True)
            ), rows
            assert rows[0].split()[-1] == "#1"
            assert "★ marks the engine's choice. Stockfish" in text_of(reply)
            # The nearest answer wins: pushing a pawn is better than losing the queen.
            assert f"<@{world.bob.id}> 🏆" in text_of(reply)


@pytest.mark.long
async def test_poll_plays_are_simulated_or_solved(world, monkeypatch):
    monkeypatch.setattr("bot.features.polls.crossword.SECONDS", 2.0)
    end = MAVEN.replace("OSPD1", "SCOWL80")
    for board, play, output in ((BOARD, "I5 BIZE", "rollouts, 2 turns ahead"), (end, "pass", "roved")):
        card = await open_poll(world, world.alice, board)
        await played(world.bob, card, play)
        await click(world.alice, card, custom_id=control(card, "poll:r"))
        reply = replies(world.channel)[-1]
        assert output in text_of(reply)
        assert f"<@{world.bob.id}>" in text_of(reply)


async def test_a_private_look_counts_in_the_poll(world):
    card = await open_poll(world, world.alice, BOARD)
    await world.bob.send_dm("hello")
    result = await world.bob.user.slash("analyze", position=BOARD)
    assert "SCOWL80" in text_of(answer_of(result)), "nothing tells of the poll outside its server"
    assert "seen the analysis" not in text_of(replies(world.channel)[-1])
    taken = await played(world.bob, card, "I5 BIZE")
    assert "✅ Your answer: **I5 BIZ" in text_of(taken)
    assert "👀 You looked at the analysis before you answered." in text_of(taken)
    await click(world.alice, card, custom_id=control(card, "poll:r"))
    reply = replies(world.channel)[-1]
    assert f"<@{world.bob.id}>👀" in text_of(reply)
    assert "🏆" not in text_of(reply)


async def test_the_card_keeps_the_picture_when_counts_change(world):
    card = await open_poll(world, world.alice, BOARD)
    await played(world.bob, card, "pass")
    reply = replies(world.channel)[-1]
    assert "1 answer so far" in text_of(reply)
    assert len(reply.attachments) == 1


async def test_an_open_poll_reveals_no_answers(world):
    carol = world.guild.add_member(world.env.create_user("carol"))
    seen = []
    for plays in (("I5 BIZE", "pass"), ("-QU", "-QUIZ")):
        card = await open_poll(world, world.alice, BOARD)
        cards = []
        for person, play in zip((world.bob, carol), plays, strict=True):
            await played(person, card, play)
            await played(person, card, play)  # from another client
            reply = replies(world.channel)[-1]
            files = [(file.filename, file.description, await file.read()) for file in reply.attachments]
            text = re.sub(r"<t:\d+:", "<t:0:", text_of(reply))
            cards.append((text, [component["custom_id"] for component in components_of(reply)], files))
        seen.append(cards)
        await click(world.alice, card, custom_id=control(card, "poll:r"))
    assert "1 answer so far" in seen[0][0][0]
    assert "2 answers so far" in seen[0][1][0]
    assert seen[0] == seen[1]


async def test_two_forms_of_one_person_are_one_answer(world):
    card = await open_poll(world, world.alice, BOARD)
    forms = [await click(world.bob, card, custom_id=control(card, "poll:p")) for _ in range(2)]
    for form, play in zip(forms, ("pass", "-QU"), strict=True):
        await world.bob.submit_modal(form, {"play": play})
    assert "1 answer so far" in text_of(replies(world.channel)[-1])
    assert [poll_play.play for poll_play in await world.bot.store.poll_plays(card.id)] == ["-QU"]
