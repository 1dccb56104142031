"""PNG files: an independent reader finds the same pixels; the carried text is read back, bounded, and known to be stale."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from dataclasses import replace

import png
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from render.layout import draw_board
from render.png import Canvas, EmbeddedText
from render.png import read_embedded_text as read_from
from tests.render.samples import GAME, MATE

TEXT = "cgp 15/15 ÄẞŁ·Ł"
PALETTE = [(0, 0, 0), (200, 30, 40), (255, 255, 255)]


def encoded(rows: list[bytes], colours: list[tuple[int, int, int]], text: str = "") -> bytes:
    """Return a picture of rows of palette indexes."""
    canvas = Canvas(len(rows[0]), len(rows))
    canvas.indexes[len(rows[0]) :] = b"".join(rows)
    return canvas.encode(colours, text)


def small(text: str = TEXT) -> bytes:
    """Return a picture of 3 × 2 pixels that carries a text."""
    return encoded([bytes([0, 1, 2]), bytes([2, 1, 0])], PALETTE, text)


def opened(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def read_embedded_text(data: bytes) -> EmbeddedText | None:
    """Return what a PNG file carries; None also for a broken file."""
    try:
        return read_from(opened(data))
    except (OSError, SyntaxError, ValueError):
        return None


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunk(kind: bytes, content: bytes) -> bytes:
    """Return a picture with one chunk more after its header."""
    plain = small_plain()
    return plain[:33] + chunk(kind, content) + plain[33:]


def small_plain() -> bytes:
    return small("")


@given(st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False))
def test_an_independent_reader_finds_the_same_pixels(width, height, random):
    colours = [(random.randrange(256), random.randrange(256), random.randrange(256)) for _ in range(200)]
    rows = [bytes(random.randrange(200) for _ in range(width)) for _ in range(height)]
    read_width, read_height, pixels, info = png.Reader(bytes=encoded(rows, colours)).read()
    assert (read_width, read_height) == (width, height)
    assert info["palette"] == colours
    assert [bytes(row) for row in pixels] == rows


def test_without_the_quick_deflate_the_standard_one_serves():
    code = "import sys; sys.modules['zlib_ng'] = None; from render import png; print(png.compress.__module__, png._LEVEL)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["zlib", "6"]


def test_digests_of_earlier_releases_hold():
    """BLAKE2b of the greys, salted with the size; as drawn by 1.0."""
    old = EmbeddedText(TEXT, "9e4c500e4e18463837740c219231d122")
    assert old.matches(opened(small()))
    assert not old.matches(opened(small()).resize((2, 3)))


@pytest.mark.parametrize("scene", [GAME, MATE])
def test_a_picture_carries_its_text_and_shows_the_same(scene):
    data = draw_board(replace(scene, embedded_text=TEXT)).data
    result = read_embedded_text(data)
    assert result.text == TEXT
    assert result.matches(opened(data))
    bare = draw_board(scene).data
    assert read_embedded_text(bare) is None
    assert opened(bare).convert("RGB").tobytes() == opened(data).convert("RGB").tobytes()


def test_a_picture_saved_anew_without_loss_is_still_the_same():
    picture, result = opened(small()), read_embedded_text(small())
    text = opened(small()).info["Kibitz"]
    for kind in ("P", "RGB", "RGBA"):
        info, stream = PngInfo(), io.BytesIO()
        info.add_text("Kibitz", str(text), zip=kind == "RGB")
        picture.convert(kind).save(stream, "PNG", pnginfo=info)
        again = read_embedded_text(stream.getvalue())
        assert again == result
        assert again.matches(opened(stream.getvalue()))


def test_a_changed_pixel_is_noticed():
    picture = opened(small()).convert("RGB")
    result = read_embedded_text(small())
    picture.putpixel((1, 1), (190, 30, 40))
    assert not result.matches(picture)
    assert not result.matches(opened(small()).resize((2, 3)))


def test_what_is_too_long_is_not_written():
    with pytest.raises(ValueError, match="8192 bytes"):
        small("x" * 8_193)
    long = "x" * 8_192
    assert read_embedded_text(small(long)).text == long


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compress(b"0" * 32 + b" " + b"x" * 50_000_000, 9)
    for content in (b"\1\0\0\0" + bomb, b"\0\0\0\0" + b"y" * 20_000):
        assert read_embedded_text(with_chunk(b"iTXt", b"Kibitz\0" + content)) is None
    assert read_embedded_text(with_chunk(b"zTXt", b"Kibitz\0\0" + bomb[:8_000])) is None


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (b"iTXt", b"Kibitz\0\2\0\0\0" + b"0" * 32 + b" x"),
        (b"iTXt", b"Kibitz\0\0\0"),
        (b"iTXt", b"Kibitz\0\1\0\0\0no deflate"),
        (b"iTXt", b"Kibitz\0\0\0\0\0" + b"0" * 31 + b" x"),
        (b"iTXt", b"Kibitz\0\0\0\0\0" + b"0" * 32 + b" "),
        (b"iTXt", b"Kibitz\0\0\0\0\0" + b"0" * 32 + b" \xff"),
        (b"zTXt", b"Kibitz\0\1" + zlib.compress(b"0" * 32 + b" x")),
        (b"iTXt", b"Other\0\0\0\0\0" + b"0" * 32 + b" x"),
    ],
)
def test_what_is_not_written_so_is_not_read(kind, content):
    assert read_embedded_text(with_chunk(kind, content)) is None


@given(st.data())
def test_a_damaged_file_is_read_as_it_was_or_not_at_all(data):
    whole = bytearray(small())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    result = read_embedded_text(cut)
    assert result is None or result == read_embedded_text(small())
