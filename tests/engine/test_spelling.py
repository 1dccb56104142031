"""Words as people type them, spelled with the tiles of a distribution."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.rules import distribution_names, load_distribution
from bot.domain.reading.problems import ParseError
from bot.engine.lexicon.spelling import speller


@pytest.mark.parametrize(
    ("distribution", "word", "tiles"),
    [
        ("english", "cafe", "C A F E"),
        ("english", "Café", "C A F E"),
        ("english", "cafe\N{COMBINING ACUTE ACCENT}", "C A F E"),
        ("spanish", "llama", "LL A M A"),
        ("spanish", "Llama", "LL A M A"),
        ("spanish", "[l][l]ama", "L L A M A"),
        ("spanish", "PERRO", "P E RR O"),
        ("spanish", "[CH]ucho", "CH U CH O"),
        ("spanish", "canción", "C A N C I O N"),
        ("spanish", "ñandú", "Ñ A N D U"),
        ("catalan", "col·legi", "C O L·L E G I"),
        ("catalan", "COL\N{BULLET}LEGI", "C O L·L E G I"),
        ("catalan", "co\N{LATIN SMALL LETTER L WITH MIDDLE DOT}legi", "C O L·L E G I"),
        ("catalan", "companyies", "C O M P A NY I E S"),
        ("turkish", "ışık", "I Ş I K"),
        ("turkish", "iğne", "İ Ğ N E"),
        ("german", "straße", "S T R A S S E"),
        ("greek", "λόγος", "Λ Ο Γ Ο Σ"),
        ("polish", "żółw", "Ż Ó Ł W"),
        ("korean", "강", "ᄀ ᅡ ᆼ"),
        ("korean", "안녕", "ᆼ ᅡ ᄂ ᄂ ᅧ ᆼ"),
    ],
)
def test_typed_words_are_spelled_with_tiles(distribution, word, tiles):
    distribution = load_distribution(distribution)
    spelled = speller(distribution).spell(word)
    assert [distribution.text(tile) for tile in spelled] == tiles.split(" ")


@pytest.mark.parametrize(("word", "column"), [("hel1o", 7), ("WÜRD?", 8), ("[CH]", 4), ("日本", 4)])
def test_an_unknown_character_is_reported_with_its_location(word, column):
    with pytest.raises(ParseError) as caught:
        speller(load_distribution("english")).spell(word, line=3, column=4)
    assert (caught.value.code, caught.value.line, caught.value.column) == ("unknown-tile", 3, column)


@pytest.mark.parametrize("name", distribution_names())
@given(data=st.data())
@settings(deadline=None)
def test_words_written_tile_by_tile_in_brackets_can_be_read(name, data):
    distribution = load_distribution(name)
    tiles = st.integers(1, len(distribution.letters) - 1)
    word = bytes(data.draw(st.lists(tiles, min_size=1, max_size=20)))
    written = "".join(f"[{distribution.text(tile)}]" for tile in word)
    assert speller(distribution).spell(written) == word
    blanks = "".join(f"[{distribution.text(-tile).strip('[]')}]" for tile in word)
    assert speller(distribution).spell(blanks) == word


@given(word=st.text(max_size=60))
@settings(deadline=None)
def test_any_text_is_spelled_or_refused(word):
    for name in ("english", "catalan", "korean"):
        with suppress(ParseError):
            assert len(speller(load_distribution(name)).spell(word)) <= 4 * len(word)
