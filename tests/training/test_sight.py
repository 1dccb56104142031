"""Learning: it follows the slope, does the same again from the same seed, and what it saves is what it reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bot.sight.network import Network, blocks, convolved, halved
from bot.sight.numbers import OTHER, cut_signs, sign_features
from bot.sight.squares import CHANNELS, SIDE, Grid, cut, tile_features
from bot.sight.tiles import LETTERS
from training.sight import training
from training.sight.__main__ import main
from training.sight.crossword_boards import crossword_picture
from training.sight.digits import signs_to_learn, text_picture
from training.sight.fonts import fonts
from training.sight.learn import save
from training.sight.training import Shape, Trainer, neighbours

DATA = Path(__file__).parents[2] / "bot" / "sight" / "data"
FONTS = Path(__file__).parents[2] / "render" / "assets" / "fonts"


def squares(count: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, SIDE, SIDE, CHANNELS)).astype(np.float32)


def test_each_step_goes_down_the_slope(monkeypatch):
    monkeypatch.setattr(training, "_DROPPED", 0.0)
    random = np.random.default_rng(1)
    trainer = Trainer(5, 100, random)
    seen, wanted = squares(3), np.array([0, 3, 4])
    slopes: dict[str, np.ndarray] = {}
    monkeypatch.setattr(trainer, "move", slopes.update)
    trainer.step(seen, wanted)
    told = {name: value.copy() for name, value in slopes.items()}
    assert set(told) == set(trainer.weights)
    for name, slope in told.items():
        place = np.unravel_index(np.abs(slope).argmax(), slope.shape)
        before = trainer.weights[name][place]
        losses = []
        for change in (0.01, -0.01):
            trainer.weights[name][place] = before + change
            losses.append(trainer.step(seen, wanted)[0])
        trainer.weights[name][place] = before
        assert (losses[0] - losses[1]) / 0.02 == pytest.approx(slope[place], rel=0.15, abs=2e-3), name


def test_what_is_learnt_is_the_same_again_and_comes_back_from_its_file(tmp_path):
    seen, wanted = squares(12), np.repeat([0, 1, 2], 4)
    seen[:4, :, :16] += 1
    seen[4:8, :16] += 1

    def learn(trainer: Trainer, steps: int) -> list[float]:
        return [trainer.step(seen, wanted)[0] for _ in range(steps)]

    trainer, another = (Trainer(3, 30, np.random.default_rng(5)) for _ in range(2))
    first, second, last = (tmp_path / f"{number}.npz" for number in range(3))
    begun = learn(trainer, 6)
    save(trainer.weights, first)
    assert learn(another, 6) == begun
    save(another.weights, second)
    assert first.read_bytes() == second.read_bytes()
    assert learn(trainer, 20)[-1] < begun[0] / 2
    save(trainer.weights, last)
    shares = Network.load(last).probabilities(squares(70))
    assert shares.shape == (70, 3)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-4)
    exact = Network(trainer.weights).probabilities(squares(70))
    assert shares == pytest.approx(exact, abs=0.01)
    # What only another kind of network has is left alone.
    another.go_on({**trainer.weights, "beside-bias": np.ones(3, np.float32)})
    assert set(another.weights) == set(trainer.weights)
    assert (another.weights["classes-bias"] == trainer.weights["classes-bias"]).all()


def test_what_a_layer_sees():
    values = np.arange(2 * 4 * 4 * 1, dtype=np.float32).reshape(2, 4, 4, 1)
    near = neighbours(values)
    assert near.shape == (2, 4, 4, 9)
    assert near[0, 0, 0].tolist() == [0, 0, 0, 0, 0, 1, 0, 4, 5]
    assert near[0, 1, 1].tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]
    random = np.random.default_rng(2)
    values = random.normal(size=(3, 6, 8, 5)).astype(np.float32)
    weights, bias = random.normal(size=(45, 7)).astype(np.float32), np.arange(7, dtype=np.float32)
    assert convolved(values, weights, bias) == pytest.approx(neighbours(values) @ weights + bias, abs=1e-4)


def test_what_is_laid_together():
    values = np.arange(2 * 4 * 4 * 1, dtype=np.float32).reshape(2, 4, 4, 1)
    assert halved(values)[0, :, :, 0].tolist() == [[5, 7], [13, 15]]
    assert blocks(values)[0, 0, 1].tolist() == [2, 3, 6, 7]


@pytest.mark.parametrize("subject", ["chess", "letters", "tiles", "signs", "blanks", "digits"])
def test_a_folder_without_designs_is_told(subject, tmp_path, capsys):
    assert main([subject, str(tmp_path), "-o", str(tmp_path / "w.npz"), "--steps", "4"]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_a_lesson_of_letters_is_drawn_learnt_and_kept(tmp_path, capsys):
    weights = tmp_path / "letters.npz"
    assert main(["letters", str(FONTS), "-o", str(weights), "--steps", "4"]) == 0
    shares = Network.load(weights).probabilities(squares(3))
    assert shares.shape == (3, len(LETTERS) + 2)


def test_what_tells_blanks_is_learnt_and_kept(tmp_path, capsys):
    weights = tmp_path / "blanks.npz"
    assert main(["blanks", str(FONTS), "-o", str(weights), "--steps", "10"]) == 0
    assert "of 1 boards kept back" in capsys.readouterr().out
    with np.load(weights) as kept, np.load(DATA / "blanks.npz") as known:
        assert {name: kept[name].shape for name in kept.files} == {
            name: known[name].shape for name in known.files
        }


def test_a_made_up_board_is_the_same_again_and_says_what_is_on_it():
    files = fonts(FONTS)
    assert files
    first, second = (crossword_picture(np.random.default_rng(7), files) for _ in range(2))
    assert first.picture.tobytes() == second.picture.tobytes()
    assert first.classes == second.classes
    assert len(first.classes) == len(first.ways) == len(first.bonus) == 225
    assert not any(way for way, number in zip(first.ways, first.classes, strict=True) if not number)
    # A square that was drawn empty is of one colour more often than one with a letter.
    cells = tile_features(cut(first.picture, Grid(first.left, first.top, first.side, first.side, 15, 15)))
    ink = (cells[:, 8:-8, 8:-8, 1] > 0.5).mean(axis=(1, 2))
    empty = np.array(first.classes) == 0
    assert np.median(ink[empty]) < np.median(ink[~empty])


def test_made_up_text_is_the_same_again_and_says_what_is_in_it():
    files = fonts(FONTS)
    (first, drawn), (second, _) = (text_picture(np.random.default_rng(7), files) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    signs = list(signs_to_learn(np.random.default_rng(1), drawn))
    told = Counter(number for _, number in signs)
    assert set(told) == set(range(OTHER + 1))
    others = sum(number == OTHER and box[3] - box[1] >= 3 for box, number in drawn)
    assert told[OTHER] > others, "parts of digits are none, too"
    boxes = np.array([box for box, _ in signs], np.float32)
    seen = sign_features(cut_signs(np.asarray(first), boxes))
    assert seen.shape == (len(signs), SIDE, SIDE, 1)
    trainer = Trainer(OTHER + 1, 30, np.random.default_rng(1), Shape(channels=1, widths=(8, 8, 16), dense=48))
    losses = [trainer.step(seen[:64], np.array([number for _, number in signs[:64]]))[0] for _ in range(30)]
    assert np.mean(losses[-5:]) < losses[0] - 0.1
