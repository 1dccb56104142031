"""Reads the boards on a picture as positions. The words of the installed lexica help to read doubtful squares."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from PIL import Image

from bot.domain.chess.notations import fen
from bot.domain.crossword.notations import cgp
from bot.domain.crossword.position import Position
from bot.domain.crossword.rules import (
    BLANK_TEXT,
    LetterDistribution,
    default_layout,
    load_distribution,
    load_layout,
    set_of_layout,
    super_distribution,
)
from bot.domain.reading.problems import DomainError, ParseError, Reading
from bot.engine.lexicon.installed import BUILT_IN, InstalledLexicon, installed_in
from bot.features.showing.findings import FoundDocument, PictureConfidence

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph
    from bot.sight.chess import ChessSight
    from bot.sight.crossword import CrosswordSight
    from bot.sight.racks import RackSight
    from bot.sight.scores import ScoresSight

MAX_DOUBTFUL = 12
"""Maximum number of doubtful squares. If there are more, typing the position is as fast as checking it."""

_LAYOUTS: Final = {
    15: ("CrosswordGame", "Wordfeud", "WordsWithFriends", "Crossplay", "TurnURLDefault"),
    21: ("SuperCrosswordGame",),
}
"""The names of the board layouts to try, by the number of rows. The most common layout comes first."""
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
"""Letter distributions to try for a board that has more tiles of a letter than the usual distribution has."""
_TURN_URL_DISTRIBUTIONS: Final = {"english": "turn-url-en", "spanish": "turn-url-es"}
"""The letter distributions that Turn URLs use, by the usual letter distribution of the language."""


def boards_of(picture: Image.Image, lexica: Path | None, *, spoiler: bool) -> tuple[FoundDocument, ...]:
    """Return the positions on the boards of an RGB picture; none if the extra ``sight`` is not installed.

    Raises:
        ParseError: there is a board, but too little of it is legible.

    """
    try:
        from bot.sight.bonus import fitting_layout  # noqa: PLC0415 - needs the extra
        from bot.sight.chess import read_chess  # noqa: PLC0415 - as above
        from bot.sight.crossword import read_crossword  # noqa: PLC0415 - as above
        from bot.sight.racks import read_rack  # noqa: PLC0415 - as above
        from bot.sight.scores import read_scores  # noqa: PLC0415 - as above
    except ImportError:
        return ()
    chess, crossword_sights = read_chess(picture), read_crossword(picture)
    weighed = [_correct_with_lexicon(sight, lexica) for sight in crossword_sights]
    # If there are several boards, it is not clear which rack and scores belong to which board. A board with too many doubtful squares
    # will not be shown.
    is_single = len(weighed) == 1 and not chess and len(weighed[0][0].doubtful) <= MAX_DOUBTFUL
    rack = read_rack(picture, crossword_sights[0].grid) if is_single else None
    scores = read_scores(picture, crossword_sights[0].grid, crossword_sights[0].rows) if is_single else None
    boards = [
        _Board(
            sight, fitting_layout(picture, sight.grid, sight.rows, _layout_squares(len(sight.rows))), tiles
        )
        for sight, tiles in weighed
    ]
    positions = (
        *(_chess_position(sight, spoiler=spoiler) for sight in chess),
        *(_crossword_position(board, rack, scores, spoiler=spoiler) for board in boards),
    )
    found = tuple(item for item in positions if item is not None)
    if positions and not found:
        raise ParseError("picture-unclear", "it shows a board, but too little of it is legible")
    return found


def _correct_with_lexicon(
    sight: CrosswordSight, lexica: Path | None
) -> tuple[CrosswordSight, LetterDistribution]:
    """Correct the doubtful letters of a board with the words of the first language that fits the other words on it.

    Return the board and the letter distribution of the language.
    If no language fits, return the board unchanged and the English distribution.
    """
    from bot.sight.weighing import lexicon_fits, weigh_guesses, with_diacritics  # noqa: PLC0415 - needs the extra

    for language in languages(lexica, len(sight.rows)):
        if lexicon_fits(sight, language.has):
            accented_sight = with_diacritics(sight, language.letters_with_diacritics)
            return weigh_guesses(accented_sight, language.has, language.counts), language.distribution
    return sight, english_tiles(len(sight.rows))


@cache
def _layout_squares(side: int) -> dict[str, str]:
    """Return the squares of the layouts to try for a board with ``side`` rows, by the names of the layouts."""
    return {name: load_layout(name).squares for name in _LAYOUTS[side]}


@dataclass(frozen=True, slots=True)
class _Board:
    """A board on a picture, with its layout and letter distribution."""

    sight: CrosswordSight
    layout: str | None
    """The name of the layout that has the bonus squares of the board; None if no known layout has them."""
    usual_tiles: LetterDistribution
    """The usual letter distribution of the language of the board."""

    @property
    def tiles(self) -> LetterDistribution:
        """The letter distribution of the game that is played on this layout."""
        name = self.usual_tiles.name
        if self.layout == "TurnURLDefault" and name in _TURN_URL_DISTRIBUTIONS:
            return load_distribution(_TURN_URL_DISTRIBUTIONS[name])
        own_tiles = set_of_layout(load_layout(self.layout)) if self.layout and name == "english" else None
        return own_tiles or self.usual_tiles

    @property
    def other_language_boards(self) -> tuple[_Board, ...]:
        """The same board with the letter distributions of other languages."""
        side = len(self.sight.rows)
        return tuple(replace(self, usual_tiles=tiles_of(name, side)) for name in _OTHER_DISTRIBUTIONS)

    @property
    def opcodes(self) -> str:
        """The CGP opcodes that name the layout and the letter distribution, unless these are the default."""
        side, tiles = len(self.sight.rows), self.tiles
        opcode = (
            "" if self.layout in (None, default_layout(tiles, side, side).name) else f" bdn {self.layout};"
        )
        return opcode if tiles == english_tiles(side) else f"{opcode} ld {tiles.name};"


def _crossword_position(
    board: _Board,
    rack: RackSight | None,
    scores: ScoresSight | None,
    *,
    spoiler: bool,
) -> FoundDocument | None:
    """Return the position on a board; None if it is not a possible position, or too much of it is a guess.

    A rack that would make the position impossible is left out. If the board has more tiles of a letter than the letter
    distribution has, use the letter distribution of another language.
    """
    sight = board.sight
    if len(sight.doubtful) > MAX_DOUBTFUL:
        return None
    side = len(sight.rows)
    doubtful = tuple(f"{chr(ord('A') + square % side)}{square // side + 1}" for square in sight.doubtful)
    own_score, other_score = (0, 0) if scores is None else scores.mover_first
    racks = tuple(dict.fromkeys(("" if rack is None else rack.tiles, "")))
    first_reading = next(_readings((board,), racks, (own_score, other_score)), None)
    if first_reading is None:
        other_language_boards = _readings(board.other_language_boards, racks, (own_score, other_score))
        first_reading = min(
            other_language_boards, key=lambda guess: guess[-1].value.unseen.excess, default=None
        )
    if first_reading is None:
        return None
    read_board, rack_tiles, text, reading = first_reading
    is_rack_doubtful = bool(rack_tiles) and not (
        rack and rack.confident and _leaves_rack(sight.rows, rack_tiles, read_board.tiles)
    )
    sight_record = PictureConfidence(
        # Always ask the user to check the board. In styles that the training data lacks, blanks were misread on boards that seemed clear.
        confident=False,
        doubtful=doubtful,
        turn_certain=scores is None or own_score == other_score or scores.marked is not None,
        board_alone=not rack_tiles and scores is None,
        has_rack=bool(rack_tiles),
        rack_doubtful=is_rack_doubtful,
        has_scores=scores is not None,
        scores_doubtful=scores is not None and not scores.confident,
        highlighted=scores is not None and scores.marked is not None,
        odd_squares=board.layout is None,
        odd_tiles=read_board is not board,
    )
    return FoundDocument("cgp", text, reading.value, reading.warnings, spoiler, sight=sight_record)


def _readings(
    boards: Iterable[_Board], racks: Sequence[str], scores: tuple[int, int]
) -> Iterator[tuple[_Board, str, str, Reading[Position]]]:
    """Yield the board, the rack, the CGP and its reading for each pair of a board and a rack that is a possible position."""
    for board, rack in product(boards, racks):
        text = f"{board.sight.placement} {rack}/ {scores[0]}/{scores[1]} 0{board.opcodes}"
        try:
            yield board, rack, text, cgp.read(text)
        except DomainError:
            continue


def _leaves_rack(rows: Collection[str], rack: str, tiles: LetterDistribution) -> bool:
    """Return whether a rack can be drawn from the tiles that are not on the board.

    A letter is ignored if the board has more tiles of it than the letter distribution.
    """
    board = Counter(BLANK_TEXT if square.islower() else square for row in rows for square in row)
    counts = {letter.text: letter.count for letter in tiles.letters}
    return all(
        number <= max(0, counts.get(letter, 0) - board[letter]) or board[letter] > counts.get(letter, 0)
        for letter, number in Counter(rack).items()
    )


def _chess_position(sight: ChessSight, *, spoiler: bool) -> FoundDocument | None:
    """Return the position on a chessboard; None if it is not a possible position, or too much of it is a guess."""
    if len(sight.doubtful) > MAX_DOUBTFUL:
        return None
    doubtful = tuple(f"{'abcdefgh'[square % 8]}{8 - square // 8}" for square in sight.doubtful)
    likely_side = "b" if sight.white_to_move is False else "w"
    for side in (likely_side, "wb".replace(likely_side, "")):
        text = f"{sight.placement} {side} - - 0 1"
        try:
            reading = fen.read(text)
        except DomainError:
            continue
        is_turn_known = sight.white_to_move is not None or side != likely_side
        sight_record = PictureConfidence(
            sight.confident and (side == likely_side or sight.white_to_move is None),
            doubtful,
            sight.orientation_clear,
            is_turn_known,
        )
        return FoundDocument("fen", text, reading.value, reading.warnings, spoiler, sight=sight_record)
    return None


MAX_LEXICA = 12
"""Maximum number of lexica in the host's folder whose words are used."""

_MAX_LEXICON_BYTES: Final = 1 << 24
"""Maximum size of the file of a lexicon whose words are used, in bytes."""
_MAX_CACHED_BYTES: Final = 1 << 26
"""Maximum total size of the lexica that a process keeps in memory, in bytes: about twelve lexica."""
_STANDARD_SIDE: Final = 15
"""Maximum number of rows of a board that uses the usual letter distributions. Games on larger boards have more tiles."""
_LETTERS_WITHOUT_DIACRITIC: Final = {"Ł": "L", "Ø": "O", "Đ": "D"}
"""Letters with a diacritic that Unicode does not decompose, with the same letters without the diacritic."""


_Version: TypeAlias = tuple[int, int, int, str]
"""The version of a lexicon: modification time, size and inode of its file, and its digest."""
_CACHED_LEXICA: Final[dict[Path, tuple[_Version, WordGraph | None]]] = {}
"""The lexica in memory, by their files, with the versions of the files; None for a lexicon that is broken or too large."""


@dataclass(frozen=True, slots=True)
class Language:
    """The known words of a language, and its letter distribution."""

    distribution: LetterDistribution
    graphs: tuple[WordGraph, ...]

    def has(self, word: str) -> bool:
        """Return whether a word, in capitals, is in one of the lexica."""
        tiles = [self.distribution.numbers.get(letter, 0) for letter in word]
        return all(tiles) and any(graph.accepts(tiles) for graph in self.graphs)

    @property
    def letters_with_diacritics(self) -> dict[str, tuple[str, ...]]:
        """The letters with a diacritic, by the letter without the diacritic: ``{"A": ("Ä",)}``."""
        found: dict[str, tuple[str, ...]] = {}
        for letter in (letter.text for letter in self.distribution.letters if len(letter.text) == 1):
            bare = _LETTERS_WITHOUT_DIACRITIC.get(letter) or unicodedata.normalize("NFD", letter)[0]
            if bare != letter:
                found[bare] = (*found.get(bare, ()), letter)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """The number of tiles of each letter, and of blanks."""
        return {letter.text: letter.count for letter in self.distribution.letters}


def languages(folder: Path | None, side: int) -> Iterator[Language]:
    """Yield English, and then the languages of the host's lexica in ``folder``, for a board with ``side`` rows.

    Lexica that cannot be read are left out.
    """
    by_name: dict[str, list[InstalledLexicon]] = {"english": []}
    for lexicon in () if folder is None else installed_in(folder)[:MAX_LEXICA]:
        by_name.setdefault(lexicon.distribution.name.removesuffix("_super"), []).append(lexicon)
    for name, lexica in by_name.items():
        graphs = tuple(graph for lexicon in lexica if (graph := _graph_of(lexicon)) is not None)
        if name == "english":
            yield Language(english_tiles(side), (*_built_in_lexica(), *graphs))
        elif graphs:
            yield Language(tiles_of(name, side), graphs)


def english_tiles(side: int) -> LetterDistribution:
    """Return the English letter distribution for a board with ``side`` rows."""
    return tiles_of("english", side)


def tiles_of(name: str, side: int) -> LetterDistribution:
    """Return the letter distribution of a language for a board with ``side`` rows."""
    usual = load_distribution(name)
    return usual if side <= _STANDARD_SIDE else super_distribution(usual)


def _graph_of(lexicon: InstalledLexicon) -> WordGraph | None:
    """Return the word graph of a lexicon; None if it cannot be read or is too large. It is cached until its file changes."""
    try:
        status = lexicon.graph.stat()
        version = status.st_mtime_ns, status.st_size, status.st_ino, lexicon.digest
        if lexicon.graph not in _CACHED_LEXICA or _CACHED_LEXICA[lexicon.graph][0] != version:
            graph = _read_graph(lexicon) if status.st_size <= _MAX_LEXICON_BYTES else None
            _CACHED_LEXICA.pop(lexicon.graph, None)
            if sum(entry[0][1] for entry in _CACHED_LEXICA.values()) + status.st_size > _MAX_CACHED_BYTES:
                return graph
            _CACHED_LEXICA[lexicon.graph] = version, graph
        return _CACHED_LEXICA[lexicon.graph][1]
    except OSError:
        return None


def _read_graph(lexicon: InstalledLexicon) -> WordGraph | None:
    """Read the word graph of a lexicon; return None if it is broken.

    A file that has not changed since its installation is not checked again.

    Raises:
        OSError: the file cannot be read.

    """
    # Word graphs need numpy, which processes that read only texts should not import.
    from bot.engine.lexicon.word_graph import WordGraphError, read_kwg, trusted_kwg  # noqa: PLC0415

    data = lexicon.graph.read_bytes()
    is_known = lexicon.built_in or hashlib.sha256(data).hexdigest() == lexicon.digest
    try:
        return trusted_kwg(data) if is_known else read_kwg(data)
    except WordGraphError:
        return None


@cache
def _built_in_lexica() -> tuple[WordGraph, ...]:
    """Return the word graphs of the built-in lexica. They take six megabytes of memory."""
    return tuple(graph for lexicon in installed_in(BUILT_IN) if (graph := _graph_of(lexicon)) is not None)
