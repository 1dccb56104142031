"""Live games: every Turn URL posted in a channel continues its game, in whatever order they come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary

from bot.answers.crossword.live import (
    LiveSummary,
    answer_forgotten,
    answer_list,
    answer_may_not_forget,
    answer_no_seat,
    answer_unknown,
    answer_waiting,
)
from bot.answers.crossword.position import answer_positions
from bot.answers.crossword.viewer import answer_game, answer_viewer
from bot.answers.findings import Findings, Found, Link, LiveNews
from bot.answers.reply import Answer, Moment, Reply
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import LiveGame
from bot.domain.crossword.notations.turn_url.table import Joined, Post, Table, join, table_of
from bot.domain.reading.problems import ConversionError, DomainError
from bot.reading.sources import Origin, Source
from bot.scenes.crossword import View
from bot.service.documents import Documents
from bot.service.drawing import Artist
from bot.storage.errors import StoreError
from bot.storage.live_games import MAX_ID, LiveGameRecord, LiveText
from bot.text import Speaker, speaker

log = logging.getLogger(__name__)

Value = TypeVar("Value")

FORMAT = "turn-url"

MOST_TRIES = 20
"""How often a link is joined anew because somebody else continued the game meanwhile."""


class LiveGameStore(Protocol):
    """Where live games are kept."""

    async def live_game(self, channel_id: int, game_id: str) -> LiveGameRecord | None:
        """Return what a channel knows of a game, or None."""

    async def keep_live_game(self, record: LiveGameRecord, expected_version: int) -> bool:
        """Keep a game unless somebody else did since it was read."""

    async def live_games(self, channel_id: int, limit: int = 25) -> tuple[LiveGameRecord, ...]:
        """Return a channel's games, the latest first."""

    async def forget_live_game(self, channel_id: int, game_id: str) -> bool:
        """Forget a game; False when it was not kept."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a game by some links."""

    table: Table
    news: LiveNews
    changed: bool


class LiveGames:
    """The live games of all channels. Without a store every link stands alone."""

    def __init__(
        self, executor: Executor, artist: Artist, documents: Documents, store: LiveGameStore | None
    ) -> None:
        self._executor = executor
        self._artist = artist
        self._documents = documents
        self._store = store
        self._locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    async def follow(self, source: Source, findings: Findings) -> Findings:
        """Continue the games that a source's links are of, and put the games as they are now in the links' place.

        Doing it again with the same links changes nothing. What is shown in private is joined, but not kept.
        """
        if self._store is None or source.origin is None or not findings.links:
            return findings
        games: dict[str, list[Link]] = {}
        for link in findings.links:
            games.setdefault(link.url.game_id, []).append(link)
        for game_id, links in games.items():
            try:
                outcome = await self._continued(source.origin, game_id, tuple(links))
            except DomainError:
                continue  # said where the link was read, or when it is read alone
            except StoreError as error:
                # The link can still be shown as it is.
                log.warning("a live game cannot be continued: %s", error)
                return findings
            findings = await self._off_loop(partial(_in_place, findings, tuple(links), outcome))
        return findings

    async def game_ids(self, channel_id: int) -> tuple[str, ...]:
        """Return the ids of a channel's games, the latest first."""
        records = await self._store.live_games(channel_id) if self._store else ()
        return tuple(record.game_id for record in records)

    async def list_games(self, channel_id: int, locale: str) -> Reply:
        """List a channel's games."""
        records = await self._store.live_games(channel_id) if self._store else ()
        say = speaker(locale)
        games = await self._off_loop(lambda: [_summary(record) for record in records])
        return answer_list(games, say).undrawn()

    async def show(
        self, origin: Origin, game_id: str, locale: str, view: View, *, own_rack: bool = False
    ) -> Reply:
        """Show a game as it is now; ``own_rack`` with the asker's own rack, for the asker's eyes alone."""
        say = speaker(locale)
        record = await self._store.live_game(origin.channel_id, game_id) if self._store else None
        if record is None:
            return answer_unknown(game_id, say).undrawn()
        table = await self._off_loop(lambda: _table(record))
        if not own_rack:
            news = _with_state(LiveNews(game_id), table)
            item = await self._off_loop(lambda: _found(table, news))
            if item is None:
                return answer_waiting((news,), say).undrawn()
            await self._documents.keep((item,), origin.author_id)
            return await self._artist.drawn(await self._off_loop(lambda: _shown(item, view, say)))
        seat = table.seat_of(origin.author_id)
        if seat is None:
            return answer_no_seat(say).undrawn()
        return await self._artist.drawn(await self._off_loop(lambda: _with_rack(table, seat, view, say)))

    async def forget(self, origin: Origin, game_id: str, locale: str, *, moderator: bool) -> Reply:
        """Forget a game for one of those who posted it, or for a moderator."""
        say = speaker(locale)
        record = await self._store.live_game(origin.channel_id, game_id) if self._store else None
        if record is None or self._store is None:
            return answer_unknown(game_id, say).undrawn()
        if not moderator and origin.author_id not in record.author_ids:
            return answer_may_not_forget(say).undrawn()
        await self._store.forget_live_game(origin.channel_id, game_id)
        return answer_forgotten(game_id, say).undrawn()

    async def _continued(self, origin: Origin, game_id: str, links: tuple[Link, ...]) -> _Outcome:
        """Join links to their game and keep it, unless the origin is private.

        Raises:
            DomainError: a link does not fit a game at all.
            StoreError: the database cannot do it.

        """
        assert self._store is not None  # looked at before
        if len(game_id) > MAX_ID:
            raise ConversionError(
                "long-game-id", "the id of a live game has at most {limit} characters", limit=MAX_ID
            )
        lock = self._locks.setdefault((origin.channel_id, game_id), asyncio.Lock())
        async with lock:
            for _ in range(MOST_TRIES):
                record = await self._store.live_game(origin.channel_id, game_id)
                outcome = await self._off_loop(partial(_joined, record, game_id, links, origin.author_id))
                if not origin.public:
                    return replace(outcome, news=replace(outcome.news, begun=False))
                if not outcome.changed:
                    return outcome
                following = _record(record, origin, game_id, outcome.table)
                if following is None:
                    return replace(outcome, news=replace(outcome.news, kept=False, begun=False))
                if await self._store.keep_live_game(following, record.version if record else 0):
                    return outcome
        raise RuntimeError(f"a live game was changed {MOST_TRIES} times while a link was joined to it")

    async def _off_loop(self, work: Callable[[], Value]) -> Value:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def _table(record: LiveGameRecord) -> Table:
    """Put a kept game together again. What cannot be read any more is passed over."""
    posts = []
    for kept in record.texts:
        try:
            posts.append(Post(kept.author_id, turn_url.read(kept.text).value))
        except DomainError:  # only if the reader has become stricter since
            continue
    return table_of(record.game_id, tuple(posts))


def _record(
    record: LiveGameRecord | None, origin: Origin, game_id: str, table: Table
) -> LiveGameRecord | None:
    """Return what is to be kept of a game; None when it has become too long."""
    texts = tuple(LiveText(post.author_id, turn_url.write(post.url)) for post in table.posts)
    guild_id = record.guild_id if record else origin.guild_id
    try:
        return LiveGameRecord(origin.channel_id, game_id, guild_id, texts)
    except ValueError:
        return None


def _joined(record: LiveGameRecord | None, game_id: str, links: tuple[Link, ...], author_id: int) -> _Outcome:
    """Join links to what is kept of their game."""
    table = _table(record) if record else Table((), LiveGame(game_id))
    steps: list[Joined] = []
    for link in links:
        step = join(table, Post(author_id, link.url))
        if step.contradictions and link.url.is_history and table.played is not None and table.played.over:
            # The old game is done: its id is used for a new one.
            step = join(Table((), LiveGame(game_id)), Post(author_id, link.url))
        steps.append(step)
        table = step.table
    changed = any(step.changed for step in steps)
    news = LiveNews(
        game_id,
        begun=changed and record is None and table.played is not None and not table.played.over,
        last=max(link.url.next_turn - 1 for link in links),
        contradictions=tuple(one for step in steps for one in step.contradictions),
        refusals=tuple(one for step in steps for one in step.refusals),
    )
    return _Outcome(table, _with_state(news, table), changed)


def _with_state(news: LiveNews, table: Table) -> LiveNews:
    game = table.game
    return replace(news, known=table.turns, waiting=game.waiting, missing=game.missing)


def _found(table: Table, news: LiveNews, *, spoiler: bool = False) -> Found | None:
    """Return a game as a document that can be shown; None while its start is not known."""
    history = table.game.history
    if history is None or table.played is None:
        return None
    return Found(FORMAT, turn_url.write(history), table.played.game, spoiler=spoiler, news=news)


def _in_place(findings: Findings, links: tuple[Link, ...], outcome: _Outcome) -> Findings:
    """Put a game as it is now in the place of links of it."""
    texts = {link.text for link in links}
    item = _found(outcome.table, outcome.news, spoiler=any(link.spoiler for link in links))
    found: list[Found] = []
    placed = item is None
    for one in findings.found:
        if one.format != FORMAT or one.text not in texts:
            found.append(one)
        elif item is not None and not placed:
            found.append(replace(item, warnings=one.warnings))
            placed = True
    if item is not None and not placed:
        found.append(item)
    refused = tuple(one for one in findings.refused if one.format != FORMAT or one.text not in texts)
    rest = tuple(one for one in findings.links if one.text not in texts)
    waiting = findings.waiting
    if item is None:
        # What a hidden link says of a turn stays hidden; which turn it is does not give anything away.
        hidden = any(link.spoiler for link in links)
        waiting += (replace(outcome.news, contradictions=()) if hidden else outcome.news,)
    return replace(findings, found=tuple(found), refused=refused, links=rest, waiting=waiting)


def _shown(item: Found, view: View, say: Speaker) -> Answer:
    return answer_game(item, view, say) or answer_positions((item,), view, say, menus=True)


def _with_rack(table: Table, seat: int, view: View, say: Speaker) -> Answer:
    """Show a game with one player's rack. No control may lead to it: it is for one person and one moment."""
    history = table.game.history
    assert history is not None  # who has a seat has played
    game = turn_url.game(history, reveal={seat}).value
    item = Found(FORMAT, turn_url.write(history), game)
    moment = Moment(item.digest, len(game.turns), side=seat)
    return replace(answer_viewer(item, game, moment, view, say), viewer=None)


def _summary(record: LiveGameRecord) -> LiveSummary:
    try:
        table = _table(record)
    except DomainError:  # only if the rules have become stricter since
        return LiveSummary(record.game_id, (), (), 0, over=False, missing=(), updated=record.updated)
    names: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    if table.played is not None:
        names = table.played.names[-1]
        scores = tuple(
            player.score for player in table.played.game.position_at(len(table.played.game.turns)).players
        )
    return LiveSummary(
        record.game_id,
        names,
        scores,
        table.turns,
        over=table.played is not None and table.played.over,
        missing=table.game.missing,
        updated=record.updated,
    )
