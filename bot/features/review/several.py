"""The card for several reviewed games."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.chat.card import MAX_CHOICES, Card, Choice, TextFile, join_fitting_blocks
from bot.chat.columns import Column, lay_out, truncate_to_width
from bot.chat.control import Control
from bot.chat.markdown import as_spoiler, code_block, one_line
from bot.features.review.controls import GameMenu, ReviewGamesAgain, encode_query
from bot.features.review.values import PlayerReview, ReviewQuery, merge_players, players_csv
from bot.text import Translator

MAX_PLAYERS: Final = 30
"""Maximum number of players on the card. The CSV file lists all players."""
_MAX_NAME_LENGTH: Final = 24
_SHORT_NAME_LENGTH: Final = 10
_MAX_REASONS: Final = 5


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """A reviewed game with its player statistics."""

    query: ReviewQuery
    """Includes the lexicon used in the review."""
    players: tuple[PlayerReview, ...]
    """The players in seat order."""


@dataclass(frozen=True, slots=True)
class ReviewBatch:
    """The reviews of several games."""

    games: tuple[ReviewedGame, ...]
    refusals: tuple[str, ...]
    """For each game that cannot be reviewed, the reason."""
    skipped_game_count: int
    """Number of games not reviewed because the work was stopped, took too long, or met a ``problem``."""
    problem: str
    """Why the remaining games could not be reviewed, or empty."""
    deep_review_seconds: float
    """Estimated CPU seconds for deep reviews of the games that have only a quick review."""


def several_games_card(query: ReviewQuery, batch: ReviewBatch, *, left_out_document_count: int = 0) -> Card:
    """Return the card for several reviewed games.

    ``query`` is about the first game. ``left_out_document_count`` is the number of posted documents that were not read.
    """
    translate = query.context.translate
    players = merge_players(player for game in batch.games for player in game.players)
    left_out_texts = left_out_lines(batch, translate, left_out_document_count=left_out_document_count)
    if not players:
        return Card(join_fitting_blocks(left_out_texts), has_result=False)
    legend = (
        translate(
            "#: games · index: mistakes per game, weighted 0.2 (small), 0.5 (medium) or 1 (large) · "
            "acc.: accuracy · missed: missed bingos"
        )
        if any(player.bingos is not None for player in players)
        else translate("#: games · acc.: accuracy")
    )
    if any(player.blunders is not None for player in players):
        legend += " · " + translate("cp: centipawns lost per move · ??: blunders")
    blocks = [
        translate.plural("**{number} game reviewed**", "**{number} games reviewed**", len(batch.games)),
        code_block(_table(players[:MAX_PLAYERS], translate)),
        *left_out_texts,
    ]
    spoiler = any(game.query.moment.spoiler for game in batch.games)
    return Card(
        join_fitting_blocks([as_spoiler(block) for block in blocks] if spoiler else blocks),
        files=(TextFile("players.csv", players_csv(players), spoiler=spoiler),),
        controls=games_controls(batch, translate, query.lexicon),
        note=legend,
        accent="review",
    )


def left_out_lines(
    batch: ReviewBatch, translate: Translator, *, left_out_document_count: int = 0
) -> list[str]:
    lines = []
    if refusals := batch.refusals:
        lines = [
            translate.plural(
                "{number} game couldn't be reviewed:", "{number} games couldn't be reviewed:", len(refusals)
            ),
            *[f"- {reason}" for reason in dict.fromkeys(refusals)][:_MAX_REASONS],
        ]
    if left_out_count := batch.skipped_game_count + left_out_document_count:
        lines.append(
            translate.plural("{number} game was left out.", "{number} games were left out.", left_out_count)
        )
    return [*lines, batch.problem] if batch.problem else lines


def games_controls(
    batch: ReviewBatch, translate: Translator, lexicon: str, max_own_games: int = 0
) -> tuple[Control, ...]:
    def choice(number: int, game: ReviewedGame) -> Choice:
        names = (
            one_line(player.name) + ("" if player.points is None else f" {player.points}")
            for player in game.players
        )
        accuracies = (
            "–" if player.accuracy is None else translate.number(player.accuracy, ".0f")
            for player in game.players
        )
        description = translate("accuracy {accuracy}", accuracy=" – ".join(accuracies))
        return Choice(encode_query(game.query), f"{number}. {' – '.join(names)}", description)

    games = tuple(choice(number, game) for number, game in enumerate(batch.games[:MAX_CHOICES], start=1))
    return ReviewGamesAgain(
        max_own_games, lexicon, minutes=math.ceil(batch.deep_review_seconds / 60)
    ), GameMenu(max_own_games, lexicon, games)


def _table(players: Sequence[PlayerReview], translate: Translator) -> str:
    names = [truncate_to_width(one_line(player.name), _MAX_NAME_LENGTH) for player in players]
    return lay_out(
        [
            Column(
                translate("player"),
                tuple(names),
                is_left_aligned=True,
                short_cells=tuple(truncate_to_width(name, _SHORT_NAME_LENGTH) for name in names),
            ),
            Column("#", tuple(translate.number(player.game_count) for player in players)),
            *statistics_columns(players, translate),
        ]
    )


def statistics_columns(
    players: Sequence[PlayerReview], translate: Translator, *, with_missed_bingos: bool = True
) -> list[Column]:
    def column(title: str, values: Iterable[float | None], format_spec: str = ".0f") -> Column:
        return Column(
            title, tuple("" if value is None else translate.number(value, format_spec) for value in values)
        )

    return [
        column(translate("index"), (player.mistake_index for player in players), ".1f"),
        column(translate("acc."), (player.accuracy for player in players)),
        *(
            [column(translate("missed"), (player.missed_bingos for player in players))]
            if with_missed_bingos
            else []
        ),
        column(translate("cp"), (player.centipawns_lost for player in players)),
        column("??", (player.blunders for player in players)),
    ]
