"""The buttons and menus under puzzles. Replies are private, unless the user shares a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import Card, Choice, RefusalError
from bot.chat.control import (
    DIGEST,
    TURN,
    Button,
    Control,
    Field,
    Form,
    IdPart,
    Menu,
    MomentControl,
    ServiceKey,
    control,
    number_part,
)
from bot.domain.crossword.play_text import MAX_PLAY_LENGTH
from bot.domain.reading.problems import Phrase
from bot.features.puzzles.selection import PuzzleKind, PuzzleLevel, PuzzleRequest
from bot.storage.dailies import DailyKey
from bot.storage.puzzles import Progress
from bot.text import Translator

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.puzzles.commands import PuzzleCommands
    from bot.features.puzzles.daily import DailyService
    from bot.features.puzzles.service import PuzzleService


_UNAVAILABLE: Final = Phrase("Puzzles aren't available here.")
DAILIES: ServiceKey[DailyService] = ServiceKey("dailies", _UNAVAILABLE)
PUZZLES: ServiceKey[PuzzleService] = ServiceKey("puzzles", _UNAVAILABLE)

FIRST_TARGET_MENU: Final = 5
"""Menus with lower numbers list pieces. The other menus list target squares."""

TRIES_BEFORE_HINTS: Final = 2
"""Wrong answers before hints become available."""

_PUZZLE_ID: Final = IdPart(rf"[A-Za-z0-9]{{0,16}}|{DIGEST.pattern}\.{TURN.pattern}")
"""A puzzle's id, or a posted file's digest and the puzzle's index. Empty if the control only offers the next puzzle."""

_THEME: Final = IdPart(
    "(?::[A-Za-z][A-Za-z0-9-]{1,23})?", lambda text: text[1:], lambda theme: theme and f":{theme}"
)
"""A theme has at least two characters, because a single character is a level."""

_LEVELS: Final = {"": PuzzleLevel.NORMAL, ":e": PuzzleLevel.EASY, ":h": PuzzleLevel.HARD}
_LEVEL: Final = IdPart(
    "(?::[eh])?", _LEVELS.__getitem__, {level: text for text, level in _LEVELS.items()}.__getitem__
)


@control("puzzle:{game}:{puzzle_id}:{action}{level}{theme}")
class PuzzleButton(Control):
    """A button: answer (``a``), menus of moves (``m``), hint (``h``), solution (``s``) or next puzzle (``n``)."""

    game: Annotated[str, IdPart("crossword|chess")]
    puzzle_id: Annotated[str, _PUZZLE_ID]
    action: Annotated[str, IdPart("[ahsnm]")]
    level: Annotated[PuzzleLevel, _LEVEL] = PuzzleLevel.NORMAL
    theme: Annotated[str, _THEME] = ""

    @property
    def request(self) -> PuzzleRequest:
        return PuzzleRequest(PuzzleKind(self.game), self.puzzle_id, self.theme, self.level)

    @property
    def document_digest(self) -> str | None:
        return self.request.digest

    def face(self, translate: Translator, *, private: bool) -> Button:
        faces = {
            "a": (translate("Answer"), "\N{PENCIL}\ufe0f"),
            "m": (translate("Choose a move"), "\N{BLACK CHESS PAWN}\ufe0f"),
            "h": (translate("Hint"), "\N{ELECTRIC LIGHT BULB}"),
            "s": (translate("Solution"), "\N{EYES}"),
            "n": (translate("Next puzzle"), "\N{JIGSAW PUZZLE PIECE}"),
        }
        return Button(*faces[self.action])

    async def act(self, press: Press) -> None:
        puzzles, request, requester = await press.require_service(PUZZLES), self.request, press.requester
        match self.action:
            case "a" if not await puzzles.store.has_finished_daily(
                press.user_id, request.kind, request.puzzle_id
            ):
                await _ask_for_answer(press, request)
                return
            case "m":
                work = partial(puzzles.show_move_menus, requester, request, "")
            case "h":
                work = partial(puzzles.take_hint, requester, request)
            case "n" if request.digest:
                work = partial(puzzles.show_next_posted, requester, request)
            case "n":
                work = partial(puzzles.show_next, requester.user_id, request)
            case _:
                # "a" also shows the solution if the user has finished the daily, because the message with the solution may be gone.
                work = partial(puzzles.show_solution, requester, request)
        await press.reply_privately(work)


async def _ask_for_answer(press: Press, request: PuzzleRequest) -> None:
    translate, is_chess = await press.translator(), request.kind is PuzzleKind.CHESS
    field = Field(
        "answer",
        translate("Your move") if is_chess else translate("A play with its square, or a word"),
        placeholder="Nf3, e8=Q+, O-O, e2e4 …" if is_chess else "8H QUIZ, H8 Q.IZ, QUIZ …",
        max_length=MAX_PLAY_LENGTH,
    )

    async def judge(press: Press, values: Mapping[str, str]) -> None:
        puzzles = await press.require_service(PUZZLES)
        await press.reply_privately(partial(puzzles.judge_answer, press.requester, request, values["answer"]))

    await press.open_form(Form(translate("What is your answer?"), (field,), judge))


@control("pick:{puzzle_id}:{start}:{number}{level}{theme}")
class MoveMenu(Control):
    """A menu of pieces or, if ``number`` is at least :data:`FIRST_TARGET_MENU`, of target squares."""

    puzzle_id: Annotated[str, _PUZZLE_ID]
    start: Annotated[str, IdPart("(?:[a-h][1-8]|[A-Z]@)?")]
    number: Annotated[int, number_part(1)]
    level: Annotated[PuzzleLevel, _LEVEL] = PuzzleLevel.NORMAL
    theme: Annotated[str, _THEME] = ""
    choices: tuple[Choice, ...] = ()

    @property
    def request(self) -> PuzzleRequest:
        return PuzzleRequest(PuzzleKind.CHESS, self.puzzle_id, self.theme, self.level)

    @property
    def document_digest(self) -> str | None:
        return self.request.digest

    def face(self, translate: Translator, *, private: bool) -> Menu:
        title = (
            translate("Target square") if self.number >= FIRST_TARGET_MENU else translate("The piece to move")
        )
        return Menu(title, self.choices, self.start)

    async def act(self, press: Press) -> None:
        puzzles = await press.require_service(PUZZLES)
        work = puzzles.judge_answer if self.number >= FIRST_TARGET_MENU else puzzles.show_move_menus
        await press.replace_card(partial(work, press.requester, self.request, press.value))


@control("solve:{moment}:{done}:{way}")
class SolveFromOldMessage(MomentControl):
    """Asks for an answer. Handles the buttons of messages from earlier versions of Kibitz. ``done`` and ``way`` are ignored."""

    done: Annotated[int, number_part(3)]
    way: Annotated[int, number_part(3)]

    async def act(self, press: Press) -> None:
        await _ask_for_answer(
            press, PuzzleRequest(PuzzleKind.CHESS).for_posted_file(self.moment.digest, self.moment.turn)
        )


@control("daily:{game}:{number}:{action}")
class DailyButton(Control):
    """A button under a daily puzzle: leaderboard (``b``), share (``s``), or show the user's name (``m``)."""

    game: Annotated[str, IdPart("crossword|chess")]
    number: Annotated[int, number_part(5)]
    action: Annotated[str, IdPart("[bsm]")]

    def face(self, translate: Translator, *, private: bool) -> Button:
        faces = {
            "b": (translate("Leaderboard"), "\N{TROPHY}"),
            "s": (translate("Share"), "\N{PUBLIC ADDRESS LOUDSPEAKER}"),
            "m": (translate("Show my name"), "\N{NAME BADGE}"),
        }
        return Button(*faces[self.action])

    async def act(self, press: Press) -> None:
        if self.action == "b":
            cog: PuzzleCommands = press.cog("PuzzleCommands")
            await press.reply_privately(
                partial(cog.make_leaderboard_card, press, PuzzleKind(self.game), reader_id=press.user_id)
            )
        elif self.action == "s":
            await self._share(press)
        else:
            await self._show_name(press)

    async def _share(self, press: Press) -> None:
        if press.guild_id is None:
            raise RefusalError.with_text((await press.translator())("This works only in a server."))
        await press.defer()
        translate = (await press.context(private=False)).translate
        key = DailyKey(press.guild_id, self.number, self.game)
        text = await (await press.require_service(DAILIES)).result_to_share(press.user_id, key, translate)
        await press.send(Card(f"<@{press.user_id}>: {text}"), translate, private=False)

    async def _show_name(self, press: Press) -> None:
        await press.interaction.response.defer(ephemeral=True, thinking=True)
        await press.bot.preferences.change_user_settings(
            press.user_id, lambda settings: replace(settings, named=True)
        )
        translate = await press.translator()
        await press.send_text(
            translate("Leaderboards and daily solutions now show your name. `/settings me` hides it again.")
        )


def can_take_hint(progress: Progress, hint_count: int) -> bool:
    return (
        not progress.is_over and progress.wrong_answers >= TRIES_BEFORE_HINTS and progress.hints < hint_count
    )


def puzzle_controls(
    request: PuzzleRequest, progress: Progress, hint_count: int = 0, *, has_next: bool = True
) -> tuple[PuzzleButton, ...]:
    is_open, is_chess = not progress.is_over, request.kind is PuzzleKind.CHESS
    is_offered_by_action = {
        "a": is_open,
        "m": is_open and is_chess,
        "h": can_take_hint(progress, hint_count),
        "s": is_open,
        "n": has_next,
    }
    return tuple(
        PuzzleButton(request.kind.value, request.puzzle_id, action, request.level, request.theme)
        for action, is_offered in is_offered_by_action.items()
        if is_offered
    )


def daily_controls(game: str, number: int, puzzle_id: str = "") -> tuple[Control, ...]:
    """Return a daily puzzle's buttons. ``puzzle_id`` is empty once the daily is over."""
    controls = puzzle_controls(PuzzleRequest(PuzzleKind(game), puzzle_id), Progress()) if puzzle_id else ()
    return (*(control for control in controls if control.action in "am"), DailyButton(game, number, "b"))
