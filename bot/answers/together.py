"""The answer to "how do we play?": the players of several reviewed games in one table, and as a file."""

from __future__ import annotations

from collections.abc import Sequence

from bot.answers.columns import Column, cut, lay_out
from bot.answers.markdown import behind_bars, code_block, one_line
from bot.answers.page import fitting
from bot.answers.reply import Reply, TextFile
from bot.review.together import PlayerGames, players_csv
from bot.scenes.style import Style
from bot.text import Speaker

MAX_PLAYERS = 30
"""Players in the table of a message; the file has all."""
_MAX_NAME = 24
_SHORT_NAME = 10
_MAX_REASONS = 5


def answer_together(
    players: Sequence[PlayerGames],
    reviewed: int,
    refused: Sequence[str],
    style: Style,
    *,
    unread: int = 0,
    spoiler: bool = False,
) -> Reply:
    """Tell how the players of so many reviewed games play.

    ``refused`` says of each game that is not reviewed why, ``unread`` is how many were not looked at.
    """
    say = style.say
    left_out = []
    if refused:
        left_out = [
            say.count("{number} game is not reviewed:", "{number} games are not reviewed:", len(refused)),
            *[f"- {reason}" for reason in dict.fromkeys(refused)][:_MAX_REASONS],
        ]
    if unread:
        left_out.append(
            say.count("{number} game is not looked at.", "{number} games are not looked at.", unread)
        )
    if not players:
        return Reply(fitting(left_out), found=False)
    blocks = [
        say.count("**{number} game reviewed**", "**{number} games reviewed**", reviewed),
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
    return Reply(text, files=(TextFile("players.csv", players_csv(players), spoiler=spoiler),))


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
            Column(say("index"), _cells([player.mistake_index for player in players], ".1f", say)),
            Column(say("acc."), _cells([player.accuracy for player in players], ".0f", say)),
            Column(say("missed"), _cells([player.missed_bingos for player in players], ".0f", say)),
            Column(say("cp"), _cells([player.centipawns_lost for player in players], ".0f", say)),
            Column("??", _cells([player.blunders for player in players], ".0f", say)),
        ]
    )


def _cells(values: Sequence[float | None], form: str, say: Speaker) -> tuple[str, ...]:
    return tuple("" if value is None else say.number(value, form) for value in values)
