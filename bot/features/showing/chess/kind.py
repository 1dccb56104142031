"""Chess as a kind of game to be answered about."""

from __future__ import annotations

from bot.domain.chess.documents import ChessGame
from bot.domain.notations import ChessDocument
from bot.features.showing.chess.form import chess_form, chess_text
from bot.features.showing.chess.game import answer_chess_replay
from bot.features.showing.chess.position import chess_drawing, chess_facts, chess_line, chess_to_copy
from bot.features.showing.chess.viewer import (
    answer_chess,
    answer_chess_conversion,
    answer_posted,
    brief_words,
)
from bot.features.showing.kind import KindAnswers
from bot.features.showing.remarks import remarks

ANSWERS: KindAnswers[ChessDocument] = KindAnswers(
    line=chess_line,
    drawing=chess_drawing,
    to_copy=lambda item: chess_to_copy(item.chess, item.text),
    remarks=remarks,
    facts=lambda item: chess_facts(item.chess),
    turns=lambda document: len(document.turns) if isinstance(document, ChessGame) else 0,
    brief=brief_words,
    copied="fen",
    posted=answer_posted,
    show=answer_chess,
    chart=lambda *_: None,
    replay=answer_chess_replay,
    form=chess_form,
    filled=chess_text,
    convert=answer_chess_conversion,
)
