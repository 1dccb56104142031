"""Replies: everything a shell needs to answer somebody, and nothing of any shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias, TypeVar

from bot.engine.options import DEFAULT_PLIES
from bot.jobs.analysis import Method
from bot.review.depth import Depth
from bot.scenes.pace import Pace
from render.scene import BoardScene, ChartScene, ChessScene, MosaicScene, RenderedImage, ReplayScene

Scene: TypeAlias = BoardScene | ChessScene | ChartScene | ReplayScene | MosaicScene
"""Everything that can be drawn."""

MAX_TEXT = 2000
"""Characters that fit into one message."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture still to be drawn, with its description."""

    scene: Scene
    alt: str
    spoiler: bool = False
    name: str = "position"
    """The beginning of the file's name."""


@dataclass(frozen=True, slots=True)
class Image:
    """A finished picture with its description and a file name."""

    picture: RenderedImage
    alt: str
    name: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text sent as a file."""

    name: str
    text: str
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class NotationMenu:
    """Offers a stored document in other notations."""

    digest: str
    number: int | None
    """The position's number when the answer shows several; None when it shows one."""
    notations: tuple[str, ...]
    """Names of the notations offered."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a viewer shows: a moment of a stored game, seen from a side. Small enough for a button's id."""

    digest: str
    turn: int
    """How many turns have been taken."""
    side: int | None = None
    """The seat whose side it is; None for the whole table."""
    spoiler: bool = False
    """Whether picture and text are hidden until they are clicked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list to choose from."""

    value: str
    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Controls to step through a stored document, to turn it, and to ask what else there is to it.

    What is stepped through are the turns of a game, or the puzzles of a file, by their places from 0. A position has none.
    """

    moment: Moment
    last: int = 0
    """The last turn of the game, or the place of the last puzzle; 0 when there is nothing to step to."""
    title: str = ""
    """What the list of turns or puzzles is called."""
    choices: tuple[Choice, ...] = ()
    """Turns or puzzles to go to, with their numbers as values: all of them, or some around the one shown."""
    earlier: int | None = None
    """A turn around which to list others, when there are earlier ones than in ``choices``."""
    later: int | None = None
    flipped: Moment | None = None
    """The same from the other side of the board, where it has two."""
    sides: tuple[Choice, ...] = ()
    """The sides that it can be seen from, with seats as values, beside the whole table."""
    replay: bool = False
    """Whether there is an animation of it."""
    chart: bool = False
    """Whether there is a chart of its scores."""
    games: tuple[Choice, ...] = ()
    """The documents that were posted together, with their digests as values, :data:`TOGETHER` for all at once."""
    together: bool = False
    """Whether all of them are shown at once, and none is chosen."""


TOGETHER = "all"
"""The choice that shows all documents that were posted together."""


@dataclass(frozen=True, slots=True)
class CopyOffer:
    """Offers what is shown as a text to copy."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class CopyMenu:
    """Offers other notations of what is shown."""

    moment: Moment
    notations: tuple[str, ...]
    """Their names."""


@dataclass(frozen=True, slots=True)
class ReplayPanel:
    """Controls under a replay: how fast it goes, and to show it to everybody."""

    moment: Moment
    pace: Pace


@dataclass(frozen=True, slots=True)
class BookPlace:
    """A position on the way through a stored opening book. Small enough for a button's id."""

    book: str
    """The digest of the book."""
    path: str
    """The digest of the moves that lead to the position; where a source begins, that of the source itself."""
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class BookPanel:
    """Controls to walk through a stored opening book."""

    place: BookPlace
    choices: tuple[Choice, ...]
    """The known moves of the position, as in UCI."""
    back: bool = False
    """Whether there is a move to take back."""


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """Offers to let an engine think about a moment of chess."""

    moment: Moment
    seconds: int = 0
    """How long; 0 for the usual time."""
    number: int | None = None
    """Which of several positions it is; None where there is one."""


@dataclass(frozen=True, slots=True)
class SolveOffer:
    """Offers to tell whether a move solves a puzzle; the turn of the moment is the place of the puzzle, from 0."""

    moment: Moment
    done: int = 0
    """How many half-moves of the solution were played already."""
    way: int = 0
    """Along which of the solution's ways."""


@dataclass(frozen=True, slots=True)
class SeatPanel:
    """Controls to say who plays a live game."""

    draws: int
    """Which game it is."""
    mark: str
    """Names who is shown to sit where: a press counts for what was seen."""
    free: tuple[tuple[int, str], ...]
    """The seats that can be taken, with the names of their players."""
    full: bool
    """Whether every seat has somebody, and not all of them are known."""
    any: bool
    """Whether anybody can leave."""


@dataclass(frozen=True, slots=True)
class TurnOffer:
    """Offers to open a game in private at a turn."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class AnalysisOffer:
    """Offers to analyze a stored position."""

    moment: Moment
    number: int | None = None
    """Which of several positions it is; None where there is one."""


@dataclass(frozen=True, slots=True)
class ReviewOffer:
    """Offers to review a stored game."""

    moment: Moment
    """Any moment of the game."""
    deep: bool = False
    """Whether it is to be looked at closely."""
    lexicon: str = ""
    """The lexicon that was asked for; empty for the usual one."""


@dataclass(frozen=True, slots=True)
class ReviewPanel:
    """Controls of a review, under its card or under one of its turns."""

    moment: Moment
    """The turn shown; 0 on the card."""
    depth: Depth
    lexicon: str
    """The lexicon that was used; none in chess."""
    choices: tuple[Choice, ...]
    """All turns with their numbers as values, in their order."""
    keys: tuple[int, ...]
    """The turns most worth to look at."""
    previous: int | None = None
    next: int | None = None
    """The turns before and after the one shown."""
    around: int = 0
    """The turn around which turns are listed when there are too many for one list."""
    teaches: bool = False
    """Whether there is a turn to learn from."""

    @classmethod
    def of(
        cls,
        moment: Moment,
        depth: Depth,
        lexicon: str,
        choices: tuple[Choice, ...],
        keys: tuple[int, ...],
        *,
        teaches: bool,
    ) -> Self:
        """Make the panel of a moment."""
        numbers = [int(choice.value) for choice in choices]
        return cls(
            moment,
            depth,
            lexicon,
            choices,
            keys,
            max((number for number in numbers if number < moment.turn), default=None),
            min((number for number in numbers if number > moment.turn), default=None),
            moment.turn,
            teaches,
        )


@dataclass(frozen=True, slots=True)
class LessonPanel:
    """Controls to learn from a review: under a turn, at the end, or where it is asked who learns."""

    moment: Moment
    """The turn shown, 0 at the end; the side is the player who learns, None when that is asked."""
    depth: Depth
    lexicon: str
    """The lexicon of the review; none in chess."""
    marks: str
    """What became of each turn so far, a sign for one."""
    previous: int | None = None
    """The turn before; None when there is none."""
    next: int | None = None
    """The turn after, 0 for the end; None when there is neither."""
    is_open: bool = False
    """Whether the turn shown is still to be found."""
    has_hint: bool = False
    at_end: bool = False
    players: tuple[Choice, ...] = ()
    """Players to choose, by their seats."""


@dataclass(frozen=True, slots=True)
class GameReview:
    """Names the review of a stored game. Small enough for an entry of a menu."""

    moment: Moment
    depth: Depth
    lexicon: str
    """The lexicon that was used; none in chess."""


@dataclass(frozen=True, slots=True)
class ReviewedGames:
    """Controls under a table of reviewed games: each to be opened, and all to be looked at more closely."""

    games: tuple[tuple[GameReview, str, str], ...]
    """The games, each with what it is called and what is said of it."""
    lexicon: str
    """The lexicon that was asked for; empty for the usual one."""
    minutes: int
    """About how many minutes of a processor a closer look at all takes; 0 when they have had it."""
    last: int = 0
    """How many of one's own games were asked for; 0 for games that somebody brought."""


@dataclass(frozen=True, slots=True)
class NamesPanel:
    """Asks somebody which of the players of the own games they are."""

    choices: tuple[Choice, ...]
    """The names, with what stands for them as values."""
    own: tuple[str, ...]
    """The values of those that are known to be the person's."""
    last: int
    """How many of the own games were asked for."""
    depth: Depth
    lexicon: str
    """The lexicon that was asked for; empty for the usual one."""


@dataclass(frozen=True, slots=True)
class LinkedGames:
    """Controls to choose a game of a collection on woogles, which is fetched when it is chosen."""

    collection: str
    """The id of the collection."""
    choices: tuple[Choice, ...]
    """Some of its games, with their numbers and ids as values (``12:p6QRjJHG``)."""
    earlier: int | None = None
    """The place of a game from which to list others, when there are earlier ones than in ``choices``."""
    later: int | None = None
    spoiler: bool = False


@dataclass(frozen=True, slots=True)
class TryOffer:
    """Offers to try a play, or a move of chess, in a stored position."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class Way:
    """How an analysis goes about it beside its method, and how much of it is told. Small enough for a button's id."""

    plies: int = DEFAULT_PLIES
    """How many turns a simulation plays on."""
    infer: bool = False
    """Whether a simulation guesses the opponent's tiles."""
    all: bool = False
    """Whether all plays are in the table, not the best alone."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Controls under an analysis: its plays, each to be shown on the board, and what else can be found out."""

    moment: Moment
    lexicon: str
    """The lexicon that was used."""
    method: Method
    """How the plays are ranked."""
    choices: tuple[Choice, ...]
    """The plays with their ranks, from 0, as values."""
    shown: int
    """The rank of the play on the board."""
    can_be_simulated: bool = True
    """Whether it is known what may be drawn."""
    can_be_solved: bool = False
    """Whether the best play can be proved."""
    lexica: tuple[str, ...] = ()
    """The installed lexica to choose from, where the one that was wanted is not installed; the used one is the first."""
    way: Way = field(default_factory=Way)
    can_infer: bool = False
    """Whether the opponent's last play may tell something of the tiles that were kept."""
    has_more: bool = False
    """Whether there are plays that the table leaves out, or that it would leave out if it were not to have all."""
    may_be_posted: bool = False
    """Whether others may see it: not while the game may still be going on."""
    turns: tuple[int | None, int | None] = (None, None)
    """The moments before and after this one in which somebody had a rack to play, as numbers of turns taken."""


@dataclass(frozen=True, slots=True)
class PuzzlePanel:
    """Controls of a puzzle."""

    game: str
    name: str
    """The puzzle's id."""
    is_open: bool = True
    """Whether it can still be answered."""
    has_hint: bool = False


@dataclass(frozen=True, slots=True)
class DailyPanel:
    """Controls under the daily of a server."""

    game: str
    number: int
    name: str
    """The puzzle's id."""
    is_open: bool = True
    """Whether it can still be answered."""


@dataclass(frozen=True, slots=True)
class DailyOffer:
    """Offers whoever solved a daily to tell of it, and to be named for it."""

    game: str
    number: int


@dataclass(frozen=True, slots=True)
class PollOffer:
    """Offers to ask the others what they would play at a moment, where its player's tiles are no secret."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class PollPanel:
    """Controls of an open poll."""


@dataclass(frozen=True, slots=True)
class LookPanel:
    """Offers to look at what the engine thinks although a poll is open, which is told."""

    poll: int
    """The message that shows the poll."""


Control: TypeAlias = (
    Viewer
    | BookPanel
    | SeatPanel
    | NotationMenu
    | CopyOffer
    | CopyMenu
    | ReplayPanel
    | Ranking
    | EngineOffer
    | SolveOffer
    | AnalysisOffer
    | TryOffer
    | ReviewOffer
    | ReviewPanel
    | LessonPanel
    | ReviewedGames
    | NamesPanel
    | PuzzlePanel
    | DailyPanel
    | DailyOffer
    | PollOffer
    | PollPanel
    | LookPanel
    | TurnOffer
    | LinkedGames
)
"""Everything that a reply can offer to do."""

ControlT = TypeVar("ControlT", bound=Control)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is to be said. ``found`` is False when it only says why there is nothing to show."""

    text: str
    drawings: tuple[Drawing, ...] = ()
    """Pictures still to be drawn: the service draws them before it hands a reply to a shell."""
    files: tuple[TextFile, ...] = ()
    controls: tuple[Control, ...] = ()
    """What can be done with it, in the order in which it is shown."""
    found: bool = True
    images: tuple[Image, ...] = ()

    def control(self, kind: type[ControlT]) -> ControlT | None:
        """Return the first control of a kind; None when there is none."""
        return next((control for control in self.controls if isinstance(control, kind)), None)

    def with_games(self, games: tuple[Choice, ...]) -> Reply:
        """Return the reply with a list of games in its viewer, if it has one."""
        controls = (replace(one, games=games) if isinstance(one, Viewer) else one for one in self.controls)
        return replace(self, controls=tuple(controls))

    def drawn(self, pictures: Sequence[RenderedImage]) -> Reply:
        """Return the reply with its pictures, in the order of the drawings."""
        several = len(pictures) > 1
        images = tuple(
            Image(
                picture,
                drawing.alt,
                f"{drawing.name}{f'-{number}' if several else ''}.{picture.mime.partition('/')[2]}",
                spoiler=drawing.spoiler,
            )
            for number, (drawing, picture) in enumerate(zip(self.drawings, pictures, strict=True), start=1)
        )
        return replace(self, drawings=(), images=images)


class NoAnswerError(Exception):
    """What was asked for cannot be had; the reply says why. It is caught where the shell is entered."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        super().__init__(reply.text)

    @classmethod
    def saying(cls, text: str) -> Self:
        """Make one that says this."""
        return cls(Reply(text, found=False))
