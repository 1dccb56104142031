"""Posted pictures: the bot reads positions from its own pictures and from screenshots."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from bot.chat.card import ReplyContext
from bot.chat.preferences import Mode
from bot.domain.crossword.notations import cgp
from bot.features.showing.crossword.board_scene import position_scene
from bot.features.showing.document_service import draw_scene
from bot.features.showing.reading.pictures import open_picture
from bot.jobs.account import Requester
from bot.sight.chessboards import find_chessboards
from render.png import read_embedded_text
from tests.domain.crossword.notations.live_links import racks_after
from tests.positions import MAVEN
from tests.sight.pictures import chessboard_picture, encode, scaled

from .actions import click, controls_of, ids_of, post, replies, reply_of, text_of
from .test_live_secrets import GAME, post_turns


async def request_picture(world, text: str) -> bytes:
    result = await world.alice.slash(world.channel, "show", position=text)
    return await result.response.attachments[0].read()


async def test_a_reposted_picture_is_read_on_request(world):
    data = await request_picture(world, MAVEN)
    message = await world.bob.send(world.channel, "what now?", attachments=[("board.png", data)])
    assert len(replies(world.channel)) == 1, "the bot replied to a picture without being asked"
    result = await world.alice.context_menu(world.channel, "Show position", message)
    assert "rack IKLMTZ" in result.response.attachments[0].description
    other_channel = world.guild.create_text_channel("elsewhere")
    forwarded = await world.bob.forward(message, other_channel)
    await world.alice.send(other_channel, world.me.mention, reply_to=forwarded)
    [reply] = replies(other_channel)
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_commands_read_a_downloaded_picture(world):
    data = await request_picture(world, MAVEN)
    result = await world.bob.slash(world.channel, "show", file=("download.png", data))
    assert "rack IKLMTZ" in result.response.attachments[0].description
    result = await world.bob.slash(world.channel, "convert", to="text", file=("download.png", data))
    assert "IKLMTZ" in text_of(result.response)


async def test_a_picture_without_a_board_is_reported(world):
    teal = encode(Image.new("RGB", (50, 50), "teal"), "PNG")
    result = await world.alice.slash(world.channel, "show", file=("a.png", teal))
    assert "Kibitz found no position" in text_of(result.response)
    assert result.ephemeral


async def test_a_picture_that_is_too_large_is_not_fetched(world):
    large = bytes(world.bot.settings.limits.picture_bytes + 1)
    result = await world.alice.slash(world.channel, "show", file=("a.png", large))
    assert "a.png wasn't read" in text_of(result.response)


async def test_text_embedded_in_pictures_of_a_game_in_progress_has_no_rack(world):
    await post_turns(world, 4)
    secrets = [rack for turn in range(5) for rack in racks_after(GAME, turn)]
    pictures = [file for message in replies(world.channel) for file in message.attachments]
    assert pictures
    for file in pictures:
        result = read_embedded_text(open_picture(await file.read()))
        assert result is not None
        fields = result.text.split()
        assert fields[2] == "/", "the embedded text contains a rack"
        assert not any(rack in result.text for rack in secrets)


async def test_a_chess_screenshot_is_read_on_request(world):
    result = await world.alice.slash(
        world.channel, "show", file=("phone.png", encode(chessboard_picture(), "PNG"))
    )
    assert "Read from a picture" in text_of(result.response)
    assert "The picture doesn't show whose turn it is." in text_of(result.response)
    assert "queen f3" in result.response.attachments[0].description


@pytest.fixture(scope="module")
def board() -> bytes:
    """Return a screenshot of a chessboard without doubtful squares."""
    return encode(scaled(chessboard_picture(), 0.6), "PNG")


@pytest.fixture(scope="module")
def smudged_board() -> bytes:
    """Return a screenshot whose bishop on c1 is partly covered and looks like a third rook."""
    picture = chessboard_picture()
    grid = find_chessboards(picture)[0].grid.moved(2, 7)
    left, top, width, height = grid.left, grid.top, grid.square_width, grid.square_height
    box = (left + width * 0.3, top + height * 0.1, left + width * 0.7, top + height * 0.62)
    ImageDraw.Draw(picture).rectangle(box, "white")
    return encode(picture, "PNG")


async def test_a_doubtful_board_is_confirmed_or_corrected(world, smudged_board):
    await world.alice.slash(world.channel, "show", file=("phone.png", smudged_board))
    [reply] = replies(world.channel)
    assert "Read from a picture. Please check 3 squares: a1, c1, h1." in text_of(reply)
    assert "rooks" in reply.attachments[0].description
    assert "lichess" not in text_of(reply), "a position that may have been misread has a link to lichess"
    assert read_embedded_text(open_picture(await reply.attachments[0].read())) is None
    confirm_button, correct_button, _delete = controls_of(reply)
    await world.restart()
    # If another member confirms or corrects the board, only that member sees the result.
    private_reply = reply_of(await click(world.bob, reply, custom_id=confirm_button["custom_id"]))
    assert private_reply.ephemeral
    assert "lichess" in text_of(private_reply)
    form = await click(world.alice, reply, custom_id=correct_button["custom_id"])
    rows = "r1bqkbnr\npppp1ppp\n2n5\n4p3\n2B1P3\n5Q2\nPPPP1PPP\nRNB1K1NR"
    values = {"rows": rows.replace("2B", "B"), "mover": "b", "castling": "KQkq", "below": "w"}
    refusal = reply_of(await world.alice.submit_modal(form, values))
    assert "This can't be read" in text_of(refusal)
    assert "(row 5)" in text_of(refusal)
    form = await click(world.alice, reply, custom_id=correct_button["custom_id"])
    refusal = reply_of(await world.alice.submit_modal(form, {**values, "below": "b"}))
    assert "(row 5)" in text_of(refusal), "the row is not counted in the order in which it was typed"
    form = await click(world.alice, reply, custom_id=correct_button["custom_id"])
    await world.alice.submit_modal(form, {**values, "rows": rows})
    [corrected_reply] = [item for item in replies(world.channel) if item.id == reply.id]
    assert text_of(corrected_reply).startswith("**Black to move**")
    assert "Read from a picture" not in text_of(corrected_reply)
    assert "both sides may castle" in text_of(corrected_reply)
    assert "bishops c1 c4" in corrected_reply.attachments[0].description


async def test_a_confirmed_board_becomes_an_ordinary_position(world, smudged_board):
    await world.alice.slash(world.channel, "show", file=("phone.png", smudged_board))
    [reply] = replies(world.channel)
    await click(world.alice, reply, custom_id=controls_of(reply)[0]["custom_id"])
    [confirmed_reply] = [item for item in replies(world.channel) if item.id == reply.id]
    assert "Read from a picture" not in text_of(confirmed_reply)
    assert "lichess" in text_of(confirmed_reply)
    assert "seen" not in {id_.split(":")[1] for id_ in ids_of(confirmed_reply)}


async def test_pictures_are_read_without_a_request_if_the_server_allows_it(
    world, carol, board, smudged_board
):
    screens = world.guild.create_text_channel("screens")
    assert await post(world, channel=screens, files=[("a.png", board)]) == []
    await carol.slash(world.channel, "settings server", mode="pictures", channel=screens)
    cat = encode(Image.effect_noise((300, 300), 40), "PNG")
    assert await post(world, "my cat", channel=screens, files=[("cat.png", cat)]) == []
    assert await post(world, channel=screens, files=[("broken.png", board[:3000])]) == []
    source = await world.alice.send(screens, "", attachments=[("a.png", board)])
    [reply] = replies(screens)
    assert "Read from a picture." in text_of(reply)
    await world.alice.edit(source, "what now?")
    assert [message.id for message in replies(screens)] == [reply.id], (
        "an edit of the text replaced or removed the reply"
    )
    await world.alice.delete(source)
    assert not replies(screens)
    # A doubtful board gets only a reaction. A click on the reaction lists the doubtful squares.
    doubtful_message = await world.alice.send(screens, "", attachments=[("b.png", smudged_board)])
    assert not replies(screens)
    assert "🔍" in {str(reaction.emoji) for reaction in doubtful_message.reactions}
    await world.bob.react(doubtful_message, "🔍")
    assert "Please check 3 squares: a1, c1, h1." in text_of(replies(screens)[0])


async def test_reading_a_picture_is_charged_to_its_author(world, board):
    await world.bot.preferences.set_channel_mode(world.guild.id, world.channel.id, Mode.PICTURES)
    world.bot.work_budget.spend(Requester(world.alice.id, world.guild.id, 1), 1e6)
    await world.alice.send(world.channel, "", attachments=[("a.png", board)])
    assert not replies(world.channel), "a notice was sent about a picture that no user asked to read"
    await world.bob.send(world.channel, "", attachments=[("a.png", board)])
    assert len(replies(world.channel)) == 1


async def test_a_picture_is_read_after_a_magnifying_glass_reaction(world, board):
    chat = await world.alice.send(world.channel, "hello")
    picture = await world.alice.send(world.channel, "who is better?", attachments=[("a.png", board)])
    await world.bob.react(chat, "🔍")
    assert not replies(world.channel)
    await world.bob.react(picture, "🔍")
    [reply] = replies(world.channel)
    assert "Read from a picture." in text_of(reply)
    await world.bot.preferences.set_channel_mode(world.guild.id, world.channel.id, Mode.OFF)
    second_picture = await world.alice.send(world.channel, "", attachments=[("a.png", board)])
    await world.bob.react(second_picture, "🔍")
    assert len(replies(world.channel)) == 1, "a reaction got a reply, although the mode is off"


async def test_a_picture_in_a_direct_message_is_read(world, board):
    dm = world.alice.user.dm_channel
    await world.alice.send_dm(attachments=world.env.backend.store_attachments(dm.id, [("a.png", board)]))
    [reply] = replies(dm)
    assert "Read from a picture." in text_of(reply)


async def test_scores_and_names_from_a_screenshot_are_corrected_in_a_form(world):
    board = "15/15/15/15/15/3F11/3O11/3UNIVERSaL3/3N11/3T11/15/15/15/15/15"
    position = cgp.read(f"{board} AEINRST/ 96/83 0").value
    picture = Image.open(io.BytesIO(draw_scene(position_scene(position, ReplyContext())).data)).convert("RGB")
    await world.alice.slash(world.channel, "show", file=("phone.png", encode(scaled(picture, 0.8), "PNG")))
    [reply] = replies(world.channel)
    assert "96–83 (+13)" in text_of(reply)
    assert "Kibitz assumes that it is the highlighted player's turn." in text_of(reply)
    _confirm, correct_button, _delete = controls_of(reply)
    form = await click(world.alice, reply, custom_id=correct_button["custom_id"])
    values = {"rows": board.replace("/", "\n"), "rack": "AEINRST", "scores": "83 96", "tiles": "german"}
    values["names"] = "@everyone, \u202e*Bob*\0"
    await world.alice.submit_modal(form, values)
    [corrected_reply] = [item for item in replies(world.channel) if item.id == reply.id]
    assert r"\@everyone 83 – \*Bob\* 96" in text_of(corrected_reply)
    assert "german tiles" in text_of(corrected_reply)
    assert "Read from a picture" not in text_of(corrected_reply)
