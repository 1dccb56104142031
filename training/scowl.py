"""Builds the SCOWL80 word list from SCOWL and CROSSWD: ``python -m training.scowl FOLDER``.

SCOWL (Spell Checker Oriented Word Lists) is a folder of word lists, which Debian's ``scowl`` package installs as
``/usr/share/dict/scowl``. Two- and three-letter words decide games, so they were checked by hand.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon.builder import words_of
from bot.engine.lexicon.folder import read_graph
from bot.engine.lexicon.installed import BUILT_IN_FOLDER, GRAPH_SUFFIX
from bot.engine.lexicon.spelling import letters_of

NAME = "SCOWL80"
LARGEST_SIZE = 80
"""The sizes of SCOWL's lists range from 10 (everyday words) to 95 (the most obscure words)."""
MAX_LENGTH = 15

_PLAIN_WORD = re.compile(rf"[a-z]{{2,{MAX_LENGTH}}}", re.ASCII)
_VOWELS = frozenset("AEIOUY")

_SUPPLEMENT = """
    AB AL ED EW HM MM MO OK ABS ATT BRO BRR COR DAL EDS EMF FEM GEN HMM HON LAV MAX MED MOS OKS PST PWN REG ROM TEL VAR
    ZZZ BROS STAT
    GI AHI APP DEF DIF DUM ECO EEW EWW GRR KIS NAV NEG ONO OPA POS SIG TEC TIX AHIS ECOS NAVS ONOS OPAS SIGS TECS
"""
SUPPLEMENT = frozenset(_SUPPLEMENT.split())
"""Short words that SCOWL lists only as abbreviations or in sizes above :data:`LARGEST_SIZE`, and words without a vowel."""

_LEFT_OUT = """
    GE SE YS AEQ ANU AWS DEI DES DUC ELA ERT ESC FOO FYS HED LAA OIS OUI OWS POE ROK SLE SOE UIT URS VON XED
"""
LEFT_OUT = frozenset(_LEFT_OUT.split())
"""Short strings that are names, abbreviations, foreign words or unused plurals."""


def choose_words(scowl: Iterable[str], crosswd: Iterable[str]) -> tuple[str, ...]:
    """Return the words of SCOWL80 in alphabetical order, in capital letters.

    These are the :func:`plain_words` of ``scowl`` and the words of up to 15 letters in ``crosswd``, plus :data:`SUPPLEMENT`,
    minus :data:`LEFT_OUT`. Words of two or three letters without a vowel are not taken from ``scowl``.
    """
    crosswd_words = {word for word in crosswd if len(word) <= MAX_LENGTH}
    plain_scowl_words = plain_words(scowl)
    scowl_words = {word for word in plain_scowl_words if len(word) > 3 or _VOWELS.intersection(word)}
    return tuple(sorted((scowl_words | crosswd_words | SUPPLEMENT) - LEFT_OUT))


def plain_words(words: Iterable[str]) -> frozenset[str]:
    """Return the lower-case words of 2 to 15 letters, converted to capitals without accents."""
    return frozenset(word.upper() for word in map(without_accents, words) if _PLAIN_WORD.fullmatch(word))


def without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(
        letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)
    )


def read_scowl_words(folder: Path) -> set[str]:
    """Return the words in all regional spellings and all variants, up to list size :data:`LARGEST_SIZE`.

    Raises:
        FileNotFoundError: the folder contains no SCOWL word lists.

    """
    lists = [path for path in folder.glob("*-words.*") if int(path.suffix[1:]) <= LARGEST_SIZE]
    if not lists:
        raise FileNotFoundError(f"{folder} contains no SCOWL word lists")
    return {word for path in lists for word in path.read_text(encoding="utf-8").split("\n")}


def read_crosswd_words() -> set[str]:
    distribution = load_distribution("english")
    graph, _ = read_graph(BUILT_IN_FOLDER / f"CROSSWD{GRAPH_SUFFIX}", distribution)
    letters = ("", *letters_of(distribution))
    return {"".join([letters[tile] for tile in word]) for word in words_of(graph)}


def write_list(arguments: list[str], usage: str, make: Callable[[Path], Iterable[str]]) -> int:
    """Write the words that ``make`` returns, one per line. Return the exit code."""
    if len(arguments) != 1:
        print(f"usage: python -m training.{usage}", file=sys.stderr)
        return 2
    try:
        words = make(Path(arguments[0]))
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.writelines(f"{word}\n" for word in words)
    return 0


def scowl80_words(folder: Path) -> tuple[str, ...]:
    return choose_words(read_scowl_words(folder), read_crosswd_words())


def main(arguments: list[str]) -> int:
    return write_list(arguments, "scowl FOLDER  (/usr/share/dict/scowl on Debian)", scowl80_words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
