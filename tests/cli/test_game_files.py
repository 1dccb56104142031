"""``inspect --json`` on every file of the corpus, and on every step of the recorded Turn URL games."""

from __future__ import annotations

import json
from urllib.parse import unquote_plus

import pytest

from bot.__main__ import main
from tests.domain.shared import SHARED, needs_corpus, read_table

KINDS = {
    "play",
    "exchange",
    "pass",
    "phony-withdrawn",
    "challenge-bonus",
    "end-rack-points",
    "end-rack-penalty",
    "time-penalty",
}

# The line and the code of the first error, by file. The turns before this line are read.
FIRST_ERRORS = {
    "MAGPIE-DATA__invalid_tile_placement.gcg": (27, "off-board"),
    "MAGPIE-DATA__malformed_play.gcg": (11, "unknown-tile"),
    "MAGPIE-DATA__no_matching_token.gcg": (10, "malformed-event"),
    "MAGPIE-DATA__phony_tiles_returned_with_no_play.gcg": (35, "nothing-to-withdraw"),
    "MAGPIE-DATA__play_out_of_bounds.gcg": (18, "off-board"),
    "MAGPIE-DATA__player_does_not_exist.gcg": (30, "unknown-player"),
    "MAGPIE__hist_game_events_overflow.gcg": (18, "no-tiles"),
    "MAGPIE__hist_invalid_tile_placement.gcg": (26, "off-board"),
    "MAGPIE__hist_no_matching_token__2.gcg": (8, "malformed-event"),
    "MAGPIE__hist_phony_tiles_returned_with_no_play__2.gcg": (33, "nothing-to-withdraw"),
    "MAGPIE__hist_player_does_not_exist.gcg": (29, "unknown-player"),
}
EMPTY_FILES = {"MAGPIE-DATA__empty.gcg"}
# For these files, the index omits players without a turn, or one of two players with the same name.
FILES_WITH_OTHER_SCORES = {
    "MAGPIE-DATA__oops_all_pragmas.gcg",
    "MAGPIE-DATA__success_just_last_rack.gcg",
    "quackle__consonant_heaviness_tendency.gcg",
}


@needs_corpus
@pytest.mark.parametrize("row", read_table("corpus/gcg_index.tsv"), ids=lambda row: row["file"])
def test_every_file_of_the_corpus_agrees_with_the_index(row, capsys):
    name = row["file"]
    code = main(["inspect", "--json", str(SHARED / "corpus" / "gcg" / name)])
    [output] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    if name in EMPTY_FILES:
        assert (code, output["items"], output["error"]) == (1, [], None)
        return
    [item] = output["items"]
    assert (item["format"], item["kind"]) == ("gcg", "game")
    assert [turn["number"] for turn in item["turns"]] == list(range(1, len(item["turns"]) + 1))
    assert {turn["kind"] for turn in item["turns"]} <= KINDS
    assert {turn["player"] for turn in item["turns"]} <= set(item["players"])
    if name in FIRST_ERRORS:
        assert code == 2
        assert (output["error"]["line"], output["error"]["code"]) == FIRST_ERRORS[name]
        assert item["turns"], "the turns before the error are missing"
        return
    assert (code, output["error"]) == (0, None)
    if name not in FILES_WITH_OTHER_SCORES:
        scores = dict(zip(item["players"], map(str, item["scores"]), strict=True))
        assert scores == dict(pair.split("=") for pair in row["replayed_scores"].split(" "))


def games():
    path = SHARED / "corpus" / "turnurl_games.jsonl"
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


@needs_corpus
@pytest.mark.parametrize("game", games(), ids=lambda game: game["params"][:40])
def test_every_recorded_link_has_its_scores_and_no_racks(game, tmp_path, capsys):
    for step in game["steps"]:
        path = tmp_path / "link.txt"
        path.write_text(f"your turn: <https://example.org/sw/#{step['historyUrl']}>", encoding="utf-8")
        code = main(["inspect", "--json", str(path)])
        output = json.loads(capsys.readouterr().out)
        if output["error"] and output["error"]["code"] == "lost-letter":
            # The program that wrote this link put "." for the letter of a blank, and cannot read its own link.
            assert "." in step["historyUrl"].split("&wh=")[-1] or "bt=" in step["historyUrl"]
            continue
        assert (code, output["error"]) == (0, None)
        [item] = output["items"]
        assert (item["format"], item["kind"]) == ("turn-url", "game")
        assert item["scores"] == list(step["scores"].values())
        # A link contains a player's new name only after the player's next turn.
        link = unquote_plus(step["historyUrl"])
        sent_names = [name for name in step["names"] if name in link or name.startswith("Player ")]
        assert set(sent_names) <= set(item["players"])
        if not step["over"]:
            assert set(item["racks"]) == {""}, "a rack of a game in progress is shown"
