"""Times chess: reading and compiling notations, and drawing positions and replays."""

from __future__ import annotations

import random

import chess
import pytest

from bot.chat.card import ReplyContext
from bot.domain.chess.notations import book as book_reader, fen, pgn, polyglot, puzzles as puzzle_reader
from bot.domain.chess.notations.polyglot import compile_book
from bot.features.showing.chess.board_scene import chess_scene, replay_scene
from bot.features.showing.chess.texts import chess_alt_text
from bot.text import translator
from render.animate import draw_replay
from render.layout import draw_board
from tests.bench.test_flow import SICILIAN

pytestmark = pytest.mark.bench

translate = translator("en")


def movetext(plies: int, seed: int = 1) -> str:
    board, rng, words = chess.Board(), random.Random(seed), []
    while len(words) < plies and not board.is_game_over():
        move = rng.choice(list(board.legal_moves))
        number = f"{board.fullmove_number}. " if board.turn else ""
        words.append(number + board.san(move))
        board.push(move)
    return " ".join(words)


GAME = movetext(80)


def test_reading_a_fen(benchmark):
    assert benchmark(fen.read, SICILIAN).warnings == ()


def test_reading_a_game_of_80_half_moves(benchmark):
    assert len(benchmark(pgn.read, GAME).value.turns) == 80


def test_reading_a_hostile_megabyte_as_a_game(benchmark):
    text = "1. Nf3 Nf6 2. Ng1 Ng8 " * 45_000
    error = benchmark.pedantic(pgn.read, (text,), rounds=2).error
    assert error is not None
    assert error.code == "too-many-moves"


def test_reading_a_thousand_puzzles(benchmark):
    text = f"[D]one\n[S]1. e4\n{SICILIAN}\n" * 1000
    assert len(benchmark.pedantic(puzzle_reader.read, (text,), rounds=3).value.puzzles) == 1000


def test_compiling_a_book_of_a_hundred_lines(benchmark):
    source = book_reader.read("\n".join(movetext(20, seed) for seed in range(100))).value
    assert polyglot.write(benchmark(compile_book, source))


def test_converting_a_fen_to_a_picture(benchmark):
    def picture() -> bytes:
        position = fen.read(SICILIAN).value
        chess_alt_text(position, translate)
        return draw_board(chess_scene(position, ReplyContext(translate=translate))).data

    assert benchmark(picture).startswith(b"\x89PNG")


def test_drawing_a_replay_of_80_half_moves(benchmark):
    game = pgn.read(GAME).value

    def replay() -> bytes:
        return draw_replay(replay_scene(game, ReplyContext(translate=translate))).data

    assert benchmark.pedantic(replay, rounds=5).startswith(b"GIF8")
