"""Crossword games as a kind of game to be answered about."""

from __future__ import annotations

from bot.domain.crossword.game import Game
from bot.domain.notations import CrosswordDocument
from bot.features.showing.crossword.facts import crossword_facts
from bot.features.showing.crossword.form import crossword_form, crossword_text
from bot.features.showing.crossword.position import (
    brief_words,
    canonical_to_copy,
    crossword_drawing,
    crossword_line,
    crossword_remarks,
)
from bot.features.showing.crossword.viewer import (
    answer_chart,
    answer_game_conversion,
    answer_moment,
    answer_posted_game,
    answer_replay,
)
from bot.features.showing.kind import KindAnswers

ANSWERS: KindAnswers[CrosswordDocument] = KindAnswers(
    line=crossword_line,
    drawing=crossword_drawing,
    to_copy=canonical_to_copy,
    remarks=crossword_remarks,
    facts=crossword_facts,
    turns=lambda document: len(document.turns) if isinstance(document, Game) else 0,
    brief=brief_words,
    copied="cgp",
    posted=answer_posted_game,
    show=answer_moment,
    chart=answer_chart,
    replay=answer_replay,
    form=crossword_form,
    filled=crossword_text,
    convert=answer_game_conversion,
)
