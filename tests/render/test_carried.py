"""The text in a picture: read back whole, bounded, and noticed to be stale when the picture is another."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from render import carried
from render.board import draw_board
from render.chessboard import draw_chessboard
from render.encode import encode_png
from tests.render.samples import GAME, MATE

TEXT = "cgp 15/15 ÄẞŁ·Ł"
PALETTE = [(0, 0, 0), (200, 30, 40), (255, 255, 255)]


def small(text: str = TEXT) -> bytes:
    """Return a picture of 3 × 2 pixels that carries a text."""
    content = carried.write(text, bytes([0, 1, 2, 2, 1, 0]), 3, 2, PALETTE)
    return encode_png(bytes([0, 0, 1, 2, 0, 2, 1, 0]), 3, 2, PALETTE, text=content)


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def with_chunk(kind: bytes, content: bytes) -> bytes:
    """Return a picture with one chunk more after its header."""
    plain = small_plain()
    return plain[:33] + chunk(kind, content) + plain[33:]


def small_plain() -> bytes:
    return encode_png(bytes([0, 0, 1, 2, 0, 2, 1, 0]), 3, 2, PALETTE)


@pytest.mark.parametrize(("draw", "scene"), [(draw_board, GAME), (draw_chessboard, MATE)])
def test_a_picture_carries_its_text_and_shows_the_same(draw, scene):
    data = draw(replace(scene, carried=TEXT)).data
    told = carried.read(data)
    assert told.text == TEXT
    assert told.is_of(opened(data))
    bare = draw(scene).data
    assert carried.read(bare) is None
    assert opened(bare).convert("RGB").tobytes() == opened(data).convert("RGB").tobytes()


def test_a_picture_saved_anew_without_loss_is_still_the_same():
    picture, told = opened(small()), carried.read(small())
    text = opened(small()).info["Kibitz"]
    for kind in ("P", "RGB", "RGBA"):
        info, stream = PngInfo(), io.BytesIO()
        info.add_text("Kibitz", str(text), zip=kind == "RGB")
        picture.convert(kind).save(stream, "PNG", pnginfo=info)
        again = carried.read(stream.getvalue())
        assert again == told
        assert again.is_of(opened(stream.getvalue()))


def test_a_changed_pixel_is_noticed():
    picture = opened(small()).convert("RGB")
    told = carried.read(small())
    picture.putpixel((1, 1), (190, 30, 40))
    assert not told.is_of(picture)
    assert not told.is_of(opened(small()).resize((2, 3)))


def test_what_is_too_long_is_not_written():
    with pytest.raises(ValueError, match="8192 bytes"):
        carried.write("x" * 8_193, b"\0", 1, 1, PALETTE)
    long = "x" * 8_192
    assert carried.read(small(long)).text == long


def test_a_bomb_is_not_unpacked():
    bomb = zlib.compress(b"0" * 32 + b" " + b"x" * 50_000_000, 9)
    for content in (b"\1\0\0\0" + bomb, b"\0\0\0\0" + b"y" * 20_000):
        assert carried.read(with_chunk(b"iTXt", b"Kibitz\0" + content)) is None
    assert carried.read(with_chunk(b"zTXt", b"Kibitz\0\0" + bomb[:8_000])) is None


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
    assert carried.read(with_chunk(kind, content)) is None


@given(st.data())
def test_a_damaged_file_is_read_as_it_was_or_not_at_all(data):
    whole = bytearray(small())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    told = carried.read(cut)
    assert told is None or told == carried.read(small())


def test_ever_so_many_chunks_end_the_search():
    plain = small()
    many = plain[:33] + chunk(b"tEXt", b"a\0") * 5_000 + plain[33:]
    assert carried.read(many) is None
