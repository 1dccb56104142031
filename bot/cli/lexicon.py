"""``lexicon``: adds, lists, checks and removes lexica. ``check``, ``anagram`` and ``hooks`` look up words."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import zlib
from collections.abc import Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path

from bot.cli.documents import counted, lexica_of, lexicon_of, print_error, read_bytes
from bot.cli.parser import (
    CONFIG,
    FAILURE,
    LEXICON,
    NOTHING_FOUND,
    SUCCESS,
    CommandError,
    argument,
    command,
    suggest,
    whole_number,
)
from bot.config import load_settings
from bot.domain.crossword.rules import (
    BLANK,
    BLANK_TEXT,
    LetterDistribution,
    distribution_names,
    distribution_of_lexicon,
    load_distribution,
)
from bot.domain.reading.problems import DomainError
from bot.engine.lexicon import words
from bot.engine.lexicon.builder import build_word_graph, count_words, words_of
from bot.engine.lexicon.folder import (
    read_checked_graph,
    read_graph,
    read_leaves,
    remove_lexicon,
    write_lexicon,
)
from bot.engine.lexicon.installed import InstalledLexicon, LexiconError, canonical_name, find_lexica_in
from bot.engine.lexicon.leaves import LeaveValues, LeaveValuesError, read_klv, read_leave_list
from bot.engine.lexicon.spelling import read_word_list, speller
from bot.engine.lexicon.word_graph import WordGraph

MAX_FILE_BYTES = 64 * 2**20
"""Maximum size of a file before and after decompression, in bytes."""
MAX_ENTRIES = 20_000
"""Maximum number of files and folders in a folder and its subfolders."""

GUIDE = """\
Adds a lexicon that you own, so that Kibitz can analyze positions with it. There are three ways:

  python -m bot lexicon add NWL23 words.txt   a list with one word per line, as for Quackle and word study programs
                                              (Kibitz does not read Quackle's .dawg files)
  python -m bot lexicon add NWL23.kwg         a word graph from woogles, macondo or MAGPIE, with its leave values if
                                              they are in the same folder (NWL23.klv2)
  python -m bot lexicon add macondo/data      every word graph in a folder and its subfolders, with its leave values:
                                              NWL23.klv2, or strategy/NWL23/leaves.klv2

An English lexicon without leave values uses Kibitz's own. A running bot immediately uses the new lexicon for positions
that name it. To list the installed lexica, run: python -m bot lexicon list
"""


@command(
    "lexicon add",
    argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="the name that positions use for the lexicon, such as NWL23; or, without FILE, a .kwg file or a folder",
    ),
    argument(
        "file", metavar="FILE", type=Path, nargs="?", help="a word list (one word per line) or a .kwg file"
    ),
    argument("--leaves", metavar="FILE", type=Path, help="leave values: a .klv2, .klv or .csv file"),
    argument(
        "--distribution",
        metavar="NAME",
        choices=distribution_names(),
        help="letter distribution (default: implied by the name, otherwise english)",
    ),
    argument("--replace", action="store_true", help="replace a lexicon with the same name"),
    CONFIG,
    help="install a word list or a word graph (.kwg) as a lexicon",
)
def add_lexicon(arguments: argparse.Namespace) -> int:
    """Install a lexicon, or all lexica in a folder. Without arguments, print the guide."""
    if arguments.name is None:
        print(GUIDE, end="")
        return SUCCESS
    if arguments.file is not None:
        return _install(arguments, arguments.name, arguments.file, arguments.leaves)
    path = Path(arguments.name)
    if path.is_dir():
        if arguments.leaves is not None:
            raise CommandError(f"--leaves works only for a single lexicon, but {path} is a folder")
        return _install_folder(arguments, path)
    if path.is_file() and path.suffix == ".kwg":
        return _install(
            arguments, path.stem, path, arguments.leaves or _find_leaves([path.parent], path.stem)
        )
    raise CommandError(
        f"{path} is neither a folder nor a .kwg file; to see what can be added, run: python -m bot lexicon add"
    )


def _install_folder(arguments: argparse.Namespace, folder: Path) -> int:
    paths = sorted(islice(folder.rglob("*"), MAX_ENTRIES + 1))
    if len(paths) > MAX_ENTRIES:
        raise CommandError(f"{folder} has more than {MAX_ENTRIES:,} files and folders; choose a subfolder")
    graph_paths = [path for path in paths if path.name.endswith(".kwg") and not path.is_dir()]
    if not graph_paths:
        raise CommandError(f"{folder} has no word graph (.kwg)", NOTHING_FOUND)
    folders = [folder, *filter(Path.is_dir, paths)]
    code = SUCCESS
    for graph_path in graph_paths:
        try:
            _install(
                arguments,
                graph_path.stem,
                graph_path,
                _find_leaves([graph_path.parent, *folders], graph_path.stem),
            )
        except (CommandError, DomainError) as error:
            print_error(error)
            code = FAILURE
    return code


def _find_leaves(folders: Sequence[Path], name: str) -> Path | None:
    """Return a lexicon's file of leave values, from the first folder that contains it.

    Woogles names the file ``NWL23.klv2``, and macondo ``NWL23/leaves.klv2``.
    """
    paths = (
        folder / f"{stem}{ending}"
        for folder in folders
        for ending in (".klv2", ".klv")
        for stem in ((name, "leaves") if folder.name == name else (name,))
    )
    return next((path for path in paths if path.is_file()), None)


def _install(arguments: argparse.Namespace, name: str, file: Path, leaves_file: Path | None) -> int:
    folder = load_settings(arguments.config).analysis.lexica
    namesakes = [
        other.name for other in find_lexica_in(folder) if canonical_name(other.name) == canonical_name(name)
    ]
    if namesakes and not (arguments.replace and namesakes == [name]):
        raise CommandError(
            f"{namesakes[0]} is already installed; to replace it, give the name {namesakes[0]} and --replace"
        )
    distribution = (
        load_distribution(arguments.distribution)
        if arguments.distribution is not None
        else distribution_of_lexicon(name) or load_distribution("english")
    )
    graph, remark = _read_graph(file, distribution)
    leaves = _read_leaves(leaves_file, distribution) if leaves_file else None
    word_count = count_words(graph.nodes, graph.dawg_root)
    write_lexicon(folder, name, graph, distribution, word_count=word_count, leaves=leaves)
    print(
        f"{name}: {counted(word_count, 'word')}{remark}, letter distribution {distribution.name}, {counted(len(graph.nodes), 'node')}"
    )
    if leaves is not None:
        print(f"{name}: {counted(len(leaves.values), 'leave')}")
    return SUCCESS


def _read(path: Path) -> bytes:
    """Read a file, which may be compressed with gzip. The size stated in a gzip file is not trusted."""
    data = read_bytes(path, MAX_FILE_BYTES)
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.GzipFile(fileobj=BytesIO(data)).read(MAX_FILE_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise CommandError(f"{path} can't be read: it is not a complete gzip file") from None
    if len(data) > MAX_FILE_BYTES:
        raise CommandError(f"{path} is larger than {MAX_FILE_BYTES:,} bytes")
    return data


def _read_graph(path: Path, distribution: LetterDistribution) -> tuple[WordGraph, str]:
    """Return a word graph, and a remark about how many words were left out."""
    data = _read(path)
    try:
        # A word list in UTF-16 also contains null bytes.
        if path.suffix == ".kwg" or (b"\0" in data and data[:2] not in (b"\xff\xfe", b"\xfe\xff")):
            return read_checked_graph(data, path.name, distribution)[0], ""
        word_list = read_word_list(data, distribution)
        graph = build_word_graph(word_list.words)
    except LexiconError:
        raise
    except DomainError as error:
        raise CommandError(f"{path}:{error.line}:{error.column}: {error.message}") from None
    counts = {
        "one-letter words left out": word_list.too_short_count,
        "duplicates": word_list.duplicate_count,
    }
    remarks = [f"{name}: {count:,}" for name, count in counts.items() if count]
    return graph, f" ({', '.join(remarks)})" if remarks else ""


def _read_leaves(path: Path, distribution: LetterDistribution) -> LeaveValues:
    data = _read(path)
    try:
        if b"\0" in data:
            return read_klv(data)
        return read_leave_list(data.decode("utf-8-sig"), distribution)
    except UnicodeDecodeError:
        raise CommandError(f"{path} can't be read: it is neither KLV nor text") from None
    except LeaveValuesError as error:
        raise CommandError(f"{path} can't be read: {error}") from None
    except DomainError as error:
        raise CommandError(f"{path}:{error.line}: {error.message}") from None


@command("lexicon list", CONFIG, help="list the installed lexica")
def list_lexica(arguments: argparse.Namespace) -> int:
    for lexicon in lexica_of(arguments).installed():
        facts = (
            lexicon.distribution.name,
            "" if lexicon.word_count is None else counted(lexicon.word_count, "word"),
            "leave values" if lexicon.leaves_path else "no leave values of its own",
            "ships with Kibitz" if lexicon.is_built_in else "",
        )
        print(f"{lexicon.name}: {', '.join(filter(None, facts))}")
    return SUCCESS


@command(
    "lexicon check",
    argument("names", metavar="NAME", nargs="*", help="a lexicon (default: all)"),
    CONFIG,
    help="check that the files of installed lexica are intact",
)
def check_lexica(arguments: argparse.Namespace) -> int:
    """Check the named lexica, or all lexica if none is named."""
    lexica = lexica_of(arguments)
    try:
        lexica_to_check = [lexica.find(name) for name in arguments.names] or list(lexica.installed())
    except DomainError as error:
        raise CommandError(error.message, NOTHING_FOUND) from None
    code = SUCCESS
    for lexicon in lexica_to_check:
        faults = _find_faults(lexicon)
        for fault in faults or ("intact",):
            print(f"{lexicon.name}: {fault}")
        code = FAILURE if faults else code
    return code


def _find_faults(lexicon: InstalledLexicon) -> list[str]:
    try:
        graph, word_count = read_graph(lexicon.graph_path, lexicon.distribution)
        if lexicon.leaves_path is not None:
            read_leaves(lexicon.leaves_path)
    except DomainError as error:
        return [error.message]
    faults = []
    if lexicon.digest and hashlib.sha256(lexicon.graph_path.read_bytes()).hexdigest() != lexicon.digest:
        faults.append(f"{lexicon.graph_path.name} is not the file that was added")
    if lexicon.word_count is not None and word_count != lexicon.word_count:
        faults.append(f"it has {counted(word_count, 'word')} instead of {lexicon.word_count:,}")
    # The GADDAG contains each word once per tile.
    if count_words(graph.nodes, graph.gaddag_root) != sum(map(len, words_of(graph))):
        faults.append("its GADDAG and its DAWG contain different words")
    return faults


@command(
    "lexicon remove",
    argument("names", metavar="NAME", nargs="+", help="a lexicon"),
    CONFIG,
    help="remove lexica",
)
def remove_lexica(arguments: argparse.Namespace) -> int:
    """Remove the named lexica. If one of them is not installed, remove none."""
    installed_lexica = {lexicon.name: lexicon for lexicon in lexica_of(arguments).installed()}
    if missing_names := [name for name in arguments.names if name not in installed_lexica]:
        parts = (f"{missing_names[0]} is not installed", suggest(missing_names[0], installed_lexica))
        raise CommandError(". ".join(filter(None, parts)), NOTHING_FOUND)
    for name in arguments.names:
        remove_lexicon(installed_lexica[name])
        print(f"{name}: removed")
    return SUCCESS


@command("check", argument("words", nargs="+", metavar="WORD", help="a word"), LEXICON, CONFIG)
def check(arguments: argparse.Namespace) -> int:
    lexicon, lexica = lexicon_of(arguments)
    text_of = speller(lexicon.distribution).text_of
    code = SUCCESS
    for word in words.check_words(arguments.words, lexicon.graph, lexicon.distribution):
        if word.problem is not None:
            print_error(f"{word.text}: {word.problem.message}")
            code = FAILURE
        elif word.valid:
            print(f"{text_of(word.tiles)}: valid in {lexicon.name}")
        else:
            other_names = ", ".join(lexica.other_lexica_with([word.tiles], lexicon)[word.tiles])
            hint = f" (valid in {other_names})" if other_names else ""
            print(f"{text_of(word.tiles)}: not valid in {lexicon.name}{hint}")
            code = max(code, NOTHING_FOUND)
    return code


@command("hooks", argument("word", metavar="WORD", help="a word"), LEXICON, CONFIG)
def hooks(arguments: argparse.Namespace) -> int:
    lexicon, _ = lexicon_of(arguments)
    word_speller = speller(lexicon.distribution)
    tiles, text_of = word_speller.spell(arguments.word), word_speller.text_of
    word_hooks = words.find_hooks(tiles, lexicon.graph)
    print(f"{text_of(tiles)}: {'valid' if word_hooks.valid else 'not valid'} in {lexicon.name}")
    hooks_by_place = {
        "front": [text_of([tile]) for tile in word_hooks.front],
        "back": [text_of([tile]) for tile in word_hooks.back],
        "inside": [
            f"{text_of(tiles[:index])}({text_of([tile])}){text_of(tiles[index:])}"
            for index, tile in word_hooks.inner
        ],
    }
    for place, texts in hooks_by_place.items():
        print(f"{place}: {' '.join(texts) or '-'}")
    return SUCCESS if word_hooks.valid else NOTHING_FOUND


@command(
    "anagram",
    argument("letters", metavar="LETTERS", help="letters, with ? for a blank"),
    argument(
        "--shortest",
        type=whole_number(2),
        metavar="N",
        help="also list shorter words, down to N letters (default: only words that use all letters)",
    ),
    argument(
        "--most",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="maximum number of words (default: 100)",
    ),
    LEXICON,
    CONFIG,
)
def anagram(arguments: argparse.Namespace) -> int:
    """Print the words that can be made from letters, longest first."""
    letters = arguments.letters.replace(BLANK_TEXT, "")
    blanks = [BLANK] * (len(arguments.letters) - len(letters))
    lexicon, _ = lexicon_of(arguments)
    word_speller = speller(lexicon.distribution)
    anagrams = words.find_anagrams(
        [*word_speller.spell(letters), *blanks],
        lexicon.graph,
        min_length=arguments.shortest,
        max_words=arguments.most,
    )
    for word in anagrams.words:
        print(word_speller.text_of(word))
    if not anagrams.complete:
        print_error(f"{counted(len(anagrams.words), 'word')}; the search was cut short, so there may be more")
    elif anagrams.total > len(anagrams.words):
        print_error(f"{len(anagrams.words):,} of {counted(anagrams.total, 'word')}")
    return SUCCESS if anagrams.words else NOTHING_FOUND
