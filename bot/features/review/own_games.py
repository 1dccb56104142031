"""Reviews the games that a user posted in a server.

Games are saved only for users who have opted in. Kibitz never guesses which player a user is. It asks once about each name, and
saves the answer for the server.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from statistics import fmean, stdev
from typing import Final

from bot.chat.card import (
    MAX_ALT_LENGTH,
    Card,
    Choice,
    Drawing,
    Moment,
    RefusalError,
    ReplyContext,
    TextFile,
    join_fitting_blocks,
    truncate,
)
from bot.chat.columns import Column, lay_out, truncate_to_width
from bot.chat.markdown import code_block, one_line, strip_markdown
from bot.features.review.controls import ChangePlayerNames, PlayerNameMenu
from bot.features.review.service import ReviewService, RunningReviews
from bot.features.review.several import (
    ReviewBatch,
    ReviewedGame,
    games_controls,
    left_out_lines,
    statistics_columns,
)
from bot.features.review.values import (
    STATISTICS,
    PlayerReview,
    ReviewQuery,
    UserGamesRequest,
    csv_text,
    merge_reviews,
)
from bot.features.showing.findings import FoundDocument
from bot.jobs.account import Requester
from bot.storage import user_games as storage
from bot.storage.store import Store
from bot.text import Translator
from render.scene import ChartScene, Series

MAX_NAMES_PER_MENU: Final = 24
"""The user may be asked about further names later, in another menu."""
MIN_COMPARED_GAMES: Final = 6
"""Minimum number of games for a comparison of the first half with the second half."""
AVERAGED_GAMES: Final = 5
"""Number of games in the chart's moving average."""
TREND_SIZE: Final = (640, 480)
"""Size of the chart in pixels. On a phone, the text in a larger chart would be too small."""

_MAX_NAME_LENGTH: Final = 16
_SHORT_NAME_LENGTH: Final = 7
_Z_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class UserGame:
    """A finished game that the user posted."""

    query: ReviewQuery
    posted_at: datetime
    names: tuple[str, ...]
    """The names in seat order. A missing name is an empty string."""
    name_keys: tuple[str, ...]
    """The names' keys in the store, empty for missing names."""
    seat: int | None = None
    """The user's seat, if known."""


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    user: PlayerReview
    opponent: PlayerReview
    game: ReviewedGame
    posted_at: datetime

    @property
    def is_chess(self) -> bool:
        return self.user.points is None


def names_question_card(
    games: Sequence[UserGame],
    claims: Mapping[str, bool],
    request: UserGamesRequest,
    *,
    ask_again: bool = False,
) -> Card | None:
    """Return a card that asks which of the players the user is, or None if there is no name to ask about.

    ``claims`` maps name keys to earlier answers: whether the name is the user's own. If ``ask_again``, ask about all names.
    """
    translate = request.context.translate
    name_counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for game in games:
        if ask_again or not any(claims.get(key) for key in game.name_keys):
            new_names = {
                key: name
                for name, key in zip(game.names, game.name_keys, strict=True)
                if key and (ask_again or key not in claims)
            }
            name_counts.update(new_names.keys())
            names = new_names | names
    if not names:
        return None
    lines = [
        translate("Which of these players are you? You're asked once for each name."),
        "-# "
        + translate(
            "Your answer is saved for this server, but the names themselves aren't. `/privacy "
            "delete` removes it."
        ),
    ]
    if len(names) > MAX_NAMES_PER_MENU:
        lines.append("-# " + translate("You may be asked about more names after these."))
    choices = tuple(
        Choice(key, names[key], translate.plural("in {number} game", "in {number} games", number))
        for key, number in name_counts.most_common(MAX_NAMES_PER_MENU)
    )
    own_keys = tuple(choice.value for choice in choices if claims.get(choice.value))
    return Card(
        "\n".join(lines),
        controls=(PlayerNameMenu(request.max_games, request.lexicon, request.depth, choices, own_keys),),
    )


def own_games_card(
    batch: ReviewBatch, request: UserGamesRequest, games: Sequence[UserGame], refusals: Sequence[str] = ()
) -> Card:
    """Return a card with the results of the user's games, earliest first.

    ``games`` includes games in which the user's seat is unknown. ``refusals`` are the reasons why other games cannot be reviewed.
    """
    translate = request.context.translate
    own_games_by_moment = {game.query.moment: game for game in games}
    rows = [
        _make_row(number, game, own_games_by_moment[game.query.moment])
        for number, game in enumerate(batch.games, start=1)
    ]
    left_out_texts = [
        *left_out_lines(batch, translate),
        *(f"- {reason}" for reason in dict.fromkeys(refusals)),
    ]
    if games_without_seat_count := sum(game.seat is None for game in games):
        left_out_texts.append(
            translate.plural(
                "{number} game is left out because you didn't play in it, or Kibitz doesn't know which side was "
                "yours.",
                "{number} games are left out because you didn't play in them, or Kibitz doesn't know which side "
                "was yours.",
                games_without_seat_count,
            )
        )
    if not rows:
        return Card(join_fitting_blocks(left_out_texts), has_result=False)
    rows_by_kind = [[row for row in rows if row.is_chess is is_chess] for is_chess in (False, True)]
    blocks = [
        block for kind_rows in rows_by_kind if kind_rows for block in _result_blocks(kind_rows, translate)
    ]
    return Card(
        join_fitting_blocks([*blocks, *left_out_texts]),
        _trend_drawings(rows_by_kind, request.context),
        files=(TextFile("games.csv", _csv(rows)),),
        controls=games_controls(batch, translate, request.lexicon, request.max_games),
        more_controls=(ChangePlayerNames(request.max_games, request.lexicon),),
        accent="review",
    )


def _make_row(number: int, game: ReviewedGame, user_game: UserGame) -> _Row:
    seat = user_game.seat or 0
    return _Row(number, game.players[seat], game.players[1 - seat], game, user_game.posted_at)


def _result_blocks(rows: Sequence[_Row], translate: Translator) -> list[str]:
    totals = merge_reviews([row.user for row in rows])
    parts = [
        translate("**{number} of your games**", number=totals.game_count),
        translate("won {won}", won=translate.number(totals.wins, ".1f" if totals.wins % 1 else ".0f")),
    ]
    if totals.accuracy is not None:
        parts.append(translate("accuracy {accuracy}", accuracy=translate.number(totals.accuracy, ".0f")))
    if totals.mistake_index is not None:
        parts.append(translate("mistake index {index}", index=translate.number(totals.mistake_index, ".1f")))
    if totals.luck is not None:
        parts.append(translate("luck {points}", points=translate.number(totals.luck, "+.0f")))
    if totals.missed_bingos:
        parts.append(
            translate.plural("{number} bingo missed", "{number} bingos missed", totals.missed_bingos)
        )
    if totals.blunders:
        parts.append(translate.plural("{number} blunder", "{number} blunders", totals.blunders))
    return [" · ".join(parts), code_block(_table(rows, translate)), *_compare_halves(rows, translate)]


def _table(rows: Sequence[_Row], translate: Translator) -> str:
    opponents = [truncate_to_width(one_line(row.opponent.name), _MAX_NAME_LENGTH) for row in rows]
    results = tuple(
        {1.0: "1–0", 0.5: "½–½"}.get(row.user.wins, "0–1")
        if row.is_chess
        else f"{row.user.points}–{row.opponent.points}"
        for row in rows
    )
    return lay_out(
        [
            Column("", tuple(str(row.number) for row in rows)),
            Column(
                translate("vs."),
                tuple(opponents),
                is_left_aligned=True,
                short_cells=tuple(truncate_to_width(name, _SHORT_NAME_LENGTH) for name in opponents),
            ),
            Column(translate("result"), results),
            *statistics_columns([row.user for row in rows], translate, with_missed_bingos=False),
        ]
    )


def _compare_halves(rows: Sequence[_Row], translate: Translator) -> list[str]:
    accuracies = _accuracies(rows)
    if len(accuracies) < MIN_COMPARED_GAMES:
        return []
    half = len(accuracies) // 2
    mean_texts = [
        f"{translate.number(fmean(part), '.0f')} ± {translate.number(_Z_95 * stdev(part) / math.sqrt(len(part)), '.0f')}"
        for part in (accuracies[:half], accuracies[-half:])
    ]
    return [
        translate(
            "Accuracy of the first {games}: {first}; of the last {games}: {last}.",
            games=half,
            first=mean_texts[0],
            last=mean_texts[1],
        )
    ]


def _accuracies(rows: Sequence[_Row]) -> list[float]:
    return [row.user.accuracy for row in rows if row.user.accuracy is not None]


def _trend_drawings(rows_by_kind: Sequence[Sequence[_Row]], context: ReplyContext) -> tuple[Drawing, ...]:
    translate = context.translate
    names = translate("crossword"), translate("chess")
    all_curves = zip(names, map(_accuracies, rows_by_kind), strict=True)
    curves = [(name, values) for name, values in all_curves if len(values) > 1]
    if not curves:
        return ()
    sentences = [
        translate(
            "Accuracy ({kind}), from the earliest game: {values}.",
            kind=name,
            values=", ".join(translate.number(value, ".0f") for value in values),
        )
        for name, values in curves
    ]
    alt = truncate(strip_markdown(" ".join(sentences)), MAX_ALT_LENGTH)
    return (Drawing(_trend_chart(curves, context), alt, name="trend"),)


def _trend_chart(curves: Sequence[tuple[str, Sequence[float]]], context: ReplyContext) -> ChartScene:
    translate = context.translate
    series = [Series(name, tuple(map(round, values))) for name, values in curves]
    if len(curves) == 1 and len(curves[0][1]) > AVERAGED_GAMES:
        values = curves[0][1]
        means = (fmean(values[max(0, end - AVERAGED_GAMES + 1) : end + 1]) for end in range(len(values)))
        series = [
            Series(translate("each game"), series[0].values),
            Series(translate("{number}-game average", number=AVERAGED_GAMES), tuple(map(round, means))),
        ]
    low = max(0, min(value for line in series for value in line.values) // 10 * 10 - 10)
    return ChartScene(
        translate("Accuracy"),
        tuple(series),
        context.appearance.theme,
        width=TREND_SIZE[0],
        height=TREND_SIZE[1],
        span=(low, 100),
        base=low,
        axis_names=("", translate("game no.")),
        first_number=1,
    )


_CSV_HEADER: Final = (
    "number", "posted", "player", "opponent", "won", "points", "opponent_points", *STATISTICS, "depth", "lexicon",
)  # fmt: skip


def _csv(rows: Sequence[_Row]) -> str:
    return csv_text(
        _CSV_HEADER,
        (
            [
                row.number,
                row.posted_at.date().isoformat(),
                row.user.name,
                row.opponent.name,
                row.user.wins,
                row.user.points,
                row.opponent.points,
                *(getattr(row.user, name) for name in STATISTICS),
                row.game.query.depth.value,
                row.game.query.lexicon,
            ]
            for row in rows
        ),
    )


class UserGameService:
    """Saves and reviews users' own games."""

    def __init__(self, reviews: ReviewService, store: Store) -> None:
        self._reviews = reviews
        self._store = store

    async def save_games(
        self, documents: Iterable[FoundDocument], source_id: int, guild_id: int, user_id: int
    ) -> None:
        """Save a message's finished games for the author, who has opted in.

        Raises:
            StoreError: the store is not available.
        """
        games = tuple(
            [found for found in documents if await self._reviews.can_review(found)][: storage.MAX_USER_GAMES]
        )
        # When the card was sent, only the documents on it were stored.
        await self._reviews.documents.save(games, user_id)
        await self._store.save_user_games(source_id, guild_id, user_id, [found.digest for found in games])

    async def review(
        self, request: UserGamesRequest, requester: Requester, *, ask_again: bool = False
    ) -> Card | RunningReviews:
        """Review the user's latest games, or return a card that asks for the player names.

        Raises:
            RefusalError: the user has no saved games, or the user's seat is unknown in all of them.

        """
        translate = request.context.translate
        games, refusals, claims = await self._load_games(request)
        if card := names_question_card(games, claims, request, ask_again=ask_again):
            return card
        queries = [game.query for game in games if game.seat is not None]
        if not queries and not refusals:
            raise RefusalError.with_text(
                translate(
                    "You didn't play in any of the games that you posted here, or Kibitz doesn't know which side "
                    "was yours."
                )
                if games
                else translate(
                    "You have no saved games in this server yet. From now on, finished games that you post "
                    "here are saved."
                )
            )
        return RunningReviews(
            self._reviews,
            queries,
            requester,
            partial(own_games_card, request=request, games=games, refusals=refusals),
        )

    async def games_with_seat(self, request: UserGamesRequest) -> list[tuple[ReviewQuery, int]]:
        """Return (query, user's seat) pairs for games with a known seat, latest first."""
        games, _, _ = await self._load_games(request)
        return [(game.query, game.seat) for game in reversed(games) if game.seat is not None]

    async def _load_games(
        self, request: UserGamesRequest
    ) -> tuple[list[UserGame], list[str], dict[str, bool]]:
        """Return the games (earliest first), the reasons why other games cannot be reviewed, and the claims."""
        claims = await self._store.player_names(request.guild_id, request.user_id)
        games, refusals = [], []
        for source_id, digest in reversed(
            await self._store.user_games(request.guild_id, request.user_id, request.max_games)
        ):
            query = ReviewQuery(Moment(digest, 0), request.context, request.lexicon, request.depth)
            try:
                all_names = await self._reviews.player_names(query)
            except RefusalError as error:
                refusals.append(error.card.text)
                continue
            names = tuple(next(filter(None, player_names), "") for player_names in all_names)
            keys = tuple(_name_key(name, request) for name in names)
            seats = [seat for seat, key in enumerate(keys) if claims.get(key)]
            seat = seats[0] if len(seats) == 1 else None
            posted_at = datetime.fromtimestamp(((source_id >> 22) + _DISCORD_EPOCH) / 1000, UTC)
            games.append(UserGame(query, posted_at, names, keys, seat))
        return games, refusals, claims


def _name_key(name: str, request: UserGamesRequest) -> str:
    """Return the hash that the store holds instead of a name, or an empty string for a missing name."""
    folded_name = " ".join(name.split()).casefold()
    if not folded_name:
        return ""
    text = f"{request.guild_id}:{request.user_id}:{folded_name}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_DISCORD_EPOCH: Final = 1_420_070_400_000
"""The start of 2015, in milliseconds of Unix time."""
