"""A look back at one's own games: those that a person posted in a server, who the person is in them, and how they went.

Only what a person wants kept is kept, and only that person is told. Which of the players somebody is, nobody guesses: it
is asked once for each name, and remembered for that person in that server.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol

from bot.chat.moment import Moment
from bot.chat.reply import NoAnswerError, Reply
from bot.features.review.own_games_card import AskedName, Back, OwnReview, answer_names, answer_own_games
from bot.features.review.question import LookBack, ReviewQuestion
from bot.features.review.service import Reviews, RunningReviews
from bot.features.review.together_card import Reviewed
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.jobs.queue import Asker
from bot.storage.own_games import MAX_GAMES, OwnGame

_EPOCH: Final = 1_420_070_400_000
"""When Discord's ids begin to count milliseconds, in those of Unix."""


class OwnGameKeeper(Protocol):
    """Where it is kept who posted which game where."""

    async def keep_own_games(
        self, source_id: int, guild_id: int, user_id: int, digests: Collection[str]
    ) -> None:
        """Keep the games of a message as its author's, in place of those it had."""

    async def own_games(self, guild_id: int, user_id: int, limit: int) -> tuple[OwnGame, ...]:
        """Return the latest games that somebody posted in a server."""

    async def own_names(self, guild_id: int, user_id: int) -> dict[str, bool]:
        """Return what somebody said of names in a server, by what stands for them: whether it is they."""

    async def keep_own_names(self, guild_id: int, user_id: int, said: Mapping[str, bool]) -> None:
        """Keep what somebody says of names in a server."""


@dataclass(frozen=True, slots=True)
class _OwnGame:
    question: ReviewQuestion
    posted: datetime
    names: tuple[str, ...]
    """What the players are called, by seat."""
    keys: tuple[str, ...]
    """What stands for these names; empty for one who has none."""


class OwnGames:
    """Looks back at people's own games."""

    def __init__(self, desk: Desk, reviews: Reviews, keeper: OwnGameKeeper) -> None:
        self._desk = desk
        self._reviews = reviews
        self._keeper = keeper

    async def collect(self, found: Iterable[Found], source_id: int, guild_id: int, user_id: int) -> None:
        """Keep the finished games of a message that was answered as its author's, who wants that.

        Raises:
            StoreError: the store cannot keep them now.

        """
        games = tuple([item for item in found if await self._reviews.is_reviewed(item)][:MAX_GAMES])
        # Of games that came together not all may be kept for the controls under the answer.
        await self._desk.documents.keep(games, user_id)
        digests = [item.digest for item in games]
        await self._keeper.keep_own_games(source_id, guild_id, user_id, digests)

    async def look_back(self, back: LookBack, asker: Asker, *, ask: bool = False) -> Reply | RunningReviews:
        """Begin to review somebody's latest games, or ask first which of the players the person is; with ``ask`` anew.

        Raises:
            NoAnswerError: there are none.

        """
        say = back.style.say
        kept = await self._keeper.own_games(back.guild_id, back.user_id, back.last)
        games, refused = await self._read(kept, back)
        said = await self._keeper.own_names(back.guild_id, back.user_id)
        if asked := _to_ask(games, said, ask=ask):
            return answer_names(asked, say, last=back.last, depth=back.depth, lexicon=back.lexicon)
        seats = {game.question.moment.digest: _seat(game, said) for game in games}
        own = [game for game in games if seats[game.question.moment.digest] is not None]
        if not own and not refused:
            raise NoAnswerError.saying(
                say(
                    "I know of no finished game of yours here. Those that you post in this server from now on are kept for you."
                )
                if not games
                else say("You are none of the players of the games that you posted here.")
            )
        looked = Back(
            tuple(
                OwnReview(game.question.moment, seat, game.posted)
                for game in own
                if (seat := seats[game.question.moment.digest]) is not None
            ),
            tuple(refused),
            len(games) - len(own),
            back.last,
        )
        tell = partial(_tell, looked=looked, back=back)
        return RunningReviews(self._desk, self._reviews, [game.question for game in own], asker, tell)

    async def seated(self, back: LookBack) -> list[tuple[ReviewQuestion, int]]:
        """Return somebody's latest games with where the person sat, the latest first; those left out where that is unknown."""
        games, _ = await self._read(
            await self._keeper.own_games(back.guild_id, back.user_id, back.last), back
        )
        said = await self._keeper.own_names(back.guild_id, back.user_id)
        seats = [(game.question, _seat(game, said)) for game in reversed(games)]
        return [(question, seat) for question, seat in seats if seat is not None]

    async def say_names(self, back: LookBack, offered: Iterable[str], chosen: Collection[str]) -> None:
        """Remember which of the names that were offered are the person's own."""
        said = {key: key in chosen for key in offered}
        await self._keeper.keep_own_names(back.guild_id, back.user_id, said)

    async def _read(self, kept: Sequence[OwnGame], back: LookBack) -> tuple[list[_OwnGame], list[str]]:
        """Return games with the names of their players, the earliest first, and why others are not reviewed."""
        games, refused = [], []
        for game in reversed(kept):
            question = ReviewQuestion(Moment(game.digest, 0), back.style, back.lexicon, back.depth)
            try:
                names = await self._reviews.players_of(question)
            except NoAnswerError as no:
                refused.append(no.reply.text)
                continue
            keys = tuple(_key(name, back) for name in names)
            games.append(_OwnGame(question, _posted(game.source_id), names, keys))
        return games, refused


def _tell(reviewed: Reviewed, *, looked: Back, back: LookBack) -> Reply:
    return answer_own_games(reviewed, looked, back.style, back.lexicon)


def _to_ask(games: Sequence[_OwnGame], said: Mapping[str, bool], *, ask: bool) -> list[AskedName]:
    """Return the names to be asked about: those of games in which nobody is known to be the person.

    With ``ask`` all names are asked about once more.
    """
    found: dict[str, AskedName] = {}
    for game in games:
        if not ask and any(said.get(key) for key in game.keys):
            continue
        for name, key in zip(game.names, game.keys, strict=True):
            if key and (ask or key not in said):
                before = found.get(key, AskedName(key, name, 0, own=said.get(key, False)))
                found[key] = replace(before, games=before.games + 1)
    return sorted(found.values(), key=lambda one: -one.games)


def _seat(game: _OwnGame, said: Mapping[str, bool]) -> int | None:
    """Return where the person sat in a game; None when that was nowhere, or is not certain."""
    seats = [seat for seat, key in enumerate(game.keys) if said.get(key)]
    return seats[0] if len(seats) == 1 else None


def _key(name: str, back: LookBack) -> str:
    """Return what stands for a name: the name itself is nobody's to keep."""
    folded = " ".join(name.split()).casefold()
    if not folded:
        return ""
    text = f"{back.guild_id}:{back.user_id}:{folded}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _posted(source_id: int) -> datetime:
    """Return when a message was posted, as its id tells."""
    return datetime.fromtimestamp(((source_id >> 22) + _EPOCH) / 1000, UTC)
