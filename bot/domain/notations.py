"""Every notation Kibitz knows, crossword and chess: how it is called, recognized, read and written."""

from __future__ import annotations

from itertools import chain
from typing import Any, TypeAlias, TypeGuard

from bot.domain.chess.convert import CHESS
from bot.domain.chess.documents import ChessDocument
from bot.domain.chess.notations.json_document import is_chess as is_chess_json
from bot.domain.crossword.convert import CROSSWORD
from bot.domain.crossword.convert import Document as CrosswordDocument
from bot.domain.crossword.position import Position
from bot.domain.reading import json_document
from bot.domain.reading import notation as recognition
from bot.domain.reading.notation import Conversion, Detection, Finder, Kind, Notation
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
    "Kind",
    "Notation",
    "convert",
    "detect",
    "final_position",
    "is_chess",
    "is_clearly_meant",
    "kind_of",
    "nearly",
    "offered",
    "whole_text",
]

Document: TypeAlias = CrosswordDocument | ChessDocument

KINDS: tuple[Kind[Any], ...] = (CROSSWORD, CHESS)

_KINDS = {document: kind for kind in KINDS for document in kind.documents}


def kind_of(document: Document) -> Kind[Any]:
    """Return what kind of game a document is of: :data:`CROSSWORD` or :data:`CHESS`."""
    return _KINDS[type(document)]


def is_chess(document: Document) -> TypeGuard[ChessDocument]:
    """Return whether a document is of chess rather than of a crossword game."""
    return kind_of(document) is CHESS


def final_position(document: CrosswordDocument) -> Position:
    """Return a position itself, of a game the position after its last turn."""
    return document if isinstance(document, Position) else document.position_at(len(document.turns))


def _read_json(text: str) -> Reading[Document]:
    notation = (CHESS if is_chess_json(text) else CROSSWORD).notation(_JSON)
    assert notation is not None
    return notation.read(text)


_JSON = "json"
"""The one notation of both kinds."""

NOTATIONS: dict[str, Notation[Document]] = {
    notation.name: notation for kind in KINDS for notation in kind.notations
} | {_JSON: Notation(_JSON, "JSON", "json", _read_json)}

# A CGP is whatever has some slashes, to who asks; chess is asked about first.
_MEANT = ((_JSON, json_document.is_meant), *CHESS.meant, *CROSSWORD.meant)


_FINDERS: tuple[Finder, ...] = (('"kibitz"', json_document.find), *CHESS.finders, *CROSSWORD.finders)


def detect(text: str, *, ends: bool = False) -> tuple[Detection, ...]:
    """Return what looks like any notation in a text, in the order it stands there.

    With ``ends``, a detection behind them says where a search was given up (:attr:`Detection.ends_search`).
    """
    found = recognition.detect(text, _FINDERS)
    return found if ends or not found else tuple(one for one in found if not one.ends_search)


_NEARLY = tuple(chain.from_iterable(kind.nearly for kind in KINDS))


def nearly(text: str) -> tuple[Detection, ...]:
    """Return what is clearly meant as a notation, though no detection may find it."""
    return recognition.detect(text, _NEARLY)


def is_clearly_meant(text: str) -> bool:
    """Return whether a text that a reader refused is a notation beyond doubt, so that its author wants to know."""
    return bool(nearly(text))


def whole_text(text: str) -> Detection | None:
    """Return the text as one detection when it is meant as a notation, though it is not recognized as one."""
    return recognition.whole_text(text, _MEANT)


def offered(document: Document) -> tuple[str, ...]:
    """Return the notations that a document may be written in: those of its kind of game that can tell its like."""
    kind = kind_of(document)
    beyond = kind.beyond.get(type(document), frozenset())
    return tuple(name for name in NOTATIONS if kind.notation(name) and name not in beyond)


def convert(document: Document, to: str, *, turn: int | None = None) -> Conversion:
    """Write a document in another notation; of a game, as it stands after so many turns (all when None).

    Raises:
        ConversionError: the notation cannot hold it at all, or the game has fewer turns.

    """
    kind = kind_of(document)
    if to in NOTATIONS and not kind.notation(to):
        raise ConversionError("other-game", kind.refusal, notation=NOTATIONS[to].label)
    return kind.convert(document, to, turn=turn)
