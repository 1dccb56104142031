"""Damaged chess texts are read, written in every notation, described in words, and searched.

The mutations come from :mod:`tests.domain.crossword.notations.test_mutations`.
"""

from functools import partial
from typing import Any

import pytest

from bot.chat.card import ReplyContext
from bot.domain.chess.documents import NOTATION_LABELS
from bot.domain.notations import NOTATIONS, convert, detect
from bot.domain.reading.problems import ConversionError, Reading
from bot.features.showing.chess.viewer import document_drawing, document_line
from bot.features.showing.findings import FoundDocument
from bot.text import translator
from tests.domain.chess.test_book import ALEKHINE
from tests.domain.chess.test_convert import BOOK, ENDGAME, SOURCES
from tests.domain.chess.test_pgn import GAME
from tests.domain.chess.test_puzzles import FILE
from tests.domain.crossword.notations.test_mutations import (
    Target,
    check_location,
    for_each_target,
    try_mutations,
)

TEXTS_IN_LONG_RUN = 200_000
translate = translator("en")

EPD = '4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 5; fmvn 39; bm e4; id "x; y"; c0 "a";'
ORIGINALS = {
    "fen": [ENDGAME, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"],
    "epd": [EPD],
    "pgn": [GAME, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O", f'[FEN "{ENDGAME}"]\n1. e4 Ke7'],
    "uci": ["e2e4 e7e5 g1f3", f"position fen {ENDGAME} moves e2e4"],
    "puzzles": [FILE],
    "book": [ALEKHINE, BOOK],
    "json": [convert(document, "json").text for document in SOURCES.values()],
}


def notation_check(name):
    def attempt(text):
        for detection in detect(text):
            assert detection.text.strip()
        reading: Reading[Any] = NOTATIONS[name].read(text)
        for warning in reading.warnings:
            check_location(warning, text)
        if reading.error is not None:
            check_location(reading.error, text)
        assert document_line(FoundDocument("fen", "", reading.value), translate)
        assert (
            len(
                document_drawing(
                    FoundDocument("fen", "", reading.value), ReplyContext(translate=translate)
                ).alt
            )
            <= 1024
        )
        for to in NOTATION_LABELS:
            try:
                conversion = convert(reading.value, to)
            except ConversionError:
                continue
            assert all(loss.message for loss in conversion.losses)
            if to == name:
                reread: Any = NOTATIONS[to].read(conversion.text).value
                assert convert(reread, to).text == conversion.text

    return attempt


TARGETS = tuple(
    Target(name, notation_check(name), partial(ORIGINALS.__getitem__, name), 1 / len(ORIGINALS))
    for name in ORIGINALS
)


@for_each_target(TARGETS)
@pytest.mark.parametrize(
    "count", [150, pytest.param(TEXTS_IN_LONG_RUN // len(ORIGINALS), marks=pytest.mark.long)]
)
def test_mutated_texts_are_read_or_rejected(target, count):
    try_mutations(target, count, seed=31)


def test_the_undamaged_texts_pass_all_checks():
    for target in TARGETS:
        for text in target.originals():
            target.attempt(text)
