"""How a person does at puzzles: ratings as a curve, streaks, and the themes that come hardest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Final, Protocol

from bot.chat.card import Card, Drawing, NoAnswerError
from bot.chat.page import clipped
from bot.chat.style import Style
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.daily import Streak, continued
from bot.features.puzzles.library import Library
from bot.features.puzzles.rating import START, Rating, expected
from bot.features.puzzles.wanted import Kind
from bot.features.showing.desk import Desk
from bot.features.showing.words import MAX_ALT
from bot.storage.dailies.values import KeptStreak
from bot.storage.puzzles import PuzzleAnswer, PuzzleRating
from bot.text import Speaker
from render.scene import ChartScene, Series

THEMES: Final = {
    "best-play": Phrase("best play"),
    "strategy": Phrase("strategy"),
    "only-bingo": Phrase("only bingo"),
    "endgame": Phrase("endgame"),
    "pre-endgame": Phrase("pre-endgame"),
    "phony": Phrase("find the phony"),
    "hook": Phrase("find the hook"),
    "fork": Phrase("fork"),
    "pin": Phrase("pin"),
    "skewer": Phrase("skewer"),
    "sacrifice": Phrase("sacrifice"),
    "promotion": Phrase("promotion"),
    "discoveredAttack": Phrase("discovered attack"),
    "deflection": Phrase("deflection"),
    "hangingPiece": Phrase("hanging piece"),
    "trappedPiece": Phrase("trapped piece"),
    "defensiveMove": Phrase("defence"),
    "quietMove": Phrase("quiet move"),
    "mateIn1": Phrase("mate in one"),
    "mateIn2": Phrase("mate in two"),
    "mateIn3": Phrase("mate in three"),
    "rookEndgame": Phrase("rook endgame"),
    "pawnEndgame": Phrase("pawn endgame"),
}
"""Themes that have a name here; puzzles have more that say nothing to a player."""

_TOLD: Final = 6
"""Values of a curve that are told in words."""


@dataclass(frozen=True, slots=True)
class Weakness:
    """A theme that somebody solves less often than was to be expected."""

    theme: str
    right: int
    """First answers that were right."""
    of: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody does in a game."""

    kind: Kind
    rating: Rating
    history: tuple[int, ...]
    """The rating after each first answer, the latest last; never empty."""
    answered: int
    right: int
    streak: int
    best: int
    """The longest streak."""
    weak: tuple[Weakness, ...]


def standing(games: Sequence[Standing], style: Style) -> Card:
    """Return how somebody does: the words, and the curves as one picture."""
    say = style.say
    if not games:
        return Card(say("You have not answered a puzzle yet. `/puzzle` sets one."), found=False)
    names = {Kind.CROSSWORD: say("crossword games"), Kind.CHESS: say("chess")}
    short = {Kind.CROSSWORD: say("crossword"), Kind.CHESS: say("chess")}
    blocks = [_game_text(one, names[one.kind], say) for one in games]
    scene = ChartScene(
        say("Rating"),
        tuple(Series(short[one.kind] if len(games) > 1 else "", _curve(one)) for one in games),
        style.view.theme,
        width=WIDTH,
        height=HEIGHT,
        base=round(START),
        axes=("", say("puzzles")),
    )
    alt = " ".join(_curve_words(one, names[one.kind], say) for one in games)
    return Card("\n".join(blocks), (Drawing(scene, clipped(alt, MAX_ALT), name="rating"),))


WIDTH, HEIGHT = 624, 420
"""Twice the width of a picture on a telephone."""


def _curve(one: Standing) -> tuple[int, ...]:
    """Return the ratings from the start on, as far as they are kept."""
    return (round(START), *one.history) if one.answered == len(one.history) else one.history


def _game_text(one: Standing, name: str, say: Speaker) -> str:
    lines = [
        say(
            "**{game}**: rating {rating} ± {deviation}",
            game=name[:1].upper() + name[1:],
            rating=round(one.rating.rating),
            deviation=round(2 * one.rating.deviation),
        ),
        say("- Right at the first answer: {right} of {all}", right=one.right, all=one.answered),
    ]
    if one.best:
        lines.append(say("- Streak of dailies: {days} (longest: {best})", days=one.streak, best=one.best))
    if one.weak:
        themes = ", ".join(
            say("{theme} ({right} of {all})", theme=THEMES[weak.theme], right=weak.right, all=weak.of)
            for weak in one.weak
        )
        lines.append(say("- Harder for you than their ratings say: {themes}", themes=themes))
    return "\n".join(lines)


def _curve_words(one: Standing, name: str, say: Speaker) -> str:
    """Tell a curve in words: some of its values, evenly spread, with the first and the last."""
    curve = _curve(one)
    places = sorted({round(at * (len(curve) - 1) / (_TOLD - 1)) for at in range(_TOLD)})
    values = ", ".join(str(curve[place]) for place in places)
    return say("Rating in {game}, from the first to the last answer: {values}.", game=name, values=values)


_ENOUGH = 5
"""Answers about a theme that tell something."""
_WEAK = 0.1
"""By so much of all answers fewer are right than was to be expected."""
_WEAKEST = 3


class StandingStore(Protocol):
    """Where it is kept how people do; see :class:`bot.storage.store.Store`."""

    async def puzzle_rating(self, user_id: int, game: str) -> PuzzleRating | None:
        """Return somebody's rating."""

    async def streak(self, user_id: int, game: str) -> tuple[KeptStreak, tuple[int, ...]]:
        """Return somebody's streak as it was last, and the dailies missed since."""

    async def rating_history(self, user_id: int, game: str) -> tuple[int, ...]:
        """Return somebody's ratings after each first answer."""

    async def puzzle_answers(self, user_id: int, game: str) -> dict[str, PuzzleAnswer]:
        """Return what somebody has done about the puzzles that the person saw."""


class Standings:
    """Tells how people do."""

    def __init__(self, desk: Desk, store: StandingStore, shelf: Callable[[], Awaitable[Library]]) -> None:
        self._desk = desk
        self._store = store
        self._shelf = shelf

    async def streak(self, user: int, kind: Kind) -> Streak:
        """Return the dailies of a game that somebody solved in a row, without one that is over and was missed."""
        kept, missed = await self._store.streak(user, kind)
        return continued(Streak(*astuple(kept)), missed)

    async def tell(self, user: int, style: Style) -> Card:
        """Return how somebody does at puzzles of all games.

        Raises:
            NoAnswerError: the person has not answered one yet.

        """
        games = [one for kind in Kind if (one := await self._of(user, kind)) is not None]
        reply = await self._desk.answer(lambda: standing(games, style))
        if not reply.found:
            raise NoAnswerError(reply)
        return reply

    async def _of(self, user: int, kind: Kind) -> Standing | None:
        rated = await self._store.puzzle_rating(user, kind)
        if rated is None:
            return None
        own = Rating(*astuple(rated))
        answers = await self._store.puzzle_answers(user, kind)
        firsts = {
            name: one.solved and not one.tries
            for name, one in answers.items()
            if (one.solved or one.given_up or one.tries) and name.isalnum()  # others are not rated
        }
        history = await self._store.rating_history(user, kind) or (round(own.rating),)
        streak = await self.streak(user, kind)
        shelf = await self._shelf()
        weak = await self._desk.run(lambda: weaknesses(shelf, kind, own, firsts))
        return Standing(kind, own, history, len(firsts), sum(firsts.values()), streak.days, streak.best, weak)


def weaknesses(shelf: Library, kind: Kind, own: Rating, firsts: Mapping[str, bool]) -> tuple[Weakness, ...]:
    """Return the themes that somebody solves less often than ratings let expect, the weakest first.

    ``firsts`` are the puzzles answered, and whether the first answer was right. A theme with few of them tells nothing.
    """
    found: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    for name, right in firsts.items():
        if (entry := shelf.entries.get((kind, name))) is None:
            continue
        for theme in entry.themes & THEMES.keys():
            found[theme].append((right, expected(own, entry.rating)))
    weak = [
        (sum(right - chance for right, chance in tries) / len(tries), theme)
        for theme, tries in found.items()
        if len(tries) >= _ENOUGH
    ]
    return tuple(
        Weakness(theme, sum(right for right, _ in found[theme]), len(found[theme]))
        for gap, theme in sorted(weak)[:_WEAKEST]
        if gap < -_WEAK
    )
