"""``lexicon``: add, list, check and remove lexica."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.documents import FOUND, INVALID, NOTHING
from bot.cli.parser import meant
from bot.cli.words import add_config, lexica_of, needs_analysis
from bot.config import load_settings
from bot.domain.crossword.distributions import (
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    load_distribution,
)
from bot.domain.reading.problems import DomainError

if TYPE_CHECKING:
    from bot.engine.lexicon.installed import Installed
    from bot.engine.lexicon.leaves import LeaveValues
    from bot.engine.lexicon.word_graph import WordGraph

MAX_FILE = 64 * 2**20
MAX_ENTRIES = 20_000
"""Files that are looked at in a folder."""

GUIDE = """\
Adds a lexicon that you own, so that positions are analyzed by it. Three ways:

  python -m bot lexicon add NWL23 words.txt   a list with a word on each line, such as Quackle and programs for the
                                              study of words are fed with (Quackle's own .dawg is not read)
  python -m bot lexicon add NWL23.kwg         a word graph of woogles, macondo or MAGPIE, with the values of leaves
                                              beside it (NWL23.klv2), if they are there
  python -m bot lexicon add macondo/data      every word graph in a folder and below it, with its values of leaves:
                                              NWL23.klv2, or strategy/NWL23/leaves.klv2

An English lexicon without values of its own goes by those that come with Kibitz. It is there at once, under the name
that positions give it; a running bot need not be restarted. See what is there with: python -m bot lexicon list
"""


class LexiconFileError(Exception):
    """A file cannot be used; the message is one sentence with the place."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("lexicon", help="add, list, check and remove lexica")
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)

    add = actions.add_parser("add", help="install a word list or a word graph (.kwg) as a lexicon")
    add.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="the name as people write it in positions, such as NWL23; or a .kwg file or a folder alone",
    )
    add.add_argument(
        "file", metavar="FILE", type=Path, nargs="?", help="a word list (a word on each line) or a .kwg file"
    )
    add.add_argument(
        "--leaves", metavar="FILE", type=Path, help="values of leaves: a .klv2, .klv or .csv file"
    )
    add.add_argument(
        "--distribution",
        metavar="NAME",
        choices=distribution_names(),
        help="the letter distribution (default: the one that the name implies, else english)",
    )
    add.add_argument("--replace", action="store_true", help="replace a lexicon of the same name")
    add_config(add)
    add.set_defaults(work=needs_analysis(add_lexicon))

    for action, help_text, work in (
        ("list", "list the lexica", list_lexica),
        ("check", "check that the files of lexica are whole", check_lexica),
        ("remove", "remove a lexicon", remove),
    ):
        command = actions.add_parser(action, help=help_text)
        if action != "list":
            command.add_argument("names", metavar="NAME", nargs="+" if action == "remove" else "*")
        add_config(command)
        command.set_defaults(work=needs_analysis(work))


def add_lexicon(arguments: argparse.Namespace) -> int:
    """Install a lexicon, or all that are in a folder; explain how, where neither is named."""
    if arguments.name is None:
        print(GUIDE, end="")
        return FOUND
    if arguments.file is not None:
        return _add(arguments, arguments.name, arguments.file, arguments.leaves)
    path = Path(arguments.name)
    if path.is_dir():
        return _add_folder(arguments, path)
    if path.is_file() and path.suffix == ".kwg":
        return _add(arguments, path.stem, path, arguments.leaves or _leaves_among([path.parent], path.stem))
    print(
        f"{path} is neither a folder nor a .kwg file; python -m bot lexicon add explains what can be added",
        file=sys.stderr,
    )
    return INVALID


def _add_folder(arguments: argparse.Namespace, folder: Path) -> int:
    """Install every word graph in a folder and below it; the exit code is the worst."""
    folders, graphs = [], []
    seen = 0
    for below, _, names in os.walk(folder):
        folders.append(Path(below))
        graphs += [Path(below, name) for name in names if name.endswith(".kwg")]
        seen += 1 + len(names)
        if seen > MAX_ENTRIES:
            print(f"{folder} has more than {MAX_ENTRIES:,} files; name one further down", file=sys.stderr)
            return INVALID
    if not graphs:
        print(f"{folder} has no word graph (.kwg)", file=sys.stderr)
        return NOTHING
    code = FOUND
    for graph in sorted(graphs):
        leaves = _leaves_among([graph.parent, *sorted(folders)], graph.stem)
        code = max(code, _add(arguments, graph.stem, graph, leaves))
    return code


def _leaves_among(folders: Sequence[Path], name: str) -> Path | None:
    """Return the leave values of a lexicon in the first folder that has them, named as woogles or as macondo does."""
    for folder in folders:
        for ending in (".klv2", ".klv"):
            own = [folder / f"{name}{ending}"]
            own += [folder / f"leaves{ending}"] if folder.name == name else []
            if found := next((path for path in own if path.is_file()), None):
                return found
    return None


def _add(arguments: argparse.Namespace, name: str, file: Path, leaves_file: Path | None) -> int:
    """Install one lexicon."""
    from bot.engine.lexicon.builder import count_words  # noqa: PLC0415
    from bot.engine.lexicon.folder import write_lexicon  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.installed import canonical, installed_in  # noqa: PLC0415

    folder = load_settings(arguments.config).analysis.lexica
    same = [known.name for known in installed_in(folder) if canonical(known.name) == canonical(name)]
    if same and not (arguments.replace and same == [name]):
        print(
            f"{same[0]} is installed already; --replace puts another in its place under this name",
            file=sys.stderr,
        )
        return INVALID
    distribution = _distribution(arguments.distribution, name)
    try:
        graph, remark = _read_graph(file, distribution)
        leaves = _read_leaves(leaves_file, distribution) if leaves_file else None
        words = count_words(graph.nodes, graph.dawg_root)
        write_lexicon(folder, name, graph, distribution, words=words, leaves=leaves)
    except LexiconFileError as error:
        print(error, file=sys.stderr)
        return INVALID
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    print(f"{name}: {words:,} words of the {distribution.name} set{remark}, {len(graph.nodes):,} nodes")
    if leaves is not None:
        print(f"{name}: {len(leaves.values):,} leaves")
    return FOUND


def _distribution(wanted: str | None, name: str) -> LetterDistribution:
    if wanted is not None:
        return load_distribution(wanted)
    return distribution_of_lexicon(name) or load_distribution("english")


def _read(path: Path) -> bytes:
    """Read a file, compressed with gzip or not, without trusting its stated size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                data = packed.read(MAX_FILE + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is no whole gzip file"
        raise LexiconFileError(f"{path} cannot be read: {reason}") from None
    if len(data) > MAX_FILE:
        raise LexiconFileError(f"{path} is larger than {MAX_FILE:,} bytes")
    return data


def _read_graph(path: Path, distribution: LetterDistribution) -> tuple[WordGraph, str]:
    """Return a word graph, built if the file is a list, and a remark about the list."""
    from bot.engine.lexicon.builder import build_word_graph  # noqa: PLC0415
    from bot.engine.lexicon.folder import LexiconError  # noqa: PLC0415
    from bot.engine.lexicon.lexica import checked_graph  # noqa: PLC0415 - needs the analysis
    from bot.engine.lexicon.spelling import read_word_list  # noqa: PLC0415

    data = _read(path)
    try:
        if path.suffix == ".kwg" or (b"\0" in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff")):
            return checked_graph(data, path.name, distribution)[0], ""
        listed = read_word_list(data, distribution)
        graph = build_word_graph(listed.words)
    except LexiconError as error:
        raise LexiconFileError(error.message) from None
    except DomainError as error:
        raise LexiconFileError(f"{path}:{error.line}:{error.column}: {error.message}") from None
    passed_over = [f"{listed.too_short:,} of one letter left out"] if listed.too_short else []
    passed_over += [f"{listed.duplicates:,} listed again"] if listed.duplicates else []
    return graph, f" ({', '.join(passed_over)})" if passed_over else ""


def _read_leaves(path: Path, distribution: LetterDistribution) -> LeaveValues:
    from bot.engine.lexicon.leaves import (  # noqa: PLC0415 - needs the analysis
        LeaveValuesError,
        read_klv,
        read_leave_list,
    )

    data = _read(path)
    try:
        if b"\0" in data:
            return read_klv(data)
        return read_leave_list(data.decode("utf-8-sig"), distribution)
    except (LeaveValuesError, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, LeaveValuesError) else "it is neither KLV nor text"
        raise LexiconFileError(f"{path} cannot be read: {reason}") from None
    except DomainError as error:
        raise LexiconFileError(f"{path}:{error.line}: {error.message}") from None


def list_lexica(arguments: argparse.Namespace) -> int:
    """List what is installed, each on a line."""
    for lexicon in lexica_of(arguments).installed():
        parts = [lexicon.distribution.name]
        if lexicon.words is not None:
            parts.append(f"{lexicon.words:,} words")
        parts.append("leaves" if lexicon.leaves else "no leaves of its own")
        if lexicon.built_in:
            parts.append("comes with Kibitz")
        print(f"{lexicon.name}: {', '.join(parts)}")
    return FOUND


def check_lexica(arguments: argparse.Namespace) -> int:
    """Check lexica, all of them when none is named; return 0 when all are intact."""
    lexica = lexica_of(arguments)
    code = FOUND
    try:
        wanted = [lexica.find(name) for name in arguments.names] or list(lexica.installed())
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return NOTHING
    for lexicon in wanted:
        faults = _faults(lexicon)
        for fault in faults:
            print(f"{lexicon.name}: {fault}")
        if faults:
            code = INVALID
        else:
            print(f"{lexicon.name}: whole")
    return code


def _faults(lexicon: Installed) -> list[str]:
    """Return the faults in the files of a lexicon."""
    from bot.engine.lexicon.builder import count_words, words_of  # noqa: PLC0415
    from bot.engine.lexicon.lexica import read_graph, read_leaves  # noqa: PLC0415 - needs the analysis

    try:
        graph, words = read_graph(lexicon.graph, lexicon.distribution)
        if lexicon.leaves is not None:
            read_leaves(lexicon.leaves)
    except DomainError as error:
        return [error.message]
    faults = []
    if lexicon.digest and hashlib.sha256(lexicon.graph.read_bytes()).hexdigest() != lexicon.digest:
        faults.append(f"{lexicon.graph.name} is not the file that was added")
    if lexicon.words is not None and words != lexicon.words:
        faults.append(f"it has {words:,} words instead of {lexicon.words:,}")
    # Each word is there once for each of its tiles.
    strings = count_words(graph.nodes, graph.gaddag_root)
    if strings != sum(map(len, words_of(graph))):
        faults.append("its GADDAG has other words than its DAWG")
    return faults


def remove(arguments: argparse.Namespace) -> int:
    """Remove lexica: all that are named, or none."""
    from bot.engine.lexicon.folder import remove_lexicon  # noqa: PLC0415 - needs the analysis

    installed = {lexicon.name: lexicon for lexicon in lexica_of(arguments).installed()}
    missing = [name for name in arguments.names if name not in installed]
    if missing:
        parts = (f"{missing[0]} is not installed", meant(missing[0], installed))
        print(". ".join(filter(None, parts)), file=sys.stderr)
        return NOTHING
    try:
        for name in arguments.names:
            remove_lexicon(installed[name])
            print(f"{name}: removed")
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    return FOUND
