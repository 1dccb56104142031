"""Cards: the content of an answer, the moment of a document that it shows, its style, and texts within the limits.

Nothing here depends on Discord or on the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from bot.chat.markdown import as_spoiler
from bot.text import Speaker, speaker
from render.theme import Layout

if TYPE_CHECKING:
    from bot.chat.control import Control, ControlT
    from render.scene import BoardScene, ChartScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Scene: TypeAlias = "BoardScene | ChessScene | ChartScene | ReplayScene | MosaicScene"
"""Everything that can be drawn."""

MAX_TEXT: Final = 2000
"""Maximum length of a card's ``text``, in characters. Longer texts belong in a file."""

MAX_CHOICES = 25
"""Maximum number of entries of one list."""

MAX_LABEL = 100
"""Maximum length of an entry's label, in characters."""

MAX_ALT = 1024
"""Maximum length of the description of a picture, a limit of Discord."""

_WINDOW: Final = MAX_CHOICES - 2

Accent = Literal["plain", "board", "analysis", "review", "puzzle", "poll", "live", "settings", "problem"]
"""The kinds of cards; each has its colour (:data:`bot.chat.layout.COLOURS`)."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with its description; the service draws it before it hands a card to a shell."""

    scene: Scene
    alt: str
    spoiler: bool = False
    name: str = "position"
    """The beginning of the file's name; of a drawn picture the whole name."""
    picture: RenderedImage | None = None
    """None until it is drawn."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text sent as a file."""

    name: str
    text: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A few lines with one button at their side, such as a turn of a review and the button that opens it."""

    text: str
    control: Control


@dataclass(frozen=True, slots=True)
class Card:
    """An answer. It is laid out in the order: pictures, ``text``, ``sections``, files, ``note``, controls, ``more``.

    The first line of ``text`` names the subject of the card: notifications and search show it, and screen readers start with it.
    ``note`` is small print of one line: formats, lexica, unseen tiles. ``controls`` are laid into rows: five buttons or one
    menu each; keep them to two rows. ``more`` holds rarely used buttons; they form one menu.
    To hide a document, put its text behind spoiler bars and mark its pictures as spoilers. A hidden container would not be
    enough: notifications show its text.

    :mod:`bot.chat.layout` keeps to Discord's limits: it leaves out sections and notes that do not fit, and moves buttons without
    room into the menu.
    """

    text: str
    drawings: tuple[Drawing, ...] = ()
    files: tuple[TextFile, ...] = ()
    controls: tuple[Control, ...] = ()
    found: bool = True
    """False for a card that only says why there is nothing to show."""
    sections: tuple[Section, ...] = ()
    note: str = ""
    more: tuple[Control, ...] = ()
    accent: Accent = "plain"

    def control(self, kind: type[ControlT]) -> ControlT | None:
        """Return the first control of a kind; None when there is none."""
        every = (*self.controls, *(section.control for section in self.sections), *self.more)
        return next((control for control in every if isinstance(control, kind)), None)

    def drawn(self, pictures: Sequence[RenderedImage]) -> Card:
        """Return the card with its pictures, in the order of the drawings."""
        several = len(pictures) > 1
        drawings = tuple(
            replace(
                drawing,
                name=f"{drawing.name}{f'-{number}' if several else ''}.{picture.mime.partition('/')[2]}",
                picture=picture,
            )
            for number, (drawing, picture) in enumerate(zip(self.drawings, pictures, strict=True), start=1)
        )
        return replace(self, drawings=drawings)


class NoAnswerError(Exception):
    """There is no answer; the card says why. It is caught where the shell is entered."""

    def __init__(self, reply: Card) -> None:
        self.reply = reply
        super().__init__(reply.text)

    @classmethod
    def saying(cls, text: str) -> Self:
        """Make an error whose card has this text."""
        return cls(Card(text, found=False))


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a stored game, seen from a side; small enough for a button's id."""

    digest: str
    turn: int
    """Number of turns taken."""
    side: int | None = None
    """The seat whose side it is; None for the whole table."""
    spoiler: bool = False
    """Whether picture and text are spoilers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list to choose from."""

    value: str
    label: str
    detail: str = ""
    emoji: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """The look of positions."""

    theme: str = "light"
    layout: Layout = Layout.TALL
    coordinates: bool = True
    """Whether the rows and columns are named beside the board."""


@dataclass(frozen=True, slots=True)
class Style:
    """The look, language and lexicon of one answer."""

    view: View = field(default_factory=View)
    say: Speaker = field(default_factory=lambda: speaker("en"))
    lexicon: str = ""
    """The lexicon for positions that name none; empty if none was chosen."""
    aliases: tuple[tuple[str, str], ...] = ()
    """The server's substitutes for lexica that are not installed."""
    reader: int = 0
    """The user answered; 0 where the audience does not matter."""
    guild_id: int | None = None
    public: bool = False
    """Whether others see the answer."""

    @property
    def preferred(self) -> tuple[str, ...]:
        """The lexica for positions that name none."""
        return (self.lexicon,) if self.lexicon else ()


def join_blocks(blocks: list[str], moment: Moment, *, lead: str = "") -> str:
    """Join blocks of text while they fit, behind bars if the document is hidden; the first always fits.

    ``lead`` is a line before them that gives nothing away.
    """
    hide = as_spoiler if moment.spoiler else str
    texts = [hide(block) for block in blocks]
    text = f"{lead}\n{texts[0]}" if lead else texts[0]
    for block in texts[1:]:
        if len(text) + 1 + len(block) <= MAX_TEXT:
            text += "\n" + block
    return text


def moment_card(
    moment: Moment,
    blocks: list[str],
    scene: Scene,
    alt: str,
    *,
    name: str = "position",
    controls: tuple[Control, ...] = (),
    more: tuple[Control, ...] = (),
    note: str = "",
    accent: Accent = "board",
) -> Card:
    """Return the card of a moment with one picture: blocks, picture and note are hidden where the moment is a spoiler."""
    return Card(
        join_blocks(blocks, moment),
        (Drawing(scene, alt, moment.spoiler, name),),
        controls=controls,
        more=more,
        note=as_spoiler(note) if moment.spoiler and note else note,
        accent=accent,
    )


def clipped(text: str, max_length: int) -> str:
    """Shorten a text to at most ``max_length`` characters."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def window(count: int, around: int) -> tuple[range, int | None, int | None]:
    """Return the entries of a list that are shown, and around which to list earlier and later ones, if there are any."""
    if count <= MAX_CHOICES:
        return range(count), None, None
    start = max(0, min(around - _WINDOW // 2, count - _WINDOW))
    stop = start + _WINDOW
    earlier = start - _WINDOW // 2 - 1 if start else None
    return (
        range(start, stop),
        None if earlier is None else max(0, earlier),
        stop + _WINDOW // 2 if stop < count else None,
    )


def fitting(blocks: list[str]) -> str:
    """Join the first blocks that fit into a message. Blocks stay whole, because half a block could lose its spoiler bars."""
    text = ""
    for block in blocks:
        if len(text) + 1 + len(block) > MAX_TEXT:
            break
        text += "\n" + block if text else block
    return text
