"""The answer to "what if?" in chess: a move on the board, and what an engine thinks of it where there is one."""

from __future__ import annotations

from bot.chat.card import Card, Drawing
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.chat.style import Style
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.position import ChessPosition, Ending
from bot.engine.uci import ChessAnalysis, EngineLine
from bot.features.analysis.chess.card import score_words
from bot.features.analysis.controls import AskEngine, Try
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.page import is_white_below
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text
from bot.text import Speaker

_SAME = 10
"""Hundredths of a pawn that are no difference."""
_MATE = 100_000
"""What a mate counts when moves are compared, in hundredths of a pawn."""


def answer_tried_move(
    move: ChessMove,
    after: ChessPosition,
    moment: Moment,
    style: Style,
    *,
    judged: tuple[ChessAnalysis, ...] = (),
    has_engine: bool = False,
) -> Card:
    """Show a move; ``judged`` is what an engine thinks of the position before it, and perhaps of the one after it."""
    say = style.say
    lines = [f"**{escape(move.san)}** · {position_line(after, say)}"]
    if judged and (verdict := _verdict(move, after, judged, say)):
        lines.append(verdict)
    scene = chess_scene(after, style, white_below=is_white_below(moment), best=move.uci)
    alt = chess_alt_text(after, say, say("Tried: {move}.", move=move.san))
    offers = (AskEngine(moment),) if has_engine else ()
    return Card(
        told(lines, moment),
        (Drawing(scene, alt, moment.spoiler, "trial"),),
        controls=(*offers, Try(moment)),
    )


def _verdict(move: ChessMove, after: ChessPosition, judged: tuple[ChessAnalysis, ...], say: Speaker) -> str:
    """Say what a move is worth against the best; nothing where the engine told nothing."""
    if not judged[0].lines:
        return ""
    best = judged[0].lines[0]
    worth = escape(score_words(best, say))
    if after.ending is Ending.CHECKMATE:
        return say("Mate!")
    if best.uci[0] == move.uci:
        return say("The engine would play it, too: {worth}.", worth=worth)
    if after.ending is not None or len(judged) < 2 or not judged[1].lines:
        return say("The engine would play {move}: {worth}.", move=_bold(best), worth=worth)
    return _difference(best, judged[1].lines[0], say, white=not after.white_to_move)


def _difference(best: EngineLine, reply: EngineLine, say: Speaker, *, white: bool) -> str:
    """Say what a move of a side is worth, whose ``reply`` is known, beside the best."""
    lost = (_count(best) - _count(reply)) * (1 if white else -1)
    words = {
        "worth": escape(score_words(reply, say)),
        "move": _bold(best),
        "best": escape(score_words(best, say)),
    }
    if lost <= _SAME:
        return say("{worth}: as good as the engine's {move} ({best}).", **words)
    if best.mate is not None or reply.mate is not None:
        return say("{worth}; better is {move} ({best}).", **words)
    return say(
        "{worth}, {pawns:.1f} pawns less than the engine's {move} ({best}).", pawns=lost / 100, **words
    )


def _bold(line: EngineLine) -> str:
    return f"**{escape(line.san[0])}**"


def _count(line: EngineLine) -> int:
    """Return the worth of a line for White, a mate as many pawns, fewer the longer it takes."""
    if line.mate is None:
        return line.centipawns or 0
    return (_MATE if line.mate > 0 else -_MATE) - 100 * line.mate
