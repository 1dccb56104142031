"""All notations of crossword games and chess."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, TypeAlias, TypeGuard

from bot.domain.chess.convert import CHESS
from bot.domain.chess.documents import ChessDocument, ChessGame
from bot.domain.chess.notations.json_document import is_chess as is_chess_json
from bot.domain.crossword.convert import CROSSWORD, Document as CrosswordDocument
from bot.domain.crossword.game import Game
from bot.domain.reading import json_document, notation as recognition
from bot.domain.reading.notation import Conversion, GameKind, Notation
from bot.domain.reading.problems import ConversionError, Reading

__all__ = [
    "CHESS",
    "CROSSWORD",
    "KINDS",
    "NOTATIONS",
    "ChessDocument",
    "Conversion",
    "CrosswordDocument",
    "Document",
    "GameKind",
    "Notation",
    "convert",
    "detect",
    "detect_leniently",
    "detect_whole",
    "is_chess",
    "kind_of",
    "target_notations",
]

Document: TypeAlias = CrosswordDocument | ChessDocument

KINDS: tuple[GameKind[Any], ...] = (CROSSWORD, CHESS)

_KIND_OF_CLASS = {
    document_class: kind for kind in KINDS for document_class in kind.excluded_notations_by_class
}


def kind_of(document: Document) -> GameKind[Any]:
    return _KIND_OF_CLASS[type(document)]


def is_chess(document: Document) -> TypeGuard[ChessDocument]:
    return type(document) in CHESS.excluded_notations_by_class


def _read_json(text: str) -> Reading[Document]:
    notation = (CHESS if is_chess_json(text) else CROSSWORD).notation(_JSON)
    assert notation is not None
    return notation.read(text)


_JSON = "json"

NOTATIONS: dict[str, Notation[Document]] = {
    notation.name: notation for kind in KINDS for notation in kind.notations
} | {_JSON: Notation(_JSON, "JSON", "json", _read_json)}

# The test for a CGP accepts almost any text with slashes, so chess comes first.
_SNIFFERS = ((_JSON, json_document.sniff), *CHESS.sniffers, *CROSSWORD.sniffers)

_NOTATION_CHARACTERS = re.compile(r'["\[/>#=|\n1]')
"""A text in any notation contains one of these characters. Most messages contain none."""

detect = partial(
    recognition.detect,
    finders=(('"kibitz"', 1, json_document.find), *CHESS.finders, *CROSSWORD.finders),
    prefilter=_NOTATION_CHARACTERS,
    include_abandoned=False,
)

detect_leniently = partial(
    recognition.detect,
    finders=(*CROSSWORD.lenient_finders, *CHESS.lenient_finders),
    prefilter=_NOTATION_CHARACTERS,
)
"""Return the parts of the text that are meant as a position or a game, even if they cannot be read."""


detect_whole = partial(recognition.detect_whole, sniffers=_SNIFFERS)


def target_notations(document: Document) -> tuple[str, ...]:
    kind = kind_of(document)
    return tuple(
        name
        for name in NOTATIONS
        if kind.notation(name) and name not in kind.excluded_notations_by_class[type(document)]
    )


def convert(document: Document, target: str, *, turn: int | None = None) -> Conversion:
    """Write a document in another notation. A game is written up to ``turn``, by default the last.

    Raises:
        ConversionError: the notation is unknown or cannot hold the document, or the document has no such turn.

    """
    kind = kind_of(document)
    if target not in NOTATIONS:
        raise ConversionError("unknown-notation", "{notation!r} is not a notation", notation=target[:40])
    if not kind.notation(target):
        raise ConversionError("other-game", kind.refusal, notation=NOTATIONS[target].label)
    turn_count = len(document.turns) if isinstance(document, Game | ChessGame) else None
    if turn is not None and turn_count is None:
        raise ConversionError("no-turns", "this is a single position, so it has no turns to choose from")
    if turn is not None and turn_count is not None and not 0 <= turn <= turn_count:
        raise ConversionError(
            "no-turn", "there is no turn {turn}; the last turn is {turns}", turns=turn_count, turn=turn
        )
    return kind.convert(document, target, turn if turn is not None else turn_count or 0)
