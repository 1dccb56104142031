"""What was found in a text, as plain data for programs: the objects of ``inspect --json``."""

from __future__ import annotations

from bot.answers.found import Findings, Found, Refused
from bot.domain.distributions import LetterDistribution
from bot.domain.errors import ConversionError, ReadWarning
from bot.domain.formats.tile_text import bracketed
from bot.domain.position import Position
from bot.notations import NOTATIONS


def inspection(file: str, findings: Findings) -> dict[str, object]:
    """Return one JSON object for a file: what was found in it, and the first error."""
    return {
        "file": file,
        "items": [_item(found) for found in findings.found],
        "error": _error(findings.refused[0]) if findings.refused else None,
    }


def _item(found: Found) -> dict[str, object]:
    position = found.document
    return {
        "format": found.format,
        "kind": "position",
        "cgp": _cgp(position),
        "scores": [player.score for player in position.players],
        "racks": [tiles_text(player.rack, position.rules.distribution) for player in position.players],
        "warnings": [_warning(warning) for warning in found.warnings],
    }


def _cgp(position: Position) -> str | None:
    try:
        return NOTATIONS["cgp"].write(position)
    except ConversionError:
        return None


def tiles_text(tiles: tuple[int, ...], distribution: LetterDistribution) -> str:
    """Write tiles in a row, long ones in brackets."""
    return "".join(bracketed(distribution.text(tile)) for tile in tiles)


def _warning(warning: ReadWarning) -> dict[str, object]:
    return {
        "line": warning.line,
        "column": warning.column,
        "code": warning.code,
        "message": warning.message,
    }


def _error(refused: Refused) -> dict[str, object]:
    error = refused.error
    return {
        "format": refused.format,
        "line": error.line,
        "column": error.column,
        "code": error.code,
        "message": error.message,
    }
