"""Every game in the corpus replays as in the index, which lists the results of an independent program.

``ERRORS`` and ``WARNINGS`` list the expected errors and warnings.
"""

import pytest

from bot.domain.crossword.notations import gcg
from bot.domain.crossword.play import TurnKind
from bot.domain.crossword.scoring import score_placement
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import ParseError
from tests.domain.shared import SHARED, needs_corpus, read_table

pytestmark = needs_corpus

ROWS = read_table("corpus/gcg_index.tsv")

ERRORS = {
    # The event doesn't fit on the board, cannot be read, has no play to withdraw, or names an unknown player.
    "MAGPIE-DATA__invalid_tile_placement.gcg": ("off-board", 27),
    "MAGPIE__hist_invalid_tile_placement.gcg": ("off-board", 26),
    "MAGPIE-DATA__play_out_of_bounds.gcg": ("off-board", 18),
    "MAGPIE-DATA__malformed_play.gcg": ("unknown-tile", 11),
    "MAGPIE-DATA__no_matching_token.gcg": ("malformed-event", 10),
    "MAGPIE__hist_no_matching_token__2.gcg": ("malformed-event", 8),
    "MAGPIE-DATA__phony_tiles_returned_with_no_play.gcg": ("nothing-to-withdraw", 35),
    "MAGPIE__hist_phony_tiles_returned_with_no_play__2.gcg": ("nothing-to-withdraw", 33),
    "MAGPIE-DATA__player_does_not_exist.gcg": ("unknown-player", 30),
    "MAGPIE__hist_player_does_not_exist.gcg": ("unknown-player", 29),
    # The play repeats an earlier play on the same squares, so it lays down no tiles.
    "MAGPIE__hist_game_events_overflow.gcg": ("no-tiles", 18),
}

WARNINGS = {
    # Another reader rejects these games. Kibitz shows them and reports the faults.
    "MAGPIE-DATA__challenge_bonus_rack_malformed.gcg": {("malformed-rack", 24)},
    "MAGPIE-DATA__description_after_events.gcg": {("late-pragma", 31)},
    "MAGPIE__hist_description_after_events.gcg": {("late-pragma", 30)},
    "MAGPIE__hist_description_after_events__2.gcg": {("late-pragma", 30)},
    "MAGPIE__hist_encoding_wrong_place.gcg": {("late-pragma", 19)},
    "MAGPIE-DATA__move_before_player.gcg": {("late-pragma", 4)},
    "MAGPIE-DATA__duplicate_nicknames.gcg": {("shared-nick", 1)},
    "MAGPIE-DATA__end_penalty_rack_malformed.gcg": {("malformed-rack", 15)},
    "MAGPIE-DATA__end_points_rack_malformed.gcg": {("malformed-rack", 45)},
    "MAGPIE-DATA__pass_rack_malformed.gcg": {("malformed-rack", 28)},
    "MAGPIE__hist_malformed_rack.gcg": {("malformed-rack", 29)},
    "MAGPIE-DATA__malformed_challenge_rack.gcg": {("malformed-rack", 13)},
    "MAGPIE-DATA__end_rack_points_incorrect.gcg": {("score-differs", 36)},
    "MAGPIE-DATA__exchange_malformed.gcg": {
        ("dot-on-rack", 6),
        ("not-on-rack", 6),
        ("dot-on-rack", 12),
        ("long-rack", 12),
    },
    "MAGPIE-DATA__exchange_not_in_rack.gcg": {("not-on-rack", 6)},
    "MAGPIE__hist_exchange_not_in_rack.gcg": {("not-on-rack", 5)},
    "MAGPIE-DATA__played_tile_not_in_rack.gcg": {
        ("not-on-rack", 9),
        ("too-many-tiles", 34),
        ("end-rack-differs", 37),
    },
    # Several racks show the only Z, and the plays have wrong scores.
    "MAGPIE-DATA__first_rack_not_in_bag.gcg": {
        ("too-many-tiles", 13),
        ("score-differs", 14),
        ("score-differs", 15),
        ("cumulative-differs", 15),
    },
    "MAGPIE-DATA__midgame_rack_not_in_bag.gcg": {("too-many-tiles", 35)},
    # The lines are not in the order of play, so the cumulative scores do not match.
    "MAGPIE-DATA__game_event_off_turn.gcg": {
        ("off-turn", 15),
        ("cumulative-differs", 15),
        ("off-turn", 16),
        ("cumulative-differs", 16),
        ("cumulative-differs", 17),
    },
    "MAGPIE-DATA__phony_tiles_returned_mismatch.gcg": {("phony-rack", 22)},
    "MAGPIE-DATA__six_pass_last_rack_malformed.gcg": {("end-rack-differs", 16)},
    "MAGPIE__hist_six_pass_last_rack_malformed.gcg": {("end-rack-differs", 15)},
    "MAGPIE-DATA__time_penalty_before_rack_penalties.gcg": {
        ("after-time-penalty", 16),
        ("cumulative-differs", 16),
        ("after-time-penalty", 18),
    },
    "MAGPIE-DATA__time_penalty_between_rack_penalties.gcg": {
        ("after-time-penalty", 18),
        ("cumulative-differs", 18),
    },
    "MAGPIE-DATA__time_penalty_before_rack_points.gcg": {
        ("cumulative-differs", 45),
        ("after-time-penalty", 46),
        ("cumulative-differs", 46),
    },
    "MAGPIE-DATA__time_penalty_duplicate.gcg": {("second-time-penalty", 47)},
    # Kibitz reads the text correctly as UTF-8. Other programs do not accept the encoding name ASCII.
    "MAGPIE-DATA__unsupported_character_encoding.gcg": {("unusual-encoding", 1)},
    # The recorder of a real game wrote a wrong score.
    "liwords__r20_peter.gcg": {("score-differs", 19)},
    # A withdrawal written as +0, with the correct cumulative score.
    "quackle__capp.gcg": {("score-differs", 14)},
    "quackle__hist_capp.gcg": {("score-differs", 13)},
    # Both players have the same nick. Kibitz assumes that they take turns; the index does not.
    "quackle__consonant_heaviness_tendency.gcg": {("shared-nick", 1)},
    # The racks at the end show ten As, but the set has nine.
    "macondo__incomplete_elise.gcg": {("too-many-tiles", 26)},
    "macondo__hist_incomplete_elise.gcg": {("too-many-tiles", 26)},
    # Four players, with racks that belong to other turns.
    "quackle__multiplayer-crash.gcg": {("not-on-rack", line) for line in (7, 8, 9, 13, 15, 16, 18, 19, 20)},
}


def read(name):
    text, warnings = decode((SHARED / "corpus/gcg" / name).read_bytes())
    reading = gcg.read(text)
    return reading, {(warning.code, warning.line) for warning in (*warnings, *reading.warnings)}


def for_each_row(*, with_error=None):
    matching_rows = [
        row
        for row in ROWS
        if row["replay"] != "EMPTY" and (with_error is None or with_error == (row["file"] in ERRORS))
    ]
    return pytest.mark.parametrize("row", matching_rows, ids=[row["file"] for row in matching_rows])


@for_each_row()
def test_every_game_has_the_expected_faults(row):
    reading, warnings = read(row["file"])
    if row["file"] in ERRORS:
        assert reading.error is not None
        assert (reading.error.code, reading.error.line) == ERRORS[row["file"]]
    else:
        assert reading.error is None
        assert warnings == WARNINGS.get(row["file"], set())


@for_each_row(with_error=False)
def test_final_scores_match_the_index(row):
    game = read(row["file"])[0].value
    position = game.position_at(len(game.turns))
    scores = [(name.nick, player.score) for name, player in zip(game.names, position.players, strict=True)]
    if row["file"] == "quackle__consonant_heaviness_tendency.gcg":
        # The index lists one score for each nick.
        assert scores == [("NoName", 345), ("NoName", 356)]
    else:
        stated_scores = (entry.rsplit("=", 1) for entry in row["replayed_scores"].split())
        assert dict(scores) == {nick: int(score) for nick, score in stated_scores}


@for_each_row(with_error=False)
def test_each_game_ends_as_the_index_says(row):
    game = read(row["file"])[0].value
    position = game.position_at(len(game.turns))
    if position.unseen.excess:
        # The board has more tiles than the set, so the remaining tiles are unknown.
        assert {code for code, _ in read(row["file"])[1]} >= {"too-many-tiles"}
    elif row["ended_by"] == "out":
        assert position.is_over
        assert position.unseen.total == 0
    elif row["ended_by"] == "zeros":
        assert position.scoreless_turns == 6
        assert position.is_over
        assert all(player.rack for player in position.players)
    elif row["file"] != "MAGPIE-DATA__end_points_rack_malformed.gcg":
        assert not position.is_over


@for_each_row(with_error=True)
def test_a_game_ends_before_its_error(row):
    reading, _ = read(row["file"])
    assert all(turn.line < reading.error.line for turn in reading.value.turns)
    assert len(reading.value.turns) >= 2
    assert reading.value.position_at(len(reading.value.turns)).board.tile_count


@for_each_row()
def test_positions_match_the_turns(row):
    game = read(row["file"])[0].value
    positions = tuple(game.positions())
    assert len(positions) == len(game.turns) + 1
    assert positions[len(positions) // 2] == game.position_at(len(positions) // 2)
    for position, turn in zip(positions, game.turns, strict=False):
        if turn.kind in {TurnKind.PLAY, TurnKind.EXCHANGE, TurnKind.PASS}:
            assert position.on_turn == turn.seat
            assert not turn.rack or position.players[turn.seat].rack == turn.rack
        if turn.kind is TurnKind.PLAY and row["replay"] == "OK":
            assert score_placement(position.board, turn.play, game.rules).score == turn.score


@pytest.mark.parametrize(
    "name", [row["file"] for row in ROWS if row["replay"] == "EMPTY" and "empty" not in row["file"]]
)
def test_files_without_events_are_games_without_turns(name):
    reading, _ = read(name)
    assert reading.value.turns == ()
    assert len(reading.value.names) == 2


def test_an_empty_file_is_rejected():
    with pytest.raises(ParseError, match="no players"):
        read("MAGPIE-DATA__empty.gcg")
