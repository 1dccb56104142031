"""``check``, ``anagram`` and ``hooks``: questions about words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.documents import FOUND, INVALID, NOTHING
from bot.cli.imports import importing
from bot.config import load_settings
from bot.domain.crossword.distributions import BLANK, BLANK_TEXT
from bot.domain.reading.problems import DomainError

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica, Lexicon

Work = Callable[[argparse.Namespace], int]


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add the option for the settings file, which names the folder of lexica."""
    parser.add_argument(
        "--config", metavar="TOML", type=Path, help="the settings file (default: config.toml, if there)"
    )


def needs_analysis(work: Work) -> Work:
    """Return a command that reports missing packages of the analysis instead of failing."""

    def guarded(arguments: argparse.Namespace) -> int:
        try:
            with importing():
                import bot.engine.lexicon.lexica  # noqa: F401, PLC0415 - whether it can be imported is the question
        except ModuleNotFoundError as error:
            print(
                f'this command needs {error.name}: install kibitz with the extra "analysis"',
                file=sys.stderr,
            )
            return INVALID
        return work(arguments)

    return guarded


def lexica_of(arguments: argparse.Namespace) -> Lexica:
    """Return the lexica of the settings."""
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the analysis

    analysis = load_settings(arguments.config).analysis
    return Lexica(analysis.lexica, max_loaded=analysis.lexica_loaded, aliases=analysis.aliases)


def substitution(name: str, missing: str, lexicon: str) -> str:
    """Say of a file that a lexicon was taken for another."""
    return f"{name}: {missing} is not installed: {lexicon}, words may differ"


def lexicon_of(arguments: argparse.Namespace) -> Lexicon:
    """Load the requested lexicon.

    Raises:
        DomainError: it is not there or cannot be read.

    """
    lexica = lexica_of(arguments)
    name = arguments.lexicon or load_settings(arguments.config).analysis.lexicon
    return lexica.load(lexica.find(name))


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands."""
    check_command = commands.add_parser("check", help="tell whether words are in a lexicon")
    check_command.add_argument("words", nargs="+", metavar="WORD")
    hooks_command = commands.add_parser("hooks", help="tell which letters make another word of a word")
    hooks_command.add_argument("word", metavar="WORD")
    anagram_command = commands.add_parser("anagram", help="find the words that letters make")
    anagram_command.add_argument("letters", metavar="LETTERS", help="tiles, ? for a blank")
    anagram_command.add_argument(
        "--shortest",
        type=_at_least_two,
        metavar="N",
        help="also words with fewer letters, down to N (default: all letters)",
    )
    anagram_command.add_argument(
        "--most", type=_at_least_one, default=100, metavar="N", help="how many words to give (default: 100)"
    )
    for command, work in ((check_command, check), (hooks_command, hooks), (anagram_command, anagram)):
        command.add_argument("--lexicon", metavar="NAME", help="the lexicon (default: as set)")
        add_config(command)
        command.set_defaults(work=needs_analysis(work))


def _whole_number(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"a whole number from {least} on")
    return int(text[:9])


def _at_least_one(text: str) -> int:
    return _whole_number(text, 1)


def _at_least_two(text: str) -> int:
    return _whole_number(text, 2)


def check(arguments: argparse.Namespace) -> int:
    """Print whether each word is valid; return 0 when all are."""
    from bot.engine.lexicon import words  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415

    try:
        lexicon = lexicon_of(arguments)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    write = speller(lexicon.distribution).write
    code = FOUND
    for word in words.check(arguments.words, lexicon.graph, lexicon.distribution):
        if word.problem is not None:
            print(f"{word.text}: {word.problem.message}", file=sys.stderr)
            code = INVALID
            continue
        others = "" if word.valid else _others(word.tiles, lexicon, arguments)
        print(f"{write(word.tiles)}: {'valid' if word.valid else 'not valid'} in {lexicon.name}{others}")
        code = max(code, FOUND if word.valid else NOTHING)
    return code


def _others(word: bytes, lexicon: Lexicon, arguments: argparse.Namespace) -> str:
    """Say which other installed lexica have a word; nothing when none has."""
    having = ", ".join(lexica_of(arguments).having([word], lexicon)[word])
    return f" (valid in {having})" if having else ""


def hooks(arguments: argparse.Namespace) -> int:
    """Print the hooks of a word."""
    from bot.engine.lexicon import words  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415

    try:
        lexicon = lexicon_of(arguments)
        tiles = speller(lexicon.distribution).spell(arguments.word)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    write = speller(lexicon.distribution).write
    found = words.hooks(tiles, lexicon.graph)
    word = write(tiles)
    print(f"{word}: {'valid' if found.valid else 'not valid'} in {lexicon.name}")
    print(f"front: {' '.join(write([tile]) for tile in found.front) or '-'}")
    print(f"back: {' '.join(write([tile]) for tile in found.back) or '-'}")
    inner = [f"{write(tiles[:place])}({write([tile])}){write(tiles[place:])}" for place, tile in found.inner]
    print(f"inside: {' '.join(inner) or '-'}")
    return FOUND if found.valid else NOTHING


def anagram(arguments: argparse.Namespace) -> int:
    """Print the words that letters make, the longest first."""
    from bot.engine.lexicon import words  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415

    letters = arguments.letters.replace(BLANK_TEXT, "")
    blanks = len(arguments.letters) - len(letters)
    try:
        lexicon = lexicon_of(arguments)
        tiles = speller(lexicon.distribution).spell(letters)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    found = words.anagrams(
        [*tiles, *[BLANK] * blanks], lexicon.graph, shortest=arguments.shortest, most=arguments.most
    )
    for word in found.words:
        print(speller(lexicon.distribution).write(word))
    if not found.complete:
        print(f"{len(found.words):,} words; the search was cut short, there may be more", file=sys.stderr)
    elif found.found > len(found.words):
        print(f"{len(found.words):,} of {found.found:,} words", file=sys.stderr)
    return FOUND if found.words else NOTHING
