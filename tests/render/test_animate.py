from __future__ import annotations

import io
import struct
from dataclasses import replace

import av
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from render.animate import (
    MAX_SUB_FRAMES,
    GifWriter,
    ReplayError,
    changes,
    draw_replay,
    merge_boxes,
)
from render.layout import lay_out
from render.scene import Arrow, BoardScene, Frame, Layout, ReplayScene
from render.theme import TRANSPARENT, Colour
from tests.render.samples import CHESS_REPLAY, MATE, REPLAY, growing, pieces

from .samples import OF_BOARD
from .scenes import GAME, LARGE, MIDGAME, PLAYERS, scenes


def stills(replay: ReplayScene, size: tuple[int, int]) -> list[bytes]:
    """Every frame drawn by itself, as RGB."""
    pictures = []
    for frame in replay.frames:
        scene = frame.scene
        drawing, pen = lay_out(scene)
        page = drawing.part((0, 0, *size), pen.palette.solid(Colour.PAGE))
        page.putpalette([part for colour in pen.palette.colours for part in colour])
        pictures.append(page.convert("RGB").tobytes())
    return pictures


def sub_frames(data: bytes) -> list[tuple[int, int, tuple[int, int, int, int]]]:
    """Flags, delay (ms) and box of every picture in a GIF, read by hand from its blocks."""
    found = []
    at = 13 + (3 << ((data[10] & 7) + 1))
    control = None
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                flags, delay, transparent = struct.unpack_from("<BHB", data, at + 3)
                assert transparent == TRANSPARENT
                control = flags, delay * 10
            at += 2
        else:
            assert data[at] == 0x2C
            assert control is not None
            left, top, width, height, _ = struct.unpack_from("<HHHHB", data, at + 1)
            found.append((*control, (left, top, left + width, top + height)))
            control = None
            at += 11
        while data[at]:
            at += 1 + data[at]
        at += 1
    assert at == len(data) - 1
    return found


def pillow_frames(data: bytes) -> list[tuple[int, bytes]]:
    """When each picture appears (ms), and what it shows."""
    frames, when = [], 0
    with Image.open(io.BytesIO(data)) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append((when, image.convert("RGB").tobytes()))
            when += image.info["duration"]
    return frames


def shown_after_each_turn(data: bytes, replay: ReplayScene) -> list[bytes]:
    """The picture at the end of every frame's time."""
    frames = pillow_frames(data)
    ends, when = [], 0
    for frame in replay.frames:
        when += frame.delay
        ends.append([picture for start, picture in frames if start < when][-1])
    return ends


def fools_mate() -> ReplayScene:
    """Two moves each, from both sides of the board."""
    placements = (
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", (), None),
        ("rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR", (53, 45), None),
        ("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR", (12, 28), None),
        ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR", (54, 38), None),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR", (3, 39), 60),
    )
    pointed = ((), (Arrow(53, 45),), (Arrow(12, 28),), (), (Arrow(39, 60), Arrow(60, 53)))
    return ReplayScene(
        tuple(
            Frame(
                replace(MATE, pieces=pieces(placement), last=last, check=check, cell=40, arrows=arrows), 600
            )
            for (placement, last, check), arrows in zip(placements, pointed, strict=True)
        )
    )


REPLAYS = {
    "chess": fools_mate(),
    "turns": REPLAY,
    "moves of chess": CHESS_REPLAY,
    "wide": growing(GAME, 12),
    "tall": growing(replace(GAME, layout=Layout.TALL, theme="dark", cell=30), 9),
    "many turns": growing(replace(MIDGAME, players=PLAYERS, cell=12), 160, 100),
    "board": growing(replace(LARGE, layout=Layout.BOARD, theme="contrast", cell=20), 20),
}


@pytest.mark.parametrize("name", REPLAYS)
def test_every_frame_looks_like_its_still(name: str):
    replay = REPLAYS[name]
    image = draw_replay(replay)
    assert shown_after_each_turn(image.data, replay) == stills(replay, (image.width, image.height))


def test_another_reader_sees_the_same():
    """FFmpeg's GIF reader composes the sub-frames to the same pictures."""
    replay = REPLAYS["board"]
    image = draw_replay(replay)
    with av.open(io.BytesIO(image.data), format="gif") as container:
        seen = [bytes(frame.reformat(format="rgb24").to_ndarray()) for frame in container.decode(video=0)]
    assert seen == [picture for _, picture in pillow_frames(image.data)]


@pytest.mark.parametrize("name", REPLAYS)
def test_every_sub_frame_is_transparent_and_stays(name: str):
    data = draw_replay(REPLAYS[name]).data
    found = sub_frames(data)
    assert all(flags == 0b101 for flags, _, _ in found)
    assert sum(delay for _, delay, _ in found) == sum(frame.delay for frame in REPLAYS[name].frames)
    assert all(delay >= 20 for _, delay, _ in found)
    assert len(found) <= MAX_SUB_FRAMES


def test_many_turns_keep_within_the_sub_frames_clients_show():
    replay = growing(replace(MIDGAME, players=PLAYERS, cell=16), 400, 100)
    image = draw_replay(replay)
    assert len(sub_frames(image.data)) <= MAX_SUB_FRAMES
    assert (image.frames, image.left_out) == (300, 101)


def test_a_replay_too_large_is_drawn_smaller_and_then_shorter():
    replay = growing(GAME, 10)
    full = draw_replay(replay)
    assert (full.full_cell, full.cell, full.frames, full.left_out) == (45, 45, 11, 0)
    smaller = draw_replay(replay, max_bytes=len(full.data) - 1)
    assert smaller.width < full.width
    assert (smaller.full_cell, smaller.cell, smaller.left_out) == (45, 34, 0)
    small = growing(replace(GAME, cell=16), 10)
    all_turns = draw_replay(small)
    some_turns = draw_replay(small, max_bytes=len(all_turns.data) * 3 // 4)
    assert some_turns.width == all_turns.width
    assert some_turns.cell == some_turns.full_cell
    assert (some_turns.frames, some_turns.left_out) == (5, 6)
    assert pillow_frames(some_turns.data)[-1][1] == pillow_frames(all_turns.data)[-1][1]
    assert len(some_turns.data) <= len(all_turns.data) * 3 // 4
    with pytest.raises(ReplayError, match="bytes at least; 500 are allowed"):
        draw_replay(replay, max_bytes=500)


def test_it_repeats_only_when_told_to():
    once = draw_replay(replace(REPLAYS["board"], repeat=False))
    assert b"NETSCAPE" in draw_replay(REPLAYS["board"]).data
    assert b"NETSCAPE" not in once.data


@given(st.lists(scenes, min_size=2, max_size=4))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_any_change_of_scene_shows(drawn: list[BoardScene]):
    """Panels of all kinds after each other: no part of an earlier frame remains."""
    same = [
        replace(
            scene,
            **{name: getattr(drawn[0], name) for name in OF_BOARD},
            layout=drawn[0].layout,
            theme="light",
            cell=20,
            heat=(),
            badges=(),
            doubts=(),
        )
        for scene in drawn
    ]
    replay = ReplayScene(tuple(Frame(scene, 400) for scene in same))
    image = draw_replay(replay)
    assert shown_after_each_turn(image.data, replay) == stills(replay, (image.width, image.height))


boxes = st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(1, 40), st.integers(1, 40)).map(
    lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])
)


@given(boxes)
@settings(max_examples=40)
def test_a_part_is_what_the_whole_shows_there(box: tuple[int, int, int, int]):
    drawing, pen = lay_out(replace(GAME, cell=20))
    ground = pen.palette.solid(Colour.PAGE)
    whole = Image.new("L", (drawing.width, drawing.height), ground)
    drawing.paint(whole, 0, 0)
    assert drawing.part(box, ground).tobytes() == whole.crop(box).tobytes()


@pytest.mark.parametrize("sparse", [False, True])
def test_changes_laid_over_what_was_give_what_is(sparse: bool):
    before = Image.new("L", (9, 9), 5)
    before.paste(7, (4, 4, 6, 9))
    after = before.copy()
    after.paste(6, (2, 3, 4, 5))
    after.putpixel((6, 7), 120)
    patch = changes(before, after, sparse=sparse)
    assert patch is not None
    picture, at = patch
    assert (picture.size, at) == ((5, 5), (2, 3))
    assert (TRANSPARENT in picture.tobytes()) == sparse
    before.paste(picture, at, picture.point([0] + [255] * 255))
    assert before.tobytes() == after.tobytes()
    assert changes(before, after, sparse=sparse) is None


@given(st.lists(boxes, max_size=12), st.integers(1, 6), st.integers(0, 500))
def test_merged_boxes_cover_what_they_came_from(given_boxes, max_boxes: int, waste: int):
    joined = merge_boxes(given_boxes, max_boxes, waste)
    assert len(joined) <= max_boxes or not given_boxes
    for left, top, right, bottom in given_boxes:
        assert any(a <= left and b <= top and c >= right and d >= bottom for a, b, c, d in joined)


def test_a_frame_without_change_still_takes_its_time():
    writer = GifWriter((4, 4), [(0, 0, 0), (255, 255, 255)], repeat=False)
    for patches in ([(Image.new("L", (4, 4), 1), (0, 0))], []):
        writer.add(patches, 300)
    assert [delay for _, delay, _ in sub_frames(writer.finish())] == [300, 300]
