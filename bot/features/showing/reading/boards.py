"""Boards seen on a picture as positions, and the words of the installed lexica that decide doubtful squares."""

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
    load_distribution,
    load_layout,
    set_of_layout,
)
from bot.domain.reading.problems import DomainError, ParseError, Reading
from bot.features.showing.findings import Found, PictureConfidence

if TYPE_CHECKING:
    from bot.sight.chess import ChessSight
    from bot.sight.crossword import CrosswordSight
    from bot.sight.racks import RackSight
    from bot.sight.scores import ScoresSight


import hashlib
import unicodedata
from typing import TYPE_CHECKING, TypeAlias

from bot.domain.crossword.rules import super_distribution
from bot.engine.lexicon.installed import BUILT_IN, Installed, installed_in

if TYPE_CHECKING:
    from bot.engine.lexicon.word_graph import WordGraph


MAX_DOUBTFUL = 12
"""Maximum number of doubtful squares: with more, typing is as fast as checking."""

_LAYOUTS: Final = {
    15: ("CrosswordGame", "Wordfeud", "WordsWithFriends", "Crossplay", "TurnURLDefault"),
    21: ("SuperCrosswordGame",),
}
"""Boards by their sides, the usual one first."""
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
"""Languages to try for a board that has too many of a letter for the usual tiles."""
_TURN_URL: Final = {"english": "turn-url-en", "spanish": "turn-url-es"}
"""The tiles of the game that makes Turn URLs, by a language's usual ones."""


def boards_of(picture: Image.Image, lexica: Path | None, *, spoiler: bool) -> tuple[Found, ...]:
    """Return the positions on the boards of an RGB picture, none where the extra ``sight`` is not there.

    Raises:
        ParseError: there is a board, but too little of it is clear.

    """
    try:
        from bot.sight.bonus import fitting_layout  # noqa: PLC0415 - as above
        from bot.sight.chess import read_chess  # noqa: PLC0415 - needs the extra
        from bot.sight.crossword import read_crossword  # noqa: PLC0415 - as above
        from bot.sight.racks import read_rack  # noqa: PLC0415 - as above
        from bot.sight.scores import read_scores  # noqa: PLC0415 - as above
    except ImportError:
        return ()
    chess, crosswords = read_chess(picture), read_crossword(picture)
    words = [_weigh_words(sight, lexica) for sight in crosswords]
    # Beside several boards, racks and scores are ambiguous; a board that is not shown needs none.
    alone = len(words) == 1 and not chess and len(words[0][0].doubtful) <= MAX_DOUBTFUL
    rack = read_rack(picture, crosswords[0].grid) if alone else None
    scores = read_scores(picture, crosswords[0].grid, crosswords[0].rows) if alone else None
    boards = [
        _Board(sight, fitting_layout(picture, sight.grid, sight.rows, _kinds(len(sight.rows))), tiles)
        for sight, tiles in words
    ]
    seen = (
        *(_chess_position(sight, spoiler=spoiler) for sight in chess),
        *(_crossword_position(board, rack, scores, spoiler=spoiler) for board in boards),
    )
    found = tuple(item for item in seen if item is not None)
    if seen and not found:
        raise ParseError("picture-unclear", "it shows a board, but too little of it is legible")
    return found


def _weigh_words(sight: CrosswordSight, lexica: Path | None) -> tuple[CrosswordSight, LetterDistribution]:
    """Return a board corrected by the words of a language, and its tiles; unchanged with English tiles if no language fits."""
    from bot.sight.weighing import knows, weigh_guesses, with_marks  # noqa: PLC0415 - needs the extra

    for language in languages(lexica, len(sight.rows)):
        if knows(sight, language.has):
            may_be = with_marks(sight, language.marked)
            return weigh_guesses(may_be, language.has, language.counts), language.distribution
    return sight, english_tiles(len(sight.rows))


@cache
def _kinds(side: int) -> dict[str, str]:
    """Return the squares of the boards with a side of this length, by name."""
    return {name: load_layout(name).squares for name in _LAYOUTS[side]}


@dataclass(frozen=True, slots=True)
class _Board:
    """A board that was seen, with what it is played with."""

    sight: CrosswordSight
    layout: str | None
    """The name of the board that has its bonus squares; None where none is known."""
    usual_tiles: LetterDistribution
    """The usual tiles of its language."""

    @property
    def tiles(self) -> LetterDistribution:
        """The tiles of the game that is played on this board."""
        name = self.usual_tiles.name
        if self.layout == "TurnURLDefault" and name in _TURN_URL:
            return load_distribution(_TURN_URL[name])
        own = set_of_layout(load_layout(self.layout)) if self.layout and name == "english" else None
        return own or self.usual_tiles

    @property
    def others(self) -> tuple[_Board, ...]:
        """The board with the tiles of other languages."""
        side = len(self.sight.rows)
        return tuple(replace(self, usual_tiles=tiles_of(name, side)) for name in _OTHER_DISTRIBUTIONS)

    @property
    def opcodes(self) -> str:
        """The opcodes of a CGP for an unusual layout or unusual tiles."""
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
) -> Found | None:
    """Return a board that was seen as a position; None when it can be none, or most of it is a guess.

    A rack with which it can be none is left out, and where there are too few of the usual tiles another language's are taken.
    """
    sight = board.sight
    if len(sight.doubtful) > MAX_DOUBTFUL:
        return None
    side = len(sight.rows)
    doubtful = tuple(f"{chr(ord('A') + square % side)}{square // side + 1}" for square in sight.doubtful)
    own_score, other_score = (0, 0) if scores is None else scores.mover_first
    racks = tuple(dict.fromkeys(("" if rack is None else rack.tiles, "")))
    read = next(_read_with((board,), racks, (own_score, other_score)), None)
    if read is None:
        others = _read_with(board.others, racks, (own_score, other_score))
        read = min(others, key=lambda guess: guess[-1].value.unseen.excess, default=None)
    if read is None:
        return None
    read_board, lying, text, reading = read
    unsure = bool(lying) and not (rack and rack.confident and _are_there(sight.rows, lying, read_board.tiles))
    sight_record = PictureConfidence(
        # In looks that nothing was learnt from, blanks were missed on boards that seemed clear: all are asked about.
        confident=False,
        doubtful=doubtful,
        turn_certain=scores is None or own_score == other_score or scores.marked is not None,
        board_alone=not lying and scores is None,
        has_rack=bool(lying),
        rack_doubtful=unsure,
        has_scores=scores is not None,
        scores_doubtful=scores is not None and not scores.confident,
        highlighted=scores is not None and scores.marked is not None,
        odd_squares=board.layout is None,
        odd_tiles=read_board is not board,
    )
    return Found("cgp", text, reading.value, reading.warnings, spoiler, sight=sight_record)


def _read_with(
    boards: Iterable[_Board], racks: Sequence[str], scores: tuple[int, int]
) -> Iterator[tuple[_Board, str, str, Reading[Position]]]:
    """Yield the positions that a board can be with its tiles and a rack: with which ones, its CGP, and that as it is read."""
    for board, rack in product(boards, racks):
        text = f"{board.sight.placement} {rack}/ {scores[0]}/{scores[1]} 0{board.opcodes}"
        try:
            yield board, rack, text, cgp.read(text)
        except DomainError:
            continue


def _are_there(rows: Collection[str], rack: str, tiles: LetterDistribution) -> bool:
    """Return whether a board leaves every letter of a rack. Letters that the board has too many of do not count."""
    board = Counter(BLANK_TEXT if square.islower() else square for row in rows for square in row)
    counts = {letter.text: letter.count for letter in tiles.letters}
    return all(
        number <= max(0, counts.get(letter, 0) - board[letter]) or board[letter] > counts.get(letter, 0)
        for letter, number in Counter(rack).items()
    )


def _chess_position(sight: ChessSight, *, spoiler: bool) -> Found | None:
    """Return a board that was seen as a position; None when it can be none, or most of it is a guess."""
    if len(sight.doubtful) > MAX_DOUBTFUL:
        return None
    doubtful = tuple(f"{'abcdefgh'[square % 8]}{8 - square // 8}" for square in sight.doubtful)
    wanted = "b" if sight.white_to_move is False else "w"
    for side in (wanted, "wb".replace(wanted, "")):
        text = f"{sight.placement} {side} - - 0 1"
        try:
            reading = fen.read(text)
        except DomainError:
            continue
        known = sight.white_to_move is not None or side != wanted
        sight_record = PictureConfidence(
            sight.confident and (side == wanted or sight.white_to_move is None),
            doubtful,
            sight.orientation_clear,
            known,
        )
        return Found("fen", text, reading.value, reading.warnings, spoiler, sight=sight_record)
    return None


MAX_LEXICA = 12
"""Lexica of a folder that are looked into."""

_MAX_BYTES: Final = 1 << 24
"""Maximum size of a lexicon searched, in bytes."""
_MAX_KEPT_BYTES: Final = 1 << 26
"""Maximum size in bytes of all lexica that a process keeps for further boards: some twelve of them."""
_USUAL_SIDE: Final = 15
"""Rows of the board that is played on with the usual tiles."""
_BARE_LETTERS: Final = {"Ł": "L", "Ø": "O", "Đ": "D"}
"""Letters that Unicode does not take apart into one without a mark and the mark."""


_Version: TypeAlias = "tuple[int, int, int, str]"
"""The version of a lexicon: the time, size and number of its file, and its digest."""
_CACHED_LEXICA: Final[dict[Path, tuple[_Version, WordGraph | None]]] = {}
"""Lexica that were read, by their files; None where one is broken."""


@dataclass(frozen=True, slots=True)
class Language:
    """The known words of a language, and its tiles."""

    distribution: LetterDistribution
    graphs: tuple[WordGraph, ...]

    def has(self, word: str) -> bool:
        """Return whether capitals are a word of one of the lexica."""
        tiles = [self.distribution.numbers.get(letter, 0) for letter in word]
        return all(tiles) and any(graph.accepts(tiles) for graph in self.graphs)

    @property
    def marked(self) -> dict[str, tuple[str, ...]]:
        """The letters with a mark, by those without: ``{"A": ("Ä",)}``."""
        found: dict[str, tuple[str, ...]] = {}
        for letter in (letter.text for letter in self.distribution.letters if len(letter.text) == 1):
            bare = _BARE_LETTERS.get(letter) or unicodedata.normalize("NFD", letter)[0]
            if bare != letter:
                found[bare] = (*found.get(bare, ()), letter)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """Return how many tiles there are of each letter, and blanks."""
        return {letter.text: letter.count for letter in self.distribution.letters}


def languages(folder: Path | None, side: int) -> Iterator[Language]:
    """Yield English, then the languages of a folder's lexica; ``side`` are a board's rows.

    A lexicon that cannot be read is left out.
    """
    by_name: dict[str, list[Installed]] = {"english": []}
    for lexicon in () if folder is None else installed_in(folder)[:MAX_LEXICA]:
        by_name.setdefault(lexicon.distribution.name.removesuffix("_super"), []).append(lexicon)
    for name, lexica in by_name.items():
        graphs = tuple(graph for lexicon in lexica if (graph := _graph_of(lexicon)) is not None)
        if name == "english":
            yield Language(english_tiles(side), (*_built_in_lexica(), *graphs))
        elif graphs:
            yield Language(tiles_of(name, side), graphs)


def english_tiles(side: int) -> LetterDistribution:
    """Return the tiles that English is played with on a board with this number of rows."""
    return tiles_of("english", side)


def tiles_of(name: str, side: int) -> LetterDistribution:
    """Return the tiles that a language is played with on a board with this number of rows."""
    usual = load_distribution(name)
    return usual if side <= _USUAL_SIDE else super_distribution(usual)


def _graph_of(lexicon: Installed) -> WordGraph | None:
    """Return the words of a lexicon, cached while its file is unchanged; None if they cannot be read."""
    try:
        status = lexicon.graph.stat()
        version = status.st_mtime_ns, status.st_size, status.st_ino, lexicon.digest
        if lexicon.graph not in _CACHED_LEXICA or _CACHED_LEXICA[lexicon.graph][0] != version:
            graph = _read(lexicon) if status.st_size <= _MAX_BYTES else None
            _CACHED_LEXICA.pop(lexicon.graph, None)
            if sum(entry[0][1] for entry in _CACHED_LEXICA.values()) + status.st_size > _MAX_KEPT_BYTES:
                return graph
            _CACHED_LEXICA[lexicon.graph] = version, graph
        return _CACHED_LEXICA[lexicon.graph][1]
    except OSError:
        return None


def _read(lexicon: Installed) -> WordGraph | None:
    """Read the words of a lexicon; a file unchanged since its installation is not checked again.

    Raises:
        OSError: the file cannot be read.

    """
    # Reading pictures needs numpy; a process that reads text neither has it nor waits for it.
    from bot.engine.lexicon.word_graph import WordGraphError, read_kwg, trusted_kwg  # noqa: PLC0415

    data = lexicon.graph.read_bytes()
    is_known = lexicon.built_in or hashlib.sha256(data).hexdigest() == lexicon.digest
    try:
        return trusted_kwg(data) if is_known else read_kwg(data)
    except WordGraphError:
        return None


@cache
def _built_in_lexica() -> tuple[WordGraph, ...]:
    """Return the built-in lexica: six megabytes."""
    return tuple(graph for lexicon in installed_in(BUILT_IN) if (graph := _graph_of(lexicon)) is not None)
