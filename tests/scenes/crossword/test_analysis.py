"""The picture of an analysis: the best play as ghost tiles, and marks on phonies."""

import pytest

from bot.chat.card import Moment, ReplyContext
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.play import THROUGH
from bot.engine.lexicon.lexica import Lexica
from bot.features.analysis.crossword.analyze import analyze_position
from bot.features.analysis.crossword.card import analysis_card
from bot.features.analysis.crossword.request import AnalysisRequest
from bot.jobs.queue import JobControl
from render.scene import Mark

ROWS = f"{'/'.join(['15'] * 7)}/4ZZZ8/{'/'.join(['15'] * 7)} AEINRST/ 0/0 0"


@pytest.mark.parametrize(("opcodes", "is_marked"), [(" lex CROSSWD;", True), ("", False)])
def test_phonies_are_marked_only_if_the_position_names_its_lexicon(opcodes, is_marked):
    position = cgp.read(ROWS + opcodes).value
    result = analyze_position(
        AnalysisRequest(position, preferred_lexica=("CROSSWD",)), Lexica(), JobControl()
    )
    [drawing] = analysis_card(result, Moment("d" * 22, 0), ReplyContext()).drawings
    phony_squares = {index for index, mark in enumerate(drawing.scene.marks) if mark is Mark.PHONY}
    ghost_squares = {index for index, mark in enumerate(drawing.scene.marks) if mark is Mark.GHOST}
    assert phony_squares == ({7 * 15 + column for column in (4, 5, 6)} if is_marked else set())
    best = result.plays[0].play
    squares_and_tiles = zip(best.squares(), best.tiles, strict=True)
    assert ghost_squares == {
        row * 15 + column for (row, column), tile in squares_and_tiles if tile != THROUGH
    }
