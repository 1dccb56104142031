"""A server's daily puzzle (*daily*): its schedule, choice, cards and leaderboards.

The date in the server's time zone determines the number of a daily.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.chat.card import Card, RefusalError, ReplyContext
from bot.chat.columns import MAX_WIDTH, Column, lay_out
from bot.chat.markdown import code_block, one_line
from bot.features.puzzles.cards import card_text, join_lines, stars_text, tries_note
from bot.features.puzzles.controls import daily_controls
from bot.features.puzzles.selection import LibraryEntry, PuzzleKind, PuzzleLevel
from bot.features.puzzles.service import PuzzleService, ShownPuzzle
from bot.features.puzzles.streaks import daily_number
from bot.features.showing.document_service import DocumentService
from bot.storage.dailies import DailyKey, DailyPost, DailySettings, DueServer
from bot.storage.puzzles import DailyCounts, Standing
from bot.storage.store import Store
from bot.text import Translator

MAX_DELAY = timedelta(hours=20)
"""A post that is delayed by more than this is skipped, because the next post is due soon."""
_DAY: Final = timedelta(days=1)


def post_time(settings: DailySettings, day: date) -> datetime:
    """Return the time in UTC at which a server's post is due on a day.

    If daylight saving time skips the hour, the post is due ``settings.hour`` hours after midnight. If the hour occurs twice, the
    first occurrence counts.
    """
    return datetime.combine(day, time(settings.hour), _zone_of(settings)).astimezone(UTC)


def latest_due_day(settings: DailySettings, now: datetime) -> date:
    day = now.astimezone(_zone_of(settings)).date()
    while post_time(settings, day) > now:
        day -= _DAY
    return day


def _zone_of(settings: DailySettings | None) -> tzinfo:
    return UTC if settings is None else find_zone(settings.zone) or UTC


def choose_puzzle(
    entries: Iterable[LibraryEntry], kind: PuzzleKind, level: PuzzleLevel, number: int
) -> str | None:
    """Return the id of the daily puzzle with this number, or None if there are no puzzles of this kind.

    ``level`` selects all bundled puzzles, or their easier or harder half. The selected puzzles are sorted by a digest of the id, so
    the order looks random but is the same in all servers. All of these puzzles appear before any is repeated.
    """
    bundled_entries = [entry for entry in entries if entry.kind is kind and entry.is_bundled]
    if not bundled_entries:
        return None
    entries_by_rating = sorted(bundled_entries, key=lambda entry: (entry.rating, entry.id))
    half_count = (len(entries_by_rating) + 1) // 2
    candidates = {
        PuzzleLevel.EASY: entries_by_rating[:half_count],
        PuzzleLevel.NORMAL: entries_by_rating,
        PuzzleLevel.HARD: entries_by_rating[len(entries_by_rating) - half_count :],
    }[level]
    shuffled_entries = sorted(
        candidates, key=lambda entry: hashlib.sha256(f"{kind}:{entry.id}".encode()).digest()
    )
    return shuffled_entries[number % len(shuffled_entries)].id


MAX_NAMED_SOLVERS: Final = 20
MAX_RANK: Final = 10
"""Last rank on a leaderboard. If users share ranks, at most twice this many users are listed."""


def daily_card(
    post: DailyPost,
    puzzle: ShownPuzzle | None,
    counts: DailyCounts,
    context: ReplyContext,
    *,
    is_closed: bool = False,
    has_solution: bool = False,
) -> Card:
    """Return a daily's card. ``puzzle`` may be None if the daily is over and its puzzle is no longer in the library.

    ``has_solution`` means that the solution is posted below the card.
    """
    translate, key = context.translate, post.key
    number, note = str(key.number), _counts_line(counts, translate)
    if has_solution:
        text = translate("Daily {number} is over; its solution is below.", number=number)
    elif is_closed or puzzle is None:
        text = translate("Daily {number} is over.", number=number)
    else:
        text = card_text(translate("**Daily {number}**", number=number), puzzle.question(translate))
        separator = " · " if counts.tried else " "
        note = f"{note}{separator}{translate('Answers are private until the next daily.')}"
    return Card(
        text,
        () if puzzle is None else (puzzle.drawing(0, context),),
        controls=daily_controls(key.game, key.number, "" if is_closed else post.puzzle),
        note=note,
        accent="puzzle",
    )


def _counts_line(counts: DailyCounts, translate: Translator) -> str:
    if not counts.tried:
        return translate("No tries yet.")
    return translate(
        "Tried: {tried} · solved: {solved} · on the first try: {first}",
        tried=counts.tried,
        solved=counts.solved,
        first=counts.first_try,
    )


def solution_card(
    post: DailyPost,
    puzzle: ShownPuzzle,
    counts: DailyCounts,
    solvers: Sequence[tuple[int, int]],
    context: ReplyContext,
) -> Card:
    """Return the card with a daily's solution. ``solvers`` are (user id, streak) pairs of the users to name."""
    translate, key = context.translate, post.key
    text, drawing = puzzle.solution(context)
    head = translate("**Daily {number}**", number=str(key.number))
    solvers_line = _solvers_line(counts, solvers, translate) if counts.solved else ""
    return Card(
        join_lines(f"{head} · {_counts_line(counts, translate)}", text, solvers_line),
        (drawing,),
        controls=daily_controls(key.game, key.number),
        note=translate("Puzzle rating: {rating}", rating=puzzle.rating or 0),
        accent="puzzle",
    )


def _solvers_line(counts: DailyCounts, solvers: Sequence[tuple[int, int]], translate: Translator) -> str:
    names = [
        f"<@{user}>" + (f" 🔥{streak}" if streak > 1 else "") for user, streak in solvers[:MAX_NAMED_SOLVERS]
    ]
    unnamed_count = counts.solved - len(names)
    if not names:
        return translate("To show your name here, turn on `named` in `/settings me`.")
    if unnamed_count > 0:
        names.append(translate.plural("{number} more", "{number} more", unnamed_count))
    return translate("Solved by: {names}", names=", ".join(names))


def leaderboard_rows(standings: Sequence[Standing]) -> list[Standing]:
    return [standing for standing in standings if standing.rank <= MAX_RANK][: 2 * MAX_RANK]


def leaderboard_card(
    title: str,
    standings: Sequence[Standing],
    names: Mapping[int, str],
    reader_id: int | None,
    translate: Translator,
) -> Card:
    """Return a leaderboard's card. Users without a name in ``names`` stay anonymous.

    ``standings`` contains every user who solved a daily in the period, in order of rank.
    """
    if not standings:
        return Card(
            join_lines(title, translate("No one has solved a daily here in this period.")), accent="puzzle"
        )
    rows = leaderboard_rows(standings)
    anonymous_name = translate("a player")
    shown_names = tuple(one_line(names.get(standing.user_id, anonymous_name), MAX_WIDTH) for standing in rows)
    table = lay_out(
        [
            Column("", tuple(str(standing.rank) for standing in rows)),
            Column(translate("name"), shown_names, is_left_aligned=True, short_cells=shown_names),
            Column(translate("stars"), tuple(str(standing.stars) for standing in rows)),
            Column(translate("solved"), tuple(str(standing.solved) for standing in rows), is_optional=True),
        ]
    )
    own_rank_lines = [
        translate("Your rank: {rank} of {all}.", rank=standing.rank, all=len(standings))
        for standing in standings
        if standing.user_id == reader_id
    ]
    note = (
        ""
        if all(standing.may_be_named for standing in rows)
        else translate("To show your name here, turn on `named` in `/settings me`.")
    )
    return Card(join_lines(title, code_block(table), *own_rank_lines), note=note, accent="puzzle")


class Period(StrEnum):
    """The period that a leaderboard covers."""

    WEEK = "week"
    MONTH = "month"
    ALL = "all"


class DailyService:
    """The daily puzzles of all servers. ``clock`` returns the current time as a timezone-aware datetime."""

    def __init__(
        self, documents: DocumentService, store: Store, puzzles: PuzzleService, clock: Callable[[], datetime]
    ) -> None:
        self._documents = documents
        self.store = store
        self._puzzles = puzzles
        self._clock = clock

    async def configure(
        self, guild_id: int, change: Callable[[DailySettings | None], DailySettings]
    ) -> tuple[DailySettings, datetime]:
        """Change a server's settings. Return the new settings, and when the next daily is due."""

        def with_due_time(old_settings: DailySettings | None) -> tuple[DailySettings, datetime]:
            settings = change(old_settings)
            return settings, post_time(settings, latest_due_day(settings, self._clock()) + _DAY)

        return await self.store.change_daily_settings(guild_id, with_due_time)

    async def stop(self, guild_id: int) -> None:
        await self.store.delete_daily_settings(guild_id)
        for post in await self.store.open_dailies(guild_id):
            await self.store.close_daily(post.key)

    def current_daily(self, server: DueServer) -> tuple[int, bool, datetime]:
        """Return the current daily's number, whether it is too late to post it, and when the next daily is due."""
        now, settings = self._clock(), server.settings
        day = latest_due_day(settings, now)
        is_late = now - post_time(settings, day) > MAX_DELAY
        return daily_number(day), is_late, post_time(settings, day + _DAY)

    async def choose_puzzle_id(self, key: DailyKey, level: str) -> str | None:
        library = await self._puzzles.load_library()
        return await self._documents.run(
            lambda: choose_puzzle(
                library.entries.values(), PuzzleKind(key.game), PuzzleLevel(level), key.number
            )
        )

    async def make_card(
        self, post: DailyPost, context: ReplyContext, *, is_closed: bool = False, has_solution: bool = False
    ) -> Card:
        """Return a daily's card. Raise RefusalError if the daily is not over and the library no longer has the puzzle."""
        counts = await self.store.daily_counts(post.key)
        try:
            puzzle = await self._puzzles.load_puzzle(
                PuzzleKind(post.key.game), post.puzzle, context.translate
            )
        except RefusalError:
            if not is_closed:
                raise
            puzzle = None
        return await self._documents.run_and_draw(
            daily_card, post, puzzle, counts, context, is_closed=is_closed, has_solution=has_solution
        )

    async def make_solution_card(self, post: DailyPost, context: ReplyContext) -> Card:
        """Return the card with a daily's solution. Raise RefusalError if the library no longer has the puzzle."""
        puzzle = await self._puzzles.load_puzzle(PuzzleKind(post.key.game), post.puzzle, context.translate)
        counts = await self.store.daily_counts(post.key)
        solvers = await self.store.daily_solvers(post.key, MAX_NAMED_SOLVERS)
        return await self._documents.run_and_draw(solution_card, post, puzzle, counts, solvers, context)

    async def result_to_share(self, user_id: int, key: DailyKey, translate: Translator) -> str:
        """Return the text that shares a user's result. Raise RefusalError if the user has not solved the daily."""
        progress, kind = await self.store.daily_answer(user_id, key), PuzzleKind(key.game)
        if progress is None or not progress.solved:
            raise RefusalError.with_text(translate("You haven't solved this daily."))
        streak = (await self._puzzles.streak(user_id, kind)).days
        name = translate("Kibitz daily {number}", number=str(key.number))
        parts = (
            f"{name}{' ♟' if kind is PuzzleKind.CHESS else ''} {stars_text(progress)}",
            # The correct answer also counts as a try.
            tries_note(replace(progress, wrong_answers=progress.wrong_answers + 1), translate),
            translate("streak {days}", days=streak) if streak else "",
        )
        return " · ".join(filter(None, parts))

    async def standings(self, guild_id: int, kind: PuzzleKind | None, period: Period) -> tuple[Standing, ...]:
        zone = _zone_of(await self.store.daily_settings(guild_id))
        day = self._clock().astimezone(zone).date()
        number = daily_number(day)
        since = {Period.WEEK: number - day.weekday(), Period.MONTH: number - day.day + 1, Period.ALL: 0}[
            period
        ]
        return await self.store.standings(guild_id, kind, since)


def find_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # an OSError means a folder, such as "Europe"
        return None


@cache
def zones() -> tuple[str, ...]:
    return tuple(sorted(available_timezones()))
