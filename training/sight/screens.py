"""``python -m training.sight.screens FOLDER``: measures how well Kibitz reads screenshots of programs that it was not trained on.

The result has one row per program. Crossword boards are read with the installed networks, which were not trained on real programs. The
installed chess network, however, was trained on piece designs that some programs use. So ``--without`` names the weights of another chess
network, trained without the designs in the test screenshots. If that file is missing, the network is first trained on the packages in
``--packages``.

``FOLDER`` contains the folders ``chess`` and ``crossword``, each with pictures and a ``manifest.tsv``. The manifest has the columns file, app
(the program), kind, and truth (the placement on the board, or ``none``). Pictures whose kind contains ``angle`` are left out.
"""

from __future__ import annotations

import argparse
import csv
import re
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PIL import Image

from bot.features.showing.reading.boards import MAX_DOUBTFUL_SQUARES
from bot.features.showing.reading.languages import languages
from bot.sight.chess import read_chess
from bot.sight.crossword import read_crossword
from bot.sight.doubtful_squares import fill_doubtful_squares
from bot.sight.network import BoardNetwork
from training.sight.pieces import LICHESS_DESIGNS

MAX_SQUARES_TO_CHECK = 6
"""A board counts as *marked* only if it has at most this many squares to check."""
EXCLUDED_DESIGNS = frozenset(
    [
        "cburnett",
        "regular",
        "xboard",
        "mzchess",
        "pychessview",
        "chess-board",
        "kivy",
        "merida",
        "merida_new",
        "celtic",
        "fantasy",
        "fantasy_alt",
        "spatial",
        "kosal",
        "skulls",
        *(f"lichess-{name}" for name in LICHESS_DESIGNS),
    ]
)
"""The designs in the test screenshots, and similar designs: all lichess piece sets, and sets like cburnett."""
HEADINGS = ("boards", "found", "correct", "marked", "sure", "sure but wrong", "unmarked error")
"""The columns count these boards:

- found: boards of the right size with at most :data:`MAX_DOUBTFUL_SQUARES` squares to check
- correct: boards without an error
- marked: boards with at most :data:`MAX_SQUARES_TO_CHECK` squares to check, and no error on any other square
- sure: boards that Kibitz is sure about
- sure but wrong: boards that Kibitz is sure about, but with an error
- unmarked error: boards with an error outside the squares to check
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m training.sight.screens", description=__doc__)
    parser.add_argument("screens", metavar="FOLDER", type=Path)
    parser.add_argument("--errors", action="store_true", help="list the boards that were not read correctly")
    parser.add_argument(
        "--without",
        metavar="FILE",
        type=Path,
        help="weights trained without the piece designs in the test screenshots",
    )
    parser.add_argument(
        "--packages",
        metavar="FOLDER",
        type=Path,
        help="packages to train the network on if its weights are missing",
    )
    parser.add_argument(
        "--steps",
        metavar="N",
        type=int,
        default=2_400,
        help="number of training steps (default: 2400)",
    )
    arguments = parser.parse_args(argv)
    weights: Path | None = arguments.without
    if weights and arguments.packages and not weights.exists():
        from training.sight.learn import TrainingRun, learn  # noqa: PLC0415 - needs torch

        learn(
            "chess",
            TrainingRun(arguments.packages, 1, arguments.steps, excluded_designs=EXCLUDED_DESIGNS),
            weights,
        )
    network = BoardNetwork.load(weights) if weights else None
    _print_table("crossword", arguments.screens, _measure_crossword, list_errors=arguments.errors)
    _print_table(
        "chess", arguments.screens, partial(_measure_chess, network=network), list_errors=arguments.errors
    )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")
    return 0


def _print_table(
    game: str,
    screens: Path,
    measure: Callable[[Path, dict[str, str]], tuple[Counter[str], str]],
    *,
    list_errors: bool,
) -> None:
    table: defaultdict[str, Counter[str]] = defaultdict(Counter)
    seconds = []
    for row in _manifest_rows(screens / game):
        start = time.process_time()
        counts, note = measure(screens / game / row["file"], row)
        seconds.append(time.process_time() - start)
        table[row["app"]].update(counts)
        if list_errors and note:
            print(row["file"], note)
    table["all"] = sum(table.values(), Counter())
    print(f"| {game} | {' | '.join(HEADINGS)} |\n|{'---|' * (len(HEADINGS) + 1)}")
    for name, counts in table.items():
        print(f"| {name} | {' | '.join(str(counts[heading]) for heading in HEADINGS)} |")
    seconds.sort()
    print(f"CPU seconds: median {seconds[len(seconds) // 2]:.2f}, maximum {seconds[-1]:.2f}\n")


def _manifest_rows(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the manifest rows of whole boards that are neither rotated nor distorted."""
    with (folder / "manifest.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sizes = {64} if folder.name == "chess" else {225, 441}
            if (
                row["truth"] != "none"
                and "angle" not in row.get("kind", "")
                and len(squares_in(row["truth"])) in sizes
            ):
                yield row


def squares_in(placement: str) -> str:
    """Return one character per square: ``.`` if empty, ``#`` for a tile of several letters, otherwise the letter of the tile or piece."""
    text = re.sub(r"\[[^]]*\]", "#", placement)
    return re.sub(r"\d+", lambda run: "." * int(run[0]), text).replace("/", "")


def _measure_crossword(path: Path, row: dict[str, str]) -> tuple[Counter[str], str]:
    truth = squares_in(row["truth"])
    english = next(languages(None, round(len(truth) ** 0.5)))
    with Image.open(path) as picture:
        boards = [
            fill_doubtful_squares(board, english.has_word, english.tile_counts)
            for board in read_crossword(picture.convert("RGB"))
        ]
    if not boards:
        return Counter(boards=1), "not found"
    return _count_mistakes(
        truth, "".join(boards[0].rows), boards[0].doubtful_squares, is_sure=boards[0].is_confident
    )


def _measure_chess(path: Path, row: dict[str, str], network: BoardNetwork | None) -> tuple[Counter[str], str]:
    with Image.open(path) as picture:
        boards = read_chess(picture.convert("RGB"), network)
    if not boards:
        return Counter(boards=1), "not found"
    return _count_mistakes(
        squares_in(row["truth"]),
        squares_in(boards[0].placement),
        boards[0].doubtful_squares,
        is_sure=boards[0].is_confident,
    )


def _count_mistakes(
    truth: str, result: str, doubtful_squares: Sequence[int], *, is_sure: bool
) -> tuple[Counter[str], str]:
    wrong_squares = [index for index, content in enumerate(truth) if result[index : index + 1] != content]
    unmarked_squares = [index for index in wrong_squares if index not in doubtful_squares]
    counts = Counter(
        {
            "boards": 1,
            "found": len(result) == len(truth) and len(doubtful_squares) <= MAX_DOUBTFUL_SQUARES,
            "correct": not wrong_squares,
            "marked": not unmarked_squares and len(doubtful_squares) <= MAX_SQUARES_TO_CHECK,
            "sure": is_sure,
            "sure but wrong": is_sure and bool(wrong_squares),
            "unmarked error": bool(unmarked_squares),
        }
    )
    pairs = " ".join(f"{index}:{truth[index]}{result[index : index + 1]}" for index in wrong_squares[:12])
    return (
        counts,
        pairs
        and f"{len(wrong_squares)} wrong, {len(unmarked_squares)} unmarked, {len(doubtful_squares)} doubtful: {pairs}",
    )


if __name__ == "__main__":
    sys.exit(main())
