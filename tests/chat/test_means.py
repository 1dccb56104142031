"""Long work is charged to the person who requests it: bytes and seconds are counted, and work that takes too much is
ended and reported."""

from __future__ import annotations

import pytest

from bot.chat.limits import WorkBudgets
from bot.config import Limits
from bot.jobs.account import ACCOUNT, Requester
from bot.jobs.fair import FairExecutor
from tests.positions import EMPTY, MAVEN

from .conftest import make_settings
from .viewer import answer_of, choose_view, click, components_of, press, replies, text_of

GAME = "#player1 a A\n#player2 b B\n>a: AEINRST 8D NASTIER +66 66\n"
LONG = GAME + "#note " + "a long note " * 500 + "\n"
PUZZLES = "\n".join(f"8/8/8/8/8/{n % 8}k{7 - n % 8 or ''}/8/K7 w - - 0 {n + 1}" for n in range(2_000))


def answers(channel):
    return [message for message in replies(channel) if message.attachments]


def words(channel):
    return [text_of(message) for message in replies(channel) if not message.attachments]


@pytest.fixture
def settings(tmp_path, request):
    # Some are stricter than an operator may be.
    limits = Limits().model_copy(update=getattr(request, "param", {}))
    return make_settings(tmp_path, limits=limits)


def tight(**limits):
    return pytest.mark.parametrize("settings", [limits], indirect=True)


def file(name="game.gcg", text=LONG):
    return [(name, text.encode())]


@tight(user_bytes_per_minute=2 * len(LONG) + 10)
async def test_the_byte_limit_applies_to_one_user(world):
    for number in range(5):
        text = LONG.replace("NASTIER +66 66", f"NASTIER +66 66\n#note {number}")[: len(LONG)]
        await world.alice.send(world.channel, attachments=file(text=text))
    assert len(answers(world.channel)) == 2
    [word] = words(world.channel)
    assert "That's a lot at once!" in word
    await world.alice.send(world.channel, MAVEN)
    assert len(answers(world.channel)) == 3, "what is short costs no bytes"
    await world.bob.send(world.channel, attachments=file())
    assert len(answers(world.channel)) == 4, "others are served"
    response = await world.alice.slash(world.channel, "show", file=file()[0])
    assert response.ephemeral
    assert "more than Kibitz can draw at once" in text_of(response.response)
    assert world.env.errors == [], "it is not a fault"
    await world.env.advance_time(61)
    await world.alice.send(world.channel, attachments=file())
    assert len(answers(world.channel)) == 5


@tight(channel_bytes_per_minute=2 * len(LONG) + 10)
async def test_the_byte_limit_applies_to_one_channel(world):
    quiet = world.guild.create_text_channel("quiet")
    for number in range(4):
        await (world.alice if number % 2 else world.bob).send(world.channel, attachments=file())
    assert len(answers(world.channel)) == 2
    await world.alice.send(quiet, attachments=file())
    assert len(answers(quiet)) == 1


async def test_exhausted_seconds_delay_only_that_user(world):
    await world.alice.send(world.channel, GAME)
    [reply] = answers(world.channel)
    world.bot.work_budgets.spend(Requester(world.alice.id, world.guild.id, world.channel.id), 21)
    await world.alice.send(world.channel, MAVEN)
    await world.alice.send(world.channel, f"{EMPTY} A/ 0/0 0;")
    assert len(answers(world.channel)) == 1
    assert len(words(world.channel)) == 1
    response = await press(world.alice, reply, "first")
    assert "more than Kibitz can draw at once" in text_of(response.response)
    response = await world.alice.slash(world.channel, "show", position=MAVEN)
    assert "more than Kibitz can draw at once" in text_of(response.response)
    await press(world.bob, reply, "first")
    assert "The start" in text_of(answers(world.channel)[0])
    await world.env.advance_time(10)
    await world.alice.send(world.channel, MAVEN)
    assert len(answers(world.channel)) == 2


@tight(process_bytes=52 * 2**20)
async def test_an_expensive_file_is_named_and_other_files_are_shown(world):
    await world.alice.send(world.channel, attachments=file("heavy.txt", PUZZLES * 8))
    [word] = words(world.channel)
    assert word == "Kibitz stopped reading heavy.txt because it took too much time or memory."
    await world.alice.send(
        world.channel, MAVEN, attachments=[*file("heavy.txt", PUZZLES * 8), ("small.gcg", GAME.encode())]
    )
    [answer] = answers(world.channel)
    assert len(answer.attachments) == 1
    assert "2. A 66." in answer.attachments[0].description
    assert "Kibitz stopped reading heavy.txt" in text_of(answer)
    await world.bob.send(world.channel, MAVEN)
    assert len(answers(world.channel)) == 2, "the next one is served"


@tight(process_bytes=52 * 2**20)
async def test_an_expensive_replay_is_cancelled_and_reported(world):
    turns = "".join(f">{'ab'[n % 2]}: AEINRST - +0 66\n" for n in range(1, 70))
    await world.alice.send(world.channel, GAME + turns)
    [reply] = answers(world.channel)
    output = await choose_view(world.alice, reply, "replay")
    assert "Kibitz stopped this because it needs more time or memory" in text_of(output.response)


ONE_IN_BAG = (
    MAVEN.replace("1INDOW1U7", "1INDOW9").replace("1GNU2C", "1GN3C").replace("IKLMTZ/AEINRU?", "IKLMTUZ/")
)
JOBS = {
    "simulation": (f"{EMPTY} AEINRS?/ 0/0 0", "simulation"),
    "endgame": (MAVEN, "solution"),
    "pre-endgame": (ONE_IN_BAG, "solution"),
}
SECONDS = 0.3
SPENT = "The time limit for analyses is reached. Ask again in "


async def analyzed(person, channel, kind):
    """Return the report of a job that takes `SECONDS`."""
    position, method = JOBS[kind]
    answer = answer_of(
        await person.slash(channel, "analyze", position=position, lexicon="CROSSWD", private=True)
    )
    ids = [item["custom_id"] for item in components_of(answer)]
    [button] = [
        item for item in ids if item.startswith(f"kibitz:deepen:{method}:") and item.endswith(":CROSSWD")
    ]
    pressed = await click(person, answer, custom_id=button)
    return text_of(pressed.followups[-1]) if pressed.followups else text_of(answer)


@pytest.fixture
def seconds(monkeypatch):
    monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", SECONDS)


@tight(user_job_seconds_per_hour=SECONDS)
@pytest.mark.parametrize("kind", JOBS)
async def test_jobs_are_charged_to_the_requester(world, kind, seconds):
    assert " · best of " in (await analyzed(world.alice, world.channel, kind))
    quiet = world.guild.create_text_channel("quiet")
    for other in JOBS:
        result = await analyzed(world.alice, quiet, other)
        assert result.startswith("**" if other == kind else SPENT), "what is known costs nothing"
    assert " · best of " in (await analyzed(world.bob, world.channel, "simulation"))


@tight(channel_job_seconds_per_hour=SECONDS)
async def test_jobs_are_charged_to_the_channel(world, seconds):
    assert " · best of " in (await analyzed(world.alice, world.channel, "simulation"))
    assert (await analyzed(world.bob, world.channel, "endgame")).startswith(SPENT)
    quiet = world.guild.create_text_channel("quiet")
    assert " · best of " in (await analyzed(world.bob, quiet, "endgame"))


async def test_all_work_is_charged_to_the_requester(world, monkeypatch):
    work = []
    submit = FairExecutor.submit

    def noted(self, fn, /, *args, **kwargs):
        work.append(ACCOUNT.get())
        return submit(self, fn, *args, **kwargs)

    monkeypatch.setattr(FairExecutor, "submit", noted)

    def on(person):
        """Return whether there was work, and all of it was on the account of this person in this channel."""
        accounts, work[:] = set(work), []
        return accounts == {Requester(person.id, world.guild.id, world.channel.id)}

    sent = await world.alice.send(world.channel, GAME)
    assert on(world.alice)
    await world.alice.edit(sent, GAME + "#note an afterthought\n")
    assert on(world.alice)
    await world.bob.send(world.channel, attachments=file())
    assert on(world.bob)
    [reply, *_] = answers(world.channel)
    await press(world.bob, reply, "first")
    assert on(world.bob)
    await choose_view(world.bob, answers(world.channel)[0], "replay")
    assert on(world.bob)
    for command, options in (
        ("show", {"position": MAVEN}),
        ("convert", {"to": "json", "position": MAVEN}),
        ("analyze", {"position": MAVEN}),
        ("anagram", {"letters": "aeinr??"}),
    ):
        await world.alice.slash(world.channel, command, **options)
        assert on(world.alice), command
    await world.bob.context_menu(world.channel, "Show position", sent)
    assert on(world.bob)
    form = await world.alice.slash(world.channel, "show")
    await world.alice.submit_modal(form, {"text": GAME})
    assert on(world.alice)


async def test_word_queries_are_charged_to_the_requester(world, monkeypatch):
    noted = []
    spend = WorkBudgets.spend

    def noting(self, account, seconds):
        noted.append((account.user, seconds))
        spend(self, account, seconds)

    monkeypatch.setattr(WorkBudgets, "spend", noting)
    costs = []
    for letters in ("aeinrst", "?" * 21, "?" * 20 + "q", "aeinrst"):
        await world.alice.slash(world.channel, "anagram", letters=letters, shorter=True)
        assert {user for user, _ in noted} == {world.alice.id}
        costs.append(sum(seconds for _, seconds in noted))
        noted.clear()
    assert min(costs[1:3]) > costs[3] > 0, "the worst ones cost more than an ordinary one"
