"""The shipped letter distributions, and their names."""

import pytest

from bot.domain.crossword.notations.turn_url.bag import read_bag
from bot.domain.crossword.rules import (
    BLANK,
    canonical_by_alias,
    distribution_names,
    distribution_of_lexicon,
    find_distribution,
    load_distribution,
    super_distribution,
)
from tests.domain.shared import needs_corpus, read_table

# Numbers of tiles in a full bag, as the sets are sold or published.
TOTALS = {
    "catalan": 100,
    "crossplay": 100,
    "english": 100,
    "english_super": 200,
    "french": 102,
    "german": 102,
    "letter_league": 100,
    "norwegian": 100,
    "polish": 100,
    "spanish": 100,
    "wordfeud": 104,
    "words_with_friends": 104,
}

MISSING_FROM_SHARED_DATA = {
    "crossplay",
    "letter_league",
    "turn-url-en",
    "turn-url-es",
    "wordfeud",
    "words_with_friends",
}
"""The README of the shipped data names the sources of these distributions."""


@pytest.mark.parametrize("name", distribution_names())
def test_every_distribution_is_consistent(name):
    distribution = load_distribution(name)
    assert distribution.letters[BLANK].text == "?"
    assert distribution.points(BLANK) == distribution.points(-1) == 0
    assert distribution.total == sum(distribution.counts) > 80
    assert len(distribution.letters) == len({letter.text for letter in distribution.letters}) <= 45
    for number, letter in enumerate(distribution.letters):
        assert distribution.machine_letters[letter.text] == number
        assert distribution.machine_letters[letter.blank_text] == -number
        assert distribution.text(number) == letter.text
        assert distribution.text(-number) == letter.blank_text
        assert distribution.pattern.fullmatch(letter.text)


@pytest.mark.parametrize(("name", "total"), TOTALS.items())
def test_a_distribution_has_its_published_number_of_tiles(name, total):
    assert load_distribution(name).total == total


def test_the_english_distribution_has_187_points():
    assert sum(letter.count * letter.points for letter in load_distribution("english").letters) == 187


@needs_corpus
@pytest.mark.parametrize("name", sorted({*distribution_names()} - MISSING_FROM_SHARED_DATA))
def test_every_distribution_matches_the_shared_data(name):
    rows = read_table(f"data/letter_distributions/{name}.tsv")
    expected = {(row["tile"], int(row["count"]), int(row["points"])) for row in rows}
    assert {
        (letter.text, letter.count, letter.points) for letter in load_distribution(name).letters
    } == expected


def test_an_unknown_distribution_is_not_found():
    with pytest.raises(KeyError):
        load_distribution("klingon")
    assert find_distribution("klingon") is None
    assert distribution_of_lexicon("klingon") is None


@needs_corpus
def test_aliases_in_the_shared_data_are_known():
    for row in read_table("data/aliases.tsv"):
        if row["kind"] == "ld":
            found = find_distribution(row["alias"])
            assert found is not None
            assert found.name == row["canonical"]
        if row["kind"] == "lexprefix":
            assert distribution_of_lexicon(row["alias"].lower() + "21") == load_distribution(row["canonical"])
    assert canonical_by_alias("ld")["super_english"] == "english_super"


def test_a_language_may_have_a_distribution_for_a_large_board():
    assert super_distribution(load_distribution("english")).total == 200
    assert super_distribution(load_distribution("polish")) is load_distribution("polish")


def test_the_longest_tile_is_matched():
    spanish = load_distribution("spanish")
    assert spanish.pattern.findall("CHLLRRchC") == ["CH", "LL", "RR", "ch", "C"]


def test_tuvan_blanks_are_written_in_brackets_and_also_read_in_lower_case():
    tuvan = load_distribution("tuvan")
    assert tuvan.letters[tuvan.machine_letters["Я"]].blank_text == "[Я]"
    assert tuvan.machine_letters["я"] == tuvan.machine_letters["[Я]"] == -tuvan.machine_letters["Я"]


def test_turn_url_distributions_match_the_specification():
    for language in ("en", "es"):
        bag = {
            (letter.text or "?", letter.count, letter.points) for letter in read_bag(language, 225).letters
        }
        known = load_distribution(f"turn-url-{language}").letters
        assert {(letter.text, letter.count, letter.points) for letter in known} == bag
