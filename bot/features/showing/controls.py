"""The controls under a document.

A moment is a turn or a puzzle in a stored document, as seen by one player or by the whole table. The ``custom_id`` of most controls
contains a moment, so the controls still work after a restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, Protocol

from bot.chat.card import (
    Card,
    Choice,
    Moment,
    ReplyContext,
)
from bot.chat.control import (
    DIGEST,
    EVERYONE,
    MAX_TURN,
    SPOILER,
    Button,
    Control,
    Field,
    Form,
    IdPart,
    Menu,
    MomentControl,
    ServiceKey,
    control,
)
from bot.domain.chess import board_link
from bot.domain.chess.documents import PuzzleSet
from bot.domain.chess.position import ChessPosition
from bot.domain.notations import NOTATIONS
from bot.domain.reading.problems import Phrase
from bot.features.showing.findings import (
    BLACK,
    FoundDocument,
)
from bot.features.showing.pace import Pace
from bot.text import Translator

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.showing.service import Presenter

PRESENTER: ServiceKey[Presenter] = ServiceKey("presenter")

ALL_DOCUMENTS: Final = "all"
"""Menu value: all documents in one picture."""

AROUND_PREFIX, _SIDE_PREFIX, _TO_PREFIX, FROM_PREFIX = "around:", "side:", "to:", "from:"
"""Prefixes in the names of views and in the values of menu entries.

``around:`` leads to the turns near a turn, ``side:`` to a player's view, ``to:`` to a notation, and ``from:`` to another page of a
collection's games.
"""
_REPLAY, _CHART, _PRIVATE = "replay", "chart", "private"
_STEP_EMOJI: Final = {
    "f": "\N{BLACK LEFT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f",
    "p": "\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f",
    "n": "\N{BLACK RIGHT-POINTING TRIANGLE}\ufe0f",
    "l": "\N{BLACK RIGHT-POINTING DOUBLE TRIANGLE WITH VERTICAL BAR}\ufe0f",
    "x": "\N{ANTICLOCKWISE DOWNWARDS AND UPWARDS OPEN CIRCLE ARROWS}",
}
"""Emoji for steps to the first, previous, next and last moment, and for turning the board."""
_VIEW_EMOJI: Final = {_REPLAY: "🎞️", _CHART: "📈", _PRIVATE: "🔒"}
_PACE_EMOJI: Final = {Pace.SLOW: "\N{TURTLE}", Pace.NORMAL: _STEP_EMOJI["n"], Pace.FAST: "\N{RABBIT}"}


class ControlProvider(Protocol):
    """A function that returns another feature's controls for a document."""

    def __call__(
        self, found: FoundDocument, moment: Moment, number: int | None = None
    ) -> tuple[Control, ...]:
        """Return controls. ``number`` is the document's number on a card with several documents."""


def first_moment(found: FoundDocument) -> Moment:
    """Return the moment to show first: the turn in the link, the end of a game, or the first puzzle."""
    turn = MAX_TURN if found.linked_turn is None else found.linked_turn
    if isinstance(found.document, PuzzleSet):
        turn = 0
    is_black_at_bottom = found.is_black_at_bottom or (
        isinstance(found.document, ChessPosition) and board_link.is_black_at_bottom(found.text)
    )
    return Moment(found.digest, turn, BLACK if is_black_at_bottom else None, found.spoiler)


@control("view:{moment}:{target}")
class StepButton(MomentControl):
    """Shows a moment. *Next* and *last* can lead to the same moment, so ids also contain a target."""

    target: Annotated[str, IdPart("[fpnlx]")]
    disabled: bool = False

    def face(self, translate: Translator, *, private: bool) -> Button:
        name = translate("Turn the board") if self.target == "x" else ""
        return Button(emoji=_STEP_EMOJI[self.target], disabled=self.disabled, name=name)

    async def act(self, press: Press) -> None:
        await _show(press, self.moment)


@control("turns:{moment}")
class TurnMenu(MomentControl):
    """The menu of turns or puzzles."""

    title: str = ""
    choices: tuple[Choice, ...] = ()
    are_turns: bool = True
    """False for puzzles. :class:`GoTo` cannot ask for a puzzle: users see puzzles numbered from 1, but moments count from 0."""

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(self.title, self.choices, str(self.moment.turn))

    async def act(self, press: Press) -> None:
        if press.value.startswith(AROUND_PREFIX):
            await _show(press, self.moment, centre=int(press.value.removeprefix(AROUND_PREFIX)))
        else:
            await _show(press, replace(self.moment, turn=int(press.value)))


@control("goto:{moment}")
class GoTo(MomentControl):
    """Asks for the number of a turn. Replaces :class:`TurnMenu` on cards with a menu of games."""

    button = Button(Phrase("Go to turn"), "\N{INPUT SYMBOL FOR NUMBERS}")

    async def act(self, press: Press) -> None:
        translate = await press.translator()
        turn = Field("turn", translate("Turn"), str(self.moment.turn), max_length=4)
        await press.open_form(Form(translate("Go to turn"), (turn,), self._show))

    async def _show(self, press: Press, values: Mapping[str, str]) -> None:
        number = values["turn"].strip()
        if not number.isdecimal():
            raise await press.refusal(
                Phrase("Enter a whole number: 0 for the start, 1 for the position after the first turn.")
            )
        await _show(press, replace(self.moment, turn=min(int(number), MAX_TURN)))


@control("other:{moment}:{view}")
class OtherView(MomentControl):
    """Opens a replay, a chart, a private copy, or the view of a player or the whole table."""

    view: Annotated[str, IdPart("replay|chart|private|side:[0-7w]")]
    label: str = ""

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        if private and self.view == _PRIVATE:
            return None
        return Button(self.label, _VIEW_EMOJI.get(self.view, "👁️"))

    async def act(self, press: Press) -> None:
        await _show_view(press, self.moment, self.view)


@control("more:{moment}")
class OtherNotationMenu(MomentControl):
    """The menu of notations for a position. In messages from earlier versions of Kibitz, it also lists views."""

    names: tuple[str, ...] = ()

    def face(self, translate: Translator, *, private: bool) -> Menu | None:
        choices = tuple(
            Choice(f"{_TO_PREFIX}{name}", translate.name(NOTATIONS[name].label)) for name in self.names
        )
        return Menu(translate("Other notations"), choices) if choices else None

    async def act(self, press: Press) -> None:
        await _show_view(press, self.moment, press.value)


@control("games:{moment}")
class DocumentMenu(MomentControl):
    """The menu of the documents in one message. ``moment`` belongs to the displayed document, or to the first of several."""

    choices: tuple[Choice, ...] = ()
    """Each value is a document's digest or :data:`ALL_DOCUMENTS`."""
    shows_all: bool = False

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(
            translate("Choose a game"), self.choices, ALL_DOCUMENTS if self.shows_all else self.moment.digest
        )

    async def act(self, press: Press) -> None:
        if press.value == ALL_DOCUMENTS:
            presenter, spoiler = press.bot.services[PRESENTER], self.moment.spoiler
            digests = [
                choice.value
                for menu, choices in press.controls()
                if isinstance(menu, DocumentMenu)
                for choice in choices
                if choice.value != ALL_DOCUMENTS
            ]
            await press.replace_card(
                lambda context: presenter.show_together(digests, context, spoiler=spoiler)
            )
            return
        await _show(press, replace(self.moment, digest=press.value, turn=MAX_TURN))


@control("copy:{moment}")
class CopyPosition(MomentControl):
    """Sends the position privately as text, with a menu of the other notations."""

    button = Button(emoji="\N{CLIPBOARD}", name=Phrase("Copy"))

    async def act(self, press: Press) -> None:
        await press.reply_privately(lambda context: press.bot.services[PRESENTER].copy(self.moment, context))


@control("open:{moment}")
class OpenFromOldMessage(MomentControl):
    """Opens a game privately. Only messages from earlier versions of Kibitz have this button."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(translate("Turn {turn}", turn=self.moment.turn))

    async def act(self, press: Press) -> None:
        await press.reply_privately(
            lambda context: press.bot.services[PRESENTER].show_moment(self.moment, context)
        )


@control("replay:{moment}:{pace}:{audience}")
class ReplayButton(MomentControl):
    """Replays a game, in the message with the button (``me``) or in a new public message (``all``)."""

    pace: Annotated[Pace, IdPart("slow|usual|fast", Pace)]
    audience: Annotated[str, IdPart("me|all")]
    disabled: bool = False

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        if self.audience == "all":
            return Button(translate("Show to everyone"), "\N{BUSTS IN SILHOUETTE}") if private else None
        labels = {
            Pace.SLOW: translate("Slow"),
            Pace.NORMAL: translate("Normal speed"),
            Pace.FAST: translate("Fast"),
        }
        return Button(labels[self.pace], _PACE_EMOJI[self.pace], disabled=self.disabled)

    async def act(self, press: Press) -> None:
        async def make_card(context: ReplyContext) -> Card:
            return await press.bot.services[PRESENTER].show_replay(
                self.moment, self.pace, context, max_bytes=press.interaction.filesize_limit
            )

        if self.audience == "all":
            await press.reply_publicly(make_card)
        else:
            await press.count_request()
            await press.replace_card(make_card)


@control("publish:{moment}")
class ShareReply(MomentControl):
    """Makes the card of a private reply public, by posting it in the channel."""

    button = Button(Phrase("Show to everyone"), "\N{BUSTS IN SILHOUETTE}")
    is_private = True

    async def act(self, press: Press) -> None:
        await press.reply_publicly(
            lambda context: press.bot.services[PRESENTER].show_moment(self.moment, context)
        )


@control("linked:{collection}:{spoiler}")
class LinkedGameMenu(Control):
    """The menu for choosing a game from a woogles collection."""

    collection: Annotated[str, IdPart("[0-9A-Za-z-]{8,36}")]
    spoiler: Annotated[bool, SPOILER]
    choices: tuple[Choice, ...] = ()
    """One page of the collection. The value of a game is its number and id, such as ``12:p6QRjJHG``. A value with :data:`FROM_PREFIX` leads
    to another page."""

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(translate("Choose a game"), self.choices)

    async def act(self, press: Press) -> None:
        await press.count_request()
        presenter, user_id, spoiler = press.bot.services[PRESENTER], press.user_id, self.spoiler

        async def make_card(context: ReplyContext) -> Card:
            if press.value.startswith(FROM_PREFIX):
                start = int(press.value.removeprefix(FROM_PREFIX))
                return await presenter.show_collection(
                    self.collection, start, user_id, context, spoiler=spoiler
                )
            game_id = press.value.partition(":")[2]
            pending_card = presenter.show_linked_game(game_id, user_id, context, spoiler=spoiler)
            return await _copy_menus(pending_card, press, copy_document_menu=False)

        await press.replace_card(make_card)


@control("notation:{digest}")
class NotationMenu(Control):
    """The menu of a document's other notations."""

    digest: Annotated[str, DIGEST]
    names: tuple[str, ...] = ()
    number: int | None = None
    """The document's number on a card with several documents."""

    @property
    def document_digest(self) -> str | None:
        return self.digest

    def face(self, translate: Translator, *, private: bool) -> Menu:
        title = (
            translate("Other notations")
            if self.number is None
            else translate("Other notations of position {number}", number=self.number)
        )
        return Menu(title, tuple(Choice(name, translate.name(NOTATIONS[name].label)) for name in self.names))

    async def act(self, press: Press) -> None:
        await press.reply_privately(
            lambda context: press.bot.services[PRESENTER].convert_stored(
                self.digest, press.value, context, spoiler=press.is_hidden
            )
        )


def viewer_controls(
    moment: Moment,
    *,
    last_turn: int = 0,
    turn_menu: TurnMenu | None = None,
    flipped_moment: Moment | None = None,
    views: tuple[OtherView, ...] = (),
    feature_controls: tuple[Control, ...] = (),
    is_at_end: bool = False,
    public: bool = False,
) -> tuple[tuple[Control, ...], tuple[Control, ...]]:
    """Return the controls directly under a document, and the controls in its *More* menu.

    ``last_turn`` is the last turn of a game or the index of the last puzzle, otherwise 0. ``flipped_moment`` is the same moment,
    seen from the other side of the board. Only one of the ``feature_controls`` fits next to the step buttons: the last control at
    the end of a finished game (``is_at_end``), otherwise the first.
    """
    copy = CopyPosition(moment)
    flip_controls = () if flipped_moment is None else (StepButton(flipped_moment, "x"),)
    rare_controls: tuple[Control, ...] = views if public else (*views, ShareReply(moment))
    if not last_turn:
        row = (*flip_controls, *feature_controls)
        # With a fifth button, the delete button would not fit into the row.
        return ((*row, copy), rare_controls) if len(row) < 4 else (row, (copy, *rare_controls))
    target_turns = (0, max(0, moment.turn - 1), min(last_turn, moment.turn + 1), last_turn)
    steps = [
        StepButton(moment, target, disabled=True)
        if turn == moment.turn
        else StepButton(replace(moment, turn=turn), target)
        for target, turn in zip("fpnl", target_turns, strict=True)
    ]
    fitting_controls = feature_controls[-1:] if is_at_end else feature_controls[:1]
    menu = () if turn_menu is None else (turn_menu,)
    other_controls = tuple(control for control in feature_controls if control not in fitting_controls)
    more_controls = (*other_controls, copy, *flip_controls, *rare_controls)
    return (*steps, *fitting_controls, *menu), more_controls


def view_controls(
    moment: Moment, translate: Translator, *, has_chart: bool = False, sides: tuple[Choice, ...] = ()
) -> tuple[OtherView, ...]:
    """Return buttons for other views. The value of each choice in ``sides`` is a seat."""
    views = [OtherView(moment, _REPLAY, translate("Replay"))]
    if has_chart:
        views.append(OtherView(moment, _CHART, translate("Chart of who was ahead")))
    views.append(OtherView(moment, _PRIVATE, translate("Open just for me")))
    views += [
        OtherView(moment, f"{_SIDE_PREFIX}{side.value}", side.label)
        for side in sides
        if side.value != str(moment.seat)
    ]
    if sides and moment.seat is not None:
        views.append(OtherView(moment, f"{_SIDE_PREFIX}{EVERYONE}", translate("As the whole table saw it")))
    return tuple(views)


def replay_controls(moment: Moment, pace: Pace) -> tuple[ReplayButton, ...]:
    paces = (ReplayButton(moment, other, "me", disabled=other is pace) for other in Pace)
    return (*paces, ReplayButton(moment, pace, "all"))


def with_game_menu(reply: Card, choices: tuple[Choice, ...], *collections: LinkedGameMenu) -> Card:
    """Replace the menu of turns with a menu of the games in ``choices`` and the menus of ``collections``.

    A button in the *More* menu then asks for a turn.
    """
    copy_control = reply.find_control(CopyPosition)  # its moment is the displayed moment
    if copy_control is not None and choices:
        reply = replace(reply, controls=(*reply.controls, DocumentMenu(copy_control.moment, choices)))
    if not (choices or collections):
        return reply
    turn_menus = [menu for menu in reply.controls if isinstance(menu, TurnMenu) and menu.are_turns]
    other_controls = (control for control in reply.controls if control not in turn_menus)
    more_controls = (*reply.more_controls, *(GoTo(menu.moment) for menu in turn_menus))
    return replace(reply, controls=(*other_controls, *collections), more_controls=more_controls)


async def _show_view(press: Press, moment: Moment, view: str) -> None:
    if view.startswith(_SIDE_PREFIX):
        side = view.removeprefix(_SIDE_PREFIX)
        await _show(press, replace(moment, seat=None if side == EVERYONE else int(side)))
        return
    if view == _REPLAY:
        await press.count_request()  # drawing a replay takes as much work as drawing many pictures
    presenter = press.bot.services[PRESENTER]

    async def make_card(context: ReplyContext) -> Card:
        match view:
            case "replay":
                return await presenter.show_replay(
                    moment, Pace.NORMAL, context, max_bytes=press.interaction.filesize_limit
                )
            case "chart":
                return await presenter.show_chart(moment, context)
            case "private":
                return await presenter.show_moment(moment, context)
            case _:
                return await presenter.convert_moment(moment, view.removeprefix(_TO_PREFIX), context)

    await press.reply_privately(make_card)


async def _show(press: Press, moment: Moment, *, centre: int | None = None) -> None:
    presenter = press.bot.services[PRESENTER]
    await press.replace_card(
        lambda context: _copy_menus(presenter.show_moment(moment, context, centre=centre), press)
    )


async def _copy_menus(
    pending_card: Awaitable[Card], press: Press, *, copy_document_menu: bool = True
) -> Card:
    """Await a card, and add menus from the message: the menu of a collection and, if ``copy_document_menu``, the menu of documents."""
    card = await pending_card
    for menu, choices in press.controls():
        if isinstance(menu, DocumentMenu):
            card = with_game_menu(card, choices) if copy_document_menu else card
        elif isinstance(menu, LinkedGameMenu) and card.has_result:
            card = with_game_menu(card, (), replace(menu, choices=choices))
    return card
