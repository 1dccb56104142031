"""Analyses over several steps: a private ranking, a post in the channel, a simulation, a restart."""

from __future__ import annotations

import re

from tests.positions import MAVEN, OPENING

from .actions import (
    choose,
    click,
    controls_of,
    ids_of,
    kinds_of,
    post_and_get_reply,
    press,
    press_analyze,
    press_button_of_kind,
    replies,
    reply_of,
    text_of,
)

GAME_WITH_A_CHALLENGE = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIRE +66 66\n>alice: AEINRST -- -66 0\n"
    ">bob: EIQUOOD 8G QUOD +28 28\n>alice: AEINRST 9A NASTIER +71 71\n>bob: EIOABCD -CD +0 28\n"
)


def rollout_count(reply):
    return int(re.search(r"([\d,]+) rollouts", text_of(reply))[1].replace(",", ""))


async def test_an_analysis_is_expanded_posted_simulated_and_continued(world, computed_simulations):
    mallory = world.guild.add_member(world.env.create_user("mallory"), nick="**x** @everyone [a](http://b)")
    result = await press_analyze(
        mallory, await post_and_get_reply(world, MAVEN.replace(" lex OSPD1;", " lex NWL23;"))
    )
    reply = reply_of(result)
    assert "NWL23 isn't installed, so this uses SCOWL95. Some words may differ." in text_of(reply)
    assert len(text_of(reply).split("```")[1].strip().splitlines()) == 9

    await press_button_of_kind(mallory, reply, "rows")
    assert len(text_of(reply_of(result)).split("```")[1].strip().splitlines()) == 16
    await choose(mallory, reply_of(result), "ranked", "1")
    reply = reply_of(result)
    assert " · no. 2 of " in text_of(reply)
    assert len(text_of(reply).split("```")[1].strip().splitlines()) == 16, "the long table was shortened"

    earlier_reply_count = len(replies(world.channel))
    await press_button_of_kind(mallory, reply, "post")
    post = replies(world.channel)[-1]
    assert len(replies(world.channel)) == earlier_reply_count + 1
    lead, headline = text_of(post).splitlines()[:2]
    assert lead == r"🔍 **\*\*x\*\* \@everyone \[a\](http\:\/\/b)** asked Kibitz:"
    assert " · no. 2 of " in headline
    assert not post.attachments[0].is_spoiler()
    assert set(kinds_of(post)) == {"analyze", "try", "delete"}
    post_buttons = [
        item for item in controls_of(reply_of(result)) if item["custom_id"].startswith("kibitz:post:")
    ]
    assert [button["disabled"] for button in post_buttons] == [True]

    await press_button_of_kind(mallory, reply_of(result), "deepen")
    reply = reply_of(result)
    assert "longer" in kinds_of(reply)
    count_before, [first_simulation] = rollout_count(reply), computed_simulations
    await press_button_of_kind(mallory, reply_of(result), "longer")
    assert rollout_count(reply_of(result)) > count_before
    assert computed_simulations[-1][1] > 0, "the second simulation did not continue the first"
    assert "from scratch" not in text_of(reply_of(result))
    assert first_simulation[1] == 0

    form = await press_button_of_kind(mallory, reply_of(result), "try")
    trial = await mallory.submit_modal(form, {"play": "pass"})
    assert "**pass** +0" in text_of(reply_of(trial))


async def test_a_finished_analysis_is_shown_after_a_restart(world, computed_simulations):
    message = await post_and_get_reply(world, OPENING)
    result = await press_analyze(world.bob, message)
    await press_button_of_kind(world.bob, reply_of(result), "deepen")
    stored_count = rollout_count(reply_of(result))
    await world.restart()
    await choose(world.bob, reply_of(result), "ranked", "1")
    assert " · no. 2 of " in text_of(reply_of(result))
    assert rollout_count(reply_of(result)) == stored_count
    await world.restart()
    alices_result = await press_analyze(world.alice, message)
    await press_button_of_kind(world.alice, reply_of(alices_result), "deepen")
    assert rollout_count(reply_of(alices_result)) == stored_count
    assert "From an earlier analysis." in text_of(reply_of(alices_result))
    assert len(computed_simulations) == 1, "the simulation was computed again"
    deeper_id = next(id_ for id_ in ids_of(reply_of(alices_result)) if id_.endswith(":4"))
    await click(world.alice, reply_of(alices_result), custom_id=deeper_id)
    assert "4 turns ahead" in text_of(reply_of(alices_result))
    assert len(computed_simulations) == 2, "a result for other options was shown instead of a new simulation"


async def test_a_lost_result_is_reported_and_can_be_computed_again(world, computed_simulations, monkeypatch):
    result = await press_analyze(world.bob, await post_and_get_reply(world, OPENING))
    await press_button_of_kind(world.bob, reply_of(result), "deepen")
    await world.restart()
    monkeypatch.setattr("bot.features.showing.document_service.__version__", "0.0.0")
    refusal = await press_button_of_kind(world.bob, reply_of(result), "post")
    assert [text_of(followup) for followup in refusal.followups] == [
        "This result is no longer stored. Simulate or solve the position again."
    ]
    await choose(world.bob, reply_of(result), "ranked", "1")
    reply = reply_of(result)
    assert "This result is no longer stored." in text_of(reply)
    assert "equity " in text_of(reply).splitlines()[1]
    assert "deepen" in kinds_of(reply), "the simulation cannot be started again"


async def test_a_simulation_whose_state_is_lost_starts_from_scratch(world, computed_simulations):
    result = await press_analyze(world.bob, await post_and_get_reply(world, OPENING))
    await press_button_of_kind(world.bob, reply_of(result), "deepen")
    await world.restart()
    await press_button_of_kind(world.bob, reply_of(result), "longer")
    assert "The earlier simulation is no longer stored, so this one started from scratch." in text_of(
        reply_of(result)
    )
    assert computed_simulations[-1][1] == 0


async def test_only_users_who_may_write_can_post_an_analysis(world):
    read_only_channel = world.create_channel_with_permissions(world.bob, send_messages=False)
    await world.alice.send(read_only_channel, OPENING)
    reply = reply_of(await press_analyze(world.bob, replies(read_only_channel)[-1]))
    refusal = await press_button_of_kind(world.bob, reply, "post")
    assert "You can't write in this channel." in text_of(reply_of(refusal))
    assert len(replies(read_only_channel)) == 1
    reply = reply_of(await press_analyze(world.bob, await post_and_get_reply(world, OPENING)))
    earlier_reply_count = len(replies(world.channel))
    await press_button_of_kind(world.bob, reply, "post", 1)  # Post hidden
    post = replies(world.channel)[-1]
    assert text_of(post).splitlines()[0] == "🔍 **bob** asked Kibitz:"
    assert text_of(post).splitlines()[1].startswith("||**8")
    assert post.attachments[0].is_spoiler()
    assert len(replies(world.channel)) == earlier_reply_count + 1


async def test_the_shown_turn_is_judged_in_a_game_with_a_challenge(world):
    viewer = await post_and_get_reply(world, GAME_WITH_A_CHALLENGE)
    analyses = []
    for _ in range(5):
        viewer = replies(world.channel)[-1]
        if "analyze" in kinds_of(viewer):
            analyses.append(text_of(reply_of(await press_analyze(world.bob, viewer))))
        await press(world.bob, viewer, "previous")
    # Turn 2 takes back the play of turn 1, so the analysis under turn 2 also judges turn 1.
    judged_turns = [re.search(r"Turn \d: \w+ played \*\*[^*]+\*\*", text)[0] for text in analyses]
    assert judged_turns == [
        "Turn 5: Bob played **exchange CD**",
        "Turn 4: Alice played **9A NASTIER**",
        "Turn 3: Bob played **8G QUOD**",
        "Turn 1: Alice played **8D NASTIRE**",
        "Turn 1: Alice played **8D NASTIRE**",
    ]
    assert "less than the best" in analyses[2]
    result = await press_analyze(world.bob, viewer)
    third_turn_id = next(id_ for id_ in ids_of(reply_of(result)) if re.search("judge:[^:]+:2:", id_))
    await click(world.bob, reply_of(result), custom_id=third_turn_id)
    assert "Turn 3: Bob played **8G QUOD" in text_of(reply_of(result))
