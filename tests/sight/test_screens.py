"""Screenshots of real programs. No board, rack or score that Kibitz is certain of may be wrong."""

from __future__ import annotations

import csv
import time
from collections import Counter
from pathlib import Path
from statistics import median

import pytest
from PIL import Image

from bot.features.showing.reading.boards import MAX_DOUBTFUL_SQUARES
from bot.features.showing.reading.languages import languages
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword
from bot.sight.doubtful_squares import fill_doubtful_squares
from bot.sight.grids import find_lattices
from bot.sight.racks import read_rack
from bot.sight.scores import read_scores
from training.sight.screens import squares_in

SCREENS = Path(__file__).parents[3] / "shared" / "corpus" / "screens"

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not SCREENS.is_dir(), reason='the folder "shared" is missing'),
]

SCORES = {
    "kibitz": """
        003 221 173 0; 004 264 406 0; 005 28 40 0; 008 207 134 0; 013 204 232 0; 015 277 420 0;
        017 508 436 -; 018 260 178 0; 019 237 207 1; 020 17 100 0; 026 337 382 0""",
    "quackle": """
        001 0 0 1; 002 237 207 1; 003 230 81 1; 004 214 271 1; 005 204 232 0; 006 225 316 0; 007 436 508 -;
        009 221 173 0; 010 473 451 -; 013 270 212 1; 017 40 28 1; 020 100 17 1; 022 277 420 0;
        023 328 285 0; 025 220 225 0; 026 288 457 0""",
    "sharewords": """
        001 15 13 1; 002 15 13 1; 003 76 26 1; 005 172 103 0; 006 333 137 0; 015 38 0 1; 017 76 102 0;
        018 223 226 1; 021 211 92 1; 022 474 472 1; 023 474 472 1""",
    "woogles": """
        001 204 232 0; 002 328 285 0; 010 330 403 0; 011 0 0 1; 021 260 178 0; 024 270 212 1;
        031 473 451 0; 033 288 457 0; 035 144 145 0; 037 0 0 1; 041 425 494 1; 045 0 0 1""",
}
"""For each picture: its number, the scores from left to right or top to bottom, and the index of the highlighted player.

A hyphen means that no player is highlighted.
"""


def open_rgb(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGB")


def manifest_rows(game: str) -> list[dict[str, str]]:
    with (SCREENS / game / "manifest.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def print_table(total: Counter, *columns: Counter) -> None:
    for name, number in sorted(total.items()):
        print("|", " | ".join(map(str, (name, number, *(column[name] for column in columns)))), "|")


def print_seconds(seconds: list[float]) -> None:
    print(f"CPU seconds: median {median(seconds):.2f}, maximum {max(seconds):.2f}")


def test_no_crossword_of_a_real_program_is_certain_but_wrong():
    total, correct, certain, wrong, squares, missed = (Counter() for _ in range(6))
    seconds = []
    for row in manifest_rows("crossword"):
        truth = squares_in(row["truth"])
        if row["app"] == "negative" or "angle" in row["kind"] or len(truth) not in {225, 441}:
            continue
        picture = open_rgb(SCREENS / "crossword" / row["file"])
        start = time.process_time()
        english = next(languages(None, 21 if len(truth) == 441 else 15))
        results = [
            fill_doubtful_squares(result, english.has_word, english.tile_counts)
            for result in read_crossword(picture)
        ]
        seconds.append(time.process_time() - start)
        squares_read = "".join(results[0].rows) if results else ""
        name = row["app"]
        total[name] += 1
        correct[name] += squares_read == truth
        certain[name] += bool(results) and results[0].is_confident
        wrong[name] += bool(results) and results[0].is_confident and squares_read != truth
        squares[name] += len(truth)
        missed[name] += sum(a != b for a, b in zip(truth, squares_read.ljust(len(truth)), strict=False))
    print_table(total, correct, missed, certain, wrong)
    print_seconds(seconds)
    assert wrong.total() == 0
    assert correct.total() >= 0.8 * total.total()
    assert missed.total() <= 0.01 * squares.total()


def test_no_rack_of_a_real_program_is_certain_but_wrong():
    total, correct, certain, wrong, invented = (Counter() for _ in range(5))
    for row in manifest_rows("crossword"):
        picture = open_rgb(SCREENS / "crossword" / row["file"])
        lattices = [] if row["app"] == "negative" or "angle" in row["kind"] else find_lattices(picture)
        if not lattices:
            continue
        rack = read_rack(picture, lattices[0].grid)
        is_correct = rack is not None and sorted(rack.tiles) == sorted(row["rack"])
        name = row["app"]
        total[name] += bool(row["rack"])
        correct[name] += is_correct
        certain[name] += rack is not None and rack.is_confident
        wrong[name] += rack is not None and rack.is_confident and not is_correct
        invented[name] += rack is not None and not row["rack"]
    print_table(total, correct, certain, wrong, invented)
    assert wrong.total() == 0
    assert invented.total() <= 2
    assert correct.total() >= 0.85 * total.total()


def test_no_scores_of_a_real_program_are_certain_but_wrong():
    truth = {
        f"{name}_{number}": (int(first), int(second), mark)
        for name, entries in SCORES.items()
        for number, first, second, mark in (item.split() for item in entries.split(";"))
    }
    total, correct, certain, wrong, invented, marked = (Counter() for _ in range(6))
    for row in manifest_rows("crossword"):
        if row["app"] == "negative" or "angle" in row["kind"]:
            continue
        picture = open_rgb(SCREENS / "crossword" / row["file"])
        results = read_crossword(picture)
        if not results:
            continue
        scores, name = read_scores(picture, results[0].grid, results[0].rows), row["app"]
        first, second, mark = truth.get(Path(row["file"]).stem, (None, None, "-"))
        is_correct = scores is not None and scores.scores == (first, second)
        total[name] += first is not None
        correct[name] += is_correct
        certain[name] += scores is not None and scores.is_confident
        wrong[name] += scores is not None and scores.is_confident and not is_correct
        invented[name] += scores is not None and first is None
        if scores is not None and scores.highlighted_index is not None:
            marked[name] += 1
            assert str(scores.highlighted_index) == mark, row["file"]
    print_table(total, correct, certain, wrong, invented, marked)
    assert wrong.total() == 0
    assert invented.total() == 0
    assert correct.total() >= 0.9 * total.total()


def test_no_other_picture_is_taken_for_a_crossword():
    pictures = [SCREENS / "chess" / row["file"] for row in manifest_rows("chess")]
    pictures += [
        SCREENS / "crossword" / row["file"] for row in manifest_rows("crossword") if row["app"] == "negative"
    ]
    results_by_name = {path.name: read_crossword(open_rgb(path)) for path in pictures}
    shown_names = [
        name
        for name, results in results_by_name.items()
        if any(len(result.doubtful_squares) <= MAX_DOUBTFUL_SQUARES for result in results)
    ]
    print(
        f"{len(pictures)} pictures without a crossword board: the user would be asked about {len(shown_names)}: {shown_names}"
    )
    assert [
        name for name, results in results_by_name.items() if any(result.is_confident for result in results)
    ] == []


def test_no_chessboard_of_a_real_program_is_certain_but_wrong():
    total, correct, certain, wrong = (Counter() for _ in range(4))
    seconds = []
    for row in manifest_rows("chess"):
        if row["truth"] == "none":
            continue
        picture = open_rgb(SCREENS / "chess" / row["file"])
        start = time.process_time()
        results = read_chess(picture)
        seconds.append(time.process_time() - start)
        is_correct = bool(results) and results[0].placement == row["truth"]
        is_certain = bool(results) and results[0].is_confident
        total[row["app"]] += 1
        correct[row["app"]] += is_correct
        certain[row["app"]] += is_certain
        wrong[row["app"]] += is_certain and not is_correct
    print_table(total, correct, certain, wrong)
    print_seconds(seconds)
    assert wrong.total() == 0
    assert correct.total() >= 60


def test_no_other_picture_is_taken_for_a_chessboard():
    others = [row["file"] for row in manifest_rows("chess") if row["truth"] == "none"]
    pictures = [SCREENS / "chess" / name for name in others]
    pictures += [
        SCREENS / "crossword" / row["file"]
        for row in manifest_rows("crossword")
        if not row["file"].startswith("neg_chess")
    ]
    assert [
        path.name for path in pictures if any(result.is_confident for result in read_chess(open_rgb(path)))
    ] == []
