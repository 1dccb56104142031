"""A reply to one of the bot's messages, or a message menu on it, applies to the position or game in that message."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.domain.crossword.notations.live_links import game_link, history
from tests.positions import MAVEN, OPENING

from .actions import choose, post_and_get_reply, press_copy, replies, reply_of, reply_to, text_of
from .test_chess_book import BOOK

GAME = (
    "#character-encoding ISO-8859-1\n#player1 alice Älice\n#player2 bob Bob\n"
    ">alice: AEINRST 8D NASTIER +66 66\n>bob: BEGIO 9C BOGIE +22 22\n"
)


async def test_a_reply_to_the_bot_asks_about_the_shown_position(world):
    reply = await post_and_get_reply(world, OPENING)
    assert " · best of " in (text_of(await reply_to(world, reply, "analyze")))
    second_reply = await reply_to(world, reply, "once more")
    assert second_reply.attachments[0].description == reply.attachments[0].description


async def test_replies_to_an_analysis_and_to_a_game_are_understood(world):
    reply = await post_and_get_reply(world, OPENING)
    analysis = await reply_to(world, reply, "analyze")
    assert (text_of(await reply_to(world, analysis, "analyze"))) == text_of(analysis)
    game = await post_and_get_reply(world, GAME)
    second_reply = await reply_to(world, game, "again")
    assert "Turn 2 of 2" in text_of(second_reply)
    assert "Älice" in text_of(second_reply)


async def test_hidden_replies_stay_hidden_when_shown_again(world):
    reply = await post_and_get_reply(world, f"||{OPENING}||")
    for words in ("show", "analyze"):
        second_reply = await reply_to(world, reply, words)
        assert second_reply.attachments[0].is_spoiler()
        assert not "".join(text_of(second_reply).split("||")[::2]).strip("\n-# ")


async def test_several_positions_are_shown_again(world):
    reply = await post_and_get_reply(world, f"{OPENING}\n\n{MAVEN}")
    second_reply = await reply_to(world, reply, "again")
    assert [picture.description for picture in second_reply.attachments] == [
        picture.description for picture in reply.attachments
    ]


@pytest.mark.parametrize(
    ("menu", "words"),
    [
        ("Show position", "to move"),
        ("Convert position", "to move"),
        ("Open game", "The start"),
        ("Analyze position", "best of "),
    ],
)
async def test_the_menus_work_on_a_message_from_the_bot(world, menu, words):
    reply = await post_and_get_reply(world, GAME)
    result = await world.bob.context_menu(world.channel, menu, reply)
    assert words in text_of(reply_of(result))


async def test_a_reply_to_the_card_of_a_live_game_reveals_no_rack(world):
    reply = await post_and_get_reply(world, game_link(history("g7", 3)))
    stored = await world.bot.store.live_game(world.channel.id, "g7")
    second_reply = await reply_to(world, reply, "analyze")
    assert "Turn 3 of 3" in text_of(second_reply)
    assert "rack" not in second_reply.attachments[0].description
    assert await world.bot.store.live_game(world.channel.id, "g7") == stored


async def test_an_expired_document_is_read_from_its_picture(world):
    reply = await post_and_get_reply(world, OPENING)
    game = await post_and_get_reply(world, GAME)
    world.clock.ahead = timedelta(days=31)
    second_reply = await reply_to(world, reply, "again")
    assert second_reply.attachments[0].description == reply.attachments[0].description
    assert " · best of " in (text_of(await reply_to(world, reply, "analyze")))
    position_reply = await reply_to(world, game, "again")
    assert "Älice" not in text_of(position_reply), (
        "the reply names a player, although the picture contains only the position"
    )
    assert "Turn" not in text_of(position_reply)
    assert "NASTIER" in (text_of(await press_copy(world.bob, position_reply)))


async def test_an_expired_spoiler_stays_a_spoiler(world):
    reply = await post_and_get_reply(world, f"||{OPENING}||")
    world.clock.ahead = timedelta(days=31)
    second_reply = await reply_to(world, reply, "again")
    assert second_reply.attachments[0].is_spoiler()
    text_outside_spoilers = "".join(text_of(second_reply).split("||")[::2])
    assert not text_outside_spoilers.strip("\n-# ")


async def test_an_expired_document_without_a_picture_is_gone(world):
    channel_without_files = world.create_channel_with_permissions(attach_files=False)
    await world.alice.send(channel_without_files, OPENING)
    reply = replies(channel_without_files)[0]
    assert not reply.attachments
    request = f"<@{world.me.id}> again"
    await world.bob.send(channel_without_files, request, reply_to=reply)
    assert text_of(replies(channel_without_files)[-1]) == text_of(reply), (
        "the document was not found, although it has not expired"
    )
    world.clock.ahead = timedelta(days=31)
    await world.bob.send(channel_without_files, request, reply_to=reply)
    assert "Kibitz found no position" in text_of(replies(channel_without_files)[-1])


async def test_an_opening_book_is_shown_again_at_its_position(world):
    book_reply = await post_and_get_reply(world, f"```\n{BOOK}```")
    second_reply = await reply_to(world, book_reply, "again")
    assert text_of(second_reply) == text_of(book_reply)
    assert text_of(second_reply).startswith("**Opening book** · White to move")
    await choose(world.bob, book_reply, "known", "e2e4")
    after_e4 = next(reply for reply in replies(world.channel) if reply.id == book_reply.id)
    assert "1. e4" in text_of(after_e4)
    reply = await reply_to(world, after_e4, "again")
    assert "1. e4" in text_of(reply)
    assert "Black to move" in text_of(reply)
