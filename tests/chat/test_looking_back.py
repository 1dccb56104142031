"""``/review last``: users who opted in and chose their player names get a private review of their saved games."""

import pytest

from .actions import choose, choose_option, click, control, labels_of, reply_of, text_of
from .test_review import GAME_WITH_EVALUATIONS, TAGS

pytestmark = pytest.mark.usefixtures("short_reviews")


def pgn_text(white, black, result="1-0", evaluation=0.3):
    """Return an annotated game, which needs no analysis. Different arguments give different games. ``evaluation`` is in pawns."""
    tags = f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n'
    text = GAME_WITH_EVALUATIONS.replace(TAGS, tags).replace("Qxf7# 1-0", f"Qxf7# {result}")
    return text.replace("{[%eval 0.3]}", f"{{[%eval {evaluation}]}}")


async def opt_in(world, person):
    """Let the bot save a user's games. Return the settings card."""
    return reply_of(await person.slash(world.channel, "settings me", games="yes"))


async def look_back(world, person, last=20):
    return reply_of(await person.slash(world.channel, "review", last=last))


async def test_games_are_saved_and_reviewed_after_opting_in(world):
    await world.alice.send(world.channel, pgn_text("carol", "erin"))
    refusal = await look_back(world, world.alice)
    assert refusal.ephemeral
    assert "Your games aren't saved" in text_of(refusal)
    panel = await opt_in(world, world.alice)
    assert "- Store my finished games for `/review last`" in text_of(panel)
    empty = await look_back(world, world.alice)
    assert text_of(empty).startswith("You have no saved games in this server yet.")
    # Games in progress are not saved. Games that Bob posts are not Alice's.
    await world.alice.send(world.channel, TAGS.replace("1-0", "*") + "1. e4 e5 *\n")
    await world.bob.send(world.channel, pgn_text("carol", "frank"))
    await world.alice.send(world.channel, pgn_text("Carol", "dave"))
    await world.alice.send(world.channel, pgn_text("dave", "carol", "0-1", 0.4))
    question = await look_back(world, world.alice)
    assert question.ephemeral
    assert text_of(question).startswith("Which of these players are you? You're asked once for each name.")
    menu = control(question, "who")
    assert [(item["label"], item.get("description")) for item in menu["options"]] == [
        ("Carol", "in 2 games"),
        ("dave", "in 2 games"),
        ("None of these", None),
    ]
    reply = reply_of(await choose_option(world.alice, question, "who", 0))
    assert reply.ephemeral
    assert text_of(reply) == (
        "**2 of your games** · won 2 · accuracy 49 · 1 blunder\n"
        "```\n"
        "  vs.  result acc.  cp ??\n"
        "1 dave    1–0   82  32  0\n"
        "2 dave    1–0   17 372  1\n"
        "```"
    )
    trend, table = reply.attachments
    assert trend.filename == "trend.png"
    assert trend.description == "Accuracy (chess), from the earliest game: 82, 17."
    rows = (await table.read()).decode().splitlines()
    assert rows[0].startswith("number,posted,player,opponent,won,points,")
    assert [row.split(",")[2:5] for row in rows[1:]] == [["Carol", "dave", "1"], ["carol", "dave", "1"]]
    assert not any(label.startswith("Deeper") for label in labels_of(reply))
    games = control(reply, "reviews")
    assert [(game["label"], game["description"]) for game in games["options"]] == [
        ("1. Carol – dave", "accuracy 82 – 16"),
        ("2. dave – carol", "accuracy 81 – 17"),
    ]
    card = reply_of(await choose_option(world.alice, reply, "reviews", 1))
    assert card.ephemeral
    assert text_of(card).startswith("**dave – carol** · ")
    # Kibitz remembers Alice's player name, and asks only about new names.
    await world.restart()
    assert (text_of(await look_back(world, world.alice))) == text_of(reply)
    await world.alice.send(world.channel, pgn_text("carol", "erin", evaluation=0.5))
    assert (text_of(await look_back(world, world.alice, 1))).startswith("**1 of your games** · won 1")
    await world.alice.send(world.channel, pgn_text("erin", "grace"))
    question = await look_back(world, world.alice)
    menu = control(question, "who")
    assert [item["label"] for item in menu["options"]] == ["erin", "grace", "None of these"]
    reply = reply_of(await choose(world.alice, question, "who", "none"))
    assert text_of(reply).startswith("**3 of your games**")
    assert text_of(reply).endswith(
        "1 game is left out because you didn't play in it, or Kibitz doesn't know which side was yours."
    )
    # A button below the table corrects a wrong player name.
    question = reply_of(await click(world.alice, reply, label="Change my player names"))
    menu = control(question, "who")
    assert {item["label"] for item in menu["options"] if item.get("default")} == {"Carol"}
    reply = reply_of(await choose_option(world.alice, question, "who", "dave"))
    assert text_of(reply).startswith("**2 of your games** · won 0")
    # No other user gets these games. ``/privacy`` counts and deletes them.
    assert "Your games aren't saved" in (text_of(await look_back(world, world.bob)))
    text = text_of(reply_of(await world.alice.slash(world.channel, "privacy show")))
    assert "- 4 finished games for `/review last`\n" in text
    assert "- 4 player names that you marked as yours or not yours" in text
    question = reply_of(await world.alice.slash(world.channel, "privacy delete"))
    await click(world.alice, question, label="Delete everything")
    assert "Your games aren't saved" in (text_of(await look_back(world, world.alice)))
    await opt_in(world, world.alice)
    assert (text_of(await look_back(world, world.alice))).startswith("You have no saved games in this server")


async def test_stored_games_follow_edits_and_are_deleted_after_opting_out(world):
    await opt_in(world, world.alice)
    stored_games = world.bot.store.user_games
    first = await world.alice.send(world.channel, pgn_text("carol", "dave"))
    second = await world.alice.send(world.channel, pgn_text("carol", "erin"))
    assert len(await stored_games(world.guild.id, world.alice.id)) == 2
    await world.alice.edit(second, pgn_text("carol", "frank"))
    question = await look_back(world, world.alice)
    assert [item["label"] for item in control(question, "who")["options"]] == [
        "carol",
        "dave",
        "frank",
        "None of these",
    ]
    await world.alice.edit(second, "8/8/8/8/8/8/8/K6k w - - 0 1")
    assert [source_id for source_id, _ in await stored_games(world.guild.id, world.alice.id)] == [first.id]
    await world.alice.delete(first)
    assert await stored_games(world.guild.id, world.alice.id) == ()
    await world.alice.send(world.channel, pgn_text("carol", "dave"))
    await world.alice.slash(world.channel, "settings me", games="no")
    assert await stored_games(world.guild.id, world.alice.id) == ()


async def test_looking_back_is_refused_outside_servers(world):
    reply = (await world.alice.user.slash("review", last=5)).response
    assert text_of(reply) == "Your games are saved separately for each server. Use this command in a server."
