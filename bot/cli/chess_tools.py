"""``compile-puzzles`` and ``compile-book``: the compilers of TI-Chess, for formats of today."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bot.cli.documents import FOUND, INVALID, FileError, read_bytes
from bot.domain.chess.documents import BookSource, PuzzleSet
from bot.domain.chess.notations import book as book_reader
from bot.domain.chess.notations import polyglot
from bot.domain.chess.notations import puzzles as puzzle_reader
from bot.domain.chess.notations.polyglot import Book, compile_book
from bot.domain.crossword.notations.gcg.reader import decode
from bot.domain.notations import convert
from bot.domain.reading.problems import DomainError, ReadWarning

_PAYLOAD = (
    "The files for the calculators themselves (.89y, .9xy) are not written: the text that describes the\n"
    "sources does not describe what is in them."
)

_PUZZLES = f"""\
Compile a puzzle file to EPD and JSON.

A puzzle is up to three lines of description, up to four of solution, and a FEN:

  // a comment; so is a line that starts with #
  [D](c) alice
  [D]White mates in one.
  [S]1. Re8#
  6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1

Texts are cut to 32 characters. Empty lines are skipped.

{_PAYLOAD}
"""

_BOOK = f"""\
Compile an opening book to Polyglot's format, which chess programs read.

The source is PGN move sequences. Each starts with 1. at the beginning of a line and may go on
over lines; a FEN tag before it tells where it starts. A comment on a line of its own names the
sequences below it:

  // Alekhine's defence
  1. e4 Nf6 2. e5 Nd5
  1. e4 Nf6 2. Nc3
  [FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39"]
  1. e2-e4 Ke7

A move weighs as much as there are sequences that play it.

{_PAYLOAD}
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    puzzles = _add(commands, "compile-puzzles", "compile a chess puzzle file to EPD and JSON", _PUZZLES)
    puzzles.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        help="an .epd or a .json file; any other name gets both endings (default: the source's name)",
    )
    puzzles.set_defaults(work=lambda arguments: _work(puzzles, arguments, compile_puzzles))

    book = _add(commands, "compile-book", "compile a chess opening book to Polyglot's format", _BOOK)
    book.add_argument(
        "-o", "--output", metavar="OUT.bin", type=Path, help="(default: the source's name with .bin)"
    )
    book.set_defaults(work=lambda arguments: _work(book, arguments, compile_opening_book, ".bin"))


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, description: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=summary, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar="IN", nargs="?", help="the source, or - for standard input")
    return parser


def _work(
    parser: argparse.ArgumentParser,
    arguments: argparse.Namespace,
    compile_text: Callable[[str, str, Path], int],
    ending: str = "",
) -> int:
    """Compile, or print the help page when nothing is given, as the calculators' compilers do."""
    if arguments.file is None:
        parser.print_help()
        return FOUND
    name = arguments.file
    output: Path | None = arguments.output
    if output is None and name == "-":
        print("the output needs a name (-o) when the source is standard input", file=sys.stderr)
        return INVALID
    try:
        text, warnings = decode(read_bytes(name))
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    except DomainError as error:
        return _print_faults(name, (error,))
    _print_warnings(name, warnings)
    try:
        return compile_text(name, text, output or Path(name).with_suffix(ending))
    except OSError as error:
        print(f"{error.filename or output} cannot be written: {error.strerror}", file=sys.stderr)
        return INVALID


def compile_puzzles(name: str, text: str, output: Path) -> int:
    """Compile a puzzle file; nothing is written when anything in it is wrong."""
    if faults := puzzle_reader.faults(text):
        return _print_faults(name, faults)
    reading = puzzle_reader.read(text)
    _print_warnings(name, reading.warnings)
    paths = {
        notation: output if output.suffix == f".{notation}" else output.with_name(f"{output.name}.{notation}")
        for notation in _wanted(output)
    }
    _keep_source(name, *paths.values())
    for notation, path in paths.items():
        write_whole(path, convert(reading.value, notation).text.encode())
        print(f"{path}: {_puzzles_summary(reading.value)}")
    return FOUND


def _wanted(output: Path) -> tuple[str, ...]:
    ending = output.suffix.removeprefix(".")
    return (ending,) if ending in ("epd", "json") else ("epd", "json")


def _puzzles_summary(found: PuzzleSet) -> str:
    count = len(found.puzzles)
    return f"{count} puzzle{'' if count == 1 else 's'}"


def compile_opening_book(name: str, text: str, output: Path) -> int:
    """Compile an opening book; nothing is written when anything in its source is wrong, or does not read back."""
    if faults := book_reader.faults(text):
        return _print_faults(name, faults)
    reading = book_reader.read(text)
    _print_warnings(name, reading.warnings)
    book = compile_book(reading.value)
    path = output if output.suffix else output.with_suffix(".bin")
    _keep_source(name, path)
    write_whole(path, polyglot.write(book), lambda written: _read_back(written, reading.value, book))
    moves = sum(map(len, book.moves.values()))
    print(
        f"{path}: {book.lines} lines, {book.positions} positions, {moves} moves, {book.depth} half-moves deep, "
        f"{book.transpositions} transpositions"
    )
    return FOUND


def _read_back(path: Path, source: BookSource, book: Book) -> None:
    if wrong := polyglot.read_back(path, source, book):
        raise OSError(0, f"{wrong} moves do not read back as they were written")


def _keep_source(name: str, *paths: Path) -> None:
    """Check that the source itself would not be overwritten.

    Raises:
        OSError: the source itself would be overwritten.

    """
    for path in paths:
        if name != "-" and path.exists() and path.samefile(name):
            raise OSError(0, "it is the source itself, the output needs another name (-o)", str(path))


def write_whole(path: Path, data: bytes, check: Callable[[Path], None] = lambda _: None) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: it cannot be written, or what was written does not pass the check.

    """
    part = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        check(part)
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def _umask() -> int:
    """Return the permissions that new files do not get; temporary files are their owner's alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _print_warnings(name: str, warnings: tuple[ReadWarning, ...]) -> None:
    for warning in warnings:
        print(f"{name}:{warning.line}:{warning.column}: warning: {warning.message}", file=sys.stderr)


def _print_faults(name: str, faults: tuple[DomainError, ...]) -> int:
    for fault in faults:
        print(f"{name}:{fault.line}:{fault.column}: {fault.message}", file=sys.stderr)
    print(f"{name}: nothing was written", file=sys.stderr)
    return INVALID
