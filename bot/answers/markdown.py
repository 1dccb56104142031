"""Text that Discord shows as it is: what people wrote must not become bold, a link or a mention."""

from __future__ import annotations

import re

# A colon or a slash makes a link, an invitation or an emoji.
_MARKDOWN = re.compile(r"([\\*_~`|<>\[\]#@:/])")
# Ends of lines and what turns the direction of writing would let a name speak for us.
_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
# A zero-width space between backticks keeps them from closing a code block.
_SPACED_BACKTICKS = "`\u200b`\u200b`"
_SPACED_BARS = "|\u200b|"


def escape(text: str) -> str:
    """Escape everything that Discord's Markdown would take for itself, and keep it on one line."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """Keep a text on one line and in its direction, for places that show it without Markdown."""
    return _BREAKING.sub(" ", text)


def code_block(text: str, language: str = "") -> str:
    """Put a text into a code block that it cannot break out of."""
    return f"```{language}\n{text.replace('```', _SPACED_BACKTICKS)}\n```"


def behind_bars(text: str) -> str:
    """Hide a text that is escaped or in a code block until it is clicked. Bars in it would end the hiding."""
    return f"||{text.replace('||', _SPACED_BARS)}||"
