"""Rebuild the shipped font subsets: ``python -m render.assets.build``.

Needs fontTools and the full fonts, which Debian packages as ``fonts-noto-core``, ``fonts-noto-extra``,
``fonts-noto-cjk`` and ``fonts-dejavu-core``. Nothing of this runs in the bot; the subsets are committed. Beside
them goes ``coverage.json``: which code points each file has, because Pillow cannot be asked.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path

FONTS = Path(__file__).parent / "fonts"
SYSTEM = Path("/usr/share/fonts")

_LATIN_GREEK_CYRILLIC = (
    (0x20, 0x7E),
    (0xA0, 0x24F),  # Latin-1, Extended-A and -B
    (0x2B0, 0x2FF),  # modifier letters, which people put into names
    (0x370, 0x3FF),  # Greek
    (0x400, 0x52F),  # Cyrillic with its supplement
    (0x1E00, 0x1EFF),  # Latin Extended Additional (Vietnamese among others)
    (0x2010, 0x2027),
    (0x2030, 0x205E),
    (0x2070, 0x209F),
    (0x20A0, 0x20BF),
    (0x2100, 0x218B),
    (0x2212, 0x2212),
    (0xFFFD, 0xFFFD),
)
_SYMBOLS = (
    (0x530, 0x58F),  # Armenian
    (0x10A0, 0x10FF),  # Georgian
    (0x2190, 0x21FF),  # arrows
    (0x25A0, 0x27BF),  # shapes, symbols, dingbats
    (0x2B00, 0x2B59),
)
_JAMO = ((0x3131, 0x3163),)


@dataclass(frozen=True, slots=True)
class Subset:
    """One shipped file: which font it is cut from, and which ranges of code points (inclusive) it keeps."""

    file: str
    source: str
    ranges: tuple[tuple[int, int], ...]
    face: int = -1
    """The face's number in a font collection; -1 for a plain font."""


SUBSETS = (
    Subset("noto-sans-bold.ttf", "truetype/noto/NotoSans-Bold.ttf", _LATIN_GREEK_CYRILLIC),
    Subset("noto-sans-medium.ttf", "truetype/noto/NotoSans-Medium.ttf", _LATIN_GREEK_CYRILLIC),
    Subset("dejavu-sans-bold.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf", _SYMBOLS),
    Subset("noto-sans-kr-bold.otf", "opentype/noto/NotoSansCJK-Bold.ttc", _JAMO, face=1),
)


def _runs(points: list[int]) -> list[tuple[int, int]]:
    """Join sorted code points into inclusive runs."""
    runs: list[tuple[int, int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1] = (runs[-1][0], point)
        else:
            runs.append((point, point))
    return runs


def cut(subset: Subset) -> list[tuple[int, int]]:
    """Write one subset into :data:`FONTS`; return the runs of code points it really has."""
    # By name, because fontTools ships no types and is wanted here alone.
    subset_module = importlib.import_module("fontTools.subset")
    font = importlib.import_module("fontTools.ttLib").TTFont(SYSTEM / subset.source, fontNumber=subset.face)
    wanted = {point for low, high in subset.ranges for point in range(low, high + 1)}
    options = subset_module.Options()
    # Pillow's basic layout reads no OpenType features, so their tables would be dead weight; hints keep
    # small text sharp.
    options.layout_features = []
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "vhea", "vmtx", "VORG"]
    options.hinting = True
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    subsetter = subset_module.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    # A fixed time stamp: the same source gives the same bytes.
    font.recalcTimestamp = False
    font.save(FONTS / subset.file)
    return _runs(sorted(wanted & set(font.getBestCmap())))


def main() -> None:
    """Cut every subset and note what each covers."""
    FONTS.mkdir(exist_ok=True)
    coverage = {subset.file: cut(subset) for subset in SUBSETS}
    lines = ",\n".join(f" {json.dumps(file)}: {json.dumps(runs)}" for file, runs in coverage.items())
    (FONTS / "coverage.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    for file, runs in coverage.items():
        size = (FONTS / file).stat().st_size
        print(f"{file}: {sum(high - low + 1 for low, high in runs)} characters, {size:,} bytes")


if __name__ == "__main__":
    main()
