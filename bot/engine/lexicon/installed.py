"""Names of lexica, and the properties of installed lexica that can be read without loading large files."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bot.domain.crossword.rules import (
    LetterDistribution,
    distribution_of_lexicon,
    find_distribution,
    load_distribution,
)
from bot.domain.reading.problems import DomainError

MAX_NAME_LENGTH = 32
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME_LENGTH - 1}}}(?<!\.)")
"""A name that can be a file name on any system and an operand in any notation."""

_SYNONYMS = {
    "owl": "twl98",
    "otcwl": "twl98",
    "owl1": "twl98",
    "owl2": "twl06",
    "otcwl2": "twl06",
    "owl3": "twl14",
    "otcwl3": "twl14",
    "fise2": "fise16",
}
"""Maps names without a year to names of the same lexicon with a year."""
_FAMILY_SYNONYMS = {"otcwl": "twl", "owl": "twl", "collins": "csw"}
"""Maps other names of a lexicon family to the usual name. A family is the name of a lexicon without its number."""
_RELATED_FAMILIES = {"twl": "nwl", "ospd": "nwl", "sowpods": "csw", "osw": "csw"}
"""Maps a family to the family that replaced or contains it."""
_DATED_FAMILIES = frozenset({"nwl", "twl", "csw", "osw"})
"""English families whose lexica have two-digit years as numbers."""
_FIRST_YEAR = 70
"""70 to 99 mean 1970 to 1999. Lower numbers mean years from 2000 on."""
_MIN_SIMILARITY = 0.6
"""Minimum similarity of a misspelled name to the intended name, from 0 to 1."""
_YEAR = re.compile(r"(?<=[a-z])(?:19|20)([0-9]{2})$")
MAX_ALIASES = 20
_ALIAS = re.compile(rf"({NAME.pattern})\s*=\s*({NAME.pattern})")
_PUNCTUATION = re.compile(r"[\s._-]+")
_PARTS = re.compile(r"([a-z]*)([0-9]*)")


class LexiconError(DomainError):
    """A lexicon cannot be used or changed."""


def unreadable_error(file: str, reason: object) -> LexiconError:
    return LexiconError("lexicon-unreadable", "{file} can't be read: {reason}", file=file, reason=str(reason))


def canonical_name(name: str) -> str:
    """Return the canonical form of a lexicon's name: ``NWL2023`` and ``nwl-23`` both become ``nwl23``."""
    plain_name = _YEAR.sub(r"\1", _PUNCTUATION.sub("", name.casefold()))
    if plain_name in _SYNONYMS:
        return _SYNONYMS[plain_name]
    family, number = _family_and_number(plain_name)
    return _FAMILY_SYNONYMS.get(family, family) + number + plain_name[len(family) + len(number) :]


def find_nearest(name: str, installed_names: Iterable[str]) -> str | None:
    """Return the name of the installed lexicon that is nearest to ``name``, or None if ``installed_names`` is empty.

    Prefer the same family, and then a related family, each with the nearest number, which is usually a year. A name without a
    number counts as the latest. Otherwise, prefer the most similar name. If no name is similar, return the first of
    ``installed_names``.
    """
    plain_name = canonical_name(name)
    family, number = _family_and_number(plain_name)
    related_family = _RELATED_FAMILIES.get(family, family)

    def ordinal(number_family: str, digits: str) -> int:
        value = int(digits[:6] or 999_999)  # a user may type any number of digits
        return value + 100 if number_family in _DATED_FAMILIES and value < _FIRST_YEAR else value

    def distance(other: str) -> tuple[bool, bool, int, float]:
        other_family, other_number = _family_and_number(canonical_name(other))
        is_same_family = family != "" and other_family == family
        other_related_family = _RELATED_FAMILIES.get(other_family, other_family)
        is_related_family = family != "" and other_related_family == related_family
        # An edition number, such as 5 in OSPD5, is not a year. Compared with other families, the sought name therefore counts as the latest.
        comparable_number = number if is_same_family or family in _DATED_FAMILIES else ""
        number_distance = (
            abs(ordinal(family, comparable_number) - ordinal(other_family, other_number))
            if is_related_family
            else 0
        )
        similarity = difflib.SequenceMatcher(None, plain_name[:64], canonical_name(other)).ratio()
        return (
            not is_same_family,
            not is_related_family,
            number_distance,
            -similarity if similarity >= _MIN_SIMILARITY else 0.0,
        )

    return min(installed_names, key=distance, default=None)


def read_aliases(text: str) -> tuple[tuple[str, str], ...]:
    """Read aliases such as ``NWL18=NWL23, CSW22=CSW24``.

    Raises:
        ValueError: the text is not a list of pairs, has too many pairs, or repeats an alias.

    """
    pairs = [_ALIAS.fullmatch(part.strip()) for part in text.split(",")]
    aliases = tuple((pair[1], pair[2]) for pair in pairs if pair)
    if len(aliases) < len(pairs) or len({canonical_name(alias) for alias, _ in aliases}) < len(aliases):
        raise ValueError("separate aliases such as NWL18=NWL23 with commas, and give each alias only once")
    if len(aliases) > MAX_ALIASES:
        raise ValueError(f"there are more than {MAX_ALIASES} aliases")
    return aliases


def aliases_text(aliases: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{alias}={name}" for alias, name in aliases)


def _family_and_number(plain_name: str) -> tuple[str, str]:
    parts = _PARTS.match(plain_name)
    return (parts[1], parts[2]) if parts else ("", "")


BUILT_IN_FOLDER = Path(__file__).parents[1] / "data"

GRAPH_SUFFIX, PROPERTIES_SUFFIX = ".kwg", ".json"
LEAVES_SUFFIXES = (".klv2", ".klv")
"""Suffixes of leave files, in order of preference."""

_MAX_PROPERTIES_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class InstalledLexicon:
    """A lexicon on disk."""

    name: str
    graph_path: Path
    leaves_path: Path | None
    """The lexicon's own leave values, if any."""
    distribution: LetterDistribution
    word_count: int | None
    """None if not recorded."""
    digest: str
    """The SHA-256 of the word graph when the lexicon was added, in hexadecimal, or empty if not recorded."""

    @property
    def is_built_in(self) -> bool:
        return self.graph_path.parent == BUILT_IN_FOLDER


def find_lexica_in(folder: Path) -> tuple[InstalledLexicon, ...]:
    """Return the lexica in a folder in alphabetical order, or none if the folder cannot be read."""
    try:
        files = {path.name: path for path in folder.iterdir()}
    except OSError:
        return ()
    stems = (name.removesuffix(GRAPH_SUFFIX) for name in files if name.endswith(GRAPH_SUFFIX))
    return tuple(
        _read_installed_lexicon(stem, files)
        for stem in sorted(stems, key=str.casefold)
        if NAME.fullmatch(stem)
    )


def _read_installed_lexicon(name: str, files: dict[str, Path]) -> InstalledLexicon:
    properties = _read_properties(files.get(name + PROPERTIES_SUFFIX))
    leaves_path = next((files[name + suffix] for suffix in LEAVES_SUFFIXES if name + suffix in files), None)
    set_name, word_count, digest = (
        properties.get("distribution"),
        properties.get("words"),
        properties.get("digest"),
    )
    distribution = find_distribution(set_name) if isinstance(set_name, str) else None
    return InstalledLexicon(
        name,
        files[name + GRAPH_SUFFIX],
        leaves_path,
        distribution or distribution_of_lexicon(name) or load_distribution("english"),
        word_count if isinstance(word_count, int) else None,
        digest if isinstance(digest, str) else "",
    )


def _read_properties(path: Path | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            properties = json.loads(file.read(_MAX_PROPERTIES_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return properties if isinstance(properties, dict) else {}
