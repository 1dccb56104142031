"""A sixel decoder, written from the specification, recovers the pixels of a picture."""

from __future__ import annotations

import re
from io import BytesIO

from hypothesis import given, strategies as st
from PIL import Image

from render.sixel import to_sixels


def decode(text):
    """Return the size of a sixel picture, and its pixels as percentages of red, green and blue."""
    body = re.fullmatch(r"\x1bP0;1q(.*)\x1b\\", text, re.DOTALL)[1]
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    palette, pixels = {}, {}
    x = y = colour = 0
    for match in re.finditer(
        r'#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)|"[\d;]+', body
    ):
        register, red, green, blue, chosen, length, repeated, single, back, down = match.groups()
        if register:
            palette[int(register)] = (int(red), int(green), int(blue))
        elif chosen:
            colour = int(chosen)
        elif repeated or single:
            bits = ord(repeated or single) - 63
            for _ in range(int(length or 1)):
                for bit in range(6):
                    if bits >> bit & 1:
                        pixels[x, y + bit] = palette[colour]
                x += 1
        elif back or down:
            x, y = 0, y + (6 if down else 0)
    return (width, height), pixels


@given(st.integers(1, 20), st.integers(1, 20), st.randoms(use_true_random=False))
def test_every_pixel_is_recovered(width, height, random):
    colours = [(0, 0, 0), (255, 255, 255), (200, 40, 90), (10, 160, 200)]
    picture = Image.new("RGB", (width, height))
    picture.putdata([random.choice(colours) for _ in range(width * height)])
    file = BytesIO()
    picture.save(file, "PNG")
    size, pixels = decode(to_sixels(file.getvalue()))
    assert size == (width, height)
    expected = {
        (x, y): tuple(round(part * 100 / 255) for part in picture.getpixel((x, y)))
        for x in range(width)
        for y in range(height)
    }
    assert pixels == expected
