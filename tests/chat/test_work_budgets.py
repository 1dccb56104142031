"""Work is charged to its user and channel, and is cancelled if it exceeds a limit."""

from __future__ import annotations

import pytest

from bot.chat.limits import LimitedBudget
from bot.jobs.account import ACCOUNT, Requester
from bot.jobs.fair import FairExecutor
from tests.positions import EMPTY_BOARD, MAVEN, ONE_IN_BAG

from .actions import (
    choose_view,
    click,
    id_of,
    press,
    replies_with_files,
    replies_without_files,
    reply_of,
    text_of,
)
from .conftest import ANALYSIS_SECONDS
from .test_limits import settings, with_limits

__all__ = ["settings"]

GAME = "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n"
LONG_GAME = GAME + "#note " + "a long note " * 500 + "\n"
CHESS_POSITIONS = "\n".join(f"8/8/8/8/8/{n % 8}k{7 - n % 8 or ''}/8/K7 w - - 0 {n + 1}" for n in range(2_000))


def notice_texts(channel):
    return [text_of(message) for message in replies_without_files(channel)]


def attachment_list(name="game.gcg", text=LONG_GAME):
    return [(name, text.encode())]


@with_limits(user_bytes_per_minute=2 * len(LONG_GAME) + 10)
async def test_each_user_has_a_byte_limit(world):
    for number in range(5):
        text = LONG_GAME.replace("NASTIER +66 66", f"NASTIER +66 66\n#note {number}")[: len(LONG_GAME)]
        await world.alice.send(world.channel, attachments=attachment_list(text=text))
    assert len(replies_with_files(world.channel)) == 2
    [notice] = notice_texts(world.channel)
    assert "That's a lot at once!" in notice
    await world.alice.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 3, "short texts were charged"
    await world.bob.send(world.channel, attachments=attachment_list())
    assert len(replies_with_files(world.channel)) == 4, "one user's limit applied to another user"
    result = await world.alice.slash(world.channel, "show", file=attachment_list()[0])
    assert result.ephemeral
    assert "asked for a lot in a short time" in text_of(result.response)
    assert world.env.errors == [], "reaching a limit was reported as an error"
    await world.env.advance_time(61)
    await world.alice.send(world.channel, attachments=attachment_list())
    assert len(replies_with_files(world.channel)) == 5


@with_limits(channel_bytes_per_minute=2 * len(LONG_GAME) + 10)
async def test_each_channel_has_a_byte_limit(world):
    other_channel = world.guild.create_text_channel("quiet")
    for number in range(4):
        await (world.alice if number % 2 else world.bob).send(world.channel, attachments=attachment_list())
    assert len(replies_with_files(world.channel)) == 2
    await world.alice.send(other_channel, attachments=attachment_list())
    assert len(replies_with_files(other_channel)) == 1


async def test_only_the_user_whose_work_budget_is_spent_is_refused(world):
    await world.alice.send(world.channel, GAME)
    [reply] = replies_with_files(world.channel)
    world.bot.work_budget.spend(Requester(world.alice.id, world.guild.id, world.channel.id), 21)
    await world.alice.send(world.channel, MAVEN)
    await world.alice.send(world.channel, f"{EMPTY_BOARD} A/ 0/0 0;")
    assert len(replies_with_files(world.channel)) == 1
    assert len(notice_texts(world.channel)) == 1
    result = await press(world.alice, reply, "first")
    assert "asked for a lot in a short time" in text_of(result.response)
    result = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert "asked for a lot in a short time" in text_of(result.response)
    await press(world.bob, reply, "first")
    assert "The start" in text_of(replies_with_files(world.channel)[0])
    await world.env.advance_time(10)
    await world.alice.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 2


@with_limits(process_bytes=52 * 2**20)
async def test_an_expensive_file_is_reported_and_other_files_are_shown(world):
    await world.alice.send(world.channel, attachments=attachment_list("heavy.txt", CHESS_POSITIONS * 8))
    [notice] = notice_texts(world.channel)
    assert notice == "Kibitz stopped reading heavy.txt because it took too much time or memory."
    await world.alice.send(
        world.channel,
        MAVEN,
        attachments=[*attachment_list("heavy.txt", CHESS_POSITIONS * 8), ("small.gcg", GAME.encode())],
    )
    [reply] = replies_with_files(world.channel)
    assert len(reply.attachments) == 1
    assert "2. A 66." in reply.attachments[0].description
    assert "Kibitz stopped reading heavy.txt" in text_of(reply)
    await world.bob.send(world.channel, MAVEN)
    assert len(replies_with_files(world.channel)) == 2, "the next message got no reply"


@with_limits(process_bytes=52 * 2**20)
async def test_an_expensive_replay_is_cancelled_and_reported(world):
    turns = "".join(f">{'ab'[n % 2]}: AEINRST - +0 66\n" for n in range(1, 70))
    await world.alice.send(world.channel, GAME + turns)
    [reply] = replies_with_files(world.channel)
    result = await choose_view(world.alice, reply, "replay")
    assert "Kibitz stopped this because it needs more time or memory" in text_of(result.response)


JOBS = {
    "simulation": (f"{EMPTY_BOARD} AEINRS?/ 0/0 0", "simulation"),
    "endgame": (MAVEN, "solution"),
    "pre-endgame": (ONE_IN_BAG, "solution"),
}
TIME_LIMIT_REACHED = "The time limit for analyses has been reached. Ask again in "


async def analyze(person, channel, kind):
    position, method = JOBS[kind]
    reply = reply_of(
        await person.slash(channel, "analyze", position=position, lexicon="CROSSWD", private=True)
    )
    result = await click(person, reply, custom_id=id_of(reply, f"deepen:{method}:", ":CROSSWD"))
    return text_of(result.followups[-1]) if result.followups else text_of(reply)


@with_limits(user_job_seconds_per_hour=ANALYSIS_SECONDS)
@pytest.mark.parametrize("kind", JOBS)
async def test_jobs_are_charged_to_the_requester(world, kind, short_analyses):
    assert " · best of " in (await analyze(world.alice, world.channel, kind))
    other_channel = world.guild.create_text_channel("quiet")
    for other_kind in JOBS:
        result = await analyze(world.alice, other_channel, other_kind)
        assert result.startswith("**" if other_kind == kind else TIME_LIMIT_REACHED), (
            "a stored result was charged, or a new analysis was not refused"
        )
    assert " · best of " in (await analyze(world.bob, world.channel, "simulation"))


@with_limits(channel_job_seconds_per_hour=ANALYSIS_SECONDS)
async def test_jobs_are_charged_to_the_channel(world, short_analyses):
    assert " · best of " in (await analyze(world.alice, world.channel, "simulation"))
    assert (await analyze(world.bob, world.channel, "endgame")).startswith(TIME_LIMIT_REACHED)
    other_channel = world.guild.create_text_channel("quiet")
    assert " · best of " in (await analyze(world.bob, other_channel, "endgame"))


async def test_all_work_is_charged_to_the_requester(world, monkeypatch):
    used_accounts = []
    submit = FairExecutor.submit

    def record_account(self, fn, /, *args, **kwargs):
        used_accounts.append(ACCOUNT.get())
        return submit(self, fn, *args, **kwargs)

    monkeypatch.setattr(FairExecutor, "submit", record_account)

    def is_charged_to(person):
        """Return whether work was done since the last call, and all of it was charged to this person in this channel."""
        accounts, used_accounts[:] = set(used_accounts), []
        return accounts == {Requester(person.id, world.guild.id, world.channel.id)}

    message = await world.alice.send(world.channel, GAME)
    assert is_charged_to(world.alice)
    await world.alice.edit(message, GAME + "#note an afterthought\n")
    assert is_charged_to(world.alice)
    await world.bob.send(world.channel, attachments=attachment_list())
    assert is_charged_to(world.bob)
    [reply, *_] = replies_with_files(world.channel)
    await press(world.bob, reply, "first")
    assert is_charged_to(world.bob)
    await choose_view(world.bob, replies_with_files(world.channel)[0], "replay")
    assert is_charged_to(world.bob)
    for command, options in (
        ("show", {"position": MAVEN}),
        ("convert", {"to": "json", "position": MAVEN}),
        ("analyze", {"position": MAVEN}),
        ("anagram", {"letters": "aeinr??"}),
    ):
        await world.alice.slash(world.channel, command, **options)
        assert is_charged_to(world.alice), command
    await world.bob.context_menu(world.channel, "Show position", message)
    assert is_charged_to(world.bob)
    form = await world.alice.slash(world.channel, "show")
    await world.alice.submit_modal(form, {"text": GAME})
    assert is_charged_to(world.alice)


async def test_word_queries_are_charged_to_the_requester(world, monkeypatch):
    charges = []
    spend = LimitedBudget.spend

    def record_charge(self, account, seconds):
        charges.append((account.user_id, seconds))
        spend(self, account, seconds)

    monkeypatch.setattr(LimitedBudget, "spend", record_charge)
    costs = []
    for letters in ("aeinrst", "?" * 21, "?" * 20 + "q", "aeinrst"):
        await world.alice.slash(world.channel, "anagram", letters=letters, shorter=True)
        assert {user for user, _ in charges} == {world.alice.id}
        costs.append(sum(seconds for _, seconds in charges))
        charges.clear()
    assert min(costs[1:3]) > costs[3] > 0, "an ordinary query cost nothing, or as much as the worst queries"
