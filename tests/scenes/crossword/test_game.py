"""The scenes of crossword games, and the descriptions of turns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.card import Appearance, ReplyContext
from bot.domain.crossword.notations import gcg, turn_url
from bot.domain.crossword.play import PlayerName
from bot.domain.crossword.rules import layout_of_size
from bot.features.showing.crossword.game_scene import (
    MAX_REPLAY_SQUARES,
    describe_turn,
    moment_scene,
    replay_scene,
    score_chart,
)
from bot.features.showing.pace import MAX_FRAMES
from bot.text import translator
from render.chart import MAX_ABSOLUTE_VALUE, MAX_SERIES, MAX_VALUES_PER_SERIES
from render.scene import Layout
from tests.domain.crossword.notations.live_links import history

translate = translator("en")
GAME = gcg.read(
    "#player1 a Anna\n#player2 b Ben\n#player3 c Cleo\n"
    ">a: AEINRST 8D NASTIER +66 66\n"
    ">a: AEINRST (challenge) +5 71\n"
    ">b: ABCDEFG -AB +0 0\n"
    ">c: HIJKLMN -2 +0 0\n"
    ">a: EIQU 7H QI +26 97\n"
    ">a: EIQU -- -26 71\n"
    ">b: CDEFGHI - +0 0\n"
    ">b: CDEFGHI (time) -10 -10\n"
    ">a: EIQU (EIQU) -13 58\n"
).value


def description(turn: int) -> str:
    return describe_turn(GAME.turns[turn - 1], GAME.position_at(turn), translate)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (1, "8D NASTIER"),
        (2, "challenge bonus"),
        (3, "exchange of AB"),
        (4, "exchange of 2 tiles"),
        (5, "7H QI"),
        (6, "challenged off"),
        (7, "pass"),
        (8, "time penalty"),
        (9, "tiles left: EIQU"),
    ],
)
def test_every_kind_of_turn_is_described(turn, expected):
    assert description(turn) == expected


@pytest.mark.parametrize(
    ("turn", "title", "visible"),
    [
        (0, "Turn 0 of 9", "start"),
        (1, "Turn 1 of 9", "8D NASTIER +66"),
        (2, "Turn 2 of 9", "8D NASTIER +66 +5"),
        (6, "Turn 6 of 9", "7H QI +26, challenged off"),
        (8, "Turn 8 of 9", "time penalty -10"),
    ],
)
def test_the_panel_numbers_and_describes_the_turn(turn, title, visible):
    first, *others = moment_scene(GAME, turn, None, ReplyContext(translate=translate)).sections
    assert (first.title, " ".join(first.words)) == (title, visible)
    assert "Last play" not in [section.title for section in others]


def test_the_viewing_player_is_listed_first():
    def names(seat):
        return [row.name for row in moment_scene(GAME, 2, seat, ReplyContext(translate=translate)).players]

    assert names(None) == ["Anna", "Ben", "Cleo"]
    assert names(2) == ["Cleo", "Anna", "Ben"]
    rows = moment_scene(GAME, 2, 2, ReplyContext(translate=translate)).players
    assert ["".join(face.text for face in row.rack or ()) for row in rows] == ["HIJKLMN", "", ""]
    rows = moment_scene(GAME, 2, 1, ReplyContext(translate=translate)).players
    assert ["".join(face.text for face in row.rack or ()) for row in rows] == ["ABCDEFG", "", ""]


def test_unknown_tiles_on_a_rack_are_counted():
    game = turn_url.replay(history("g7", 3)).value.game
    rows = moment_scene(game, 1, None, ReplyContext(translate=translate)).players
    assert rows[1].rack_note == "+5 unknown"
    assert len(rows[1].rack) == 2  # the tiles laid in this turn
    assert [
        row.rack_note for row in moment_scene(game, 3, None, ReplyContext(translate=translate)).players
    ] == [
        "",
        "",
    ]


def test_a_replay_shows_every_turn_and_the_last_one_for_longer():
    replay = replay_scene(GAME, ReplyContext(Appearance("dark", Layout.TALL), translate))
    assert [frame.scene.sections[0].title for frame in replay.frames] == [f"Turn {n} of 9" for n in range(10)]
    assert {frame.scene.theme for frame in replay.frames} == {"dark"}
    assert replay.frames[-1].delay > replay.frames[0].delay


def test_a_replay_and_a_chart_of_a_long_game_are_thinned_out_evenly():
    game = replace(GAME, turns=GAME.turns[2:3] * 1000)
    frames = replay_scene(game, ReplyContext(translate=translate)).frames
    assert len(frames) == MAX_FRAMES
    assert frames[0].scene.sections[0].title == "Turn 0 of 1000"
    assert frames[-1].scene.sections[0].title == "Turn 1000 of 1000"
    [first, *_] = score_chart(game, ReplyContext(translate=translate)).series
    assert len(first.values) == MAX_VALUES_PER_SERIES


def test_the_cost_of_a_replay_on_a_large_board_is_limited():
    rules = replace(GAME.rules, layout=layout_of_size(50, 50))
    long_game = replace(GAME, rules=rules, turns=GAME.turns[2:3] * 1000)
    frames = replay_scene(long_game, ReplyContext(translate=translate)).frames
    assert len(frames) * 50 * 50 == MAX_REPLAY_SQUARES
    titles = [frame.scene.sections[0].title for frame in frames]
    assert (titles[0], titles[-1]) == ("Turn 0 of 1000", "Turn 1000 of 1000")


def test_a_chart_has_a_line_for_every_player():
    chart = score_chart(GAME, ReplyContext(translate=translate))
    assert [(series.name, series.values[-1]) for series in chart.series] == [
        ("Anna", 58),
        ("Ben", -10),
        ("Cleo", 0),
    ]
    assert chart.series[0].values == (0, 66, 71, 71, 71, 97, 71, 71, 71, 58)


def test_a_chart_is_limited_to_what_can_be_drawn():
    turn = replace(GAME.turns[0], cumulative=10**12)
    names = tuple(PlayerName(str(seat), "") for seat in range(8))
    chart = score_chart(replace(GAME, names=names, turns=(turn,)), ReplyContext(translate=translate))
    assert len(chart.series) == MAX_SERIES
    assert chart.series[0].values == (0, MAX_ABSOLUTE_VALUE)
