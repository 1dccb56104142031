"""The answer with what an engine thinks of a chess position."""

from __future__ import annotations

from bot.chat.card import Card, Drawing
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import clipped, told
from bot.chat.style import Style
from bot.domain.chess.documents import ChessGame, ChessMove
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import ChessAnalysis, EngineLine
from bot.features.analysis.controls import AskEngine
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.page import is_going_on, is_white_below
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text
from bot.text import Speaker
from render.scene import Section

MAX_LINE = 90
"""Characters told of one line."""


def answer_engine(analysis: ChessAnalysis, moment: Moment, style: Style, *, longer: int | None) -> Card:
    """Tell the lines of an engine, the best first. ``longer`` are the seconds of a longer look that is offered."""
    say = style.say
    position = analysis.position
    if not analysis.lines:
        if is_going_on(position):
            return Card(say("The chess engine told nothing that can be used."), found=False)
        return Card(say("The game is over here; there is nothing to find."), found=False)
    best = analysis.lines[0]
    blocks = [
        f"{position_line(position, say)}\n" + _verdict(best, say),
        *(_line(position, line, say) for line in analysis.lines),
        "-# " + _how(analysis, best, say),
    ]
    scene = chess_scene(
        position,
        style,
        white_below=is_white_below(moment),
        sections=(Section(say("Best move"), (best.san[0], score_words(best, say))),),
        best=best.uci[0],
    )
    lead = say("Best move: {move}, worth {worth}.", move=best.san[0], worth=score_words(best, say))
    controls = () if longer is None else (AskEngine(moment, longer),)
    drawing = Drawing(scene, chess_alt_text(position, say, lead), moment.spoiler, "analysis")
    return Card(told(blocks, moment), (drawing,), controls=controls)


def _verdict(best: EngineLine, say: Speaker) -> str:
    """Say who stands better."""
    if best.mate is not None and best.mate > 0:
        return say.count("White mates in {number}", "White mates in {number}", best.mate)
    if best.mate is not None:
        return say.count("Black mates in {number}", "Black mates in {number}", -best.mate)
    worth = best.centipawns or 0
    if abs(worth) < 30:
        return say("about equal")
    if worth > 0:
        return say("White is better by {pawns:.1f} pawns", pawns=worth / 100)
    return say("Black is better by {pawns:.1f} pawns", pawns=-worth / 100)


def score_words(line: EngineLine, say: Speaker) -> str:
    """Write what a line is worth for White: ``+0.35``, ``#3``, ``#−2``."""
    if line.mate is not None:
        return f"#{say.number(line.mate)}"
    return say.number((line.centipawns or 0) / 100, "+.2f")


def _line(position: ChessPosition, line: EngineLine, say: Speaker) -> str:
    moves = ChessGame(position, tuple(map(ChessMove, line.san, line.uci)))
    words: list[str] = []
    for turn, move in enumerate(moves.turns, start=1):
        label = moves.number(turn)
        if turn == 1 or not label.endswith("..."):
            words.append(label)
        words.append(move.san)
    return f"**{escape(score_words(line, say))}**  {escape(clipped(' '.join(words), MAX_LINE))}"


def _how(analysis: ChessAnalysis, best: EngineLine, say: Speaker) -> str:
    return " · ".join(
        [
            escape(analysis.engine),
            say.count("{number} second", "{number} seconds", round(analysis.seconds)),
            say.count("{number} half-move deep", "{number} half-moves deep", best.depth),
            say("{nodes:,} positions", nodes=analysis.nodes),
            say("+ is good for White"),
        ]
    )


def answer_engine_failed(problem: str, say: Speaker) -> Card:
    """Say that an analysis failed."""
    return Card(say("No analysis: {problem}.", problem=problem), found=False)
