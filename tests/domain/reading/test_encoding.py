"""The encoding of a GCG file, named in the file or guessed from its bytes."""

import codecs

import pytest

from bot.domain.reading.encoding import MAX_BYTES, decode
from bot.domain.reading.problems import ParseError

TEXT = "#player1 césar César\n#player2 úrsula Úrsula\n"
TEXT_WITH_ENCODING = "#character-encoding {}\n" + TEXT


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8"),
        TEXT.encode("latin-1"),
        codecs.BOM_UTF8 + TEXT.encode("utf-8"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
)
def test_the_encoding_is_detected_from_the_bytes(data):
    assert decode(data) == (TEXT, ())


def test_letters_of_windows_1252_are_decoded():
    text = "#title “Œuvre” – 5 €\n"
    assert decode(text.encode("cp1252")) == (text, ())


def test_bytes_outside_windows_1252_are_read_as_latin_1():
    assert decode(b"#title \x81\xe9\n")[0] == "#title \x81é\n"


@pytest.mark.parametrize("name", ["UTF-8", "utf8", "ISO-8859-1", "iso8859_1", "latin1"])
def test_usual_encodings_are_read_without_a_warning(name):
    text = TEXT_WITH_ENCODING.format(name)
    codec = "utf-8" if "8859" not in name and name != "latin1" else "latin-1"
    assert decode(text.encode(codec)) == (text, ())


@pytest.mark.parametrize(
    ("name", "codec", "letters"),
    [
        ("ISO8859-6", "iso8859-6", "لعب"),
        ("windows-1251", "cp1251", "ЖУК"),
        ("ISO-8859-2", "iso8859-2", "ŻÓŁW"),
    ],
)
def test_unusual_encodings_are_read_with_a_warning(name, codec, letters):
    text = f"#title x\n#character-encoding {name}\n#title {letters}\n"
    decoded, warnings = decode(text.encode(codec))
    assert decoded == text
    assert [(warning.code, warning.line) for warning in warnings] == [("unusual-encoding", 2)]
    assert name in warnings[0].message


def test_a_wrong_encoding_gives_a_warning():
    text = TEXT_WITH_ENCODING.format("UTF-8")
    decoded, warnings = decode(text.encode("latin-1"))
    assert decoded == text
    assert [warning.code for warning in warnings] == ["wrong-encoding"]
    decoded, warnings = decode(codecs.BOM_UTF8 + TEXT.encode("latin-1"))
    assert decoded == TEXT
    assert [warning.code for warning in warnings] == ["wrong-encoding"]


@pytest.mark.parametrize("name", ["klingon", "idna", "hex", "", "x" * 5_000, "utf-7", "punycode", "../../x"])
def test_an_unknown_encoding_is_rejected(name):
    with pytest.raises(ParseError, match="is unknown") as caught:
        decode(f"#title x\n#character-encoding {name} \n".encode())
    assert caught.value.line == 2
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"PK\x03\x04\x14\0\0\0",
        bytes(range(1, 9)) * 20,
        codecs.BOM_UTF16_LE + b"\x00\xd8x",
        TEXT.encode("utf-16-le"),
    ],
)
def test_a_binary_file_is_rejected(data):
    with pytest.raises(ParseError, match="not text"):
        decode(data)


def test_a_file_over_the_limit_is_rejected():
    with pytest.raises(ParseError, match="bytes"):
        decode(b"x" * (MAX_BYTES + 1))
