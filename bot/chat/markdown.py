"""Escapes untrusted text, which must not become bold, a link, a mention or a separate line.

Kibitz's own links are not escaped. The untrusted ids in them contain no Markdown, because their form is checked.
"""

from __future__ import annotations

import re

from bot.text.visible import fix_surrogates, isolate, one_line

__all__ = [
    "as_spoiler",
    "code_block",
    "escape",
    "escape_line",
    "inline_code",
    "isolated_name",
    "one_line",
    "strip_markdown",
]

# Colons and slashes could form a link, an invite or an emoji.
_MARKDOWN = re.compile(r"([\\*_~`|<>\[\]#@:/])")
# The marker of a list item at the start of a line.
_LIST_MARKER = re.compile(r"\A( *+[0-9]*+)([-+.)])(?=\s|\Z)")
_FENCE = re.compile("`{3,}")
_DOUBLE_BARS = re.compile(r"\|(?=\|)")
# The Markdown in replies: bold, and the escapes of :func:`escape` and :func:`escape_line`.
_BOLD_OR_ESCAPE = re.compile(r"\*\*|\\([\\*_~`|<>\[\]#@:/.)+-])")
_ZERO_WIDTH_SPACE = "\u200b"
"""Separates two characters that together would form Markdown."""


def escape(text: str, max_length: int | None = None) -> str:
    """Escape text for a sentence or bold text, on one line. ``max_length`` applies before escaping."""
    return isolate(_MARKDOWN.sub(r"\\\1", one_line(text, max_length)))


def escape_line(text: str, max_length: int | None = None) -> str:
    """Escape text at the start of a line, where it could become a list item."""
    return _LIST_MARKER.sub(r"\1\\\2", escape(text, max_length))


def isolated_name(text: str, max_length: int | None = None) -> str:
    """Return a name that cannot change the writing direction of the text around it. Markdown is not escaped."""
    return isolate(one_line(text, max_length))


def inline_code(text: str) -> str:
    """Format text as inline code. Backticks become modifier letters (U+02CB), which look the same."""
    return f"`{one_line(text).replace('`', 'ˋ') or ' '}`"


def code_block(text: str, language: str = "") -> str:
    content = _FENCE.sub(lambda fence: _ZERO_WIDTH_SPACE.join(fence[0]), fix_surrogates(text))
    # Discord would read the closing fence of an empty block as text, and the code would continue.
    return f"```{language}\n{content if content.strip() else _ZERO_WIDTH_SPACE}\n```"


def strip_markdown(text: str) -> str:
    return _BOLD_OR_ESCAPE.sub(r"\1", text)


def as_spoiler(text: str) -> str:
    """Hide escaped text or a code block as a spoiler. Double bars are separated, because they would end the spoiler."""
    content = _DOUBLE_BARS.sub(f"|{_ZERO_WIDTH_SPACE}", text)
    prefix, suffix = (_ZERO_WIDTH_SPACE if edge == "|" else "" for edge in (content[:1], content[-1:]))
    return f"||{prefix}{content}{suffix}||" if content.strip() else content
