"""A live game as a group plays it: links posted by people, joined to one game that the rules allow.

A link may come late, twice, or be wrong. What was told first stands; a turn that cannot be played is left out as soon
as that is known, which for a turn that had to wait may be later than its coming.

Who sits where is nowhere in a link; :mod:`bot.domain.crossword.notations.turn_url.seats` says how it comes to be known. What a
player says of the own turns stands over what others said of them before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.domain.crossword.game import ORDINARY
from bot.domain.crossword.notations.turn_url.draws import draws_of
from bot.domain.crossword.notations.turn_url.live import Contradiction, LiveGame
from bot.domain.crossword.notations.turn_url.replay import Replayed, seen_by_all
from bot.domain.crossword.notations.turn_url.values import TurnUrl, UrlTurn
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
    """What is known of a live game, and who posted it."""

    posts: tuple[Post, ...]
    game: LiveGame
    played: Replayed | None = field(default=None, repr=False)
    """The game from its start up to the first gap, as onlookers see it; None while only deltas have come."""

    @property
    def turns(self) -> int:
        """How many turns have been played from the start."""
        history = self.game.history
        return len(history.turns) if history is not None else 0

    @property
    def draws(self) -> int | None:
        """What the draws follow from; None while that is not known."""
        return draws_of(self.game.start.seed) if self.game.start is not None else None

    @property
    def players(self) -> int:
        """How many play; 1 while that is not known."""
        return len(self.game.start.settings.player_names) if self.game.start else 1

    def seat(self, turn: int) -> int:
        """Return whose turn it is, as a seat from 0."""
        return (turn - 1) % self.players

    def tellers(self) -> dict[int, Teller]:
        """Return for each turn the author who posted it first."""
        told: dict[int, Teller] = {}
        for place, post in enumerate(self.posts):
            last = post.url.next_turn - 1
            for turn in range(post.url.turn_number, last + 1):
                as_player = turn == last and self._is_a_players(post.url)
                told.setdefault(turn, Teller(post.author_id, place, as_player=as_player))
        return told

    def _is_a_players(self, url: TurnUrl) -> bool:
        """Tell whether a link is as short as one that a player sends on: the turns of one round at most."""
        return not url.is_history or len(url.turns) <= max(1, self.players - 1) or self.players == 1


@dataclass(frozen=True, slots=True)
class Teller:
    """The author who posted a turn first."""

    author_id: int
    place: int
    """Which post of the game it was."""
    as_player: bool
    """Whether it was the last turn of a link that a player would send; whole games are handed on by anybody."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A table after one more link, and what came of the link."""

    table: Table
    changed: bool
    """Whether the link held anything that is kept."""
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


def join(table: Table, post: Post, seated: Mapping[int, int] | None = None) -> Joined:
    """Join one more post. ``seated`` maps known authors to their seats: what others posted of their turns gives way.

    Raises:
        ConversionError: the link is of another game, or its turns are over the limit of a game.
        RuleError: the game cannot be played even without turns.

    """
    own = _own_turns(table, post, seated or {})
    if own:
        table = replace(table, posts=_yielding(table.posts, own))
        table = replace(table, game=_game(table.game.game_id, table.posts))
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
        game = _game(game_id, posts)
        history = game.history
        if history is None:
            return Table(posts, game), tuple(refusals)
        reading = seen_by_all(history)
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


def _game(game_id: str, posts: tuple[Post, ...]) -> LiveGame:
    game = LiveGame(game_id)
    for post in posts:
        game = game.with_url(post.url)
    return game


def _own_turns(table: Table, post: Post, seated: Mapping[int, int]) -> dict[int, UrlTurn]:
    """Return the turns of a post that are its author's own, and that somebody else posted before."""
    tellers = table.tellers()
    return {
        number: turn
        for number, turn in enumerate(post.url.turns, start=post.url.turn_number)
        if seated.get(table.seat(number)) == post.author_id
        and number in tellers
        and tellers[number].author_id != post.author_id
    }


def _yielding(posts: tuple[Post, ...], turns: Mapping[int, UrlTurn]) -> tuple[Post, ...]:
    """Cut turns out of all posts, which come apart there; what is left of a history keeps its settings."""
    kept: list[Post] = []
    for post in posts:
        url, first = post.url, post.url.turn_number
        if not any(number in turns for number in range(first, url.next_turn)):
            kept.append(post)
            continue
        run: list[UrlTurn] = []
        head = url
        for number, turn in enumerate(url.turns, start=first):
            if number not in turns:
                run.append(turn)
                continue
            if run or head.is_history:
                kept.append(replace(post, url=replace(head, turns=tuple(run))))
            head, run = TurnUrl(url.game_id, number + 1, base=url.base), []
        if run:
            kept.append(replace(post, url=replace(head, turns=tuple(run))))
    return tuple(kept)


def _without(posts: tuple[Post, ...], turn: int) -> tuple[Post, ...]:
    """Cut the post that held a turn first down to what it holds before that turn."""
    for place, post in enumerate(posts):
        url = post.url
        if url.turn_number <= turn < url.next_turn:
            kept = replace(url, turns=url.turns[: turn - url.turn_number])
            rest = (replace(post, url=kept),) if kept.turns or kept.is_history else ()
            return (*posts[:place], *rest, *posts[place + 1 :])
    raise ValueError(f"no post tells turn {turn}")
