"""Base classes for review cards and reviewers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import Any, ClassVar, Final, Generic, TypeVar

from bot.chat.card import (
    MAX_ALT_LENGTH,
    Card,
    Choice,
    Drawing,
    Scene,
    join_blocks,
    truncate,
)
from bot.chat.control import MAX_TURN, Control
from bot.chat.markdown import escape, strip_markdown
from bot.domain.reading.problems import DomainError, Phrase
from bot.features.review.chess.review import MoveReview
from bot.features.review.controls import (
    JudgedTurnButton,
    JudgedTurnMenu,
    LessonButton,
    ReviewGame,
    ShareReview,
)
from bot.features.review.crossword.values import TurnReview
from bot.features.review.values import MAX_LESSON_TURNS, Depth, PlayerReview, ReviewQuery
from bot.features.showing.findings import FoundDocument
from bot.jobs.codec import Codec
from bot.jobs.queue import JobQueue
from bot.links.values import SiteTurn
from bot.text import Translator
from render.chart import MAX_VALUES_PER_SERIES
from render.scene import ChartScene, Series

MISTAKE_LEVEL_SYMBOLS: Final = ("🟩", "🟡", "🔶", "🔺")
"""Symbols for no mistake, and for small, medium and large mistakes. The chart marks mistakes with the same shapes."""
NOT_JUDGED_SYMBOL: Final = "⬜"

MAX_SHOWN_KEY_TURNS: Final = 3
"""Maximum number of key turns (the turns most worth studying) on a game's card."""

MAX_SYMBOLS: Final = 200
"""Maximum number of symbols, one for each turn, in a player's row."""


TurnT = TypeVar("TurnT", bound=TurnReview | MoveReview)


@dataclass(frozen=True, slots=True)
class UnjudgedAnswer:
    """An answer that only a job can judge."""

    request: Any
    """The request for the job, submitted to :attr:`ReviewCards.lesson_jobs`."""
    judge: Callable[[Any], tuple[str, bool]]
    """Takes the job's result, and returns the verdict and whether the answer is right."""


class ReviewCards(ABC, Generic[TurnT]):
    """Creates the cards for one review. Call all methods on a worker thread."""

    can_judge_turns = True
    """False if the lexicon is probably wrong."""
    can_deepen = False
    deeper_lexicon = ""
    """The lexicon for a deeper review. If empty, the lexicon is chosen again."""
    mistake_level_phrases: ClassVar[tuple[Phrase, Phrase, Phrase, Phrase]]
    """The names of the mistake levels, starting with level 0."""

    def __init__(
        self,
        game: Any,  # noqa: ANN401 - a crossword or chess game
        query: ReviewQuery,
        names: Sequence[str],
        review: Any,  # noqa: ANN401 - the game's review
        turns: Sequence[TurnT],
        *,
        lesson_jobs: JobQueue[Any, Any, Any] | None,
    ) -> None:
        """``lesson_jobs`` is None if this bot cannot run the jobs that judge lesson answers."""
        self.game = game
        self.lesson_jobs = lesson_jobs
        self.query = query
        self.moment = query.moment
        self.context = query.context
        self.translate: Translator = query.context.translate
        self.names = tuple(names)
        self.review = review
        self.turns = turns
        self.mistake_level_names = tuple(map(self.translate, self.mistake_level_phrases))

    @abstractmethod
    def headline(self) -> str: ...

    @abstractmethod
    def remarks(self) -> list[str]: ...

    def player_lines(self, *, in_words: bool = False) -> list[str]:
        """Return one line for each player. If ``in_words``, use words instead of symbols."""
        translate, lines = self.translate, []
        for player, name in zip(self.review.players, self.names, strict=True):
            parts = [f"**{escape(name)}**"]
            if player.accuracy is not None:
                parts.append(
                    translate("{accuracy}% accuracy", accuracy=translate.number(player.accuracy, ".0f"))
                )
            parts += self.statistics(player, in_words=in_words)
            if player.judged_turn_count < player.turn_count:
                parts.append(
                    translate(
                        "{judged} of {turns} turns judged",
                        judged=player.judged_turn_count,
                        turns=player.turn_count,
                    )
                )
            lines.append(" · ".join(parts))
        return lines

    @abstractmethod
    def statistics(self, player: PlayerReview, *, in_words: bool) -> list[str]: ...

    @abstractmethod
    def describe_turn(self, turn: TurnT) -> str: ...

    @abstractmethod
    def menu_entry(self, turn: TurnT) -> tuple[str, str]: ...

    @abstractmethod
    def best_play(self, turn: TurnT) -> str:
        """Return the best play. Return an empty string if there is no mistake, or no better play is known."""

    @abstractmethod
    def win_chances(self) -> tuple[int, ...]:
        """Return the first player's win chance at the start and after each turn, in percent."""

    @abstractmethod
    def turn_explanations(self) -> Iterator[tuple[int, str]]:
        """Yield (turn number, explanation) pairs for the alt text."""

    @abstractmethod
    def severity(self, turn: TurnT) -> tuple[float, ...] | None:
        """Return a sort key that is greater for worse mistakes. Return None if no mistake is certain, or no better play is known."""

    @abstractmethod
    def lesson_question(self, turn: TurnT) -> str: ...

    @abstractmethod
    def hints(self, turn: TurnT) -> tuple[str, ...]: ...

    @abstractmethod
    def judge_answer(self, turn: TurnT, answer: str) -> tuple[str, bool] | UnjudgedAnswer:
        """Return the verdict and whether the answer is right, or an :class:`UnjudgedAnswer` if only a job can judge it.

        Raises:
            DomainError: the play is not legal.

        """

    @abstractmethod
    def picture(self, turn: TurnT, *, is_solved: bool) -> tuple[Scene, str]:
        """Return a picture of the position before a turn, and its alt text. If ``is_solved``, show the best play."""

    def player_statistics(self) -> tuple[PlayerReview, ...]:
        pairs = zip(self.review.players, self.names, strict=True)
        return tuple(replace(player, name=player.name or name) for player, name in pairs)

    @abstractmethod
    def board(self) -> tuple[Scene, str]:
        """Return a picture of the final board, and its alt text."""

    def fraction_done(self) -> float:
        return sum(turn.is_judged for turn in self.turns) / len(self.turns)

    def progress(self) -> str:
        return self.translate(
            "{judged} of {turns} turns judged",
            judged=sum(turn.is_judged for turn in self.turns),
            turns=len(self.turns),
        )

    def site_text(self, turn: SiteTurn) -> str:
        """Describe how the game's website judged a turn."""
        return ""

    def site_comparison(self, site_turns: Mapping[int, SiteTurn]) -> list[str]:
        """Compare this review with the website's review. ``site_turns`` is keyed by turn number."""
        return []

    def alt_text_remarks(self) -> list[str]:
        return []

    def lesson_turns(self, seat: int) -> tuple[int, ...]:
        """Return the numbers of a player's worst turns, in ascending order."""
        mistakes = [
            (severity, -turn.turn)
            for turn in self.turns
            if turn.seat == seat and (severity := self.severity(turn)) is not None
        ]
        return tuple(sorted(-turn for _, turn in nlargest(MAX_LESSON_TURNS, mistakes)))

    def turn(self, number: int) -> TurnT | None:
        return next((turn for turn in self.turns if turn.turn == number), None)

    def card(self, centre_turn: int | None = None) -> Card:
        """Return the whole game's card. Its menu lists the turns near ``centre_turn``."""
        blocks = [self.headline(), *self.remarks(), *self.player_lines()]
        if not self.can_judge_turns:
            return Card(join_blocks(blocks, self.moment), self._drawings(), accent="review")
        moment, depth_and_lexicon = self.moment, (self.query.depth, self.query.lexicon)
        key_turns = (turn for turn in self.turns if turn.turn in self.review.key_turns[:MAX_SHOWN_KEY_TURNS])
        has_lessons = any(self.lesson_turns(seat) for seat in (0, 1))
        return Card(
            join_blocks(blocks, moment),
            self._drawings(),
            sections=tuple(
                (
                    join_blocks([self._key_turn_text(turn)], moment),
                    JudgedTurnButton(replace(moment, turn=turn.turn), *depth_and_lexicon, "k"),
                )
                for turn in key_turns
                if turn.turn <= MAX_TURN
            ),
            controls=(
                *((LessonButton(moment, *depth_and_lexicon, "w"),) if has_lessons else ()),
                ShareReview(moment, *depth_and_lexicon, "card"),
                *(
                    (ReviewGame(replace(moment, seat=None), Depth.DEEP, self.deeper_lexicon),)
                    if self.can_deepen
                    else ()
                ),
                self._menu(centre_turn),
            ),
            note=" · ".join(
                map(" ".join, zip(MISTAKE_LEVEL_SYMBOLS[1:], self.mistake_level_names[1:], strict=True))
            ),
            more_controls=(ShareReview(moment, *depth_and_lexicon, "squares"),),
            accent="review",
        )

    def _key_turn_text(self, turn: TurnT) -> str:
        label, loss = self.menu_entry(turn)
        text = f"{self.symbol(turn)} **{escape(label)}** · {loss}"
        best_play = self.best_play(turn)
        return f"{text}\n{self.translate('Best: {best}', best=best_play)}" if best_play else text

    def mistakes_text(self, *counts: int) -> str:
        """Return a symbol and a count for each size of mistake. ``counts`` are for small, medium and large mistakes."""
        pairs = zip(reversed(MISTAKE_LEVEL_SYMBOLS[1:]), reversed(counts), strict=True)
        return (
            " ".join(f"{symbol} {number}" for symbol, number in pairs if number) or MISTAKE_LEVEL_SYMBOLS[0]
        )

    def _drawings(self) -> tuple[Drawing, ...]:
        return Drawing(*self.board(), self.moment.spoiler, "board"), self.curve()

    def curve(self) -> Drawing:
        chances = self.win_chances()
        intro = [self.headline(), *self.player_lines(in_words=True), *self.alt_text_remarks()]
        return Drawing(
            self.chart(chances[:MAX_VALUES_PER_SERIES]),
            curve_alt_text(intro, self.names[0], chances, dict(self.turn_explanations()), self.translate),
            self.moment.spoiler,
            "review",
        )

    def chart(self, values: tuple[int, ...], **fields: Any) -> ChartScene:  # noqa: ANN401 - further fields of the scene
        first, second = self.names
        return ChartScene(
            self.translate("Win chance"),
            (Series(first, values),),
            self.context.appearance.theme,
            span=(0, 100),
            base=50,
            unit=" %",
            side_names=(first, second),
            axis_names=("", self.translate("turns played")),
            marks=tuple(
                (turn.turn, turn.mistake_level - 1)
                for turn in self.turns
                if turn.mistake_level and turn.turn < len(values)
            ),
            mark_names=self.mistake_level_names[1:],
            **fields,
        )

    def turn_controls(self, centre_turn: int | None = None) -> tuple[Control, ...]:
        moment = self.moment
        numbers = [turn.turn for turn in self.turns if turn.turn <= MAX_TURN]
        previous_turn = max((number for number in numbers if number < moment.turn), default=None)
        next_turn = min((number for number in numbers if number > moment.turn), default=None)
        arrows = (
            JudgedTurnButton(
                replace(moment, turn=turn or moment.turn),
                self.query.depth,
                self.query.lexicon,
                target,
                disabled=turn is None,
            )
            for turn, target in ((previous_turn, "p"), (next_turn, "n"))
        )
        return (*arrows, self._menu(centre_turn))

    def _menu(self, centre_turn: int | None) -> JudgedTurnMenu:
        choices = tuple(self._choice(turn) for turn in self.turns if turn.turn <= MAX_TURN)
        centre_turn = self.moment.turn if centre_turn is None else centre_turn
        return JudgedTurnMenu(self.moment, self.query.depth, self.query.lexicon, choices, centre_turn)

    def _choice(self, turn: TurnT) -> Choice:
        number = str(turn.turn)
        if self.moment.spoiler:
            return Choice(number, self.translate("Turn {turn}", turn=turn.turn))
        label, loss = self.menu_entry(turn)
        return Choice(
            number, label, f"{self.symbol(turn)} {loss}" if turn.is_judged else self.translate("not judged")
        )

    def symbol(self, turn: TurnT) -> str:
        return MISTAKE_LEVEL_SYMBOLS[turn.mistake_level] if turn.is_judged else NOT_JUDGED_SYMBOL

    def verdict(self, number: int) -> str:
        turn = self.turn(number)
        if turn is None or not turn.is_judged:
            return self.translate("This turn hasn't been judged.")
        return f"{self.symbol(turn)} {self.describe_turn(turn)}"

    def symbols_card(self) -> Card:
        rows, used_symbols = [], set[str]()
        for seat, name in enumerate(self.names):
            symbols = [self.symbol(turn) for turn in self.turns if turn.seat == seat]
            used_symbols.update(symbols[:MAX_SYMBOLS])
            ellipsis = "…" if len(symbols) > MAX_SYMBOLS else ""
            rows.append(f"{escape(name)}: {''.join(symbols[:MAX_SYMBOLS])}{ellipsis}")
        legend = zip(
            (*MISTAKE_LEVEL_SYMBOLS, NOT_JUDGED_SYMBOL),
            (*self.mistake_level_names, self.translate("not judged")),
            strict=True,
        )
        note = " · ".join(f"{symbol} {name}" for symbol, name in legend if symbol in used_symbols)
        return Card(join_blocks([self.headline(), *rows], self.moment), note=note, accent="review")


_MIN_CHANGES: Final = (8, 12, 18, 27, 40, 101)
"""Thresholds in percentage points. An alt text mentions a win chance that has changed by at least the threshold.

The lowest threshold that keeps the text short enough is used. With the last threshold, the text mentions only the win chances
at the start and at the end.
"""


def curve_alt_text(
    intro: Sequence[str],
    player: str,
    chances: Sequence[int],
    explanations: Mapping[int, str],
    translate: Translator,
) -> str:
    """Return the alt text for a win-chance chart.

    ``intro`` is Markdown. ``chances`` are in percent, at the start and after each turn. ``explanations`` is keyed by turn number.
    """
    intro_text = " ".join(f"{strip_markdown(block).rstrip('.')}." for block in intro)
    texts = [
        f"{intro_text} {_describe_curve(player, chances, explanations, min_change, translate)}"
        for min_change in _MIN_CHANGES
    ]
    return next((text for text in texts if len(text) <= MAX_ALT_LENGTH), truncate(texts[-1], MAX_ALT_LENGTH))


def _describe_curve(
    player: str,
    chances: Sequence[int],
    explanations: Mapping[int, str],
    min_change: int,
    translate: Translator,
) -> str:
    parts = [translate("{player}'s win chance: {percent}% at the start", player=player, percent=chances[0])]
    last_shown_chance = chances[0]
    for turn, chance in enumerate(chances[1:-1], start=1):
        if abs(chance - last_shown_chance) >= min_change:
            text = translate("{percent}% after turn {turn}", percent=chance, turn=turn)
            parts.append(f"{text} ({explanations[turn]})" if turn in explanations else text)
            last_shown_chance = chance
    return ", ".join([*parts, translate("{percent}% at the end.", percent=chances[-1])])


Request = TypeVar("Request")
Result = TypeVar("Result")


class Reviewer(ABC, Generic[Request, Result]):
    """Reviews either crossword games or chess games. Call all methods on a worker thread."""

    name: ClassVar[str]
    codec: ClassVar[Codec[Any]]

    def __init__(
        self, jobs: JobQueue[Request, Result, Result], lesson_jobs: JobQueue[Any, Any, Any] | None = None
    ) -> None:
        self.jobs = jobs
        self.lesson_jobs = lesson_jobs

    @abstractmethod
    def make_request(self, found: FoundDocument, query: ReviewQuery) -> Request | None:
        """Return the request for a query. Return None if the document is not a game, or if the game may still be in progress.

        Raises:
            DomainError: the game cannot be reviewed.

        """

    def immediate_result(self, request: Request) -> Result | None:
        """Return the result if it needs no job, otherwise None."""
        return None

    def button_request(self, request: Request, result: Result) -> Request:
        """Return the request that a result card's buttons encode."""
        return request

    @abstractmethod
    def player_names(self, request: Request) -> tuple[tuple[str, ...], ...]:
        """Return each player's names, in seat order. A missing name is an empty string."""

    @abstractmethod
    def key_parts(self, request: Request) -> tuple[str, str]:
        """Return the lexicon's edition (empty in chess) and the effort level. Both are part of a stored result's key.

        Raises:
            DomainError: no lexicon for the game's language is installed.
        """

    @abstractmethod
    def estimate_seconds(self, request: Request) -> float:
        """Return an estimate of the review's CPU seconds."""

    @abstractmethod
    def cards(self, request: Request, result: Result, query: ReviewQuery) -> ReviewCards[Any]: ...

    def to_json(self, result: Any) -> str:  # noqa: ANN401 - a dataclass with players
        """Write a result as JSON, without the players' names."""
        players = tuple(replace(player, name="") for player in result.players)
        return self.codec.write(replace(result, players=players))

    def from_json(self, text: str, request: Request) -> Result:
        """Read a result, and add the players' names.

        Raises:
            ValueError: the JSON was written by another version of Kibitz.

        """
        result = self.codec.read(text)
        players = tuple(
            replace(player, name=next(filter(None, names), ""))
            for player, names in zip(result.players, self.player_names(request), strict=True)
        )
        return replace(result, players=players)  # type: ignore[no-any-return]


def refusal_card(query: ReviewQuery, error: DomainError) -> Card:
    translate = query.context.translate
    text = translate("No review: {problem}.", problem=escape(translate.problem(error)))
    return Card(join_blocks([text], query.moment), has_result=False)
