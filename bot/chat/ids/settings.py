"""The ids of settings and help, and of what takes something back: an answer, a seat, what is remembered."""

from __future__ import annotations

from typing import Annotated, Final

from bot.chat.control import Control, Part, control
from bot.chat.parts import USER, number_part

_MARK: Final = Part("(?::[0-9a-f]{8})?", lambda text: text[1:], lambda mark: mark and f":{mark}")


@control("delete:{author}{mark}")
class DeleteId(Control):
    """Deletes an answer: who was answered, and by which process; the oldest answers do not tell that."""

    author: Annotated[int, USER]
    mark: Annotated[str, _MARK] = ""


@control("seat:{draws}:{what}:{mark}")
class SeatId(Control):
    """Takes somebody's word about the seats of a game; the mark names who was shown to sit where."""

    draws: Annotated[int, number_part(10)]
    what: Annotated[str, Part(rf"{number_part(2).looks}|ok|out")]
    mark: Annotated[str, Part("[0-9a-f]{8}")]


@control("choose:{whose}:{name}")
class ChooseId(Control):
    """A menu of the settings."""

    whose: Annotated[str, Part("server|me")]
    name: Annotated[str, Part("mode|theme|layout|coordinates|language|turns")]


@control("example:{name}")
class ExampleId(Control):
    """Shows an example; one of an earlier version may be gone."""

    name: Annotated[str, Part("[a-z-]{1,20}")]


@control("help:{page}")
class HelpId(Control):
    """Turns the help to a page."""

    page: Annotated[str, Part("jobs|manual")]


@control("meet:{guild}:{mode}")
class MeetId(Control):
    """Chooses how positions are met in a server, under the first word to it."""

    guild: Annotated[int, USER]
    mode: Annotated[str, Part("auto|on_request")]


@control("forget:{user}")
class ForgetId(Control):
    """Has everything about a person forgotten."""

    user: Annotated[int, USER]
