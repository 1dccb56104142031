"""The answer to "how have I been playing?": one's own games in a table, the totals, the trend as a picture, and a file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, stdev
from typing import Final

from bot.chat.columns import Column, cut, lay_out
from bot.chat.markdown import code_block, one_line, plain
from bot.chat.moment import Choice, Moment
from bot.chat.page import clipped, fitting
from bot.chat.reply import Drawing, Reply, TextFile
from bot.chat.style import Style
from bot.features.review.controls import Who
from bot.features.review.depth import Depth
from bot.features.review.scenes import trend_chart
from bot.features.review.together import PlayerGame, cell, total
from bot.features.review.together_card import Reviewed, ReviewedGame, cells, games_menu, left_out_words
from bot.features.showing.words import MAX_ALT
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


def answer_names(asked: Sequence[AskedName], say: Speaker, *, last: int, depth: Depth, lexicon: str) -> Reply:
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
    return Reply("\n".join(words), controls=(Who(last, lexicon, depth, choices, own),))


def answer_own_games(reviewed: Reviewed, back: Back, style: Style, lexicon: str) -> Reply:
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
        return Reply(fitting(left_out), found=False)
    blocks = []
    for kind in (False, True):
        if shown := [row for row in rows if row.is_chess is kind]:
            blocks += _kind(shown, say)
    drawings = _trend(rows, style)
    text = fitting([*blocks, *left_out])
    file = TextFile("games.csv", _csv(rows))
    return Reply(text, drawings, files=(file,), controls=games_menu(reviewed, say, lexicon, back.last))


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
