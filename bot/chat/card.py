"""Cards (the contents of replies) and the context of a reply, independent of Discord."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from bot.chat.markdown import as_spoiler
from bot.text import Translator, translator
from render.theme import Layout

if TYPE_CHECKING:
    from bot.chat.control import Control, ControlT
    from render.scene import BoardScene, ChartScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Scene: TypeAlias = "BoardScene | ChessScene | ChartScene | ReplayScene | MosaicScene"

MAX_TEXT_LENGTH: Final = 2000
"""Maximum length of a card's text, in characters. Longer text belongs in a file."""

MAX_CHOICES = 25
"""Discord's maximum number of menu entries."""

MAX_LABEL_LENGTH = 100
"""Discord's maximum length of a menu entry's label or description."""

MAX_ALT_LENGTH = 1024
"""Discord's maximum length of a picture's description."""

_WINDOW_SIZE: Final = MAX_CHOICES - 2
"""Number of entries shown at once if a menu cannot hold all of them. "Earlier…" and "Later…" take up the other two."""

Accent = Literal["plain", "board", "analysis", "review", "puzzle", "poll", "live", "settings", "problem"]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with its description. The scene is drawn before the card is sent."""

    scene: Scene
    alt: str
    spoiler: bool = False
    name: str = "position"
    """The file name. :meth:`Card.with_pictures` adds a suffix and, if the card has several pictures, a number."""
    picture: RenderedImage | None = None
    """None until the scene is drawn."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """Text sent as a file."""

    name: str
    text: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A reply. Its parts appear in this order: pictures, ``text``, ``sections``, files, ``note``, controls, ``more_controls``.

    The first line of ``text`` names the subject, because notifications, search results and screen readers start with it.
    ``note`` is one line of subtext. ``controls`` form rows (usually at most two), each with up to five buttons or one menu.
    ``more_controls`` contains rarely used buttons, which are shown in one menu. To hide a document, mark its text and its pictures as spoilers.
    A hidden container is not enough, because notifications show its text. Sections and notes that exceed Discord's limits are left out.
    """

    text: str
    drawings: tuple[Drawing, ...] = ()
    files: tuple[TextFile, ...] = ()
    controls: tuple[Control, ...] = ()
    has_result: bool = True
    """False if the card only explains why there is no result."""
    sections: tuple[tuple[str, Control], ...] = ()
    """Lines of text, each with a control beside it."""
    note: str = ""
    more_controls: tuple[Control, ...] = ()
    accent: Accent = "plain"

    def find_control(self, kind: type[ControlT]) -> ControlT | None:
        all_controls = (*self.controls, *(control for _, control in self.sections), *self.more_controls)
        return next((control for control in all_controls if isinstance(control, kind)), None)

    def with_pictures(self, pictures: Sequence[RenderedImage]) -> Card:
        has_several = len(pictures) > 1
        drawings = tuple(
            replace(
                drawing,
                name=f"{drawing.name}{f'-{number}' if has_several else ''}.{picture.mime.partition('/')[2]}",
                picture=picture,
            )
            for number, (drawing, picture) in enumerate(zip(self.drawings, pictures, strict=True), start=1)
        )
        return replace(self, drawings=drawings)


class RefusalError(Exception):
    """Raised to refuse a request. The card gives the reason, and is sent as the reply."""

    def __init__(self, card: Card) -> None:
        self.card = card
        super().__init__(card.text)

    @classmethod
    def with_text(cls, text: str) -> Self:
        return cls(Card(text, has_result=False))


async def require_result(work: Awaitable[Card]) -> Card:
    """Await a card. Raise :class:`RefusalError` if it has no result."""
    card = await work
    if not card.has_result:
        raise RefusalError(card)
    return card


@dataclass(frozen=True, slots=True)
class Moment:
    """A position in a stored document, as one player or everyone sees it. It fits in a button's id."""

    digest: str
    turn: int
    """Number of turns before the displayed position. In a set of puzzles, the index of the puzzle."""
    seat: int | None = None
    """The seat of the player who sees it, counted from 0, or None for everyone. In chess, seat 0 is White."""
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry of a menu or another list."""

    value: str
    label: str
    description: str = ""
    emoji: str = ""


@dataclass(frozen=True, slots=True)
class Appearance:
    """The look of drawn positions."""

    theme: str = "light"
    layout: Layout = Layout.TALL
    coordinates: bool = True


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """The appearance, language and lexicon of a reply, and the user who gets it."""

    appearance: Appearance = field(default_factory=Appearance)
    translate: Translator = field(default_factory=lambda: translator("en"))
    lexicon: str = ""
    """The lexicon for positions that do not name one, or empty if none was chosen."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(missing lexicon, substitute) pairs, chosen by the server."""
    user_id: int = 0
    """0 if the reply is the same for every user."""
    guild_id: int | None = None
    public: bool = False


CardMaker: TypeAlias = Callable[[ReplyContext], Awaitable[Card]]


def join_blocks(blocks: list[str], moment: Moment, *, intro: str = "") -> str:
    """Join blocks as :func:`join_fitting_blocks` does. If the moment is a spoiler, hide all except ``intro``."""
    if moment.spoiler:
        blocks = list(map(as_spoiler, blocks))
    return join_fitting_blocks([intro, *blocks] if intro else blocks)


def moment_card(
    moment: Moment,
    blocks: list[str],
    scene: Scene,
    alt: str,
    *,
    name: str = "position",
    controls: tuple[Control, ...] = (),
    more_controls: tuple[Control, ...] = (),
    note: str = "",
    accent: Accent = "board",
) -> Card:
    return Card(
        join_blocks(blocks, moment),
        (Drawing(scene, alt, moment.spoiler, name),),
        controls=controls,
        more_controls=more_controls,
        note=as_spoiler(note) if moment.spoiler and note else note,
        accent=accent,
    )


def truncate(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def menu_window(count: int, centre: int) -> tuple[range, int | None, int | None]:
    """Return which of ``count`` entries a menu shows, as a range, centred on index ``centre`` if possible.

    Also return the ``centre`` for a menu of the entries before these, and for a menu of the entries after them. Each is None if there
    are no such entries.
    """
    if count <= MAX_CHOICES:
        return range(count), None, None
    start = max(0, min(centre - _WINDOW_SIZE // 2, count - _WINDOW_SIZE))
    stop = start + _WINDOW_SIZE
    return (
        range(start, stop),
        max(0, start - _WINDOW_SIZE // 2 - 1) if start else None,
        stop + _WINDOW_SIZE // 2 if stop < count else None,
    )


def with_paging(
    choices: tuple[Choice, ...], prefix: str, earlier: int | None, later: int | None, translate: Translator
) -> tuple[Choice, ...]:
    """Add the entries "Earlier…" and "Later…". Their values are ``prefix`` followed by ``earlier`` or ``later``.

    An entry whose number is None is left out.
    """
    earlier_entry = () if earlier is None else (Choice(f"{prefix}{earlier}", translate("Earlier…")),)
    later_entry = () if later is None else (Choice(f"{prefix}{later}", translate("Later…")),)
    return (*earlier_entry, *choices, *later_entry)


def join_fitting_blocks(blocks: Iterable[str]) -> str:
    """Join the first block and all later blocks that still fit into a card.

    Blocks are never cut, because a cut could remove the end of a spoiler.
    """
    text = ""
    for block in blocks:
        if not text or len(text) + 1 + len(block) <= MAX_TEXT_LENGTH:
            text += "\n" + block if text else block
    return text
