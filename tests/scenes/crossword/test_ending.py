"""The picture that summarizes a finished game."""

from __future__ import annotations

from importlib.resources import files

import pytest

from bot.chat.card import ReplyContext
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.summary import summarize
from bot.features.showing.crossword.game_scene import ending_scene, is_finished_match, replay_scene
from bot.features.showing.pace import Pace
from bot.text import translator
from render.layout import draw_mosaic

translate = translator("en")
FINISHED_GAME = gcg.read((files("bot.demo") / "data" / "game.gcg").read_text(encoding="utf-8")).value
PLAYERS = "#player1 a Anna\n#player2 b Ben\n"
GAME_WITH_PHONY = gcg.read(
    PLAYERS + ">a: AEINRST 8D NASTIER +66 66\n>a: AEINRST -- -66 0\n>b: ABCDEFG 8G BAD +12 12\n"
).value


def test_a_finished_game_is_summarized():
    summary = summarize(FINISHED_GAME)
    alice, bob = summary.players
    assert (summary.winners, summary.margin, summary.best_turn, summary.key_turns) == (
        (0,),
        37,
        2,
        (2, 5, 17),
    )
    assert (alice.score, alice.bingo_turns, bob.bingo_turns) == (422, (5, 7, 17), (2,))
    assert alice.average_score == pytest.approx(422 / 11)
    # Points for the tiles left over at the end are part of the score, but not of the average.
    assert (bob.score, bob.points, bob.turn_count) == (385, 381, 11)


def test_a_withdrawn_play_is_not_counted():
    summary = summarize(GAME_WITH_PHONY)
    assert (summary.winners, summary.best_turn, summary.key_turns) == ((1,), 3, (3,))
    assert (summary.players[0].bingo_turns, summary.players[0].points, summary.players[0].average_score) == (
        (),
        0,
        0,
    )
    assert not is_finished_match(GAME_WITH_PHONY)


def test_the_picture_of_a_finished_game_shows_the_winner():
    scene = ending_scene(FINISHED_GAME, ReplyContext(translate=translate))
    assert [(row.name, row.score, row.to_move, row.note) for row in scene.players] == [
        ("alice", "422", True, "3 bingos · 38.4 a turn"),
        ("bob", "385", False, "1 bingo · 34.6 a turn"),
    ]
    board, chart, moments = scene.rows
    assert chart[0].scene.stars == (2, 5, 7, 17)
    assert chart[0].scene.side_names == ("alice ahead", "bob ahead")
    assert [part.title for part in moments] == ["2. bob +92", "5. alice +78", "17. alice +89"]
    assert [sum(mark.value == "last" for mark in part.scene.marks) for part in moments] == [7, 7, 7]
    assert not board[0].scene.players
    assert draw_mosaic(scene).width < 1000


def test_a_replay_shows_bingos_and_remarks_for_longer():
    frames = replay_scene(FINISHED_GAME, ReplyContext(translate=translate)).frames
    delays = {turn: frame.delay for turn, frame in enumerate(frames)}
    assert (delays[1], delays[2], delays[8]) == (1500, 3000, 3000)  # a play, a bingo, a remark
    slow, fast = (
        replay_scene(FINISHED_GAME, ReplyContext(translate=translate), pace).frames
        for pace in (Pace.SLOW, Pace.FAST)
    )
    assert (slow[1].delay, fast[1].delay) == (3000, 600)
    assert slow[-1].delay == fast[-1].delay == delays[len(frames) - 1]
