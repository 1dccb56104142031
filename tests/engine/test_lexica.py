"""The lexica on disk and in memory: names, aliases, files, and the lexicon for a position."""

from __future__ import annotations

import json
import os
import threading

import pytest

from bot.domain.crossword.rules import load_distribution
from bot.engine.lexicon import folder as lexicon_folder
from bot.engine.lexicon.builder import build_dawg, build_word_graph, kwg_bytes, words_of
from bot.engine.lexicon.folder import remove_lexicon, write_lexicon
from bot.engine.lexicon.installed import (
    BUILT_IN_FOLDER,
    LexiconError,
    aliases_text,
    canonical_name,
    find_nearest,
    read_aliases,
)
from bot.engine.lexicon.leaves import NO_LEAVES, klv2_bytes, leave_values_of
from bot.engine.lexicon.lexica import DEFAULT_LEXICON, LEAVES_LEXICON, Lexica, UnknownLexiconError
from bot.engine.lexicon.spelling import speller
from training.leaves import klv1_bytes

BUILT_IN_NAMES = ["CROSSWD", "SCOWL80", "SCOWL95"]
ENGLISH, SPANISH = load_distribution("english"), load_distribution("spanish")


def add_lexicon(folder, name, *words, distribution=ENGLISH, leaves=None):
    graph = build_word_graph([speller(distribution).spell(word) for word in words])
    write_lexicon(folder, name, graph, distribution, word_count=len(words), leaves=leaves)


def accepted_words(lexicon):
    return [speller(lexicon.distribution).text_of(word) for word in words_of(lexicon.graph)]


def load(lexica, name, distribution=None):
    return lexica.load(lexica.find(name), distribution)


def test_the_built_in_lexica_have_words_and_leave_values():
    lexica = Lexica()
    assert [known.name for known in lexica.installed()] == BUILT_IN_NAMES
    assert all(known.is_built_in for known in lexica.installed())
    for name, words in (("CROSSWD", 113_809), (LEAVES_LEXICON, 249_233)):
        installed = lexica.find(name)
        lexicon = lexica.load(installed)
        assert (installed.word_count, lexicon.word_count, lexicon.leaves_source) == (words, words, name)
        assert len(lexicon.leaves.values) == 914_624
        blank, s, q, v = (lexicon.leaves.value([ENGLISH.machine_letters[tile]]) for tile in "?SQV")
        assert blank > 20_000 > s > 5_000 > 0 > v > -10_000
        assert q < -4_000
        with pytest.raises(LexiconError, match=f"{name} ships with Kibitz"):
            remove_lexicon(installed)
    crosswd = load(lexica, "CROSSWD")
    built = kwg_bytes(build_word_graph(list(words_of(crosswd.graph))))
    assert built == lexica.find("CROSSWD").graph_path.read_bytes(), (
        "a graph built from the words differs from the file"
    )
    assert "Grady Ward" in (BUILT_IN_FOLDER / "README.md").read_text(encoding="utf-8")


def test_a_written_lexicon_can_be_read_and_removed(tmp_path):
    leaves = leave_values_of({b"\0": 25.0, b"\1": -1.5})
    add_lexicon(tmp_path / "deep" / "folder", "NWL23", "CAB", "ACE", leaves=leaves)
    lexica = Lexica(tmp_path / "deep" / "folder")
    lexicon = load(lexica, "NWL23")
    assert (accepted_words(lexicon), lexicon.word_count, lexicon.leaves_source) == (
        ["ACE", "CAB"],
        2,
        "NWL23",
    )
    assert (lexicon.leaves.value([0]), lexicon.leaves.value([1])) == (25_000, -1_500)
    assert sorted(path.name for path in lexica.find("NWL23").graph_path.parent.iterdir()) == [
        "NWL23.json",
        "NWL23.klv2",
        "NWL23.kwg",
    ]
    remove_lexicon(lexica.find("NWL23"))
    assert [known.name for known in lexica.installed()] == BUILT_IN_NAMES
    assert not list((tmp_path / "deep" / "folder").iterdir())


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../x", ".hidden", "x" * 33, "Ñ", "a b", "x.", "a\nb", "-x"]
)
def test_an_invalid_lexicon_name_is_refused(tmp_path, name):
    with pytest.raises(LexiconError, match="starts with a letter or digit, and doesn't end with a dot"):
        add_lexicon(tmp_path / "lexica", name, "CAB")
    assert not list(tmp_path.rglob("*"))


def test_no_temporary_file_is_left_when_writing_fails(tmp_path):
    (tmp_path / "NWL23.kwg").mkdir()
    with pytest.raises(LexiconError, match="can't be written"):
        add_lexicon(tmp_path, "NWL23", "CAB")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    (tmp_path / "file").write_text("")
    with pytest.raises(LexiconError, match="can't be written"):
        add_lexicon(tmp_path / "file", "NWL23", "CAB")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("NWL23", "NWL23"),
        ("nwl23", "NWL23"),
        ("NWL2023", "NWL23"),
        ("NWL 23", "NWL23"),
        ("CSW2021", "CSW21"),
        ("Collins 2021", "CSW21"),
        ("OWL2", "TWL06"),
        ("OTCWL2006", "TWL06"),
        ("crosswd", "CROSSWD"),
    ],
)
def test_a_lexicon_is_found_by_the_names_people_write(tmp_path, written, expected):
    for name in ("NWL23", "CSW21", "TWL06"):
        add_lexicon(tmp_path, name, "CAB")
    assert Lexica(tmp_path).find(written).name == expected


@pytest.mark.parametrize(
    ("written", "nearest_name"),
    [
        ("NWL20", "NWL18"),
        ("NWL30", "NWL23"),
        ("CSW24", "CSW21"),
        ("CSW", "CSW21"),
        ("TWL06", "NWL18"),
        ("FISE2", "FILE2017"),
        ("OSPS49", None),
        ("SOWPODS", "CSW21"),
        ("crosword", "CROSSWD"),
        ("x" * 10_000, DEFAULT_LEXICON),
        ("\n`@everyone`", DEFAULT_LEXICON),
    ],
)
def test_an_unknown_lexicon_is_reported_with_the_nearest_name(tmp_path, written, nearest_name):
    for name in ("NWL18", "NWL23", "CSW21"):
        add_lexicon(tmp_path, name, "CAB")
    add_lexicon(tmp_path, "FILE2017", "CABO", distribution=SPANISH)
    with pytest.raises(UnknownLexiconError) as caught:
        Lexica(tmp_path).find(written, ENGLISH)
    assert caught.value.values["nearest"] == nearest_name
    assert len(caught.value.message) < 120


def test_names_outside_known_families_are_only_lowercased():
    assert canonical_name("ENABLE2K") == "enable2k"
    assert canonical_name("2023") == "2023"
    assert canonical_name("ODS8") == "ods8"


@pytest.mark.parametrize(
    ("written", "installed", "expected"),
    [
        ("TWL98", ["TWL14", "TWL06"], "TWL06"),
        ("OWL", ["TWL14", "TWL06"], "TWL06"),
        ("CSW03", ["CSW24", "OSW91"], "CSW24"),
        ("OSW91", ["CSW24", "CSW03"], "CSW03"),
    ],
)
def test_the_nearest_year_may_be_in_another_century(written, installed, expected):
    assert find_nearest(written, installed) == expected


@pytest.mark.parametrize(
    ("written", "installed", "expected"),
    [
        ("OSPD5", ["TWL98", "NWL23"], "NWL23"),
        ("OSPD5", ["OSPD1", "OSPD4", "NWL23"], "OSPD4"),
        ("TWL06", ["NWL23", "NWL18"], "NWL18"),
        ("SCOWL35", ["SCOWL95", "SCOWL80"], "SCOWL80"),
    ],
)
def test_only_numbers_of_the_same_kind_are_compared(written, installed, expected):
    assert find_nearest(written, installed) == expected


@pytest.mark.parametrize(("written", "newest"), [("NWL", "NWL23"), ("Collins", "CSW24"), ("TWL", "NWL23")])
def test_a_name_without_a_year_is_nearest_to_the_newest_edition(written, newest):
    assert find_nearest(written, ["NWL18", "CSW19", "NWL23", "CSW24", "NWL20"]) == newest


def test_no_name_is_nearest_if_no_lexicon_is_installed():
    assert find_nearest("words to live by", []) is None


def test_a_lexicon_is_chosen_for_a_position(tmp_path):
    for name in ("NWL23", "CSW21"):
        add_lexicon(tmp_path, name, "CAB")
    lexica = Lexica(tmp_path)

    def chosen(*arguments):
        choice = lexica.choose(*arguments)
        return choice.lexicon.name, choice.missing_lexicon

    assert chosen("CSW21", ENGLISH, ["NWL23"]) == ("CSW21", "")
    assert chosen("", ENGLISH, ["NWL23", "CSW21"]) == ("NWL23", "")
    for english in (ENGLISH, load_distribution("english_super"), load_distribution("turn-url-en")):
        assert chosen("", english) == (DEFAULT_LEXICON, "")
    assert chosen("NWL99", ENGLISH, ["CSW21"]) == ("NWL23", "NWL99")
    assert chosen("", ENGLISH, ["NWL99"]) == ("NWL23", "NWL99")
    assert chosen("OSPD1", ENGLISH) == ("NWL23", "OSPD1")
    assert chosen("ENABLE", ENGLISH) == (DEFAULT_LEXICON, "ENABLE")
    # English preferences have no effect on Spanish positions.
    with pytest.raises(UnknownLexiconError, match="no lexicon for the 'spanish' set"):
        lexica.choose("", SPANISH, ["NWL99", "CSW21"])
    with pytest.raises(UnknownLexiconError, match="no lexicon for the 'spanish' set"):
        lexica.choose("FISE2", SPANISH)
    add_lexicon(tmp_path, "FISE2", "CABO", distribution=SPANISH)
    assert chosen("", SPANISH, ["CSW21"]) == ("FISE2", "")
    assert chosen("FILE2017", SPANISH) == ("FISE2", "FILE2017")
    assert chosen("", load_distribution("turn-url-es"), ["CSW21"]) == ("FISE2", "")


def test_aliases_replace_missing_lexica(tmp_path):
    for name in ("NWL23", "CSW21"):
        add_lexicon(tmp_path, name, "CAB")
    lexica = Lexica(tmp_path, aliases={"NWL18": "CSW21", "CSW21": "NWL23", "MINE": "NWL77"})

    def chosen(named, aliases=()):
        choice = lexica.choose(named, ENGLISH, (), aliases)
        return choice.lexicon.name, choice.missing_lexicon

    assert chosen("nwl2018") == ("CSW21", "")
    assert chosen("NWL18", [("NWL18", "NWL23")]) == ("NWL23", ""), "the server's alias was not used"
    assert chosen("CSW21") == ("CSW21", ""), "an alias replaced an installed lexicon"
    assert chosen("MINE") == (DEFAULT_LEXICON, "MINE"), "an alias that names a missing lexicon had an effect"


@pytest.mark.parametrize(
    "text",
    ["", "NWL18", "NWL18=", "NWL18=NWL23,", "a b=c", "A=B,a=C", ",".join(f"A{n}=B" for n in range(21))],
)
def test_invalid_aliases_are_refused(text):
    with pytest.raises(ValueError, match="aliases"):
        read_aliases(text)


def test_written_aliases_can_be_read():
    assert read_aliases(" NWL18 = NWL23,CSW22=CSW24") == (("NWL18", "NWL23"), ("CSW22", "CSW24"))
    assert aliases_text(read_aliases("NWL18=NWL23,CSW22=CSW24")) == "NWL18=NWL23, CSW22=CSW24"


def test_files_from_other_programs_need_no_conversion(tmp_path):
    spell = speller(SPANISH).spell
    (tmp_path / "FISE2.kwg").write_bytes(kwg_bytes(build_word_graph([spell("LLAVE"), spell("CABO")])))
    (tmp_path / "FISE2.klv").write_bytes(klv1_bytes(leave_values_of({b"\0": 30.0})))
    (tmp_path / "FISE2.json").write_text("[" * 50_000)
    (tmp_path / "not a name.kwg").write_bytes(b"")
    (tmp_path / "CSW21.kwg").write_bytes(build_dawg([b"\3\1\2"]).tobytes())  # without a GADDAG
    (tmp_path / "english.klv2").write_bytes(klv2_bytes(leave_values_of({b"\0": 20.0})))
    lexica = Lexica(tmp_path)
    spanish = load(lexica, "FISE2")
    assert spanish.distribution is SPANISH
    assert (accepted_words(spanish), spanish.word_count, spanish.leaves.value([0])) == (
        ["CABO", "LLAVE"],
        2,
        30_000,
    )
    english = load(lexica, "CSW21")
    assert (accepted_words(english), english.leaves.value([0]), english.leaves_source) == (
        ["CAB"],
        20_000,
        "english",
    )
    assert english.graph.gaddag_root


def test_words_are_spelled_with_the_tiles_of_a_position(tmp_path):
    leaves = leave_values_of(
        {b"\0": 20.0, bytes([SPANISH.machine_letters["LL"]]): 5.0, bytes([SPANISH.machine_letters["A"]]): 1.0}
    )
    add_lexicon(tmp_path, "FISE2", "LLAVE", "PERRO", "CABO", distribution=SPANISH, leaves=leaves)
    lexica = Lexica(tmp_path)
    other = load_distribution("turn-url-es")
    lexicon = load(lexica, "FISE2", other)
    assert accepted_words(lexicon) == ["CABO", "LLAVE", "PERRO"]
    assert sorted(map(len, words_of(lexicon.graph))) == [4, 5, 5]
    assert lexicon.leaves.value([other.machine_letters["A"]]) == 1_000
    assert len(lexicon.leaves.values) == 2, "the value of LL was kept, although the set has no tile LL"
    assert sorted(map(len, words_of(load(lexica, "FISE2").graph))) == [4, 4, 4]
    add_lexicon(tmp_path, "FILE2017", "QUESO", "QATAR", distribution=SPANISH)
    assert accepted_words(load(lexica, "FILE2017", other)) == ["QuESO"], (
        "the words are not spelled with the tile Qu"
    )


@pytest.mark.parametrize(
    ("file", "data", "reason"),
    [
        ("NWL23.kwg", b"", "NWL23.kwg can't be read: "),
        ("NWL23.kwg", b"CAB\nACE\n", "NWL23.kwg can't be read: "),
        ("NWL23.kwg", b"\0\0\x40\0" * 2, "it has no words"),
        (
            "NWL23.kwg",
            kwg_bytes(build_word_graph([b"\x1b\1"])),
            "it has tile number 27, but the 'english' set only has numbers up to 26",
        ),
        ("NWL23.klv2", b"no leaves", "NWL23.klv2 can't be read: "),
    ],
)
def test_a_broken_file_is_reported(tmp_path, file, data, reason):
    add_lexicon(tmp_path, "NWL23", "CAB")
    lexica = Lexica(tmp_path)
    assert accepted_words(load(lexica, "NWL23")) == ["CAB"]
    (tmp_path / file).write_bytes(data)
    for _ in range(2):  # a failure is not cached
        with pytest.raises(LexiconError, match=reason):
            load(lexica, "NWL23")
    (tmp_path / file).unlink()
    add_lexicon(tmp_path, "NWL23", "ACE", "CAB")
    assert accepted_words(load(lexica, "NWL23")) == ["ACE", "CAB"]


def test_words_and_leaves_that_are_too_long_are_reported(tmp_path):
    # A graph without a GADDAG. Its only string has 51 tiles A.
    nodes = [0x400002, 0x400000, *(0x01400000 | index for index in range(3, 53)), 0x01C00000]
    graph = b"".join(node.to_bytes(4, "little") for node in nodes)
    (tmp_path / "NWL23.kwg").write_bytes(graph)
    with pytest.raises(LexiconError, match=r"NWL23\.kwg can't be read: a word has 1 to 50 tiles"):
        load(Lexica(tmp_path), "NWL23")
    add_lexicon(tmp_path, "FISE2", "CABO", distribution=SPANISH)
    leave_count, value = (1).to_bytes(4, "little"), bytes(4)
    (tmp_path / "FISE2.klv2").write_bytes(len(nodes).to_bytes(4, "little") + graph + leave_count + value)
    with pytest.raises(LexiconError, match="FISE2 can't be read: a word has 1 to 50 tiles"):
        load(Lexica(tmp_path), "FISE2", load_distribution("turn-url-es"))


def test_graphs_with_too_many_words_are_refused(tmp_path):
    # 2 ** 60 words in 122 nodes: each list has A and B, and the arcs of both lead to the next list.
    nodes = [0x400002, 0x400000]
    for level in range(60):
        below = 2 * level + 4 if level < 59 else 0
        nodes += [0x01800000 | below, 0x02C00000 | below]
    (tmp_path / "NWL23.kwg").write_bytes(b"".join(node.to_bytes(4, "little") for node in nodes))
    with pytest.raises(LexiconError, match="more words than any language"):
        load(Lexica(tmp_path), "NWL23")


def test_lexica_are_read_once_and_the_last_used_are_kept(tmp_path, monkeypatch):
    for name in ("A", "B", "C"):
        add_lexicon(tmp_path, name, "CAB")
    names_read = []
    read_lexicon = lexicon_folder.read_lexicon

    def record_read(*arguments):
        names_read.append(arguments[0].name)
        return read_lexicon(*arguments)

    monkeypatch.setattr(lexicon_folder, "read_lexicon", record_read)
    lexica = Lexica(tmp_path, max_loaded=2)
    loaded = []
    threads = [threading.Thread(target=lambda: loaded.append(load(lexica, "A"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, loaded))) == 1
    for name in ("B", "A", "C", "A", "B"):
        load(lexica, name)
    assert names_read == ["A", "B", "C", "B"]


def test_only_changed_graphs_and_graphs_without_properties_are_checked(tmp_path, monkeypatch):
    add_lexicon(tmp_path, "A", "CAB")
    files_checked = []
    check_graph = lexicon_folder.read_checked_graph

    def record_check(*arguments):
        files_checked.append(arguments[1])
        return check_graph(*arguments)

    monkeypatch.setattr(lexicon_folder, "read_checked_graph", record_check)
    assert accepted_words(load(Lexica(tmp_path), "A")) == ["CAB"]
    assert files_checked == []
    (tmp_path / "A.kwg").write_bytes(kwg_bytes(build_word_graph([speller(ENGLISH).spell("ACE")])))
    assert accepted_words(load(Lexica(tmp_path), "A")) == ["ACE"]
    (tmp_path / "A.json").unlink()  # other programs do not write this file
    assert accepted_words(load(Lexica(tmp_path), "A")) == ["ACE"]
    assert files_checked == ["A.kwg", "A.kwg"]


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("A.kwg", kwg_bytes(build_word_graph([speller(ENGLISH).spell("ACE")]))),
        ("A.klv2", klv2_bytes(leave_values_of({b"\0": 30.0}))),
    ],
    ids=["words", "leaves"],
)
def test_the_edition_depends_only_on_the_contents_of_the_files(tmp_path, file, data):
    add_lexicon(tmp_path, "A", "CAB", leaves=leave_values_of({b"\0": 20.0}))
    lexica = Lexica(tmp_path)
    first, path = lexica.edition(lexica.find("A")), tmp_path / file
    old_data = path.read_bytes()
    assert len(data) == len(old_data)
    path.write_bytes(data)
    os.utime(path, (1, 1))  # modification times can be too coarse for two quick changes
    assert lexica.edition(lexica.find("A")) != first
    path.write_bytes(old_data)
    os.utime(path, (2, 2))
    assert lexica.edition(lexica.find("A")) == first


def test_a_missing_folder_has_no_lexica(tmp_path):
    lexica = Lexica(tmp_path / "none")
    assert [known.name for known in lexica.installed()] == BUILT_IN_NAMES


def test_invalid_properties_are_ignored(tmp_path):
    add_lexicon(tmp_path, "NWL23", "CAB")
    for properties in ({"distribution": "klingon", "words": "many", "digest": 7}, [], "x", None):
        (tmp_path / "NWL23.json").write_text(json.dumps(properties))
        installed = Lexica(tmp_path).find("NWL23")
        assert (installed.distribution.name, installed.word_count, installed.digest) == ("english", None, "")


def test_an_english_lexicon_without_leaves_uses_the_built_in_leaves(tmp_path):
    add_lexicon(tmp_path, "NWL23", "CAB")
    lexicon = load(Lexica(tmp_path), "NWL23")
    assert lexicon.leaves_source == LEAVES_LEXICON
    assert lexicon.leaves.value([0]) > 20_000


def test_a_spanish_lexicon_without_leaves_has_no_leave_values(tmp_path):
    add_lexicon(tmp_path, "FISE2", "CABO", distribution=SPANISH)
    lexicon = load(Lexica(tmp_path), "FISE2")
    assert (lexicon.leaves, lexicon.leaves_source) == (NO_LEAVES, "")
