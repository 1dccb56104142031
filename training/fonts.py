"""Rebuilds the shipped font subsets and ``coverage.json``: ``python -m training.fonts EMOJI``.

It requires fontTools and the Debian packages ``fonts-noto-core``, ``fonts-noto-extra``, ``fonts-noto-cjk`` and
``fonts-dejavu-core``. EMOJI is the path of ``noto-emoji-emoji-700-normal.woff`` in the npm package ``@fontsource/noto-emoji``
(5.3.2). ``coverage.json`` contains the code points of each file, because Pillow cannot list them.

The subsets leave out scripts that need a shaping engine (Devanagari and its relatives), about ten thousand rarer ideographs and
Korean syllables, and emoji that are rare in names.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

FONT_FOLDER = Path(__file__).parents[1] / "render" / "assets" / "fonts"
SYSTEM_FONT_FOLDER = Path("/usr/share/fonts")

_LATIN_GREEK_CYRILLIC = (
    (0x20, 0x7E),
    (0xA0, 0x2AF),  # Latin-1, Extended-A and -B, the phonetic alphabet
    (0x2B0, 0x2FF),  # modifier letters, which people use in names
    (0x370, 0x3FF),  # Greek
    (0x400, 0x52F),  # Cyrillic
    (0x1D00, 0x1DBF),  # small capitals and other phonetic letters, popular in names
    (0x1E00, 0x1EFF),  # Latin Extended Additional (Vietnamese among others)
    (0x2010, 0x2027),
    (0x2030, 0x205E),
    (0x2070, 0x209F),
    (0x20A0, 0x20BF),
    (0x2100, 0x218B),
    (0xFFFD, 0xFFFD),
)
_ARMENIAN_GEORGIAN_SYMBOLS = (
    (0x530, 0x58F),  # Armenian
    (0x10A0, 0x10FF),  # Georgian
    (0x2190, 0x21FF),  # arrows
    (0x25A0, 0x27BF),  # shapes, symbols, dingbats
    (0x2B00, 0x2B59),
)
_HEBREW = ((0x5BE, 0x5BE), (0x5D0, 0x5F4))
_ARABIC = (
    (0x60C, 0x60C),
    (0x61B, 0x61B),
    (0x61F, 0x64A),
    (0x660, 0x66F),
    (0x671, 0x6D5),
    (0x6EE, 0x6FF),
    (0xFB50, 0xFBFF),  # contextual letter shapes, because OpenType features are not used
    (0xFE80, 0xFEFC),
)
_THAI = ((0xE01, 0xE5B),)
_KANA = ((0x3001, 0x301F), (0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF5F, 0xFF9F))
_JAMO = ((0x3131, 0x318E),)
_EMOJI = (
    (0x1F300, 0x1F320),  # weather
    (0x1F330, 0x1F393),  # plants, food, parties
    (0x1F3A0, 0x1F3C6),  # arts and sports
    (0x1F400, 0x1F4AF),  # animals, people, hearts
    (0x1F4D6, 0x1F4DA),  # books
    (0x1F525, 0x1F525),
    (0x1F52E, 0x1F52E),
    (0x1F5A4, 0x1F5A4),
    (0x1F600, 0x1F64F),  # faces
    (0x1F680, 0x1F680),
    (0x1F90D, 0x1F93A),
    (0x1F940, 0x1F9AE),  # more food and animals
    (0x1F9E0, 0x1F9E9),
)


def _standard_characters(
    codec: str, first_bytes: Iterable[int], second_bytes: Iterable[int]
) -> tuple[tuple[int, int], ...]:
    """Return the characters of a two-byte national standard, as runs of code points."""
    texts = (bytes(pair).decode(codec, errors="ignore") for pair in product(first_bytes, second_bytes))
    return tuple(_runs(sorted({ord(text) for text in texts if len(text) == 1})))


@dataclass(frozen=True, slots=True)
class Subset:
    """A shipped file, its source font, and the inclusive ranges of code points that it keeps."""

    file: str
    source: str
    ranges: tuple[tuple[int, int], ...]
    face_index: int = -1
    """The index of the face in a font collection; -1 for a plain font."""
    keeps_hints: bool = True
    """Whether to keep hints, which make small letters sharp."""


def _runs(code_points: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for code_point in code_points:
        if runs and runs[-1][1] == code_point - 1:
            runs[-1] = (runs[-1][0], code_point)
        else:
            runs.append((code_point, code_point))
    return runs


def write_subset(subset: Subset) -> list[tuple[int, int]]:
    """Write a file. Return the inclusive ranges of code points that it contains."""
    # fontTools has no type hints, so it is imported through importlib.
    subset_module = importlib.import_module("fontTools.subset")
    font = importlib.import_module("fontTools.ttLib").TTFont(
        SYSTEM_FONT_FOLDER / subset.source, fontNumber=subset.face_index
    )
    font.flavor = None
    code_points = {code_point for low, high in subset.ranges for code_point in range(low, high + 1)}
    options = subset_module.Options()
    # Pillow's basic layout ignores OpenType features.
    options.layout_features = []
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "BASE", "vhea", "vmtx", "VORG"]
    options.hinting = subset.keeps_hints
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    subsetter = subset_module.Subsetter(options)
    subsetter.populate(unicodes=code_points)
    subsetter.subset(font)
    # The same source must give the same bytes.
    font.recalcTimestamp = False
    font.save(FONT_FOLDER / subset.file)
    return _runs(sorted(code_points & set(font.getBestCmap())))


def subsets(emoji: str) -> tuple[Subset, ...]:
    """Return the shipped files, in the order in which :mod:`render.fonts` tries them."""
    columns, big5_columns = range(0xA1, 0xFF), (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    syllables = _standard_characters("euc_kr", range(0xB0, 0xC9), columns)  # KS X 1001
    ideographs = (
        *_standard_characters("euc_jp", range(0xB0, 0xD0), columns),  # JIS X 0208, level 1
        *_standard_characters("gb2312", range(0xB0, 0xD8), columns),  # GB 2312, level 1
        *_standard_characters("big5", range(0xA4, 0xC7), big5_columns),  # Big5, level 1
    )
    cjk = (*_KANA, *_JAMO, *syllables, *ideographs)
    return (
        Subset("noto-sans-bold.ttf", "truetype/noto/NotoSans-Bold.ttf", _LATIN_GREEK_CYRILLIC),
        Subset("noto-sans-medium.ttf", "truetype/noto/NotoSans-Medium.ttf", _LATIN_GREEK_CYRILLIC),
        Subset("dejavu-sans-bold.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf", _ARMENIAN_GEORGIAN_SYMBOLS),
        Subset("noto-sans-hebrew-bold.ttf", "truetype/noto/NotoSansHebrew-Bold.ttf", _HEBREW),
        Subset("noto-sans-arabic-bold.ttf", "truetype/noto/NotoSansArabic-Bold.ttf", _ARABIC),
        Subset("noto-sans-thai-bold.ttf", "truetype/noto/NotoSansThai-Bold.ttf", _THAI),
        # Hints would make the largest file a fifth larger, and would hardly change characters with many strokes.
        Subset(
            "noto-sans-cjk-bold.otf",
            "opentype/noto/NotoSansCJK-Bold.ttc",
            cjk,
            face_index=0,
            keeps_hints=False,
        ),
        Subset("noto-emoji-bold.ttf", emoji, _EMOJI, keeps_hints=False),
    )


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        sys.exit("usage: python -m training.fonts EMOJI")
    FONT_FOLDER.mkdir(exist_ok=True)
    coverage = {subset.file: write_subset(subset) for subset in subsets(str(Path(arguments[0]).resolve()))}
    lines = ",\n".join(f" {json.dumps(file)}: {json.dumps(runs)}" for file, runs in coverage.items())
    (FONT_FOLDER / "coverage.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    for file, runs in coverage.items():
        size = (FONT_FOLDER / file).stat().st_size
        print(f"{file}: {sum(high - low + 1 for low, high in runs)} characters, {size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
