from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given

from render.fonts import ELLIPSIS, REPLACEMENT, Font, glyph, printable, shorten, text_width

from .scenes import texts

FONT = Font(24)
ALPHABETS = Path(__file__).parents[2] / ".." / "shared" / "data" / "letter_distributions"


def letters() -> list[str]:
    """Every tile of every letter distribution that lies beside the project."""
    found: dict[str, None] = {}
    for path in sorted(ALPHABETS.glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as lines:
            found.update(dict.fromkeys(row["tile"] for row in csv.DictReader(lines, delimiter="\t")))
    return list(found)


@pytest.mark.skipif(
    not ALPHABETS.is_dir(), reason="the shared letter distributions are not beside the project"
)
def test_every_alphabet_can_be_drawn():
    assert len(letters()) > 100
    for letter in letters():
        drawn = printable(letter)
        assert drawn
        assert REPLACEMENT not in drawn
        assert all(glyph(char, FONT).mask is not None for char in drawn), letter


@pytest.mark.parametrize("letter", "ÄÇĞİŞŁŻÑÆØÅČŠŽΩЦЩЪҢӨҮ·")
def test_letters_of_the_alphabets_are_in_the_fonts(letter: str):
    assert printable(letter) == letter


@given(texts)
def test_a_shortened_text_fits(text: str):
    drawn = printable(text)
    for width in (0, 10, 40, 150):
        short = shorten(drawn, FONT, width)
        assert text_width(short, FONT) <= width
        assert short == drawn or not short or short.endswith(ELLIPSIS)
