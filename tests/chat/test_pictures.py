"""Pictures in a channel: a picture of ours that somebody posts again is a position for whoever asks."""

from __future__ import annotations

import io

from PIL import Image

from render import carried
from tests.domain.crossword.notations.live_links import history
from tests.positions import MAVEN
from tests.sight.pictures import drawn

from .test_live_secrets import play, racks
from .viewer import replies


async def picture_of(world, text: str) -> bytes:
    """Have the bot draw a position, and return the file it posts."""
    result = await world.alice.slash(world.channel, "show", position=text)
    return await result.response.attachments[0].read()


async def test_a_picture_posted_again_is_a_position_for_who_asks(world):
    data = await picture_of(world, MAVEN)
    message = await world.bob.send(world.channel, "what now?", attachments=[("board.png", data)])
    assert len(replies(world.channel)) == 1, "nobody asked"
    result = await world.alice.context_menu(world.channel, "Show position", message)
    assert "rack IKLMTZ" in result.response.attachments[0].description
    elsewhere = world.guild.create_text_channel("elsewhere")
    forwarded = await world.bob.forward(message, elsewhere)
    await world.alice.send(elsewhere, world.me.mention, reply_to=forwarded)
    [reply] = replies(elsewhere)
    assert "rack IKLMTZ" in reply.attachments[0].description


async def test_a_downloaded_picture_is_a_file_like_any(world):
    data = await picture_of(world, MAVEN)
    result = await world.bob.slash(world.channel, "show", file=("download.png", data))
    assert "rack IKLMTZ" in result.response.attachments[0].description
    result = await world.bob.slash(world.channel, "convert", to="text", file=("download.png", data))
    assert "IKLMTZ" in result.response.content


async def test_a_picture_of_anything_holds_no_position(world):
    stream = io.BytesIO()
    Image.new("RGB", (50, 50), "teal").save(stream, "PNG")
    result = await world.alice.slash(world.channel, "show", file=("a.png", stream.getvalue()))
    assert "There is no position" in result.response.content
    assert result.ephemeral


async def test_a_picture_that_is_too_large_is_not_fetched(world):
    large = bytes(world.bot.settings.limits.picture_bytes + 1)
    result = await world.alice.slash(world.channel, "show", file=("a.png", large))
    assert "a.png was not read" in result.response.content


async def test_pictures_of_a_running_game_carry_no_rack(world):
    await play(world, 4)
    secrets = [rack for turn in range(5) for rack in racks(turn)]
    pictures = [part for message in replies(world.channel) for part in message.attachments]
    assert pictures
    assert history("g7", 6)
    for part in pictures:
        told = carried.read(await part.read())
        assert told is not None
        fields = told.text.split()
        assert fields[2] == "/", "both racks are empty"
        assert not any(rack in told.text for rack in secrets)


async def test_a_screenshot_of_a_chessboard_is_read_for_who_asks(world):
    stream = io.BytesIO()
    drawn().save(stream, "PNG")
    result = await world.alice.slash(world.channel, "show", file=("phone.png", stream.getvalue()))
    assert "Read from a picture" in result.response.content
    assert "The picture does not tell whose turn it is." in result.response.content
    assert "queen f3" in result.response.attachments[0].description
