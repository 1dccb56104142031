"""The viewer of a posted crossword game: all users can step through its turns."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import discord
import png

from tests.positions import EMPTY_BOARD

from .actions import (
    GAME,
    TURN_TEXTS,
    choose,
    choose_option,
    choose_view,
    click,
    control,
    controls_of,
    go_to,
    id_of,
    ids_of,
    is_disabled,
    only_reply,
    other_view_ids,
    post,
    press,
    press_copy,
    replies,
    reply_of,
    rows_of,
    text_of,
)


def long_game(turns: int) -> str:
    """Return a GCG of ``turns`` turns: one play, then exchanges of a blank."""
    lines = ["#player1 alice Alice", "#player2 bob Bob", ">alice: AT 8H AT +4 4"]
    lines += [
        f">{'bob' if turn % 2 else 'alice'}: ? -? +0 {0 if turn % 2 else 4}" for turn in range(1, turns)
    ]
    return "\n".join(lines) + "\n"


async def test_a_game_is_shown_at_its_end_with_controls(game_reply):
    assert "**Bob to move** · Alice 92 – Bob 0\n" in text_of(game_reply)
    assert "\n-# CSW21 · Unseen 91 (bag 77): AAAAAAAA BB" in text_of(game_reply)
    assert f"Turn 3 of 3: Alice · {TURN_TEXTS[3]}" in text_of(game_reply)
    assert [is_disabled(game_reply, target) for target in ("first", "previous", "next", "last")] == [
        False,
        False,
        True,
        True,
    ]
    options = control(game_reply, "turns")["options"]
    assert [option["value"] for option in options] == ["0", "1", "2", "3"]
    assert options[1]["label"] == "1. Alice: 8D NASTIER +66"
    assert options[1]["description"] == "66 in all 📝"
    assert options[3]["default"]
    assert len(rows_of(game_reply)) <= 5


async def test_users_can_step_back_through_all_turns_and_forward_again(world, game_reply):
    messages = [game_reply]
    for target in ["previous"] * 3 + ["next"] * 3:
        await press(world.bob, only_reply(world), target)
        messages.append(only_reply(world))
    for message, turn in zip(messages, [3, 2, 1, 0, 1, 2, 3], strict=True):
        assert TURN_TEXTS[turn] in text_of(message)
        [picture] = message.attachments
        assert png.Reader(bytes=await picture.read()).read()[0] > 500
        assert picture.description.startswith(f"Turn {turn} of 3.")
        assert id_of(message, "delete:") == id_of(game_reply, "delete:")
    assert "rack AEINRST" in messages[3].attachments[0].description
    assert is_disabled(messages[3], "first")
    assert is_disabled(messages[3], "previous")
    assert not is_disabled(messages[3], "next")
    assert text_of(messages[0]) == text_of(messages[-1])


async def test_a_note_is_shown_unformatted_with_its_turn(world, game_reply):
    assert "📝" not in text_of(game_reply)
    await go_to(world.bob, game_reply, "1")
    assert r"📝 a bingo to \*begin\* with" in text_of(only_reply(world))


async def test_hostile_names_have_no_effect(world):
    name = "\u202eevil **bold** @everyone <@1> `x` ||y|| https://example.org " + "e\u0301" * 30
    game = GAME.replace("#player1 alice Alice", f"#player1 alice {name}").replace(
        "bob Bob", f"bob {'Ж' * 200}"
    )
    [game_reply] = await post(world, game)
    values = [id_.split(":", 5)[5] for id_ in other_view_ids(game_reply)]
    results = [await choose_view(world.bob, only_reply(world), value) for value in values]
    for reply in (game_reply, *map(reply_of, results)):
        formatted = "".join(text_of(reply).split("```")[::2])
        descriptions = [attachment.description or "" for attachment in reply.attachments]
        assert "<@1>" not in formatted
        assert "**bold" not in formatted
        assert not any("\u202e" in text for text in (formatted, *descriptions))
    menus = [component for component in controls_of(game_reply) if "options" in component]
    assert all(len(option["label"]) <= 100 for menu in menus for option in menu["options"])


async def test_a_hidden_game_stays_hidden_at_every_turn(world):
    await world.alice.send(world.channel, f"||{GAME}||")
    for target in ("", "previous", "previous", "first"):
        if target:
            await press(world.bob, only_reply(world), target)
        message = only_reply(world)
        assert message.attachments[0].is_spoiler()
        assert not "".join(text_of(message).split("||")[::2]).strip("\n-# ")
        text = str(controls_of(message))
        assert "NASTIER" not in text
        assert "Alice" not in text
    result = await choose_view(world.bob, only_reply(world), "replay")
    assert reply_of(result).attachments[0].is_spoiler()


FINISHED_GAME = (files("bot.demo") / "data" / "game.gcg").read_text(encoding="utf-8")


async def test_a_finished_game_has_a_summary(world):
    [message] = await post(world, files=[("game.gcg", FINISHED_GAME.encode())])
    assert text_of(message).startswith(
        "**alice wins by 37** · alice 422 – bob 385 · 23 turns · CROSSWD\n"
        "alice: 3 bingos · 38.4 a turn\nbob: 1 bingo · 34.6 a turn\nBest play: **2. bob "
    )
    [file] = message.attachments
    assert file.filename == "game.png"
    assert file.description.startswith("alice wins by 37: alice 422, bob 385.")
    assert "Key turns: 2. bob H1 E" in file.description
    assert "15 E..PSOAE" in file.description
    assert len(file.description) <= 1024
    _, height = png.Reader(bytes=await file.read()).read()[:2]
    assert height > 1200, "the picture is not tall enough to contain the board, the curve and the key turns"
    await press(world.bob, message, "previous")
    assert "Turn 22 of 23" in text_of(only_reply(world))
    await press(world.bob, only_reply(world), "last")
    assert text_of(only_reply(world)).startswith("**alice wins by 37**")


async def test_the_menu_of_a_long_game_lists_its_turns_in_parts(world):
    [message] = await post(world, files=[("long.gcg", long_game(60).encode())])
    assert "60 turns" in text_of(message)
    values = [option["value"] for option in control(message, "turns")["options"]]
    assert len(values) <= 25
    assert values[-1] == "60"
    turns = {value for value in values if value.isdigit()}
    for _ in range(10):
        earlier_values = [value for value in values if value.startswith("around:")]
        if "0" in turns:
            break
        await go_to(world.bob, message, earlier_values[0])
        message = only_reply(world)
        assert "60 turns" in text_of(message), "listing other turns changed the shown turn"
        values = [option["value"] for option in control(message, "turns")["options"]]
        assert len(values) == len(set(values)) <= 25
        turns |= {value for value in values if value.isdigit()}
    assert turns == {str(turn) for turn in range(61)}
    await go_to(world.bob, message, "5")
    assert "Turn 5 of 60" in text_of(only_reply(world))
    assert control(only_reply(world), "turns")["options"][0]["value"] == "0"


async def test_every_id_is_short_and_unique(world):
    await world.alice.send(world.channel, "", attachments=[("SPOILER_long.gcg", long_game(1990).encode())])
    ids = ids_of(only_reply(world))
    assert len(ids) == len(set(ids))
    assert max(map(len, ids)) <= 100
    for component in controls_of(only_reply(world)):
        for option in component.get("options", ()):
            assert len(option["label"]) <= 100
            assert len(option["value"]) <= 100
            assert len(option.get("description") or "") <= 100


async def test_documents_of_one_message_share_a_picture(world):
    other_game = GAME.replace("Alice", "Carol").replace("alice", "carol")
    [message] = await post(
        world, f"{EMPTY_BOARD} ABC/ 1/2 0", files=[("a.gcg", GAME.encode()), ("b.gcg", other_game.encode())]
    )
    [file] = message.attachments
    assert file.filename == "positions.png"
    assert all(text in file.description for text in ("1. Player 1 1", "2. Alice 92", "3. Carol 92"))
    menu = control(message, "games")
    assert [option["label"] for option in menu["options"]] == [
        "All together", "1. 1 – 2", "2. Alice 92 – Bob 0", "3. Carol 92 – Bob 0",
    ]  # fmt: skip
    assert [option["label"] for option in menu["options"] if option.get("default")] == ["All together"]
    await world.restart()
    third_digest = menu["options"][3]["value"]
    await choose(world.bob, message, "games", third_digest)
    assert TURN_TEXTS[3] in text_of(only_reply(world))
    assert len(rows_of(only_reply(world))) <= 5
    await press(world.bob, only_reply(world), "first")
    await press(world.bob, only_reply(world), "next")
    assert "Carol · **8D NASTIER**" in text_of(only_reply(world))
    await choose_option(world.bob, only_reply(world), "games", 1)
    assert "**Player 1 to move**" in text_of(only_reply(world))
    assert "ABC" in text_of(await press_copy(world.bob, only_reply(world)))
    await choose(world.bob, only_reply(world), "games", "all")
    assert only_reply(world).attachments[0].filename == "positions.png"
    old_message = await send_old_button(world, third_digest)
    private_viewer = reply_of(
        await click(world.bob, old_message, custom_id=f"kibitz:open:{third_digest}:0:wo")
    )
    assert private_viewer.ephemeral
    assert TURN_TEXTS[0] in text_of(private_viewer)


async def send_old_button(world, digest):
    """Post a message, as the bot, with a button from an earlier version. Return the message."""
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Open game 3", custom_id=f"kibitz:open:{digest}:0:wo"))
    channel = world.bot.get_channel(world.channel.id)
    await channel.send("a reply from an earlier version", view=view)
    return world.channel.last_message


async def test_users_can_step_through_a_game_in_a_direct_message(world):
    await world.alice.send_dm(GAME)
    alice = world.alice.user
    [message] = replies(alice.dm_channel)
    await press(alice, message, "first")
    [message] = replies(alice.dm_channel)
    assert TURN_TEXTS[0] in text_of(message)
    assert "AEINRST" in message.attachments[0].description


async def test_an_edited_game_is_shown_at_its_end_again(world):
    source = await world.alice.send(world.channel, GAME)
    await press(world.bob, only_reply(world), "first")
    await world.alice.edit(source, GAME + ">bob: CDEFGHI - +0 0\n")
    assert "Turn 4 of 4: Bob · **pass** +0 → 0" in text_of(only_reply(world))
    await press(world.bob, only_reply(world), "first")
    assert "The start of the game; 4 turns follow" in text_of(only_reply(world))


async def test_a_chosen_appearance_applies_to_every_step(world, game_reply):
    light_picture = await only_reply(world).attachments[0].read()
    await world.bot.preferences.change_server_settings(
        world.guild.id, lambda chosen: replace(chosen, theme="dark", layout="tall")
    )
    await press(world.bob, game_reply, "first")
    await press(world.bob, only_reply(world), "last")
    assert await only_reply(world).attachments[0].read() != light_picture
    width, height, *_ = png.Reader(bytes=await only_reply(world).attachments[0].read()).read()
    assert height > width
