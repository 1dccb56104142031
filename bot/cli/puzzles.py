"""``puzzles``: make puzzles of crossword games, prove again those of a file, choose among lichess' puzzles of chess."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.chess_tools import write_whole
from bot.cli.documents import (
    FOUND,
    INVALID,
    MAX_DOCUMENTS,
    NOTHING,
    FileError,
    local_reader,
    read_bytes,
    refusals,
)
from bot.cli.words import add_config, lexica_of, lexicon_of, needs_analysis
from bot.domain.crossword.game import Game
from bot.domain.crossword.layouts import load_layout
from bot.domain.crossword.rules import usual_rules
from bot.domain.reading.problems import DomainError
from bot.features.puzzles.chess import lichess
from bot.features.puzzles.crossword.values import Family
from bot.features.showing.reading import Attachment, Source, read_puzzles

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon
    from bot.engine.lexicon.word_graph import WordGraph
    from bot.features.puzzles.crossword.making import Made
    from bot.features.puzzles.crossword.values import CrosswordPuzzle

MAX_COUNT = 100_000
MAX_GAMES = 1_000_000
MAX_OTHERS = 8
"""Further lexica of the language that a phony must not be in."""
MAX_KNOWN = 20_000_000
"""Characters of a list of words that most people know."""
MAX_NAMED = 10
"""Bad rows of a file that are named; the others are counted."""
SAY_EVERY = 20.0
"""Seconds between two reports of progress."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("puzzles", help="make, prove and choose puzzles")
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    _add_making(actions)
    _add_compiling(actions)


def _add_making(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    make = actions.add_parser(
        "make", help="make puzzles of games against itself, and of games in files; Ctrl-C keeps what there is"
    )
    make.add_argument("files", nargs="*", metavar="FILE", help="files with games to make puzzles of, too")
    make.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where they go")
    make.add_argument("--count", type=_count, default=100, metavar="N", help="how many (default: 100)")
    make.add_argument(
        "--games",
        type=_games,
        default=MAX_GAMES,
        metavar="N",
        help="games played against itself at most (default: as many as it takes)",
    )
    make.add_argument(
        "--family",
        action="append",
        choices=[family.value for family in Family],
        help="make only these, equally many of each; can be given again (default: some of all)",
    )
    make.add_argument("--seed", type=_seed, default=1, metavar="N", help="another seed, other puzzles (1)")
    make.add_argument(
        "--known",
        metavar="FILE",
        type=Path,
        help="a word on each line that most people know: hooks are asked of these, and other answers are harder",
    )
    make.add_argument(
        "--besides",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="puzzles that are there already: none of them is made again; can be given again",
    )
    make.set_defaults(work=needs_analysis(make_puzzles))

    check = actions.add_parser(
        "check", help="prove the puzzles of a file again, with other draws and more of them"
    )
    check.add_argument("file", metavar="FILE", help="a file that `puzzles make` wrote")
    check.add_argument("--seed", type=_seed, default=2, metavar="N", help="what the draws begin with (2)")
    check.set_defaults(work=needs_analysis(check_puzzles))

    look = actions.add_parser(
        "look", help="tell what a file of puzzles has for chat, and what is left out there"
    )
    look.add_argument(
        "file", metavar="FILE", help="one that `puzzles make` wrote, lichess' CSV, EPDs, or PGN"
    )
    look.add_argument("--json", action="store_true", help="write it as JSON")
    look.set_defaults(work=look_at_puzzles)

    for command in (make, check):
        command.add_argument("--lexicon", metavar="NAME", help="the lexicon (default: as set)")
        command.add_argument("--json", action="store_true", help="write the figures as JSON")
        add_config(command)


def _add_compiling(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    compiling = actions.add_parser(
        "compile", help="choose puzzles of chess from lichess' CSV file, plain or .zst"
    )
    compiling.add_argument(
        "file", metavar="CSV", type=Path, help="lichess_db_puzzle.csv.zst, or another like it"
    )
    compiling.add_argument("-o", "--output", metavar="CSV", type=Path, required=True, help="where they go")
    compiling.add_argument(
        "--most", type=_count, metavar="N", help="choose so many, spread over all ratings (default: all)"
    )
    compiling.add_argument(
        "--min-popularity", type=_popularity, metavar="P", help="votes for less votes against, in percent"
    )
    compiling.add_argument("--min-plays", type=_games, metavar="N", help="how often it was tried")
    compiling.add_argument("--max-deviation", type=_games, metavar="N", help="how doubtful its rating is")
    compiling.set_defaults(work=compile_puzzles)


def _whole(text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least:,} to {most:,}")


def _count(text: str) -> int:
    return _whole(text, 1, MAX_COUNT)


def _games(text: str) -> int:
    return _whole(text, 0, MAX_GAMES)


def _seed(text: str) -> int:
    return _whole(text, 0, 1_000_000)


def _popularity(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    return sign * _whole(text.removeprefix("-"), 0, 100)


def _games_of(files: list[str], config: Path | None) -> list[Game]:
    """Read the crossword games of files, saying what cannot be read.

    Raises:
        FileError: a file cannot be read.

    """
    games = []
    with local_reader(config) as reader:
        for name in files:
            data = read_bytes(name)
            findings = asyncio.run(reader.find(Source("", (Attachment(name, data),), most=MAX_DOCUMENTS)))
            for line in refusals(name, findings):
                print(line, file=sys.stderr)
            found = [item.document for item in findings.found if isinstance(item.document, Game)]
            if not found:
                print(f"{name}: no crossword game", file=sys.stderr)
            games += found
    return games


def make_puzzles(arguments: argparse.Namespace) -> int:
    """Make puzzles and write them to a file."""
    from bot.engine.lexicon.folder import write_files  # noqa: PLC0415 - needs the analysis
    from bot.features.puzzles.crossword.document import write  # noqa: PLC0415
    from bot.features.puzzles.crossword.making import Maker, quotas  # noqa: PLC0415

    output: Path = arguments.output
    try:
        lexicon = lexicon_of(arguments)
        games = _games_of(arguments.files, arguments.config)
        rules = usual_rules(lexicon.distribution, load_layout("CrosswordGame"))
        others = _others(lexicon, arguments)
        families = tuple(Family(name) for name in dict.fromkeys(arguments.family or ()))
        wanted = quotas(arguments.count, families)
        known = _known(arguments.known, lexicon)
        besides = [puzzle.id for path in arguments.besides for puzzle in _puzzles_of(path)]
        maker = Maker(
            rules, lexicon, quotas=wanted, seed=arguments.seed, others=others, known=known, besides=besides
        )
    except (DomainError, FileError) as error:
        print(error, file=sys.stderr)
        return INVALID
    said = time.monotonic()

    def say(made: Made) -> None:
        nonlocal said
        if time.monotonic() - said >= SAY_EVERY:
            said = time.monotonic()
            print(f"{len(made.puzzles):,} puzzles of {made.games:,} games", file=sys.stderr)

    try:
        maker.make(games, arguments.games, say)
    except KeyboardInterrupt:
        print("stopped; what there is is kept", file=sys.stderr)
    made = maker.made
    figures = {
        "lexicon": lexicon.name,
        "seed": arguments.seed,
        "games": made.games,
        "puzzles": len(made.puzzles),
        "families": {
            family.value: {"tried": made.tried[family], "kept": made.kept[family]}
            for family in sorted(made.tried | made.kept)
        },
    }
    try:
        write_files(output.parent, {output.name: write(made.puzzles, figures).encode()})
    except OSError as error:
        print(f"{error.filename or output} cannot be written: {error.strerror}", file=sys.stderr)
        return INVALID
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"{output}: {len(made.puzzles):,} puzzles of {made.games:,} games in {lexicon.name}")
        for family in sorted(made.tried | made.kept):
            print(f"{family.value}: {made.kept[family]:,} of {made.tried[family]:,} tried")
    return FOUND if made.puzzles else NOTHING


def _puzzles_of(path: Path) -> tuple[CrosswordPuzzle, ...]:
    """Read a file of puzzles.

    Raises:
        FileError: it cannot be read, or is no such file.

    """
    from bot.features.puzzles.crossword.document import PuzzleFileError, read  # noqa: PLC0415 - needs the analysis

    try:
        return read(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (PuzzleFileError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: {error}") from None


def _known(path: Path | None, lexicon: Lexicon) -> frozenset[str] | None:
    """Read a list of words that most people know; words that are not in the lexicon are passed over.

    Raises:
        FileError: it cannot be read, or is too large.

    """
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - needs the analysis

    if path is None:
        return None
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            text = file.read(MAX_KNOWN + 1)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    if len(text) > MAX_KNOWN:
        raise FileError(f"{path} is larger than {MAX_KNOWN:,} characters")
    spell = speller(lexicon.distribution)
    known = set()
    for word in text.split():
        with suppress(DomainError):
            tiles = spell.spell(word)
            if lexicon.graph.accepts(tiles):
                known.add(spell.write(tiles))
    return frozenset(known)


def _others(lexicon: Lexicon, arguments: argparse.Namespace) -> tuple[WordGraph, ...]:
    """Return the graphs of the other installed lexica of the language."""
    lexica = lexica_of(arguments)
    others = [one for one in lexica.fitting(lexicon.distribution) if one.name != lexicon.name]
    return tuple(lexica.load(one, lexicon.distribution).graph for one in others[:MAX_OTHERS])


def check_puzzles(arguments: argparse.Namespace) -> int:
    """Prove the puzzles of a file again; return 0 when all hold."""
    from bot.features.puzzles.crossword.making import check  # noqa: PLC0415 - needs the analysis

    try:
        puzzles = _puzzles_of(Path(arguments.file))
        lexicon = lexicon_of(_with_lexicon(arguments, puzzles))
    except (DomainError, FileError) as error:
        print(error, file=sys.stderr)
        return INVALID
    faults = {}
    for puzzle in puzzles:
        fault = (
            check(puzzle, lexicon, seed=arguments.seed)
            if puzzle.lexicon == lexicon.name
            else f"it is of the lexicon {puzzle.lexicon}"
        )
        if fault:
            faults[puzzle.id] = f"{puzzle.family.value}: {fault}"
            print(f"{puzzle.id} {faults[puzzle.id]}", file=sys.stderr)
    hold = len(puzzles) - len(faults)
    if arguments.json:
        print(json.dumps({"puzzles": len(puzzles), "hold": hold, "faults": faults}))
    else:
        print(f"{hold:,} of {len(puzzles):,} puzzles hold in {lexicon.name}")
    return INVALID if faults else FOUND if puzzles else NOTHING


def _with_lexicon(arguments: argparse.Namespace, puzzles: tuple[CrosswordPuzzle, ...]) -> argparse.Namespace:
    """Take the lexicon of the puzzles where none is asked for."""
    if not arguments.lexicon and puzzles:
        arguments.lexicon = puzzles[0].lexicon
    return arguments


def look_at_puzzles(arguments: argparse.Namespace) -> int:
    """Tell how many puzzles a file has for chat, and the first few that are left out; return 0 when none is."""
    try:
        sheet = read_puzzles(Attachment(arguments.file, read_bytes(arguments.file)))
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    if sheet is None:
        print(f"{arguments.file}: this is no file of puzzles", file=sys.stderr)
        return NOTHING
    places = [f"line {fault.line}: {fault.message}" for fault in sheet.faults]
    if arguments.json:
        figures = {"form": sheet.form, "puzzles": len(sheet.rows), "left_out": sheet.left_out}
        print(json.dumps({**figures, "ends_early": sheet.ends_early, "faults": places}))
    else:
        print(f"{arguments.file}: {len(sheet.rows):,} puzzles ({sheet.form}), {sheet.left_out:,} left out")
        print("".join(f"{line}\n" for line in places), end="", file=sys.stderr)
        if sheet.ends_early:
            print("the rest is not looked at", file=sys.stderr)
    return INVALID if sheet.left_out or not sheet.rows else FOUND


def compile_puzzles(arguments: argparse.Namespace) -> int:
    """Choose puzzles of lichess' file and write them to another."""
    wanted = lichess.Filter(arguments.min_popularity, arguments.min_plays, arguments.max_deviation)
    source: Path = arguments.file
    output: Path = arguments.output
    try:
        if output.exists() and source.exists() and output.samefile(source):
            print(f"{output}: it is the source itself, the output needs another name (-o)", file=sys.stderr)
            return INVALID
        faults: list[str] = []
        with lichess.opened(source) as lines:
            found = lichess.read(lines, faults.append, wanted)
            puzzles = lichess.spread(found, arguments.most) if arguments.most else list(found)
        text = lichess.write(puzzles)
        write_whole(output, text.encode())
    except ModuleNotFoundError as error:
        print(f'this file needs {error.name}: install kibitz with the extra "puzzles"', file=sys.stderr)
        return INVALID
    except lichess.PuzzleFileError as error:
        print(f"{source}: {error}", file=sys.stderr)
        return INVALID
    except UnicodeDecodeError:
        print(f"{source}: the file is no UTF-8", file=sys.stderr)
        return INVALID
    except (OSError, EOFError) as error:
        print(f"{getattr(error, 'filename', None) or source} cannot be used: {error}", file=sys.stderr)
        return INVALID
    for fault in faults[:MAX_NAMED]:
        print(f"{source}: {fault}", file=sys.stderr)
    if faults:
        print(f"{source}: {len(faults):,} rows are left out", file=sys.stderr)
    print(f"{output}: {len(puzzles):,} puzzles")
    return FOUND if puzzles else NOTHING
