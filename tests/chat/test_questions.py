"""A broken position gets a ❓ reaction, and a user who clicks on it gets an explanation. Ordinary chat gets no reaction."""

from __future__ import annotations

import random
import re

import pytest

from bot.chat.preferences import Mode
from bot.domain.notations import detect_leniently
from bot.features.settings.help import EXAMPLES
from bot.features.showing.reading.documents import detect_text, read_detections
from tests.domain.chatter import GRAMMARS, chess_position, generated_messages
from tests.positions import MAVEN

from .actions import click, controls_of, reactions_of_bot, replies, text_of

BROKEN = MAVEN.replace("2QAID3R5", "2QAID3R4")
FEN = EXAMPLES["fen"][1]
LINK = EXAMPLES["link"][1]
QUESTION = "❓"


async def test_an_explanation_is_sent_on_request_and_follows_edits(world):
    source = await world.alice.send(world.channel, f"what now? {BROKEN}")
    assert replies(world.channel) == []
    assert reactions_of_bot(world, source) == [QUESTION]
    await world.bob.react(source, QUESTION)
    [reply] = replies(world.channel)
    assert reply.reference.message_id == source.id
    assert "CGP can't be read" in text_of(reply)
    assert "row 3 should have 15 squares, but has 14" in text_of(reply)
    caret = text_of(reply).splitlines()[-2]
    assert caret.strip() == "▲"
    assert reactions_of_bot(world, source) == []
    await world.alice.react(source, QUESTION)
    assert len(replies(world.channel)) == 1, "the error was explained twice"
    # The first edit turns the reply into another explanation, and the second edit into the board. The reply is deleted with the message.
    await world.alice.edit(source, BROKEN.replace("4PA3U5", "4PA3U4"))
    [reply] = replies(world.channel)
    assert "CGP can't be read" in text_of(reply)
    await world.alice.edit(source, MAVEN)
    [reply] = replies(world.channel)
    assert reply.attachments
    await world.alice.delete(source)
    assert replies(world.channel) == []


async def test_a_corrected_message_gets_a_reply_and_loses_its_mark(world):
    source = await world.alice.send(world.channel, BROKEN)
    await world.alice.edit(source, MAVEN)
    assert replies(world.channel)[0].attachments
    assert reactions_of_bot(world, source) == []
    other_message = await world.alice.send(world.channel, BROKEN)
    await world.alice.edit(other_message, "never mind")
    assert reactions_of_bot(world, other_message) == []
    await world.bob.react(other_message, QUESTION)
    assert len(replies(world.channel)) == 1


async def test_a_mark_and_its_reply_survive_a_restart(world):
    source = await world.alice.send(world.channel, BROKEN)
    await world.restart()
    await world.bob.react(source, QUESTION)
    [reply] = replies(world.channel)
    [delete_button] = controls_of(reply)
    await click(world.bob, reply, custom_id=delete_button["custom_id"])
    assert len(replies(world.channel)) == 1
    await click(world.alice, reply, custom_id=delete_button["custom_id"])
    assert replies(world.channel) == []


async def test_a_server_can_turn_off_question_marks(world, carol):
    earlier_message = await world.alice.send(world.channel, BROKEN)
    result = await carol.slash(world.channel, "settings server", questions="no")
    assert "Broken positions are ignored" in text_of(result.response)
    assert reactions_of_bot(world, await world.alice.send(world.channel, BROKEN)) == []
    await world.bob.react(earlier_message, QUESTION)
    assert replies(world.channel) == []
    await carol.slash(world.channel, "settings server", questions="default")
    await world.bot.preferences.set_channel_mode(world.guild.id, world.channel.id, Mode.OFF)
    assert reactions_of_bot(world, await world.alice.send(world.channel, BROKEN)) == []


async def test_a_question_mark_that_kibitz_did_not_add_gets_no_reply(world):
    chat = await world.alice.send(world.channel, "hello?")
    await world.bob.react(chat, QUESTION)
    assert replies(world.channel) == []


async def test_a_broken_position_is_ignored_without_permission_to_react(world):
    channel = world.create_channel_with_permissions(add_reactions=False)
    source = await world.alice.send(channel, BROKEN)
    assert reactions_of_bot(world, source) == []
    assert replies(channel) == []


async def test_the_reply_to_a_spoiler_is_a_spoiler(world):
    source = await world.alice.send(world.channel, f"||{BROKEN}||")
    await world.alice.react(source, QUESTION)
    [reply] = replies(world.channel)
    assert text_of(reply).startswith("||")
    assert text_of(reply).endswith("||")


def is_broken(text: str) -> bool:
    return bool(read_detections(text, detect_text(text, on_request=False)).broken_texts)


@pytest.mark.parametrize(
    "text",
    [
        BROKEN,
        MAVEN.replace("QAID", "QA€D"),
        MAVEN.replace("0/0 0", "0/x 0"),
        MAVEN.replace("/2O3GOY6", ""),
        FEN.replace("RNB1", "RNX1"),
        FEN.replace("RNB1", "RNBB1"),
        FEN.replace("/8/", "/"),
        f"what about {FEN.replace('2n2n2', '2n2n3')}?",
        LINK.replace("tn=1&", ""),
        LINK.replace("bag=en", "bag=zz"),
    ],
)
def test_broken_positions_are_recognized(text):
    assert is_broken(text)


@pytest.mark.parametrize(
    "text",
    [
        "library/kitchen/bedroom/hallway/terrace/gardens/balcony",
        "1/1/1/1/1/1/1/1/1/1/1/1/1/1/1",
        "7/7/7/7/7/7/7, 8/8/8/8/8/8/8/8 and 15/15/15/15/15/15/15",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "rnbqkbnr/pppppppp/8 is how it begins",
        "https://docs.example/spreadsheets/d/1a2b/edit#gid=0&range=A1&tn=1&seed=2&v=3",
        "https://shop.example/?v=1&bag=red&seed=corn&board=oak&wl=1",
        "#player1 is a good name\n#player2 is better\nand #note to self",
        ">alice: how are you +3 5\n>bob: fine\n>alice: good",
        '[White "House"]\n[Black "Pearl"]\n1. go home',
        "1. e4 e5 2. Ke8 is what he wrote",
        "https://example.org/sw/#gid=friday20&tn=2&wl=8.6&wh=WIFE",
    ],
)
def test_ordinary_chat_is_not_a_broken_position(text):
    assert not is_broken(text)


def test_thousands_of_lines_without_a_position_get_no_mark():
    rng = random.Random(5)
    lines = list(generated_messages(6_000, seed=5))
    others = [grammar for grammar in GRAMMARS if grammar is not chess_position]
    lines += [grammar(rng) for grammar in others for _ in range(200)]
    is_chess = re.compile(r"^[pnbrqkPNBRQK1-8/]{15,} [wb] ", re.MULTILINE)
    chat_lines = [line for line in lines if not is_chess.search(line)]
    assert len(chat_lines) > 9_000
    assert [line for line in chat_lines if detect_leniently(line)] == []
