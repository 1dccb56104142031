"""Controls: buttons and menus on a card. Each kind is one class with its state, its face (what users see) and its action.

A control's ``custom_id`` has the form ``kibitz:<word>:<state>``, where the word names the kind of control. Each state has
exactly one ``custom_id``: ``control_from_id(id).to_id() == id`` for every id that :func:`control_from_id` accepts. Messages keep
their controls for years, so an id may gain optional parts, but must not lose parts.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    get_type_hints,
)

from bot.chat.card import Card, Choice, Moment, ReplyContext
from bot.domain.reading.problems import Phrase
from bot.jobs.queue import JobQueue
from bot.observe.metrics import Metrics
from bot.text import Translator

if TYPE_CHECKING:
    import discord

    from bot.chat.press import Press
    from bot.chat.source import Source


MAX_ID_LENGTH = 100
"""Discord's maximum length of an id."""

ControlT = TypeVar("ControlT", bound="Control")
ServiceT = TypeVar("ServiceT")

_NOT_INSTALLED: Final = Phrase("Analysis isn't installed where this bot runs.")


@dataclass(frozen=True, slots=True)
class ServiceKey(Generic[ServiceT]):
    """The key of a service. Controls cannot import services, because services import controls."""

    name: str
    missing_text: Phrase = _NOT_INSTALLED
    """The reply if this bot does not have the service."""


@dataclass(frozen=True, slots=True)
class IdPart:
    """The codec for one value in an id."""

    pattern: str
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str


@dataclass(frozen=True, slots=True)
class Button:
    """A button as users see it."""

    label: str = ""
    emoji: str = ""
    style: Literal["secondary", "primary", "success", "danger"] = "secondary"
    disabled: bool = False
    name: str = ""
    """The label in a menu if the button has only an emoji."""
    url: str = ""
    """The URL that a link button opens. Discord sends no event for presses of link buttons."""


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu as users see it."""

    placeholder: str
    choices: tuple[Choice, ...]
    chosen: str | None = None
    chosen_values: tuple[str, ...] | None = None
    """The current values if several can be chosen, otherwise None."""


@lru_cache(maxsize=1024)
def translate_face(face: Button, translate: Translator) -> Button:
    return replace(face, label=translate.name(face.label), name=translate.name(face.name))


class Control:
    """A button or a menu.

    Its state consists of the fields in :attr:`id_format`. Other fields affect only its appearance, and have defaults.
    """

    __slots__ = ()
    button: ClassVar[Button | None] = None
    """The untranslated face of a button that always looks the same."""
    is_private: ClassVar[bool | None] = None
    """The cards that show the ``button``: private cards (True), public cards (False), or both (None)."""
    is_unlimited: ClassVar[bool] = False
    """Whether the rate limit ignores presses. A user over the limit must still be able to stop or delete something."""
    id_format: ClassVar[str]
    """The ``custom_id``, with the names of the parts in braces."""
    id_pattern: ClassVar[re.Pattern[str]]
    """The pattern of the ``custom_id``, with a group for each part."""
    parts: ClassVar[dict[str, IdPart]]

    def face(self, translate: Translator, *, private: bool) -> Button | Menu | None:
        """Return the control's look under a card, or None to leave it out."""
        if self.button is None or self.is_private not in (None, private):
            return None
        return translate_face(self.button, translate)

    async def act(self, press: Press) -> None:
        """Run the control's action. If it raises :class:`RefusalError`, only the user who pressed the control sees the card."""
        raise NotImplementedError

    @property
    def document_digest(self) -> str | None:
        return None

    def has_valid_id(self) -> bool:
        try:
            return bool(self.to_id())
        except ValueError:
            return False

    def to_id(self) -> str:
        """Return the ``custom_id``, or raise :class:`ValueError` if a value does not fit in it."""
        text = self.id_format.format(
            **{name: part.write(getattr(self, name)) for name, part in self.parts.items()}
        )
        if len(text) > MAX_ID_LENGTH or not self.id_pattern.fullmatch(text):
            raise ValueError(f"{self!r} can't be written")
        return text

    @classmethod
    def from_match(cls: type[ControlT], match: re.Match[str]) -> ControlT:
        return cls(**{name: part.read(match[name]) for name, part in cls.parts.items()})


@dataclass_transform(frozen_default=True)
def control(id_format: str) -> Callable[[type[ControlT]], type[ControlT]]:
    """Make a class into a frozen control whose ``custom_id`` has this format.

    Each part in braces has a field of the same name, whose annotation contains the :class:`IdPart`.
    """

    def decorate(cls: type[ControlT]) -> type[ControlT]:
        control_class = dataclass(frozen=True, slots=True)(cls)
        hints = get_type_hints(control_class, include_extras=True)
        control_class.id_format = f"kibitz:{id_format}"
        control_class.parts = {
            name: hints[name].__metadata__[0] for name in re.findall(r"{(\w+)}", id_format)
        }
        groups = {name: f"(?P<{name}>{part.pattern})" for name, part in control_class.parts.items()}
        control_class.id_pattern = re.compile(control_class.id_format.format(**groups), re.ASCII)
        CLASS_BY_WORD[id_format.partition(":")[0]] = control_class
        return control_class

    return decorate


CLASS_BY_WORD: Final[dict[str, type[Control]]] = {}


def control_from_id(custom_id: str | None) -> Control | None:
    """Return the control with this id, or None if no control can have it."""
    kind = CLASS_BY_WORD.get((custom_id or "").removeprefix("kibitz:").partition(":")[0])
    match = kind.id_pattern.fullmatch(custom_id or "") if kind else None
    return kind.from_match(match) if kind and match else None


@control("extra")
class MoreMenu(Control):
    """The menu of rarely used buttons. The values of its entries are the buttons' ids."""

    is_unlimited = True  # the chosen button is counted instead

    async def act(self, press: Press) -> None:
        if (chosen_control := control_from_id(press.value)) is not None:
            await press.run(chosen_control)


@dataclass(frozen=True, slots=True)
class LinkButton(Control):
    """A button that opens a URL."""

    label: str
    url: str

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(self.label, url=self.url)

    def to_id(self) -> str:
        return self.url


MAX_TITLE_LENGTH = 45
"""Discord's maximum length of a form's title and of a field's label."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form. Radio buttons have up to ten choices. The values of checkboxes are joined with spaces."""

    name: str
    label: str
    value: str = ""
    kind: Literal["line", "lines", "menu", "radio", "boxes", "file"] = "line"
    choices: tuple[Choice, ...] = ()
    placeholder: str = ""
    max_length: int = 4_000
    """The default is Discord's own limit."""
    required: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of at most five fields.

    ``submit`` is called with the press that submitted the form, and the texts by field name.
    """

    title: str
    fields: tuple[Field, ...]
    submit: Callable[[Press, Mapping[str, str]], Awaitable[None]]


def number_part(max_digits: int) -> IdPart:
    return IdPart(rf"(?:0|[1-9][0-9]{{0,{max_digits - 1}}})", int)


def _read_moment(text: str) -> Moment:
    digest, turn, flags = text.split(":")
    seat, spoiler = flags[0], flags[1] == "s"
    return Moment(digest, int(turn), None if seat == EVERYONE else int(seat), spoiler)


def _write_moment(moment: Moment) -> str:
    seat = EVERYONE if moment.seat is None else moment.seat
    return f"{moment.digest}:{moment.turn}:{seat}{'s' if moment.spoiler else 'o'}"


EVERYONE: Final = "w"
"""Takes the place of a seat number in an id, and means everyone."""

DIGEST: Final = IdPart("[A-Za-z0-9_-]{22}")
SPOILER: Final = IdPart("[so]", lambda text: text == "s", lambda spoiler: "s" if spoiler else "o")
TURN: Final = number_part(4)
MAX_TURN: Final = 9_999
_MOMENT: Final = IdPart(rf"{DIGEST.pattern}:{TURN.pattern}:[w0-7][so]", _read_moment, _write_moment)
SNOWFLAKE: Final = number_part(20)
OPTIONAL_LEXICON: Final = IdPart(
    "(?::[A-Za-z0-9._-]{1,32})?", lambda text: text[1:], lambda name: name and f":{name}"
)

LexiconName = Annotated[str, IdPart("[A-Za-z0-9._-]{0,32}")]


@dataclass(frozen=True, slots=True)
class MomentControl(Control):
    """A control that acts on one position of a stored document."""

    moment: Annotated[Moment, _MOMENT]

    @property
    def document_digest(self) -> str | None:
        return self.moment.digest


_MARK = IdPart("(?::[0-9a-f]{8})?", lambda text: text[1:], lambda mark: mark and f":{mark}")


@control("delete:{owner_id}{mark}")
class DeleteReply(Control):
    """Deletes the reply. Only moderators and the user who got the reply may press it."""

    button = Button(emoji="\N{WASTEBASKET}\N{VARIATION SELECTOR-16}", name=Phrase("Delete"))
    is_private = False
    is_unlimited = True

    owner_id: Annotated[int, SNOWFLAKE]
    mark: Annotated[str, _MARK] = ""
    """Written by earlier versions of Kibitz; not used."""

    async def act(self, press: Press) -> None:
        if press.user_id != self.owner_id and not press.is_moderator:
            translate = await press.translator()
            await press.send_text(
                translate("Only moderators and the person Kibitz replied to can delete this.")
            )
            return
        await press.delete()


AfterReply: TypeAlias = "Callable[[Any, discord.Message, Any], Awaitable[None]]"
"""Called with the bot, a message that got a reply, and the ``Findings`` in the message."""


ReplyToMention: TypeAlias = "Callable[[Any, discord.Message, Source, ReplyContext], Awaitable[Card | None]]"
"""Called with the bot, a message that mentions the bot, the message's text and files, and the reply's context. Returns None if the
message gets the usual reply.
"""


class Services:
    """The features' services. When the bot closes, it stops ``job_queues`` and calls ``stop_reading``."""

    def __init__(
        self,
        metrics: Metrics,
        job_queues: Collection[JobQueue[Any, Any, Any]] = (),
        stop_reading: Callable[[], None] = lambda: None,
    ) -> None:
        self.metrics = metrics
        self.job_queues = job_queues
        self.stop_reading = stop_reading
        self.reads_as_play: Callable[[discord.Message], bool] = lambda _: False
        """Returns whether a message that replies to a board is a play on that board."""
        self.reply_to_mention: ReplyToMention | None = None
        self.after_reply: list[AfterReply] = []
        self._by_name: dict[str, object] = {}

    def add(self, key: ServiceKey[ServiceT], service: ServiceT) -> ServiceT:
        self._by_name[key.name] = service
        return service

    def find(self, key: ServiceKey[ServiceT]) -> ServiceT | None:
        return cast("ServiceT | None", self._by_name.get(key.name))

    def __getitem__(self, key: ServiceKey[ServiceT]) -> ServiceT:
        """Return a service that every bot has."""
        return cast("ServiceT", self._by_name[key.name])
