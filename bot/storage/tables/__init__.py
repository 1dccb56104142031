"""The tables, as the newest version of the schema has them.

A change here needs a new file in :mod:`bot.storage.migrations.versions`; a test compares the two.
"""

from bot.storage.tables.base import (
    AnyText,
    UtcTime,
    document_authors,
    documents,
    job_askers,
    job_means,
    jobs,
    meta,
    metadata,
    notices,
    own_games,
    own_names,
    replies,
    reply_messages,
    reviews,
    unfinished,
)
from bot.storage.tables.dailies import (
    daily_answers,
    daily_posts,
    daily_settings,
    daily_streaks,
    poll_plays,
    polls,
)
from bot.storage.tables.live import live_draws, live_games, live_seats, live_texts
from bot.storage.tables.puzzles import puzzle_answers, puzzle_ratings, rating_history
from bot.storage.tables.settings import channel_modes, guilds, left_guilds, server_settings, user_settings

__all__ = [
    "AnyText",
    "UtcTime",
    "channel_modes",
    "daily_answers",
    "daily_posts",
    "daily_settings",
    "daily_streaks",
    "document_authors",
    "documents",
    "guilds",
    "job_askers",
    "job_means",
    "jobs",
    "left_guilds",
    "live_draws",
    "live_games",
    "live_seats",
    "live_texts",
    "meta",
    "metadata",
    "notices",
    "own_games",
    "own_names",
    "poll_plays",
    "polls",
    "puzzle_answers",
    "puzzle_ratings",
    "rating_history",
    "replies",
    "reply_messages",
    "reviews",
    "server_settings",
    "unfinished",
    "user_settings",
]
