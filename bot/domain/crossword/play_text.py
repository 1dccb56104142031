"""Writes plays for lists and captions, and reads plays that players type.

Players type ``8H QUIZ``, ``h8 Q.IZ``, ``8D W(O)RD``, ``QUIZ 8H +48``, ``-ABC`` or ``pass``. Lowercase letters
are blanks, unless the whole word is lowercase or has more lowercase letters than the rack has blanks. A
capital letter that is not on the rack is a blank if the rack has a blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Final

from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.notations.gcg.tiles import (
    DOT,
    UNKNOWN_TILE,
    NotATileError,
    WordTile,
    alphabet_of,
    place_word,
)
from bot.domain.crossword.notations.gcg.writer import ACTION_TEXTS
from bot.domain.crossword.play import (
    THROUGH,
    Coordinate,
    Direction,
    Exchange,
    Pass,
    Placement,
    Play,
    Turn,
    read_coordinate,
)
from bot.domain.crossword.position import EMPTY, Board, Position
from bot.domain.crossword.rules import BLANK, LetterDistribution
from bot.domain.crossword.scoring import extend_to_whole_word, play_problems, score_placement
from bot.domain.reading.problems import ParseError, RuleError


def rack_text(tiles: Iterable[int], distribution: LetterDistribution, *, unknown_count: int = 0) -> str:
    """Write a rack, with ``_`` for each unknown tile."""
    return "".join(distribution.bracketed_texts[tile] for tile in tiles) + UNKNOWN_TILE * unknown_count


def play_text(play: Play, distribution: LetterDistribution) -> str:
    """Write a play: ``8D W.RD``, ``-QO`` or ``-2`` for an exchange, ``-`` for a pass."""
    match play:
        case Placement(start, tiles):
            word = "".join(DOT if tile == THROUGH else distribution.bracketed_texts[tile] for tile in tiles)
            return f"{start} {word}"
        case Exchange(tiles, unknown_count):
            return f"-{rack_text(tiles, distribution, unknown_count=unknown_count) if tiles else play.size}"
        case Pass():
            return "-"


def turn_text(turn: Turn, distribution: LetterDistribution) -> str:
    if turn.play is not None:
        return play_text(turn.play, distribution)
    return ACTION_TEXTS.get(turn.kind) or f"({rack_text(turn.counted_tiles, distribution)})"


MOVABLE_BLANK = "·"
"""Marks a blank that could be on another square of the play."""


def placement_text(
    placement: Placement, board: Board, distribution: LetterDistribution, *, blank_can_move: bool = False
) -> str:
    """Write a placement, with the tiles that it runs through in parentheses: ``8D W(O)RD``.

    If ``blank_can_move`` is set, a blank is written ``·R`` instead of ``r``. A recorded last play may not match the
    board, so it may run through an empty square. Such a square is written as a dot.
    """
    parts = []
    in_parentheses = False
    for (row, column), tile in zip(placement.squares(), placement.tiles, strict=True):
        letter = board.at(row, column) if tile == THROUGH else tile
        if (tile == THROUGH and letter != EMPTY) != in_parentheses:
            parts.append(")" if in_parentheses else "(")
            in_parentheses = not in_parentheses
        if blank_can_move and tile < THROUGH:
            parts.append(MOVABLE_BLANK + distribution.bracketed_texts[-tile])
        else:
            parts.append("." if letter == EMPTY else distribution.bracketed_texts[letter])
    return f"{placement.start} {''.join(parts)}{')' if in_parentheses else ''}"


def engine_play_text(play: Play, board: Board, distribution: LetterDistribution) -> str:
    """Write a play as engines do: ``8d WORD``, ``ex AB``, ``pass``."""
    match play:
        case Placement(start):
            tiles = (
                board.at(row, column) if tile == THROUGH else tile
                for (row, column), tile in zip(play.squares(), play.tiles, strict=True)
            )
            return f"{str(start).lower()} {''.join(distribution.bracketed_texts[tile] for tile in tiles)}"
        case Exchange():
            return f"ex {play_text(play, distribution)[1:]}"
        case Pass():
            return "pass"


MAX_PLAY_LENGTH: Final = 60

_COORDINATE = r"(?:[1-9][0-9]?[A-Za-z]{1,2}|[A-Za-z]{1,2}[1-9][0-9]?)"
_SCORE = r"(?:\s*[+=]?\s?[0-9]{1,4})?"
_PLACEMENT: Final = re.compile(
    rf"(?P<at>{_COORDINATE})(?:\s*[:=]\s*|\s+)(?P<word>[^\s+=]{{1,40}}?){_SCORE}"
    rf"|(?P<word2>[^\s+=]{{1,40}}?)\s+(?P<at2>{_COORDINATE}){_SCORE}"
)
_PASS: Final = frozenset({"pass", "passe", "passen", "paso", "pas", "-", "--", "(pass)"})
_EXCHANGE: Final = re.compile(
    r"(?:-\s?|(?:ex|exch|exchange|swap|tausche|cambio|échange|echange|wymiana)\.?\s+)(?P<tiles>\S{1,40})",
    re.IGNORECASE,
)
_BARE_WORD: Final = re.compile(r"[^\W\d_](?:[^\s\d+=]{0,38}[^\W\d_])?")
_MARKED_BLANK: Final = re.compile(f"{MOVABLE_BLANK}(.)")


def is_typed_play(text: str) -> bool:
    """Return whether the text has the form of a play. The word need not exist."""
    text = text.strip()
    return (
        len(text) <= MAX_PLAY_LENGTH
        and "\n" not in text
        and (
            text.lower() in _PASS
            or _EXCHANGE.fullmatch(text) is not None
            or _match_placement(text) is not None
        )
    )


def read_typed_play(text: str, position: Position) -> Play:
    """Read a play for the player to move, and extend it to the whole word. The play may be illegal.

    Raises:
        ParseError: the text is not a play (code ``play-form``), contains a character that is not a tile
            (``unknown-tile``), or gives only the number of tiles to exchange (``exchange-tiles``).
        RuleError: the play does not fit on the board (code ``off-board``, ``occupied`` or ``gap``).

    """
    text = text.strip()
    if len(text) <= MAX_PLAY_LENGTH:
        if text.lower() in _PASS:
            return Pass()
        if exchange := _EXCHANGE.fullmatch(text):
            return _read_exchange(exchange["tiles"], position)
        if typed_placement := _match_placement(text):
            return _place_letters(*typed_placement, position)
    raise ParseError(
        "play-form",
        "{text!r} is not a play; write 8H QUIZ, H8 Q.IZ, -ABC or pass",
        text=text[:30],
    )


def placements_of_word(text: str, position: Position) -> tuple[Placement, ...]:
    """Return all legal plays of a word typed without a coordinate. For other text, the result is empty.

    Raises:
        ParseError: a character is not a tile (code ``unknown-tile``).
        RuleError: the word fits nowhere (code ``no-place``).

    """
    text = text.strip()
    if len(text) > MAX_PLAY_LENGTH or _BARE_WORD.fullmatch(text) is None:
        return ()
    board = position.board
    length = len(_read_tiles(text, position.rules.distribution))
    placements: dict[Placement, None] = {}
    for direction, row, column in product(Direction, range(board.rows), range(board.columns)):
        try:
            placement = _place_letters(Coordinate(row, column, direction), text, position)
        except RuleError:
            continue
        if len(placement.tiles) == length and not play_problems(position, placement):
            placements[placement] = None
    if not placements:
        raise RuleError("no-place", "{word} can't be played anywhere with this rack", word=text)
    return tuple(placements)


def play_in_other_direction(text: str, position: Position) -> Placement | None:
    """Return a typed placement in the other direction, or None if that is illegal or the text is not a placement."""
    typed_placement = _match_placement(text.strip()) if len(text) <= MAX_PLAY_LENGTH else None
    if typed_placement is None:
        return None
    start, word = typed_placement
    try:
        placement = _place_letters(replace(start, direction=start.direction.crossing), word, position)
    except (ParseError, RuleError):
        return None
    return None if play_problems(position, placement) else placement


def _match_placement(text: str) -> tuple[Coordinate, str] | None:
    match = _PLACEMENT.fullmatch(text)
    if match is None:
        return None
    start = read_coordinate(match["at"] or match["at2"])
    return None if start is None else (start, match["word"] or match["word2"])


def _read_exchange(text: str, position: Position) -> Exchange:
    if text.isdigit():
        raise ParseError("exchange-tiles", "name the tiles to exchange, such as -ABC")
    tiles = _read_tiles(text.replace("?", "."), position.rules.distribution)
    return Exchange(tuple(sorted(abs(tile.machine_letter or BLANK) for tile in tiles)))


def _read_tiles(text: str, distribution: LetterDistribution) -> list[WordTile]:
    """Read the tiles in a word or an exchange. Accents that no tile has are dropped."""
    known_characters = frozenset("".join(distribution.machine_letters)) | frozenset(".()[]|")
    text = unicodedata.normalize("NFC", text)
    if MOVABLE_BLANK not in known_characters:
        text = _MARKED_BLANK.sub(lambda match: match[1].lower(), text)
    plain_text = "".join(
        character
        if character in known_characters
        else unicodedata.normalize("NFKD", character)[:1] or character
        for character in text
    )
    try:
        return alphabet_of(distribution).read_word(plain_text)
    except NotATileError as error:
        raise ParseError(
            "unknown-tile",
            "{piece!r} is not a tile of the {distribution!r} set",
            piece=error.piece,
            distribution=distribution.name,
        ) from None


def _place_letters(start: Coordinate, letters: str, position: Position) -> Placement:
    if letters.islower() and len(letters) > 1 and not set(letters) & set(".()[]·"):
        letters = letters.upper()  # more likely typed in lowercase than made of blanks only
    word = _read_tiles(letters, position.rules.distribution)
    if not word:
        raise ParseError("play-form", "{text!r} is not a play; write 8H QUIZ, H8 Q.IZ, -ABC or pass", text="")
    placement = place_word(start, word, position.board, position.rules.distribution)
    return extend_to_whole_word(position.board, _assign_blanks(placement, position))


def _assign_blanks(placement: Placement, position: Position) -> Placement:
    rack = Counter(position.players[position.on_turn].rack)
    lowercase_count = sum(tile < 0 for tile in placement.tiles)
    blank_count = rack[BLANK] if rack else position.rules.distribution.counts[BLANK]
    has_only_blanks = not rack and all(tile <= THROUGH for tile in placement.tiles)
    if lowercase_count > blank_count or has_only_blanks:
        placement = placement._replace(tiles=tuple(map(abs, placement.tiles)))
    while rack:
        used_counts = Counter(tiles_used(placement))
        missing_tile = next(
            (tile for tile in used_counts if tile != BLANK and used_counts[tile] > rack[tile]), None
        )
        if missing_tile is None or used_counts[BLANK] >= rack[BLANK]:
            break
        # The blank goes where it costs the fewest points.
        candidates = [
            placement._replace(tiles=(*placement.tiles[:index], -missing_tile, *placement.tiles[index + 1 :]))
            for index, tile in enumerate(placement.tiles)
            if tile == missing_tile
        ]
        placement = max(
            candidates, key=lambda candidate: score_placement(position.board, candidate, position.rules).score
        )
    return placement
