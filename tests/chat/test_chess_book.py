"""Opening books in chat: summaries, steps through the moves, and searches for positions."""

from __future__ import annotations

import pytest

from bot.domain.chess.notations import book as book_reader, polyglot
from bot.domain.chess.notations.polyglot import compile_book

from .actions import (
    choose,
    click,
    control,
    id_of,
    ids_of,
    last_reply,
    post_and_get_reply,
    press_copy,
    reply_of,
    text_of,
)

BOOK = """// Ruy Lopez
1. e4 e5 2. Nf3 Nc6 3. Bb5
// Italian Game
1. e4 e5 2. Nf3 Nc6 3. Bc4
// Sicilian *all* lines
1. e4 c5
// Queen's Gambit
1. d4 d5 2. c4
"""
AFTER_TWO_MOVES = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
POLYGLOT = polyglot.write(compile_book(book_reader.read(BOOK).value))


async def test_a_book_is_summarized_and_its_moves_are_stepped_through(world):
    reply = await post_and_get_reply(world, f"```\n{BOOK}```")
    assert text_of(reply) == (
        "**Opening book** · White to move\n"
        "• **e4** · 3 lines (75%) · Ruy Lopez, Italian Game, Sicilian \\*all\\* lines\n"
        "• **d4** · 1 line (25%) · Queen's Gambit\n"
        "4 lines · 11 positions · 5 half-moves deep · 0 transpositions"
    )
    assert reply.attachments[0].description.startswith("Opening book. Known moves: e4, d4. White to move.")
    options = control(reply, "known")["options"]
    assert [(option["label"], option["value"]) for option in options] == [
        ("1. e4", "e2e4"),
        ("1. d4", "d2d4"),
    ]
    assert control(reply, "takeback")["disabled"]
    for move in ("e2e4", "e7e5", "g1f3", "b8c6"):
        await choose(world.bob, last_reply(world), "known", move)
    assert text_of(last_reply(world)).startswith(
        "**Opening book** · 1. e4 e5 2. Nf3 Nc6 · White to move\n"
        "• **Bb5** · 1 line (50%) · Ruy Lopez\n• **Bc4** · 1 line (50%) · Italian Game"
    )
    assert AFTER_TWO_MOVES in text_of(await press_copy(world.bob, last_reply(world)))
    assert all(len(id_) <= 100 for id_ in ids_of(last_reply(world)))
    await choose(world.bob, last_reply(world), "known", "f1b5")
    assert "The book has no moves here." in text_of(last_reply(world))
    await click(world.bob, last_reply(world), custom_id=id_of(last_reply(world), "takeback:"))
    assert "2. Nf3 Nc6 · White to move" in text_of(last_reply(world))


async def test_a_position_is_looked_up_in_the_channels_latest_book(world):
    result = await world.bob.slash(world.channel, "book", position=AFTER_TWO_MOVES)
    assert result.ephemeral
    assert text_of(reply_of(result)).startswith("Which book?")
    await world.alice.send(world.channel, f"```\n{BOOK}```")
    result = await world.bob.slash(world.channel, "book", position=AFTER_TWO_MOVES)
    assert not result.ephemeral
    assert "• **Bb5** · 1 line (50%) · Ruy Lopez" in text_of(reply_of(result))


async def test_a_polyglot_book_shows_weights(world):
    result = await world.bob.slash(world.channel, "book", file=("my.bin", POLYGLOT))
    reply = reply_of(result)
    assert text_of(reply).startswith(
        "**Opening book** · White to move\n• **e4** · weight 3 (75%)\n• **d4** · weight 1 (25%)"
    )
    result = await world.bob.slash(world.channel, "book", position="1. e4 e5 2. Nf3 Nc6", private=True)
    assert result.ephemeral
    reply = reply_of(result)
    assert "1. e4 e5 2. Nf3 Nc6 · White to move\n• **Bb5** · weight 1 (50%)" in text_of(reply)
    await choose(world.bob, reply, "known", "f1c4")


async def test_book_and_position_may_be_links_to_messages_in_the_channel(world):
    book = await world.alice.send(world.channel, "", attachments=[("book.txt", BOOK.encode())])
    position = await world.alice.send(world.channel, AFTER_TWO_MOVES)
    link = f"https://discord.com/channels/{world.guild.id}/{world.channel.id}"
    result = await world.bob.slash(
        world.channel, "book", book=f"{link}/{book.id}", position=f"{link}/{position.id}"
    )
    assert "• **Bc4** · 1 line (50%) · Italian Game" in text_of(reply_of(result))
    other_link = f"https://discord.com/channels/{world.guild.id}/{world.guild.id}/{position.id}"
    result = await world.bob.slash(world.channel, "book", position=other_link)
    assert result.ephemeral
    assert text_of(reply_of(result)) == "Kibitz can read only messages in this channel."
    result = await world.bob.slash(world.channel, "book", position=f"{link}/{world.guild.id}")
    assert text_of(reply_of(result)) == "Kibitz can't see that message."


@pytest.mark.parametrize(
    ("options", "start"),
    [
        ({"book": BOOK, "position": "hello"}, "Kibitz found no chess position."),
        ({"book": BOOK, "position": "4k3/8/8/8/8/8/8/K3K3 w - - 0 1"}, "This FEN can't be read"),
        ({"book": "1. e4 e5 2. Ke8"}, "**Opening book** · White to move"),
        ({"book": "hello"}, "Which book?"),
        ({"file": ("a.bin", b"\xff\xfe\xfd" * 5)}, "Which book?"),
        ({"file": ("a.bin", b"")}, "a.bin wasn't read"),
    ],
)
async def test_unreadable_books_and_positions_get_a_reply(world, options, start):
    reply = reply_of(await world.bob.slash(world.channel, "book", **options))
    assert text_of(reply).replace("\\", "").startswith(start)


async def test_a_book_with_an_error_is_read_up_to_the_error(world):
    result = await world.bob.slash(world.channel, "book", book="// x\n1. e4 e5 2. Nf3\n1. d4 Kh3")
    assert (
        "⛔ Kibitz stopped reading here: Kh3 isn't a legal move; Black is to move (line 3, column 7)"
        in text_of(reply_of(result))
    )


async def test_a_hidden_book_stays_hidden(world):
    await world.alice.send(world.channel, f"||{BOOK}||")
    await choose(world.bob, last_reply(world), "known", "e2e4")
    assert last_reply(world).attachments[0].filename.startswith("SPOILER_")
    assert all(line.startswith("||") for line in text_of(last_reply(world)).split("\n")[:3])
