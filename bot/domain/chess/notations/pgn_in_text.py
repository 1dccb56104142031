r"""Finds games and opening books in free text.

A game starts with a tag that only games have, or has at least two half-moves after ``1.``. Without tags, the first
four half-moves must be playable. This rules out numbered lists that mention squares. Without tags or a result, the game
must have more half-moves than there are words on the same lines, because a sentence may mention an opening.
Words before the moves do not count if they end with a colon. A game ends at the first word that does not look
like a move. An impossible move does not end a game, because the reader reports the move.

A book is several sequences without players or results, each starting with ``1.`` at the beginning of a line. Any
sequence with ``//`` comments is also a book.

>>> list(find("so: 1. e4 e5 2. Nf3 *"))
[(4, 21, 'pgn')]
>>> list(find("// Open game\n1. e4 e5\n"))
[(0, 21, 'book')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from bot.domain.chess.documents import ROSTER
from bot.domain.chess.moves import read_move
from bot.domain.chess.notations.movetext import (
    BLACK_FIRST_MOVE_NUMBER,
    FIRST_MOVE_NUMBER,
    TokenKind,
    is_first_on_line,
    read_tag,
    scan_tokens,
)
from bot.domain.chess.python_chess import chess
from bot.domain.reading.notation import Span, are_mostly_valid
from bot.domain.reading.problems import DomainError, TextPiece

GAME_TAGS = frozenset(ROSTER) | {
    "Result", "FEN", "SetUp", "ECO", "Opening", "Variation", "WhiteElo", "BlackElo", "WhiteTitle", "BlackTitle",
    "TimeControl", "Termination", "Annotator", "PlyCount", "UTCDate", "UTCTime", "EventDate", "Variant", "Link",
}  # fmt: skip
"""Tags that distinguish a game from other text in brackets."""
_BOOK_TAGS = frozenset(("FEN", "SetUp", "ECO", "Opening", "Variation"))
MAX_REGIONS = 1_000
"""Maximum number of regions of movetext. All the games or sequences in a file are one region.

Beyond this limit, the remaining text counts as one game, and its reader warns about unread text.
"""
_MIN_TAGS_WITHOUT_MOVES = 3
_MAX_TRIED_MOVES = 4
"""Maximum number of half-moves tried in a game without tags."""
_MAX_TRIED_TOKENS = 40
"""Maximum number of tokens searched for these half-moves."""
_MAX_CONTEXT = 200
"""Number of characters before and after movetext in which words are counted."""
_MAX_UNPLAYABLE_LISTS = 1_000
"""The search is abandoned after this many lists of moves that have no tags and are not games."""
_MAX_MENTIONS = 100
"""The search is abandoned after this many places where a sentence only mentions moves."""

_MOVE = r"(?:[PNBRQK]?[a-h]?[1-8]?[-x]?[a-h][1-8]|[Oo0]-[Oo0])[+#]?"
_BETWEEN = r"[!?]{0,2}\s{0,4}(?:\{[^{}]{0,200}\}\s{0,4})?"
_START = re.compile(
    r"(?:^(?:>>> |> )?[ \t`|\ufeff]{0,12}(?P<tag>(?=\[[A-Z][A-Za-z]{2,20}\s{1,4}\")))"
    rf"|(?<![\w.,:$/#-])(?=1\s?\.\s{{0,4}}(?P<first>{_MOVE}){_BETWEEN}(?:1\s?\.\s?\.{{2}}\s{{0,4}})?(?P<second>{_MOVE})(?!\w))",
    re.MULTILINE,
)
_WORD = re.compile(r"\b(?![KQRBNO]\b)[^\W\d_]+\b")
"""A word without digits. The single letters of castling and promotions are not words."""
_MOVE_LIKE_WORD = re.compile(r"[A-Za-z][A-Za-z]{0,2}[0-9][A-Za-z0-9+#=x-]{0,4}\Z")
"""A word that looks like a move, possible or not, such as ``Nf9``."""
_COMMENTS = re.compile(r"(?:^[ \t>]{0,8}+//[^\r\n]*+(?:[^\S\r\n]*+[\r\n]++)*+)++", re.MULTILINE)
_LINE_END = re.compile(r"[\r\n]")
_KINDS_AMONG_MOVES = frozenset({"number", "comment", "line", "book", "nag"})
_MAX_COMMENTS_DISTANCE = 2_000
"""Number of characters before a sequence that are searched for its comments."""


@dataclass(slots=True)
class _Region:
    """A region of movetext, read up to ``end``.

    ``game_spans`` contains the complete games. ``game_start``, ``has_moves`` and ``has_result`` describe the last game.
    """

    text: str
    start: int
    end: int = -1
    tags: set[str] = field(default_factory=set)
    move_count: int = 0
    result_count: int = 0
    sequence_count: int = 0
    comment_count: int = 0  # only comments after //
    game_spans: list[tuple[int, int]] = field(default_factory=list)
    game_start: int = -1
    has_moves: bool = False
    has_result: bool = False
    depth: int = 0

    @property
    def is_book(self) -> bool:
        return self.move_count > 0 and (
            self.comment_count > 0
            or (self.sequence_count > 1 and not self.result_count and self.tags <= _BOOK_TAGS)
        )

    def take(self, kind: TokenKind, start: int, end: int) -> bool:
        """Take the next token, and return whether it belongs to the region."""
        continues = True
        match kind:
            case "move":
                self.move_count += 1
                self.has_moves = True
                continues = self.depth > 0 or not self.has_result
            case "number":
                continues = self._take_number(start, end)
            case "begin":
                self.depth += 1
                continues = self.move_count > 0
            case "end":
                self.depth -= 1
                continues = self.depth >= 0
            case "result":
                continues = self._take_result(start, end)
            case "tag":
                continues = self._take_tag(start, end)
            case "line":
                # A semicolon after a space starts a comment, because prose has no space before a semicolon.
                continues = start == 0 or self.text[start - 1].isspace()
            case "book":
                self.comment_count += 1
            case "open":
                continues = False
            case "other":
                continues = self.move_count > 0 and _MOVE_LIKE_WORD.match(self.text, start, end) is not None
        return continues

    def _take_tag(self, start: int, end: int) -> bool:
        tag = read_tag(TextPiece(self.text[start:end], start, self.text))
        is_after_tags = self.has_moves or self.has_result
        if self.depth:
            return False
        if tag is None or (tag.quotes == "none" and tag.name not in GAME_TAGS):
            # Among tags, such text is a malformed tag. After moves, it is not a tag.
            return bool(self.tags) and not is_after_tags
        if not (self.tags or tag.name in GAME_TAGS):
            return False
        if is_after_tags:
            self.start_next_game(start)
        self.tags.add(tag.name)
        return True

    def _take_number(self, start: int, end: int) -> bool:
        if self.depth or self.text[start] != "1" or not FIRST_MOVE_NUMBER.match(self.text, start, end):
            return True
        if self.has_result:
            self.start_next_game(start)
        elif self.has_moves and BLACK_FIRST_MOVE_NUMBER.fullmatch(self.text, start, end):
            return True
        elif self.has_moves and not is_first_on_line(self.text, start):
            return False
        self.sequence_count += 1
        return True

    def _take_result(self, start: int, end: int) -> bool:
        text = self.text
        if text[start] == "*" and (
            text[end : end + 1] == "*"
            or (text[max(0, self.start - 1)] == "*" and not text[start - 1].isspace())
        ):
            return False  # an asterisk of bold or italic text, not a result
        if not self.depth:
            self.result_count += 1
            self.has_result = True
        return True

    def start_next_game(self, offset: int) -> None:
        if self.game_start < self.end:
            self.game_spans.append((self.game_start, self.end))
        self.game_start = offset
        self.has_result = self.has_moves = False


def find(text: str) -> Iterator[Span]:
    if "1." in text or "1 ." in text or ('"' in text and ("[" in text or "1" in text)):
        for region in _regions(text):
            if region.is_book:
                yield region.start, region.end, "book"
            else:
                yield from ((start, end, "pgn") for start, end in region.game_spans)
                yield region.game_start, region.end, "pgn"


def _regions(text: str) -> Iterator[_Region]:
    end = yielded_count = failed_count = mention_count = 0
    while match := _START.search(text, end):
        start = match.end()
        if failed_count >= _MAX_UNPLAYABLE_LISTS or mention_count >= _MAX_MENTIONS:
            yield _Region(text, start, start, game_start=start)  # empty: the search was abandoned here
            return
        if yielded_count == MAX_REGIONS:
            yield _Region(text, start, len(text), game_start=start)
            return
        region = None
        if match["tag"] is not None or (
            _can_be_played(match["first"], match["second"]) and _can_be_played(*_first_moves(text, start))
        ):
            region = _read_region(text, start)
        is_in_prose = region is not None and _is_mentioned_in_prose(text, region)
        mention_count += is_in_prose
        # A region without tags has moves, because the first moves were tried above.
        if (
            region is None
            or (
                region.tags
                and not region.move_count + region.result_count
                and len(region.tags & GAME_TAGS) < _MIN_TAGS_WITHOUT_MOVES
            )
            or is_in_prose
        ):
            # Continue after the text that was tried, because the match is empty and would be found again.
            end = max(start, region.end if region else 0) + 1
            failed_count += match["tag"] is None
            continue
        comments_start = _start_of_comments(text, max(end, start - _MAX_COMMENTS_DISTANCE), start)
        if comments_start is not None:
            region.comment_count += 1
            region.start = comments_start
        end = region.end
        yielded_count += 1
        yield region


def _start_of_comments(text: str, search_start: int, end: int) -> int | None:
    """Return the start of the ``//`` comments right before ``end``, if any."""
    last_match = max(_COMMENTS.finditer(text, search_start, end), key=re.Match.start, default=None)
    if last_match is None or text[last_match.end() : end].strip():
        return None
    return last_match.start() + len(last_match[0]) - len(last_match[0].lstrip(" \t>"))


def _is_mentioned_in_prose(text: str, region: _Region) -> bool:
    if region.tags or region.result_count or region.is_book:
        return False
    before = _LINE_END.split(text[max(0, region.start - _MAX_CONTEXT) : region.start])[-1]
    after = _LINE_END.split(text[region.end : region.end + _MAX_CONTEXT])[0]
    if before.rstrip(" \t`|*_").endswith(":"):
        before = ""
    words = chain(_WORD.finditer(after), _WORD.finditer(before))
    # Stop counting once there are as many words as moves, because a long line has many words.
    return len(list(islice(words, region.move_count))) == region.move_count


@lru_cache(maxsize=1024)
def _can_be_played(*moves: str) -> bool:
    board = chess.Board()
    try:
        for text in moves:
            board.push(read_move(board, TextPiece.of(text))[0])
    except DomainError:
        return False
    return True


def _first_moves(text: str, start: int) -> list[str]:
    """Return the first moves, including words that only look like moves."""
    moves: list[str] = []
    for kind, begin, end in islice(scan_tokens(text, start), _MAX_TRIED_TOKENS):
        if kind == "move" or (kind == "other" and _MOVE_LIKE_WORD.match(text, begin, end)):
            moves.append(text[begin:end])
        elif kind not in _KINDS_AMONG_MOVES or (
            # White's move number 1 starts another sequence.
            moves
            and FIRST_MOVE_NUMBER.match(text, begin, end)
            and not BLACK_FIRST_MOVE_NUMBER.fullmatch(text, begin, end)
        ):
            break
        if len(moves) == _MAX_TRIED_MOVES:
            break
    return moves


def _read_region(text: str, start: int) -> _Region | None:
    region = _Region(text, start, game_start=start)
    for kind, begin, end in scan_tokens(text, start):
        if not region.take(kind, begin, end):
            break
        if kind not in {"number", "begin"}:
            region.end = end
    return region if region.end > 0 else None


_LOOKS_LIKE_GAME = re.compile(
    r"[\s`|\ufeff]{0,100}(?:\[[A-Z][A-Za-z]{2,20}\s{1,4}\"|1\s?\.\s?\.{0,3}\s{0,4}[A-Za-z])"
)


def sniff(text: str) -> bool:
    return _LOOKS_LIKE_GAME.match(text) is not None


_LIKELY_TAG = re.compile(r"^\[([A-Z][A-Za-z]{2,20})[^\S\r\n]{1,4}\"[^\r\n]{0,255}+$", re.MULTILINE)
_MOVES = re.compile(r"^[^\S\r\n]{0,4}1[^\S\r\n]?\.", re.MULTILINE)

_MIN_TAGS_WITH_MOVES: Final = 3


def find_leniently(text: str) -> Iterator[Span]:
    if "1" not in text:
        return
    tags = list(_LIKELY_TAG.finditer(text))
    known_count = sum(tag[1] in GAME_TAGS for tag in tags)
    if (
        known_count >= _MIN_TAGS_WITH_MOVES
        and are_mostly_valid(known_count, len(tags))
        and _MOVES.search(text, tags[-1].end())
    ):
        yield tags[0].start(), len(text), "pgn"
