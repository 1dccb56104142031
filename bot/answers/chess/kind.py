"""Chess as a kind of game to be answered about."""

from __future__ import annotations

from bot.answers.chess.form import chess_form, chess_text
from bot.answers.chess.game import answer_chess_replay
from bot.answers.chess.position import chess_drawing, chess_facts, chess_line, chess_to_copy
from bot.answers.chess.viewer import (
    answer_chess,
    answer_chess_conversion,
    answer_posted,
    brief_words,
    chess_offers,
)
from bot.answers.kind import KindAnswers
from bot.answers.remarks import remarks
from bot.domain.chess.game import ChessGame
from bot.domain.notations import ChessDocument

ANSWERS: KindAnswers[ChessDocument] = KindAnswers(
    line=chess_line,
    drawing=chess_drawing,
    to_copy=lambda item: chess_to_copy(item.chess, item.text),
    remarks=remarks,
    facts=lambda item: chess_facts(item.chess),
    turns=lambda document: len(document.turns) if isinstance(document, ChessGame) else 0,
    brief=brief_words,
    offers=chess_offers,
    copied="fen",
    posted=answer_posted,
    show=answer_chess,
    chart=lambda *_: None,
    replay=answer_chess_replay,
    form=chess_form,
    filled=chess_text,
    convert=answer_chess_conversion,
)
