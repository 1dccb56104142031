"""What both games' answers share: turns to learn from, squares, and the table of players of several games."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.chat.card import Card, TextFile
from bot.chat.columns import Column, cut, lay_out
from bot.chat.control import Control
from bot.chat.markdown import behind_bars, code_block, escape, one_line
from bot.chat.moment import Choice, Moment
from bot.chat.page import fitting, told
from bot.chat.style import Style
from bot.features.review.controls import Learn, games_controls, write_review
from bot.features.review.question import ReviewQuestion
from bot.features.review.values import Depth, PlayerGame, PlayerGames, players_csv, together
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


def answer_players(lesson: Lesson, players: tuple[Choice, ...], say: Speaker, *, nothing: str = "") -> Card:
    """Ask whose mistakes it shall be; ``nothing`` is the name of the player who made none."""
    text = say("Whose mistakes do you want to learn from?")
    if nothing:
        text = say("{player} lost nothing for certain.", player=escape(one_line(nothing)))
    return Card(
        told([text], lesson.moment),
        controls=tuple(lesson.choose(int(player.value), player.label) for player in players),
    )


def answer_end(lesson: Lesson, player: str, others: tuple[Choice, ...], say: Speaker) -> Card:
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
    return Card(told([*blocks, became], lesson.moment), controls=tuple(controls))


NOTHING_LOST = "🟩"
SQUARES = ("🟡", "🔶", "🔺")
"""For what lost little, more, and much: disc, diamond, triangle, as in the picture."""
MISSING = "⬜"

MAX_SQUARES = 200
"""Squares of one player."""


def answer_squares(
    headline: str,
    rows: Iterable[tuple[str, Sequence[str]]],
    legend: Iterable[tuple[str, str]],
    moment: Moment,
) -> Card:
    """Show each player's squares; the legend has only what is there."""
    lines, used = [], set[str]()
    for name, squares in rows:
        more = "…" if len(squares) > MAX_SQUARES else ""
        lines.append(f"{escape(one_line(name))}: {''.join(squares[:MAX_SQUARES])}{more}")
        used.update(squares[:MAX_SQUARES])
    words = " · ".join(f"{square} {word}" for square, word in legend if square in used)
    return Card(told([headline, *lines, f"-# {words}"], moment))


MAX_PLAYERS = 30
"""Players in the table of a message; the file has all."""
MAX_LISTED = 25
"""Games in a menu."""
_MAX_NAME = 24
_SHORT_NAME = 10
_MAX_REASONS = 5


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """What a review says of the players of a game, by seat."""

    question: ReviewQuestion
    """Names the review, with the lexicon that was used."""
    players: tuple[PlayerGame, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of the review of several games."""

    games: tuple[ReviewedGame, ...]
    """In their order."""
    refused: tuple[str, ...]
    """Of each game that is not reviewed, why."""
    left: int
    """How many were not looked at, because it was stopped or took too long."""
    problem: str
    """Why no further ones were looked at; empty when nothing was in the way."""
    seconds: float
    """Seconds of a processor that a closer look at all takes, about."""


def answer_together(
    reviewed: Reviewed, style: Style, lexicon: str, *, unread: int = 0, spoiler: bool = False
) -> Card:
    """Tell how the players of reviewed games play.

    ``lexicon`` is the one that was asked for, ``unread`` how many games were never looked at.
    """
    say = style.say
    players = together(player for game in reviewed.games for player in game.players)
    left_out = left_out_words(reviewed, say, unread=unread)
    if not players:
        return Card(fitting(left_out), found=False)
    blocks = [
        say.count("**{number} game reviewed**", "**{number} games reviewed**", len(reviewed.games)),
        code_block(_table(players[:MAX_PLAYERS], say)),
    ]
    if any(player.bingos is not None for player in players):
        words = say(
            "#: games · index: of a game on average, 0.2 for a small, 0.5 for a medium, 1 for a large mistake"
            " · acc.: accuracy · missed: bingos"
        )
    else:
        words = say("#: games · acc.: accuracy · cp: centipawns lost a move · ??: blunders")
    blocks.append(f"-# {words}")
    blocks += left_out
    text = fitting([behind_bars(block) for block in blocks] if spoiler else blocks)
    return Card(
        text,
        files=(TextFile("players.csv", players_csv(players), spoiler=spoiler),),
        controls=games_menu(reviewed, say, lexicon),
    )


def left_out_words(reviewed: Reviewed, say: Speaker, *, unread: int = 0) -> list[str]:
    """Say what is not reviewed, and why."""
    words = []
    if refused := reviewed.refused:
        words = [
            say.count("{number} game is not reviewed:", "{number} games are not reviewed:", len(refused)),
            *[f"- {reason}" for reason in dict.fromkeys(refused)][:_MAX_REASONS],
        ]
    if left := reviewed.left + unread:
        words.append(say.count("{number} game is not looked at.", "{number} games are not looked at.", left))
    if reviewed.problem:
        words.append(reviewed.problem)
    return words


def games_menu(reviewed: Reviewed, say: Speaker, lexicon: str, last: int = 0) -> tuple[Control, ...]:
    """List games to be opened, as many as a menu has room for."""
    games = tuple(
        Choice(
            write_review(game.question), f"{number}. {_pairing(game.players)}", _accuracies(game.players, say)
        )
        for number, game in enumerate(reviewed.games[:MAX_LISTED], start=1)
    )
    return games_controls(games, lexicon, math.ceil(reviewed.seconds / 60), last)


def _pairing(players: Sequence[PlayerGame]) -> str:
    scores = [f" {player.points}" if player.points is not None else "" for player in players]
    return " – ".join(
        f"{one_line(player.player)}{score}" for player, score in zip(players, scores, strict=True)
    )


def _accuracies(players: Sequence[PlayerGame], say: Speaker) -> str:
    known = [say.number(player.accuracy, ".0f") if player.accuracy is not None else "–" for player in players]
    return say("accuracy {accuracy}", accuracy=" – ".join(known))


def _table(players: Sequence[PlayerGames], say: Speaker) -> str:
    names = [cut(one_line(player.player), _MAX_NAME) for player in players]
    return lay_out(
        [
            Column(
                say("player"),
                tuple(names),
                to_the_left=True,
                short=tuple(cut(name, _SHORT_NAME) for name in names),
            ),
            Column("#", tuple(say.number(player.games) for player in players)),
            Column(say("index"), cells([player.mistake_index for player in players], ".1f", say)),
            Column(say("acc."), cells([player.accuracy for player in players], ".0f", say)),
            Column(say("missed"), cells([player.missed_bingos for player in players], ".0f", say)),
            Column(say("cp"), cells([player.centipawns_lost for player in players], ".0f", say)),
            Column("??", cells([player.blunders for player in players], ".0f", say)),
        ]
    )


def cells(values: Sequence[float | None], form: str, say: Speaker) -> tuple[str, ...]:
    """Return the cells of a column of numbers; what is not known is empty."""
    return tuple("" if value is None else say.number(value, form) for value in values)
