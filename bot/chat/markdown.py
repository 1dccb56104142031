"""Escaping: foreign text must not become bold, a link, a mention or a separate line.

One function for each place that foreign text can stand in:

- :func:`escape`: in a sentence or within bold; nothing in it is active. The links with words of their
  own lead to lichess and to the sites of :mod:`bot.links`, and nothing foreign is in them but ids of a known form.
- :func:`escape_line`: at the beginning of a line.
- :func:`inline_code` and :func:`code_block`: in code, which it cannot end.
- :func:`as_spoiler`: hidden until it is clicked; what is in it, escaped or code, cannot end the hiding.
- :func:`one_line` and :func:`isolated_name`: where there is no Markdown: labels of menus, alt texts, file names.
"""

from __future__ import annotations

import re

from bot.text.visible import isolated, one_line, sendable

__all__ = [
    "as_spoiler",
    "code_block",
    "escape",
    "escape_line",
    "inline_code",
    "isolated_name",
    "one_line",
    "plain",
]

# A colon or a slash makes a link, an invitation or an emoji.
_MARKDOWN = re.compile(r"([\\*_~`|<>\[\]#@:/])")
# The start of a list entry, or of small print, at the start of a line.
_LISTING = re.compile(r"\A( *+[0-9]*+)([-+.)])(?=\s|\Z)")
_FENCE = re.compile("`{3,}")
_DOUBLE_BARS = re.compile(r"\|(?=\|)")
# The marks in answers: bold, and the escapes of :func:`escape`.
_MARKS = re.compile(r"\*\*|\\([\\*_~`|<>\[\]#@:/.)+-])")
_ZERO_WIDTH_SPACE = "\u200b"
"""Takes no room; keeps two marks apart that together would mean something."""


def escape(text: str, max_length: int | None = None) -> str:
    """Escape everything that Discord's Markdown would take for itself, and keep it on one line.

    ``max_length`` bounds the characters of the text before they are escaped.
    """
    return isolated(_MARKDOWN.sub(r"\\\1", one_line(text, max_length)))


def escape_line(text: str, max_length: int | None = None) -> str:
    """Escape a text at the start of a line, where it could also become a list entry."""
    return _LISTING.sub(r"\1\\\2", escape(text, max_length))


def isolated_name(text: str, max_length: int | None = None) -> str:
    """Return a name on one line that cannot change the direction of the text around it, for places without Markdown."""
    return isolated(one_line(text, max_length))


def inline_code(text: str) -> str:
    """Put a text into code within a line. Backticks in it, which would end it, become accents."""
    return f"`{one_line(text).replace('`', 'ˋ') or ' '}`"


def code_block(text: str, language: str = "") -> str:
    """Put a text into a code block that it cannot break out of; three backticks in a row are kept apart."""
    inside = _FENCE.sub(lambda fence: _ZERO_WIDTH_SPACE.join(fence[0]), sendable(text))
    # Discord reads the end of an empty block as text, and continues to the next block.
    return f"```{language}\n{inside if inside.strip() else _ZERO_WIDTH_SPACE}\n```"


def plain(text: str) -> str:
    """Return what an answer says without its Markdown, for where there is none: a terminal."""
    return _MARKS.sub(r"\1", text)


def as_spoiler(text: str) -> str:
    """Hide a text that is escaped or in a code block until it is clicked. Bars in it would end the hiding."""
    inside = _DOUBLE_BARS.sub(f"|{_ZERO_WIDTH_SPACE}", text)
    before, after = (_ZERO_WIDTH_SPACE if edge == "|" else "" for edge in (inside[:1], inside[-1:]))
    return f"||{before}{inside}{after}||" if inside.strip() else inside
