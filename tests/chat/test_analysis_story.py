"""One walk through an analysis, as a player takes it: from a post to the channel, and on."""

from __future__ import annotations

import re

import discord

from tests.positions import MAVEN, OPENING

from .test_analysis import (  # noqa: F401 - fixtures
    choose,
    computed_simulations,
    controls_by_kind,
    post_text,
    press_analyze,
    short_budgets,
)
from .viewer import answer_of, click, components_of, press, replies, text_of


def custom_ids(message):
    return [item["custom_id"] for item in components_of(message)]


CHALLENGED = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIRE +66 66\n>alice: AEINRST -- -66 0\n"
    ">bob: EIQUOOD 8G QUOD +28 28\n>alice: AEINRST 9A NASTIER +71 71\n>bob: EIOABCD -CD +0 28\n"
)


async def push(person, answer, word, nth=0):
    """Press a button of an answer by the word in its id."""
    found = [item for item in components_of(answer) if item["custom_id"].startswith(f"kibitz:{word}:")]
    return await click(person, answer, custom_id=found[nth]["custom_id"])


def rollouts(answer):
    return int(re.search(r"(\d+) rollouts", text_of(answer))[1])


async def test_from_the_post_to_the_channel_and_on(world, computed_simulations):  # noqa: F811 - a fixture
    mallory = world.guild.add_member(world.env.create_user("mallory"), nick="**x** @everyone [a](http://b)")
    result = await press_analyze(mallory, await post_text(world, MAVEN.replace(" lex OSPD1;", " lex NWL23;")))
    answer = answer_of(result)
    assert "NWL23 isn't installed, so this uses SCOWL95. Some words may differ." in text_of(answer)
    assert len(text_of(answer).split("```")[1].strip().splitlines()) == 9

    await push(mallory, answer, "rows")
    assert len(text_of(answer_of(result)).split("```")[1].strip().splitlines()) == 16
    await choose(mallory, answer_of(result), "ranked", "1")
    answer = answer_of(result)
    assert " · no. 2 of " in text_of(answer)
    assert len(text_of(answer).split("```")[1].strip().splitlines()) == 16, "it stays as it was chosen"

    before = len(replies(world.channel))
    await push(mallory, answer, "post")
    post = replies(world.channel)[-1]
    assert len(replies(world.channel)) == before + 1
    lead, headline = text_of(post).splitlines()[:2]
    assert lead == r"🔍 **\*\*x\*\* \@everyone \[a\](http\:\/\/b)** asked me:"
    assert " · no. 2 of " in headline
    assert not post.attachments[0].is_spoiler()
    assert set(controls_by_kind(post)) == {"kibitz:analyze", "kibitz:try", "kibitz:delete"}
    posting = [
        item for item in components_of(answer_of(result)) if item["custom_id"].startswith("kibitz:post:")
    ]
    assert [item["disabled"] for item in posting] == [True]

    await push(mallory, answer_of(result), "deepen")
    answer = answer_of(result)
    assert "kibitz:longer" in controls_by_kind(answer)
    had, [first] = rollouts(answer), computed_simulations
    await push(mallory, answer_of(result), "longer")
    assert rollouts(answer_of(result)) > had
    assert computed_simulations[-1][1] > 0, "it continued the earlier simulation"
    assert "from scratch" not in text_of(answer_of(result))
    assert first[1] == 0

    opened = await push(mallory, answer_of(result), "try")
    form = await mallory.submit_modal(opened, {"play": "pass"})
    assert "**pass** +0" in text_of(answer_of(form))


async def test_a_finished_analysis_is_shown_after_a_restart(world, computed_simulations):  # noqa: F811 - a fixture
    message = await post_text(world, OPENING)
    result = await press_analyze(world.bob, message)
    await push(world.bob, answer_of(result), "deepen")
    found = rollouts(answer_of(result))
    await world.restart()
    await choose(world.bob, answer_of(result), "ranked", "1")
    assert " · no. 2 of " in text_of(answer_of(result))
    assert rollouts(answer_of(result)) == found
    await world.restart()
    other = await press_analyze(world.alice, message)
    await push(world.alice, answer_of(other), "deepen")
    assert rollouts(answer_of(other)) == found
    assert "From an earlier analysis." in text_of(answer_of(other))
    assert len(computed_simulations) == 1, "it was computed once"
    deeper = next(name for name in custom_ids(answer_of(other)) if name.endswith(":4"))
    await click(world.alice, answer_of(other), custom_id=deeper)
    assert "4 turns ahead" in text_of(answer_of(other))
    assert len(computed_simulations) == 2, "with other options, it is a new analysis"


async def test_a_lost_result_is_reported_and_computed_again(world, computed_simulations, monkeypatch):  # noqa: F811 - a fixture
    result = await press_analyze(world.bob, await post_text(world, OPENING))
    await push(world.bob, answer_of(result), "deepen")
    await world.restart()
    monkeypatch.setattr("bot.features.showing.document_service.__version__", "0.0.0")
    refused = await push(world.bob, answer_of(result), "post")
    assert [text_of(followup) for followup in refused.followups] == [
        "This result is no longer stored. Press the button again to compute it."
    ]
    await choose(world.bob, answer_of(result), "ranked", "1")
    answer = answer_of(result)
    assert "This result is no longer stored." in text_of(answer)
    assert "equity " in text_of(answer).splitlines()[1]
    assert "kibitz:deepen" in controls_by_kind(answer), "a simulation can be started"


async def test_a_simulation_that_cannot_continue_starts_again(world, computed_simulations):  # noqa: F811 - a fixture
    result = await press_analyze(world.bob, await post_text(world, OPENING))
    await push(world.bob, answer_of(result), "deepen")
    await world.restart()
    await push(world.bob, answer_of(result), "longer")
    assert "The earlier simulation is no longer stored, so this one started from scratch." in text_of(
        answer_of(result)
    )
    assert computed_simulations[-1][1] == 0


async def test_an_analysis_is_posted_once_by_users_who_may_write(world):
    mute = {world.bob: discord.PermissionOverwrite(send_messages=False)}
    reading = world.guild.create_text_channel("reading", overwrites=mute)
    await world.alice.send(reading, OPENING)
    silent = answer_of(await press_analyze(world.bob, replies(reading)[-1]))
    refused = await push(world.bob, silent, "post")
    assert "You can't write in this channel." in text_of(answer_of(refused))
    assert len(replies(reading)) == 1
    answer = answer_of(await press_analyze(world.bob, await post_text(world, OPENING)))
    before = len(replies(world.channel))
    await push(world.bob, answer, "post", 1)
    post = replies(world.channel)[-1]
    assert text_of(post).splitlines()[0] == "🔍 **bob** asked me:"
    assert text_of(post).splitlines()[1].startswith("||**8")
    assert post.attachments[0].is_spoiler()
    assert len(replies(world.channel)) == before + 1


async def test_a_viewer_judges_the_shown_turn_after_a_challenge(world):
    viewer = await post_text(world, CHALLENGED)
    output = []
    for _ in range(5):
        viewer = replies(world.channel)[-1]
        if "kibitz:analyze" in controls_by_kind(viewer):
            output.append(text_of(answer_of(await press_analyze(world.bob, viewer))))
        await press(world.bob, viewer, "previous")
    judged = [re.search(r"Turn \d: \w+ played \*\*[^*]+\*\*", text)[0] for text in output]
    assert judged == [
        "Turn 5: Bob played **exchange CD**",
        "Turn 4: Alice played **9A NASTIER**",
        "Turn 3: Bob played **8G QUOD**",
        "Turn 1: Alice played **8D NASTIRE**",
        "Turn 1: Alice played **8D NASTIRE**",
    ]
    assert "less than the best" in output[2]
    result = await press_analyze(world.bob, viewer)
    third = next(name for name in custom_ids(answer_of(result)) if re.search("judge:[^:]+:2:", name))
    await click(world.bob, answer_of(result), custom_id=third)
    assert "Turn 3: Bob played **8G QUOD" in text_of(answer_of(result))
