"""Notations, and the detection of positions and games in text.

Detection is cheap: it checks only whether text *looks* like a position or a game. If the notation's reader
then fails, Kibitz reports the error for commands and ignores it in chat.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Final, Generic, TypeVar

from bot.domain.reading.problems import Phrase, Reading, ReadWarning

MAX_MESSAGE_LENGTH: Final = 10_000
"""Longer text comes from a file, where Discord applies no Markdown."""

_PAIR = re.compile(r"\|\|(?=[^|])(?:[^|]|\|(?!\|))+\|\|")
_BARS = re.compile(r"\|{2,}")
# This Markdown may change how Discord pairs the bars.
_OTHER_MARKDOWN = re.compile(r"[`\\*_~\[<>#]|://|\|{3}|^ *(?:[-+]|\d+[.)]) ", re.MULTILINE)
_NOT_LINE_BREAK = re.compile(r"[^\n]")


def spoiler_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """Return the (start, end) ranges that may be spoilers.

    If it would take Discord's full Markdown rules to pair the ``||`` bars, one range covers all text from the first
    to the last bar.
    """
    if "||" not in text:
        return ()
    bars = [match.span() for match in _BARS.finditer(text)]
    if len(bars) > 1 and len(text) <= MAX_MESSAGE_LENGTH and (len(bars) % 2 or _OTHER_MARKDOWN.search(text)):
        return ((bars[0][0], bars[-1][1]),)
    return tuple(match.span() for match in _PAIR.finditer(text))


def hide_spoilers(text: str) -> str:
    """Replace each character in a spoiler, except line breaks, with ``▒``."""
    offsets = [0, *(offset for part in spoiler_ranges(text) for offset in part), len(text)]
    parts = [text[start:end] for start, end in pairwise(offsets)]
    return "".join(
        _NOT_LINE_BREAK.sub("▒", part) if number % 2 else part for number, part in enumerate(parts)
    )


TILE = r"(?:\[{1,2}+[^\[\]\s/]{1,8}+\]{1,2}+|[^\W_]|·)"
"""A letter or digit, the middle dot of ``L·L``, or up to eight characters in brackets."""
TILES = r"(?:[^\W_]++|\[{1,2}+[^\[\]\s/]{1,8}+\]{1,2}+|·)++"
"""One or more tiles. A run of plain letters matches in one step, for speed."""
RACKS = re.compile(rf"(?:{TILES}|[?.])*+(?:/(?:{TILES}|[?.])*+)++|(?:{TILE}|[?.]){{1,20}}+")
"""Racks separated by slashes, or a single rack of at most 20 tiles."""
SCORES = re.compile(r"[^\s/`|;]{1,12}(?:/[^\s/`|;]{1,12})*")
"""Whatever stands where the scores belong. :data:`NUMBERS` matches valid scores."""
NUMBERS = re.compile(r"[-−+]?\d+(?:/[-−+]?\d+)*")
CHESS_BOARD = re.compile(r"(?:[pnbrqkPNBRQK1-8]{1,8}/){7}[pnbrqkPNBRQK1-8]{1,8}")
GAP = re.compile(r"[^\S\n]{1,20}(?:\n[^\S\n]{0,20})?|\n[^\S\n]{0,20}")
_SLASHED_RUN = re.compile(r"/(?:[^\s/]*+/){5}\S*+")


def slashed_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield a span around each run of non-space characters with at least six slashes."""
    end = 0
    for match in _SLASHED_RUN.finditer(text):
        slash = match.start()
        start = max(text.rfind(" ", end, slash), text.rfind("\n", end, slash), end - 1) + 1
        end = match.end()
        yield start, end


def next_field(text: str, offset: int, field: re.Pattern[str]) -> re.Match[str] | None:
    gap = GAP.match(text, offset)
    return field.match(text, gap.end()) if gap else None


def has_racks_and_scores(text: str, board_end: int) -> bool:
    """Return whether several players' racks and scores follow a board, as in a CGP but never in a FEN."""
    racks = next_field(text, board_end, RACKS)
    if racks is None or "/" not in racks[0]:
        return False
    scores = next_field(text, racks.end(), SCORES)
    return scores is not None and "/" in scores[0] and NUMBERS.fullmatch(scores[0]) is not None


def are_mostly_valid(valid_count: int, part_count: int) -> bool:
    return valid_count * 5 >= part_count * 4


MAX_LENGTH = 1_000_000
"""Length limit in characters. It also bounds the number of detections."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A part of the text that looks like a position or a game."""

    format: str
    """The name of the notation, such as ``cgp``."""
    start: int
    end: int
    text: str
    """The text without ``>`` before quoted lines. Empty if the search was abandoned here."""
    spoiler: bool = False
    """Whether any character of the part is between ``||`` bars."""


_ANY_TEXT = re.compile("")
_QUOTE = re.compile(r"^>(?: |$)", re.MULTILINE)

Span = tuple[int, int, str]
"""Start, end, and the name of the notation."""

Finder = tuple[str, int, Callable[[str], Iterable[Span]]]
"""A keyword, its minimum number of occurrences, and the search to run if it occurs that often.

The search yields the spans of a notation, from left to right. An empty last span marks where the search was
abandoned. Searching for the keyword is cheap, and rules out most messages.
"""

Sniffer = Callable[[str], bool]
"""Returns whether a text is meant to be in a notation, even if it cannot be read."""


def detect(
    text: str,
    finders: Iterable[Finder],
    *,
    prefilter: re.Pattern[str] = _ANY_TEXT,
    include_abandoned: bool = True,
) -> tuple[Detection, ...]:
    """Return the parts of the text that look like a position or a game, from left to right.

    If parts overlap, the part from the earlier finder is kept. Text without a match of ``prefilter`` is not
    searched. ``include_abandoned`` adds an empty detection for each abandoned search.
    """
    if len(text) > MAX_LENGTH or not prefilter.search(text):
        return ()
    spans: list[Span] = []
    abandoned_spans: list[Span] = []
    taken_flags = bytearray(len(text))
    for keyword, minimum, find in finders:
        if (
            keyword in text
            and (minimum == 1 or text.count(keyword) >= minimum)
            and (finder_spans := list(find(text)))
        ):
            if finder_spans[-1][0] == finder_spans[-1][1]:
                abandoned_spans.append(finder_spans.pop())
            for start, end, name in finder_spans:
                if 1 not in taken_flags[start:end]:
                    taken_flags[start:end] = b"\1" * (end - start)
                    spans.append((start, end, name))
    if not spans and not abandoned_spans:
        return ()
    hidden_ranges = spoiler_ranges(text)
    detections = []
    for start, end, name in (*sorted(spans), *(abandoned_spans if include_abandoned else ())):
        part = text[start:end]
        if "\n" in part:
            before = text[max(0, start - 4) : start]
            # In a block quote (>>>), only the first line has a mark.
            if part.startswith("> ") or (before.endswith("> ") and before != ">>> "):
                part = _QUOTE.sub("", part)
        # A picture of the part would reveal any spoiler in it.
        index = bisect(hidden_ranges, start, key=itemgetter(1))  # the first spoiler that ends after the start
        is_hidden = index < len(hidden_ranges) and hidden_ranges[index][0] < end
        detections.append(Detection(name, start, end, part, is_hidden))
    return tuple(detections)


def detect_whole(text: str, sniffers: Iterable[tuple[str, Sniffer]]) -> Detection | None:
    """Return the whole text as a detection if it is meant to be in a notation, even if it cannot be read."""
    if len(text) <= MAX_LENGTH and text.strip():
        for name, sniff in sniffers:
            if sniff(text):
                return Detection(name, 0, len(text), text, spoiler=bool(spoiler_ranges(text)))
    return None


class ConversionLoss(ReadWarning):
    """Something that the target notation cannot hold. A loss has no location."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The text of a document in the target notation, and what was lost."""

    text: str
    losses: tuple[ConversionLoss, ...] = ()


Document = TypeVar("Document")
Read = TypeVar("Read", covariant=True)  # noqa: PLC0105 - clear without a suffix


@dataclass(frozen=True, slots=True)
class Notation(Generic[Read]):
    """A way to write documents as text, such as GCG or FEN."""

    name: str
    """The name in commands and in stored documents."""
    label: str
    """The name shown to users; translated if it is a :class:`Phrase`."""
    suffix: str  # without the dot
    read: Callable[[str], Reading[Read]]
    """Raises ``DomainError``."""


@dataclass(frozen=True, slots=True)
class GameKind(Generic[Document]):
    """A kind of game, crossword or chess, with its notations."""

    name: str
    excluded_notations_by_class: Mapping[type[Document], frozenset[str]]
    """For each class of this kind's documents, the names of the notations that cannot hold such a document."""
    notations: tuple[Notation[Document], ...]
    """The notations that Kibitz can write."""
    finders: tuple[Finder, ...]
    """The finders in order of precedence."""
    sniffers: tuple[tuple[str, Sniffer], ...]
    """Names of notations and their sniffers, in order of precedence."""
    lenient_finders: tuple[Finder, ...]
    """Finders of text meant to be in a notation, even if it cannot be read."""
    convert: Callable[[Document, str, int], Conversion]  # see :func:`bot.domain.notations.convert`
    refusal: Phrase
    """The error message if ``{notation}`` belongs to the other kind of game."""

    def notation(self, name: str) -> Notation[Document] | None:
        return next((notation for notation in self.notations if notation.name == name), None)
