"""Player names that users type into a form, and the stored confidence in positions read from pictures."""

from __future__ import annotations

from bot.chat.markdown import one_line
from bot.domain.crossword.notations import cgp, json_document
from bot.features.showing.correction import MAX_LINE_LENGTH, MAX_NAME_LENGTH, crossword_form, names_from_form
from bot.features.showing.findings import FoundDocument, PictureConfidence
from bot.text import translator

POSITION = "15/15/15/15/15/3F11/3O11/3UNIVERSaL3/3N11/3T11/15/15/15/15/15 AEINRST/ 207/134 0"


def position_with_names(*names: str) -> FoundDocument:
    return FoundDocument("cgp", POSITION, cgp.read(POSITION).value).with_names(names)


def test_a_position_with_names_becomes_json():
    found = position_with_names("a_b", "*c*")
    assert found.format == "json"
    assert json_document.read(found.text).value == found.document
    assert position_with_names().format == "cgp"


def test_the_first_comma_separates_the_names():
    assert names_from_form({"names": " Ann  B ,c"}) == ("Ann B", "c")
    assert names_from_form({"names": "Ann"}) == ("Ann", "")
    assert names_from_form({"names": ",Bob"}) == ("", "Bob")
    assert names_from_form({"names": "Ann, Smith, Bob"}) == ("Ann", "Smith, Bob")
    assert names_from_form({"names": " , \u200b"}) == names_from_form({}) == ()


def test_any_typed_text_becomes_valid_names():
    for names_text in ("x" * 400 + ",y", "a\nb\0c\u2028,\u202egpj.exe", "\ud800, \U000e0041b", "%0A,name:%"):
        names = names_from_form({"names": names_text})
        assert names == tuple(one_line(name, MAX_NAME_LENGTH) for name in names)
        found = position_with_names(*names)
        assert json_document.read(found.text).value == found.document
        assert [player.name for player in found.position.players] == list(names)


def test_a_form_is_filled_in_with_names_that_fit_on_its_line():
    for names in (("Ann", ""), ("x" * 400, "y" * 400), ("", "")):
        fields = {
            field.name: field.value
            for field in crossword_form(position_with_names(*names).position, translator("en"))
        }
        assert len(fields["names"]) <= MAX_LINE_LENGTH
        assert names_from_form(fields) == (
            tuple(one_line(name, MAX_NAME_LENGTH) for name in names) if any(names) else ()
        )


def test_a_confidence_stored_by_an_older_version_is_read():
    stored_confidence = PictureConfidence.from_line("sides turn scores H8")
    assert stored_confidence == PictureConfidence(
        is_confident=False, doubtful_squares=("H8",), has_scores=True
    )
    assert stored_confidence.to_line() == "sides turn scores H8"
    line = "confident sides turn board_alone rack rack_doubtful scores scores_doubtful highlighted odd_squares odd_tiles H8"
    full_confidence = PictureConfidence.from_line(line)
    assert full_confidence.doubtful_squares == ("H8",)
    assert full_confidence.to_line() == line
