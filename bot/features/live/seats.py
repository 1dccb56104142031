"""Seats in live games: the card, the buttons and the stored records."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final
from weakref import WeakValueDictionary

from bot.chat.card import Card
from bot.chat.control import Button, Control, IdPart, ServiceKey, control, number_part
from bot.chat.markdown import escape
from bot.domain.crossword.notations.turn_url.live import SeatOutcome, Seats
from bot.domain.reading.problems import Phrase
from bot.storage.live_games import GameHome
from bot.storage.store import Store
from bot.text import Translator

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.live.service import LiveGameService

LIVE_GAMES: ServiceKey[LiveGameService] = ServiceKey("live")

CONFIRM_CHOICE: Final = "ok"
LEAVE_CHOICE: Final = "out"

_message_locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
"""Locks by message id."""


@control("seat:{draws_id}:{choice}:{seats_digest}")
class SeatButton(Control):
    """Takes or leaves a seat, or confirms all seats. ``seats_digest`` identifies the seats that the card showed."""

    draws_id: Annotated[int, number_part(10)]
    choice: Annotated[str, IdPart(rf"{number_part(2).pattern}|ok|out")]
    """The index of a seat to take, ``ok`` to confirm all seats, or ``out`` to leave a seat. A moderator without a seat frees all seats
    with ``out``."""
    seats_digest: Annotated[str, IdPart("[0-9a-f]{8}")]
    player: str = ""

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.choice == CONFIRM_CHOICE:
            return Button(translate("That's right"), style="success")
        return Button(
            translate("Leave")
            if self.choice == LEAVE_CHOICE
            else translate("I am {player}", player=self.player)
        )

    async def act(self, press: Press) -> None:
        live = await press.require_service(LIVE_GAMES)
        await press.defer()
        context = await press.context(private=False)
        is_moderator = press.guild_id is not None and press.is_moderator

        def change(seats: Seats, turn_count: int) -> tuple[Seats, SeatOutcome]:
            if self.choice == CONFIRM_CHOICE:
                return seats.confirm(press.user_id, self.seats_digest, turn_count, is_moderator=is_moderator)
            if self.choice == LEAVE_CHOICE:
                return seats.free(press.user_id, turn_count, is_moderator=is_moderator)
            return seats.claim(press.user_id, int(self.choice), self.seats_digest, turn_count)

        # Handle one press at a time, so that the message ends up with the result of the last press.
        async with _message_locks.setdefault(press.message.id, asyncio.Lock()):
            card_and_outcome = await live.change_seats(press.requester, self.draws_id, context, change)
            if card_and_outcome is not None:
                await press.edit(card_and_outcome[0], context.translate)
        refusal = (
            context.translate("This game is no longer stored here.")
            if card_and_outcome is None
            else refusal_text(card_and_outcome[1], context.translate)
        )
        if refusal:
            await press.send_text(refusal)


MAX_ATTEMPTS = 20
"""Maximum number of attempts to save a change. An attempt fails if another request changes the game at the same time."""


def is_home(home: GameHome | None, channel_id: int, game_id: str) -> bool:
    return home is not None and (home.channel_id, home.game_id) == (channel_id, game_id)


def seats_of(home: GameHome, player_count: int) -> Seats:
    return Seats(
        player_count,
        home.first_poster_id,
        occupants={seat: user for seat, user in home.occupants.items() if seat < player_count},
        claims={seat: user for seat, user in home.claims.items() if seat < player_count},
        settled_turn_count=home.settled_turn_count,
        last_disputed_turn=home.last_disputed_turn,
    )


def with_seats(home: GameHome, seats: Seats) -> GameHome:
    return replace(
        home,
        occupants=seats.occupants,
        claims=seats.claims,
        settled_turn_count=seats.settled_turn_count,
        last_disputed_turn=seats.last_disputed_turn,
    )


async def claim_reveal(store: Store, draws_id: int, digest: str, requester_id: int) -> bool:
    """Return whether the racks may be shown for a version of a finished game. ``digest`` identifies the version.

    Racks are shown for only one version of a game. Otherwise, a user could learn the racks by inventing endings. For a game
    without a home, the first version that a user requests is chosen, and the choice is stored.
    """
    for _ in range(MAX_ATTEMPTS):
        home = await store.game_home(draws_id)
        if home is not None and (home.channel_id is not None or home.revealed_digest is not None):
            return home.revealed_digest == digest
        claimed_home = replace(
            home or GameHome(draws_id, first_poster_id=requester_id), revealed_digest=digest
        )
        if await store.save_game_home(claimed_home, home.version if home else 0):
            return True
    return False


async def save_seat_change(
    store: Store,
    draws_id: int,
    player_count: int,
    change: Callable[[Seats], tuple[Seats, SeatOutcome]],
) -> tuple[Seats, SeatOutcome] | None:
    """Change the seats in a game. Return None if the game no longer has a home.

    Raises:
        RuntimeError: other changes interrupted all attempts.

    """
    for _ in range(MAX_ATTEMPTS):
        home = await store.game_home(draws_id)
        if home is None or home.channel_id is None:
            return None
        seats, outcome = change(seats_of(home, player_count))
        changed_home = with_seats(home, seats)
        if changed_home == home or await store.save_game_home(changed_home, home.version):
            return seats, outcome
    raise RuntimeError(
        f"the seats of a live game were changed by other requests during each of {MAX_ATTEMPTS} attempts"
    )


MAX_NAME_LENGTH = 30


def seats_card(
    game_id: str, draws_id: int, names: Sequence[str], seats: Seats, translate: Translator
) -> Card:
    lines = [translate("Who is playing game {game}?", game=f"**{escape(game_id[:60])}**")]
    lines += [
        f"{seat + 1}. {escape(name[:MAX_NAME_LENGTH])}: {_occupant_text(seats, seat, translate)}"
        for seat, name in enumerate(names)
    ]
    if len(seats.known_occupants) == len(names):
        lines.append(
            translate(
                "See your own rack with `/game show my_rack:True`; no one else can. *Leave* frees your seat. A "
                "moderator can free all seats."
            )
        )
    else:
        lines.append(
            translate(
                "Press the button with your name. When every seat is taken, **That's right** can be pressed by a confirmed player, "
                "the person who posted the game or a moderator."
            )
        )
    controls = [
        SeatButton(draws_id, str(seat), seats.digest, name[:MAX_NAME_LENGTH])
        for seat, name in enumerate(names)
        if seats.is_free(seat)
    ]
    if seats.is_full and seats.claims:
        controls.append(SeatButton(draws_id, CONFIRM_CHOICE, seats.digest))
    if seats.occupants or seats.claims:
        controls.append(SeatButton(draws_id, LEAVE_CHOICE, seats.digest))
    return Card("\n".join(lines), controls=tuple(controls), accent="live")


def _occupant_text(seats: Seats, seat: int, translate: Translator) -> str:
    if seat in seats.claims:
        return translate("{player}, not confirmed yet", player=f"<@{seats.claims[seat]}>")
    if seat not in seats.occupants:
        return translate("seat still free")
    occupant = seats.occupants[seat]
    return translate("seat closed") if occupant is None else f"<@{occupant}>"


_REFUSALS: Final = {
    SeatOutcome.TAKEN: Phrase(
        "Another player has this seat. They can leave it, or a moderator can free all seats."
    ),
    SeatOutcome.ALREADY_SEATED: Phrase("You already have a seat in this game. Leave it first."),
    SeatOutcome.NOT_SEATED: Phrase("You don't have a seat in this game."),
    SeatOutcome.CHANGED: Phrase("The seats have changed. Check them and press again."),
    SeatOutcome.NOT_PERMITTED: Phrase(
        "Only a player, the person who posted the game or a moderator can confirm the seats."
    ),
}


def refusal_text(outcome: SeatOutcome, translate: Translator) -> str:
    """Return why a change to the seats was refused, or an empty string if it was not."""
    return translate(_REFUSALS[outcome]) if outcome in _REFUSALS else ""


def no_seat_card(translate: Translator) -> Card:
    """Return a card that is always the same, so it reveals nothing about the players."""
    return Card(
        translate(
            "A rack is shown only to its player. Kibitz knows the players once each of them has "
            "played a word and the first has played again. Until then, use `/game seats` in the "
            "server channel where the game's first link was posted, and press the button with your name."
        ),
        has_result=False,
    )
