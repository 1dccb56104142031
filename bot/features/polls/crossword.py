"""What would you play? Polls about crossword positions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import MAX_ALT
from bot.chat.style import Style
from bot.domain.crossword.play import Placement, Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.position import Position
from bot.domain.crossword.scoring import play_problems, score_placement
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import MILLIPOINTS, AnalysisOptions
from bot.features.analysis.controls import Analyze, Try
from bot.features.analysis.crossword.perform import lexicon_for, perform
from bot.features.analysis.crossword.rankings import Row, alike, play_words, rank_plays
from bot.features.analysis.crossword.request import (
    AnalysisRequest,
    AnalysisResult,
    Method,
    Progress,
    can_be_solved,
)
from bot.features.analysis.crossword.scene import numbered_scene
from bot.features.analysis.means import AnalysisMeans
from bot.features.analysis.trials import require_words
from bot.features.polls.cards import Outcome, Proposed, Voter, outcome_text, signed
from bot.features.polls.service import Polling
from bot.features.review.crossword.values import BY_WIN
from bot.features.showing.controls import Copy
from bot.features.showing.crossword.board_scene import alt_text, position_scene
from bot.features.showing.crossword.position import position_line
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import is_going_on, subject_of
from bot.jobs.queue import Asker, BusyError, ClosedError, Control, StoppedError
from bot.storage.polls import Poll
from bot.text import Speaker

log = logging.getLogger(__name__)

SECONDS = 10.0
"""How long plays are compared."""
_BEST = 10
"""The engine's plays among which its best is looked for by simulation."""
_SOLVED = 60
"""Plays that are ranked where the end is proved."""
MAX_DRAWN = 6
"""Plays on one board."""


class CrosswordPolling(Polling[Position, Play]):
    """Compares plays by simulation, near the end by solution. ``means`` is None where nobody analyzes."""

    def __init__(self, desk: Desk, means: AnalysisMeans | None) -> None:
        self._desk = desk
        self._means = means

    def position(self, item: Found, moment: Moment, say: Speaker) -> Position:
        """Return the position, where its rack is known and its game is over or was never one."""
        if is_going_on(item):
            raise NoAnswerError.saying(
                say("This game may still be going on, so I ask nobody what to play in it.")
            )
        position = subject_of(item, moment, say).position
        if not position.players[position.on_turn].rack:
            raise NoAnswerError.saying(say("The tiles of whoever is to play are not known here."))
        return position

    def line(self, position: Position, say: Speaker) -> str:
        """Say who is to move, the scores and the rest."""
        return position_line(position, say)

    def drawing(self, position: Position, moment: Moment, style: Style) -> Drawing:
        """Return the board."""
        return card_drawing(position, moment, style)

    def read(self, position: Position, typed: str, style: Style) -> tuple[Play, str]:
        """Return a play of the rack whose words are all in the lexicon."""
        play = read_typed_play(typed, position)
        for problem in play_problems(position, play):
            raise problem
        self._check_words(position, play, style)
        return play, play_words(play, position, style.say)

    async def reveal(  # noqa: PLR0917 - as the base class has it
        self,
        position: Position,
        plays: Sequence[tuple[Play, Voter]],
        poll: Poll,
        moment: Moment,
        style: Style,
        asker: Asker,
    ) -> Card:
        """Compare plays with each other and with the engine's."""
        result = await self._result(position, tuple(play for play, _ in plays), style, asker)

        def answer() -> Card:
            outcome, ordered = outcome_of(position, plays, result, style.say)
            analysis = self._means is not None
            return answer_outcome(poll.asker_id, position, outcome, ordered, moment, style, analysis=analysis)

        return await self._desk.answer(answer)

    async def _result(
        self, position: Position, plays: tuple[Play, ...], style: Style, asker: Asker
    ) -> AnalysisResult | None:
        if self._means is None:
            return None
        means = self._means
        solved = (
            can_be_solved(position) and position.bag_count <= 1
        )  # with more, few draws are proved in the time
        method = Method.SOLUTION if solved else Method.SIMULATION
        options = AnalysisOptions(_SOLVED if solved else _BEST, SECONDS)
        request = self._request(position, plays, style, method, options)
        try:
            ticket = await means.jobs.submit(asker, request)
            return await ticket.result()
        except (BusyError, ClosedError, StoppedError, DomainError) as error:
            log.info("the plays of a poll are compared by equity alone: %s", error)
        at_once = self._request(position, plays, style, Method.EQUITY, options)
        work: Control[Progress] = Control(lambda _: None)
        try:
            return await self._desk.run(perform, at_once, means.lexica, work)
        except DomainError as error:
            log.info("the plays of a poll are not compared: %s", error)
            return None

    def _request(
        self,
        position: Position,
        plays: tuple[Play, ...],
        style: Style,
        method: Method,
        options: AnalysisOptions,
    ) -> AnalysisRequest:
        assert self._means is not None  # nobody asks else
        preferred = () if position.rules.lexicon.strip() else (*style.preferred, self._means.default_lexicon)
        return AnalysisRequest(position, "", preferred, method, options, further=plays, aliases=style.aliases)

    def _check_words(self, position: Position, play: Play, style: Style) -> None:
        """Check that a play makes words only, where there is a lexicon.

        Raises:
            RuleError: it makes a phony.

        """
        if self._means is None:
            return
        means = self._means
        request = self._request(position, (), style, Method.EQUITY, AnalysisOptions())
        lexicon = means.lexica.load(lexicon_for(request, means.lexica).lexicon, position.rules.distribution)
        require_words(position, play, lexicon)


def card_drawing(position: Position, moment: Moment, style: Style) -> Drawing:
    """Return the board that is asked about."""
    say = style.say
    alt = alt_text(position, say, say("What would you play?"))
    return Drawing(position_scene(position, style), alt, moment.spoiler, "poll")


def outcome_of(
    position: Position, plays: Sequence[tuple[Play, Voter]], result: AnalysisResult | None, say: Speaker
) -> tuple[Outcome, tuple[Play, ...]]:
    """Return what a poll came to, with the plays in the order of the outcome.

    ``result`` compares them with the engine's; None where there is none, or it failed.
    """
    groups: list[tuple[Play, list[Voter]]] = []
    for play, voter in plays:
        known = next((voters for other, voters in groups if alike(other, play)), None)
        if known is None:
            groups.append((play, [voter]))
        else:
            known.append(voter)
    if result is None:
        groups.sort(key=lambda group: (-_score(position, group[0]), -len(group[1])))
        proposed = tuple(
            Proposed(
                play_words(play, position, say),
                tuple(voters),
                (say.number(_score(position, play)),),
                is_ranked=False,
            )
            for play, voters in groups
        )
        return Outcome(proposed, (say("pts"),)), tuple(play for play, _ in groups)
    return _compared(position, groups, result, say)


def _compared(
    position: Position, groups: list[tuple[Play, list[Voter]]], result: AnalysisResult, say: Speaker
) -> tuple[Outcome, tuple[Play, ...]]:
    ranked = rank_plays(result, say)
    best = ranked.rows[0]
    found: list[tuple[float, Play, Proposed]] = []
    for play, voters in groups:
        rank, row = next(
            ((at, row) for at, row in enumerate(ranked.rows) if alike(row.play, play)),
            (len(ranked.rows), None),
        )
        words = play_words(play, position, say)
        if row is None:
            cells = (say.number(_score(position, play)),)
            found.append((rank, play, Proposed(words, tuple(voters), cells, is_ranked=False)))
            continue
        good = rank == 0 or _as_good(ranked.method, best, row)
        found.append((rank, play, Proposed(words, tuple(voters), _cells(row, say), is_best=good)))
    if not any(one.is_best for _, _, one in found):
        words = play_words(best.play, position, say)
        found.append((-1, best.play, Proposed(words, (), _cells(best, say), is_best=True)))
    found.sort(key=lambda one: one[0])
    figures = [say("pts"), say("equity")]
    if ranked.method is not Method.EQUITY:
        figures.append(ranked.figures[0].title)
    # What is said of all plays of the analysis is not about those that people made.
    remarks = (escape(result.lexicon), *ranked.remarks[:1])
    return (
        Outcome(tuple(one for _, _, one in found), tuple(figures), remarks),
        tuple(play for _, play, _ in found),
    )


def _as_good(method: Method, best: Row, row: Row) -> bool:
    """Tell whether a play loses less against the best than what a review takes for a loss, where points do not decide."""
    if best.value is None or row.value is None:
        return False
    least = BY_WIN[0]
    if method is not Method.SIMULATION or not least < best.value < 100 - least:
        return best.value == row.value and best.cells == row.cells
    return best.value - row.value < least


def _cells(row: Row, say: Speaker) -> tuple[str, ...]:
    equity = "–" if row.equity is None else say.number(row.equity / MILLIPOINTS, ".1f")
    return (say.number(row.score), equity, row.cells[0])


def _score(position: Position, play: Play) -> int:
    return score_placement(position.board, play, position.rules).score if isinstance(play, Placement) else 0


def answer_outcome(  # noqa: PLR0917 - what is told
    asker: int,
    position: Position,
    outcome: Outcome,
    plays: tuple[Play, ...],
    moment: Moment,
    style: Style,
    *,
    analysis: bool,
) -> Card:
    """Tell what a poll came to, with its plays as numbered ghosts on one board."""
    say = style.say
    drawn = [(sign, plays[at]) for sign, at in signed(outcome, MAX_DRAWN)]
    scene = numbered_scene(position, drawn, style)
    lead = " ".join(
        [say("Proposed:")]
        + [f"{sign} {outcome.proposed[at].words}." for sign, at in signed(outcome, MAX_DRAWN)]
    )
    drawing = Drawing(scene, alt_text(position, say, lead[: MAX_ALT // 3]), moment.spoiler, "poll")
    text = outcome_text(asker, position_line(position, say), outcome, moment, say)
    offers = (Analyze(moment),) if analysis else ()
    return Card(text, (drawing,), controls=(*offers, Try(moment), Copy(moment)))
