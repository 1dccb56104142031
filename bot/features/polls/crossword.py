"""What would you play? Polls about crossword positions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from bot.chat.offers import Moment
from bot.chat.reply import Drawing, NoAnswerError, Reply
from bot.chat.style import Style
from bot.domain.crossword.legality import play_problems
from bot.domain.crossword.play import Play
from bot.domain.crossword.position import Position
from bot.domain.crossword.typed_play import read_typed_play
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import AnalysisOptions
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.offers import AnalysisMeans
from bot.features.analysis.trials import require_words
from bot.features.polls.card import Voter
from bot.features.polls.crossword_card import answer_outcome, card_drawing, outcome_of
from bot.features.polls.service import Polling
from bot.features.showing.crossword.position import position_line
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.subjects import is_going_on, subject_of
from bot.jobs.analysis import (
    AnalysisRequest,
    AnalysisResult,
    Method,
    Progress,
    can_be_solved,
    lexicon_for,
    perform,
)
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
    ) -> Reply:
        """Compare plays with each other and with the engine's."""
        result = await self._result(position, tuple(play for play, _ in plays), style, asker)

        def answer() -> Reply:
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
