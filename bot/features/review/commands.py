"""The commands that review finished games, and the feature's services."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from functools import partial
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import locale_str
from discord.ext import commands

from bot.chat.card import Moment, RefusalError, ReplyContext
from bot.chat.client import KibitzBot
from bot.chat.control import Control
from bot.chat.failures import replying
from bot.chat.items import run_or_ask_for_input
from bot.chat.press import Press
from bot.chat.sending import count_request
from bot.chat.source import Source
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.features.analysis.controls import FAIRNESS, RESOURCES
from bot.features.review.cards import Reviewer
from bot.features.review.chess.review import check_chess_game, has_evaluations
from bot.features.review.chess.service import ChessReviewer
from bot.features.review.controls import (
    LESSONS,
    REVIEWS,
    USER_GAMES,
    ReviewGame,
    review_own_games,
    review_publicly_if_own,
    send_review,
    send_reviews,
)
from bot.features.review.crossword.service import CrosswordReviewer
from bot.features.review.crossword.values import check_game
from bot.features.review.lessons import LessonService
from bot.features.review.own_games import UserGameService
from bot.features.review.service import ReviewService
from bot.features.review.values import Depth, ReviewError, ReviewQuery
from bot.features.showing.controls import PRESENTER
from bot.features.showing.feature import Feature, FeatureContext
from bot.features.showing.findings import Findings, FoundDocument, without_repeats
from bot.features.showing.listening.inbound import source_from_context_menu, source_from_option
from bot.features.showing.subjects import may_be_in_progress
from bot.storage.errors import StoreError
from bot.storage.user_games import MAX_USER_GAMES

log = logging.getLogger(__name__)


class ReviewCommands(commands.Cog):
    """``/review``, and *Review game* in the context menu of messages."""

    def __init__(self, bot: KibitzBot) -> None:
        self.bot = bot
        # discord.py has no decorator for context menus inside a class.
        bot.tree.add_command(
            app_commands.ContextMenu(name=locale_str("Review game"), callback=self._review_message)
        )

    @app_commands.command(
        name=locale_str("review"), description=locale_str("Review a finished game turn by turn")
    )
    @app_commands.rename(
        game=locale_str("game"),
        lexicon=locale_str("lexicon"),
        depth=locale_str("depth"),
        private=locale_str("private"),
        file=locale_str("file"),
        last=locale_str("last"),
    )
    @app_commands.describe(
        game=locale_str("The text of the game: GCG, PGN, Turn URL …"),
        lexicon=locale_str("The lexicon (default: the game's own, yours, or the server's)"),
        depth=locale_str("How thorough the review is"),
        private=locale_str("Whether only you see the reply"),
        file=locale_str("A file with the game, such as a .gcg"),
        last=locale_str("Instead of one game, review this many of your latest games in this server"),
    )
    @app_commands.choices(
        depth=[
            app_commands.Choice(name=locale_str("quick: up to 30 seconds"), value="quick"),
            app_commands.Choice(name=locale_str("deep: up to five minutes"), value="deep"),
        ]
    )
    async def review(  # noqa: PLR0917 - discord.py reads the signature
        self,
        interaction: discord.Interaction[KibitzBot],
        game: app_commands.Range[str, 1, 6000] = "",
        lexicon: app_commands.Range[str, 1, 32] = "",
        depth: str = "quick",
        private: bool = False,  # noqa: FBT001, FBT002 - discord.py reads the signature
        file: discord.Attachment | None = None,
        last: app_commands.Range[int, 1, MAX_USER_GAMES] | None = None,
    ) -> None:
        async with replying(interaction):
            if last is not None:
                await count_request(interaction)
                await review_own_games(Press(interaction), last, lexicon, Depth(depth))
                return

            async def handle_input(
                submission: discord.Interaction[KibitzBot], text: str, attachment: discord.Attachment | None
            ) -> None:
                await count_request(submission)
                press = Press(submission)
                responder, context = press.responder(private=private), await press.context(private=private)
                pending_source = source_from_option(submission, text, attachment, private=private)
                queries, left_out_document_count = await responder.await_or_acknowledge(
                    self._save_games(pending_source, context, lexicon, Depth(depth))
                )
                if len(queries) == 1:
                    await send_review(press, responder, queries[0])
                else:
                    await send_reviews(press, responder, queries, left_out_document_count)

            await run_or_ask_for_input(
                interaction,
                game,
                file,
                title=lambda translate: translate("Review game"),
                handle_input=handle_input,
            )

    async def _review_message(
        self, interaction: discord.Interaction[KibitzBot], message: discord.Message
    ) -> None:
        async with replying(interaction):
            await count_request(interaction)
            press = Press(interaction, target=message)
            responder, context = press.responder(private=False), await press.context(private=True)
            pending_source = source_from_context_menu(interaction, message, private=True)
            queries, left_out_document_count = await responder.await_or_acknowledge(
                self._save_games(pending_source, context, "", Depth.QUICK)
            )
            if len(queries) == 1:
                await review_publicly_if_own(press, responder, queries[0])
            else:
                await send_reviews(press, responder.in_private(), queries, left_out_document_count)

    async def _save_games(
        self, pending_source: Awaitable[Source], context: ReplyContext, lexicon: str, depth: Depth
    ) -> tuple[list[ReviewQuery], int]:
        """Save the games that a source contains. Return a query for each game, and the number of documents that were not read."""
        source = await pending_source
        findings = await self.bot.services[PRESENTER].find_privately(source, context.translate)
        games = tuple(found for found in findings.documents if isinstance(found.document, Game | ChessGame))
        if not games or games[0].is_in_progress:
            raise RefusalError.with_text(context.translate("Only finished games can be reviewed."))
        games_to_review = without_repeats(games)
        await self.bot.services[REVIEWS].documents.save(games_to_review, source.author_id)
        queries = [
            ReviewQuery(Moment(found.digest, 0, spoiler=found.spoiler), context, lexicon, depth)
            for found in games_to_review
        ]
        return queries, findings.left_out_count


async def save_own_games(bot: KibitzBot, message: discord.Message, findings: Findings) -> None:
    """Save a message's finished games for the author, if the message is in a server and the author has opted in.

    This runs after the reply to the message, and failures are only logged. After an edit, the new games replace the message's earlier
    games.
    """
    if message.guild is None:
        return
    try:
        if (await bot.preferences.users.get(message.author.id)).games:
            await bot.services[USER_GAMES].save_games(
                without_repeats(findings.documents), message.id, message.guild.id, message.author.id
            )
    except StoreError as error:
        log.warning("the games in message %d were not saved for its author: %s", message.id, error)


def _create_services(context: FeatureContext) -> None:
    services, jobs, presenter = context.services, context.jobs, context.services[PRESENTER]
    resources = services.find(RESOURCES)
    reviewers: dict[str, Reviewer[Any, Any]] = {}
    if "review" in jobs and resources is not None:
        reviewers[CrosswordReviewer.name] = CrosswordReviewer(jobs["review"], jobs.get("attempt"), resources)
    if "chess_review" in jobs:
        reviewers[ChessReviewer.name] = ChessReviewer(jobs["chess_review"], jobs.get("chess"))
    reviews = services.add(
        REVIEWS,
        ReviewService(context.documents, reviewers, presenter, presenter.links, services[FAIRNESS]),
    )
    services.add(LESSONS, LessonService(reviews))
    services.add(USER_GAMES, UserGameService(reviews, context.store))
    services.after_reply.append(save_own_games)
    presenter.control_providers.append(
        partial(
            review_controls,
            has_lexica=resources is not None,
            has_chess_engine="chess" in jobs,
        )
    )


def review_controls(
    found: FoundDocument,
    moment: Moment,
    number: int | None = None,
    *,
    has_lexica: bool,
    has_chess_engine: bool,
) -> tuple[Control, ...]:
    """Return the button that reviews a game.

    Return no control if the game cannot be reviewed, if the card shows a crossword game as one player sees it, or if the card
    shows several documents (``number`` is set).
    """
    game = found.document
    if number is not None or found.is_in_progress:
        return ()
    try:
        if isinstance(game, Game) and has_lexica and moment.seat is None:
            check_game(game)
            if may_be_in_progress(found):
                return ()
        elif isinstance(game, ChessGame) and (has_chess_engine or has_evaluations(game)):
            check_chess_game(game)
        else:
            return ()
    except ReviewError:
        return ()
    return (ReviewGame(Moment(moment.digest, 0, spoiler=moment.spoiler)),)


FEATURE = Feature("review", _create_services, (ReviewCommands,))
