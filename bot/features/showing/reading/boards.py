"""Reads the boards in a picture as positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image

from bot.domain.chess.notations import fen
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import (
    BLANK_TEXT,
    LetterDistribution,
    default_layout,
    distribution_of_layout,
    load_distribution,
    load_layout,
)
from bot.domain.reading.problems import DomainError, ParseError, Reading
from bot.features.showing.findings import FoundDocument, PictureConfidence
from bot.features.showing.reading.languages import distribution_for, languages

if TYPE_CHECKING:
    from bot.sight.chess import RecognizedChessboard
    from bot.sight.crossword import RecognizedCrossword
    from bot.sight.racks import RecognizedRack
    from bot.sight.scores import RecognizedScores

MAX_DOUBTFUL_SQUARES = 12
"""Maximum number of doubtful squares. With more, typing the position is as fast as checking it."""

_LAYOUTS: Final = {
    15: ("CrosswordGame", "Wordfeud", "WordsWithFriends", "Crossplay", "TurnURLDefault"),
    21: ("SuperCrosswordGame",),
}
"""Layouts by number of rows, the most common layout first."""
_OTHER_DISTRIBUTIONS: Final = (
    "spanish",
    "french",
    "german",
    "dutch",
    "catalan",
    "swedish",
    "norwegian",
    "slovene",
    "polish",
)
"""Letter distributions to try if a board has too many tiles of a letter."""
_TURN_URL_DISTRIBUTIONS: Final = {"english": "turn-url-en", "spanish": "turn-url-es"}


def read_boards(
    picture: Image.Image, lexica_folder: Path | None, *, spoiler: bool
) -> tuple[FoundDocument, ...]:
    """Return the positions on the boards in an RGB picture. Without the ``sight`` extra, return an empty tuple.

    Raises:
        ParseError: the picture shows a board, but too little of it is legible.

    """
    try:
        from bot.sight.bonus import matching_layout  # noqa: PLC0415 - needs the sight extra
        from bot.sight.chess import read_chess  # noqa: PLC0415 - as above
        from bot.sight.crossword import read_crossword  # noqa: PLC0415 - as above
        from bot.sight.racks import read_rack  # noqa: PLC0415 - as above
        from bot.sight.scores import read_scores  # noqa: PLC0415 - as above
    except ImportError:
        return ()
    chessboards, crosswords = read_chess(picture), read_crossword(picture)
    corrected_boards = [_correct_with_lexicon(recognized, lexica_folder) for recognized in crosswords]
    # With several boards, it would not be clear which rack and scores belong to which board. A board with too many doubtful squares
    # is not shown, so it needs neither.
    is_single = (
        len(corrected_boards) == 1
        and not chessboards
        and len(corrected_boards[0][0].doubtful_squares) <= MAX_DOUBTFUL_SQUARES
    )
    rack = read_rack(picture, crosswords[0].grid) if is_single else None
    scores = read_scores(picture, crosswords[0].grid, crosswords[0].rows) if is_single else None
    boards = [
        _Board(
            recognized,
            matching_layout(picture, recognized.grid, recognized.rows, _layout_squares(len(recognized.rows))),
            distribution,
        )
        for recognized, distribution in corrected_boards
    ]
    positions = (
        *(_chess_position(recognized, spoiler=spoiler) for recognized in chessboards),
        *(_crossword_position(board, rack, scores, spoiler=spoiler) for board in boards),
    )
    documents = tuple(found for found in positions if found is not None)
    if positions and not documents:
        raise ParseError("picture-unclear", "it shows a board, but too little of it is legible")
    return documents


def _correct_with_lexicon(
    recognized: RecognizedCrossword, lexica_folder: Path | None
) -> tuple[RecognizedCrossword, LetterDistribution]:
    """Correct doubtful letters, using the first language whose lexica contain most of the words that were read with certainty.

    Also return the language's letter distribution. If no language fits, return the unchanged board and the English distribution.
    """
    from bot.sight.doubtful_squares import fill_doubtful_squares, lexicon_fits, with_diacritics  # noqa: PLC0415 - needs the sight extra

    for language in languages(lexica_folder, len(recognized.rows)):
        if lexicon_fits(recognized, language.has_word):
            board_with_diacritics = with_diacritics(recognized, language.letters_with_diacritics)
            return fill_doubtful_squares(
                board_with_diacritics, language.has_word, language.tile_counts
            ), language.distribution
    return recognized, distribution_for("english", len(recognized.rows))


@cache
def _layout_squares(row_count: int) -> dict[str, str]:
    return {name: load_layout(name).squares for name in _LAYOUTS[row_count]}


@dataclass(frozen=True, slots=True)
class _Board:
    recognized: RecognizedCrossword
    layout: str | None
    """The layout of the bonus squares, or None if they match no known layout."""
    usual_distribution: LetterDistribution

    @property
    def distribution(self) -> LetterDistribution:
        name = self.usual_distribution.name
        if self.layout == "TurnURLDefault" and name in _TURN_URL_DISTRIBUTIONS:
            return load_distribution(_TURN_URL_DISTRIBUTIONS[name])
        layout_distribution = (
            distribution_of_layout(load_layout(self.layout)) if self.layout and name == "english" else None
        )
        return layout_distribution or self.usual_distribution

    @property
    def opcodes(self) -> str:
        row_count, distribution = len(self.recognized.rows), self.distribution
        opcode = (
            ""
            if self.layout in (None, default_layout(distribution, row_count, row_count).name)
            else f" bdn {self.layout};"
        )
        return (
            opcode
            if distribution == distribution_for("english", row_count)
            else f"{opcode} ld {distribution.name};"
        )


def _crossword_position(
    board: _Board,
    rack: RecognizedRack | None,
    scores: RecognizedScores | None,
    *,
    spoiler: bool,
) -> FoundDocument | None:
    """Return the position on a board, or None if the position is impossible or too much of it is a guess.

    A rack that makes the position impossible is left out. If the board has too many tiles of a letter, use the best-fitting
    distribution of another language.
    """
    recognized = board.recognized
    if len(recognized.doubtful_squares) > MAX_DOUBTFUL_SQUARES:
        return None
    row_count = len(recognized.rows)
    doubtful_squares = tuple(
        f"{chr(ord('A') + square % row_count)}{square // row_count + 1}"
        for square in recognized.doubtful_squares
    )
    mover_score, other_score = (0, 0) if scores is None else scores.mover_first
    racks = tuple(dict.fromkeys(("" if rack is None else rack.tiles, "")))
    candidate = next(_readings((board,), racks, (mover_score, other_score)), None)
    if candidate is None:
        boards = (
            replace(board, usual_distribution=distribution_for(name, row_count))
            for name in _OTHER_DISTRIBUTIONS
        )
        other_readings = _readings(boards, racks, (mover_score, other_score))
        candidate = min(other_readings, key=lambda other: other[-1].value.unseen.excess, default=None)
    if candidate is None:
        return None
    read_board, rack_tiles, text, reading = candidate
    is_rack_doubtful = bool(rack_tiles) and not (
        rack and rack.is_confident and _has_tiles_for(rack_tiles, recognized.rows, read_board.distribution)
    )
    confidence = PictureConfidence(
        # Always ask the user to check. In styles that the training data lacks, blanks were misread on boards that seemed certain.
        is_confident=False,
        doubtful_squares=doubtful_squares,
        is_turn_certain=scores is None or mover_score == other_score or scores.highlighted_index is not None,
        is_board_alone=not rack_tiles and scores is None,
        has_rack=bool(rack_tiles),
        is_rack_doubtful=is_rack_doubtful,
        has_scores=scores is not None,
        are_scores_doubtful=scores is not None and not scores.is_confident,
        is_mover_highlighted=scores is not None and scores.highlighted_index is not None,
        has_odd_squares=board.layout is None,
        has_odd_tiles=read_board is not board,
    )
    return FoundDocument("cgp", text, reading.value, reading.warnings, spoiler, picture_confidence=confidence)


def _readings(
    boards: Iterable[_Board], racks: Sequence[str], scores: tuple[int, int]
) -> Iterator[tuple[_Board, str, str, Reading[Position]]]:
    for board, rack in product(boards, racks):
        text = f"{board.recognized.placement} {rack}/ {scores[0]}/{scores[1]} 0{board.opcodes}"
        try:
            yield board, rack, text, cgp.read(text)
        except DomainError:
            continue


def _has_tiles_for(rack: str, rows: Collection[str], distribution: LetterDistribution) -> bool:
    """Return whether the board leaves enough tiles for a rack. Letters that appear too often on the board do not count."""
    board_counts = Counter(BLANK_TEXT if square.islower() else square for row in rows for square in row)
    tile_counts = {letter.text: letter.count for letter in distribution.letters}
    return all(
        rack_count <= max(0, tile_counts.get(letter, 0) - board_counts[letter])
        or board_counts[letter] > tile_counts.get(letter, 0)
        for letter, rack_count in Counter(rack).items()
    )


def _chess_position(recognized: RecognizedChessboard, *, spoiler: bool) -> FoundDocument | None:
    if len(recognized.doubtful_squares) > MAX_DOUBTFUL_SQUARES:
        return None
    doubtful_squares = tuple(
        f"{'abcdefgh'[square % 8]}{8 - square // 8}" for square in recognized.doubtful_squares
    )
    likely_side = "b" if recognized.white_to_move is False else "w"
    for side in (likely_side, "wb".replace(likely_side, "")):
        text = f"{recognized.placement} {side} - - 0 1"
        try:
            reading = fen.read(text)
        except DomainError:
            continue
        confidence = PictureConfidence(
            recognized.is_confident and (side == likely_side or recognized.white_to_move is None),
            doubtful_squares,
            is_orientation_certain=recognized.is_orientation_certain,
            is_turn_certain=recognized.white_to_move is not None or side != likely_side,
        )
        return FoundDocument(
            "fen", text, reading.value, reading.warnings, spoiler, picture_confidence=confidence
        )
    return None
