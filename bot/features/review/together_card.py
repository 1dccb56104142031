"""The answer to "how do we play?": the players of several reviewed games in one table, and as a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bot.chat.columns import Column, cut, lay_out
from bot.chat.control import Control
from bot.chat.markdown import behind_bars, code_block, one_line
from bot.chat.moment import Choice
from bot.chat.page import fitting
from bot.chat.reply import Reply, TextFile
from bot.chat.style import Style
from bot.features.review.controls import games_controls, write_review
from bot.features.review.question import ReviewQuestion
from bot.features.review.together import PlayerGame, PlayerGames, players_csv, together
from bot.text import Speaker

MAX_PLAYERS = 30
"""Players in the table of a message; the file has all."""
MAX_LISTED = 25
"""Games in a menu."""
_MAX_NAME = 24
_SHORT_NAME = 10
_MAX_REASONS = 5


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """What a review says of the players of a game, by seat."""

    question: ReviewQuestion
    """Names the review, with the lexicon that was used."""
    players: tuple[PlayerGame, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of the review of several games."""

    games: tuple[ReviewedGame, ...]
    """In their order."""
    refused: tuple[str, ...]
    """Of each game that is not reviewed, why."""
    left: int
    """How many were not looked at, because it was stopped or took too long."""
    problem: str
    """Why no further ones were looked at; empty when nothing was in the way."""
    seconds: float
    """Seconds of a processor that a closer look at all takes, about."""


def answer_together(
    reviewed: Reviewed, style: Style, lexicon: str, *, unread: int = 0, spoiler: bool = False
) -> Reply:
    """Tell how the players of reviewed games play.

    ``lexicon`` is the one that was asked for, ``unread`` how many games were never looked at.
    """
    say = style.say
    players = together(player for game in reviewed.games for player in game.players)
    left_out = left_out_words(reviewed, say, unread=unread)
    if not players:
        return Reply(fitting(left_out), found=False)
    blocks = [
        say.count("**{number} game reviewed**", "**{number} games reviewed**", len(reviewed.games)),
        code_block(_table(players[:MAX_PLAYERS], say)),
    ]
    if any(player.bingos is not None for player in players):
        words = say(
            "#: games · index: of a game on average, 0.2 for a small, 0.5 for a medium, 1 for a large mistake"
            " · acc.: accuracy · missed: bingos"
        )
    else:
        words = say("#: games · acc.: accuracy · cp: centipawns lost a move · ??: blunders")
    blocks.append(f"-# {words}")
    blocks += left_out
    text = fitting([behind_bars(block) for block in blocks] if spoiler else blocks)
    return Reply(
        text,
        files=(TextFile("players.csv", players_csv(players), spoiler=spoiler),),
        controls=games_menu(reviewed, say, lexicon),
    )


def left_out_words(reviewed: Reviewed, say: Speaker, *, unread: int = 0) -> list[str]:
    """Say what is not reviewed, and why."""
    words = []
    if refused := reviewed.refused:
        words = [
            say.count("{number} game is not reviewed:", "{number} games are not reviewed:", len(refused)),
            *[f"- {reason}" for reason in dict.fromkeys(refused)][:_MAX_REASONS],
        ]
    if left := reviewed.left + unread:
        words.append(say.count("{number} game is not looked at.", "{number} games are not looked at.", left))
    if reviewed.problem:
        words.append(reviewed.problem)
    return words


def games_menu(reviewed: Reviewed, say: Speaker, lexicon: str, last: int = 0) -> tuple[Control, ...]:
    """List games to be opened, as many as a menu has room for."""
    games = tuple(
        Choice(
            write_review(game.question), f"{number}. {_pairing(game.players)}", _accuracies(game.players, say)
        )
        for number, game in enumerate(reviewed.games[:MAX_LISTED], start=1)
    )
    return games_controls(games, lexicon, math.ceil(reviewed.seconds / 60), last)


def _pairing(players: Sequence[PlayerGame]) -> str:
    scores = [f" {player.points}" if player.points is not None else "" for player in players]
    return " – ".join(
        f"{one_line(player.player)}{score}" for player, score in zip(players, scores, strict=True)
    )


def _accuracies(players: Sequence[PlayerGame], say: Speaker) -> str:
    known = [say.number(player.accuracy, ".0f") if player.accuracy is not None else "–" for player in players]
    return say("accuracy {accuracy}", accuracy=" – ".join(known))


def _table(players: Sequence[PlayerGames], say: Speaker) -> str:
    names = [cut(one_line(player.player), _MAX_NAME) for player in players]
    return lay_out(
        [
            Column(
                say("player"),
                tuple(names),
                to_the_left=True,
                short=tuple(cut(name, _SHORT_NAME) for name in names),
            ),
            Column("#", tuple(say.number(player.games) for player in players)),
            Column(say("index"), cells([player.mistake_index for player in players], ".1f", say)),
            Column(say("acc."), cells([player.accuracy for player in players], ".0f", say)),
            Column(say("missed"), cells([player.missed_bingos for player in players], ".0f", say)),
            Column(say("cp"), cells([player.centipawns_lost for player in players], ".0f", say)),
            Column("??", cells([player.blunders for player in players], ".0f", say)),
        ]
    )


def cells(values: Sequence[float | None], form: str, say: Speaker) -> tuple[str, ...]:
    """Return the cells of a column of numbers; what is not known is empty."""
    return tuple("" if value is None else say.number(value, form) for value in values)
