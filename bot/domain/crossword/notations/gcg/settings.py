"""Reads the settings in the header of a GCG, such as its tiles, board layout, lexicon and game id."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from bot.domain.crossword.notations.gcg.lines import (
    PLAYER_KEYWORD,
    RACK_KEYWORD,
    GcgLines,
    Pragma,
    read_entities,
)
from bot.domain.crossword.notations.gcg.tiles import (
    DOT,
    SEPARATOR,
    UNKNOWN_TILE,
    TileAlphabet,
    alphabet_of,
    tiles_to_declare,
)
from bot.domain.crossword.play import TurnKind, read_coordinate
from bot.domain.crossword.position import EMPTY, unseen_tiles
from bot.domain.crossword.rules import (
    CLASSIC_VARIANT,
    GAMES_WITH_OWN_TILES,
    SUPER_BOARD_SIZE,
    SUPER_SUFFIX,
    BoardLayout,
    LetterDistribution,
    Rules,
    candidate_distributions,
    canonical_variant,
    default_layout,
    default_rules,
    distribution_of_game,
    distribution_of_layout,
    distribution_of_lexicon,
    find_distribution,
    find_layout,
    load_distribution,
    load_layout,
    super_distribution,
)
from bot.domain.reading.problems import TextPiece

# Older programs put settings into a note before the first event: "#note LetterDistribution: polish".
_OLD_NOTE = re.compile(r"(Variant|LetterDistribution|BoardLayout):\s*(\S+)\s*")
_KEYWORDS_OF_OLD_NOTES = {
    "Variant": "game-type",
    "LetterDistribution": "tile-distribution",
    "BoardLayout": "board-layout",
}

_HEADER_PRAGMAS = frozenset(
    {
        "title",
        "description",
        "id",
        "lexicon",
        "game-type",
        "board-layout",
        "tile-distribution",
        "orientation",
        "tile",
    }
)
"""Pragmas that must precede the first event."""

MAX_LETTERS = 20_000
"""Maximum number of characters, from racks and words, that are compared with each distribution."""

_UNIQUE_PRAGMAS = _HEADER_PRAGMAS - {"description", "tile"}

_HANDLED_PRAGMA = re.compile(
    "|".join((*sorted(_HEADER_PRAGMAS - {"orientation"}), "character-encoding", "incomplete"))
)
_ORIENTATIONS = ("numbered-rows", "lettered-rows")


@dataclass(frozen=True, slots=True)
class HeaderSettings:
    """The settings in the header of a GCG."""

    rules: Rules
    alphabet: TileAlphabet
    title: str = ""
    description: str = ""
    authority: str = ""
    game_id: str = ""
    has_lettered_rows: bool = False
    extra: tuple[tuple[str, str], ...] = ()
    declares_game: bool = False
    """Whether the file names its set of tiles, its board layout or its game type."""


def read_settings(lines: GcgLines, game_distribution: LetterDistribution | None = None) -> HeaderSettings:
    """Read the settings, and add warnings to ``lines.warnings``.

    If the game is known to have its own tiles and board, as Crossplay does, ``game_distribution`` is its set of tiles.
    """
    pragmas = _pragmas_by_keyword(lines)
    lexicon = _last_argument(pragmas, "lexicon")
    variant = _read_variant(lines, pragmas)
    game_distribution = game_distribution or _find_game_distribution(lines, pragmas)
    layout = _choose_layout(lines, pragmas, variant, game_distribution)
    declared_tiles = _read_tiles(lines, pragmas.get("tile", []))
    distribution = game_distribution or _choose_distribution(
        lines, pragmas, lexicon, layout, tuple(declared_tiles)
    )
    _check_declared_tiles(lines, declared_tiles, distribution)
    first_word, *later_words = _last_argument(pragmas, "id").split(maxsplit=1) or [""]
    authority, game_id = (first_word, later_words[0].strip()) if later_words else ("", first_word)
    return HeaderSettings(
        replace(default_rules(distribution, layout), lexicon=lexicon, variant=variant),
        alphabet_of(distribution, tuple(declared_tiles)),
        title=_last_argument(pragmas, "title"),
        description=read_entities(
            "\n".join(
                text for pragma in pragmas.get("description", ()) if (text := pragma.argument.text.strip())
            )
        ),
        authority="" if authority == NO_AUTHORITY else authority,
        game_id=game_id,
        declares_game=any(
            _named_value(lines, pragmas, name) for name in ("tile-distribution", "board-layout", "game-type")
        ),
        has_lettered_rows=_last_argument(pragmas, "orientation").lower() == "lettered-rows",
        extra=tuple(
            (pragma.keyword, pragma.argument.text)
            for pragma in lines.pragmas
            if not any(
                pattern.fullmatch(pragma.keyword)
                for pattern in (_HANDLED_PRAGMA, PLAYER_KEYWORD, RACK_KEYWORD)
            )
            if pragma.keyword != "orientation" or pragma.argument.text.lower() not in ("", *_ORIENTATIONS)
        ),
    )


def _pragmas_by_keyword(lines: GcgLines) -> dict[str, list[Pragma]]:
    """Group the pragmas by keyword. Warn about pragmas that are repeated or come too late."""
    pragmas: dict[str, list[Pragma]] = {}
    for index, pragma in enumerate(lines.pragmas):
        earlier_pragmas = pragmas.get(pragma.keyword)
        if (
            pragma.keyword in _UNIQUE_PRAGMAS
            and pragma.argument.text
            and earlier_pragmas
            and earlier_pragmas[-1].argument.text not in ("", pragma.argument.text)
        ):
            pragma.line.warn(
                lines.warnings,
                "repeated-pragma",
                "{name} is given twice; the later one counts",
                name=f"#{pragma.keyword}",
            )
        pragmas.setdefault(pragma.keyword, []).append(pragma)
        if pragma.event_count_before and (
            pragma.keyword in _HEADER_PRAGMAS or pragma.keyword.startswith("player")
        ):
            pragma.line.warn(
                lines.warnings,
                "late-pragma",
                "#{keyword} belongs before the first event",
                keyword=pragma.keyword,
            )
        if pragma.keyword == "character-encoding" and (index or pragma.line.offset):
            pragma.line.warn(
                lines.warnings, "late-pragma", "#{keyword} belongs on the first line", keyword=pragma.keyword
            )
    return pragmas


def _last_argument(pragmas: dict[str, list[Pragma]], keyword: str) -> str:
    return next(
        (pragma.argument.text for pragma in reversed(pragmas.get(keyword, ())) if pragma.argument.text), ""
    )


def _named_value(lines: GcgLines, pragmas: dict[str, list[Pragma]], keyword: str) -> TextPiece | None:
    """Return the value in a pragma or an old note. A value from a note has no location."""
    for pragma in reversed(pragmas.get(keyword, ())):
        if pragma.argument.text:
            return pragma.argument
    for note in (text for kind, text in lines.remarks[0] if kind == "note"):
        match = _OLD_NOTE.fullmatch("\n".join(note))
        if match and _KEYWORDS_OF_OLD_NOTES[match[1]] == keyword:
            return TextPiece.of(match[2])
    return None


def _read_variant(lines: GcgLines, pragmas: dict[str, list[Pragma]]) -> str:
    value = _named_value(lines, pragmas, "game-type")
    variant = canonical_variant(value.text) if value else CLASSIC_VARIANT
    if value and variant is None:
        value.warn(
            lines.warnings,
            "unknown-variant",
            "the game type {name!r} is unknown; assuming classic",
            name=value.text[:40],
        )
    return variant or CLASSIC_VARIANT


def _find_game_distribution(lines: GcgLines, pragmas: dict[str, list[Pragma]]) -> LetterDistribution | None:
    value = _named_value(lines, pragmas, "tile-distribution")
    if value and (distribution := find_distribution(value.text)):
        return distribution if distribution.name in GAMES_WITH_OWN_TILES else None
    game = _named_value(lines, pragmas, "game-type")
    return distribution_of_game(game.text) if game else None


def _choose_layout(
    lines: GcgLines,
    pragmas: dict[str, list[Pragma]],
    variant: str,
    game_distribution: LetterDistribution | None,
) -> BoardLayout:
    value = _named_value(lines, pragmas, "board-layout")
    if value and (layout := find_layout(value.text)):
        return layout
    usual_layout = load_layout("SuperCrosswordGame" if variant.endswith(SUPER_SUFFIX) else "CrosswordGame")
    if game_distribution is not None:
        usual_layout = default_layout(game_distribution, usual_layout.rows, usual_layout.columns)
    if value:
        value.warn(
            lines.warnings,
            "unknown-layout",
            "the board {name!r} is unknown; shown with the standard bonus squares",
            name=value.text[:40],
        )
    elif not variant.endswith(SUPER_SUFFIX) and (
        line_off_board := _first_line_off_board(lines, usual_layout)
    ):
        line_off_board.warn(
            lines.warnings,
            "layout-by-plays",
            "a play goes beyond a 15 × 15 board; using a 21 × 21 board",
        )
        return load_layout("SuperCrosswordGame")
    return usual_layout


def _first_line_off_board(lines: GcgLines, usual_layout: BoardLayout) -> TextPiece | None:
    limit = load_layout("SuperCrosswordGame").rows
    for event in lines.events:
        start = read_coordinate(event.coordinate.text) if event.coordinate else None
        if (
            start
            and max(start.row, start.column) < limit
            and max(start.row, start.column) >= usual_layout.rows
        ):
            return event.line
    return None


def _read_tiles(lines: GcgLines, pragmas: list[Pragma]) -> dict[tuple[str, str], TextPiece]:
    """Return the declared tiles as (capitals, lowercase) pairs, each with the line that declares it."""
    declared_tiles: dict[tuple[str, str], TextPiece] = {}
    for pragma in pragmas:
        match pragma.argument.text.split():
            case [capital, lowercase]:
                declared_tiles.setdefault((capital[:20], lowercase[:20]), pragma.line)
            case [capital]:
                declared_tiles.setdefault((capital[:20], capital[:20].lower()), pragma.line)
            case _:
                pragma.line.warn(
                    lines.warnings,
                    "malformed-tile",
                    "#tile needs the tile in capitals and in lowercase",
                )
    return declared_tiles


def _check_declared_tiles(
    lines: GcgLines, declared_tiles: dict[tuple[str, str], TextPiece], distribution: LetterDistribution
) -> None:
    needed_declarations = {
        (distribution.text(tile), distribution.text(-tile).strip("[]"))
        for tile in tiles_to_declare(distribution)
    }
    for (capital, lowercase), line in declared_tiles.items():
        if distribution.machine_letters.keys().isdisjoint((capital, capital.strip("[]").upper())):
            line.warn(
                lines.warnings,
                "tile-not-in-set",
                "the {distribution!r} set has no tile {tile!r}",
                distribution=distribution.name,
                tile=capital,
            )
        elif (capital.strip("[]"), lowercase.strip("[]")) not in needed_declarations:
            line.warn(
                lines.warnings,
                "needless-tile",
                "the {distribution!r} set already has the tile {tile!r}; its declaration is left out",
                distribution=distribution.name,
                tile=capital,
            )


def _choose_distribution(
    lines: GcgLines,
    pragmas: dict[str, list[Pragma]],
    lexicon: str,
    layout: BoardLayout,
    declared_tiles: tuple[tuple[str, str], ...],
) -> LetterDistribution:
    value = _named_value(lines, pragmas, "tile-distribution")
    if value and (distribution := find_distribution(value.text)):
        return distribution
    if value:
        value.warn(
            lines.warnings,
            "unknown-distribution",
            "the letter distribution {name!r} is unknown",
            name=value.text[:40],
        )
    implied_set = distribution_of_lexicon(lexicon)
    board_set = distribution_of_layout(layout)
    if board_set is not None and not value and (implied_set is None or implied_set.name == "english"):
        return board_set
    chosen_set = implied_set or _distribution_by_letters(lines, declared_tiles)
    return super_distribution(chosen_set) if layout.rows == SUPER_BOARD_SIZE else chosen_set


def _distribution_by_letters(
    lines: GcgLines, declared_tiles: tuple[tuple[str, str], ...]
) -> LetterDistribution:
    """Return English if it has all the letters, or else the set that lacks the fewest of them.

    In a tie, prefer the set with fewer surplus tiles (more of a tile than the set has), then the more common set.
    """
    words = [event.tiles.text for event in lines.events if event.kind is TurnKind.PLAY and event.tiles]
    racks = [event.rack.text for event in lines.events if event.rack]
    text = "\n".join((*words, *racks))[:MAX_LETTERS]
    if not _count_unknown(text, alphabet_of(load_distribution("english")), declared_tiles):
        return load_distribution("english")
    best_set = min(
        candidate_distributions(),
        key=lambda item: (
            _count_unknown(text, alphabet_of(item), declared_tiles),
            _count_excess("\n".join(words)[:MAX_LETTERS], item),
        ),
    )
    if best_set.name != "english":
        lines.warnings.add(
            "distribution-by-letters",
            "no letter distribution is named; using the {distribution!r} set, which has these letters",
            lines.events[0].line.offset if lines.events else 0,
            distribution=best_set.name,
        )
    return best_set


def _count_unknown(text: str, alphabet: TileAlphabet, declared_tiles: tuple[tuple[str, str], ...]) -> int:
    unknown_count = sum(
        count
        for piece, count in Counter(
            piece for piece, _ in alphabet.pieces(text.replace(SEPARATOR, ""))
        ).items()
        if piece not in {DOT, UNKNOWN_TILE}
        and piece[0].isalpha()
        and alphabet.machine_letter_of(piece) is None
    )
    return unknown_count + sum(alphabet.machine_letter_of(capital) is None for capital, _ in declared_tiles)


def _count_excess(words: str, distribution: LetterDistribution) -> int:
    alphabet = alphabet_of(distribution)
    tiles = (alphabet.machine_letter_of(piece) or EMPTY for piece, _ in alphabet.pieces(words))
    return unseen_tiles(distribution, tiles, ()).excess


NO_AUTHORITY = "unknown"
"""Stands for an unknown authority in ``#id``."""
