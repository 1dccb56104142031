"""The trainer and the bot compute the same results, and the same seed gives the same weights and pictures."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bot.sight.network import BoardNetwork, Network, convolve, max_pool, merge_blocks
from bot.sight.numbers import NOT_A_DIGIT, cut_glyphs, glyph_features
from bot.sight.squares import CHANNEL_COUNT, SIDE, Grid, cut_squares, tile_features
from bot.sight.tiles import LETTERS
from training.sight.__main__ import main
from training.sight.chess_boards import board_picture
from training.sight.crossword_boards import crossword_picture
from training.sight.digits import glyphs_to_learn, text_picture
from training.sight.fonts import find_fonts
from training.sight.pieces import PIECES, SIZE, letter_design
from training.sight.random_designs import random_design

DATA = Path(__file__).parents[2] / "bot" / "sight" / "data"
FONTS = Path(__file__).parents[2] / "render" / "assets" / "fonts"
needs_torch = pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="torch is not installed")


def random_features(count: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, SIDE, SIDE, CHANNEL_COUNT)).astype(np.float32)


@needs_torch
@pytest.mark.filterwarnings("ignore")  # torch's own warnings
def test_the_trainer_and_the_reader_compute_the_same_results(monkeypatch):
    import torch  # noqa: PLC0415 - not installed everywhere

    from training.sight.trainer import Shape, Trainer  # noqa: PLC0415 - needs torch

    monkeypatch.setattr("training.sight.trainer._DROPOUT", 0.0)
    trainer = Trainer(Shape(7, token_size=8, comparison_sizes=(12, 10)), 10, 1)
    board = random_features(64), np.random.default_rng(4).integers(0, 7, 64)
    network = BoardNetwork(trainer.weights())
    embedded = trainer._embed(torch.from_numpy(board[0]).permute(0, 3, 1, 2))
    assert embedded.detach().numpy() == pytest.approx(network.embed(board[0]), abs=1e-4)
    own_logits = trainer._dense(embedded, "classes")
    logits = own_logits + trainer._dense(trainer._compare(embedded, own_logits), "board")
    assert torch.softmax(logits, 1).detach().numpy() == pytest.approx(
        network.board_probabilities(board[0]), abs=1e-4
    )
    losses = [trainer.step([board, board])[0] for _ in range(10)]
    assert losses[-1] < losses[0]


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_training_is_reproducible_and_weights_round_trip(tmp_path):
    from training.sight.learn import save  # noqa: PLC0415 - needs torch
    from training.sight.trainer import Shape, Trainer  # noqa: PLC0415 - needs torch

    files = []
    for number in range(2):
        trainer = Trainer(Shape(5), 20, 7)
        for _ in range(3):
            trainer.step([(random_features(6), np.arange(6) % 5)])
        files.append(tmp_path / f"{number}.npz")
        save(trainer.weights(), files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()
    probabilities = Network.load(files[0]).probabilities(random_features(70))
    assert probabilities == pytest.approx(
        Network(trainer.weights()).probabilities(random_features(70)), abs=0.01
    )
    continued_trainer = Trainer(Shape(5), 20, 9, Network.load(files[0]).weights)
    assert continued_trainer.weights()["dense-weights"] == pytest.approx(
        trainer.weights()["dense-weights"], abs=1e-3
    )


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("subject", ["chess", "letters", "tiles", "characters", "blanks", "digits"])
def test_a_folder_with_nothing_to_learn_from_is_reported(subject, tmp_path, capsys):
    assert main([subject, str(tmp_path), "-o", str(tmp_path / "w.npz"), "--steps", "4"]) == 2
    assert "can't be used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("subject", "option", "message"),
    [
        ("blanks", "--from", "--from can't be used for blanks"),
        *(
            (subject, "--without", f"--without can't be used for {subject}: only chess has piece designs")
            for subject in ("letters", "tiles", "characters", "blanks", "digits")
        ),
    ],
)
def test_an_option_without_effect_is_refused(subject, option, message, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([subject, str(tmp_path), "-o", str(tmp_path / "w.npz"), option, "name"])
    assert message in capsys.readouterr().err


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_letters_are_drawn_learned_and_saved(tmp_path):
    weights_path = tmp_path / "letters.npz"
    assert main(["letters", str(FONTS), "-o", str(weights_path), "--steps", "1"]) == 0
    assert Network.load(weights_path).probabilities(random_features(3)).shape == (3, len(LETTERS) + 2)


@needs_torch
@pytest.mark.filterwarnings("ignore")
def test_the_evidence_for_blanks_is_weighed_and_saved(tmp_path, capsys):
    weights_path = tmp_path / "blanks.npz"
    assert main(["blanks", str(FONTS), "-o", str(weights_path), "--steps", "10"]) == 0
    output = capsys.readouterr().out
    assert re.search("every tile was classified correctly on [01] of 1 held-out boards", output)
    with np.load(weights_path) as trained, np.load(DATA / "blanks.npz") as shipped:
        assert {name: trained[name].shape for name in trained.files} == {
            name: shipped[name].shape for name in shipped.files
        }


def test_the_order_of_other_squares_does_not_matter():
    # A square's probabilities depend on whether it is on the first or last row, and on the other squares, but not on the order
    # of the other squares.
    rng = np.random.default_rng(2)
    sizes = {"one": (144, 4), "two": (36, 4), "three": (36, 4), "dense": (64, 6), "classes": (6, 5)}
    sizes |= {"token": (6, 3), "first": (20, 6), "second": (35, 4), "board": (4, 5)}
    weights = {f"{name}-weights": rng.normal(0, 0.2, size) for name, size in sizes.items()}
    weights["classes-weights"] *= 0.1  # probabilities near 0 and 1 would not show a difference
    weights |= {f"{name}-bias": rng.normal(0, 0.1, size[1]) for name, size in sizes.items()}
    network = BoardNetwork({name: value.astype(np.float32) for name, value in weights.items()})
    features = random_features(64)
    probabilities = network.board_probabilities(features)
    order = np.arange(64)
    order[8:56] = rng.permutation(order[8:56])
    assert network.board_probabilities(features[order]) == pytest.approx(probabilities[order], abs=1e-4)
    lower = np.roll(order, 8)
    assert np.abs(network.board_probabilities(features[lower]) - probabilities[lower]).max() > 1e-3
    assert (
        np.abs(
            network.board_probabilities(np.concatenate((features[:32], features[:32])))[:32]
            - probabilities[:32]
        ).max()
        > 1e-3
    )


def test_a_convolution_sees_the_neighbours_of_each_pixel():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(3, 6, 8, 5)).astype(np.float32)
    weights, bias = rng.normal(size=(45, 7)).astype(np.float32), np.arange(7, dtype=np.float32)
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = bias + sum(
        padded[:, down : down + 6, right : right + 8] @ weights[15 * down + 5 * right :][:5]
        for down in range(3)
        for right in range(3)
    )
    assert convolve(values, weights, bias) == pytest.approx(expected, abs=1e-4)


def test_blocks_of_pixels_are_pooled_and_merged():
    values = np.arange(2 * 4 * 4 * 1, dtype=np.float32).reshape(2, 4, 4, 1)
    assert max_pool(values)[0, :, :, 0].tolist() == [[5, 7], [13, 15]]
    assert merge_blocks(values)[0, 0, 1].tolist() == [2, 3, 6, 7]


def test_synthetic_boards_are_reproducible():
    files = find_fonts(FONTS)
    assert files
    first, second = (crossword_picture(np.random.default_rng(7), files) for _ in range(2))
    assert first.picture.tobytes() == second.picture.tobytes()
    assert first.classes == second.classes
    assert len(first.classes) == len(first.styles) == len(first.is_bonus) == 225
    assert not any(style for style, number in zip(first.styles, first.classes, strict=True) if not number)
    # A square without a letter usually has a single colour.
    cells = tile_features(cut_squares(first.picture, Grid(*first.frame, first.frame[2], 15, 15)))
    ink = (cells[:, 8:-8, 8:-8, 1] > 0.5).mean(axis=(1, 2))
    is_empty = np.array(first.classes) == 0
    assert np.median(ink[is_empty]) < np.median(ink[~is_empty])


def test_synthetic_chessboards_are_reproducible():
    design = letter_design(np.random.default_rng(1), find_fonts(FONTS))
    assert set(design) == set(PIECES)
    (first, frame, classes), (second, *_) = (
        board_picture(np.random.default_rng(3), [design], find_fonts(FONTS)) for _ in range(2)
    )
    assert first.tobytes() == second.tobytes()
    assert len(classes) == 64
    assert all(0 <= number <= len(PIECES) for number in classes)
    assert frame[0] + 8 * frame[2] <= first.width


@pytest.mark.parametrize("seed", range(8))
def test_a_random_design_has_every_piece_and_white_is_lighter(seed):
    design, same_design = (random_design(np.random.default_rng(seed)) for _ in range(2))
    assert {piece: picture.tobytes() for piece, picture in design.items()} == {
        piece: picture.tobytes() for piece, picture in same_design.items()
    }
    assert set(design) == set(PIECES)
    for piece in "KQRBNP":
        white, black = (np.asarray(design[name], float) for name in (piece, piece.lower()))
        assert white.shape == black.shape == (SIZE, SIZE, 4)
        is_covered = white[:, :, 3] > 127
        assert 0.05 < is_covered.mean() < 0.7
        assert white[is_covered][:, :3].mean() > black[is_covered][:, :3].mean()


def test_synthetic_text_is_reproducible():
    files = find_fonts(FONTS)
    (first, glyph_boxes), (second, _) = (text_picture(np.random.default_rng(7), files) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    glyphs = list(glyphs_to_learn(np.random.default_rng(1), glyph_boxes))
    result = Counter(number for _, number in glyphs)
    assert set(result) == set(range(NOT_A_DIGIT + 1))
    others = sum(number == NOT_A_DIGIT and box[3] - box[1] >= 3 for box, number in glyph_boxes)
    assert result[NOT_A_DIGIT] > others, "parts of digits do not count as other glyphs"
    boxes = np.array([box for box, _ in glyphs], np.float32)
    features = glyph_features(cut_glyphs(np.asarray(first), boxes))
    assert features.shape == (len(glyphs), SIDE, SIDE, 1)
