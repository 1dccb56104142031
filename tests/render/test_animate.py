from __future__ import annotations

import io
import struct
from dataclasses import replace

import av
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from PIL import Image

from render.animate import (
    MAX_SUB_FRAMES,
    GifWriter,
    ReplayError,
    draw_replay,
    find_changes,
    merge_boxes,
)
from render.layout import lay_out
from render.scene import Arrow, Frame, Layout, ReplayScene
from render.theme import TRANSPARENT, Colour
from tests.render.samples import (
    CHESS_REPLAY,
    FOOLS_MATE,
    GAME,
    LARGE_BOARD,
    MATE,
    MIDGAME,
    PLAYERS,
    REPLAY,
    growing_replay,
    pieces,
)
from tests.render.strategies import replays


def still_frames(replay: ReplayScene, size: tuple[int, int]) -> list[bytes]:
    pictures = []
    for frame in replay.frames:
        scene = frame.scene
        drawing, pen = lay_out(scene)
        page = drawing.paint_box((0, 0, *size), pen.palette.index_of(Colour.PAGE))
        page.putpalette([part for colour in pen.palette.colours for part in colour])
        pictures.append(page.convert("RGB").tobytes())
    return pictures


def sub_frames(data: bytes) -> list[tuple[int, int, tuple[int, int, int, int]]]:
    """Return the flags, delay (ms) and box of every picture in a GIF, read from its blocks."""
    frames = []
    position = 13 + (3 << ((data[10] & 7) + 1))
    control = None
    while data[position] != 0x3B:
        if data[position] == 0x21:
            if data[position + 1] == 0xF9:
                flags, delay, transparent = struct.unpack_from("<BHB", data, position + 3)
                assert transparent == TRANSPARENT
                control = flags, delay * 10
            position += 2
        else:
            assert data[position] == 0x2C
            assert control is not None
            left, top, width, height, _ = struct.unpack_from("<HHHHB", data, position + 1)
            frames.append((*control, (left, top, left + width, top + height)))
            control = None
            position += 11
        while data[position]:
            position += 1 + data[position]
        position += 1
    assert position == len(data) - 1
    return frames


def pillow_frames(data: bytes) -> list[tuple[int, bytes]]:
    """Return each picture's start time in milliseconds, and its pixels."""
    frames, time = [], 0
    with Image.open(io.BytesIO(data)) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append((time, image.convert("RGB").tobytes()))
            time += image.info["duration"]
    return frames


def pictures_after_turns(data: bytes, replay: ReplayScene) -> list[bytes]:
    frames = pillow_frames(data)
    pictures, time = [], 0
    for frame in replay.frames:
        time += frame.delay
        pictures.append([picture for start, picture in frames if start < time][-1])
    return pictures


def fools_mate_with_arrows() -> ReplayScene:
    arrows = ((), (Arrow(53, 45),), (Arrow(12, 28),), (), (Arrow(39, 60), Arrow(60, 53)))
    return ReplayScene(
        tuple(
            Frame(
                replace(
                    MATE,
                    pieces=pieces(placement),
                    last_move=last,
                    king_in_check=check,
                    cell_size=40,
                    arrows=frame_arrows,
                ),
                600,
            )
            for (_, placement, last, check), frame_arrows in zip(FOOLS_MATE, arrows, strict=True)
        )
    )


REPLAYS = {
    "chess arrows": fools_mate_with_arrows(),
    "turns": REPLAY,
    "chess moves": CHESS_REPLAY,
    "wide": growing_replay(GAME, 12),
    "tall": growing_replay(replace(GAME, layout=Layout.TALL, theme="dark", cell_size=30), 9),
    "many turns": growing_replay(replace(MIDGAME, players=PLAYERS, cell_size=12), 160, 100),
    "board": growing_replay(replace(LARGE_BOARD, layout=Layout.BOARD, theme="contrast", cell_size=20), 20),
}


@pytest.mark.parametrize("name", REPLAYS)
def test_every_frame_looks_like_its_still(name: str):
    replay = REPLAYS[name]
    image = draw_replay(replay)
    assert pictures_after_turns(image.data, replay) == still_frames(replay, (image.width, image.height))


def test_ffmpeg_decodes_the_same_pictures():
    replay = REPLAYS["board"]
    image = draw_replay(replay)
    with av.open(io.BytesIO(image.data), format="gif") as container:
        decoded = [bytes(frame.reformat(format="rgb24").to_ndarray()) for frame in container.decode(video=0)]
    assert decoded == [picture for _, picture in pillow_frames(image.data)]


@pytest.mark.parametrize("name", REPLAYS)
def test_flags_delays_and_number_of_sub_frames_are_valid(name: str):
    pictures = sub_frames(draw_replay(REPLAYS[name]).data)
    assert all(flags == 0b101 for flags, _, _ in pictures)
    assert sum(delay for _, delay, _ in pictures) == sum(frame.delay for frame in REPLAYS[name].frames)
    assert all(delay >= 20 for _, delay, _ in pictures)
    assert len(pictures) <= MAX_SUB_FRAMES


def test_a_replay_of_many_turns_stays_within_the_sub_frame_limit():
    replay = growing_replay(replace(MIDGAME, players=PLAYERS, cell_size=16), 400, 100)
    image = draw_replay(replay)
    assert len(sub_frames(image.data)) <= MAX_SUB_FRAMES
    assert image.frame_count == 300


def test_a_replay_that_is_too_large_is_drawn_smaller_and_then_shorter():
    replay = growing_replay(GAME, 10)
    full_size_image = draw_replay(replay)
    assert (full_size_image.normal_cell_size, full_size_image.cell_size, full_size_image.frame_count) == (
        45,
        45,
        11,
    )
    smaller_image = draw_replay(replay, max_bytes=len(full_size_image.data) - 1)
    assert smaller_image.width < full_size_image.width
    assert (smaller_image.normal_cell_size, smaller_image.cell_size, smaller_image.frame_count) == (
        45,
        34,
        11,
    )
    small_replay = growing_replay(replace(GAME, cell_size=16), 10)
    image_of_all_turns = draw_replay(small_replay)
    image_of_some_turns = draw_replay(small_replay, max_bytes=len(image_of_all_turns.data) * 3 // 4)
    assert image_of_some_turns.width == image_of_all_turns.width
    assert image_of_some_turns.cell_size == image_of_some_turns.normal_cell_size
    assert image_of_some_turns.frame_count == 5
    assert pillow_frames(image_of_some_turns.data)[-1][1] == pillow_frames(image_of_all_turns.data)[-1][1]
    assert len(image_of_some_turns.data) <= len(image_of_all_turns.data) * 3 // 4
    with pytest.raises(ReplayError, match="bytes; 500 are allowed"):
        draw_replay(replay, max_bytes=500)


def test_a_replay_starts_again_after_its_last_frame():
    # A loop count of 0 in the Netscape 2.0 extension means that the replay repeats endlessly.
    with Image.open(io.BytesIO(draw_replay(REPLAYS["board"]).data)) as image:
        assert image.info["loop"] == 0


@given(replays())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_no_part_of_an_earlier_frame_remains_visible(drawn: ReplayScene):
    # The panels of the frames are unrelated. In chess, so are the positions.
    replay = ReplayScene(tuple(Frame(replace(frame.scene, cell_size=20), 400) for frame in drawn.frames))
    image = draw_replay(replay)
    assert pictures_after_turns(image.data, replay) == still_frames(replay, (image.width, image.height))


boxes = st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(1, 40), st.integers(1, 40)).map(
    lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])
)


@given(boxes)
@settings(max_examples=40)
def test_a_painted_box_equals_the_same_area_of_the_whole_drawing(box: tuple[int, int, int, int]):
    drawing, pen = lay_out(replace(GAME, cell_size=20))
    background = pen.palette.index_of(Colour.PAGE)
    full_picture = Image.new("L", (drawing.width, drawing.height), background)
    drawing.paint(full_picture, 0, 0)
    assert drawing.paint_box(box, background).tobytes() == full_picture.crop(box).tobytes()


@pytest.mark.parametrize("sparse", [False, True])
def test_a_patch_turns_one_picture_into_the_next(sparse: bool):
    before = Image.new("L", (9, 9), 5)
    before.paste(7, (4, 4, 6, 9))
    after = before.copy()
    after.paste(6, (2, 3, 4, 5))
    after.putpixel((6, 7), 120)
    patch = find_changes(before, after, sparse=sparse)
    assert patch is not None
    picture, position = patch
    assert (picture.size, position) == ((5, 5), (2, 3))
    assert (TRANSPARENT in picture.tobytes()) == sparse
    before.paste(picture, position, picture.point([0] + [255] * 255))
    assert before.tobytes() == after.tobytes()
    assert find_changes(before, after, sparse=sparse) is None


@given(st.lists(boxes, max_size=12), st.integers(1, 6), st.integers(0, 500))
def test_merged_boxes_cover_the_original_boxes(originals, max_boxes: int, max_extra_pixels: int):
    merged_boxes = merge_boxes(originals, max_boxes, max_extra_pixels)
    assert len(merged_boxes) <= max_boxes or not originals
    for left, top, right, bottom in originals:
        assert any(a <= left and b <= top and c >= right and d >= bottom for a, b, c, d in merged_boxes)


def test_a_frame_without_changes_keeps_its_delay():
    writer = GifWriter((4, 4), [(0, 0, 0), (255, 255, 255)])
    for patches in ([(Image.new("L", (4, 4), 1), (0, 0))], []):
        writer.add_frame(patches, 300)
    assert [delay for _, delay, _ in sub_frames(writer.finish())] == [300, 300]
