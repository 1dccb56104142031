"""An independent decoder reads back the same pixels. The embedded text becomes invalid if the pixels change."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from dataclasses import replace

import png
import pytest
from hypothesis import given, strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from render import png as kibitz_png
from render.layout import draw_board
from render.png import Canvas, EmbeddedText
from tests.render.samples import GAME, MATE

TEXT = "cgp 15/15 ÄẞŁ·Ł"
PALETTE = [(0, 0, 0), (200, 30, 40), (255, 255, 255)]


def encode(rows: list[bytes], colours: list[tuple[int, int, int]], text: str = "") -> bytes:
    canvas = Canvas(len(rows[0]), len(rows))
    canvas.indexes[len(rows[0]) :] = b"".join(rows)
    return canvas.encode(colours, text)


def small_picture(text: str = TEXT) -> bytes:
    return encode([bytes([0, 1, 2]), bytes([2, 1, 0])], PALETTE, text)


def open_picture(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def read_embedded_text(data: bytes) -> EmbeddedText | None:
    """Return the embedded text of a PNG file, or None if there is none or the file is broken."""
    try:
        return kibitz_png.read_embedded_text(open_picture(data))
    except (OSError, SyntaxError, ValueError):
        return None


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunk(kind: bytes, content: bytes) -> bytes:
    """Return a picture without embedded text but with an extra chunk after its header."""
    plain_picture = small_picture("")
    return plain_picture[:33] + chunk(kind, content) + plain_picture[33:]


@given(st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False))
def test_an_independent_decoder_reads_the_same_pixels(width, height, random):
    colours = [(random.randrange(256), random.randrange(256), random.randrange(256)) for _ in range(200)]
    rows = [bytes(random.randrange(200) for _ in range(width)) for _ in range(height)]
    read_width, read_height, pixels, info = png.Reader(bytes=encode(rows, colours)).read()
    assert (read_width, read_height) == (width, height)
    assert info["palette"] == colours
    assert [bytes(row) for row in pixels] == rows


def test_zlib_replaces_a_missing_zlib_ng():
    code = "import sys; sys.modules['zlib_ng'] = None; from render import png; print(png.compress.__module__, png._COMPRESSION_LEVEL)"
    completed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert completed.stdout.split() == ["zlib", "6"]


def test_digests_of_early_releases_are_valid():
    # This digest is the BLAKE2b hash of the shades of grey, salted with the size.
    old_text = EmbeddedText(TEXT, "9e4c500e4e18463837740c219231d122")
    assert old_text.matches(open_picture(small_picture()))
    assert not old_text.matches(open_picture(small_picture()).resize((2, 3)))


@pytest.mark.parametrize("scene", [GAME, MATE])
def test_embedded_text_does_not_change_the_pixels(scene):
    data = draw_board(replace(scene, embedded_text=TEXT)).data
    result = read_embedded_text(data)
    assert result.text == TEXT
    assert result.matches(open_picture(data))
    bare_data = draw_board(scene).data
    assert read_embedded_text(bare_data) is None
    assert open_picture(bare_data).convert("RGB").tobytes() == open_picture(data).convert("RGB").tobytes()


def test_embedded_text_survives_lossless_saving():
    picture, result = open_picture(small_picture()), read_embedded_text(small_picture())
    text = open_picture(small_picture()).info["Kibitz"]
    for kind in ("P", "RGB", "RGBA"):
        info, stream = PngInfo(), io.BytesIO()
        info.add_text("Kibitz", str(text), zip=kind == "RGB")
        picture.convert(kind).save(stream, "PNG", pnginfo=info)
        saved_text = read_embedded_text(stream.getvalue())
        assert saved_text == result
        assert saved_text.matches(open_picture(stream.getvalue()))


def test_a_changed_pixel_invalidates_the_embedded_text():
    picture = open_picture(small_picture()).convert("RGB")
    result = read_embedded_text(small_picture())
    picture.putpixel((1, 1), (190, 30, 40))
    assert not result.matches(picture)
    assert not result.matches(open_picture(small_picture()).resize((2, 3)))


def test_embedded_text_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="8192 bytes"):
        small_picture("x" * 8_193)
    longest_text = "x" * 8_192
    assert read_embedded_text(small_picture(longest_text)).text == longest_text


def test_a_decompression_bomb_is_not_unpacked():
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
def test_malformed_embedded_text_is_ignored(kind, content):
    assert read_embedded_text(with_chunk(kind, content)) is None


@given(st.data())
def test_a_damaged_file_gives_the_original_text_or_none(data):
    damaged = bytearray(small_picture())
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut_file = bytes(damaged[: data.draw(st.integers(0, len(damaged)))])
    result = read_embedded_text(cut_file)
    assert result is None or result == read_embedded_text(small_picture())
