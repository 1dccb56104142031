"""Chess in chat: the bot shows a picture of a posted position, and converts it to other notations."""

from __future__ import annotations

import pytest

from tests.positions import OPENING

from .actions import choose_view, control, post, press, press_copy, replies, reply_of, text_of

SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
GAME = '[White "alice"]\n[Black "bob"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n'


async def test_a_fen_gets_its_picture(world):
    [reply] = await post(world, f"what now? `{SICILIAN}`")
    [picture] = reply.attachments
    assert picture.filename == "position.png"
    assert picture.description.startswith("Black to move. White: king e1, queen d1, rooks a1 h1")
    assert text_of(reply) == (
        "**Black to move** · B27 Sicilian Defense · move 2 · both sides may castle\n"
        "-# [Analysis board on lichess](<https://lichess.org/analysis/standard/"
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R_b_KQkq_-_1_2>)"
    )


async def test_castling_rights_and_the_half_move_clock_are_shown(world):
    [reply] = await post(world, "4k2r/8/8/8/8/8/8/R3K2R w KQk - 60 40")
    assert "castling: White both sides, Black kingside · 60 half-moves since the last capture" in text_of(
        reply
    )


async def test_the_moves_are_listed_around_the_shown_move(world):
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3 Ba5 6. d4 exd4 7. O-O Nge7 8. Ng5 d5"
    [reply] = await post(world, f"```\n{moves}\n```")
    assert "\n♟ … 5. c3 Ba5 6. d4 exd4 7. O-O Nge7 8. Ng5 **d5**\n" in text_of(reply)
    assert "C52 Italian Game" in text_of(reply)
    await press(world.bob, reply, "first")
    [reply] = replies(world.channel)
    assert "\n♟ 1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3 Ba5 6. d4 exd4 …\n" in text_of(reply)


@pytest.mark.parametrize(
    "text",
    [
        "hello, 1. eggs 2. milk",
        "4k3/8/8/8/8/8/8/K3K3 w - - 0 1",
        "8/8/8/8/8/8/8/8 is my workout",
        "1. e4 is best by test",
    ],
)
async def test_text_without_chess_gets_no_reply(world, text):
    assert await post(world, text) == []


async def test_a_hidden_position_stays_hidden(world):
    [reply] = await post(world, f"||{SICILIAN}||")
    assert reply.attachments[0].filename.startswith("SPOILER_")
    assert text_of(reply).startswith("||")


async def test_a_game_is_shown_up_to_an_impossible_move(world):
    [reply] = await post(world, "1. e4 e5 2. Nf3 Nc6 3. Nf7 what?")
    assert "⛔ Kibitz stopped reading here: Nf7 isn't a legal move; White is to move (column 24)" in text_of(
        reply
    )


async def test_chess_notations_are_offered_for_a_chess_game(world):
    [reply] = await post(world, GAME)
    text = text_of(reply_of(await choose_view(world.bob, reply, "to:uci")))
    assert "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7" in text
    assert "Not included: the tags White, Black; the result." in text
    text = text_of(reply_of(await choose_view(world.bob, reply, "to:fen")))
    assert "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4" in text
    offered_values = {
        option["value"] for option in control(await press_copy(world.bob, reply), "more")["options"]
    }
    assert {name for name in offered_values if name.startswith("to:")} == {
        f"to:{name}" for name in ("fen", "epd", "pgn", "uci", "book", "json")
    }


async def test_chess_and_crossword_positions_in_a_message_share_a_reply(world):
    [reply] = await post(world, f"{OPENING}\n{SICILIAN}")
    assert len(reply.attachments) == 1
    assert "2. Black to move." in reply.attachments[0].description
    assert "**1.** **Player 1 to move**" in text_of(reply)
    assert "**2.** **Black to move**" in text_of(reply)


async def test_a_link_to_a_board_is_read_as_its_position(world):
    path = SICILIAN.replace(" ", "_")
    [reply] = await post(world, f"what now? <https://lichess.org/analysis/standard/{path}?color=black>")
    assert text_of(reply).startswith("**Black to move** · B27 Sicilian Defense")
    assert text_of(reply).endswith(f"lichess.org/analysis/standard/{path}?color=black>)")


async def test_study_chapters_are_listed_by_name(world):
    chapters = "".join(
        f'[Event "Endings: {name}"]\n[ChapterName "{name}"]\n[Orientation "black"]\n[Result "*"]\n\n1. e4 {text} *\n\n'
        for name, text in (("The *king*", "{ [%csl Ge4] }"), ("The rook", "{ Up. [%cal Ge4e5] } e5"))
    )
    [reply] = await post(world, files=[("study.pgn", chapters.encode())])
    assert [item["label"] for item in control(reply, "games")["options"]] == ["1. The *king*", "2. The rook"]
    assert "Circles: e4 green." in reply.attachments[0].description
    assert "?color=black" in text_of(reply)
    await press(world.bob, reply, "first")
    [reply] = replies(world.channel)
    assert "Circles" not in reply.attachments[0].description
    assert "?color=black" in text_of(reply)
