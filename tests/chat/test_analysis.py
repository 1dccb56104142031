"""Tests analyses by button, command and menu, and questions about words."""

from __future__ import annotations

import re
from dataclasses import replace

import discord
import pytest

from bot.chat.card import Card, NoAnswerError
from bot.chat.layout import lay_out
from bot.chat.press import Press, Stop
from bot.engine.simulation.result import Ending
from bot.features.analysis.controls import ANALYSES
from bot.features.analysis.crossword.perform import perform
from bot.features.analysis.crossword.request import Method
from bot.features.showing.crossword.board_scene import proposal_scene
from bot.jobs.account import OverBudgetError
from bot.jobs.processes import LimitError
from bot.text import speaker
from tests.domain.crossword.notations.live_links import history, whole
from tests.positions import FOUR_IN_BAG, MAVEN, OPENING

from .conftest import make_settings
from .viewer import answer_of, click, components_of, press_copy, replies, text_of

SAY = speaker("en")
MOMENT = 0.3
"""The seconds of work in the tests, which are just enough for a result."""
PHONY = f"{'/'.join(['15'] * 7)}/6ZZZ6/{'/'.join(['15'] * 7)} AEINRST/ 0/0 0"
GAME = (
    "#character-encoding UTF-8\n#player1 alice Alice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIER +66 66\n"
    ">bob: ABCDEFG -AB +0 0\n>alice: EIQUOOD 9C DO +14 80\n"
)


def controls_by_kind(message):
    return {re.match(r"kibitz:\w+", item["custom_id"])[0]: item for item in components_of(message)}


async def press_analyze(person, message):
    """Press *Analyze*. ``answer_of`` the result always reads the current state of the answer, even after later edits."""
    return await click(person, message, custom_id=controls_by_kind(message)["kibitz:analyze"]["custom_id"])


async def choose(person, answer, menu, value):
    await person.select(answer, [value], custom_id=controls_by_kind(answer)[f"kibitz:{menu}"]["custom_id"])


async def post_text(world, text):
    await world.alice.send(world.channel, text)
    return replies(world.channel)[-1]


@pytest.fixture
def short_budgets(monkeypatch):
    """Shorten the time limits of long analyses, and the pauses between edits."""
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.05)
    monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", MOMENT)
    monkeypatch.setattr("bot.features.analysis.service.LONGER_SECONDS", MOMENT)


async def test_the_button_shows_the_best_plays_to_the_presser(world):
    message = await post_text(world, OPENING)
    answer = answer_of(await press_analyze(world.bob, message))
    assert answer.ephemeral
    assert re.match(r"\*\*8\w \w+\*\* \+\d\d · best of 1,563\nequity \d+\.\d · SCOWL95\n", text_of(answer))
    table = text_of(answer).split("```")[1].strip().splitlines()
    assert table[0].split() == ["play", "pts", "equity"], (
        "there is no leave, because all listed plays are bingos"
    )
    assert len(table) == 9
    assert max(map(len, table)) <= 30
    equities = [float(line.split()[4]) for line in table[1:]]
    assert equities == sorted(equities, reverse=True)
    [picture] = answer.attachments
    assert picture.filename == "analysis.png"
    assert picture.description.startswith("Proposed: 8")


async def test_another_play_is_shown_on_the_board(world):
    result = await press_analyze(world.bob, await post_text(world, OPENING))
    fourth = controls_by_kind(answer_of(result))["kibitz:ranked"]["options"][3]
    assert fourth["label"].startswith("4. ")
    await choose(world.bob, answer_of(result), "ranked", fourth["value"])
    play, score = re.fullmatch(r"4\. (.+) (\+\d+)", fourth["label"]).groups()
    changed = answer_of(result)
    assert text_of(changed).startswith(f"**{play}** {score} · no. 4 of ")
    assert changed.attachments[0].description.startswith(f"Proposed: {play}, ")
    assert controls_by_kind(changed)["kibitz:ranked"]["options"][3]["default"]


async def test_controls_work_after_a_restart(world):
    result = await press_analyze(world.bob, await post_text(world, OPENING))
    await world.restart()
    await choose(world.bob, answer_of(result), "ranked", "1")
    assert " · no. 2 of " in text_of(answer_of(result))


async def test_a_simulation_replaces_the_ranking_in_the_message(world, short_budgets):
    result = await press_analyze(world.bob, await post_text(world, OPENING))
    button = controls_by_kind(answer_of(result))["kibitz:deepen"]["custom_id"]
    await click(world.bob, answer_of(result), custom_id=button)
    assert "\nsimulation: wins " in text_of(answer_of(result))
    await choose(world.bob, answer_of(result), "ranked", "2")
    assert " · no. 3 of " in text_of(answer_of(result))
    assert "\nsimulation: wins " in text_of(answer_of(result))


async def analyze_with_method(person, world, text, method):
    """Post a position, analyze it, and compare its plays by a method."""
    result = await press_analyze(person, await post_text(world, text))
    button = next(
        item["custom_id"]
        for item in components_of(answer_of(result))
        if item["custom_id"].startswith(f"kibitz:deepen:{method}:")
    )
    await click(person, answer_of(result), custom_id=button)
    return result


ENDGAME = MAVEN.removesuffix(" lex OSPD1;")


async def test_a_three_player_game_is_simulated(world, short_budgets):
    three_players = OPENING.replace("AEINRST/ 0/0", "AEINRST// 0/0/0")
    answer = answer_of(await analyze_with_method(world.alice, world, three_players, "simulation"))
    assert "3 turns ahead" in text_of(answer)
    assert "After the best play, the next player scores " in text_of(answer)
    assert "Win chances with 3 players are estimated" in text_of(answer)
    assert not any(name.startswith("kibitz:deepen:solution") for name in controls_by_kind(answer))
    rollouts_before = int(re.search(r"(\d+) rollouts", text_of(answer))[1])
    result = await click(
        world.alice, answer, custom_id=controls_by_kind(answer)["kibitz:longer"]["custom_id"]
    )
    assert int(re.search(r"(\d+) rollouts", text_of(answer_of(result)))[1]) > rollouts_before


async def test_an_endgame_is_solved(world, short_budgets):
    result = await analyze_with_method(world.alice, world, ENDGAME, "solution")
    answer = answer_of(result)
    assert re.match(
        r"\*\*.+\*\* .+ · best of .+\nendgame: (gains \+|loses )\d+ by the end · SCOWL95", text_of(answer)
    )
    assert re.search(r"Best line: \w+", text_of(answer))
    assert "roved" in text_of(answer)
    assert controls_by_kind(answer)["kibitz:ranked"]["custom_id"].startswith("kibitz:ranked:solution:")
    await choose(world.alice, answer, "ranked", "0")
    assert " by the end" in text_of(answer_of(result))


async def pre_endgame_report(world, position, monkeypatch):
    """Return the text of the solution of a pre-endgame. The time limit grows until the search finds a solution."""
    for seconds in (1.0, 4.0, 16.0, 64.0):  # one second is enough on a machine that is not busy
        monkeypatch.setattr("bot.engine.analysis.DEFAULT_SECONDS", seconds)
        answer = answer_of(await analyze_with_method(world.alice, world, position, "solution"))
        if "The search stopped before it found a solution" not in text_of(answer):
            break
    return text_of(answer)


async def test_a_pre_endgame_counts_the_tiles_with_which_a_play_wins(world, short_budgets, monkeypatch):
    one_in_bag = (
        ENDGAME.replace("1INDOW1U7", "1INDOW9")
        .replace("1GNU2C", "1GN3C")
        .replace("IKLMTZ/AEINRU?", "IKLMTUZ/")
    )
    text = await pre_endgame_report(world, one_in_bag, monkeypatch)
    assert re.match(r"\*\*.+\*\* .+\npre-endgame: wins \d+\.\d(–\d+\.\d)?% · SCOWL95", text)
    assert "it can be any of 8 tiles" in text
    assert re.search(r"\d+-\d+-\d+|\d+–\d+", text.split("```")[1])


async def test_an_unproved_pre_endgame_shows_an_estimate(world, short_budgets, monkeypatch):
    text = await pre_endgame_report(world, FOUR_IN_BAG, monkeypatch)
    assert re.match(r"\*\*.+\*\* .+\npre-endgame: wins about \d+%(, proved \d+–\d+%)? · SCOWL95", text)
    assert "4 tiles are in the bag." in text
    assert re.search(r" \d+†? +\d+–\d+$", text.split("```")[1], re.MULTILINE)


async def test_an_analysis_of_a_running_game_is_private_and_has_a_warning(world):
    link = whole(history("g7", 4))
    result = await world.alice.slash(world.channel, "analyze", position=link, rack="AEINRST")
    assert result.ephemeral
    answer = answer_of(result)
    assert "Most games forbid outside help" in text_of(answer)
    assert " · best of " in text_of(answer)
    without_rack = await world.alice.slash(world.channel, "analyze", position=link)
    assert without_rack.ephemeral
    assert "the rack of the player to move is not known" in text_of(answer_of(without_rack))
    assert not [item for item in controls_by_kind(answer) if item in {"kibitz:post", "kibitz:longer"}]


async def test_an_analysis_of_a_live_game_is_private_however_it_is_requested(world):
    warning = "Most games forbid outside help"
    message = await post_text(world, whole(history("g7", 4)))
    text = (
        (text_of(await press_copy(world.bob, message))).split("```")[1].strip().replace(" / ", " AEINRST/ ")
    )
    previous = next(item["custom_id"] for item in components_of(message) if item["custom_id"].endswith(":p"))
    await click(world.bob, message, custom_id=previous)
    by_button = await press_analyze(world.bob, replies(world.channel)[-1])
    by_link = await world.alice.slash(
        world.channel, "analyze", position=whole(history("g7", 4)), rack="AEINRST"
    )
    by_position = await world.alice.slash(world.channel, "analyze", position=text)
    for result in (by_button, by_link, by_position):
        assert answer_of(result).ephemeral
        assert warning in text_of(answer_of(result))
        await choose(world.bob if result is by_button else world.alice, answer_of(result), "ranked", "1")
        assert " · no. 2 of " in text_of(answer_of(result))
        assert warning in text_of(answer_of(result))
    by_menu = await world.bob.context_menu(world.channel, "Analyze position", world.channel.history()[0])
    assert by_menu.ephemeral


async def test_a_stopped_analysis_shows_the_partial_result(world, monkeypatch):
    monkeypatch.setattr("bot.chat.press.EDIT_SECONDS", 0.02)
    analyses = world.bot.service[ANALYSES]
    progress_cards, questions = [], []
    follow, start = Press.follow, analyses.start

    async def start_and_record(question, *arguments, **more):
        questions.append(question)
        return await start(question, *arguments, **more)

    async def stop_and_follow(press, work, say):
        """While the analysis runs, request another, which is refused, then stop the first."""
        with pytest.raises(NoAnswerError, match="One analysis at a time"):
            await start(questions[0], Method.SOLUTION, press.requester)
        progress_cards.append(await anext(work.progress(0.02)))
        assert world.bot.service.stop_job_of(press.user)
        return await follow(press, work, say)

    monkeypatch.setattr(analyses, "start", start_and_record)
    monkeypatch.setattr(Press, "follow", stop_and_follow)
    result = await analyze_with_method(world.alice, world, ENDGAME, "simulation")
    assert progress_cards[0].text.startswith("⏳ ▱")
    assert " · best of " in text_of(answer_of(result))
    assert not world.bot.service.stop_job_of(world.alice.id)


@pytest.fixture
def computed_simulations(monkeypatch, short_budgets):
    """A list that grows with each computed simulation: its time limit, and the number of earlier iterations that it continues."""

    simulations = []

    def perform_and_record(request, lexica, control, engine):
        earlier_samples = request.before.candidates[0].samples if request.before else ()
        simulations.append((request.options.seconds, len(earlier_samples)))
        result = perform(request, lexica, control, engine)
        if result.simulation is None:
            return result
        # Even on a fast machine, the simulation never counts as decided.
        return replace(result, simulation=replace(result.simulation, ending=Ending.TIME))

    monkeypatch.setattr("bot.app.queues.perform", perform_and_record)
    return simulations


async def test_a_finished_result_is_shown_from_storage_but_not_a_stopped_one(
    world, computed_simulations, monkeypatch
):
    async def stop_at_once(press, work, say):
        del press, say
        work.stop()
        return await work.reply()

    with monkeypatch.context() as context:
        context.setattr(Press, "follow", stop_at_once)
        await analyze_with_method(world.alice, world, OPENING, "simulation")
    first = text_of(answer_of(await analyze_with_method(world.alice, world, OPENING, "simulation")))
    assert computed_simulations == [(MOMENT, 0)] * 2, "a stopped simulation does not answer the next question"
    assert text_of(answer_of(await analyze_with_method(world.bob, world, OPENING, "simulation"))) == first
    assert len(computed_simulations) == 2


async def test_a_failed_analysis_restores_the_ranking(world, short_budgets, monkeypatch):
    async def reply_stopped(self):
        del self
        return Card("Stopped before it began.", has_content=False)

    answer = answer_of(await press_analyze(world.bob, await post_text(world, OPENING)))
    ranking = text_of(answer)
    monkeypatch.setattr("bot.features.analysis.work.RunningWork.reply", reply_stopped)
    result = await click(world.bob, answer, custom_id=controls_by_kind(answer)["kibitz:deepen"]["custom_id"])
    assert [text_of(followup) for followup in result.followups] == ["Stopped before it began."]
    assert text_of(answer) == ranking
    assert "kibitz:deepen" in controls_by_kind(answer)


async def test_only_the_requester_and_moderators_stop_an_analysis(world):
    message = await post_text(world, OPENING)
    result = await press_analyze(world.bob, message)
    stop = Stop(world.bob.id).write()
    assert re.fullmatch(r"kibitz:stop:\d+", stop)
    view, _ = lay_out(Card("⏳", controls=(Stop(world.alice.id),)), SAY, None)
    await world.bot.get_channel(world.channel.id).send(view=view)
    progress_message = replies(world.channel)[-1]
    refused = await click(world.bob, progress_message, custom_id=Stop(world.alice.id).write())
    assert "Only the person Kibitz is replying to" in text_of(answer_of(refused))
    late_press = await click(world.alice, progress_message, custom_id=Stop(world.alice.id).write())
    assert "has already finished" in text_of(answer_of(late_press))
    assert " · best of " in text_of(answer_of(result))


async def test_a_viewer_offers_the_best_plays_of_the_shown_turn(world):
    message = await post_text(world, GAME)
    last_turn = answer_of(await press_analyze(world.bob, message))
    assert "Turn 3: Alice played **9C DO** " in text_of(last_turn)
    first_button = next(item for item in components_of(message) if item["custom_id"].endswith(":f"))
    await click(world.bob, message, custom_id=first_button["custom_id"])
    message = replies(world.channel)[-1]
    answer = answer_of(await press_analyze(world.bob, message))
    assert "Turn 1: Alice played **8D NASTIER** +66" in text_of(answer)


async def test_spoilers_stay_hidden(world):
    message = await post_text(world, f"||{OPENING}||")
    answer = answer_of(await press_analyze(world.bob, message))
    assert text_of(answer).startswith("||")
    assert text_of(answer).endswith("||")
    assert answer.attachments[0].filename.startswith("SPOILER_")
    assert [option["label"] for option in controls_by_kind(answer)["kibitz:ranked"]["options"]][:2] == [
        "No. 1",
        "No. 2",
    ]


async def test_another_rack_can_be_analyzed(world):
    result = await world.alice.slash(world.channel, "analyze", position=OPENING, rack="QUIZ???")
    assert " · best of " in text_of(answer_of(result))
    assert "Q" in text_of(answer_of(result)).split("```")[1].replace("·", "").upper()
    refused = await world.alice.slash(world.channel, "analyze", position=OPENING, rack="AEINRSTX")
    assert refused.ephemeral
    assert text_of(answer_of(refused)) == "a rack has at most 7 tiles"


async def test_a_missing_lexicon_is_replaced_by_the_nearest(world):
    message = await post_text(world, MAVEN)  # names OSPD1
    answer = answer_of(await press_analyze(world.bob, message))
    assert " · best of " in text_of(answer)
    assert "OSPD1 isn't installed, so this uses SCOWL95. Some words may differ." in text_of(answer)
    assert text_of(answer).count("OSPD1") == 1
    description = answer.attachments[0].description
    assert "Lexicon SCOWL95." in description
    assert "OSPD1" not in description
    result = await press_analyze(world.bob, message)
    await click(world.bob, answer_of(result), label="Use CROSSWD")
    content = text_of(answer_of(result))
    assert "· CROSSWD\n" in content
    assert "OSPD1 isn't installed, so this uses CROSSWD. Some words may differ." in content
    assert [
        item["label"] for item in components_of(answer_of(result)) if "kibitz:judge" in item["custom_id"]
    ] == ["Use SCOWL95", "Use SCOWL80"]
    await choose(world.bob, answer_of(result), "ranked", "1")
    assert "OSPD1 isn't installed, so this uses CROSSWD" in text_of(answer_of(result)), (
        "choosing another play keeps the lexicon"
    )


async def test_a_server_maps_a_lexicon_to_another(world):
    role = world.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    carol = world.guild.add_member(world.env.create_user("carol"), roles=[role])
    refused = await carol.slash(world.channel, "settings server", aliases="OSPD1")
    assert "Write pairs such as NWL18=NWL23" in text_of(refused.response)
    panel = await carol.slash(world.channel, "settings server", aliases="ospd1 = CROSSWD")
    assert "Replacements for lexica that are not installed: ospd1=CROSSWD" in text_of(panel.response)
    answer = answer_of(await press_analyze(world.bob, await post_text(world, MAVEN)))
    assert "· CROSSWD\n" in text_of(answer)
    assert "not installed" not in text_of(answer)
    panel = await carol.slash(world.channel, "settings server", aliases="-")
    assert "ospd1" not in text_of(panel.response)


async def test_phonies_on_the_board_are_named(world):
    result = await world.alice.slash(world.channel, "analyze", position=PHONY, lexicon="CROSSWD")
    assert "On the board, but not in CROSSWD: ZZZ." in text_of(answer_of(result))


async def test_the_worth_of_challenging_the_last_play_is_shown(world):
    board = "15/15/15/15/15/3OUZO2PANTO1/5I1CHID4/5NTH2OFTER/2I2SOAK6/2N4MAY5/2CROWDS7/2L11Q/14U/14X/14E"
    text = f"{board} DGILSTV/ 209/206 0 lm O12 QUXE; cr double;"
    answer = answer_of(await press_analyze(world.bob, await post_text(world, text)))
    assert re.search(
        r"⚖ \*\*Challenge QUXE\*\*: worth \+\d+ ± \d+ points\.\n"
        r"If it's challenged off: wins \d+ ± \d+% with .+ \+\d+\.\n"
        r"If it stands: wins \d+ ± \d+% with .+ \+\d+\.\n"
        r"A failed challenge costs your turn: challenge if you are at least \d+% sure that it's a phony\.",
        text_of(answer).replace("\\", ""),
    )


async def test_chess_and_empty_input_are_refused_privately(world):
    for text, problem in (("8/8/8/8/8/8/8/K6k w - - 0 1", ""), ("good morning", "")):
        result = await world.alice.slash(world.channel, "analyze", position=text)
        assert result.ephemeral
        assert text_of(answer_of(result))
        assert not answer_of(result).attachments
        assert problem in text_of(answer_of(result))


async def test_the_menu_analyzes_a_message(world):
    message = await world.alice.send(world.channel, OPENING)
    result = await world.bob.context_menu(world.channel, "Analyze position", message)
    assert result.ephemeral
    assert " · best of " in text_of(answer_of(result))


@pytest.mark.parametrize(
    ("command", "options", "output"),
    [
        ("check", {"words": "cat"}, "✅ **CAT** is valid\nLexicon: SCOWL95"),
        (
            "check",
            {"words": "cat qzx"},
            (
                "❌ **QZX** is not valid\nThe play is not valid.\n"
                "Lexicon: SCOWL95, a free list, close to the tournament lists but not one of them"
            ),
        ),
        (
            "check",
            {"words": "qi", "lexicon": "CROSSWD"},
            (
                "❌ **QI** is not valid, but it is in SCOWL95, SCOWL80\n"
                "Lexicon: CROSSWD, a free list, older than words such as QI and ZA"
            ),
        ),
        ("hooks", {"word": "hoo"}, "Back hooks: "),
        ("anagram", {"letters": "aeinrst"}, "**AEINRST** makes"),
        ("anagram", {"letters": "qq"}, "**QQ** doesn't make a word in SCOWL95."),
    ],
)
async def test_questions_about_words(world, command, options, output):
    result = await world.alice.slash(world.channel, command, **options)
    assert not result.ephemeral
    assert output in text_of(answer_of(result))


async def test_an_invalid_question_is_refused_in_private(world):
    for command, options in (
        ("check", {"words": "cat", "lexicon": "NWL23"}),
        ("anagram", {"letters": "a" * 40}),
        ("hooks", {"word": "c4t"}),
    ):
        result = await world.alice.slash(world.channel, command, **options)
        assert result.ephemeral
        assert text_of(answer_of(result)).startswith("That doesn't work: ")


class TestWithoutAnalysis:
    """A host with analysis turned off."""

    @pytest.fixture
    def settings(self, settings, tmp_path):
        disabled = settings.analysis.model_copy(update={"enabled": False})
        return make_settings(tmp_path, analysis=disabled)

    async def test_buttons_are_missing_and_commands_report_no_analysis(self, world):
        message = await post_text(world, OPENING)
        assert "kibitz:analyze" not in controls_by_kind(message)
        for command, options in (("analyze", {"position": OPENING}), ("check", {"words": "cat"})):
            result = await world.alice.slash(world.channel, command, **options)
            assert result.ephemeral
            assert text_of(answer_of(result)) == "Analysis is not installed where this bot runs."


@pytest.mark.parametrize(
    ("error", "word"),
    [(LimitError("time"), "Kibitz stopped this"), (OverBudgetError(), "more than Kibitz can draw at once")],
    ids=["limit", "budget"],
)
async def test_an_analysis_that_exceeds_the_budget_is_reported_without_an_error(
    world, short_budgets, monkeypatch, caplog, error, word
):
    async def raise_error(*_, **__):
        raise error

    monkeypatch.setattr(world.bot.service[ANALYSES], "_finish", raise_error)
    answer = answer_of(await press_analyze(world.alice, await post_text(world, OPENING)))
    result = await click(
        world.alice, answer, custom_id=controls_by_kind(answer)["kibitz:deepen"]["custom_id"]
    )
    assert [word in text_of(followup) for followup in result.followups] == [True]
    assert " · best of " in text_of(answer)
    assert "fault " not in caplog.text


async def test_text_and_alt_text_name_the_method_and_the_lexicon_used(world, short_budgets, monkeypatch):
    position = f"{ENDGAME} lex OSPD1;"
    result = await press_analyze(world.alice, await post_text(world, position))
    scenes = []

    def create_and_record_scene(*arguments, **options):
        scenes.append(proposal_scene(*arguments, **options))
        return scenes[-1]

    monkeypatch.setattr("bot.features.analysis.crossword.card.proposal_scene", create_and_record_scene)
    for method, name in (("simulation", "simulation: wins "), ("solution", "endgame: ")):
        button = next(
            item["custom_id"]
            for item in components_of(answer_of(result))
            if item["custom_id"].startswith(f"kibitz:deepen:{method}:")
        )
        await click(world.alice, answer_of(result), custom_id=button)
        answer = answer_of(result)
        [worth] = [line for line in text_of(answer).split("\n") if line.startswith(name)]
        assert worth.endswith(" · SCOWL95")
        assert not scenes[-1].sections, "the picture does not repeat the text of its card"
        assert name.capitalize() in answer.attachments[0].description
        assert "Lexicon SCOWL95." in answer.attachments[0].description
        assert "OSPD1" not in answer.attachments[0].description


async def test_an_unproved_solution_offers_more_time(world, short_budgets, monkeypatch):
    result = await analyze_with_method(world.alice, world, FOUR_IN_BAG, "solution")
    answer = answer_of(result)
    assert "```" in text_of(answer)
    assert (
        text_of(answer).lower().count("not proved") + text_of(answer).count("The search stopped before") == 1
    )
    [more_time] = [
        item for item in components_of(answer) if item["custom_id"].startswith("kibitz:longer:solution")
    ]
    assert more_time["label"] == "15 s more"
    time_limits = []

    def perform_briefly(request, lexica, control, engine):
        time_limits.append(request.options.seconds)
        return perform(
            replace(request, options=replace(request.options, seconds=0.5)), lexica, control, engine
        )

    monkeypatch.setattr("bot.app.queues.perform", perform_briefly)
    await click(world.alice, answer, custom_id=more_time["custom_id"])
    assert time_limits == [MOMENT + 15.0]
    assert "SCOWL95" in text_of(answer_of(result))
