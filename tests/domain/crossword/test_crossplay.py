"""Crossplay: its tiles, its board, how it is recognized, and how a game ends."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from bot.domain.crossword.game import ReplayState, TurnsLeft, turns_left
from bot.domain.crossword.notations import board_text, cgp, cgp_ascii, gcg, json_document
from bot.domain.crossword.play import ORDINARY_KINDS
from bot.domain.crossword.rules import EndScoring, default_rules, load_distribution, load_layout
from bot.domain.crossword.scoring import end_adjustments
from bot.domain.notations import convert
from tests.domain.crossword.games import games, with_unseen_tiles
from tests.domain.crossword.naive_scoring import letter_multiplier, word_multiplier
from tests.positions import LATE_BOARD

SET = load_distribution("crossplay")
LAYOUT = load_layout("Crossplay")
RULES = default_rules(SET, LAYOUT)
OPENING = "/".join(["15"] * 7 + ["5CATSx5", *["15"] * 7])


def test_crossplay_has_its_own_tiles_board_and_rules():
    assert SET.total == 100
    assert SET.counts[0] == 3
    assert LAYOUT.squares == LAYOUT.squares[::-1]
    assert (letter_multiplier(LAYOUT, 7, 7), word_multiplier(LAYOUT, 7, 7)) == (1, 1)
    counts = {symbol: LAYOUT.squares.count(symbol) for symbol in "='-\""}
    assert counts == {"=": 8, "-": 8, "'": 20, '"': 20}
    assert (RULES.bingo_bonus, RULES.scoreless_limit, RULES.end_scoring) == (40, 4, EndScoring.EQUAL_TURNS)


def test_tiles_left_do_not_change_the_final_scores():
    assert end_adjustments(((), (17, 26)), RULES) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        f"{OPENING} AEIN?S?/ 24/0 0 bdn Crossplay; ld crossplay;",
        f"{OPENING} AEIN?S?/ 24/0 0",  # three blanks
        f"{OPENING} AEIN/ 24/0 0 bdn crossplay",
        f"{OPENING} AEIN/ 24/0 0 ld english_crossplay",
        f"{OPENING} AEIN/ 24/0 0 var Crossplay",
    ],
)
def test_a_position_is_recognized_as_crossplay(text):
    reading = cgp.read(text)
    assert reading.value.rules == RULES
    assert cgp.write(reading.value).endswith(" bdn Crossplay; ld crossplay;")
    assert cgp.read(cgp.write(reading.value)) == replace(reading, warnings=())
    is_named = "ld" in text or "var" in text
    assert bool(reading.warnings) is not is_named
    assert cgp_ascii.read(cgp_ascii.write(reading.value)).value == reading.value
    assert board_text.read(board_text.write(reading.value)).value == reading.value
    assert json_document.read(json_document.write(reading.value)).value == reading.value


@pytest.mark.parametrize(
    ("text", "name", "board"),
    [
        (f"{OPENING} AEIN?/ 24/0 0", "english", "CrosswordGame"),  # two blanks
        (f"{OPENING} AEIN?S?/ 24/0 0 bdn CrosswordGame", "english", "CrosswordGame"),  # too many blanks
        (f"{OPENING} AEIN?S?/ 24/0 0 ld english", "english", "CrosswordGame"),
        (f"{OPENING} AEIN/ 24/0 0 ld english; bdn Crossplay", "english", "Crossplay"),
        (f"{OPENING} AEIN/ 24/0 0 ld crossplay; bdn CrosswordGame", "crossplay", "CrosswordGame"),
        (f"{OPENING} AEIN/ 24/0 0 lex FISE2; bdn Crossplay", "spanish", "Crossplay"),
    ],
)
def test_a_named_tile_set_or_board_is_not_replaced(text, name, board):
    position = cgp.read(text).value
    assert (position.rules.distribution.name, position.rules.layout.name) == (name, board)
    assert cgp.read(cgp.write(position)).value == position


GAME = """#player1 alice Alice A.
#player2 bob Bob B.
>alice: AEIMNVW 8F WAVE +{0} {0}
>bob: ADGKORT 9G GOAD +22 22
>alice: DIKNORT 10H KID +{1} {2}
"""
CROSSPLAY_GAME = GAME.format(18, 41, 59)
CLASSIC_GAME = GAME.format(20, 33, 53)


def test_a_game_is_recognized_by_its_scores():
    rules = default_rules(load_distribution("english"), load_layout("CrosswordGame"))
    reading = gcg.read(CROSSPLAY_GAME)
    assert reading.value.rules == RULES
    assert [warning.code for warning in reading.warnings] == ["game-by-scores"]
    written = gcg.write(reading.value)
    assert "#tile-distribution crossplay" in written
    assert gcg.read(written).warnings == ()
    classic_reading = gcg.read(CLASSIC_GAME)
    assert (classic_reading.value.rules, classic_reading.warnings) == (rules, ())
    # A tile set named in the file is never replaced. The default tile set is replaced only if the scores fit a variant that has its own
    # tiles.
    text_with_tile_set = CROSSPLAY_GAME.replace(">alice", "#tile-distribution english\n>alice", 1)
    assert gcg.read(text_with_tile_set).value.rules == rules
    assert gcg.read(CROSSPLAY_GAME.replace("+", "+1")).value.rules == rules


def test_each_way_to_name_crossplay_selects_its_rules():
    for pragma in ("#game-type Crossplay", "#board-layout Crossplay", "#tile-distribution crossplay"):
        reading = gcg.read(CROSSPLAY_GAME.replace(">alice", f"{pragma}\n>alice", 1))
        assert (reading.value.rules, reading.warnings) == (RULES, ())


@given(games(finished=True, set_name="crossplay"))
@settings(max_examples=15, deadline=None)
def test_every_player_has_one_turn_after_the_bag_is_empty(game):
    state = ReplayState(game.rules, len(game.names))
    turns_after_empty_bag = 0
    for turn in game.turns:
        bag_count, was_over = state.bag_count, state.is_over
        state.apply(turn)
        if turn.kind in ORDINARY_KINDS:
            assert not was_over
            turns_after_empty_bag += not bag_count
            assert state.turns_left == (None if state.bag_count else len(game.names) - turns_after_empty_bag)
    assert state.is_over
    assert turns_after_empty_bag == len(game.names) or state.scoreless_turns == 4
    assert game.position_at(len(game.turns)).is_over
    reread = gcg.read(gcg.write(game))
    assert (reread.value.rules, reread.value.incomplete, reread.warnings) == (game.rules, False, ())
    for position in game.positions():
        deduced = turns_left(replace(position, turns_left=None))
        recorded = turns_left(position)
        assert (deduced is None) == (recorded is None)
        if deduced is not None and deduced.is_certain and not position.is_over and len(game.names) == 2:
            assert deduced == recorded, position


def position_at_end(own_count: int, other_count: int, extra: str = "", scoreless_turns: int = 0):
    position = cgp.read(
        f"{LATE_BOARD} {'AEINRST'[:own_count]}/{'LDUEONG'[:other_count]} 0/0 {scoreless_turns} ld crossplay;{extra}"
    ).value
    return with_unseen_tiles(position)


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (position_at_end(7, 7, "lm 6I PANTO;"), TurnsLeft(2)),  # tiles were drawn after the play
        (
            position_at_end(7, 2, "lm 6I PANTO;"),
            TurnsLeft(1),
        ),  # the 2 tiles left and the 5 tiles laid make a full rack, so none was drawn
        (position_at_end(7, 3, "lm 6I PANTO;"), TurnsLeft(2)),
        (position_at_end(7, 7, "lm pass;"), TurnsLeft(1)),
        (position_at_end(7, 7, scoreless_turns=1), TurnsLeft(1)),
        (position_at_end(5, 3), TurnsLeft(1)),
        (position_at_end(7, 3), TurnsLeft(2, is_certain=False)),
        (replace(position_at_end(7, 3), turns_left=1), TurnsLeft(1)),
        (replace(position_at_end(7, 3), turns_left=0), TurnsLeft(0)),
        (cgp.read(f"{LATE_BOARD} AEINRST/ 0/0 0 ld crossplay").value, None),
    ],
)
def test_the_racks_and_the_last_play_imply_the_turns_left(position, expected):
    assert turns_left(position) == expected
    assert position.is_over is (expected == TurnsLeft(0))


def test_json_keeps_the_turns_left_and_cgp_reports_their_loss():
    position = position_at_end(7, 3)
    position = replace(position, rules=RULES, turns_left=1)
    position = replace(position, players=(position.players[0], replace(position.players[1], rack=())))
    assert json_document.read(convert(position, "json").text).value == position
    assert [loss.code for loss in convert(position, "cgp").losses] == ["turns-left"]
