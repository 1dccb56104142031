"""A look back at one's own games: those that a person posted in a server, who the person is in them, and how they went.

Only what a person wants kept is kept, and only that person is told. Which of the players somebody is, nobody guesses: it
is asked once for each name, and remembered for that person in that server.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from statistics import fmean, stdev
from typing import Final, Protocol

from bot.chat.card import Card, Drawing, NoAnswerError, TextFile
from bot.chat.columns import Column, cut, lay_out
from bot.chat.markdown import code_block, one_line, plain
from bot.chat.moment import Choice, Moment
from bot.chat.page import clipped, fitting
from bot.chat.style import Style
from bot.features.review.cards import Reviewed, ReviewedGame, cells, games_menu, left_out_words
from bot.features.review.controls import Who
from bot.features.review.question import LookBack, ReviewQuestion
from bot.features.review.scenes import trend_chart
from bot.features.review.service import Reviews, RunningReviews
from bot.features.review.values import Depth, PlayerGame, cell, total
from bot.features.showing.desk import Desk
from bot.features.showing.findings import Found
from bot.features.showing.words import MAX_ALT
from bot.jobs.queue import Asker
from bot.storage.own_games import MAX_GAMES, OwnGame
from bot.text import Speaker

MAX_ASKED: Final = 24
"""Names in a menu; the others are asked about after these."""
LEAST_COMPARED: Final = 6
"""Games from which on the first and the second half are compared."""

_MAX_NAME: Final = 16
_SHORT_NAME: Final = 7
_Z_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class AskedName:
    """A name of which it is asked whether it is the asker."""

    key: str
    """What stands for it."""
    name: str
    games: int
    own: bool


@dataclass(frozen=True, slots=True)
class OwnReview:
    """A game that somebody looks back at."""

    moment: Moment
    seat: int
    """Where that person sat."""
    posted: datetime


@dataclass(frozen=True, slots=True)
class Back:
    """What somebody looks back at."""

    games: tuple[OwnReview, ...]
    refused: tuple[str, ...]
    """Of each game that cannot be reviewed any more, why."""
    others: int
    """Games that are left out because the person is none of the players, or it is not certain which."""
    last: int
    """How many games were asked for."""


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    own: PlayerGame
    other: PlayerGame
    game: ReviewedGame
    posted: datetime

    @property
    def is_chess(self) -> bool:
        return self.own.points is None


def answer_names(asked: Sequence[AskedName], say: Speaker, *, last: int, depth: Depth, lexicon: str) -> Card:
    """Ask somebody which of the players of the own games they are."""
    words = [
        say("Which of these players are you? I do not guess, and ask once for each name."),
        "-# "
        + say(
            "I remember it for you in this server, not the names themselves; `/privacy delete` forgets it."
        ),
    ]
    if len(asked) > MAX_ASKED:
        words.append("-# " + say("Further names follow after these."))
    choices = tuple(
        Choice(one.key, one.name, say.count("in {number} game", "in {number} games", one.games))
        for one in asked[:MAX_ASKED]
    )
    own = tuple(one.key for one in asked[:MAX_ASKED] if one.own)
    return Card("\n".join(words), controls=(Who(last, lexicon, depth, choices, own),))


def answer_own_games(reviewed: Reviewed, back: Back, style: Style, lexicon: str) -> Card:
    """Tell somebody how the own games went, the earliest first."""
    say = style.say
    of = {game.moment: game for game in back.games}
    rows = [
        _Row(
            number,
            game.players[of[game.question.moment].seat],
            game.players[1 - of[game.question.moment].seat],
            game,
            of[game.question.moment].posted,
        )
        for number, game in enumerate(reviewed.games, start=1)
    ]
    left_out = left_out_words(reviewed, say) if reviewed.refused or reviewed.left or reviewed.problem else []
    left_out += [f"- {reason}" for reason in dict.fromkeys(back.refused)]
    if back.others:
        left_out.append(
            say.count(
                "{number} game is left out: you are none of its players, or it is not certain which.",
                "{number} games are left out: you are none of their players, or it is not certain which.",
                back.others,
            )
        )
    if not rows:
        return Card(fitting(left_out), found=False)
    blocks = []
    for kind in (False, True):
        if shown := [row for row in rows if row.is_chess is kind]:
            blocks += _kind(shown, say)
    drawings = _trend(rows, style)
    text = fitting([*blocks, *left_out])
    file = TextFile("games.csv", _csv(rows))
    return Card(text, drawings, files=(file,), controls=games_menu(reviewed, say, lexicon, back.last))


def _kind(rows: Sequence[_Row], say: Speaker) -> list[str]:
    """Tell the games of one kind: the totals, the table, and whether it gets better."""
    together = total([row.own for row in rows])
    parts = [
        say.count("**{number} game of yours**", "**{number} games of yours**", together.games),
        say("won {won}", won=say.number(together.won, ".1f" if together.won % 1 else ".0f")),
    ]
    if together.accuracy is not None:
        parts.append(say("accuracy {accuracy}", accuracy=say.number(together.accuracy, ".0f")))
    if together.mistake_index is not None:
        parts.append(say("index {index}", index=say.number(together.mistake_index, ".1f")))
    if together.luck is not None:
        parts.append(say("luck {points}", points=say.number(together.luck, "+.0f")))
    if together.missed_bingos:
        parts.append(say.count("{number} bingo missed", "{number} bingos missed", together.missed_bingos))
    if together.blunders:
        parts.append(say.count("{number} blunder", "{number} blunders", together.blunders))
    halves = _halves(rows, say)
    return [" · ".join(parts), code_block(_table(rows, say)), *halves]


def _table(rows: Sequence[_Row], say: Speaker) -> str:
    others = [cut(one_line(row.other.player), _MAX_NAME) for row in rows]
    if rows[0].is_chess:
        results = tuple({1.0: "1–0", 0.5: "½–½"}.get(row.own.won, "0–1") for row in rows)
    else:
        results = tuple(f"{row.own.points}–{row.other.points}" for row in rows)
    return lay_out(
        [
            Column("", tuple(str(row.number) for row in rows)),
            Column(
                say("against"),
                tuple(others),
                to_the_left=True,
                short=tuple(cut(name, _SHORT_NAME) for name in others),
            ),
            Column(say("result"), results),
            Column(say("index"), cells([row.own.mistake_index for row in rows], ".1f", say)),
            Column(say("acc."), cells([row.own.accuracy for row in rows], ".0f", say)),
            Column(say("cp"), cells([row.own.centipawns_lost for row in rows], ".0f", say)),
            Column("??", cells([row.own.blunders for row in rows], ".0f", say)),
        ]
    )


def _halves(rows: Sequence[_Row], say: Speaker) -> list[str]:
    """Compare the accuracy of the earlier games with that of the later ones, each mean with its 95 % interval."""
    known = [row.own.accuracy for row in rows if row.own.accuracy is not None]
    if len(known) < LEAST_COMPARED:
        return []
    half = len(known) // 2
    words = [
        f"{say.number(fmean(part), '.0f')} ± {say.number(_Z_95 * stdev(part) / math.sqrt(len(part)), '.0f')}"
        for part in (known[:half], known[-half:])
    ]
    return [
        say(
            "Accuracy of the first {games}: {first}; of the last {games}: {last}.",
            games=half,
            first=words[0],
            last=words[1],
        )
    ]


def _trend(rows: Sequence[_Row], style: Style) -> tuple[Drawing, ...]:
    """Draw the accuracy of each game, a line for each kind of game; nothing to draw with less than two games."""
    say = style.say
    lines = []
    for kind, name in ((False, say("crossword")), (True, say("chess"))):
        own = [row for row in rows if row.is_chess is kind and row.own.accuracy is not None]
        if len(own) > 1:
            lines.append((name, [row.own.accuracy or 0.0 for row in own]))
    if not lines:
        return ()
    words = [
        say(
            "Accuracy ({kind}), from the earliest game: {values}.",
            kind=name,
            values=", ".join(say.number(value, ".0f") for value in values),
        )
        for name, values in lines
    ]
    alt = clipped(plain(" ".join(words)), MAX_ALT)
    return (Drawing(trend_chart(lines, style), alt, name="trend"),)


_COLUMNS: Final = (
    "mistake_index", "accuracy", "bingos", "missed_bingos", "luck", "centipawns_lost", "blunders",
)  # fmt: skip


def _csv(rows: Sequence[_Row]) -> str:
    """Return the games as CSV (RFC 4180), with when they were posted, who won, and how closely they were looked at."""
    written = io.StringIO()
    lines = csv.writer(written)
    lines.writerow(
        [
            "number",
            "posted",
            "player",
            "opponent",
            "won",
            "points",
            "opponent_points",
            *_COLUMNS,
            "depth",
            "lexicon",
        ]
    )
    for row in rows:
        values = [
            row.number,
            row.posted.date().isoformat(),
            row.own.player,
            row.other.player,
            row.own.won,
            row.own.points,
            row.other.points,
            *(getattr(row.own, name) for name in _COLUMNS),
            row.game.question.depth.value,
            row.game.question.lexicon,
        ]
        lines.writerow(cell(value) for value in values)
    return written.getvalue()


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

    async def look_back(self, back: LookBack, asker: Asker, *, ask: bool = False) -> Card | RunningReviews:
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


def _tell(reviewed: Reviewed, *, looked: Back, back: LookBack) -> Card:
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
