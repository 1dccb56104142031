"""Compares the times for detecting, reading and drawing a CGP with those of another checkout or a stored baseline.

``python -m tests.bench.reading [CHECKOUT] [--without-extras]`` prints the best times per text in microseconds, and the size of a
picture in bytes. The figures of the baseline, commit ``ecc134f``, are valid only on the machine where they were measured. With
``--without-extras``, each checkout runs without zlib-ng and isal, unless it requires them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any

ROUNDS = 7
MESSAGE_COUNT = 400
SECONDS = 0.15
"""CPU time per figure and round."""

PICTURE, BYTES = "CGP to PNG", "bytes of the PNG"
BASELINE = {
    "ordinary chat": 2.5,
    "chat with slashes": 17.2,
    "reading a CGP": 82.2,
    PICTURE: 3842.0,
    BYTES: 28397.0,
}
"""Microseconds per text, and bytes per picture, measured with commit ``ecc134f`` on 24 November 2026."""


def _texts() -> dict[str, list[str]]:
    chatter, maven = _module("tests.domain.chatter"), _module("tests.positions").MAVEN
    rng = random.Random(1)
    slashes = (chatter.path, chatter.date, chatter.url)
    return {
        "ordinary chat": [chatter.sentence(rng) for _ in range(MESSAGE_COUNT)],
        "chat with slashes": [
            f"{chatter.sentence(rng)} {slashes[number % len(slashes)](rng)} {chatter.sentence(rng)}"
            for number in range(MESSAGE_COUNT)
        ],
        "all kinds of chatter": list(chatter.generated_messages(MESSAGE_COUNT, 1)),
        "detecting a CGP": [maven],
        "reading a CGP": [_shuffled(maven, rng) for _ in range(MESSAGE_COUNT)],
        PICTURE: [_shuffled(maven, rng) for _ in range(MESSAGE_COUNT // 20)],
    }


def _shuffled(cgp: str, rng: random.Random) -> str:
    """Shuffle the rows of a board, so that texts differ."""
    board, _, rest = cgp.partition(" ")
    rows = board.split("/")
    rng.shuffle(rows)
    return f"{'/'.join(rows)} {rest}"


def _hide_extras(checkout: Path) -> None:
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package in ("zlib-ng", "isal"):
        if not any(dependency.startswith(package) for dependency in project["dependencies"]):
            sys.modules[package.replace("-", "_")] = None  # makes imports fail


def _module(*names: str) -> Any:
    """Import the first module that exists. Older releases have different names for it."""
    with suppress(ModuleNotFoundError):
        return import_module(names[0])
    return _module(*names[1:])


def _detect_and_read() -> tuple[Callable[[str], object], Callable[[str], Any]]:
    detect = _module("bot.domain.notations", "bot.notations").detect
    return detect, _module("bot.domain.crossword.notations.cgp", "bot.domain.formats.cgp").read


def _drawing_function() -> Callable[[str], bytes]:
    read = _detect_and_read()[1]
    scenes = _module("bot.features.showing.crossword.board_scene", "bot.scenes")
    translate = _module("bot.text").translator("en")
    layout, board = _module("render.layout"), _module("render.board")
    draw = getattr(layout, "draw_board", None) or board.draw_board
    context = (
        (scenes.View(), translate)
        if hasattr(scenes, "View")
        else (_module("bot.chat.card").ReplyContext(translate=translate),)
    )

    def picture(text: str) -> bytes:
        scene = scenes.position_scene(read(text).value, *context)
        return draw(replace(scene, layout=type(scene.layout)("tall"))).data

    return picture


def _measure(texts: dict[str, list[str]]) -> dict[str, float]:
    """Return the best microseconds per text for each kind of text, and the mean size of a picture in bytes."""
    detect, read = _detect_and_read()
    draw = _drawing_function()
    figures = {BYTES: float(sum(len(draw(text)) for text in texts[PICTURE])) / len(texts[PICTURE])}
    for name, messages in texts.items():
        run = draw if name == PICTURE else read if name.startswith("reading") else detect
        best, end = float("inf"), process_time() + SECONDS
        while process_time() < end:
            start = process_time()
            for message in messages:
                run(message)
            best = min(best, process_time() - start)
        figures[name] = best / len(messages) * 1e6
    return figures


def _rounds(
    checkouts: list[Path], texts: dict[str, list[str]], options: list[str]
) -> Iterator[tuple[int, dict[str, float]]]:
    """Measure the checkouts in turn. Yield each measurement with the index of its checkout."""
    for _ in range(ROUNDS):
        for number, checkout in enumerate(checkouts):
            completed = subprocess.run(
                [sys.executable, __file__, "--measure", str(checkout), *options],
                input=json.dumps(texts),
                env=os.environ | {"PYTHONPATH": str(checkout)},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            yield number, json.loads(completed.stdout)


def main(arguments: list[str]) -> None:
    options = ["--without-extras"] if "--without-extras" in arguments else []
    arguments = [argument for argument in arguments if argument not in options]
    if arguments[:1] == ["--measure"]:
        checkout = Path(arguments[1])
        if not Path(_module("bot").__file__).is_relative_to(checkout):
            sys.exit(f"{checkout} contains no package bot")
        if options:
            _hide_extras(checkout)
        print(json.dumps(_measure(json.load(sys.stdin))))
        return
    texts = _texts()
    checkouts = [Path(__file__).parents[2], *(Path(argument).resolve() for argument in arguments[:1])]
    best: list[dict[str, float]] = [{} for _ in checkouts]
    for number, figures in _rounds(checkouts, texts, options):
        best[number] = {name: min(figure, best[number].get(name, figure)) for name, figure in figures.items()}
    others = best[1] if arguments else BASELINE
    print(f"{'µs per text':24}{'here':>8}{'other' if arguments else 'ecc134f':>9}{'ratio':>7}")
    for name, figure in best[0].items():
        other = others.get(name)
        print(f"{name:24}{figure:8.1f}" + (f"{other:9.1f}{figure / other:7.2f}" if other else ""))


if __name__ == "__main__":
    main(sys.argv[1:])
