"""The fields of a CGP."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.domain.reading.piece import Piece
from bot.domain.reading.problems import ParseError, Phrase, Warnings

_PREFIX = re.compile(r"\s*(?:(?:load\s+)?cgp\b:?\s*)?", re.IGNORECASE)
_FIELD = re.compile(r"\S+")
# A field after the board that cannot be racks but an opcode: ``15/…/15 lex NWL23;``.
_STARTS_OPCODES = re.compile(r"-?(?:lex|ld|bdn|l1|var)")
_MISSING = (Phrase("racks, scores and turns are"), Phrase("scores and turns are"), Phrase("a field is"))


@dataclass(frozen=True, slots=True)
class Fields:
    """The four fields of a CGP; all but the board may be missing, and then those after it are too."""

    board: Piece
    racks: Piece | None
    scores: Piece | None
    scoreless: Piece | None
    rest: int
    """Offset at which the opcodes start."""


def split_fields(text: str, warnings: Warnings) -> Fields:
    """Split a text into fields; a ``cgp`` or ``load cgp`` before them is skipped.

    Raises:
        ParseError: there is no board, or some but not all of the other fields are there.

    """
    prefix = _PREFIX.match(text)
    fields: list[Piece] = []
    position = prefix.end() if prefix else 0
    while len(fields) < 4 and (match := _FIELD.search(text, position)):
        if len(fields) == 1 and _STARTS_OPCODES.fullmatch(match[0]):
            break
        fields.append(Piece.matched(match))
        position = match.end()
    if not fields:
        raise ParseError("missing-fields", "there is no text: a CGP starts with the rows of the board")
    board, *others = fields
    if not others:
        return Fields(board, None, None, None, position)
    if len(others) == 1 and "/" in others[0].text:
        warnings.add("missing-scores", "the scores are missing; taken as 0", others[0].end)
        return Fields(board, others[0], None, None, position)
    if len(others) < 3:
        raise Piece("", position, text).malformed(
            "missing-fields",
            "after the board a CGP has racks, scores and the number of scoreless turns; {missing} missing",
            missing=_MISSING[len(others)],
        )
    return Fields(board, others[0], others[1], others[2], position)
