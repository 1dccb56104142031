"""The lexica that are on disk, as :mod:`~bot.engine.lexicon.folder` keeps them: what is known without reading them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bot.domain.crossword.distributions import (
    LetterDistribution,
    distribution_of_lexicon,
    find_distribution,
    load_distribution,
)
from bot.engine.lexicon.names import NAME

BUILT_IN = Path(__file__).parents[1] / "data"
"""The folder of the lexica that come with the project."""

GRAPH, ABOUT = ".kwg", ".json"
LEAVES = (".klv2", ".klv")

_MAX_ABOUT = 10_000


@dataclass(frozen=True, slots=True)
class Installed:
    """A lexicon on disk."""

    name: str
    graph: Path
    leaves: Path | None
    """The values of its own leaves."""
    distribution: LetterDistribution
    words: int | None
    """How many words it has, when that was noted."""
    digest: str
    """The SHA-256 of the graph as it was added, in hexadecimal; empty when that was not noted."""

    @property
    def built_in(self) -> bool:
        """Whether it comes with the project."""
        return self.graph.parent == BUILT_IN


def installed_in(folder: Path) -> tuple[Installed, ...]:
    """Return the lexica of a folder in alphabetical order; none when there is no such folder."""
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
    """Read the notes beside a lexicon; none when they cannot be read, since they are not needed."""
    if path is None:
        return {}
    try:
        with path.open("rb") as file:
            about = json.loads(file.read(_MAX_ABOUT))
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
