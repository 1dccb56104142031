"""A live game: merges posted Turn URLs into one game, and assigns its seats to users.

A turn that arrives early waits until no turn before it is missing. A turn that cannot be played is left out. A turn that
contradicts a known turn is reported, and replaces the known turn only if the player in the turn's seat posted it and another
user posted the known turn.

A link does not name its author, and anyone can make up a link. So a user gets a seat only if the posts prove who plays there (the
players answered each other for a round), or if the other players agree. See ``docs/live-games.md``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple
from zlib import crc32

from bot.domain.crossword.game import MAX_TURNS
from bot.domain.crossword.notations.turn_url.draws import djb2
from bot.domain.crossword.notations.turn_url.replay import ReplayedGame, replay_for_onlookers
from bot.domain.crossword.notations.turn_url.url import Changes, GameSettings, TurnUrl, UrlTurn, WordTurn
from bot.domain.crossword.play import ORDINARY_KINDS
from bot.domain.reading.problems import ConversionError, RuleError

MAX_CONTRADICTIONS = 100


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two URLs that do not agree."""

    turn: int
    """Number of the turn, or 0 for the settings of the game."""
    accepted: UrlTurn | GameSettings
    rejected: UrlTurn | GameSettings


@dataclass(frozen=True, slots=True)
class LiveGame:
    """The known part of a game."""

    game_id: str
    start: TurnUrl | None = None
    """The settings, as a history without turns. None while only deltas are known. :class:`TurnUrl` explains both words."""
    turns: tuple[tuple[int, UrlTurn], ...] = ()
    """(turn number, turn) pairs of the known turns, in order. There may be gaps."""
    changes: tuple[tuple[int, Changes], ...] = ()
    """(turn number, settings that change before that turn) pairs, in order."""
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def history(self) -> TurnUrl | None:
        """The game from its start to the first gap, or None while only deltas are known."""
        if self.start is None:
            return None
        turns_before_gap = [
            turn for place, (number, turn) in enumerate(self.turns, start=1) if number == place
        ]
        start_changes = self.start.changes
        for number, changes in self.changes:
            if number > len(turns_before_gap) + 1:
                break
            if number == 1:
                start_changes = _merge_changes(start_changes, changes)
            else:
                previous_turn = turns_before_gap[number - 2]
                turns_before_gap[number - 2] = replace(
                    previous_turn, changes=_merge_changes(previous_turn.changes, changes)
                )
        return replace(self.start, turns=tuple(turns_before_gap), changes=start_changes)

    @property
    def waiting_turns(self) -> tuple[int, ...]:
        """The numbers of the turns after the first gap."""
        return tuple(number for place, (number, _) in enumerate(self.turns, start=1) if number != place)

    @property
    def missing_turns(self) -> tuple[int, ...]:
        """The numbers of the unknown turns before the last known turn."""
        known_turns = {number for number, _ in self.turns}
        last_known = self.turns[-1][0] if self.turns else 0
        return tuple(
            number for number in range(1, min(last_known, MAX_TURNS) + 1) if number not in known_turns
        )

    def with_url(self, turn_url: TurnUrl) -> LiveGame:
        """Return the game merged with another URL of the same game.

        Raises:
            ConversionError: the URL belongs to another game, or the game would have too many turns.

        """
        if turn_url.game_id != self.game_id:
            raise ConversionError(
                "another-game",
                "the URL belongs to the game {given}, not to {kept}",
                given=turn_url.game_id,
                kept=self.game_id,
            )
        if turn_url.next_turn_number > MAX_TURNS + 1:
            raise ConversionError("too-many-turns", "a game has at most {limit} turns", limit=MAX_TURNS)
        contradictions = list(self.contradictions)
        start = self.start
        if turn_url.is_history:
            settings_url = replace(turn_url, turns=(), changes=())
            if start is None:
                start = settings_url
            elif start.settings != settings_url.settings:
                contradictions.append(Contradiction(0, start.settings, settings_url.settings))
        turns = dict(self.turns)
        for number, turn in enumerate(turn_url.turns, start=turn_url.turn_number):
            known_turn = turns.setdefault(number, turn)
            if _without_changes(known_turn) != _without_changes(turn):
                contradictions.append(Contradiction(number, known_turn, turn))
            elif known_turn != turn:
                turns[number] = replace(known_turn, changes=_merge_changes(known_turn.changes, turn.changes))
        changes = dict(self.changes)
        if turn_url.changes:
            changes[turn_url.turn_number] = _merge_changes(
                changes.get(turn_url.turn_number, ()), turn_url.changes
            )
        return LiveGame(
            self.game_id,
            start,
            tuple(sorted(turns.items(), key=itemgetter(0))),
            tuple(sorted(changes.items())),
            tuple(dict.fromkeys(contradictions))[:MAX_CONTRADICTIONS],
        )


def _without_changes(turn: UrlTurn) -> UrlTurn:
    return replace(turn, changes=()) if turn.changes else turn


def _merge_changes(changes: Changes, more_changes: Changes) -> Changes:
    return tuple(dict.fromkeys((*changes, *more_changes)))


@dataclass(frozen=True, slots=True)
class Post:
    """A link and the user who posted it."""

    author_id: int
    url: TurnUrl


@dataclass(frozen=True, slots=True)
class RefusedTurn:
    """A turn that was left out because the rules forbid it."""

    turn: int
    error: RuleError


@dataclass(frozen=True, slots=True)
class MergedGame:
    """The known part of a live game, merged from posts."""

    posts: tuple[Post, ...]
    game: LiveGame
    replay_result: ReplayedGame | None = field(default=None, repr=False)
    """The game from its start to the first gap, as onlookers see it, or None while only deltas are known."""

    @property
    def turn_count(self) -> int:
        """Number of turns before the first gap, or 0 while only deltas are known."""
        history = self.game.history
        return len(history.turns) if history is not None else 0

    @property
    def draws_id(self) -> int | None:
        """The number that identifies the draws, or None while the seed is unknown."""
        return djb2(self.game.start.seed) if self.game.start is not None else None

    @property
    def player_count(self) -> int:
        """Number of players; 1 while unknown."""
        return len(self.game.start.settings.player_names) if self.game.start else 1

    def seat_of_turn(self, turn: int) -> int:
        return (turn - 1) % self.player_count

    def first_posts(self) -> dict[int, FirstPost]:
        first_posts: dict[int, FirstPost] = {}
        for index, post in enumerate(self.posts):
            url, last_turn = post.url, post.url.next_turn_number - 1
            # A player's link that starts at turn 1 has fewer turns than the game has players.
            is_short = len(url.turns) <= max(1, self.player_count - 1) or self.player_count == 1
            for turn in range(url.turn_number, last_turn + 1):
                is_from_player_link = turn == last_turn and (not url.is_history or is_short)
                first_posts.setdefault(
                    turn, FirstPost(post.author_id, index, is_from_player_link=is_from_player_link)
                )
        return first_posts


class FirstPost(NamedTuple):
    """The first post that contains a turn."""

    author_id: int
    post_index: int
    is_from_player_link: bool
    """Whether the turn was the last in a delta or a short history, as in the links that players send. Anyone can forward a whole game."""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The game after a link was merged into it, and the effects of the link."""

    merged: MergedGame
    has_changed: bool
    contradictions: tuple[Contradiction, ...] = ()
    refused_turns: tuple[RefusedTurn, ...] = ()


def merge_posts(game_id: str, posts: tuple[Post, ...]) -> MergedGame:
    """Merge the posts of a game, in order. Unplayable turns are left out.

    Raises:
        RuleError: the game cannot even start: it has too few tiles or too many players.

    """
    return _merge_legal_turns(game_id, posts)[0]


def merge(merged: MergedGame, post: Post, known_occupants: Mapping[int, int] | None = None) -> MergeResult:
    """Merge another post into the game.

    ``known_occupants`` maps seats to known players. A known player's version of their own turn replaces another user's version.

    Raises:
        ConversionError: the link belongs to another game, or the game would have too many turns.
        RuleError: the game cannot even start.

    """
    first_posts, known_occupants = merged.first_posts(), known_occupants or {}
    # The author's turns that another user posted first.
    turns_to_replace = {
        number: turn
        for number, turn in enumerate(post.url.turns, start=post.url.turn_number)
        if known_occupants.get(merged.seat_of_turn(number)) == post.author_id
        and number in first_posts
        and first_posts[number].author_id != post.author_id
    }
    if turns_to_replace:
        merged = replace(merged, posts=_remove_turns(merged.posts, turns_to_replace))
        merged = replace(merged, game=_game_of_posts(merged.game.game_id, merged.posts))
    game_before = replace(merged.game, contradictions=())
    game_after = game_before.with_url(post.url)
    if (game_after.start, game_after.turns, game_after.changes) == (
        game_before.start,
        game_before.turns,
        game_before.changes,
    ):
        return MergeResult(merged, has_changed=False, contradictions=game_after.contradictions)
    merged_after, refused_turns = _merge_legal_turns(game_before.game_id, (*merged.posts, post))
    has_changed = merged_after.posts != merged.posts
    return MergeResult(
        merged_after if has_changed else merged, has_changed, game_after.contradictions, refused_turns
    )


def _merge_legal_turns(game_id: str, posts: tuple[Post, ...]) -> tuple[MergedGame, tuple[RefusedTurn, ...]]:
    refused_turns: list[RefusedTurn] = []
    while True:
        game = _game_of_posts(game_id, posts)
        history = game.history
        if history is None:
            return MergedGame(posts, game), tuple(refused_turns)
        reading = replay_for_onlookers(history)
        played_count = sum(turn.kind in ORDINARY_KINDS for turn in reading.value.game.turns)
        if played_count == len(history.turns):
            if reading.error is not None:
                raise reading.error
            return MergedGame(posts, game, reading.value), tuple(refused_turns)
        error = reading.error or RuleError("game-over", "the game had ended before this turn")
        refused_turns.append(RefusedTurn(played_count + 1, error))
        posts = _shorten_before(posts, played_count + 1)


def _game_of_posts(game_id: str, posts: tuple[Post, ...]) -> LiveGame:
    game = LiveGame(game_id)
    for post in posts:
        game = game.with_url(post.url)
    return game


def _remove_turns(posts: tuple[Post, ...], turns: Collection[int]) -> tuple[Post, ...]:
    """Remove turns from all posts, and split the posts there. The first part of a history keeps the settings."""
    remaining_posts: list[Post] = []
    for post in posts:
        url, first_turn = post.url, post.url.turn_number
        removed_turns = [number for number in range(first_turn, url.next_turn_number) if number in turns]
        if not removed_turns:
            remaining_posts.append(post)
            continue
        part_url = url
        for end in (*removed_turns, url.next_turn_number):
            run = url.turns[part_url.turn_number - first_turn : end - first_turn]
            if run or part_url.is_history:
                remaining_posts.append(replace(post, url=replace(part_url, turns=run)))
            part_url = TurnUrl(url.game_id, end + 1, base=url.base)
    return tuple(remaining_posts)


def _shorten_before(posts: tuple[Post, ...], turn: int) -> tuple[Post, ...]:
    """Shorten the first post that contains ``turn``, so that the post ends before that turn."""
    ranges = [range(post.url.turn_number, post.url.next_turn_number) for post in posts]
    index = next(index for index, numbers in enumerate(ranges) if turn in numbers)
    shortened_posts = _remove_turns(posts[index : index + 1], range(turn, ranges[index].stop))
    return (*posts[:index], *shortened_posts, *posts[index + 1 :])


class SeatOutcome(Enum):
    """The result of claiming, confirming or freeing a seat."""

    CLAIM_STORED = "claim stored"
    """The claim is stored. The seats are not yet confirmed."""
    CONFIRMED = "confirmed"
    """All players are seated."""
    TAKEN = "taken"
    ALREADY_SEATED = "seated"
    NOT_SEATED = "not seated"
    """The user has no seat or claim to free."""
    CHANGED = "changed"
    """The seats have changed since the button was shown."""
    NOT_PERMITTED = "not permitted"
    """The user may not confirm the seats."""
    FREED = "freed"
    """The user's seat or claim was removed, or a moderator removed all seats and claims."""


@dataclass(frozen=True, slots=True)
class Seats:
    """The seats of a game, with the ids of their users."""

    player_count: int
    first_poster_id: int | None = None
    """The user who posted the first link of the game, or None if unknown."""
    occupants: Mapping[int, int | None] = field(default_factory=dict)
    """The user in each occupied seat, or None for a seat that can no longer be taken."""
    claims: Mapping[int, int] = field(default_factory=dict)
    """The user who claims each unoccupied seat, until the seats are confirmed."""
    settled_turn_count: int = 0
    """Number of turns in the game when the seats were confirmed, or proved by playing. These turns are
    trusted, even if another user posted them."""
    last_disputed_turn: int = 0
    """The last turn that was posted in two versions before the next player answered it, or the last turn before a seat
    was freed. That turn and earlier turns do not prove who has which seat."""

    @property
    def known_occupants(self) -> dict[int, int]:
        return {seat: user for seat, user in self.occupants.items() if user is not None}

    @property
    def digest(self) -> str:
        """A digest of the seats and claims. Each button stores the digest that was current when the button was shown."""
        return f"{crc32(repr((sorted(self.occupants.items()), sorted(self.claims.items()))).encode()):08x}"

    def seat_of(self, user: int) -> int | None:
        return next((seat for seat, holder in self.occupants.items() if holder == user), None)

    def is_free(self, seat: int) -> bool:
        return 0 <= seat < self.player_count and seat not in self.occupants

    def may_confirm(self, user: int) -> bool:
        """Return whether the user may confirm the seats, as a player or as the author of the first link."""
        return user == self.first_poster_id or self.seat_of(user) is not None

    def claim(self, user: int, seat: int, seen_digest: str, turn_count: int) -> tuple[Seats, SeatOutcome]:
        """Claim a seat for a user. Until the seats are confirmed, only the user's last claim counts.

        The claim also confirms the other claims if the user may confirm the seats, ``seen_digest`` shows that the user saw these
        claims, and no seat is left unclaimed.
        """
        if self.seat_of(user) is not None:
            return self, SeatOutcome.ALREADY_SEATED
        if not self.is_free(seat):
            return self, SeatOutcome.TAKEN
        other_claims = {other: claimant for other, claimant in self.claims.items() if claimant != user}
        seats = replace(self, claims={**other_claims, seat: user})
        if self.may_confirm(user) and seen_digest == self.digest and seats.is_full:
            return seats._with_claimants_seated(turn_count), SeatOutcome.CONFIRMED  # noqa: SLF001 - same class
        return seats, SeatOutcome.CLAIM_STORED

    def confirm(
        self, user: int, seen_digest: str, turn_count: int, *, is_moderator: bool
    ) -> tuple[Seats, SeatOutcome]:
        """Seat all claimants if ``user`` may do so, every seat is taken or claimed, and no seat or claim has changed since ``user`` saw them."""
        if not (is_moderator or self.may_confirm(user)):
            return self, SeatOutcome.NOT_PERMITTED
        if seen_digest != self.digest or not self.is_full:
            return self, SeatOutcome.CHANGED
        return self._with_claimants_seated(turn_count), SeatOutcome.CONFIRMED

    def free(self, user: int, turn_count: int, *, is_moderator: bool) -> tuple[Seats, SeatOutcome]:
        """Remove the user's seat or claim. If a moderator has neither, remove all seats and claims.

        After a seat is freed, earlier turns no longer prove who has which seat.
        """
        if self.seat_of(user) is None and user not in self.claims.values():
            if not is_moderator:
                return self, SeatOutcome.NOT_SEATED
            return replace(self, occupants={}, claims={}, last_disputed_turn=turn_count), SeatOutcome.FREED
        remaining_occupants = {seat: holder for seat, holder in self.occupants.items() if holder != user}
        had_seat = len(remaining_occupants) < len(self.occupants)
        return replace(
            self,
            occupants=remaining_occupants,
            claims={seat: claimant for seat, claimant in self.claims.items() if claimant != user},
            last_disputed_turn=turn_count if had_seat else self.last_disputed_turn,
        ), SeatOutcome.FREED

    def after_link(self, merged: MergedGame, author: int, *, contradicts_last_turn: bool) -> Seats:
        """Return the seats after a link posted by ``author`` was merged.

        ``contradicts_last_turn`` is set if the link contains a different version of the last known turn.
        """
        if contradicts_last_turn and author not in self.known_occupants.values():
            return replace(self, last_disputed_turn=max(self.last_disputed_turn, merged.turn_count))
        proved_players = self._proved_players(merged)
        if proved_players is None:
            return replace(self, settled_turn_count=min(self.settled_turn_count, merged.turn_count))
        return replace(self, occupants=proved_players, claims={}, settled_turn_count=merged.turn_count)

    def last_trusted_turn(self, merged: MergedGame) -> int:
        """Return the latest turn up to which racks may be shown.

        After the first ``settled_turn_count`` turns, a turn counts only if its player has a seat and posted it. Without this rule, a
        player could make up another player's turn and see the next draws too early.
        """
        first_posts = merged.first_posts()
        for turn in range(min(self.settled_turn_count, merged.turn_count) + 1, merged.turn_count + 1):
            if self.occupants.get(merged.seat_of_turn(turn)) != first_posts[turn].author_id:
                return turn - 1
        return merged.turn_count

    def is_end_trusted(self, merged: MergedGame) -> bool:
        """Return whether the players posted the end of the game, or one user posted the whole game."""
        authors = {post.author_id for post in merged.posts}
        is_by_one_person = not self.occupants and authors == {self.first_poster_id}
        return is_by_one_person or (
            len(self.known_occupants) == self.player_count
            and self.last_trusted_turn(merged) == merged.turn_count
        )

    @property
    def is_full(self) -> bool:
        """Whether the game has several seats, all of them taken or claimed by different users."""
        users_by_seat = {**self.occupants, **self.claims}
        return (
            len(users_by_seat) == self.player_count > 1
            and len(set(users_by_seat.values())) == self.player_count
        )

    def _with_claimants_seated(self, turn_count: int) -> Seats:
        return replace(
            self, occupants={**self.occupants, **self.claims}, claims={}, settled_turn_count=turn_count
        )

    def _proved_players(self, merged: MergedGame) -> dict[int, int | None] | None:
        """Return the players if the last turns (a round and one more turn) prove who they are, or else None.

        Each turn of the round must have been posted by a different user, and the turn after it by the first of these users. The
        posts must be in order, and must look like the links that players send. One of the users must be a known player, or must
        have posted the first link of the game. Each seat must have played a word, because anyone can make up passes and
        exchanges.
        """
        last_turn, player_count = merged.turn_count, self.player_count
        first_turn = last_turn - player_count
        if (
            first_turn <= self.last_disputed_turn
            or first_turn < 1
            or player_count < 2
            or len(self.occupants) == player_count
        ):
            return None
        first_posts = merged.first_posts()
        last_posts = [first_posts[turn] for turn in range(first_turn, last_turn + 1)]
        users = [post.author_id for post in last_posts]
        are_in_order = all(post.post_index < next_post.post_index for post, next_post in pairwise(last_posts))
        is_full_round = users[0] == users[-1] and len(set(users)) == player_count
        if not are_in_order or not is_full_round or not all(post.is_from_player_link for post in last_posts):
            return None
        turns = dict(merged.game.turns)
        word_seats = {
            merged.seat_of_turn(turn)
            for turn in range(first_turn, last_turn + 1)
            if isinstance(turns[turn], WordTurn)
        }
        proved_players: dict[int, int | None] = {
            merged.seat_of_turn(turn): users[turn - first_turn] for turn in range(first_turn, last_turn)
        }
        matches_occupants = all(proved_players.get(seat) == holder for seat, holder in self.occupants.items())
        has_known_user = self.first_poster_id in users or bool(self.occupants)
        is_proved = matches_occupants and has_known_user and len(word_seats) == player_count
        return proved_players if is_proved else None
