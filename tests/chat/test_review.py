"""How did I play: reviews of finished games by button, command and menu."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.config import Chess
from bot.domain.crossword.notations import gcg
from bot.engine.uci import find_engine
from bot.review.depth import Depth
from tests.review.games import Table, self_played

from .conftest import make_settings
from .test_analysis import ids
from .viewer import answer_of, components_of, control, replies


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("bot.jobs.review.USUAL_SECONDS", {Depth.QUICK: 1.5, Depth.DEEP: 3.0})
    monkeypatch.setattr("bot.chat.controls.analysis.EDIT_SECONDS", 0.05)


def posted(game):
    return gcg.write(replace(game, rules=replace(game.rules, lexicon="SCOWL80")))


def by_role(message, role):
    """The id of the button that steps to a turn of a review."""
    [found] = [
        one["custom_id"]
        for one in components_of(message)
        if re.fullmatch(rf"kibitz:judged:.*:{role}", one["custom_id"])
    ]
    return found


def mistaken():
    """A game in which bob passes though he has something to play."""
    return self_played(8, lambda table: next(reversed(table.best(9))).play if len(table.turns) == 5 else None)


async def test_a_finished_game_is_reviewed_for_whoever_presses(world):
    await world.alice.send(world.channel, posted(mistaken()))
    message = replies(world.channel)[-1]
    result = await world.bob.click(message, custom_id=ids(message)["kibitz:review"]["custom_id"])
    answer = answer_of(result)
    assert answer.ephemeral
    head, *lines = answer.content.split("\n")
    assert re.match(r"\*\*Alice \d+ – Bob \d+\*\* · quick review · SCOWL80$", head)
    assert (
        sum(
            re.match(r"(Alice|Bob): .*mistakes: \d large, \d medium, \d small", line) is not None
            for line in lines
        )
        == 2
    )
    [picture] = answer.attachments
    assert picture.filename == "review.png"
    assert picture.description.startswith("Chance to win of Alice: 5")
    assert re.search(r"(100|0|50) % at the end\.$", picture.description)
    turns = [item["label"] for item in components_of(answer) if item.get("label", "").startswith("Turn ")]
    for line in lines:
        if found := re.match(r"- Turn (\d+), ", line):
            assert f"Turn {found[1]}" in turns
    if turns:
        opened = answer_of(await world.bob.click(answer, label=turns[0]))
        assert opened.ephemeral
        assert f"{turns[0]} of" in opened.content
        assert re.match(rf"(🟩|🟡|🔶|🔺) {turns[0]}, (Alice|Bob): .*best", opened.content)
    shared = answer_of(await world.bob.click(answer, label="Share")).content.split("\n")
    assert sum(len(line.partition(": ")[2]) for line in shared[2:4]) == len(
        control(answer, "judgements")["options"]
    )
    assert set("".join(line.partition(": ")[2] for line in shared[2:4])) <= set("🟩🟡🔶🔺⬜")


async def test_a_review_is_asked_for_by_command_and_menu(world):
    await world.alice.slash(world.channel, "review", game=posted(self_played(8)), depth="deep")
    answer = replies(world.channel)[-1]
    assert " · deep review · " in answer.content
    assert not any(item["label"] == "Deeper" for item in components_of(answer) if "label" in item)
    sent = await world.alice.send(world.channel, posted(self_played(9)))
    shown = answer_of(await world.bob.context_menu(world.channel, "Review game", sent))
    assert shown.ephemeral
    assert " · quick review · " in shown.content


async def test_what_is_not_reviewed_is_told_in_private(world):
    table = Table(5)
    table.play()
    result = await world.alice.slash(world.channel, "review", game=posted(table.game()))
    answer = answer_of(result)
    assert answer.ephemeral
    assert "the game is not over" in answer.content
    result = await world.alice.slash(world.channel, "review", game="15/15 nothing")
    assert answer_of(result).ephemeral


TAGS = '[White "alice"]\n[Black "bob"]\n[Result "1-0"]\n\n'
TOLD = TAGS + (
    "1. e4 {[%eval 0.25]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.0]} Nc6 {[%eval 0.1]} "
    "3. Qh5 {[%eval -0.9]} Nf6 {[%eval #1]} 4. Qxf7# 1-0\n"
)
SCHOLAR = TAGS + "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"
STOCKFISH = find_engine("stockfish")


async def test_a_chess_game_with_evaluations_is_reviewed_without_an_engine(world):
    await world.alice.send(world.channel, TOLD)
    message = replies(world.channel)[-1]
    answer = answer_of(await world.bob.click(message, custom_id=ids(message)["kibitz:review"]["custom_id"]))
    assert answer.ephemeral
    assert answer.content == (
        "**alice – bob** · 1–0 · by the evaluations in the text\n"
        "alice: accuracy 82 · 1 inaccuracy · 0 mistakes · 0 blunders · 32 centipawns lost a move\n"
        "bob: accuracy 16 · 0 inaccuracies · 0 mistakes · 1 blunder · 368 centipawns lost a move\n"
        "- Turn 5, alice: 3. Qh5, inaccuracy: from 51 % to 42 % of a win.\n"
        "- Turn 6, bob: 3... Nf6, blunder: from 58 % to 2 % of a win."
    )
    [picture] = answer.attachments
    assert picture.description == (
        "Chance to win of alice: 51 % at the start, 42 % after turn 5, 98 % after turn 6, 98 % at the end."
    )
    opened = answer_of(await world.bob.click(answer, label="Turn 6"))
    assert opened.ephemeral
    assert opened.content.startswith("🔺 Turn 6, bob: 3... Nf6, blunder: from 58 % to 2 % of a win.\n")
    assert "Turn 6 of 7" in opened.content
    step = await world.bob.click(opened, custom_id=by_role(opened, "p"))
    assert answer_of(step).content.startswith("🟡 Turn 5, alice: 3. Qh5, inaccuracy")
    menu = control(answer, "judgements")
    assert [(one["label"], one.get("description")) for one in menu["options"]][3:6] == [
        ("2... Nc6", "🟩 good"),
        ("3. Qh5", "🟡 inaccuracy, 9 % of a win lost"),
        ("3... Nf6", "🔺 blunder, 56 % of a win lost"),
    ]
    chosen = answer_of(await world.bob.select(answer, ["4"], custom_id=menu["custom_id"]))
    assert chosen.content.startswith("🟩 Turn 4, bob: 2... Nc6, which loses nothing to speak of.")
    shared = answer_of(await world.bob.click(answer, label="Share"))
    assert not shared.ephemeral
    assert shared.content == (
        "🔍 **bob** asked me:\n**alice – bob** · 1–0 · by the evaluations in the text\n"
        "alice: 🟩🟩🟡🟩\nbob: 🟩🟩🔺\n-# 🟩 good · 🟡 inaccuracy · 🔺 blunder"
    )
    posted_card = answer_of(await world.bob.click(answer, label="Post to channel"))
    assert not posted_card.ephemeral
    assert posted_card.content.startswith("🔍 **bob** asked me:\n**alice – bob**")
    assert posted_card.attachments[0].filename == "review.png"
    # Without evaluations, there is nothing to judge it by.
    await world.alice.send(world.channel, SCHOLAR)
    assert "kibitz:review" not in ids(replies(world.channel)[-1])
    refused = answer_of(await world.alice.slash(world.channel, "review", game=SCHOLAR))
    assert refused.ephemeral
    assert "no chess engine that could judge them" in refused.content
    refused = answer_of(await world.alice.slash(world.channel, "review", game="1. e4 e5 *"))
    assert "the game is not over" in refused.content


@pytest.mark.skipif(STOCKFISH is None, reason="the Debian package stockfish is not installed")
class TestWithAnEngine:
    @pytest.fixture
    def settings(self, tmp_path):
        return make_settings(tmp_path, chess=Chess(engine="stockfish"))

    async def test_an_engine_reviews_what_the_text_does_not(self, world, monkeypatch):
        monkeypatch.setattr("bot.jobs.chess_review.QUICK_NODES", 20_000)
        monkeypatch.setattr("bot.jobs.chess_review.DEEP_NODES", 40_000)
        sent = await world.alice.send(world.channel, SCHOLAR)
        message = replies(world.channel)[-1]
        assert "kibitz:review" in ids(message)
        answer = answer_of(await world.bob.context_menu(world.channel, "Review game", sent))
        assert answer.ephemeral
        assert " · quick review · Stockfish" in answer.content
        assert re.search(
            r"- Turn 6, bob: 3\.\.\. Nf6, blunder: from \d+ % to \d+ % of a win; best was (g6|Qe7|Qf6)\.",
            answer.content,
        )
        assert "1 of 1 only moves found" in answer.content
        deeper = answer_of(await world.bob.click(answer, label="Deeper"))
        assert " · deep review · Stockfish" in deeper.content
        assert not any(item.get("label") == "Deeper" for item in components_of(deeper))
