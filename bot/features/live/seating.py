"""Who sits where in live games, and what only a player may see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from bot.chat.source import Origin
from bot.domain.crossword.game import Game
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import Pressed, Seats, Table
from bot.storage.live_seats import DrawsRecord

MAX_TRIES = 20
"""How often something is done anew because somebody else did something to the same game meanwhile."""


class SeatStore(Protocol):
    """Where it is kept where games are played and who sits there."""

    async def live_draws(self, draws: int) -> DrawsRecord | None:
        """Return what is known of the game that has these draws, or None."""

    async def live_draws_of(self, user_id: int, game_id: str) -> DrawsRecord | None:
        """Return the game with this id in which a user sits, or None."""

    async def keep_live_draws(self, record: DrawsRecord, expected_version: int) -> bool:
        """Keep what is known of a game unless somebody else did since it was read."""

    async def forget_live_draws(self, draws: int) -> None:
        """Forget where a game is played and who sits there."""


@dataclass(frozen=True, slots=True)
class OwnView:
    """A game as one of its players may see it."""

    history: turn_url.TurnUrl
    """Up to the last turn that the rack may follow."""
    game: Game | None
    """None when the player's own turn ``unfit`` does not fit the player's draws."""
    unfit: int = 0
    later: int = 0
    """The first turn after that, which did not come from its player; 0 when there is none."""


def home_of(table: Table, origin: Origin) -> DrawsRecord | None:
    """Return a game as one that is played where a link of it was posted; None where no game can have its place.

    In a direct message there is nobody else who could say who somebody is.
    """
    if table.draws is None or origin.guild_id is None:
        return None
    held: dict[int, int | None] = {0: origin.author_id} if table.players == 1 else {}
    return DrawsRecord(
        table.draws, origin.channel_id, table.game.game_id, origin.guild_id, origin.author_id, held
    )


def is_home(home: DrawsRecord | None, channel_id: int, game_id: str) -> bool:
    """Tell whether a game is played in a channel under an id."""
    return home is not None and (home.channel_id, home.game_id) == (channel_id, game_id)


def seats_of(home: DrawsRecord, players: int) -> Seats:
    """Return who sits where in a game of so many players."""
    held = {seat: user for seat, user in home.held.items() if seat < players}
    asked = {seat: user for seat, user in home.asked.items() if seat < players}
    return Seats(players, home.bringer_id, held, asked, home.settled, home.disputed)


def with_seats(home: DrawsRecord, seats: Seats) -> DrawsRecord:
    """Return what is to be kept of a game in which people sit so."""
    return replace(home, held=seats.held, asked=seats.asked, settled=seats.settled, disputed=seats.disputed)


def own_view(table: Table, seats: Seats, seat: int) -> OwnView:
    """Show a game to the one who sits in a seat, as far as its turns came from those who play it."""
    history = table.game.history
    assert history is not None  # somebody sits there
    trusted = seats.trusted(table)
    later = trusted + 1 if trusted < table.turns else 0
    history = replace(history, turns=history.turns[:trusted])
    reading = turn_url.seen_by(history, {seat})
    if reading.error is not None:
        played = len(reading.value.names)
        return OwnView(history, None, unfit=played, later=later)
    return OwnView(history, reading.value.game, later=later)


async def claim_opening(store: SeatStore, draws: int, digest: str, asker_id: int) -> bool:
    """Tell whether a finished game that is played nowhere here may be shown with its racks.

    Of each draws that is one course only, the first one asked for: else somebody who knows all but the end of a game
    could try ends out.
    """
    for _ in range(MAX_TRIES):
        known = await store.live_draws(draws)
        if known is not None and (known.channel_id is not None or known.opened is not None):
            return known.opened == digest
        wanted = replace(known or DrawsRecord(draws, bringer_id=asker_id), opened=digest)
        if await store.keep_live_draws(wanted, known.version if known else 0):
            return True
    return False


async def change_seats(
    store: SeatStore,
    draws: int,
    players: int,
    change: Callable[[Seats], tuple[Seats, Pressed]],
) -> tuple[Seats, Pressed] | None:
    """Change who sits where; None when the game is played nowhere any more.

    Raises:
        RuntimeError: others changed it all the time.

    """
    for _ in range(MAX_TRIES):
        home = await store.live_draws(draws)
        if home is None or home.channel_id is None:
            return None
        seats, pressed = change(seats_of(home, players))
        following = with_seats(home, seats)
        if following == home or await store.keep_live_draws(following, home.version):
            return seats, pressed
    raise RuntimeError(f"the seats of a live game were changed {MAX_TRIES} times meanwhile")
