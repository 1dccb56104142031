"""Text that Discord shows as it is: what people wrote must not become bold, a link or a mention."""

from __future__ import annotations

import re

_MARKDOWN = re.compile(r"([\\*_~`|<>\[\]#@])")
# A zero-width space between backticks keeps them from closing a code block.
_SPACED_BACKTICKS = "`\u200b`\u200b`"


def escape(text: str) -> str:
    """Escape everything that Discord's Markdown would take for itself."""
    return _MARKDOWN.sub(r"\\\1", text)


def code_block(text: str, language: str = "") -> str:
    """Put a text into a code block that it cannot break out of."""
    return f"```{language}\n{text.replace('```', _SPACED_BACKTICKS)}\n```"
