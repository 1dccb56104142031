"""The bot's comment on a chess move that a user tries."""

from __future__ import annotations

import pytest

from bot.chat.card import Moment, ReplyContext
from bot.domain.chess.moves import play_typed_move
from bot.domain.chess.notations import fen
from bot.engine.uci import ChessAnalysis, EngineLine
from bot.features.analysis.chess import tried_move_card

WHITE_TO_MOVE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
BLACK_TO_MOVE = "6k1/5ppp/8/8/8/2r5/5PPP/6K1 b - - 0 1"


def line(san, uci, centipawns, mate=None):
    return EngineLine((san,), (uci,), centipawns, mate)


@pytest.mark.parametrize(
    ("text", "typed", "best", "after", "sentence"),
    [
        (WHITE_TO_MOVE, "Qxf7", line("Qxf7#", "h5f7", None, 1), None, "Checkmate!"),
        (
            WHITE_TO_MOVE,
            "d3",
            line("Qxf7#", "h5f7", None, 1),
            line("Nxh5", "f6h5", -640),
            "−6.40; better is **Qxf7\\#** (\\#1).",
        ),
        (
            BLACK_TO_MOVE,
            "h6",
            line("Rc1#", "c3c1", None, -1),
            line("g3", "g2g3", -480),
            "−4.80; better is **Rc1\\#** (\\#−1).",
        ),
        (
            BLACK_TO_MOVE,
            "h6",
            line("g6", "g7g6", -480),
            line("g3", "g2g3", -475),
            "−4.75: as good as the engine's **g6** (−4.80).",
        ),
        (
            BLACK_TO_MOVE,
            "h6",
            line("g6", "g7g6", -480),
            line("g3", "g2g3", -250),
            "−2.50, 2.3 pawns worse than the engine's **g6** (−4.80).",
        ),
        (BLACK_TO_MOVE, "h6", line("g6", "g7g6", -480), None, "The engine prefers **g6**: −4.80."),
    ],
)
def test_a_tried_move_is_judged_from_the_movers_point_of_view(text, typed, best, after, sentence):
    position = fen.read(text).value
    move, position_after = play_typed_move(position, typed)
    evaluations = [ChessAnalysis(position, "Fake", 1.0, (best,))]
    if after is not None:
        evaluations.append(ChessAnalysis(position_after, "Fake", 1.0, (after,)))
    reply = tried_move_card(
        move, position_after, Moment("x", 0), ReplyContext(), evaluations=tuple(evaluations)
    )
    assert reply.text.splitlines()[-1] == sentence
    assert reply.drawings[0].scene.arrows[-1].is_proposed
