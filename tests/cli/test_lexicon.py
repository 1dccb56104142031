"""The commands for lexica and words, run as a user would run them."""

from __future__ import annotations

import gzip

import pytest

from bot.__main__ import main
from tests.domain.shared import SHARED, needs_corpus

WORDS = "# mine\ncab a vehicle\nCABS\nscab\nace\nA\ncab\n"


@pytest.fixture
def folder(folder):
    return folder / "lexica"


def test_a_lexicon_is_added_listed_checked_and_removed(run, folder, write_file):
    words = write_file(WORDS, "words.txt")
    leaves = write_file("?,25.5\nAS,3\n", "leaves.csv")
    code, out, _ = run("lexicon", "add", "MINE", words, "--leaves", leaves)
    nodes = (folder / "MINE.kwg").stat().st_size // 4
    assert (code, out) == (
        0,
        f"MINE: 4 words (one-letter words left out: 1, duplicates: 1), letter distribution english, {nodes} nodes\nMINE: 2 leaves\n",
    )
    assert run("lexicon", "list") == (
        0,
        (
            "MINE: english, 4 words, leave values\n"
            "CROSSWD: english, 113,809 words, leave values, ships with Kibitz\n"
            "SCOWL80: english, 249,233 words, leave values, ships with Kibitz\n"
            "SCOWL95: english, 259,704 words, no leave values of its own, ships with Kibitz\n"
        ),
        "",
    )
    assert run("lexicon", "check", "mine") == (0, "MINE: intact\n", "")
    assert run("check", "cab", "Scab", "cac", "--lexicon", "MINE") == (
        1,
        "CAB: valid in MINE\nSCAB: valid in MINE\nCAC: not valid in MINE\n",
        "",
    )
    assert run("lexicon", "remove", "MINE") == (0, "MINE: removed\n", "")
    assert not list(folder.iterdir())


def test_a_lexicon_is_replaced_only_with_the_replace_option(run, write_file):
    first, second = write_file("cab\n", "a.txt"), write_file("ace\n", "b.txt")
    assert run("lexicon", "add", "NWL23", first)[0] == 0
    for other in ("NWL23", "nwl2023"):
        code, _, err = run("lexicon", "add", other, second)
        assert (code, err) == (
            2,
            "NWL23 is already installed; to replace it, give the name NWL23 and --replace\n",
        )
    assert run("lexicon", "add", "nwl2023", second, "--replace")[0] == 2
    assert run("check", "cab", "--lexicon", "NWL2023")[0] == 0
    assert run("lexicon", "add", "NWL23", second, "--replace")[0] == 0
    assert run("check", "cab", "--lexicon", "NWL2023")[0] == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("cab\nc@b\n", "{file}:2:2: '@' in 'c@b' is not a tile of the 'english' set"),
        ("", "{file}:1:1: the word list has no words of at least two tiles"),
        (b"\0\0\0\0\0", "words.txt can't be read: a word graph consists of at least two whole 4-byte nodes"),
        (b"\x1f\x8bnot gzip", "{file} can't be read: "),
        (gzip.compress(b"cab\n", mtime=0)[:-6], "{file} can't be read: it is not a complete gzip file"),
    ],
)
def test_an_unusable_file_is_reported_with_the_location(run, folder, content, sentence, write_file):
    file = write_file(content, "words.txt")
    code, out, err = run("lexicon", "add", "MINE", file)
    assert (code, out) == (2, "")
    assert err.startswith(sentence.format(file=file))
    assert not folder.exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("AB", "{file}:1: a line of a leave list"),
        (b"\0\0", "{file} can't be read: the sizes in the file"),
        (b"\xff,1", "{file} can't be read: it is neither KLV nor text"),
    ],
)
def test_unusable_leave_values_are_reported(run, folder, content, sentence, write_file):
    words = write_file(WORDS, "words.txt")
    file = write_file(content, "leaves.csv")
    code, _, err = run("lexicon", "add", "MINE", words, "--leaves", file)
    assert code == 2
    assert err.startswith(sentence.format(file=file))
    assert not folder.exists(), "a lexicon was installed"


def test_missing_files_and_lexica_are_reported(run, tmp_path, write_file):
    code, _, err = run("lexicon", "add", "MINE", str(tmp_path / "none.txt"))
    assert (code, err) == (2, f"{tmp_path / 'none.txt'} can't be read: No such file or directory\n")
    assert run("lexicon", "add", "../MINE", write_file(WORDS, "words.txt"))[0] == 2
    assert run("lexicon", "remove", "CROSSWD", "NONE") == (1, "", "NONE is not installed\n")
    assert run("lexicon", "remove", "CROSSWD") == (2, "", "CROSSWD ships with Kibitz and can't be removed\n")
    for command in (("check", "cab", "--lexicon"), ("lexicon", "check")):
        code, _, err = run(*command, "NWL23")
        assert code
        assert err == "the lexicon 'NWL23' is not installed; the closest installed lexicon is SCOWL95\n"


def test_check_finds_broken_files(run, folder, write_file):
    run("lexicon", "add", "MINE", write_file(WORDS, "words.txt"))
    run("lexicon", "add", "OTHER", write_file("cabs\nscab\n", "other.txt"))
    (folder / "MINE.kwg").write_bytes((folder / "OTHER.kwg").read_bytes())
    code, out, _ = run("lexicon", "check")
    assert (code, out.splitlines()) == (
        2,
        [
            "MINE: MINE.kwg is not the file that was added",
            "MINE: it has 2 words instead of 4",
            "OTHER: intact",
            "CROSSWD: intact",
            "SCOWL80: intact",
            "SCOWL95: intact",
        ],
    )
    (folder / "MINE.kwg").write_bytes(b"broken")
    assert run("lexicon", "check", "MINE")[:2] == (
        2,
        "MINE: MINE.kwg can't be read: a word graph consists of at least two whole 4-byte nodes; this file has 6 bytes\n",
    )


def test_the_letter_distribution_depends_on_the_name_or_the_option(run, write_file):
    words = write_file("llave\nñu\n", "words.txt")
    assert run("lexicon", "add", "FISE2", words)[1].startswith(
        "FISE2: 2 words, letter distribution spanish, "
    )
    assert run("lexicon", "add", "MINE", words)[0] == 2
    assert run("lexicon", "add", "MINE", words, "--distribution", "spanish")[0] == 0
    assert run("anagram", "[ll]avi?", "--lexicon", "MINE")[:2] == (1, "")
    assert run("anagram", "[ll]av?", "--lexicon", "MINE") == (0, "LLAVe\n", "")
    assert "FISE2: spanish, 2 words" in run("lexicon", "list")[1]


def test_lexicon_add_explains_what_can_be_added(run):
    code, out, err = run("lexicon", "add")
    assert (code, err) == (0, "")
    assert "python -m bot lexicon add macondo/data" in out
    code, out, err = run("lexicon", "add", "NWL23")
    assert (code, out) == (2, "")
    assert "to see what can be added, run: python -m bot lexicon add" in err


@pytest.mark.parametrize(
    ("graph", "leaves"),
    [
        ("NWL23.kwg", "NWL23.klv2"),
        ("lexica/gaddag/NWL23.kwg", "strategy/NWL23/leaves.klv2"),
        ("a/NWL23.kwg", "b/NWL23.klv"),
    ],
)
def test_a_folder_from_another_program_is_searched_for_graphs_and_leaves(
    run, tmp_path, folder, graph, leaves, write_file
):
    leave_values = write_file("?,25.5\n", "l.csv")
    run("lexicon", "add", "MINE", write_file(WORDS, "words.txt"), "--leaves", leave_values)
    for path, ending in ((graph, "kwg"), (leaves, "klv2"), ("other/CSW24.kwg", "kwg")):
        (tmp_path / "disk" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "disk" / path).write_bytes((folder / f"MINE.{ending}").read_bytes())
    code, out, err = run("lexicon", "add", "disk")
    assert (code, err) == (0, "")
    assert "NWL23: 4 words, letter distribution english" in out
    assert "NWL23: 1 leave\n" in out
    assert "CSW24: 4 words, letter distribution english" in out
    assert "CSW24: 1 leave" not in out
    assert run("lexicon", "add", f"disk/{graph}", "--replace")[0] == 0
    assert run("lexicon", "add", "disk")[0] == 2, "lexica that are already installed were replaced"
    (tmp_path / "empty").mkdir()
    assert run("lexicon", "add", "empty") == (1, "", "empty has no word graph (.kwg)\n")
    assert run("lexicon", "add", "disk", "--leaves", leave_values) == (
        2,
        "",
        "--leaves works only for a single lexicon, but disk is a folder\n",
    )


def test_a_broken_link_in_a_folder_is_reported(run, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "NWL23.kwg").symlink_to("missing.kwg")
    code, out, err = run("lexicon", "add", "disk")
    assert (code, out) == (2, "")
    assert "disk/NWL23.kwg" in err


@needs_corpus
def test_a_word_graph_from_another_program_is_added(run):
    graph, leaves = (str(SHARED / "lexica" / name) for name in ("enable1.kwg", "enable1.klv2"))
    code, out, _ = run("lexicon", "add", "ENABLE", graph, "--leaves", leaves)
    assert (code, out) == (
        0,
        "ENABLE: 168,551 words, letter distribution english, 796,860 nodes\nENABLE: 914,624 leaves\n",
    )
    assert run("lexicon", "check", "ENABLE") == (0, "ENABLE: intact\n", "")


def test_hooks_are_printed_by_position(run):
    code, out, _ = run("hooks", "care", "--lexicon", "CROSSWD")
    assert (code, out.splitlines()) == (
        0,
        [
            "CARE: valid in CROSSWD",
            "front: S",
            "back: D R S T X",
            "inside: C(H)ARE CA(D)RE CAR(L)E CAR(S)E CAR(T)E CAR(V)E",
        ],
    )
    assert run("hooks", "zzq")[:2] == (1, "ZZQ: not valid in SCOWL95\nfront: -\nback: -\ninside: -\n")
    assert run("hooks", "c4re")[0] == 2


def test_check_names_the_lexicon_that_has_a_word(run):
    assert run("check", "qi", "cat", "--lexicon", "CROSSWD") == (
        1,
        "QI: not valid in CROSSWD (valid in SCOWL95, SCOWL80)\nCAT: valid in CROSSWD\n",
        "",
    )


def test_anagrams_are_printed_in_order(run):
    assert run("anagram", "retinas", "--lexicon", "CROSSWD") == (
        0,
        "ANESTRI\nNASTIER\nRATINES\nRETAINS\nRETINAS\nRETSINA\nSTAINER\nSTEARIN\n",
        "",
    )
    code, out, err = run("anagram", "RETINA?", "--most", "3", "--lexicon", "CROSSWD")
    assert (code, out, err) == (0, "ANEsTRI\ncERATIN\ncERTAIN\n", "3 of 48 words\n")
    assert run("anagram", "qqq") == (1, "", "")
    code, out, err = run("anagram", "?" * 15, "--shortest", "2", "--most", "1", "--lexicon", "CROSSWD")
    assert (code, out) == (0, "acceptabilities\n")
    with pytest.raises(SystemExit):
        main(["anagram", "cab", "--most", "0"])
