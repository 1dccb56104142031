"""What would you play? Polls about chess positions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import MAX_ALT
from bot.chat.style import Style
from bot.domain.chess.documents import ChessMove
from bot.domain.chess.moves import play_typed
from bot.domain.chess.position import ChessPosition
from bot.engine.uci import MAX_LINES, ChessAnalysis, EngineError
from bot.features.analysis.chess.card import score_words
from bot.features.analysis.chess.job import ChessRequest
from bot.features.analysis.controls import AskEngine, Try
from bot.features.polls.cards import Outcome, Proposed, Voter, outcome_text, signed
from bot.features.polls.service import Polling
from bot.features.review.chess.review import compared
from bot.features.showing.chess.board_scene import chess_scene, numbered_scene
from bot.features.showing.chess.page import is_going_on, is_white_below, position_of_moment
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text
from bot.features.showing.controls import Copy
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.jobs.queue import Asker, BusyError, ClosedError, Jobs, StoppedError
from bot.storage.polls import Poll
from bot.text import Speaker

log = logging.getLogger(__name__)

BEST_SECONDS = 2.0
"""How long an engine looks for its own best move."""
MOVE_SECONDS = 1.0
"""How long it looks at each move, about."""
MAX_DRAWN = 6
"""Moves on one board."""


class ChessPolling(Polling[ChessPosition, ChessMove]):
    """Compares moves by the host's engine. ``jobs`` is None where there is none: the moves are told alone then."""

    def __init__(self, desk: Desk, jobs: Jobs[ChessRequest, None, ChessAnalysis] | None) -> None:
        self._desk = desk
        self._jobs = jobs

    def position(self, item: Found, moment: Moment, say: Speaker) -> ChessPosition:
        """Return the position, where there is a move left to play."""
        position = position_of_moment(item.chess, moment)
        if not is_going_on(position):
            raise NoAnswerError.saying(say("The game is over here; there is nothing to find."))
        return position

    def line(self, position: ChessPosition, say: Speaker) -> str:
        """Say who is to move."""
        return position_line(position, say)

    def drawing(self, position: ChessPosition, moment: Moment, style: Style) -> Drawing:
        """Return the board."""
        return card_drawing(position, moment, style)

    def read(self, position: ChessPosition, typed: str, style: Style) -> tuple[ChessMove, str]:
        """Return a legal move."""
        del style
        move = play_typed(position, typed)[0]
        return move, move.san

    async def reveal(  # noqa: PLR0917 - as the base class has it
        self,
        position: ChessPosition,
        plays: Sequence[tuple[ChessMove, Voter]],
        poll: Poll,
        moment: Moment,
        style: Style,
        asker: Asker,
    ) -> Card:
        """Compare moves with each other and with the engine's."""
        analysis = await self._analysis(position, tuple(dict.fromkeys(move.uci for move, _ in plays)), asker)

        def answer() -> Card:
            outcome, ordered = outcome_of(plays, analysis, style.say)
            engine = self._jobs is not None
            return answer_outcome(poll.asker_id, position, outcome, ordered, moment, style, engine=engine)

        return await self._desk.answer(answer)

    async def _analysis(
        self, position: ChessPosition, moves: tuple[str, ...], asker: Asker
    ) -> ChessAnalysis | None:
        """Have the engine look for its best move, and then at that and the others by one search."""
        if self._jobs is None:
            return None
        try:
            ticket = await self._jobs.submit(asker, ChessRequest(position, BEST_SECONDS, lines=1))
            first = await ticket.result()
            best = [line.uci[0] for line in first.lines if line.uci]
            looked_at = tuple(dict.fromkeys((*best, *moves)))[:MAX_LINES]
            seconds = MOVE_SECONDS * len(looked_at)
            request = ChessRequest(position, seconds, lines=len(looked_at), moves=looked_at)
            ticket = await self._jobs.submit(asker, request)
            return await ticket.result()
        except (BusyError, ClosedError, StoppedError, EngineError) as error:
            log.info("the moves of a poll are told alone: %s", error)
            return None


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
) -> Card:
    """Tell what a poll came to, with its moves as numbered arrows on one board."""
    say = style.say
    below = is_white_below(moment, otherwise=position.white_to_move)
    drawn = signed(outcome, MAX_DRAWN)
    scene = numbered_scene(position, [(sign, moves[at]) for sign, at in drawn], style, white_below=below)
    lead = " ".join([say("Proposed:"), *(f"{sign} {outcome.proposed[at].words}." for sign, at in drawn)])
    drawing = Drawing(scene, chess_alt_text(position, say, lead[: MAX_ALT // 3]), moment.spoiler, "poll")
    text = outcome_text(asker, position_line(position, say), outcome, moment, say)
    offers = (AskEngine(moment),) if engine else ()
    return Card(text, (drawing,), controls=(*offers, Try(moment), Copy(moment)))
