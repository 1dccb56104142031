from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from bot.domain.crossword.rules import distribution_names, load_distribution
from render.drawing import text_mask
from render.fonts import (
    ELLIPSIS,
    REPLACEMENT,
    Font,
    ascent,
    covered_code_points,
    descent,
    glyph,
    is_raised,
    printable_text,
    shape_arabic,
    shorten,
    text_width,
    visual_order,
)
from tests.render.strategies import texts

FONT = Font(24)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("ᄀ", "ㄱ"),
        ("ᆼ", "ㅇ"),
        ("ᅱ", "ㅟ"),
        ("가", "가"),
        ("뷁", "ㅂㅞㄺ"),
        ("A\u030a", "Å"),
        ("one\ntwo\tthree", "one two three"),
        ("\u202eabc\u0000", "abc"),
        ("\u200b\u2066", REPLACEMENT),
        ("  ", ""),
        ("𝓐①", "A1"),
        ("ａｌｉｃｅ", "alice"),
        ("日本", "日本"),
        ("たなかカ゛", "たなかカ゛"),
        ("נמש", "נמש"),
        ("שָׁלוֹם", "שלום"),
        ("नम", REPLACEMENT * 2),
        ("꧁༺alice༻꧂", "alice"),
        ("🔥alice 👍🏽", "🔥alice 👍"),
        ("🇫🇷", "FR"),
        ("🅰", "A"),
        ("👨‍👩‍👧", "👨👩👧"),
        ("1\ufe0f\u20e3", "1"),
        ("\U0001faf8", REPLACEMENT),
        ("𞹡", "ﺏ"),
        ("\ud800", REPLACEMENT),
        ("", ""),
    ],
)
def test_text_is_drawn_with_available_glyphs(text: str, drawn: str):
    assert printable_text(text) == drawn


@pytest.mark.parametrize(
    "script", ["אבגדהוזחטיכלמנסעפצקרשתךםןףץ", "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىپچژگکی"]
)
def test_every_letter_of_these_scripts_has_a_glyph(script: str):
    for letter in script:
        assert REPLACEMENT not in printable_text(letter)
        assert glyph(printable_text(letter), FONT).mask is not None


@pytest.mark.parametrize(
    ("codec", "rows", "count"),
    [
        ("euc_jp", range(0xB0, 0xD0), 2965),
        ("gb2312", range(0xB0, 0xD8), 3755),
        ("euc_kr", range(0xB0, 0xC9), 2350),
    ],
)
def test_the_common_east_asian_characters_have_glyphs(codec: str, rows: range, count: int):
    # The level 1 characters of the national standards, taken from Python's codecs.
    characters = {
        char
        for row in rows
        for column in range(0xA1, 0xFF)
        if len(char := bytes((row, column)).decode(codec, errors="ignore")) == 1
    }
    assert len(characters) == count
    assert {ord(char) for char in characters} <= covered_code_points()


def test_long_text_is_cut():
    assert len(printable_text("x" * 1_000_000)) == 400
    ligatures = printable_text("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 400)
    assert len(ligatures) <= 400
    assert printable_text(ligatures) == ligatures


@given(texts)
def test_printable_text_is_unchanged(text: str):
    assert printable_text(printable_text(text)) == printable_text(text)


arabic = st.text(st.sampled_from("ابجدلمنهويىپگءآأ ـ\u064e\u200c\u200da1٣"), max_size=14)


@given(arabic)
def test_printable_arabic_text_is_unchanged(text: str):
    assert printable_text(printable_text(text)) == printable_text(text)


@given(arabic)
@example("\u200dلآ")
@example("\u200dلآء")
def test_shaping_keeps_every_arabic_letter(text: str):
    # Unicode's compatibility mapping turns the shapes back into letters.
    unmarked = "".join(char for char in text if unicodedata.category(char) != "Mn")
    # The zero-width joiner is not a letter.
    shaped, letters = shape_arabic(text).replace("\u200d", ""), unmarked.replace("\u200d", "")
    assert unicodedata.normalize("NFKC", shaped) == unicodedata.normalize("NFKC", letters)


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("محمد", "INITIAL MEDIAL MEDIAL FINAL"),
        ("علي", "INITIAL MEDIAL FINAL"),
        ("دار", "ISOLATED ISOLATED ISOLATED"),
        ("پرویز", "INITIAL FINAL ISOLATED INITIAL FINAL"),
        ("بلا", "INITIAL FINAL"),
        ("لا", "ISOLATED"),
        ("بَت", "INITIAL FINAL"),
        ("ب\u200cت", "ISOLATED - ISOLATED"),
    ],
)
def test_arabic_letters_take_their_contextual_shapes(text: str, shapes: str):
    names = [unicodedata.name(char) for char in shape_arabic(text)]
    found_shapes = [name.rsplit(" ", 2)[1] if name.endswith("FORM") else "-" for name in names]
    assert found_shapes == shapes.split()


@pytest.mark.parametrize(
    ("text", "displayed"),
    [
        ("alice", "alice"),
        ("אבג", "גבא"),
        ("abc אבג", "abc גבא"),
        ("אבג abc", "abc גבא"),
        ("אבג 335", "335 גבא"),
        ("abc אב 12 גד ef", "abc דג 12 בא ef"),
        ("(אב)", "(בא)"),
        ("אב (abc)", "(abc) בא"),
        ("א×3", "3×א"),
        ("אב -12%", "12%- בא"),
        ("م 1,5", "1,5 م"),
        ("", ""),
    ],
)
def test_text_is_put_into_visual_order(text: str, displayed: str):
    assert visual_order(text) == displayed


@given(st.text(st.sampled_from("abאבם12٣ +-,.%(«"), max_size=20))
def test_the_visual_order_keeps_every_character(text: str):
    mirrored = str.maketrans(")»", "(«")
    assert sorted(visual_order(text).translate(mirrored)) == sorted(text.translate(mirrored))


@pytest.mark.parametrize("px", [18, *(pytest.param(px, marks=pytest.mark.long) for px in (9, 25, 40))])
def test_no_glyph_extends_beyond_its_line(px: int):
    font = Font(px)
    for point in covered_code_points():
        drawn = glyph(chr(point), font)
        if drawn.mask is not None:
            assert drawn.top >= -ascent(font)
            assert drawn.top + drawn.mask.height <= max(descent(font), drawn.mask.height - ascent(font))


@pytest.mark.parametrize(("text", "raised"), [("ที่", [2]), ("ไก่", []), ("น้ำ", [1]), ("กา", []), ("่", [])])
def test_tone_marks_are_raised_above_vowels(text: str, raised: list[int]):
    assert [index for index in range(len(text)) if is_raised(text, index)] == raised


@given(st.text(st.sampled_from("ที่น้ำaב محд日"), max_size=12).map(printable_text))
def test_the_mask_of_a_line_has_the_width_of_its_text(text: str):
    assert text_mask(text, FONT).width == max(1, text_width(text, FONT))


@pytest.mark.long
def test_printable_characters_stay_printable():
    # Neighbours affect shapes, so each character is doubled.
    for start in range(0, 0x110000, 4):
        drawn = printable_text("".join(chr(point) * 2 for point in range(start, start + 4)))
        assert printable_text(drawn) == drawn, hex(start)


@pytest.mark.parametrize("distribution", distribution_names())
def test_every_letter_of_a_distribution_can_be_drawn(distribution: str):
    for letter in load_distribution(distribution).letters:
        drawn = printable_text(letter.text)
        assert drawn
        assert REPLACEMENT not in drawn
        assert all(glyph(char, FONT).mask is not None for char in drawn), letter


@pytest.mark.parametrize("letter", "ÄÇĞİŞŁŻÑÆØÅČŠŽΩЦЩЪҢӨҮ·")
def test_latin_greek_and_cyrillic_letters_are_in_the_fonts(letter: str):
    assert printable_text(letter) == letter


@given(texts)
def test_shortened_text_fits(text: str):
    drawn = printable_text(text)
    for width in (0, 10, 40, 150):
        short = shorten(drawn, FONT, width)
        assert text_width(short, FONT) <= width
        assert short == drawn or not short or short.endswith(ELLIPSIS)
