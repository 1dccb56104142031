"""``compile-puzzles`` and ``compile-book``: compile TI-Chess source files to formats that current programs read.

TI-Chess is a chess program for calculators.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypeVar

from bot.cli.documents import counted, print_error, problem_lines, read_bytes, write_atomically
from bot.cli.parser import SUCCESS, CommandError, argument, command
from bot.domain.chess.documents import BookSource, PuzzleSet
from bot.domain.chess.notations import book as book_reader, polyglot, puzzles as puzzle_reader
from bot.domain.notations import convert
from bot.domain.reading.encoding import decode
from bot.domain.reading.problems import DomainError, Reading

_Document = TypeVar("_Document", PuzzleSet, BookSource)
_Output: TypeAlias = tuple[Path, bytes, Callable[[Path], None], str]
"""A file to write: its path, its content, a check of the written file, and a summary."""

_NO_CALCULATOR_FILES = (
    "Files for calculators (.89y, .9xy) are not written, because their format is not documented."
)

_PUZZLES_HELP = f"""\
Compile a chess puzzle file to EPD and JSON.

A puzzle has up to three lines of description, up to four lines of solution, and a FEN:

  // a comment; lines that start with # are also comments
  [D](c) alice
  [D]White mates in one.
  [S]1. Re8#
  6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1

Lines of description and solution are truncated to 32 characters. Empty lines are skipped.

{_NO_CALCULATOR_FILES}
"""

_BOOK_HELP = f"""\
Compile an opening book to Polyglot's format, which chess programs read.

The source contains move sequences ("lines of play") in PGN. A sequence starts with "1." at the beginning
of a line, and may continue over several lines. A FEN tag before a sequence sets its starting position.
A comment on a separate line names the sequences below it:

  // Alekhine's defence
  1. e4 Nf6 2. e5 Nd5
  1. e4 Nf6 2. Nc3
  [FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"]
  1. e2-e4 Ke7

The weight of a move is the number of sequences that contain it.

{_NO_CALCULATOR_FILES}
"""


_SOURCE = argument("file", metavar="IN", nargs="?", help="source file, or - for standard input")


@command(
    "compile-puzzles",
    _SOURCE,
    argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        help="output file: .epd or .json; any other name writes both (default: the source's name)",
    ),
    description=_PUZZLES_HELP,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def compile_puzzles(arguments: argparse.Namespace) -> int:
    """Compile a puzzle file. Write nothing if the file has an error."""
    return _compile(arguments, puzzle_reader.faults, puzzle_reader.read, _puzzle_outputs, "")


@command(
    "compile-book",
    _SOURCE,
    argument(
        "-o",
        "--output",
        metavar="OUT.bin",
        type=Path,
        help="output file (default: the source's name with .bin)",
    ),
    description=_BOOK_HELP,
    formatter_class=argparse.RawDescriptionHelpFormatter,
)
def compile_opening_book(arguments: argparse.Namespace) -> int:
    """Compile an opening book. Write nothing if the source has an error, or if the output differs when it is read back."""
    return _compile(arguments, book_reader.faults, book_reader.read, _book_outputs, ".bin")


def _puzzle_outputs(puzzles: PuzzleSet, output: Path) -> list[_Output]:
    """Return an EPD or JSON output, or both if the name of ``output`` has neither suffix."""
    suffix, count = output.suffix.removeprefix("."), len(puzzles.puzzles)
    return [
        (
            output if notation == suffix else output.with_name(f"{output.name}.{notation}"),
            convert(puzzles, notation).text.encode(),
            lambda _: None,
            counted(count, "puzzle"),
        )
        for notation in ((suffix,) if suffix in ("epd", "json") else ("epd", "json"))
    ]


def _book_outputs(source: BookSource, output: Path) -> list[_Output]:
    book = polyglot.compile_book(source)

    def check(written_file: Path) -> None:
        if mismatch_count := polyglot.count_wrong_moves(written_file, source, book):
            raise OSError(0, f"{mismatch_count} moves differ when the file is read again")

    summary = (
        f"{counted(book.line_count, 'line')}, {counted(book.position_count, 'position')}, "
        f"{counted(sum(map(len, book.moves_by_key.values())), 'move')}, {counted(book.depth, 'half-move')} deep, "
        f"{counted(book.transposition_count, 'transposition')}"
    )
    return [(output if output.suffix else output.with_suffix(".bin"), polyglot.write(book), check, summary)]


def _compile(
    arguments: argparse.Namespace,
    list_faults: Callable[[str], tuple[DomainError, ...]],
    read: Callable[[str], Reading[_Document]],
    outputs_of: Callable[[_Document, Path], list[_Output]],
    suffix: str,
) -> int:
    """Compile a source file. If none is named, print the help page, as TI-Chess's compilers do.

    If the command line names no output, the output gets the source file's name with ``suffix``.
    """
    name = arguments.file
    if name is None:
        arguments.parser.print_help()
        return SUCCESS
    if arguments.output is None and name == "-":
        raise CommandError("the output needs a name (-o) when the source is standard input")
    try:
        text, warnings = decode(read_bytes(name))
        print_error(*problem_lines(name, warnings, "warning: "))
        faults = list_faults(text)
    except DomainError as error:
        text, faults = "", (error,)
    if faults:
        print_error(*problem_lines(name, faults))
        raise CommandError(f"{name}: nothing was written")
    reading = read(text)
    print_error(*problem_lines(name, reading.warnings, "warning: "))
    outputs = outputs_of(reading.value, arguments.output or Path(name).with_suffix(suffix))
    for path, *_ in outputs:
        if name != "-" and path.exists() and path.samefile(name):
            raise CommandError(
                f"{path} can't be written: it is also the source. Give the output another name with -o"
            )
    for path, data, check, summary in outputs:
        write_atomically(path, data, check)
        print(f"{path}: {summary}")
    return SUCCESS
