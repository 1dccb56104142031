"""``puzzles``: makes and checks crossword puzzles, inspects puzzle files, and selects chess puzzles from lichess's database."""

from __future__ import annotations

import argparse
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bot.chat.source import Attachment
from bot.cli.documents import (
    counted,
    find_documents,
    lexicon_of,
    local_reader,
    print_error,
    print_problems,
    read_bytes,
    write_atomically,
)
from bot.cli.parser import (
    CONFIG,
    FAILURE,
    LEXICON,
    NOTHING_FOUND,
    SUCCESS,
    CommandError,
    argument,
    command,
    whole_number,
)
from bot.domain.crossword.game import Game
from bot.domain.crossword.rules import default_rules, load_layout
from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.crossword import document
from bot.features.puzzles.sheets import read_attached_sheet

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon
    from bot.features.puzzles.crossword.making import PuzzleMaker

MAX_PUZZLES = 100_000
"""Maximum value of ``--count`` and ``--most``."""
MAX_SELF_PLAY_GAMES = 1_000_000
MAX_OTHER_LEXICA = 8
"""Maximum number of other lexica in the same language. A phony must not be a word in any of them."""
MAX_WORD_LIST_BYTES = 20_000_000
MAX_PUZZLE_FILE_BYTES = 500_000_000
MAX_LISTED_ROWS = 10
"""Maximum number of invalid rows to list. Another line states how many rows are invalid."""
PROGRESS_INTERVAL = 20.0
"""Seconds between progress reports."""
_JSON = argument("--json", action="store_true", help="print the result as JSON")


@command(
    "puzzles make",
    argument("files", nargs="*", metavar="FILE", help="files with additional games to make puzzles from"),
    argument("-o", "--output", metavar="FILE", type=Path, required=True, help="output file"),
    argument(
        "--count",
        type=whole_number(1, MAX_PUZZLES),
        default=100,
        metavar="N",
        help="number of puzzles (default: 100)",
    ),
    argument(
        "--games",
        type=whole_number(0, MAX_SELF_PLAY_GAMES),
        default=MAX_SELF_PLAY_GAMES,
        metavar="N",
        help="maximum number of self-play games (default: until enough puzzles are found)",
    ),
    argument(
        "--family",
        action="append",
        choices=[family.value for family in document.PuzzleFamily],
        help="make only puzzles of this family; can be repeated (default: all families)",
    ),
    argument("--seed", type=whole_number(0), default=1, metavar="N", help="random seed (default: 1)"),
    argument(
        "--known",
        metavar="FILE",
        type=Path,
        help="list of common words, one per line: hook puzzles ask only for these words, and other words make a puzzle harder",
    ),
    argument(
        "--besides",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="file of existing puzzles, to avoid making them again; can be repeated",
    ),
    LEXICON,
    _JSON,
    CONFIG,
    help="make puzzles from self-play and from games in files; Ctrl-C writes the puzzles made so far",
)
def make_puzzles(arguments: argparse.Namespace) -> int:
    from bot.features.puzzles.crossword.making import PuzzleMaker, split_by_family  # noqa: PLC0415 - needs optional packages

    lexicon, lexica = lexicon_of(arguments)
    games = _read_games(arguments.files, arguments.config)
    other_installed_lexica = [
        other for other in lexica.for_language(lexicon.distribution) if other.name != lexicon.name
    ]
    maker = PuzzleMaker(
        default_rules(lexicon.distribution, load_layout("CrosswordGame")),
        lexicon,
        quotas=split_by_family(
            arguments.count,
            tuple(document.PuzzleFamily(name) for name in dict.fromkeys(arguments.family or ())),
        ),
        seed=arguments.seed,
        other_graphs=tuple(
            lexica.load(other, lexicon.distribution).graph
            for other in other_installed_lexica[:MAX_OTHER_LEXICA]
        ),
        known_words=_read_known_words(arguments.known, lexicon),
        existing_ids=[puzzle.id for path in arguments.besides for puzzle in _read_puzzle_file(path)],
    )
    last_report = time.monotonic()

    def report_progress() -> None:
        nonlocal last_report
        if time.monotonic() - last_report >= PROGRESS_INTERVAL:
            last_report = time.monotonic()
            print_error(_made_text(maker))

    try:
        maker.make(games, arguments.games, report_progress)
    except KeyboardInterrupt:
        print_error("stopped; the puzzles made so far are kept")
    output, kept_counts = arguments.output, maker.puzzle_counts
    families = sorted(maker.try_counts | kept_counts)
    figures = {
        "lexicon": lexicon.name,
        "seed": arguments.seed,
        "games": maker.game_count,
        "puzzles": len(maker.puzzles),
        "families": {
            family.value: {"tried": maker.try_counts[family], "kept": kept_counts[family]}
            for family in families
        },
    }
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{error.filename} can't be written: {error.strerror}") from None
    write_atomically(output, document.write(maker.puzzles, figures).encode())
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"{output}: {_made_text(maker)} in {lexicon.name}")
        for family in families:
            print(f"{family.value}: {kept_counts[family]:,} of {maker.try_counts[family]:,} tried")
    return SUCCESS if maker.puzzles else NOTHING_FOUND


def _made_text(maker: PuzzleMaker) -> str:
    return f"{counted(len(maker.puzzles), 'puzzle')} from {counted(maker.game_count, 'game')}"


def _read_games(files: list[str], config: Path | None) -> list[Game]:
    """Return the crossword games in files. Print the errors."""
    games = []
    with local_reader(config) as reader:
        for name in files:
            findings = find_documents(reader, name, read_bytes(name))
            found_games = [found.document for found in findings.documents if isinstance(found.document, Game)]
            print_problems(name, findings)
            if not found_games:
                print_error(f"{name}: no crossword game")
            games += found_games
    return games


def _read_puzzle_file(path: Path) -> tuple[document.CrosswordPuzzle, ...]:
    try:
        return document.read(read_bytes(path, MAX_PUZZLE_FILE_BYTES).decode())
    except (document.PuzzleFileError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: {error}") from None


def _read_known_words(path: Path | None, lexicon: Lexicon) -> frozenset[str] | None:
    """Return the words that are both in a list and in the lexicon, or None if ``path`` is None."""
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - needs optional packages

    if path is None:
        return None
    word_speller = speller(lexicon.distribution)
    known_words = set()
    for word in read_bytes(path, MAX_WORD_LIST_BYTES).decode(errors="replace").split():
        with suppress(DomainError):
            tiles = word_speller.spell(word)
            if lexicon.graph.accepts(tiles):
                known_words.add(word_speller.text_of(tiles))
    return frozenset(known_words)


@command(
    "puzzles check",
    argument("file", metavar="FILE", type=Path, help="a file written by `puzzles make`"),
    argument("--seed", type=whole_number(0), default=2, metavar="N", help="random seed (default: 2)"),
    LEXICON,
    _JSON,
    CONFIG,
    help="repeat the proofs of the puzzles in a file, with more iterations and another random seed",
)
def check_puzzles(arguments: argparse.Namespace) -> int:
    from bot.features.puzzles.crossword.making import find_problem  # noqa: PLC0415 - needs optional packages

    puzzles = _read_puzzle_file(arguments.file)
    if not arguments.lexicon and puzzles:
        arguments.lexicon = puzzles[0].lexicon
    lexicon, _ = lexicon_of(arguments)
    fault_by_puzzle_id = {}
    for puzzle in puzzles:
        fault = (
            find_problem(puzzle, lexicon, seed=arguments.seed)
            if puzzle.lexicon == lexicon.name
            else f"it was made with the lexicon {puzzle.lexicon}"
        )
        if fault:
            fault_by_puzzle_id[puzzle.id] = f"{puzzle.family.value}: {fault}"
            print_error(f"{puzzle.id} {fault_by_puzzle_id[puzzle.id]}")
    proved_count = len(puzzles) - len(fault_by_puzzle_id)
    if arguments.json:
        print(json.dumps({"puzzles": len(puzzles), "hold": proved_count, "faults": fault_by_puzzle_id}))
    else:
        print(f"{proved_count:,} of {len(puzzles):,} puzzles proven in {lexicon.name}")
    return FAILURE if fault_by_puzzle_id else SUCCESS if puzzles else NOTHING_FOUND


@command(
    "puzzles look",
    argument(
        "file",
        metavar="FILE",
        help="a CSV file from lichess, an EPD or PGN file, or a file written by `puzzles make`",
    ),
    _JSON,
    help="count the usable puzzles in a file, and show the first errors",
)
def inspect_puzzles(arguments: argparse.Namespace) -> int:
    sheet = read_attached_sheet(Attachment(arguments.file, read_bytes(arguments.file)))
    if sheet is None:
        raise CommandError(f"{arguments.file}: this is not a puzzle file", NOTHING_FOUND)
    error_lines = [f"line {fault.line}: {fault.message}" for fault in sheet.faults]
    if arguments.json:
        figures = {
            "form": sheet.row_format,
            "puzzles": len(sheet.rows),
            "left_out": sheet.left_out_count,
            "ends_early": sheet.ends_early,
            "faults": error_lines,
        }
        print(json.dumps(figures))
    else:
        print(
            f"{arguments.file}: {counted(len(sheet.rows), 'puzzle')} ({sheet.row_format}), {sheet.left_out_count:,} left out"
        )
        print_error(*error_lines, *(("the rest of the file was not read",) if sheet.ends_early else ()))
    return FAILURE if sheet.left_out_count or not sheet.rows else SUCCESS


@command(
    "puzzles compile",
    argument(
        "file", metavar="CSV", type=Path, help="lichess_db_puzzle.csv.zst, or a file in the same format"
    ),
    argument("-o", "--output", metavar="CSV", type=Path, required=True, help="output file"),
    argument(
        "--most",
        type=whole_number(1, MAX_PUZZLES),
        metavar="N",
        help="maximum number of puzzles, spread over all ratings (default: all)",
    ),
    argument(
        "--min-popularity",
        type=whole_number(-100, 100),
        metavar="P",
        help="minimum popularity in percent: votes in favour minus votes against",
    ),
    argument("--min-plays", type=whole_number(0), metavar="N", help="minimum number of attempts"),
    argument("--max-deviation", type=whole_number(0), metavar="N", help="maximum rating deviation"),
    help="choose chess puzzles from the lichess CSV file (plain or .zst)",
)
def compile_puzzles(arguments: argparse.Namespace) -> int:
    bounds = {
        "Popularity": (arguments.min_popularity, None),
        "NbPlays": (arguments.min_plays, None),
        "RatingDeviation": (None, arguments.max_deviation),
    }
    source, output = arguments.file, arguments.output
    faults: list[str] = []
    try:
        if output.exists() and source.exists() and output.samefile(source):
            raise CommandError(f"{output} is also the source. Give the output another name with -o")
        with lichess.open_csv(source) as lines:
            selected_puzzles = lichess.read(lines, faults.append, bounds)
            puzzles = (
                lichess.choose_evenly(selected_puzzles, arguments.most)
                if arguments.most
                else list(selected_puzzles)
            )
        write_atomically(output, lichess.write(puzzles).encode())
    except UnicodeDecodeError:
        raise CommandError(f"{source}: the file is not valid UTF-8") from None
    except lichess.LichessFileError as error:
        raise CommandError(f"{source}: {error}") from None
    except (OSError, EOFError) as error:
        raise CommandError(f"{getattr(error, 'filename', None) or source} can't be used: {error}") from None
    print_error(*(f"{source}: {fault}" for fault in faults[:MAX_LISTED_ROWS]))
    if faults:
        print_error(f"{source}: rows left out: {len(faults):,}")
    print(f"{output}: {counted(len(puzzles), 'puzzle')}")
    return SUCCESS if puzzles else NOTHING_FOUND
