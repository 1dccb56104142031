"""Reviews of finished games, requested by button, command and menu."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from functools import cache

import discord
import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import Pass
from tests.domain.crossword.notations.live_links import game_link, history
from tests.review.games import Table, self_play_game

from .actions import (
    choose,
    choose_option,
    click,
    control,
    controls_of,
    id_of,
    kinds_of,
    post_and_get_reply,
    replies,
    reply_of,
    rows_of,
    text_of,
)
from .conftest import WithStockfish
from .test_cards import check_golden

pytestmark = pytest.mark.usefixtures("short_reviews")


def scowl_gcg(game):
    return gcg.write(replace(game, rules=replace(game.rules, lexicon="SCOWL80")))


def with_unknown_players(text):
    """Replace the players' names in a game's text with names that no test user has."""
    for name, other in (("Alice", "Carol"), ("alice", "carol"), ("Bob", "Dave"), ("bob", "dave")):
        text = text.replace(name, other)
    return text


@cache
def game_with_a_mistake():
    """Return a game in which bob makes a poor play in turn 6."""
    return self_play_game(
        8, lambda table: next(reversed(table.best_plays(9))).play if len(table.turns) == 5 else None
    )


async def test_any_user_can_review_a_finished_game(world):
    message = await post_and_get_reply(world, with_unknown_players(scowl_gcg(game_with_a_mistake())))
    result = await click(world.bob, message, custom_id=id_of(message, "review:"))
    reply = reply_of(result)
    assert reply.ephemeral
    head, *lines = text_of(reply).split("\n")
    assert re.match(r"\*\*Carol \d+ – Dave \d+\*\* · quick review · SCOWL80$", head)
    assert sum(re.match(r"\*\*(Carol|Dave)\*\* · .*(🟩|🟡|🔶|🔺)", line) is not None for line in lines) == 2
    board, picture = reply.attachments
    assert (board.filename, picture.filename) == ("board-1.png", "review-2.png")
    assert re.match(r"Turn (\d+) of \1\. Carol ", board.description)
    assert re.match(r"Carol \d+ – Dave \d+ · quick review · SCOWL80\. Carol · ", picture.description)
    assert re.search(
        r" The bag is empty after turn \d+\. Carol's win chance: 5\d% at the start, ",
        picture.description,
    )
    assert re.search(r"(100|0|50)% at the end\.$", picture.description)
    labels = [item["label"] for item in controls_of(reply) if item.get("label", "").startswith("Turn ")]
    for line in lines:
        if key_turn := re.match(r". \*\*(\d+)\. (Carol|Dave): ", line):
            assert f"Turn {key_turn[1]}" in labels
    if labels:
        turn_card = reply_of(await click(world.bob, reply, label=labels[0]))
        assert turn_card.ephemeral
        assert f"{labels[0]} of" in text_of(turn_card)
        assert re.match(rf"(🟩|🟡|🔶|🔺) {labels[0]}, (Carol|Dave): .*best", text_of(turn_card))
    shared_lines = text_of(reply_of(await click(world.bob, reply, label="Share"))).split("\n")
    assert sum(len(line.partition(": ")[2]) for line in shared_lines[2:4]) == len(
        control(reply, "judgements")["options"]
    )
    assert set("".join(line.partition(": ")[2] for line in shared_lines[2:4])) <= set("🟩🟡🔶🔺⬜")


async def test_a_review_can_be_requested_by_command_and_menu(world):
    await world.alice.slash(world.channel, "review", game=scowl_gcg(self_play_game(8)), depth="deep")
    deep_review = replies(world.channel)[-1]
    assert " · deep review · " in text_of(deep_review)
    assert not any(item["label"] == "Deeper" for item in controls_of(deep_review) if "label" in item)
    message = await world.alice.send(world.channel, with_unknown_players(scowl_gcg(self_play_game(9))))
    reply = reply_of(await world.bob.context_menu(world.channel, "Review game", message))
    assert reply.ephemeral
    assert " · quick review · " in text_of(reply)


@pytest.fixture
def forbid_reviews(monkeypatch):
    """Return a function that makes every later review fail the test."""

    def fail(*_):
        raise AssertionError("a saved review was computed again")

    return lambda: monkeypatch.setattr("bot.app.queues.review", fail)


async def test_a_review_and_its_controls_survive_a_restart(world, forbid_reviews):
    message = await post_and_get_reply(world, scowl_gcg(game_with_a_mistake()))
    button = id_of(message, "review:")
    card = reply_of(await click(world.bob, message, custom_id=button))
    turn_card = reply_of(await choose(world.bob, card, "judgements", "6"))
    await world.restart()
    forbid_reviews()
    second_turn_card = reply_of(await choose(world.bob, card, "judgements", "6"))
    assert text_of(second_turn_card) == text_of(turn_card)
    second_card = reply_of(await click(world.bob, message, custom_id=button))
    assert [text_of(second_card), *(attachment.description for attachment in second_card.attachments)] == [
        text_of(card),
        *(attachment.description for attachment in card.attachments),
    ]


async def test_a_deeper_review_keeps_the_requested_lexicon(world):
    game = self_play_game(8)
    result = await world.alice.slash(
        world.channel,
        "review",
        game=gcg.write(replace(game, rules=replace(game.rules, lexicon="CSW24"))),
        lexicon="scowl80",
    )
    reply = reply_of(result)
    assert "CSW24" not in text_of(reply)
    deeper_review = reply_of(await click(world.alice, reply, label="Deeper"))
    assert " · deep review · SCOWL80" in text_of(deeper_review)
    assert "CSW24" not in text_of(deeper_review)


async def test_games_that_cannot_be_reviewed_are_refused_privately(world):
    table = Table(5)
    table.play()
    result = await world.alice.slash(world.channel, "review", game=scowl_gcg(table.game()))
    reply = reply_of(result)
    assert reply.ephemeral
    assert "the game isn't over" in text_of(reply)
    result = await world.alice.slash(world.channel, "review", game="15/15 nothing")
    assert reply_of(result).ephemeral


async def test_a_live_game_is_not_reviewed(world):
    link = game_link(history("g7", 4))
    await world.alice.send(world.channel, link)
    assert "review" not in kinds_of(replies(world.channel)[-1])
    for person in (world.alice, world.bob):
        refusal = reply_of(await person.slash(world.channel, "review", game=link))
        assert refusal.ephemeral
        assert text_of(refusal) == "Only finished games can be reviewed."


async def test_a_review_requested_by_the_poster_or_a_player_is_public(world):
    post = await world.alice.send(world.channel, GAME_WITH_EVALUATIONS)
    message = replies(world.channel)[-1]
    button = id_of(message, "review:")
    assert reply_of(await click(world.bob, message, custom_id=button)).ephemeral
    card = reply_of(await click(world.alice, message, custom_id=button))
    assert not card.ephemeral
    assert "Post to channel" not in [component.get("label") for component in controls_of(card)]
    assert not reply_of(await world.alice.context_menu(world.channel, "Review game", post)).ephemeral
    message = await post_and_get_reply(world, GAME_WITH_EVALUATIONS.replace("dave", "BOB"))
    button = id_of(message, "review:")
    assert not reply_of(await click(world.bob, message, custom_id=button)).ephemeral
    # The review of a game that was opened in private is private.
    viewer = reply_of(await world.bob.slash(world.channel, "game open", game=GAME_WITH_EVALUATIONS))
    card = reply_of(await click(world.bob, viewer, custom_id=id_of(viewer, "review:")))
    assert card.ephemeral


def ended_game(ending):
    """Return a game that ended without a player going out."""
    table = Table(5)
    table.play()
    if ending == "scoreless":
        for _ in range(6):
            table.play(Pass())
        return scowl_gcg(table.finish())
    if ending == "time":
        table.add_time_penalty(0, 10)
        return scowl_gcg(table.game())
    table.turns[-1] = replace(table.turns[-1], note="bob resigned")
    return scowl_gcg(table.game())


@pytest.mark.parametrize("ending", ["scoreless", "time", "resigned"])
async def test_a_game_can_be_reviewed_however_it_ended(world, ending):
    await world.alice.send(world.channel, ended_game(ending))
    assert "review" in kinds_of(replies(world.channel)[-1])


@pytest.mark.parametrize(
    ("text", "can_be_reviewed"),
    [
        ("1. f3 {[%eval 0]} e5 {[%eval 0]} 2. g4 {[%eval 0]} Qh4#", True),
        ("1. f3 {[%eval 0]} e5 {[%eval 0]} 2. g4 {[%eval 0]} 1/2-1/2", True),
        ("1. f3 {[%eval 0]} e5 {[%eval 0]} 2. g4 {[%eval 0]} *", False),
    ],
)
async def test_only_chess_games_with_a_result_or_a_mate_can_be_reviewed(world, text, can_be_reviewed):
    await world.alice.send(world.channel, f'[White "carol"]\n\n{text}')
    assert ("review" in kinds_of(replies(world.channel)[-1])) is can_be_reviewed


async def test_the_message_of_a_running_review_shows_the_current_curve(world, monkeypatch, request):
    monkeypatch.setattr("bot.features.review.service.PICTURE_INTERVAL", 0.0)
    edits, layouts = [], []
    edit = discord.Interaction.edit_original_response

    async def edit_and_record(self, **options):
        layouts.append(options["view"])
        edits.append((text_of(options["view"]), [file.filename for file in options.get("attachments") or ()]))
        return await edit(self, **options)

    monkeypatch.setattr(discord.Interaction, "edit_original_response", edit_and_record)
    await world.alice.slash(world.channel, "review", game=scowl_gcg(game_with_a_mistake()))
    first_edit, *progress_edits, last_edit = edits
    assert re.fullmatch("⏳ ▱+", first_edit[0])
    check_golden(layouts[0], "card_progress", request)
    assert not first_edit[1]
    assert all(text.startswith("⏳ ") and "turns judged" in text for text, _ in progress_edits)
    assert progress_edits[0][1] == ["review.png"]
    assert last_edit[0].startswith("**Alice ")


TAGS = '[White "carol"]\n[Black "dave"]\n[Result "1-0"]\n\n'
GAME_WITH_EVALUATIONS = TAGS + (
    "1. e4 {[%eval 0.25]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.0]} Nc6 {[%eval 0.1]} "
    "3. Qh5 {[%eval -0.9]} Nf6 {[%eval #1]} 4. Qxf7# 1-0\n"
)
GAME_WITHOUT_EVALUATIONS = TAGS + "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n"


async def test_a_chess_game_with_evaluations_is_reviewed_without_an_engine(world):
    message = await post_and_get_reply(world, GAME_WITH_EVALUATIONS)
    reply = reply_of(await click(world.bob, message, custom_id=id_of(message, "review:")))
    assert reply.ephemeral
    assert text_of(reply) == (
        "**carol – dave** · 1–0 · based on the game's own evaluations\n"
        "**carol** · 82% accuracy · 🟡 1 · 32 centipawns lost per move\n"
        "**dave** · 16% accuracy · 🔺 1 · 368 centipawns lost per move\n"
        "🟡 **3. Qh5** · inaccuracy, 9% win chance lost\n"
        "🔺 **3... Nf6** · blunder, 56% win chance lost\n"
        "-# 🟡 inaccuracy · 🔶 mistake · 🔺 blunder"
    )
    board, picture = reply.attachments
    assert board.description.startswith("Turn 7 of 7. ")
    assert picture.description == (
        "carol – dave · 1–0 · based on the game's own evaluations. "
        "carol · 82% accuracy · 1 inaccuracy · 0 mistakes · 0 blunders · 32 centipawns lost per move. "
        "dave · 16% accuracy · 0 inaccuracies · 0 mistakes · 1 blunder · 368 centipawns lost per move. "
        "carol's win chance: 51% at the start, 42% after turn 5 (carol: inaccuracy), "
        "98% after turn 6 (dave: blunder), 98% at the end."
    )
    assert len(rows_of(reply)) == 2  # buttons, and the menu of turns
    turn_card = reply_of(await click(world.bob, reply, label="Turn 6"))
    assert turn_card.ephemeral
    assert text_of(turn_card).startswith("🔺 Turn 6, dave: 3... Nf6, blunder: win chance from 58% to 2%.\n")
    assert "Turn 6 of 7" in text_of(turn_card)
    result = await click(world.bob, turn_card, custom_id=id_of(turn_card, "judged:", ":p"))
    assert text_of(reply_of(result)).startswith("🟡 Turn 5, carol: 3. Qh5, inaccuracy")
    menu = control(reply, "judgements")
    assert [(item["label"], item.get("description")) for item in menu["options"]][3:6] == [
        ("2... Nc6", "🟩 good"),
        ("3. Qh5", "🟡 inaccuracy, 9% win chance lost"),
        ("3... Nf6", "🔺 blunder, 56% win chance lost"),
    ]
    turn_card = reply_of(await choose(world.bob, reply, "judgements", "4"))
    assert text_of(turn_card).startswith("🟩 Turn 4, dave: 2... Nc6, which loses almost nothing.")
    shared_reply = reply_of(await click(world.bob, reply, label="Share"))
    assert not shared_reply.ephemeral
    assert text_of(shared_reply) == (
        "🔍 **bob** asked Kibitz:\n**carol – dave** · 1–0 · based on the game's own evaluations\n"
        "carol: 🟩🟩🟡🟩\ndave: 🟩🟩🔺\n-# 🟩 good · 🟡 inaccuracy · 🔺 blunder"
    )
    posted_card = reply_of(await click(world.bob, reply, label="Post to channel"))
    assert not posted_card.ephemeral
    assert text_of(posted_card).startswith("🔍 **bob** asked Kibitz:\n**carol – dave**")
    assert [attachment.filename for attachment in posted_card.attachments] == ["board-1.png", "review-2.png"]
    await world.alice.send(world.channel, GAME_WITHOUT_EVALUATIONS)
    assert "review" not in kinds_of(replies(world.channel)[-1])
    refusal = reply_of(await world.alice.slash(world.channel, "review", game=GAME_WITHOUT_EVALUATIONS))
    assert refusal.ephemeral
    assert "no chess engine is installed to evaluate the game" in text_of(refusal)
    refusal = reply_of(await world.alice.slash(world.channel, "review", game="1. e4 e5 *"))
    assert "the game isn't over" in text_of(refusal)


def collection():
    """Return two games between the same players with swapped colours, in one text."""
    second_game = (
        GAME_WITH_EVALUATIONS.replace('"carol"', '"_"').replace('"dave"', '"Carol"').replace('"_"', '"dave"')
    )
    return f"{GAME_WITH_EVALUATIONS}\n{second_game}"


async def test_reviews_of_several_games_are_a_table_and_a_csv_file(world):
    running_game = TAGS.replace("1-0", "*") + "1. e4 e5 *\n"
    await world.alice.slash(world.channel, "review", game=f"{collection()}\n{running_game}")
    reply = replies(world.channel)[-1]
    assert text_of(reply) == (
        "**2 games reviewed**\n"
        "```\n"
        "player  #  acc.   cp  ??\n"
        "carol   2    49  200   1\n"
        "dave    2    49  200   1\n"
        "```\n"
        "1 game couldn't be reviewed:\n"
        "- No review: the game isn't over, and only finished games can be reviewed.\n"
        "-# #: games · acc.: accuracy · cp: centipawns lost per move · ??: blunders"
    )
    [table] = reply.attachments
    assert table.filename == "players.csv"
    rows = (await table.read()).decode().splitlines()
    assert rows[0].startswith("player,games,judged,won,mistake_index,accuracy,")
    assert [row.split(",")[:4] for row in rows[1:]] == [["carol", "2", "2", "1"], ["dave", "2", "2", "1"]]


@pytest.mark.slow
async def test_games_in_an_archive_are_reviewed_one_by_one(world, forbid_reviews):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("round 1/8.gcg", scowl_gcg(game_with_a_mistake()))
        archive.writestr("round 2/9.gcg", scowl_gcg(self_play_game(9)))
        archive.writestr("board.png", b"\x89PNG\r\n\x1a\n\0")
    message = await world.alice.send(world.channel, "", attachments=[("club.zip", buffer.getvalue())])
    reply = reply_of(await world.bob.context_menu(world.channel, "Review game", message))
    assert reply.ephemeral
    # On a busy machine, too few turns may be judged for a mistake index and an accuracy.
    assert re.match(r"\*\*2 games reviewed\*\*\n```\nplayer +# +(index +acc\. +)?missed\n", text_of(reply))
    assert text_of(reply).endswith(" · missed: missed bingos")
    assert all(len(line) <= 30 for line in text_of(reply).split("```")[1].splitlines())
    assert re.search(r"\nAlice +2", text_of(reply))
    assert [attachment.filename for attachment in reply.attachments] == ["players.csv"]
    menu = control(reply, "reviews")
    assert [re.sub(r"\d+", "0", item["label"]) for item in menu["options"]] == ["0. Alice 0 – Bob 0"] * 2
    # The button names the time limit of deep reviews.
    deeper_review = reply_of(await click(world.bob, reply, label="Deeper (up to 1 min)"))
    assert deeper_review.ephemeral
    assert text_of(deeper_review).startswith("**2 games reviewed**\n")
    assert not any(
        (component.get("label") or "").startswith("Deeper") for component in controls_of(deeper_review)
    )
    # Each table opens the reviews from which it was made.
    forbid_reviews()
    for table, depth in ((reply, "quick"), (deeper_review, "deep")):
        card = reply_of(await choose_option(world.bob, table, "reviews", 1))
        assert card.ephemeral
        assert f" · {depth} review · SCOWL80" in text_of(card)


async def test_games_left_out_after_the_time_limit_are_counted(world, monkeypatch):
    """After the time limit, the table contains only games that need no job."""
    monkeypatch.setattr("bot.features.review.service.MAX_SECONDS", -1.0)
    text = f"{collection()}\n\n{scowl_gcg(self_play_game(9))}"
    reply = reply_of(await world.alice.slash(world.channel, "review", file=("all.txt", text.encode())))
    assert text_of(reply).startswith("**2 games reviewed**\n")
    assert "\n1 game was left out.\n" in text_of(reply)


class TestWithAnEngine(WithStockfish):
    async def test_an_engine_reviews_moves_without_annotations(self, world, monkeypatch):
        monkeypatch.setattr("bot.features.review.chess.review.QUICK_NODES", 20_000)
        monkeypatch.setattr("bot.features.review.chess.review.DEEP_NODES", 40_000)
        post = await world.alice.send(world.channel, GAME_WITHOUT_EVALUATIONS)
        message = replies(world.channel)[-1]
        assert "review" in kinds_of(message)
        reply = reply_of(await world.bob.context_menu(world.channel, "Review game", post))
        assert reply.ephemeral
        assert " · quick review · Stockfish" in text_of(reply)
        assert re.search(
            r"🔺 \*\*3\.\.\. Nf6\*\* · blunder, \d+% win chance lost\nBest: (g6|Qe7|Qf6)\n",
            text_of(reply),
        )
        assert "found 1 of 1 only moves" in text_of(reply)
        deeper_review = reply_of(await click(world.bob, reply, label="Deeper"))
        assert " · deep review · Stockfish" in text_of(deeper_review)
        assert not any(item.get("label") == "Deeper" for item in controls_of(deeper_review))

    async def test_an_annotated_game_can_be_reviewed_by_the_engine(self, world, monkeypatch):
        monkeypatch.setattr("bot.features.review.chess.review.DEEP_NODES", 20_000)
        card = reply_of(
            await world.bob.slash(world.channel, "review", game=GAME_WITH_EVALUATIONS, private=True)
        )
        assert " · based on the game's own evaluations\n" in text_of(card)
        deeper_review = reply_of(await click(world.bob, card, label="Deeper"))
        assert " · deep review · Stockfish" in text_of(deeper_review)
        assert "\nBest: " in text_of(deeper_review)
