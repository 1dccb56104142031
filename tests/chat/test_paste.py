"""A user pastes a position into a channel, and the bot replies with its board."""

from __future__ import annotations

import png
import pytest

from tests.positions import EMPTY_BOARD, MAVEN

from .actions import post, press_copy, replies, text_of


async def test_a_sentence_with_a_position_gets_one_reply_with_the_board(world):
    source = await world.alice.send(world.channel, f"best play here? `{MAVEN}`")
    [reply] = replies(world.channel)
    assert reply.reference.message_id == source.id
    [picture] = reply.attachments
    data = await picture.read()
    assert len(data) < 60_000
    width, height, *_ = png.Reader(bytes=data).read()
    assert height > width > 700, "the picture is not taller than it is wide, or it is too narrow for a phone"
    assert len(picture.description) <= 1024
    assert "rack IKLMTZ" in picture.description
    assert ".....BERGS....." in picture.description
    assert not picture.is_spoiler()
    assert "Player 1 to move" in text_of(reply)
    assert "OSPD1" in text_of(reply)


@pytest.mark.parametrize(
    "chat",
    [
        "good morning",
        "12/25/2025 and/or 1/2/3/4/5/6/7/8",
        "/usr/lib/python3/dist-packages/a/b/c/d/e/f",
        EMPTY_BOARD.replace("15", "14", 1),
    ],
)
async def test_ordinary_chat_and_broken_boards_are_ignored(world, chat):
    assert await post(world, chat) == []


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "look: {} what now?",
        "`{}`",
        "```\n{}\n```",
        "```cgp\ncgp {}\n```",
        "> {}",
        "load cgp {}",
        "cgp {} thoughts?",
    ],
)
async def test_a_position_is_read_with_any_text_or_markup_around_it(world, frame):
    [reply] = await post(world, frame.format(MAVEN))
    assert "rack AEINRU?" in reply.attachments[0].description
    assert "```" not in text_of(reply), "the reply contains the CGP, which belongs behind the Copy button"


async def test_the_board_field_of_a_cgp_is_enough(world):
    [reply] = await post(world, MAVEN.split()[0])
    assert "MA.TAW...c..H.." in reply.attachments[0].description


async def test_the_copy_button_gives_the_canonical_cgp(world):
    [reply] = await post(world, f"{EMPTY_BOARD} ABCDEFG/  3/5 0 -ld english -lex CSW21")
    assert "```" not in text_of(reply)
    assert f"```\n{EMPTY_BOARD} ABCDEFG/ 3/5 0 lex CSW21;\n```" in text_of(await press_copy(world.bob, reply))


async def test_a_hidden_position_does_not_leak_through_its_picture_or_copy(world):
    [reply] = await post(world, f"solution ||{EMPTY_BOARD} ABCDEFG/ 3/5 0 lex CSW21; ld english;||")
    assert reply.attachments[0].is_spoiler()
    copy = await press_copy(world.bob, reply)
    assert f"||```\n{EMPTY_BOARD} ABCDEFG/ 3/5 0 lex CSW21;\n```||" in text_of(copy)


async def test_warnings_are_shown_with_their_location(world):
    [reply] = await post(world, f"{EMPTY_BOARD} ZZ/ 0/0 0")
    assert "⚠ the board and racks have 2 × Z; the 'english' set has 1 (column 47)" in text_of(reply)


async def test_positions_that_are_not_shown_are_counted(world):
    texts = [f"{EMPTY_BOARD} / {number}/0 0;" for number in range(24 + 8)]
    text = "\n".join([*texts, texts[-1], texts[0]])
    [reply] = await post(world, files=[("many.txt", text.encode())])
    assert len(reply.attachments) == 1
    assert "**4.**" in text_of(reply)
    assert f"{len(texts) - 4} more positions aren't shown" in text_of(reply)


async def test_many_short_positions_in_a_file_are_counted(world):
    kings = [
        f"k7/8/{file}P{7 - file}/8/8/8/8/K7 w - - 0 {move}\n" for file in range(1, 6) for move in range(1, 21)
    ]
    [reply] = await post(world, files=[("many.txt", "".join(kings).encode())])
    assert f"{len(kings) - 4} more positions aren't shown" in text_of(reply)


async def test_a_binary_file_gets_no_reply(world):
    assert await post(world, files=[("game.cgp", bytes(range(256)) * 4)]) == []


async def test_a_file_attached_after_pictures_is_read(world):
    files = [(f"{number}.png", b"\x89PNG\r\n\x1a\n") for number in range(5)]
    [reply] = await post(world, files=[*files, ("game.cgp", MAVEN.encode())])
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_positions_in_many_files_are_counted(world):
    files = [(f"{number}.cgp", f"{EMPTY_BOARD} A/ {number}/0 0;".encode()) for number in range(10)]
    [reply] = await post(world, files=files)
    assert len(reply.attachments) == 1
    assert "6 more positions aren't shown" in text_of(reply)


async def test_a_mention_with_a_large_file_gets_an_error(world):
    large_file = ("game.gcg", b"#" * (world.bot.settings.limits.attachment_bytes + 1))
    assert await post(world, "look", files=[large_file]) == []
    [reply] = await post(world, f"<@{world.me.id}> look", files=[large_file])
    assert "game.gcg wasn't read" in text_of(reply)


async def test_a_mention_with_a_broken_position_gets_the_error(world):
    [reply] = await post(world, f"<@{world.me.id}> {EMPTY_BOARD.replace('15', '14', 1)} / 0/0 0")
    assert "row 1 should have 15 squares, but has 14" in text_of(reply)


async def test_a_mention_in_a_reply_shows_the_position_in_the_original_message(world):
    first = await world.alice.send(world.channel, MAVEN)
    await world.bob.send(world.channel, f"<@{world.me.id}> please", reply_to=first)
    _, reply = replies(world.channel)
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_positions_and_errors_in_direct_messages_get_replies(world):
    await world.alice.send_dm(MAVEN)
    await world.alice.send_dm(f"{EMPTY_BOARD}/15 / 0/0 0")
    texts = [text_of(message) for message in replies(world.alice.user.dm_channel)]
    assert len(texts) == 2
    assert "the board has 16 rows of 15 squares; it needs 15 rows" in texts[1]


async def test_the_message_after_a_refused_reply_gets_a_reply(world):
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013, times=2)
    assert await post(world, MAVEN) == []  # Discord rejected the reply with and without its file
    await world.alice.send(world.channel, MAVEN)
    assert len(replies(world.channel)) == 1


@pytest.mark.parametrize(
    "text", ["3/4 of 5 people", "2024/11/21", "`and/or` is a thing", "#note to self", "hello"]
)
async def test_ordinary_chat_in_direct_messages_is_ignored(world, text):
    await world.alice.send_dm(text)
    assert replies(world.alice.user.dm_channel) == []


async def test_a_tiny_board_after_a_mention_is_read(world):
    [reply] = await post(world, f"<@{world.me.id}> 3/1A1/3 AB/C 0/1 0")
    assert ".A." in reply.attachments[0].description


async def test_a_whole_game_between_spoiler_bars_is_read_and_hidden(world):
    game = "#player1 alice Alice\n#player2 bob Bob\n>alice: AEINRST 8D NASTIER +66 66\n>bob: - +0 0"
    [reply] = await post(world, f"||{game}||")
    assert reply.attachments[0].is_spoiler()
    assert "Alice 66, to move. Bob 0" in reply.attachments[0].description
