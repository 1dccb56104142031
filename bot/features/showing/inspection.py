"""What was found in a text, as plain data for programs: the objects of ``inspect --json``."""

from __future__ import annotations

from bot.domain.reading.problems import ReadWarning
from bot.features.showing.findings import Findings, Found, Refused
from bot.features.showing.kinds import answers_of


def inspection(file: str, findings: Findings) -> dict[str, object]:
    """Return one JSON object for a file: what was found in it, how much more there is, and the first error."""
    return {
        "file": file,
        "items": [_item(found) for found in findings.found],
        "unread": findings.beyond,
        "error": _error(findings.refused[0]) if findings.refused else None,
    }


def unreadable(file: str, message: str) -> dict[str, object]:
    """Return the object for a file that could not be opened or is too large; no notation's error has its code."""
    error = {"format": "", "line": 1, "column": 1, "code": "unreadable-file", "message": message}
    return {"file": file, "items": [], "unread": 0, "error": error}


def _item(found: Found) -> dict[str, object]:
    warnings = [_warning(warning) for warning in found.warnings]
    facts = {"format": found.format, **answers_of(found.document).facts(found), "warnings": warnings}
    if found.sight is not None:
        facts["sight"] = {"confident": found.sight.confident, "doubtful": list(found.sight.to_check)}
    return facts


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
