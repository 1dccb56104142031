"""The lexica on disk: valid names, equivalent names, and the properties that are known without reading the files.

The files are those of :mod:`~bot.engine.lexicon.folder`.
"""

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

MAX_NAME = 32
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_NAME - 1}}}(?<!\.)")
"""A name that can be a file name on any system and an operand in any notation."""

# Two names of the same North American list: by its publisher's edition, and by its year.
_SAME = {
    "owl": "twl98",
    "otcwl": "twl98",
    "owl1": "twl98",
    "owl2": "twl06",
    "otcwl2": "twl06",
    "owl3": "twl14",
    "otcwl3": "twl14",
    "fise2": "fise16",
}
_FAMILY = {"otcwl": "twl", "owl": "twl", "collins": "csw"}
_KIN = {"twl": "nwl", "ospd": "nwl", "sowpods": "csw", "osw": "csw"}
"""Families that preceded another family, or are a part of it."""
_ALIKE = 0.6
"""Minimum similarity at which a name of another family counts as a misspelling."""
_YEAR = re.compile(r"(?<=[a-z])(?:19|20)([0-9]{2})$")
MAX_ALIASES = 20
_ALIAS = re.compile(rf"({NAME.pattern})\s*=\s*({NAME.pattern})")
_BETWEEN = re.compile(r"[\s._-]+")
_PARTS = re.compile(r"([a-z]*)([0-9]*)")


class LexiconError(DomainError):
    """A lexicon cannot be used or changed."""


def unreadable(file: str, reason: object) -> LexiconError:
    """Return the error for a file that cannot be read."""
    return LexiconError("lexicon-unreadable", "{file} can't be read: {reason}", file=file, reason=str(reason))


def canonical(name: str) -> str:
    """Return the canonical form of a lexicon's name: ``NWL2023`` and ``nwl-23`` both give ``nwl23``."""
    plain = _BETWEEN.sub("", name.casefold())
    plain = _YEAR.sub(r"\1", plain)
    if plain in _SAME:
        return _SAME[plain]
    family, number = _split(plain)
    return _FAMILY.get(family, family) + number + plain[len(family) + len(number) :]


def nearest(name: str, installed: Iterable[str]) -> str | None:
    """Return the installed lexicon nearest to ``name``: of its family, then of a related family, each with the nearest year.

    Otherwise, return a lexicon with almost the same name, or else the first of ``installed``, which is in order of
    preference. Return None if it is empty.
    """
    wanted = canonical(name)
    family, number = _split(wanted)

    def unlikeness(other: str) -> tuple[bool, bool, int, float]:
        other_family, other_number = _split(canonical(other))
        same = family != "" and other_family == family
        akin = same or (family != "" and _KIN.get(other_family, other_family) == _KIN.get(family, family))
        apart = abs(int(number[:6] or 0) - int(other_number[:6] or 0)) if akin else 0
        likeness = difflib.SequenceMatcher(None, wanted[:64], canonical(other)).ratio()
        return not same, not akin, apart, -likeness if likeness >= _ALIKE else 0.0

    return min(installed, key=unlikeness, default=None)


def read_aliases(text: str) -> tuple[tuple[str, str], ...]:
    """Read pairs of names as users type them: ``NWL18=NWL23, CSW22=CSW24``.

    Raises:
        ValueError: the text is not a list of pairs, has more than :data:`MAX_ALIASES` pairs, or has an alias twice.

    """
    pairs = [_ALIAS.fullmatch(part.strip()) for part in text.split(",")]
    aliases = tuple((pair[1], pair[2]) for pair in pairs if pair)
    if len(aliases) < len(pairs) or len({canonical(alias) for alias, _ in aliases}) < len(aliases):
        raise ValueError("aliases are pairs such as NWL18=NWL23, with commas between them, each alias once")
    if len(aliases) > MAX_ALIASES:
        raise ValueError(f"there are more than {MAX_ALIASES} aliases")
    return aliases


def write_aliases(aliases: Iterable[tuple[str, str]]) -> str:
    """Write aliases in the form that :func:`read_aliases` reads."""
    return ", ".join(f"{alias}={name}" for alias, name in aliases)


def _split(plain: str) -> tuple[str, str]:
    """Return the letters that a name begins with and the digits after them."""
    parts = _PARTS.match(plain)
    return (parts[1], parts[2]) if parts else ("", "")


BUILT_IN = Path(__file__).parents[1] / "data"
"""The folder of the lexica that ship with Kibitz."""

GRAPH, ABOUT = ".kwg", ".json"
LEAVES = (".klv2", ".klv")

_MAX_ABOUT = 10_000


@dataclass(frozen=True, slots=True)
class Installed:
    """A lexicon on disk."""

    name: str
    graph: Path
    leaves: Path | None
    """The file with its own leave values; None without one."""
    distribution: LetterDistribution
    words: int | None
    """The number of words; None if not recorded."""
    digest: str
    """The SHA-256 of the graph when it was added, in hexadecimal; empty if not recorded."""

    @property
    def built_in(self) -> bool:
        """Whether the lexicon ships with Kibitz."""
        return self.graph.parent == BUILT_IN


def installed_in(folder: Path) -> tuple[Installed, ...]:
    """Return the lexica of a folder in alphabetical order; empty if the folder does not exist."""
    try:
        files = {path.name: path for path in folder.iterdir()}
    except OSError:
        return ()
    stems = (name.removesuffix(GRAPH) for name in files if name.endswith(GRAPH))
    return tuple(_installed(stem, files) for stem in sorted(stems, key=str.casefold) if NAME.fullmatch(stem))


def _installed(name: str, files: dict[str, Path]) -> Installed:
    about = _read_about(files.get(name + ABOUT))
    leaves = next((files[name + ending] for ending in LEAVES if name + ending in files), None)
    noted, words, digest = about.get("distribution"), about.get("words"), about.get("digest")
    distribution = find_distribution(noted) if isinstance(noted, str) else None
    return Installed(
        name,
        files[name + GRAPH],
        leaves,
        distribution or distribution_of_lexicon(name) or load_distribution("english"),
        words if isinstance(words, int) else None,
        digest if isinstance(digest, str) else "",
    )


def _read_about(path: Path | None) -> dict[str, object]:
    """Read the notes about a lexicon. They are optional: return an empty mapping if they cannot be read."""
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            about = json.loads(file.read(_MAX_ABOUT))
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
