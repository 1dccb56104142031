"""Finds CGPs (Crossword Game Positions) in free text, and reads them.

The form is ``board racks scores scoreless-turns opcode operand; …``, as macondo's ``cgp/README.md`` specifies it. The reader also
accepts common variants.

In free text, a CGP is recognized by its board field: at least seven rows separated by slashes, most of them equally wide. The text
after the board belongs to the CGP as long as it looks like racks, scores, scoreless turns and operations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from bot.domain.crossword.notations.cgp.operations import (
    KNOWN_OPCODES,
    MAX_OPERATIONS,
    apply_operations,
    split_operations,
)
from bot.domain.crossword.notations.fields import (
    BRACKET_GROUP,
    MIN_ROWS,
    MISSING_FIELD_ERRORS,
    RUN_GROUP,
    TILE_GROUP,
    build_position,
    check_excess,
    read_players,
    read_rack,
    scan_tiles,
    splittable_tiles,
    token_machine_letter,
    token_pattern,
    unknown_tile_error,
)
from bot.domain.crossword.position import EMPTY, Board, Player, Position
from bot.domain.crossword.rules import BLANK, MAX_SIDE, LetterDistribution, bracket_tile
from bot.domain.reading.encoding import read_with_joined_accents
from bot.domain.reading.notation import (
    CHESS_BOARD,
    GAP,
    NUMBERS,
    RACKS,
    SCORES,
    TILES,
    Span,
    are_mostly_valid,
    has_racks_and_scores,
    next_field,
    slashed_runs,
)
from bot.domain.reading.problems import ParseError, Reading, TextPiece, Warnings, require_max_length

MAX_BOARD_LENGTH = 20_000
"""Maximum length of a board in free text, in characters. A full 50×50 board of multi-letter tiles is shorter."""

_BOARD = re.compile(rf"(?<![^\s`|<>(\"'*_~:=,“«\u200b]){TILES}(?:/{TILES}){{{MIN_ROWS - 1},}}+")
_SQUARES = re.compile(r"\d++|\[{1,2}+[^\[\]]*+\]{1,2}+|.")
_PREFIX_IN_TEXT = re.compile(r"(?:(?:load\s{1,3})?cgp:?\s{1,3})\Z", re.IGNORECASE)
_SCORELESS_TURNS = re.compile(r"[-−]?\d{1,9}(?![\w/])")
_OPCODE = re.compile(r"-?([a-z][a-z0-9]*)")
_OPERAND = re.compile(r"[^\s;`|<>]+")
_UNKNOWN_OPERATION = re.compile(r"[a-z][a-z0-9]{1,4}(?:[^\S\n][^\s;`|,!?]{1,40}){0,3};")
# Further words of an operand: a lexicon may be called "Weird Name".
_MORE_WORDS = re.compile(r"(?:[^\S\n][^\s;`|<>,!?]{1,40}){1,3};")
_SPACES = re.compile(r"[^\S\n]{1,20}")
_CLOSING_SEMICOLON = re.compile(r"[^\S\n]{0,3};")
_LAST_PLAY = re.compile(
    r"(?:challenge[^\S\n]|phony\.)?(?:[0-9]{1,2}[A-Za-z]{1,2}|[A-Za-z]{1,2}[0-9]{1,2})[^\S\n.]?[ .][^\s;`|<>]+"
    r"(?:[^\S\n]\+\d{1,3})?|[^\s;`|<>]+"
)
# Opcodes that are not also ordinary words.
_UNAMBIGUOUS_OPCODES = frozenset(("lex", "ld", "bdn", "l1", "l2", "var"))
# Boards of shogi and related games have up to twelve rows, followed by the side to move (black or white) and the pieces in hand.
_MAX_CHESS_RANKS = 12
_SIDE_TO_MOVE = re.compile(
    r"[^\S\n]{1,3}[bw](?:[^\S\n]{1,3}(?:-|[A-Za-z0-9]{1,20}(?![\w/]))|[^\S\n]{0,3}$)", re.MULTILINE
)


def find(text: str) -> Iterator[Span]:
    end = 0
    for match in chain.from_iterable(_BOARD.finditer(text, *run) for run in slashed_runs(text)):
        start, rows = match.start(), match[0].split("/")
        if start < end or len(match[0]) > MAX_BOARD_LENGTH or len(rows) > MAX_SIDE + 2:
            continue
        widths = list(map(width_of_row, rows))
        usual_width = max(set(widths), key=widths.count)
        # A board may contain mistakes, but the parts of a path and the words of a list have no common width.
        if usual_width < 2 or widths.count(usual_width) * 2 <= len(rows) or abs(usual_width - len(rows)) > 2:
            continue
        if is_chess_board(text, match[0], match.end()):
            continue
        prefix = _PREFIX_IN_TEXT.search(text, max(0, start - 16), start)
        if prefix and (prefix.start() == 0 or not text[prefix.start() - 1].isalnum()):
            start = prefix.start()
        end = end_of_fields(text, match.end())
        yield start, end, "cgp"


_LOOKS_LIKE_CGP = re.compile(
    r"`*+(?P<prefix>(?:load\s++)?cgp:?\s++)?+`*+(?P<board>[^\s/]++(?:/[^\s/]*+)++)(?P<rest>.*+)",
    re.IGNORECASE | re.DOTALL,
)
_SCORES_FIELD = re.compile(r"[-−+]?\d+(?:/[-−+]?\d+)+")


def sniff(text: str) -> bool:
    """Return whether the text is meant to be a CGP, even if its board is too unusual for :func:`find`.

    The text must start with ``cgp``, or have scores in its third field, or have a digit and at least three rows, at least half
    of them equally wide.
    """
    match = _LOOKS_LIKE_CGP.match(text.strip()[:MAX_BOARD_LENGTH])
    if match is None:
        return False
    fields = match["rest"].split()
    if match["prefix"] or (len(fields) >= 2 and _SCORES_FIELD.fullmatch(fields[1])):
        return True
    rows = match["board"].split("/")
    if len(rows) < 3 or not any(character.isdigit() for character in match["board"]):
        return False
    widths = [width_of_row(row) for row in rows]
    return max(widths) > 1 and max(Counter(widths).values()) * 2 >= len(rows)


def is_chess_board(text: str, board: str, end: int) -> bool:
    if CHESS_BOARD.fullmatch(board) and not has_racks_and_scores(text, end):
        return True
    return board.count("/") < _MAX_CHESS_RANKS and _SIDE_TO_MOVE.match(text, end) is not None


@lru_cache(maxsize=2048)
def width_of_row(row: str) -> int:
    """Return the number of squares in a row. A tile in brackets counts as one."""
    return sum(min(int(part[:4]), 999) if part.isdecimal() else 1 for part in _SQUARES.findall(row))


def end_of_fields(text: str, board_end: int) -> int:
    racks = next_field(text, board_end, RACKS)
    if racks is None:
        return _end_of_operations(text, board_end)
    scores = next_field(text, racks.end(), SCORES)
    if scores is None or not (NUMBERS.fullmatch(scores[0]) or "/" in scores[0]):
        # Without scores, the racks may be a word in the sentence, unless they contain a slash.
        return (
            racks.end()
            if "/" in racks[0] and not racks[0].isdecimal()
            else _end_of_operations(text, board_end)
        )
    turns = next_field(text, scores.end(), _SCORELESS_TURNS)
    if turns is None:
        # Without scoreless turns, the racks and scores may be words in the sentence, unless the racks contain a slash.
        return scores.end() if "/" in racks[0] else _end_of_operations(text, board_end)
    return _end_of_operations(text, turns.end())


def _end_of_operations(text: str, start: int) -> int:
    end = start
    if semicolon := _CLOSING_SEMICOLON.match(text, end):
        end = semicolon.end()
    for _ in range(MAX_OPERATIONS + 1):
        gap = GAP.match(text, end)
        operation_end = _operation_end(text, gap.end()) if gap else None
        if operation_end is None:
            break
        end = operation_end
    return end


def _operation_end(text: str, start: int) -> int | None:
    name = _OPCODE.match(text, start)
    if name is None or name[1] not in KNOWN_OPCODES:
        unknown_operation = _UNKNOWN_OPERATION.match(text, start)
        return unknown_operation.end() if unknown_operation else None
    end = name.end()
    if semicolon := _CLOSING_SEMICOLON.match(text, end):
        return semicolon.end()
    gap = _SPACES.match(text, end)
    operand = (_LAST_PLAY if name[1] == "lm" else _OPERAND).match(text, gap.end()) if gap else None
    if operand is None:
        return end if name[1] == "oru" and not text[end : end + 1].isalnum() else None
    if semicolon := _CLOSING_SEMICOLON.match(text, operand.end()):
        return semicolon.end()
    if name[1] in _UNAMBIGUOUS_OPCODES and (more_words := _MORE_WORDS.match(text, operand.end())):
        # If a word is an opcode, it starts a new operation, so the words are not one operand.
        names = filter(None, map(_OPCODE.fullmatch, more_words[0].rstrip(";").split()))
        if not any(word[1] in KNOWN_OPCODES for word in names):
            return more_words.end()
    # Without a semicolon, the opcode and its operand may be words in the sentence (``to win``).
    word = operand[0].rstrip(".,!?)")
    is_certain = name[0].startswith("-") or name[1] in _UNAMBIGUOUS_OPCODES or NUMBERS.fullmatch(word)
    return operand.start() + len(word) if is_certain else None


_RUN = re.compile(r"[^\s`|<>()\"]++")
_ROW = re.compile(r"(?:[^\W_]|[\[\]·])++")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[^\W\d_]")

_MIN_WIDTH_WITHOUT_FIELDS: Final = 13
"""Boards with fewer columns need racks and scores, because word lists and boards of other games look like them."""


def find_leniently(text: str) -> Iterator[Span]:
    """Yield the span of each likely CGP: at least four fifths of its rows have the same width."""
    for match in chain.from_iterable(_RUN.finditer(text, *run) for run in slashed_runs(text)):
        rows, end = match[0].split("/"), match.end()
        if not MIN_ROWS <= len(rows) <= MAX_SIDE + 2 or len(match[0]) > MAX_BOARD_LENGTH:
            continue
        widths = [width_of_row(row) if _ROW.fullmatch(row) else 0 for row in rows]
        usual_width = max(set(widths), key=widths.count)
        if usual_width < MIN_ROWS or not are_mostly_valid(
            widths.count(usual_width), max(usual_width, len(rows))
        ):
            continue
        has_fields = has_racks_and_scores(text, end)
        if (usual_width < _MIN_WIDTH_WITHOUT_FIELDS and not has_fields) or is_chess_board(
            text, match[0], end
        ):
            continue
        # A board has both words and numbers, unlike a list.
        digit_row_count = sum(_DIGIT.search(row) is not None for row in rows)
        if digit_row_count * 2 >= len(rows) and (has_fields or _LETTER.search(match[0])):
            yield match.start(), end_of_fields(text, end), "cgp"


MAX_LENGTH = 40_000
"""Maximum length of a CGP in characters."""

_PREFIX = re.compile(r"\s*(?:(?:load\s+)?cgp\b:?\s*)?", re.IGNORECASE)
_FIELD = re.compile(r"\S+")
_GROUP_NAME = re.compile(r"\?P<\w+>")
# Opcodes that cannot be mistaken for racks. They may follow the board: ``15/…/15 lex NWL23;``.
_FIRST_OPCODE = re.compile(r"-?(?:lex|ld|bdn|l1|var)")


def read(text: str) -> Reading[Position]:
    """Read a CGP. A leading ``cgp`` or ``load cgp`` is skipped. The board field alone is enough.

    Raises:
        ParseError: a field is missing or malformed, a row has the wrong width, or a tile is unknown.
        RuleError: there are more than :data:`~bot.domain.crossword.notations.fields.MAX_EXCESS` surplus tiles.

    """
    require_max_length(text, MAX_LENGTH)
    return read_with_joined_accents(text, _read)


def _read(text: str) -> Reading[Position]:
    warnings = Warnings(text)
    rows, fields, end = _split_fields(text, warnings)
    racks = fields[0].split("/") if fields else []
    scores = fields[1].split("/") if len(fields) > 1 else [TextPiece.of("0")] * len(racks)
    operations = split_operations(text, end, warnings)

    def read_tiles(distribution: LetterDistribution) -> tuple[Board, tuple[Player, ...]]:
        board = _read_board(rows, distribution, warnings)
        if not racks:
            return board, (Player(), Player())
        return board, read_players(racks, scores, (read_rack(rack, distribution, warnings) for rack in racks))

    def tiles_in_text(distribution: LetterDistribution) -> list[int]:
        return [
            tile
            for row_or_rack in (*rows, *racks)
            for tile, _ in scan_tiles(row_or_rack, distribution, skip_digits=True, require_brackets=True)
        ]

    position = build_position(
        read_tiles,
        tiles_in_text,
        operations,
        rows,
        warnings,
        scoreless_field=fields[2] if len(fields) > 1 else None,
    )
    position = apply_operations(position, operations, warnings)
    unseen = position.unseen
    if unseen.excess:
        excess_tile = _first_excess_tile(
            rows, racks, position.rules.distribution, unseen.overdrawn_letters[0]
        )
        check_excess(excess_tile, position, warnings)
    else:
        limit = position.rules.rack_size
        for rack, player in zip(racks, position.players, strict=False):
            if len(player.rack) > limit:
                rack.warn(
                    warnings,
                    "long-rack",
                    "a rack has {tiles} tiles; the usual size is {limit}",
                    tiles=len(player.rack),
                    limit=limit,
                )
    return Reading(position, warnings.all())


def _split_fields(text: str, warnings: Warnings) -> tuple[list[TextPiece], list[TextPiece], int]:
    """Return the rows of the board, the other fields (all three, only the racks, or none), and the offset of the operations."""
    prefix = _PREFIX.match(text)
    fields: list[TextPiece] = []
    offset = prefix.end() if prefix else 0
    while len(fields) < 4 and (match := _FIELD.search(text, offset)):
        if len(fields) == 1 and _FIRST_OPCODE.fullmatch(match[0]):
            break
        fields.append(TextPiece(match[0], match.start(), text))
        offset = match.end()
    if not fields:
        raise ParseError("missing-fields", "the text is empty; a CGP starts with the rows of the board")
    rows = split_rows(fields[0])
    if len(fields) == 2 and "/" in fields[1].text:
        warnings.add("missing-scores", "the scores are missing; assuming 0", offset)
    elif len(fields) in MISSING_FIELD_ERRORS:
        raise TextPiece("", offset, text).parse_error("missing-fields", MISSING_FIELD_ERRORS[len(fields)])
    return rows, fields[1:], offset


def split_rows(board: TextPiece, separator: str = "/") -> list[TextPiece]:
    """Split the board field into rows.

    Raises:
        ParseError: there are more than :data:`MAX_SIDE` rows.

    """
    rows = board.split(separator)
    if len(rows) > MAX_SIDE:
        raise rows[MAX_SIDE].parse_error(
            "too-many-rows",
            "the board has {rows} rows; at most {limit} are possible",
            rows=len(rows),
            limit=MAX_SIDE,
        )
    return rows


def _read_board(rows: list[TextPiece], distribution: LetterDistribution, warnings: Warnings) -> Board:
    pattern, meanings = _strict_tokens(distribution)
    squares: list[list[int]] = []
    for row in rows:
        try:
            tiles = list(chain.from_iterable(map(meanings.__getitem__, pattern.findall(row.text))))
        except KeyError:
            tiles = _read_row(row, distribution, warnings, require_brackets=True)
        if len(tiles) != len(rows) and splittable_tiles(distribution):
            tiles_without_brackets = _read_row(row, distribution, warnings)
            if len(tiles_without_brackets) == len(rows):
                row.warn(
                    warnings,
                    "missing-brackets",
                    "a tile of several letters should be written in brackets, like [CH]",
                )
                tiles = tiles_without_brackets
        squares.append(tiles)
    return square_board(rows, squares)


@lru_cache(maxsize=64)
def _strict_tokens(distribution: LetterDistribution) -> tuple[re.Pattern[str], dict[str, tuple[int, ...]]]:
    """Return a pattern for the tokens of a row, and the squares for each token that needs no warning."""
    meanings = {str(length): (EMPTY,) * length for length in range(1, MAX_SIDE + 1)}
    for text, number in distribution.machine_letters.items():
        if number != BLANK:
            meanings[text] = (number,)
            meanings[bracket_tile(text)] = (number,)
    pattern = _GROUP_NAME.sub("?:", token_pattern(distribution, require_brackets=True).pattern)
    return re.compile(pattern, re.DOTALL), meanings


def _read_row(
    row: TextPiece, distribution: LetterDistribution, warnings: Warnings, *, require_brackets: bool = False
) -> list[int]:
    squares: list[int] = []
    for match in token_pattern(distribution, require_brackets=require_brackets).finditer(row.text):
        token, group = row.part(*match.span()), match.lastgroup
        number = token_machine_letter(match, distribution)
        if group == RUN_GROUP:
            squares += [EMPTY] * _read_run_length(token, warnings)
        elif group == TILE_GROUP and number == BLANK:
            raise token.parse_error(
                "blank-without-letter",
                'a blank on the board must be written as the lowercase letter it stands for, not as "?"',
            )
        elif group == BRACKET_GROUP and not token.text.endswith("]"):
            number = None
        elif group == BRACKET_GROUP and number and token.text != distribution.bracketed_texts[number]:
            token.warn(
                warnings, "odd-brackets", "{token} is usually written differently", token=token.text[:20]
            )
        if number:
            squares.append(number)
        elif group != RUN_GROUP:
            raise unknown_tile_error(token, distribution)
        if len(squares) > MAX_SIDE:
            break
    return squares


def _read_run_length(run: TextPiece, warnings: Warnings) -> int:
    digits = run.text.lstrip("0")
    if len(digits) > 2 or int(digits or "0") > MAX_SIDE:
        raise run.parse_error(
            "run-too-long",
            "{run} consecutive empty squares, but a board is at most {limit} squares wide",
            run=run.text if len(run.text) <= 12 else run.text[:12] + "…",
            limit=MAX_SIDE,
        )
    if len(digits) != len(run.text):
        run.warn(warnings, "leading-zero", "a run of empty squares should be written without a leading zero")
    return int(digits or "0")


def square_board(rows: list[TextPiece], squares: list[list[int]]) -> Board:
    """Return the board with these squares, given row by row. ``rows`` are the rows as written.

    Raises:
        ParseError: a row is wider or narrower than the others, or there are too many or too few rows.

    """
    widths = list(map(len, squares))
    if widths.count(len(rows)) == len(rows):
        return Board(len(rows), len(rows), tuple(chain.from_iterable(squares)))
    width_counts = Counter(widths)
    # Rows without squares are not a board, even if they are the most common.
    columns = (
        len(rows)
        if width_counts[len(rows)] * 2 >= len(rows)
        else width_counts.most_common(1)[0][0] or len(rows)
    )
    for number, (row, width) in enumerate(zip(rows, widths, strict=True), start=1):
        if width > MAX_SIDE:
            raise row.parse_error("row-width", "a row is more than {limit} squares wide", limit=MAX_SIDE)
        if width != columns:
            raise row.parse_error(
                "row-width",
                "row {row} should have {columns} squares, but has {width}",
                row=number,
                width=width,
                columns=columns,
            )
    raise rows[min(columns, len(rows) - 1)].parse_error(
        "row-count",
        "the board has {rows} rows of {columns} squares; it needs {columns} rows",
        rows=len(rows),
        columns=columns,
    )


def _first_excess_tile(
    rows: list[TextPiece], racks: list[TextPiece], distribution: LetterDistribution, letter: int
) -> TextPiece:
    """Return the rest of the row or rack that contains the first surplus tile ``letter``, starting at this tile."""
    remaining_count = distribution.counts[letter]
    for index, row_or_rack in enumerate((*rows, *racks)):
        on_board = index < len(rows)
        for number, offset in scan_tiles(row_or_rack, distribution, skip_digits=True, require_brackets=True):
            if on_board and number == EMPTY:
                continue
            tile = (BLANK if number < 0 else number) if on_board else abs(number)
            remaining_count -= tile == letter
            if remaining_count < 0:
                return row_or_rack.part(offset - row_or_rack.offset)
    return rows[0]
