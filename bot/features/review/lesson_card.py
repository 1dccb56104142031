"""Learning from one's mistakes: what is the same in both games. Nothing here gives a solution away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from bot.chat.markdown import escape, one_line
from bot.chat.offers import Choice, LessonPanel, Moment
from bot.chat.page import told
from bot.chat.reply import Reply
from bot.features.review.depth import Depth
from bot.text import Speaker

UNTRIED: Final = "0"
"""The mark of a mistake of which nothing is known yet; those after it count the hints that were given."""
ALONE: Final = "s"
HELPED: Final = "h"
SHOWN: Final = "x"
_OPEN: Final = "01234"


@dataclass(frozen=True, slots=True)
class Lesson:
    """Where somebody is among the turns to learn from."""

    moment: Moment
    """The turn, 0 at the end; the side is the player who learns."""
    depth: Depth
    lexicon: str
    """The lexicon of the review; none in chess."""
    turns: tuple[int, ...]
    """The turns to learn from."""
    marks: str = ""
    """What became of them, a sign each, as far as anything did."""
    lead: str = ""
    """What is to be said first: what came of an answer."""

    @property
    def place(self) -> int:
        """Which of the turns it is, from 0."""
        return self.turns.index(self.moment.turn)

    @property
    def mark(self) -> str:
        """What became of the turn so far."""
        return self._mark_at(self.place)

    @property
    def is_open(self) -> bool:
        """Whether it is still to be found."""
        return self.mark.isdigit()

    @property
    def hints(self) -> int:
        """How many hints were asked for."""
        return int(self.mark) if self.is_open else 0

    def count(self, marks: str) -> int:
        """Return how many turns have one of these marks."""
        return sum(self._mark_at(place) in marks for place in range(len(self.turns)))

    def marked(self, mark: str) -> str:
        """Return the marks with another one for this turn."""
        before = self.marks[: self.place].ljust(self.place, UNTRIED)
        return before + mark + self.marks[self.place + 1 :]

    def found(self) -> str:
        """Return the marks when the best was found."""
        return self.marked(HELPED if self.hints else ALONE)

    def _mark_at(self, place: int) -> str:
        return self.marks[place] if place < len(self.marks) else UNTRIED


def lesson_panel(lesson: Lesson, *, hints: int = 0, others: tuple[Choice, ...] = ()) -> LessonPanel:
    """Return the controls of a lesson; ``hints`` is how many there are in all, ``others`` are further players."""
    turns, moment = lesson.turns, lesson.moment
    at_end = moment.turn not in turns
    place = len(turns) if at_end else lesson.place
    following = turns[place + 1] if place + 1 < len(turns) else 0
    return LessonPanel(
        moment,
        lesson.depth,
        lesson.lexicon,
        lesson.marks,
        previous=turns[place - 1] if place else None,
        next=None if at_end else following,
        is_open=not at_end and lesson.is_open,
        has_hint=not at_end and lesson.is_open and lesson.hints < hints,
        at_end=at_end,
        players=others,
    )


def lesson_head(lesson: Lesson, player: str, say: Speaker) -> str:
    """Say which of the mistakes it is."""
    return say(
        "**Mistake {number} of {count}** · {player}, turn {turn}",
        number=lesson.place + 1,
        count=len(lesson.turns),
        player=escape(one_line(player)),
        turn=lesson.moment.turn,
    )


def hint_lines(hints: Iterable[str]) -> list[str]:
    """Write hints, one in a line."""
    return [f"💡 {hint}" for hint in hints]


def answer_players(lesson: Lesson, players: tuple[Choice, ...], say: Speaker, *, nothing: str = "") -> Reply:
    """Ask whose mistakes it shall be; ``nothing`` is the name of the player who made none."""
    text = say("Whose mistakes do you want to learn from?")
    if nothing:
        text = say("{player} lost nothing for certain.", player=escape(one_line(nothing)))
    panel = LessonPanel(lesson.moment, lesson.depth, lesson.lexicon, "", players=players)
    return Reply(told([text], lesson.moment), controls=(panel,))


def answer_end(lesson: Lesson, player: str, others: tuple[Choice, ...], say: Speaker) -> Reply:
    """Tell at the end how many were found."""
    found = lesson.count(ALONE + HELPED)
    blocks = [
        *([lesson.lead] if lesson.lead else []),
        say(
            "**{player}: {found} of {count} found**",
            player=escape(one_line(player)),
            found=found,
            count=len(lesson.turns),
        ),
    ]
    counts = {marks: lesson.count(marks) for marks in (ALONE, HELPED, SHOWN, _OPEN)}
    parts = {
        ALONE: say("✅ {number} without a hint", number=counts[ALONE]),
        HELPED: say.count("💡 {number} with a hint", "💡 {number} with hints", counts[HELPED]),
        SHOWN: say("👁 {number} shown", number=counts[SHOWN]),
        _OPEN: say("⬜ {number} left open", number=counts[_OPEN]),
    }
    became = " · ".join(words for marks, words in parts.items() if counts[marks])
    return Reply(told([*blocks, became], lesson.moment), controls=(lesson_panel(lesson, others=others),))
