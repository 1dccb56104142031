"""The answers about the documents of each kind of game, by the kind of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from bot.chat.card import Card, Drawing, Moment, Style
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import ChessDocument, CrosswordDocument, is_chess
from bot.domain.notations import Document as AnyDocument
from bot.features.showing.chess.game import answer_chess_replay
from bot.features.showing.chess.position import chess_drawing, chess_line, chess_to_copy
from bot.features.showing.chess.viewer import (
    answer_chess,
    answer_chess_conversion,
    answer_posted,
    chess_brief,
)
from bot.features.showing.controls import Offers
from bot.features.showing.crossword.position import (
    canonical_to_copy,
    crossword_brief,
    crossword_drawing,
    crossword_line,
    crossword_remarks,
)
from bot.features.showing.crossword.viewer import (
    answer_chart,
    answer_game_conversion,
    answer_moment,
    answer_posted_game,
    answer_replay,
)
from bot.features.showing.findings import Found
from bot.features.showing.pace import Pace
from bot.features.showing.remarks import remarks
from bot.text import Speaker

Document = TypeVar("Document")


class Show(Protocol):
    """Shows a moment of a stored document, with its controls; None when it has no moments."""

    def __call__(
        self, item: Found, moment: Moment, style: Style, offers: Offers, *, around: int | None = None
    ) -> Card | None:
        """Answer; ``around`` is the turn or puzzle around which others are listed, the one shown when None."""


@dataclass(frozen=True, slots=True)
class KindAnswers(Generic[Document]):
    """The answers about the documents of one kind of game."""

    line: Callable[[Document, Speaker], str]
    """Says in one line what a document is."""
    drawing: Callable[[Found, Style], Drawing]
    """Returns the picture of a document: of a game its end."""
    to_copy: Callable[[Found], str | None]
    """Returns the canonical text, when it says something else than the text that was posted."""
    remarks: Callable[[Found, Speaker], tuple[str, ...]]
    """Says where reading stopped, what the reader forgave, and what else is to be known."""
    turns: Callable[[Document], int]
    """Returns how many turns of a game there are to step through; 0 for what is no game."""
    brief: Callable[[Document, Speaker], str]
    """Says in few words what a document is, for a list; nothing where there is nothing to say."""
    copied: str
    """The notation that is copied most: that of the position itself."""
    posted: Callable[[tuple[Found, ...], int, Style, Offers], Card | None]
    """Answers a source with a viewer: what was found, and how much more there is; None where it takes several pictures."""
    show: Show
    chart: Callable[[Document, Moment, Style], Card | None]
    """Shows the scores over the turns; None where there are none."""
    replay: Callable[[Document, Moment, Pace, Style], Card | None]
    """Shows a game from the start to the end; None when it is none."""
    convert: Callable[[Document, Moment, str, Speaker], Card | None]
    """Gives a document up to a moment in another notation, by its name; None when it has no moments."""


_CROSSWORD: KindAnswers[CrosswordDocument] = KindAnswers(
    line=crossword_line,
    drawing=crossword_drawing,
    to_copy=canonical_to_copy,
    remarks=crossword_remarks,
    turns=lambda document: len(document.turns) if isinstance(document, Game) else 0,
    brief=crossword_brief,
    copied="cgp",
    posted=answer_posted_game,
    show=answer_moment,
    chart=answer_chart,
    replay=answer_replay,
    convert=answer_game_conversion,
)

_CHESS: KindAnswers[ChessDocument] = KindAnswers(
    line=chess_line,
    drawing=chess_drawing,
    to_copy=lambda item: chess_to_copy(item.chess, item.text),
    remarks=remarks,
    turns=lambda document: len(document.turns) if isinstance(document, ChessGame) else 0,
    brief=chess_brief,
    copied="fen",
    posted=answer_posted,
    show=answer_chess,
    chart=lambda *_: None,
    replay=answer_chess_replay,
    convert=answer_chess_conversion,
)


def answers_of(document: AnyDocument) -> KindAnswers[Any]:
    """Return the answers for a document's kind of game."""
    return _CHESS if is_chess(document) else _CROSSWORD
