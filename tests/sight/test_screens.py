"""Screenshots of real programs, where they are at hand: how many boards are read whole, and that none is stated wrongly."""

from __future__ import annotations

import csv
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from bot.reading.pictures import MAX_DOUBTFUL, letters
from bot.reading.words import is_english
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword
from bot.sight.grids import find_grids
from bot.sight.racks import read_rack
from bot.sight.weighing import weighed

SCREENS = Path(__file__).parents[3] / "shared" / "corpus" / "screens"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not SCREENS.is_dir(), reason="the folder shared is not here"),
]


def opened(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGB")


def rows(game: str) -> list[dict[str, str]]:
    with (SCREENS / game / "manifest.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def expanded(placement: str) -> str:
    """Return the squares of a CGP's board, ``.`` for an empty one; tiles of two letters as ``#``."""
    text = re.sub(r"\[[^]]*\]", "#", placement)
    return re.sub(r"\d+", lambda run: "." * int(run[0]), text).replace("/", "")


def test_crosswords_of_real_programs():
    """Straight pictures of boards that can be a game's, by program: whole, clear, clear though wrong."""
    of, whole, clear, wrong, squares, missed = (
        Counter(),
        Counter(),
        Counter(),
        Counter(),
        Counter(),
        Counter(),
    )
    seconds = []
    for row in rows("crossword"):
        truth = expanded(row["truth"])
        if row["app"] == "negative" or "angle" in row["kind"] or len(truth) not in {225, 441}:
            continue
        picture = opened(SCREENS / "crossword" / row["file"])
        begun = time.process_time()
        sights = [weighed(sight, is_english, letters(len(sight.rows))) for sight in read_crossword(picture)]
        seconds.append(time.process_time() - begun)
        read = "".join(sights[0].rows) if sights else ""
        name = row["app"]
        of[name] += 1
        whole[name] += read == truth
        clear[name] += bool(sights) and sights[0].clear
        wrong[name] += bool(sights) and sights[0].clear and read != truth
        squares[name] += len(truth)
        missed[name] += sum(a != b for a, b in zip(truth, read.ljust(len(truth)), strict=False))
    for name, number in sorted(of.items()):
        right = 1 - missed[name] / squares[name]
        print(f"| {name} | {number} | {whole[name]} | {right:.2%} | {clear[name]} | {wrong[name]} |")
    print(f"seconds of a processor: median {sorted(seconds)[len(seconds) // 2]:.2f}, most {max(seconds):.2f}")
    assert wrong.total() == 0
    assert whole.total() >= 0.8 * of.total()
    assert missed.total() <= 0.01 * squares.total()


def test_racks_of_real_programs():
    """Straight pictures by program: with a rack, read right, stated, stated wrongly, and without one, made up."""
    of, right, stated, wrong, false = Counter(), Counter(), Counter(), Counter(), Counter()
    for row in rows("crossword"):
        picture = opened(SCREENS / "crossword" / row["file"])
        grids = [] if row["app"] == "negative" or "angle" in row["kind"] else find_grids(picture)
        if not grids:
            continue
        rack = read_rack(picture, grids[0].grid)
        same = rack is not None and sorted(rack.tiles) == sorted(row["rack"])
        name = row["app"]
        of[name] += bool(row["rack"])
        right[name] += same
        stated[name] += rack is not None and rack.confident
        wrong[name] += rack is not None and rack.confident and not same
        false[name] += rack is not None and not row["rack"]
    for name, number in sorted(of.items()):
        print(f"| {name} | {number} | {right[name]} | {stated[name]} | {wrong[name]} | {false[name]} |")
    assert wrong.total() == 0
    assert false.total() <= 2
    assert right.total() >= 0.85 * of.total()


def test_no_other_picture_is_taken_for_a_crossword():
    pictures = [SCREENS / "chess" / row["file"] for row in rows("chess")]
    pictures += [SCREENS / "crossword" / row["file"] for row in rows("crossword") if row["app"] == "negative"]
    read = {path.name: read_crossword(opened(path)) for path in pictures}
    shown = [
        name for name, sights in read.items() if any(len(one.doubtful) <= MAX_DOUBTFUL for one in sights)
    ]
    print(f"{len(pictures)} pictures without a crossword board: {len(shown)} would be asked about: {shown}")
    assert [name for name, sights in read.items() if any(sight.clear for sight in sights)] == []


def test_chessboards_of_real_programs():
    of, whole, stated, wrong = Counter(), Counter(), Counter(), Counter()
    seconds = []
    for row in rows("chess"):
        if row["truth"] == "none":
            continue
        picture = opened(SCREENS / "chess" / row["file"])
        begun = time.process_time()
        sights = read_chess(picture)
        seconds.append(time.process_time() - begun)
        right = bool(sights) and sights[0].placement == row["truth"]
        sure = bool(sights) and sights[0].confident
        of[row["app"]] += 1
        whole[row["app"]] += right
        stated[row["app"]] += sure
        wrong[row["app"]] += sure and not right
    for name, number in sorted(of.items()):
        print(f"| {name} | {number} | {whole[name]} | {stated[name]} | {wrong[name]} |")
    print(f"seconds of a processor: median {sorted(seconds)[len(seconds) // 2]:.2f}, most {max(seconds):.2f}")
    assert wrong.total() == 0
    assert whole.total() >= 60


def test_no_other_picture_is_taken_for_a_chessboard():
    others = [row["file"] for row in rows("chess") if row["truth"] == "none"]
    pictures = [SCREENS / "chess" / name for name in others]
    pictures += [
        SCREENS / "crossword" / row["file"]
        for row in rows("crossword")
        if not row["file"].startswith("neg_chess")
    ]
    assert [
        path.name for path in pictures if any(sight.confident for sight in read_chess(opened(path)))
    ] == []
