"""What is said about who plays a live game, and to whom a rack is shown."""

from __future__ import annotations

from collections.abc import Sequence

from bot.chat.markdown import escape
from bot.chat.offers import SeatPanel
from bot.chat.reply import Reply
from bot.domain.crossword.notations.turn_url.seats import Pressed, Seats
from bot.text import Speaker

MAX_NAME = 30


def answer_seats(game_id: str, draws: int, names: Sequence[str], seats: Seats, say: Speaker) -> Reply:
    """Show who plays a game, with controls to say so."""
    lines = [say("Who plays game {game}?", game=f"**{escape(game_id[:60])}**")]
    lines += [
        f"{seat + 1}. {escape(name[:MAX_NAME])}: {_who(seats, seat, say)}" for seat, name in enumerate(names)
    ]
    if len(seats.holders) == len(names):
        lines.append(
            say(
                "Each of you sees your own rack with `/game show my_rack:True`; nobody else does. Leaving frees your"
                " seat; a moderator can free them all."
            )
        )
    else:
        lines.append(
            say(
                "Press the seat that is yours. When every seat has somebody, a player who is known, whoever brought the"
                " game here, or a moderator presses **That is right**."
            )
        )
    free = tuple((seat, name[:MAX_NAME]) for seat, name in enumerate(names) if seats.is_free(seat))
    panel = SeatPanel(
        draws, seats.mark, free, full=seats.is_full and bool(seats.asked), any=bool(seats.held or seats.asked)
    )
    return Reply("\n".join(lines), controls=(panel,))


def _who(seats: Seats, seat: int, say: Speaker) -> str:
    if seat in seats.asked:
        return say("{player} says so", player=f"<@{seats.asked[seat]}>")
    if seat not in seats.held:
        return say("nobody yet")
    holder = seats.held[seat]
    return say("nobody any more") if holder is None else f"<@{holder}>"


def answer_pressed(pressed: Pressed, say: Speaker) -> str:
    """Say why somebody's word about seats changes nothing; empty when it does."""
    match pressed:
        case Pressed.TAKEN:
            return say("Somebody else sits there. They can leave the seat, or a moderator can free it.")
        case Pressed.SEATED:
            return say("You sit in this game already. Leave that seat first.")
        case Pressed.CHANGED:
            return say("That has changed since. Look again, please, and press once more.")
        case Pressed.NOT_YOURS:
            return say("That is for those to say who play, who brought the game here, or who moderate.")
        case Pressed.NOTED | Pressed.AGREED | Pressed.LEFT:
            return ""


def answer_seats_elsewhere(say: Speaker) -> Reply:
    """Say where seats can be taken."""
    return Reply(
        say("Seats are taken in the channel of a server where the game's first link was posted."), found=False
    )


def answer_seats_gone(say: Speaker) -> Reply:
    """Say that a game is not played where its seats were pressed."""
    return Reply(say("I know nothing of this game here any more."), found=False)


def answer_no_seat(say: Speaker) -> Reply:
    """Say why somebody's own rack cannot be shown yet, and what to do; the same to everybody who is no player."""
    return Reply(
        say(
            "I show a rack only to its player. I know the players as soon as each has posted a word and"
            " the first of them has answered again. Until then, use `/game seats` in the channel of a server where"
            " the game's first link was posted, and press your seats."
        ),
        found=False,
    )


def answer_own_view(unfit: int, later: int, say: Speaker) -> Reply:
    """Say to a player what stands in the way of the own rack: an own turn that cannot be, a turn of somebody else."""
    if unfit:
        text = say(
            "Your turn {turn} does not fit your tiles, so I cannot tell your rack. `/game forget` lets you post the"
            " game anew.",
            turn=unfit,
        )
        return Reply(text, found=False)
    if later:
        return Reply(
            say("Turn {turn} did not come from its player; I go by the turns before it.", turn=later)
        )
    return Reply("")
