"""Positions read from links to boards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from bot.domain.chess import board_link
from bot.domain.chess.notations import fen, pgn
from bot.domain.chess.position import VARIANTS, position_of
from bot.domain.notations import detect
from bot.features.showing.chess.position import lichess_link
from bot.text import translator
from tests.domain.chess.strategies import boards

BOARD = "4k3/8/8/8/8/8/4P3/4K3"


@pytest.mark.parametrize(
    ("url", "position"),
    [
        (f"https://lichess.org/analysis/{BOARD}_w_-_-_0_1", f"{BOARD} w - - 0 1"),
        (f"https://lichess.org/analysis/standard/{BOARD}_b_-_-_4_9", f"{BOARD} b - - 4 9"),
        (f"https://lichess.org/analysis/{BOARD}+w+-+-+0+1", f"{BOARD} w - - 0 1"),
        (f"https://lichess.org/analysis/fromPosition/{BOARD}%20b%20-%20-", f"{BOARD} b - - 0 1"),
        (f"https://lichess.org/editor/{BOARD}_w_-_-_0_1?color=white", f"{BOARD} w - - 0 1"),
        (f"lichess.org/editor/{BOARD}", f"{BOARD} w - - 0 1"),
        (f"https://lichess.org/editor?fen={BOARD}+b+-+-+3+7&color=white", f"{BOARD} b - - 3 7"),
        (f"https://lichess.org/editor/{BOARD}_w_-_-_0_1?variant=standard", f"{BOARD} w - - 0 1"),
        (f"https://lichess.org/analysis/{BOARD.replace('/', '%2F')}_b", f"{BOARD} b - - 0 1"),
        (f"https://www.chess.com/analysis?fen={BOARD}+b+-+-+3+7&flip=true", f"{BOARD} b - - 3 7"),
        (f"https://chess.com/analysis?flip=false&fen={BOARD.replace('/', '%2F')}%20w", f"{BOARD} w - - 0 1"),
        (f"https://www.chess.com/dynboard?fen={BOARD}&board=green&size=3", f"{BOARD} w - - 0 1"),
        (f"HTTPS://WWW.Chess.com/emboard?fen={BOARD}%20b", f"{BOARD} b - - 0 1"),
    ],
)
@pytest.mark.parametrize("template", ["{}", "look: {}", "<{}>", "[this]({})", "**{}**", "is it lost? {}."])
def test_a_link_to_a_board_is_read_as_a_position(url: str, position: str, template: str):
    found = detect(template.format(url))
    assert [(item.format, item.text) for item in found] == [("fen", url)]
    assert fen.read(found[0].text).value.fen == position


@pytest.mark.parametrize(
    ("url", "variant", "position"),
    [
        (
            f"https://lichess.org/analysis/atomic/{BOARD}_w_-_-_0_1",
            "atomic",
            f"{BOARD} w - - 0 1",
        ),
        (
            f"https://lichess.org/editor/{BOARD}_w_-_-_0_1?variant=kingOfTheHill",
            "kingOfTheHill",
            f"{BOARD} w - - 0 1",
        ),
        (
            f"https://lichess.org/editor?variant=atomic&fen={BOARD}+b+-+-",
            "atomic",
            f"{BOARD} b - - 0 1",
        ),
        (
            f"https://lichess.org/analysis/crazyhouse/{BOARD}/NPp_w_-_-_0_1",
            "crazyhouse",
            f"{BOARD}[NPp] w - - 0 1",
        ),
        (
            f"https://lichess.org/editor/{BOARD}%5BNPp%5D_w?variant=crazyhouse",
            "crazyhouse",
            f"{BOARD}[NPp] w - - 0 1",
        ),
        (
            f"https://lichess.org/analysis/threeCheck/{BOARD}_w_-_-_0_1_+1+0",
            "threeCheck",
            f"{BOARD} w - - 2+3 0 1",
        ),
        (
            f"https://lichess.org/editor/{BOARD}_w_-_-_2+3_0_1?variant=threeCheck",
            "threeCheck",
            f"{BOARD} w - - 2+3 0 1",
        ),
    ],
)
def test_the_variant_is_read_from_a_link(url: str, variant: str, position: str):
    [found] = detect(f"what now? {url}")
    assert (found.format, found.text) == ("fen", url)
    reading = fen.read(found.text)
    assert (reading.value.variant, reading.value.fen, reading.warnings) == (variant, position, ())


@pytest.mark.parametrize("key", VARIANTS)
def test_the_lichess_link_of_a_position_names_its_variant(key: str):
    board = VARIANTS[key].board()
    for move in ("g1f3", "g8f6") if key not in ("racingKings", "horde") else ():
        board.push_uci(move)
    position = replace(position_of(board), last_move="")
    url = lichess_link(position, translator("en"), white_at_bottom=True).partition("(<")[2].removesuffix(">)")
    assert f"/analysis/{key}/" in url
    [found] = detect(url)
    reading = fen.read(found.text)
    assert (reading.value, reading.warnings) == (position, ())


@pytest.mark.parametrize(
    "text",
    [
        "https://lichess.org/analysis",
        "https://lichess.org/analysis?variant=atomic",
        "https://lichess.org/editor/",
        f"https://lichess.org/analysis/bughouse/{BOARD}_w_-_-_0_1",
        f"https://example.org/?to=lichess.org/analysis/{BOARD}_w_-_-_0_1",
        f"https://notlichess.org/analysis/{BOARD}_w_-_-_0_1",
        f"https://lichess.org.example.org/analysis/{BOARD}_w_-_-_0_1",
        f"https://alice@lichess.org/analysis/{BOARD}_w_-_-_0_1",
        "https://www.chess.com/analysis?tab=review",
        "https://www.chess.com/analysis?" + "&".join(["a=1"] * 50),
    ],
)
def test_other_links_are_ignored(text: str):
    assert detect(text) == ()


def test_moves_in_a_link_are_read_as_a_game():
    (found,) = detect("see https://lichess.org/analysis/pgn/e4_e5_Nf3+Nc6 there")
    assert found.format == "pgn"
    assert [turn.san for turn in pgn.read(found.text).value.turns] == ["e4", "e5", "Nf3", "Nc6"]


def test_a_link_in_a_game_belongs_to_the_game():
    game = f'[Event "?"]\n[Site "https://lichess.org/analysis/{BOARD}_w_-_-_0_1"]\n[White "alice"]\n\n1. e4 e5 2. Nf3 *'
    assert [item.format for item in detect(game)] == ["pgn"]


@pytest.mark.parametrize(
    ("url", "is_black_at_bottom"),
    [
        (f"https://lichess.org/analysis/{BOARD}_w?color=black", True),
        (f"https://lichess.org/analysis/{BOARD}_w?color=white", False),
        (f"https://www.chess.com/analysis?fen={BOARD}&flip=true", True),
        (f"https://www.chess.com/analysis?fen={BOARD}&flip=false", False),
        (f"{BOARD} w", False),
    ],
)
def test_a_link_implies_which_side_is_at_the_bottom(url: str, is_black_at_bottom: bool):
    assert board_link.is_black_at_bottom(url) is is_black_at_bottom


@given(boards.map(position_of))
def test_every_position_is_read_from_a_link(position):
    url = f"https://lichess.org/analysis/{position.fen.replace(' ', '_')}"
    assert board_link.fen_in(url) == position.fen


@given(st.text(max_size=200), st.sampled_from(["lichess.org/analysis/", "chess.com/x?fen=", ""]))
def test_the_spans_found_in_any_text_are_valid(text: str, site: str):
    for start, end, _ in board_link.find(site + text):
        assert 0 <= start < end <= len(site + text)
