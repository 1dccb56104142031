from __future__ import annotations

import zlib

import png
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render import encode
from render.encode import Compression, encode_png


@given(
    st.integers(1, 40), st.integers(1, 40), st.randoms(use_true_random=False), st.sampled_from(Compression)
)
def test_an_independent_reader_finds_the_same_pixels(width, height, random, compression):
    colours = [(random.randrange(256), random.randrange(256), random.randrange(256)) for _ in range(200)]
    rows = [bytes(random.randrange(200) for _ in range(width)) for _ in range(height)]
    data = encode_png(b"".join(b"\0" + row for row in rows), width, height, colours, compression)
    read_width, read_height, pixels, info = png.Reader(bytes=data).read()
    assert (read_width, read_height) == (width, height)
    assert info["palette"] == colours
    assert [bytes(row) for row in pixels] == rows


def test_rows_of_the_wrong_length_are_refused():
    with pytest.raises(ValueError, match=r"7 bytes are not 2 rows of 1 \+ 3"):
        encode_png(bytes(7), 3, 2, [(0, 0, 0)])


@pytest.mark.parametrize("count", [0, 257])
def test_an_impossible_palette_is_refused(count: int):
    with pytest.raises(ValueError, match="1 to 256 colours"):
        encode_png(bytes(8), 3, 2, [(0, 0, 0)] * count)


def test_without_the_optional_encoders_the_standard_one_serves():
    assert encode._best(("no_such_module_anywhere", 3)) is None
    compress, level = encode._COMPRESS[Compression.STANDARD]
    assert (compress, level) == (zlib.compress, 6)
