"""What would you play? Moves of chess that people proposed, as an engine sees them, and as arrows on one board."""

from __future__ import annotations

from collections.abc import Sequence

from bot.chat.markdown import escape
from bot.chat.offers import CopyOffer, Moment
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessMove
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import ChessAnalysis
from bot.features.analysis.chess.card import score_words
from bot.features.analysis.controls import AskEngine, Try
from bot.features.polls.card import Outcome, Proposed, Voter, outcome_text, signed
from bot.features.review.chess.attempt import compared
from bot.features.showing.chess.board_scene import chess_scene, numbered_scene
from bot.features.showing.chess.page import is_white_below
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text
from bot.features.showing.words import MAX_ALT
from bot.text import Speaker

MAX_DRAWN = 6
"""Moves on one board."""


def card_drawing(position: ChessPosition, moment: Moment, style: Style) -> Drawing:
    """Return the board that is asked about, from the side of who is to move unless somebody turned it."""
    say = style.say
    below = is_white_below(moment, otherwise=position.white_to_move)
    alt = chess_alt_text(position, say, say("What would you play?"))
    return Drawing(chess_scene(position, style, white_below=below), alt, moment.spoiler, "poll")


def outcome_of(
    moves: Sequence[tuple[ChessMove, Voter]], analysis: ChessAnalysis | None, say: Speaker
) -> tuple[Outcome, tuple[str, ...]]:
    """Return what a poll came to, with the moves in UCI in the order of the outcome.

    ``analysis`` has a line for each of them, and for the engine's best; None where there is no engine, or it failed.
    """
    groups: dict[str, tuple[ChessMove, list[Voter]]] = {}
    for move, voter in moves:
        groups.setdefault(move.uci, (move, []))[1].append(voter)
    lines = {line.uci[0]: line for line in analysis.lines if line.uci} if analysis is not None else {}
    if analysis is None or not lines:
        listed = sorted(groups.values(), key=lambda group: -len(group[1]))
        proposed = tuple(Proposed(move.san, tuple(voters), is_ranked=False) for move, voters in listed)
        return Outcome(proposed), tuple(move.uci for move, _ in listed)
    order = {uci: rank for rank, uci in enumerate(lines)}
    best = next(iter(lines))
    found: list[tuple[int, str, Proposed]] = []
    for uci, (move, voters) in groups.items():
        verdict = compared(analysis, best, uci)
        cells = (score_words(lines[uci], say),) if uci in lines else ()
        good = verdict is not None and verdict.as_good
        one = Proposed(move.san, tuple(voters), cells, is_best=good, is_ranked=uci in lines)
        found.append((order.get(uci, len(order)), uci, one))
    if not any(one.is_best for _, _, one in found):
        line = lines[best]
        found.append((-1, best, Proposed(line.san[0], (), (score_words(line, say),), is_best=True)))
    found.sort(key=lambda one: one[0])
    remarks = (escape(analysis.engine), say("+ is good for White"))
    outcome = Outcome(tuple(one for _, _, one in found), (say("worth"),), remarks)
    return outcome, tuple(uci for _, uci, _ in found)


def answer_outcome(  # noqa: PLR0917 - what is told
    asker: int,
    position: ChessPosition,
    outcome: Outcome,
    moves: tuple[str, ...],
    moment: Moment,
    style: Style,
    *,
    engine: bool,
) -> Reply:
    """Tell what a poll came to, with its moves as numbered arrows on one board."""
    say = style.say
    below = is_white_below(moment, otherwise=position.white_to_move)
    drawn = signed(outcome, MAX_DRAWN)
    scene = numbered_scene(position, [(sign, moves[at]) for sign, at in drawn], style, white_below=below)
    lead = " ".join([say("Proposed:"), *(f"{sign} {outcome.proposed[at].words}." for sign, at in drawn)])
    drawing = Drawing(scene, chess_alt_text(position, say, lead[: MAX_ALT // 3]), moment.spoiler, "poll")
    text = outcome_text(asker, position_line(position, say), outcome, moment, say)
    offers = (AskEngine(moment),) if engine else ()
    return Reply(text, (drawing,), controls=(*offers, Try(moment), CopyOffer(moment)))
