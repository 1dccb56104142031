"""The commands ``/puzzle``, ``/leaderboard`` and ``/stats``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import discord
from cachetools import TTLCache
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import Card, CardMaker, Moment, RefusalError, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.control import Control
from bot.chat.failures import replying
from bot.chat.press import Press
from bot.chat.sending import Responder, count_request
from bot.domain.chess.documents import PuzzleSet
from bot.features.analysis.controls import FAIRNESS, RESOURCES
from bot.features.puzzles.cards import no_puzzles_text
from bot.features.puzzles.controls import DAILIES, PUZZLES, puzzle_controls
from bot.features.puzzles.crossword.document import PuzzleFamily
from bot.features.puzzles.daily import DailyService, Period, leaderboard_card, leaderboard_rows
from bot.features.puzzles.daily_posts import DailyPosts
from bot.features.puzzles.own_mistakes import ALL_KINDS, MISTAKES, UserMistakes, show_next_mistake
from bot.features.puzzles.selection import PuzzleKind, PuzzleLevel, PuzzleRequest
from bot.features.puzzles.service import PuzzleService
from bot.features.puzzles.sheets import read_sheet
from bot.features.puzzles.stats import THEME_NAMES
from bot.features.review.controls import LESSONS, USER_GAMES
from bot.features.showing.controls import PRESENTER
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.findings import FoundDocument
from bot.features.showing.listening.inbound import source_from_option
from bot.storage.puzzles import Progress, Standing

MAX_NAME_FETCH_SECONDS = 5.0


_member_names: TTLCache[tuple[int, int], str] = TTLCache(5_000, ttl=600.0)
"""Display names by server and user, cached because many users open a leaderboard at the same time."""

_GAMES = [
    app_commands.Choice(name=locale_str("crossword games"), value=PuzzleKind.CROSSWORD.value),
    app_commands.Choice(name=locale_str("chess"), value=PuzzleKind.CHESS.value),
]
_OFFERED_THEMES = (
    *(
        PuzzleFamily.BEST_PLAY,
        PuzzleFamily.STRATEGY,
        PuzzleFamily.ONLY_BINGO,
        PuzzleFamily.ENDGAME,
        PuzzleFamily.PHONY,
        PuzzleFamily.HOOK,
    ),
    *("fork", "pin", "sacrifice", "promotion", "mateIn1", "mateIn2", "mateIn3"),
)
_OWN_MISTAKES = "mine"


class PuzzleCommands(commands.Cog):
    """``/puzzle``, ``/leaderboard`` and ``/stats``."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot

    @app_commands.command(
        name=locale_str("puzzle"), description=locale_str("Solve a puzzle near your rating")
    )
    @app_commands.rename(
        game=locale_str("game"),
        theme=locale_str("topic"),
        level=locale_str("level"),
        file=locale_str("file"),
        private=locale_str("private"),
    )
    @app_commands.describe(
        game=locale_str("Crossword games or chess"),
        theme=locale_str("The topic of the puzzle"),
        level=locale_str("Easier or harder than usual"),
        file=locale_str("Your own puzzles: from kibitz puzzles make, lichess CSV, EPD with bm, or PGN"),
        private=locale_str("Whether only you see the reply"),
    )
    @app_commands.choices(
        game=_GAMES,
        theme=[
            app_commands.Choice(name=locale_str("my own mistakes"), value=_OWN_MISTAKES),
            *(
                app_commands.Choice(name=locale_str(THEME_NAMES[theme]), value=str(theme))
                for theme in _OFFERED_THEMES
            ),
        ],
        level=[
            app_commands.Choice(name=locale_str("easy"), value=PuzzleLevel.EASY.value),
            app_commands.Choice(name=locale_str("normal"), value=PuzzleLevel.NORMAL.value),
            app_commands.Choice(name=locale_str("hard"), value=PuzzleLevel.HARD.value),
        ],
    )
    async def puzzle(  # noqa: PLR0917 - discord.py passes options by name
        self,
        interaction: discord.Interaction[KibitzBot],
        game: str = "",
        theme: str = "",
        level: str = PuzzleLevel.NORMAL.value,
        file: discord.Attachment | None = None,
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            private = private or theme == _OWN_MISTAKES
            make_card: CardMaker
            if theme == _OWN_MISTAKES:
                make_card = partial(show_next_mistake, Press(interaction), game or ALL_KINDS)
            elif file is not None:
                make_card = partial(self._show_file, interaction, file, private=private)
            else:
                request = PuzzleRequest(_kind(game, theme), theme=theme, level=PuzzleLevel(level))
                make_card = partial(self.bot.services[PUZZLES].show_next, interaction.user.id, request)
            await Responder(interaction, private=private).reply(make_card)

    async def _show_file(
        self,
        interaction: discord.Interaction[KibitzBot],
        file: discord.Attachment,
        context: ReplyContext,
        *,
        private: bool,
    ) -> Card:
        source = await source_from_option(interaction, "", file, private=private)
        if reply := await self.bot.services[PUZZLES].show_file(source, context):
            return reply
        presenter = self.bot.services[PRESENTER]
        findings = await presenter.find(source)
        if (
            source.unread_files
            or findings.unfinished_files
            or any(isinstance(found.document, PuzzleSet) for found in findings.documents[:1])
        ):
            return await presenter.show(source, context, findings)
        raise RefusalError.with_text(no_puzzles_text(context.translate))

    @app_commands.command(
        name=locale_str("leaderboard"),
        description=locale_str("The leaderboard of this server's daily puzzles"),
    )
    @app_commands.guild_only()
    @app_commands.rename(time=locale_str("time"), game=locale_str("game"), private=locale_str("private"))
    @app_commands.describe(
        time=locale_str("The period to rank (default: this week)"),
        game=locale_str("Crossword games or chess (default: both)"),
        private=locale_str("Whether only you see the reply"),
    )
    @app_commands.choices(
        time=[
            app_commands.Choice(name=locale_str("this week"), value=Period.WEEK.value),
            app_commands.Choice(name=locale_str("this month"), value=Period.MONTH.value),
            app_commands.Choice(name=locale_str("all time"), value=Period.ALL.value),
        ],
        game=_GAMES,
    )
    async def leaderboard(
        self,
        interaction: discord.Interaction[KibitzBot],
        time: str = Period.WEEK.value,
        game: str = "",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await Responder(interaction, private=private).reply(
                lambda context: self.make_leaderboard_card(
                    Press(interaction),
                    PuzzleKind(game) if game else None,
                    context,
                    Period(time),
                    interaction.user.id if private else None,
                )
            )

    @app_commands.command(
        name=locale_str("stats"), description=locale_str("Your puzzle ratings, streaks and weak topics")
    )
    async def stats(self, interaction: discord.Interaction[KibitzBot]) -> None:
        async with replying(interaction):
            await count_request(interaction)
            await Responder(interaction, private=True).reply(
                partial(self.bot.services[PUZZLES].make_stats_card, interaction.user.id)
            )

    async def make_leaderboard_card(
        self,
        press: Press,
        kind: PuzzleKind | None,
        context: ReplyContext,
        period: Period = Period.WEEK,
        reader_id: int | None = None,
    ) -> Card:
        """Return the server's leaderboard, with the rank of the user ``reader_id``, if given.

        Raises:
            RefusalError: the user is not in a server.

        """
        translate, guild = context.translate, press.interaction.guild
        if guild is None:
            raise RefusalError.with_text(translate("This works only in a server."))
        period_text = {
            Period.WEEK: translate("this week"),
            Period.MONTH: translate("this month"),
            Period.ALL: translate("all time"),
        }[period]
        games_text = {
            PuzzleKind.CROSSWORD: translate("crossword games"),
            PuzzleKind.CHESS: translate("chess"),
            None: translate("all games"),
        }[kind]
        title = translate("**Daily puzzle leaderboard** · {what} · {when}", what=games_text, when=period_text)
        standings = await self.bot.services[DAILIES].standings(guild.id, kind, period)
        names = await _fetch_names(guild, leaderboard_rows(standings))
        return leaderboard_card(title, standings, names, reader_id, translate)


def _kind(game: str, theme: str) -> PuzzleKind:
    if theme:
        return PuzzleKind.CROSSWORD if theme in set(PuzzleFamily) else PuzzleKind.CHESS
    return PuzzleKind(game) if game else PuzzleKind.CROSSWORD


async def _fetch_names(guild: discord.Guild, standings: Sequence[Standing]) -> dict[int, str]:
    async def fetch(user_id: int) -> None:
        with suppress(discord.HTTPException):  # the member has left, or Discord failed
            member = guild.get_member(user_id) or await guild.fetch_member(user_id)
            _member_names[guild.id, user_id] = member.display_name

    user_ids = [standing.user_id for standing in standings if standing.may_be_named]
    missing_ids = (user_id for user_id in user_ids if (guild.id, user_id) not in _member_names)
    with suppress(TimeoutError):  # names that did not arrive in time are left out
        async with asyncio.timeout(MAX_NAME_FETCH_SECONDS):
            await asyncio.gather(*map(fetch, missing_ids))
    names = ((user_id, _member_names.get((guild.id, user_id))) for user_id in user_ids)
    return {user_id: name for user_id, name in names if name is not None}


def _posted_puzzle_controls(
    found: FoundDocument, moment: Moment, number: int | None = None
) -> tuple[Control, ...]:
    """Return a posted chess puzzle's controls.

    Return an empty tuple for another document, for a puzzle without a solution, or if the card shows several documents.
    """
    document = found.document
    if (
        number is not None
        or not isinstance(document, PuzzleSet)
        or not document.puzzles[moment.turn].solution_text.strip()
    ):
        return ()
    request = PuzzleRequest(PuzzleKind.CHESS).for_posted_file(moment.digest, moment.turn)
    return puzzle_controls(request, Progress(), has_next=False)


def _create_services(context: FeatureContext) -> None:
    services, store = context.services, context.store
    puzzles = PuzzleService(
        context.documents, store, services.find(RESOURCES), context.settings.puzzles.folder
    )
    services.add(PUZZLES, puzzles)
    services.add(DAILIES, DailyService(context.documents, store, puzzles, context.clock))
    services.add(MISTAKES, UserMistakes(services[USER_GAMES], services[LESSONS], store))
    # The guard for dailies comes before the guard for polls, so that a refusal names the daily.
    services[FAIRNESS].guards.insert(0, puzzles.guard)
    context.documents.read_sheet = read_sheet
    presenter = services[PRESENTER]
    presenter.control_providers.append(_posted_puzzle_controls)
    presenter.show_sheets = puzzles.show_sheets


FEATURE = Feature("puzzles", _create_services, (PuzzleCommands, DailyPosts))
