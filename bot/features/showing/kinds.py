"""The table of what is said about each kind of game: the only place on this floor that knows all of them."""

from __future__ import annotations

from typing import Any

from bot.domain.notations import CHESS, CROSSWORD, Document, kind_of
from bot.features.showing.chess.kind import ANSWERS as CHESS_ANSWERS
from bot.features.showing.crossword.kind import ANSWERS as CROSSWORD_ANSWERS
from bot.features.showing.kind import KindAnswers

_ANSWERS: dict[str, KindAnswers[Any]] = {CROSSWORD.name: CROSSWORD_ANSWERS, CHESS.name: CHESS_ANSWERS}


def answers_of(document: Document) -> KindAnswers[Any]:
    """Return the answers for a document's kind of game."""
    return _ANSWERS[kind_of(document).name]
