"""Where in a text something is, in words."""

from __future__ import annotations

from bot.domain.reading.problems import DomainError, ReadWarning
from bot.text import Speaker


def place_text(problem: DomainError | ReadWarning, source: str, say: Speaker) -> str:
    """Say where a problem is: the column in a text of one line, else line and column."""
    if problem.line == 1 and "\n" not in source.strip():
        return say("(column {column})", column=problem.column)
    return say("(line {line}, column {column})", line=problem.line, column=problem.column)
