"""A live game as a group plays it: links posted by people, joined to one game that the rules allow.

A link may come late, twice, or be wrong. What was told first stands; a turn that cannot be played is left out as soon
as that is known, which for a turn that had to wait may be later than its coming.

Who sits where is nowhere in a link, and cannot be proved: the one who posts a player's turn is taken for that player.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bot.domain.crossword.game import ORDINARY
from bot.domain.crossword.notations.turn_url.live import Contradiction, LiveGame
from bot.domain.crossword.notations.turn_url.replay import Replayed, replay
from bot.domain.crossword.notations.turn_url.values import TurnUrl
from bot.domain.reading.problems import RuleError


@dataclass(frozen=True, slots=True)
class Post:
    """A link and who posted it."""

    author_id: int
    url: TurnUrl


@dataclass(frozen=True, slots=True)
class Refusal:
    """A turn that the rules forbid, so that it was left out."""

    turn: int
    error: RuleError


@dataclass(frozen=True, slots=True)
class Table:
    """What is known of a live game, and who told it."""

    posts: tuple[Post, ...]
    game: LiveGame
    played: Replayed | None = field(default=None, repr=False)
    """The game from its start up to the first gap; None while only deltas have come."""

    @property
    def turns(self) -> int:
        """How many turns have been played from the start."""
        history = self.game.history
        return len(history.turns) if history is not None else 0

    def seat_of(self, author_id: int) -> int | None:
        """Return the seat of the one who posted its turns, and no other seat's; None for everybody else.

        A turn counts for the first who posted it as the last of a link. A history of more turns than a player's
        link has tells nothing of who posts it: anybody may hand the whole game on.
        """
        seats: dict[int, set[int]] = {}
        told: set[int] = set()
        for post in self.posts:
            last = post.url.next_turn - 1
            new = set(range(post.url.turn_number, last + 1)) - told
            told |= new
            if last in new and last <= self.turns and self._is_a_players(post.url):
                seats.setdefault(post.author_id, set()).add((last - 1) % self._players)
        theirs = seats.pop(author_id, set())
        if len(theirs) != 1 or any(theirs & others for others in seats.values()):
            return None
        return theirs.pop()

    @property
    def _players(self) -> int:
        return len(self.game.start.settings.player_names) if self.game.start else 1

    def _is_a_players(self, url: TurnUrl) -> bool:
        """Tell whether a link is as short as one that a player sends on: the turns of one round at most."""
        return not url.is_history or len(url.turns) <= max(1, self._players - 1) or self._players == 1


@dataclass(frozen=True, slots=True)
class Joined:
    """A table after one more link, and what came of the link."""

    table: Table
    changed: bool
    """Whether the link told anything that is kept."""
    new: tuple[int, ...] = ()
    """The numbers of the turns that were not known before."""
    contradictions: tuple[Contradiction, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def table_of(game_id: str, posts: tuple[Post, ...]) -> Table:
    """Join posts that are known to fit together, in the order they came.

    Raises:
        RuleError: the game cannot be played even without turns: too few tiles, too many players.

    """
    return _settled(game_id, posts)[0]


def join(table: Table, post: Post) -> Joined:
    """Join one more post.

    Raises:
        ConversionError: the link is of another game, or its turns are over the limit of a game.
        RuleError: the game cannot be played even without turns.

    """
    before = replace(table.game, contradictions=())
    after = before.with_url(post.url)
    if (after.start, after.turns, after.changes) == (before.start, before.turns, before.changes):
        return Joined(table, changed=False, contradictions=after.contradictions)
    settled, refusals = _settled(before.game_id, (*table.posts, post))
    known = {number for number, _ in before.turns}
    new = tuple(number for number, _ in settled.game.turns if number not in known)
    changed = settled.posts != table.posts
    return Joined(settled if changed else table, changed, new, after.contradictions, refusals)


def _settled(game_id: str, posts: tuple[Post, ...]) -> tuple[Table, tuple[Refusal, ...]]:
    """Join posts, leaving out turns that cannot be played until those that are left can be."""
    refusals: list[Refusal] = []
    while True:
        game = LiveGame(game_id)
        for post in posts:
            game = game.with_url(post.url)
        history = game.history
        if history is None:
            return Table(posts, game), tuple(refusals)
        reading = replay(history)
        played = sum(turn.kind in ORDINARY for turn in reading.value.game.turns)
        if played == len(history.turns):
            if reading.error is not None:
                raise reading.error
            return Table(posts, game, reading.value), tuple(refusals)
        error = reading.error
        assert error is None or isinstance(error, RuleError)
        refusals.append(
            Refusal(played + 1, error or RuleError("game-over", "the game was over before this turn"))
        )
        posts = _without(posts, played + 1)


def _without(posts: tuple[Post, ...], turn: int) -> tuple[Post, ...]:
    """Cut the post that told a turn first down to what it told before."""
    for place, post in enumerate(posts):
        url = post.url
        if url.turn_number <= turn < url.next_turn:
            kept = replace(url, turns=url.turns[: turn - url.turn_number])
            rest = (replace(post, url=kept),) if kept.turns or kept.is_history else ()
            return (*posts[:place], *rest, *posts[place + 1 :])
    raise ValueError(f"no post tells turn {turn}")
