"""How much is kept, and how much was let go."""

from __future__ import annotations

from dataclasses import dataclass

from bot.storage.settings import UserSettings


@dataclass(frozen=True, slots=True)
class SweepCount:
    """How much one :meth:`~bot.storage.store.Store.sweep` deleted."""

    documents: int = 0
    replies: int = 0
    live_games: int = 0
    live_draws: int = 0
    guilds: int = 0
    notices: int = 0
    polls: int = 0
    dailies: int = 0


@dataclass(frozen=True, slots=True)
class UserData:
    """How much is remembered that is linked to one user, see :meth:`~bot.storage.store.Store.user_data`."""

    replies: int
    """Messages of theirs that were answered."""
    documents: int
    """Positions and games they brought."""
    live_texts: int
    """Turn URLs of live games they posted."""
    settings: UserSettings
    """What they have chosen."""
    live_seats: int = 0
    """Seats of live games that are theirs."""
    puzzles: int = 0
    """Puzzles they were shown or answered."""
    dailies: int = 0
    """Dailies they answered."""
    polls: int = 0
    """Open polls that they asked, and their plays in such."""
    own_games: int = 0
    """Finished games that are kept for their look back."""
    own_names: int = 0
    """Names of players of which they said whether it is they."""
