"""Parses Discord's Markdown, so that tests can check how replies look.

The rules are those of Discord's clients, which use a modified version of the library simple-markdown. At each offset, the first
matching rule applies. Where clients differ or a rule has exceptions, this parser assumes that the Markdown has an effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

CODE_BLOCK: Final = "code block"
INLINE_CODE: Final = "inline code"
SPOILER: Final = "spoiler"
TEXT: Final = "text"
LINK: Final = "link"
MASKED_LINK: Final = "masked link"
MENTION: Final = "mention"
EMOJI: Final = "emoji"
TIMESTAMP: Final = "timestamp"
HEADER: Final = "header"
SUBTEXT: Final = "subtext"
QUOTE: Final = "quote"
LIST: Final = "list"
EMPHASIS: Final = "emphasis"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a message, with either text or child nodes."""

    kind: str
    text: str = ""
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        yield self
        for node in self.children:
            yield from node.walk()

    @property
    def unmarked_text(self) -> str:
        """The text without Markdown marks, including spoilers."""
        return self.text + "".join(node.unmarked_text for node in self.children)


# Rules that apply only at the start of a line.
_LINE_START_RULES = (
    (HEADER, re.compile(r" *#{1,3}(?!#)\s+([^\n]+)")),
    (SUBTEXT, re.compile(r" *-# +([^\n]+)")),
    (QUOTE, re.compile(r" *>>> +([\s\S]*)")),
    (QUOTE, re.compile(r" *> +([^\n]*)\n?")),
    (LIST, re.compile(r" *(?:[-*+]|\d+[.)]) +([^\n]*)")),
)

_CODE_BLOCK = re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")

# Rules whose matched text is not parsed again.
_LEAF_RULES = (
    (TIMESTAMP, re.compile(r"<t:-?\d+(?::\w+)?>")),
    (EMOJI, re.compile(r"<a?:\w+:\d+>|:[\w+-]+:")),
    (MENTION, re.compile(r"<(?:@[!&]?|#)\d+>|<id:\w+>|</[^:>]+:\d+>|@everyone|@here")),
    (LINK, re.compile(r"<[a-z][a-z0-9+.-]*:[^ >\n]+>", re.IGNORECASE)),
)

# Links that do not start with one of ``_MARKS``.
_BARE_LINKS = (
    (LINK, re.compile(r"[a-z][a-z0-9+.-]*://[^\s<]+", re.IGNORECASE)),
    (
        LINK,
        re.compile(
            r"(?:www\.)?discord(?:app)?\.(?:gg|com/(?:invite|channels|events|template))/[\w-]+", re.IGNORECASE
        ),
    ),
)

# Rules whose text between two marks is parsed again.
_ENCLOSING_RULES = (
    (MASKED_LINK, re.compile(r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))+)\]\(\s*[^)\s][^)]*\)")),
    (SPOILER, re.compile(r"\|\|([\s\S]+?)\|\|")),
    (EMPHASIS, re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")),
    (EMPHASIS, re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)")),
    (EMPHASIS, re.compile(r"~~([\s\S]+?)~~")),
    (EMPHASIS, re.compile(r"\*(?=\S)((?:\*\*|\\[\s\S]|[^*\\])+?)\*(?!\*)")),
    (EMPHASIS, re.compile(r"_((?:__|\\[\s\S]|[^\\_])+?)_")),
)
_MARKS = frozenset("`\\<:@[|*_~")
"""The first characters of all matches, except bare links and matches at the start of a line."""
_INLINE_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")


@lru_cache(maxsize=1024)
def parse(text: str, *, at_start: bool = True) -> tuple[Node, ...]:
    nodes: list[Node] = []
    plain_parts: list[str] = []
    offset = 0
    while offset < len(text):
        node, end = _parse_node(text, offset, at_start=at_start)
        if node is None:
            plain_parts.append(text[offset:end])
        else:
            if plain_parts:
                nodes.append(Node(TEXT, "".join(plain_parts)))
                plain_parts.clear()
            nodes.append(node)
        at_start = text[end - 1] == "\n"
        offset = end
    if plain_parts:
        nodes.append(Node(TEXT, "".join(plain_parts)))
    return tuple(nodes)


def _parse_node(text: str, offset: int, *, at_start: bool) -> tuple[Node | None, int]:
    """Return the node at an offset (None for plain text), and the offset of its end."""
    if at_start:
        for kind, rule in _LINE_START_RULES:
            if match := rule.match(text, offset):
                return Node(kind, children=parse(match[1])), match.end()
    if text[offset] not in _MARKS:
        return _parse_bare_link(text, offset)
    if match := _CODE_BLOCK.match(text, offset):
        return Node(CODE_BLOCK, match[1]), match.end()
    if match := _ESCAPED.match(text, offset):
        return Node(TEXT, match[1]), match.end()
    for kind, rule in _LEAF_RULES:
        if match := rule.match(text, offset):
            return Node(kind, match[0]), match.end()
    for kind, rule in _ENCLOSING_RULES:
        if match := rule.match(text, offset):
            return Node(kind, children=parse(match[1], at_start=False)), match.end()
    if match := _INLINE_CODE.match(text, offset):
        return Node(INLINE_CODE, match[2]), match.end()
    return None, offset + 1


def _parse_bare_link(text: str, offset: int) -> tuple[Node | None, int]:
    for kind, rule in _BARE_LINKS:
        if match := rule.match(text, offset):
            return Node(kind, match[0]), match.end()
    return None, offset + 1


def walk(text: str) -> Iterator[Node]:
    for node in parse(text):
        yield from node.walk()


def unmarked_text(text: str) -> str:
    return "".join(node.unmarked_text for node in parse(text))


def text_before_clicks(text: str) -> str:
    """Return the text of a message before any spoiler is clicked, with ▒ for each spoiler."""

    def visible_text(node: Node) -> str:
        return "▒" if node.kind == SPOILER else node.text + "".join(map(visible_text, node.children))

    return "".join(map(visible_text, parse(text)))
