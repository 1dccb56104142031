"""Learning from one's mistakes: what is the same in both games. Nothing here gives a solution away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from bot.chat.control import Control
from bot.chat.markdown import escape, one_line
from bot.chat.moment import Choice, Moment
from bot.chat.page import told
from bot.chat.reply import Reply
from bot.features.review.controls import Learn
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

    def control(self, what: str, turn: int) -> Learn:
        """Return a control that leads to a turn; see :class:`Learn`."""
        moment = replace(self.moment, turn=turn)
        return Learn(moment, self.depth, self.lexicon, what, self.marks, at=self.moment.turn)

    def choose(self, seat: int, name: str = "") -> Learn:
        """Return the control that begins with a player; without a name it begins once more."""
        moment = replace(self.moment, turn=0, side=seat)
        return Learn(moment, self.depth, self.lexicon, "c", player=name)

    def _mark_at(self, place: int) -> str:
        return self.marks[place] if place < len(self.marks) else UNTRIED


def lesson_controls(lesson: Lesson, hints: int) -> tuple[Control, ...]:
    """Return the controls under a turn to learn from; ``hints`` is how many there are in all."""
    turns, turn = lesson.turns, lesson.moment.turn
    solve = ("a", "h", "s") if lesson.hints < hints else ("a", "s")
    following = turns[lesson.place + 1] if lesson.place + 1 < len(turns) else 0
    steps = [
        *((what, turn) for what in (solve if lesson.is_open else ())),
        *([("p", turns[lesson.place - 1])] if lesson.place else []),
        ("n", following),
    ]
    return tuple(lesson.control(what, to) for what, to in steps)


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
    return Reply(
        told([text], lesson.moment),
        controls=tuple(lesson.choose(int(player.value), player.label) for player in players),
    )


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
    controls = [lesson.control("p", lesson.turns[-1])] if lesson.turns else []
    if lesson.moment.side is not None:
        controls.append(lesson.choose(lesson.moment.side))
    controls += (lesson.choose(int(player.value), player.label) for player in others)
    return Reply(told([*blocks, became], lesson.moment), controls=tuple(controls))
