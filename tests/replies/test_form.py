"""The forms that correct a position."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.chess.notations import fen
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import EMPTY
from bot.domain.crossword.rules import load_distribution
from bot.features.showing.correction import cgp_from_form, chess_form, crossword_form, fen_from_form
from bot.text import translator
from tests.domain.chess.strategies import random_board

translate = translator("en")
ENGLISH = load_distribution("english")


def form_values(fields, **changed_values):
    return {field.name: field.value for field in fields} | changed_values


def rows_of(fields):
    [rows] = [field.value for field in fields if field.name == "rows"]
    return rows.split("\n")


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(0, 60), st.booleans())
def test_a_chess_form_from_either_side_gives_the_same_position(seed, plies, from_black):
    board = random_board(seed, plies)
    position = fen.read(board.fen()).value
    fields = chess_form(position, translate)
    changed_values = {}
    if from_black:
        turned_rows = [row[::-1] for row in reversed(rows_of(fields))]
        changed_values = {"rows": "\n".join(turned_rows), "below": "b"}
    form_position = fen.read(fen_from_form(form_values(fields, **changed_values))).value
    assert form_position.squares == position.squares
    assert (form_position.white_to_move, form_position.castling) == (
        position.white_to_move,
        position.castling,
    )


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(0, 7), st.integers(-50, 900))
def test_an_unchanged_crossword_form_gives_the_same_position(seed, rack_size, score):
    rng = random.Random(seed)
    bag = [tile for tile, count in enumerate(ENGLISH.counts) for _ in range(count)]
    rng.shuffle(bag)
    rack, laid_tiles = bag[:rack_size], bag[rack_size:50]
    contents = ["."] * 225
    for index, tile in zip(rng.sample(range(225), len(laid_tiles)), laid_tiles, strict=True):
        contents[index] = ENGLISH.text(tile) if tile else rng.choice("aeiz")
    rows = ["".join(contents[start : start + 15]) for start in range(0, 225, 15)]
    values = {
        "rows": "\n".join(rows),
        "rack": " ".join(map(ENGLISH.text, rack)),
        "scores": f"{score} – 7",
    }
    position = cgp.read(cgp_from_form(values)).value
    assert [square != EMPTY for square in position.board.squares] == [content != "." for content in contents]
    assert [player.score for player in position.players] == [score, 7]
    assert sorted(position.players[0].rack) == sorted(rack)
    form_position = cgp.read(cgp_from_form(form_values(crossword_form(position, translate)))).value
    assert (form_position.board, form_position.players) == (position.board, position.players)


def test_a_dash_between_scores_is_no_minus_sign():
    values = {"rows": "\n".join(["15"] * 15), "rack": "", "scores": "300-250"}
    assert [player.score for player in cgp.read(cgp_from_form(values)).value.players] == [300, 250]
    values["scores"] = "-5, 10"
    assert [player.score for player in cgp.read(cgp_from_form(values)).value.players] == [-5, 10]


@pytest.mark.parametrize("row", ["5CAT7", ".....CAT.......", " 3.. CAT 7 ", "5CAT.6"])
def test_rows_are_accepted_as_people_type_them(row):
    values = {"rows": "\n\n".join([row, *["15"] * 14]), "rack": "", "scores": ""}
    position = cgp.read(cgp_from_form(values)).value
    assert [ENGLISH.text(square) for square in position.board.row(0)[5:8]] == ["C", "A", "T"]
    assert position.board.tile_count == 3


@pytest.mark.parametrize(
    ("tiles", "name"),
    [("", "english"), ("English", "english"), (" German ", "german"), ("ger; lex X;", "english")],
)
def test_a_form_names_the_letter_distribution(tiles, name):
    values = {"rows": "\n".join(["15"] * 15), "rack": "", "scores": "", "tiles": tiles}
    position = cgp.read(cgp_from_form(values)).value
    assert position.rules.distribution.name == name
    assert not position.rules.lexicon
    form_position = cgp.read(cgp_from_form(form_values(crossword_form(position, translate)))).value
    assert form_position.rules.distribution == position.rules.distribution


@pytest.mark.parametrize("name", ["english_super", "catalan_super", "catalan"])
def test_a_form_keeps_the_letter_distribution_of_a_larger_board(name):
    position = cgp.read(f"{'/'.join(['21'] * 21)} / 0/0 0 ld {name};").value
    form_position = cgp.read(cgp_from_form(form_values(crossword_form(position, translate)))).value
    assert form_position.rules.distribution.name == name


@pytest.mark.parametrize(
    ("tiles", "layout", "distribution"),
    [
        ("Wordfeud", "Wordfeud", "wordfeud"),
        ("turn-url-en, TurnURLDefault", "TurnURLDefault", "turn-url-en"),
        ("german, Wordfeud", "Wordfeud", "german"),
        (", words with friends", "WordsWithFriends", "words_with_friends"),
    ],
)
def test_a_form_keeps_the_board_layout(tiles, layout, distribution):
    values = {"rows": "\n".join(["15"] * 15), "rack": "", "scores": "", "tiles": tiles}
    position = cgp.read(cgp_from_form(values)).value
    assert (position.rules.layout.name, position.rules.distribution.name) == (layout, distribution)
    assert cgp.read(cgp_from_form(form_values(crossword_form(position, translate)))).value == position
    unknown_layout_reading = cgp.read(cgp_from_form(values | {"tiles": "english, nowhere"}))
    assert "nowhere" in str([warning.values for warning in unknown_layout_reading.warnings])
