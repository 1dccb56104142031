"""Rankings of plays, requested by a button, a command or a message menu."""

from __future__ import annotations

import re

import msgspec
import pytest

from bot.chat.card import Card
from bot.features.analysis.controls import ANALYSES
from tests.domain.crossword.notations.live_links import game_link, history
from tests.positions import MAVEN, OPENING

from .actions import (
    choose,
    click,
    control,
    controls_of,
    kinds_of,
    post_and_get_reply,
    press_analyze,
    press_button_of_kind,
    press_copy,
    replies,
    reply_of,
    text_of,
)
from .conftest import make_settings

POSITION_WITH_PHONY = f"{'/'.join(['15'] * 7)}/6ZZZ6/{'/'.join(['15'] * 7)} AEINRST/ 0/0 0"


GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIER +66 66\n"
    ">bob: ABCDEFG -AB +0 0\n>alice: EIQUOOD 9C DO +14 80\n"
)


async def test_the_button_shows_the_best_plays_privately(world):
    message = await post_and_get_reply(world, OPENING)
    reply = reply_of(await press_analyze(world.bob, message))
    assert reply.ephemeral
    assert re.match(r"\*\*8\w \w+\*\* \+\d\d · best of 1,563\nequity \d+\.\d · SCOWL95\n", text_of(reply))
    table = text_of(reply).split("```")[1].strip().splitlines()
    assert table[0].split() == ["play", "pts", "equity"], (
        "the table has a column for leaves, although bingos leave no tiles"
    )
    assert len(table) == 9
    assert max(map(len, table)) <= 30
    equities = [float(line.split()[4]) for line in table[1:]]
    assert equities == sorted(equities, reverse=True)
    [picture] = reply.attachments
    assert picture.filename == "analysis.png"
    assert picture.description.startswith("Proposed: 8")


async def test_another_play_is_shown_on_the_board(world):
    result = await press_analyze(world.bob, await post_and_get_reply(world, OPENING))
    fourth_option = control(reply_of(result), "ranked")["options"][3]
    assert fourth_option["label"].startswith("4. ")
    await choose(world.bob, reply_of(result), "ranked", fourth_option["value"])
    play, score = re.fullmatch(r"4\. (.+) (\+\d+)", fourth_option["label"]).groups()
    changed_reply = reply_of(result)
    assert text_of(changed_reply).startswith(f"**{play}** {score} · no. 4 of ")
    assert changed_reply.attachments[0].description.startswith(f"Proposed: {play}, ")
    assert control(changed_reply, "ranked")["options"][3]["default"]


async def test_an_analysis_of_a_live_game_is_private_and_has_a_warning(world):
    link = game_link(history("g7", 4))
    result = await world.alice.slash(world.channel, "analyze", position=link, rack="AEINRST")
    assert result.ephemeral
    reply = reply_of(result)
    assert "Most games forbid outside help" in text_of(reply)
    assert " · best of " in text_of(reply)
    without_rack = await world.alice.slash(world.channel, "analyze", position=link)
    assert without_rack.ephemeral
    assert "the rack of the player to move is not known" in text_of(reply_of(without_rack))
    assert not {"post", "longer"} & set(kinds_of(reply))


async def test_an_analysis_of_a_live_game_is_private_however_it_is_requested(world):
    warning = "Most games forbid outside help"
    message = await post_and_get_reply(world, game_link(history("g7", 4)))
    text = (
        (text_of(await press_copy(world.bob, message))).split("```")[1].strip().replace(" / ", " AEINRST/ ")
    )
    previous_id = next(item["custom_id"] for item in controls_of(message) if item["custom_id"].endswith(":p"))
    await click(world.bob, message, custom_id=previous_id)
    by_button = await press_analyze(world.bob, replies(world.channel)[-1])
    by_link = await world.alice.slash(
        world.channel, "analyze", position=game_link(history("g7", 4)), rack="AEINRST"
    )
    by_position = await world.alice.slash(world.channel, "analyze", position=text)
    for result in (by_button, by_link, by_position):
        assert reply_of(result).ephemeral
        assert warning in text_of(reply_of(result))
        await choose(world.bob if result is by_button else world.alice, reply_of(result), "ranked", "1")
        assert " · no. 2 of " in text_of(reply_of(result))
        assert warning in text_of(reply_of(result))
    by_menu = await world.bob.context_menu(world.channel, "Analyze position", world.channel.history()[0])
    assert by_menu.ephemeral


async def test_analyze_under_a_viewer_judges_the_shown_turn(world):
    message = await post_and_get_reply(world, GAME)
    last_turn = reply_of(await press_analyze(world.bob, message))
    assert "Turn 3: Alice played **9C DO** " in text_of(last_turn)
    first_button = next(item for item in controls_of(message) if item["custom_id"].endswith(":f"))
    await click(world.bob, message, custom_id=first_button["custom_id"])
    message = replies(world.channel)[-1]
    reply = reply_of(await press_analyze(world.bob, message))
    assert "Turn 1: Alice played **8D NASTIER** +66" in text_of(reply)


async def test_a_failed_ranking_is_not_posted(world, monkeypatch):
    reply = reply_of(await press_analyze(world.bob, await post_and_get_reply(world, OPENING)))

    async def fail(*_arguments):
        return Card("No ranking.", has_result=False)

    monkeypatch.setattr(world.bot.services[ANALYSES], "make_ranking_card", fail)
    count = len(replies(world.channel))
    result = await press_button_of_kind(world.bob, reply, "post:")
    assert text_of(reply_of(result)) == "No ranking."
    assert reply_of(result).ephemeral
    assert len(replies(world.channel)) == count
    monkeypatch.undo()
    await press_button_of_kind(world.bob, reply, "post:")
    assert len(replies(world.channel)) == count + 1


async def test_spoilers_stay_hidden(world):
    message = await post_and_get_reply(world, f"||{OPENING}||")
    reply = reply_of(await press_analyze(world.bob, message))
    assert text_of(reply).startswith("||")
    assert text_of(reply).endswith("||")
    assert reply.attachments[0].filename.startswith("SPOILER_")
    assert [option["label"] for option in control(reply, "ranked")["options"]][:2] == [
        "No. 1",
        "No. 2",
    ]


async def test_another_rack_can_be_analyzed(world):
    result = await world.alice.slash(world.channel, "analyze", position=OPENING, rack="QUIZ???")
    assert " · best of " in text_of(reply_of(result))
    assert "Q" in text_of(reply_of(result)).split("```")[1].replace("·", "").upper()
    refusal = await world.alice.slash(world.channel, "analyze", position=OPENING, rack="AEINRSTX")
    assert refusal.ephemeral
    assert text_of(reply_of(refusal)) == "a rack has at most 7 tiles"


async def test_a_missing_lexicon_is_replaced_by_the_most_similar_one(world):
    message = await post_and_get_reply(world, MAVEN)  # names OSPD1
    reply = reply_of(await press_analyze(world.bob, message))
    assert " · best of " in text_of(reply)
    assert "OSPD1 isn't installed, so this uses SCOWL95. Some words may differ." in text_of(reply)
    assert text_of(reply).count("OSPD1") == 1
    description = reply.attachments[0].description
    assert "Lexicon SCOWL95." in description
    assert "OSPD1" not in description
    result = await press_analyze(world.bob, message)
    await click(world.bob, reply_of(result), label="Use CROSSWD")
    content = text_of(reply_of(result))
    assert "· CROSSWD\n" in content
    assert "OSPD1 isn't installed, so this uses CROSSWD. Some words may differ." in content
    assert [
        item["label"] for item in controls_of(reply_of(result)) if "kibitz:judge" in item["custom_id"]
    ] == ["Use SCOWL95", "Use SCOWL80"]
    await choose(world.bob, reply_of(result), "ranked", "1")
    assert "OSPD1 isn't installed, so this uses CROSSWD" in text_of(reply_of(result)), (
        "choosing another play changed the lexicon"
    )


async def test_a_server_chooses_the_replacement_for_a_missing_lexicon(world, carol):
    refusal = await carol.slash(world.channel, "settings server", aliases="OSPD1")
    assert "Write up to 20 pairs such as NWL18=NWL23" in text_of(refusal.response)
    panel = await carol.slash(world.channel, "settings server", aliases="ospd1 = CROSSWD")
    assert "Replacements for lexica that aren't installed: ospd1=CROSSWD" in text_of(panel.response)
    reply = reply_of(await press_analyze(world.bob, await post_and_get_reply(world, MAVEN)))
    assert "· CROSSWD\n" in text_of(reply)
    assert "isn't installed" not in text_of(reply)
    panel = await carol.slash(world.channel, "settings server", aliases="-")
    assert "ospd1" not in text_of(panel.response)


async def test_phonies_on_the_board_are_listed(world):
    result = await world.alice.slash(
        world.channel, "analyze", position=POSITION_WITH_PHONY, lexicon="CROSSWD"
    )
    assert "On the board, but not in CROSSWD: ZZZ." in text_of(reply_of(result))


async def test_the_value_of_challenging_the_last_play_is_shown(world):
    board = "15/15/15/15/15/3OUZO2PANTO1/5I1CHID4/5NTH2OFTER/2I2SOAK6/2N4MAY5/2CROWDS7/2L11Q/14U/14X/14E"
    text = f"{board} DGILSTV/ 209/206 0 lm O12 QUXE; cr double;"
    reply = reply_of(await press_analyze(world.bob, await post_and_get_reply(world, text)))
    assert re.search(
        r"⚖ \*\*Challenge QUXE\*\*: worth \+\d+ ± \d+ points\.\n"
        r"If it's challenged off: you win \d+ ± \d+% with .+ \+\d+\.\n"
        r"If it stands: you win \d+ ± \d+% with .+ \+\d+\.\n"
        r"A failed challenge costs you your turn: challenge if you are at least \d+% sure that it's a phony\.",
        text_of(reply).replace("\\", ""),
    )


async def test_input_that_cannot_be_analyzed_is_refused_privately(world):
    for text, problem in (
        ("8/8/8/8/8/8/8/K6k w - - 0 1", "This bot has no chess engine."),
        ("good morning", "Kibitz found no position in this text."),
    ):
        result = await world.alice.slash(world.channel, "analyze", position=text)
        assert result.ephemeral
        assert not reply_of(result).attachments
        assert text_of(reply_of(result)).startswith(problem)


async def test_the_message_menu_analyzes_a_message(world):
    message = await world.alice.send(world.channel, OPENING)
    result = await world.bob.context_menu(world.channel, "Analyze position", message)
    assert result.ephemeral
    assert " · best of " in text_of(reply_of(result))


class TestWithoutAnalysis:
    @pytest.fixture
    def settings(self, settings, tmp_path):
        disabled_analysis = msgspec.structs.replace(settings.analysis, enabled=False)
        return make_settings(tmp_path, analysis=disabled_analysis)

    async def test_commands_report_that_analysis_is_not_installed(self, world):
        message = await post_and_get_reply(world, OPENING)
        assert "analyze" not in kinds_of(message)
        for command, options in (("analyze", {"position": OPENING}), ("check", {"words": "cat"})):
            result = await world.alice.slash(world.channel, command, **options)
            assert result.ephemeral
            assert text_of(reply_of(result)) == "Analysis isn't installed where this bot runs."
