"""Measures how long pictures take to draw, and their size, compared with naive drawings and other libraries.

Limits for ratios of times are stricter than limits for times, because machines differ in speed.
"""

from __future__ import annotations

import asyncio
import gc
import io
import sys
import zlib
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import Any, cast

import pytest
from PIL import Image

from render.animate import draw_replay
from render.drawing import MAX_SPRITE_BYTES, pen_of
from render.layout import draw_board, lay_out
from render.scene import BoardScene, Frame, Layout, ReplayScene, Section
from tests.render.samples import BIG_GAME, GAME, MATE, cached_bytes, growing_replay, paint_scene, pieces, rack

from . import naive

pytestmark = pytest.mark.bench

CELL_PIXELS = {Layout.WIDE: 45, Layout.TALL: 47}
"""Square sizes that give pictures of about 0.75 million pixels."""
Milliseconds = dict[str, float]
Report = Callable[[str, float, float, float], None]


def time_alternately(rounds: int = 31, **functions: Callable[[], object]) -> Milliseconds:
    """Return the median milliseconds of each function. The functions run in turn, so a slow moment affects all of them."""
    milliseconds: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():
        function()
    gc.collect()
    for _ in range(rounds):
        for name, function in functions.items():
            start = perf_counter()
            function()
            milliseconds[name].append((perf_counter() - start) * 1000)
    return {name: median(times) for name, times in milliseconds.items()}


@pytest.fixture(scope="module")
def report() -> Iterator[Report]:
    lines: list[str] = []

    def add(what: str, value: float, target: float, limit: float) -> None:
        lines.append(f"{what:<58}{value:>10.3f}  target {target:<9g} limit {limit:g}")
        assert value <= limit, lines[-1]

    yield add
    sys.stdout.write("\n" + "\n".join(lines) + "\n")


def pixel_bytes(scene: BoardScene) -> bytes:
    return paint_scene(scene)[0].tobytes()


def test_composing_a_board_is_faster_than_a_naive_drawing(report: Report):
    canvas = paint_scene(GAME)[0]  # reused, as drawing threads reuse theirs
    times = time_alternately(
        ours=lambda: lay_out(GAME)[0].paint(canvas, 0, 0), naive=lambda: naive.draw(GAME)
    )
    report("compose / naive drawing", times["ours"] / times["naive"], 1 / 40, 1 / 20)
    report("compose, ms", times["ours"], 1.2, 20)


@pytest.mark.parametrize("layout", [Layout.WIDE, Layout.TALL])
def test_a_still_is_faster_and_smaller_than_a_naive_picture(report: Report, layout: Layout):
    scene = replace(GAME, layout=layout, cell_size=CELL_PIXELS[layout])
    pixels, naive_picture = pixel_bytes(scene), naive.picture(scene)
    times = time_alternately(
        ours=lambda: draw_board(scene),
        deflate=lambda: zlib.compress(pixels, 6),
        naive=lambda: naive.picture(scene),
    )
    name = f"{layout.value} still"
    report(f"{name} / deflate", times["ours"] / times["deflate"], 0.6, 1.6)
    report(f"{name} / naive", times["ours"] / times["naive"], 1 / 14, 1 / 3.5)
    report(f"{name}, ms", times["ours"], 5, 100)
    size = len(draw_board(scene).data)
    report(f"{name} bytes / naive", size / len(naive_picture), 0.40, 0.50)
    report(f"{name} bytes", size, 30_000, 37_500)
    default_bytes = len(draw_board(replace(scene, cell_size=None)).data)
    report(f"{name} bytes at the default size", default_bytes, 30_000, 37_500)


def test_a_large_board_takes_little_more_than_an_ordinary_one(report: Report):
    times = time_alternately(
        large=lambda: draw_board(BIG_GAME),
        ordinary=lambda: draw_board(GAME),
    )
    report("21 × 21 / 15 × 15", times["large"] / times["ordinary"], 1.5, 2)
    report("21 × 21 bytes", len(draw_board(BIG_GAME).data), 36_000, 48_000)


def test_preparing_a_theme_stays_within_limits(report: Report):
    def cold() -> int:
        pen_of.cache_clear()
        paint_scene(GAME)
        return cached_bytes(pen_of(GAME.theme, 45, 45).sprites)

    times = time_alternately(9, cold=cold, naive=lambda: naive.draw(GAME))
    report("set-up of a theme and size / naive drawing", times["cold"] / times["naive"], 3, 6)
    report("set-up, ms", times["cold"], 150, 1_500)
    report("bytes of sprites", cold(), MAX_SPRITE_BYTES, MAX_SPRITE_BYTES)


def test_drawing_a_still(benchmark):
    benchmark(draw_board, GAME)


def pillow_gif(frames: list[Image.Image]) -> bytes:
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=500, loop=0)
    return out.getvalue()


def indexed(scene: BoardScene) -> Image.Image:
    canvas, pen = paint_scene(scene)
    canvas.putpalette([part for colour in pen.palette.colours for part in colour])
    return canvas


def game_replay(scene: BoardScene, turns: int) -> ReplayScene:
    letters = "EKMORRAINSTUDGLOPEBYCAFE"
    frames = []
    for turn, frame in enumerate(growing_replay(scene, turns).frames):
        start = 7 * turn % 17
        players = tuple(
            replace(player, rack=rack(letters[start : start + 7]) if player.to_move else None, rack_note="")
            for player in frame.scene.players
        )
        last = Section("Last play", (f"{turn % 15 + 1}D", letters[start : start + 5], f"+{17 + turn}"))
        frames.append(replace(frame, scene=replace(frame.scene, players=players, sections=(last,))))
    return ReplayScene(tuple(frames))


def test_a_replay_is_faster_and_smaller_than_with_pillow(report: Report):
    """Compare the whole scene, and the board alone, with Pillow's GIFs."""
    scene = replace(GAME, layout=Layout.TALL)
    full_scene, board = game_replay(scene, 25), growing_replay(replace(scene, layout=Layout.BOARD), 25)
    frames, board_frames = (
        [indexed(cast(BoardScene, frame.scene)) for frame in replay.frames] for replay in (full_scene, board)
    )
    colourful = [frame.convert("RGB") for frame in frames]
    times = time_alternately(
        11,
        full_scene=lambda: draw_replay(full_scene),
        board=lambda: draw_replay(board),
        pillow=lambda: pillow_gif(frames),
        pillow_board=lambda: pillow_gif(board_frames),
    )
    times |= time_alternately(3, pillow_rgb=lambda: pillow_gif(colourful))
    size, pillow = len(draw_replay(full_scene).data), len(pillow_gif(frames))
    report("replay / Pillow", times["full_scene"] / times["pillow"], 0.35, 0.6)
    report("replay / Pillow in RGB", times["full_scene"] / times["pillow_rgb"], 1 / 25, 1 / 12)
    report("replay, ms", times["full_scene"], 50, 500)
    report("replay bytes / Pillow", size / pillow, 0.75, 0.9)
    report("replay, kB", size / 1000, 215, 430)
    size = len(draw_replay(board).data)
    report("board alone / Pillow with the panel", times["board"] / times["pillow"], 0.15, 0.25)
    report("board alone / Pillow, board alone", times["board"] / times["pillow_board"], 0.6, 0.6)
    report("board alone bytes / Pillow, board alone", size / len(pillow_gif(board_frames)), 0.9, 0.9)
    report("board alone, kB", size / 1000, 100, 200)


async def longest_loop_delay(work: Awaitable[object]) -> float:
    """Return the event loop's longest delay during ``work``, in milliseconds."""
    delays = [0.0]

    async def sample_delays() -> None:
        while True:
            start = perf_counter()
            await asyncio.sleep(0.001)
            delays.append((perf_counter() - start) * 1000 - 1)

    sampling = asyncio.create_task(sample_delays())
    await asyncio.sleep(0.02)
    try:
        await work
    finally:
        sampling.cancel()
    return max(delays)


@pytest.mark.parametrize("workers", [1, 2])
async def test_drawing_blocks_the_event_loop_only_briefly(report: Report, workers: int):
    """Compare the event loop's delays while threads draw and while threads compress data.

    Compression releases the interpreter lock, so its delays come only from waiting for a processor.
    """
    pixels = pixel_bytes(GAME)
    scenes: list[Any] = [frame.scene for frame in growing_replay(GAME, 100).frames[1:]]
    loop = asyncio.get_running_loop()
    drawing_delays, compressing_delays = [], []
    with ThreadPoolExecutor(workers) as pool:
        for _ in range(7):
            drawing = (loop.run_in_executor(pool, draw_board, scene) for scene in scenes)
            drawing_delays.append(await longest_loop_delay(asyncio.gather(*drawing)))
            deflating = (loop.run_in_executor(pool, zlib.compress, pixels, 6) for _ in scenes)
            compressing_delays.append(await longest_loop_delay(asyncio.gather(*deflating)))
    report(
        f"longest wait, {workers} of 100 compressions at a time, ms", median(compressing_delays), 20, 1_000
    )
    report(f"longest wait, {workers} of 100 stills at a time, ms", median(drawing_delays), 5, 20)


def test_squares_of_68_pixels_stay_within_limits(report: Report):
    # Squares have this size in liwords' pictures, which have no labels or coordinates and take 37 to 40 kB.
    scene = replace(GAME, layout=Layout.TALL, cell_size=68, sections=())  # liwords draws no panel
    times = time_alternately(11, ours=lambda: draw_board(scene))
    report("68 pixels per square, ms", times["ours"], 19.6, 196)
    report("68 pixels per square, kB", len(draw_board(scene).data) / 1000, 40, 48)


def test_a_chessboard_is_faster_and_smaller_than_with_svg_and_cairo(report: Report):
    svg = pytest.importorskip("chess.svg")
    chess = pytest.importorskip("chess")
    cairo = pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))  # type: ignore[arg-type]
    scene = replace(MATE, layout=Layout.BOARD, cell_size=86, players=(), sections=())
    position = chess.Board("r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4")

    def svg_and_cairo() -> bytes:
        return cairo.svg2png(svg.board(position, size=720, coordinates=True).encode())

    times = time_alternately(
        7,
        ours=lambda: draw_board(scene),
        svg_and_cairo=svg_and_cairo,
    )
    report("chess / svg and cairo", times["ours"] / times["svg_and_cairo"], 1 / 20, 1 / 7)
    size = len(draw_board(scene).data)
    report("chess bytes / svg and cairo", size / len(svg_and_cairo()), 0.5, 0.6)


def test_a_chess_replay_stays_within_limits(report: Report):
    """Each of the 80 half-moves changes two squares and marks two."""
    scene = replace(MATE, layout=Layout.BOARD, cell_size=86, players=(), sections=(), king_in_check=None)
    frames, board = [], list(pieces("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"))
    for number in range(81):
        start = next(square for square in range(number * 7 % 64, 128) if board[square % 64]) % 64
        end = next(square for square in range(number * 13 % 64, 128) if not board[square % 64]) % 64
        frames.append(Frame(replace(scene, pieces=tuple(board), last_move=(start, end)), 700))
        board[start], board[end] = None, board[start]
    replay = ReplayScene(tuple(frames))
    times = time_alternately(5, ours=lambda: draw_replay(replay))
    report("chess replay of 80 half moves, ms", times["ours"], 80, 800)
    report("chess replay of 80 half moves, kB", len(draw_replay(replay).data) / 1000, 250, 372)
