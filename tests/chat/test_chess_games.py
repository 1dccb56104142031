"""Chess games in chat: users step through a game, flip the board, replay or convert the game, or choose another game."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from tests.positions import OPENING

from .actions import (
    choose_option,
    choose_view,
    control,
    go_to,
    ids_of,
    is_disabled,
    only_reply,
    post,
    press,
    press_copy,
    reply_of,
    rows_of,
    text_of,
)

GAME = """[Event "Club night"]
[White "alice"]
[Black "bob"]
[Result "1-0"]

{Played *fast*.} 1. e4 {[%clk 0:09:58] best by test} e5 {[%clk 0:09:50]} 2. Qh5!? (2. Nf3 Nc6 {Spain} 3. Bb5) (2. f4)
Nc6 3. Bc4 Nf6?? {[%eval #1]} 4. Qxf7# 1-0
"""
SHORT_GAME = '[White "carol"]\n[Black "dave"]\n\n1. d4 d5 1/2-1/2\n'


@pytest.fixture
async def game_reply(world):
    await world.alice.send(world.channel, f"```\n{GAME}```")
    return only_reply(world)


async def test_a_game_is_shown_at_its_end_with_viewer_controls(game_reply):
    assert text_of(game_reply).startswith(
        "**alice – bob** · 1–0 · Club night · C20 King's Pawn Game\\: Wayward Queen Attack\n"
        "Turn 7 of 7: **4. Qxf7\\#** · checkmate, White wins"
    )
    assert game_reply.attachments[0].description.startswith("alice against bob, after turn 7 of 7.")
    assert [is_disabled(game_reply, target) for target in ("first", "previous", "next", "last")] == [
        False,
        False,
        True,
        True,
    ]
    options = control(game_reply, "turns")["options"]
    assert [option["label"] for option in options] == [
        "The start", "1. e4", "1... e5", "2. Qh5!?", "2... Nc6", "3. Bc4", "3... Nf6??", "4. Qxf7#",
    ]  # fmt: skip
    assert options[3]["description"] == "↳ ↳"  # two variations
    assert len(rows_of(game_reply)) <= 5
    assert all(len(id_) <= 100 for id_ in ids_of(game_reply))


async def test_a_move_is_shown_with_comment_clock_and_variations(world, game_reply):
    await go_to(world.bob, game_reply, "1")
    assert "Turn 1 of 7: **1. e4** · Black to move · clock 9:58\n📝 best by test" in text_of(
        only_reply(world)
    )
    await press(world.bob, only_reply(world), "next")
    await press(world.bob, only_reply(world), "next")
    content = text_of(only_reply(world))
    assert "**2. Qh5!?**" in content
    assert "↳ 2. Nf3 Nc6 (Spain) 3. Bb5\n↳ 2. f4" in content
    fen = "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2"
    assert fen not in content
    assert fen in text_of(await press_copy(world.bob, only_reply(world)))
    await go_to(world.bob, only_reply(world), "6")
    assert "evaluation \\#1" in text_of(only_reply(world))
    await press(world.bob, only_reply(world), "first")
    assert "The start of the game; 7 turns follow · White to move\n📝 Played \\*fast\\*." in text_of(
        only_reply(world)
    )


async def test_a_flipped_board_stays_flipped(world, game_reply):
    async def read_picture():
        return await only_reply(world).attachments[0].read()

    picture_before = await read_picture()
    await press(world.bob, game_reply, "flip")
    flipped_picture = await read_picture()
    assert flipped_picture != picture_before
    await press(world.bob, only_reply(world), "previous")
    await press(world.bob, only_reply(world), "next")
    assert await read_picture() == flipped_picture
    await press(world.bob, only_reply(world), "flip")
    assert await read_picture() == picture_before


async def test_secondary_views_are_sent_privately(world, game_reply):
    await go_to(world.alice, game_reply, "2")
    replay = reply_of(await choose_view(world.bob, only_reply(world), "replay"))
    [file] = replay.attachments
    assert file.description.startswith("A replay of 7 turns. ")
    assert "after turn 7 of 7. Black to move." in file.description
    picture = Image.open(io.BytesIO(await file.read()))
    assert isinstance(picture, GifImageFile)
    assert picture.n_frames >= 8
    private_view = reply_of(await choose_view(world.bob, only_reply(world), "private"))
    assert "Turn 2 of 7" in text_of(private_view)
    for notation, part in {
        "fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
        "pgn": "1. e4",
        "uci": "e2e4 e7e5",
        "json": '"uci": "e7e5"',
    }.items():
        reply = reply_of(await choose_view(world.bob, only_reply(world), f"to:{notation}"))
        text = text_of(reply) + "".join([(await file.read()).decode() for file in reply.attachments])
        assert part in text
        assert "h5" not in text, "the notation contains moves after the shown turn"


async def test_several_games_are_opened_from_a_menu(world):
    [reply] = await post(world, files=[("games.pgn", f"{GAME}\n{SHORT_GAME}".encode())])
    assert text_of(reply).startswith("**alice – bob**")
    options = control(reply, "games")["options"]
    assert [option["label"] for option in options] == ["1. alice – bob", "2. carol – dave"]
    assert [bool(option.get("default")) for option in options] == [True, False]
    await choose_option(world.bob, reply, "games", 1)
    assert text_of(only_reply(world)).startswith(
        "**carol – dave** · ½–½ · D00 Queen's Pawn Game\nTurn 2 of 2: **1... d5**"
    )
    await press(world.bob, only_reply(world), "first")
    menu = control(only_reply(world), "games")
    assert [bool(option.get("default")) for option in menu["options"]] == [False, True]
    await choose_option(world.bob, only_reply(world), "games", 0)
    assert text_of(only_reply(world)).startswith("**alice – bob**")
    assert len(rows_of(only_reply(world))) == 3
    private_view = reply_of(await choose_view(world.bob, only_reply(world), "private"))
    assert len(rows_of(private_view)) == 3
    assert "Turn 2 of 7" in text_of(reply_of(await go_to(world.bob, private_view, "2")))


async def test_games_that_do_not_fit_into_the_menu_are_counted(world):
    games = "\n".join(f'[White "w{number}"]\n[Black "b"]\n\n1. e4 e5 *\n' for number in range(30))
    await world.alice.send(world.channel, "", attachments=[("games.pgn", games.encode())])
    assert "6 more games don't fit into the list of games." in text_of(only_reply(world))
    assert len(control(only_reply(world), "games")["options"]) == 24


async def test_the_menu_of_a_long_game_lists_the_turns_around_the_shown_turn(world):
    knights = ("Nf3 Nf6", "Ng1 Ng8")
    moves = " ".join(f"{number + 1}. {knights[number % 2]}" for number in range(60))
    await world.alice.send(world.channel, moves)
    values = [option["value"] for option in control(only_reply(world), "turns")["options"]]
    assert (values[-1], len(values)) == ("120", 24)
    await go_to(world.alice, only_reply(world), values[0])
    assert "Turn 120 of 120" in text_of(only_reply(world)), "listing other turns changed the shown turn"
    await go_to(world.alice, only_reply(world), "90")
    assert "Turn 90 of 120: **45... Nf6**" in text_of(only_reply(world))


async def test_a_hidden_game_stays_hidden(world):
    await world.alice.send(world.channel, f"||{GAME}||")
    await press(world.bob, only_reply(world), "previous")
    message = only_reply(world)
    assert message.attachments[0].filename.startswith("SPOILER_")
    assert text_of(message).startswith("||")
    assert "Bc4" not in str(control(message, "turns"))


async def test_the_message_menu_opens_a_game_at_its_start(world):
    sent = await world.alice.send(world.channel, f"{GAME}\n{SHORT_GAME}")
    viewer = reply_of(await world.bob.context_menu(world.channel, "Open game", sent))
    assert "The start of the game; 7 turns follow" in text_of(viewer)
    assert len(control(viewer, "games")["options"]) == 2
    game_reply = reply_of(await world.bob.context_menu(world.channel, "Show position", sent))
    assert text_of(game_reply).startswith("**alice – bob**")
    conversion_menu = reply_of(await world.bob.context_menu(world.channel, "Convert position", sent))
    assert "**1.** **alice – bob** · 1–0 · 7 turns" in text_of(conversion_menu)


async def test_a_game_posted_with_a_crossword_position_is_opened_from_the_menu(world):
    await world.alice.send(world.channel, f"{OPENING}\n{GAME}")
    menu = control(only_reply(world), "games")
    assert [option["label"] for option in menu["options"][1:]] == ["1. 0 – 0", "2. alice – bob"]
    await choose_option(world.bob, only_reply(world), "games", 2)
    assert "Turn 7 of 7: **4. Qxf7\\#**" in text_of(only_reply(world))


async def test_a_position_is_flipped_and_converted(world):
    await world.alice.send(world.channel, "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")
    picture_before = await only_reply(world).attachments[0].read()
    await press(world.bob, only_reply(world), "flip")
    assert await only_reply(world).attachments[0].read() != picture_before
    text = text_of(reply_of(await choose_view(world.bob, only_reply(world), "to:json")))
    assert "chess-position" in text
