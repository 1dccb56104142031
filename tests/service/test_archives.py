"""ZIP archives are read within limits."""

import io
import struct
import time
import zipfile

import pytest
from hypothesis import given, settings, strategies as st

from bot.chat.source import Attachment, Source
from bot.features.showing.reading.archives import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    ZIP_SIGNATURE,
    ArchiveError,
    files_of,
)
from bot.features.showing.reading.documents import read_source
from tests.positions import MAVEN


def zip_of(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_files_are_listed_in_archive_order_without_folders():
    data = zip_of([("b/", b""), ("b/two.gcg", b"2"), ("a.gcg", b"1"), ("b/two.gcg.txt", b"")])
    assert data.startswith(ZIP_SIGNATURE)
    assert list(files_of(data)) == [("b/two.gcg", b"2"), ("a.gcg", b"1"), ("b/two.gcg.txt", b"")]


def test_a_file_without_a_name_is_read_from_an_archive():
    data = bytearray(zip_of([("a", b"1"), ("b", b"2")]))
    for signature, length_offset, name_offset in ((b"PK\x03\x04", 26, 30), (b"PK\x01\x02", 28, 46)):
        offset = data.index(signature)
        data[offset + length_offset : offset + length_offset + 2] = bytes(2)
        del data[offset + name_offset]
    offset = data.index(b"PK\x05\x06")
    data[offset + 12 : offset + 20] = struct.pack(
        "<II", offset - data.index(b"PK\x01\x02"), data.index(b"PK\x01\x02")
    )
    offset = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    data[offset + 42 : offset + 46] = struct.pack("<I", data.index(b"PK\x03\x04", 1))
    assert list(files_of(bytes(data))) == [("", b"1"), ("b", b"2")]
    assert not read_source(Source("", (Attachment("a.zip", bytes(data)),))).documents


@pytest.mark.parametrize(
    "files",
    [
        [("bomb", bytes(MAX_FILE_BYTES + 1))],
        [(f"{number}", bytes(MAX_FILE_BYTES)) for number in range(MAX_TOTAL_BYTES // MAX_FILE_BYTES + 1)],
        [(f"{number}", b"") for number in range(MAX_FILES + 1)],
        [
            ("a", zip_of([("b", zip_of([("bomb", bytes(MAX_FILE_BYTES + 1))]))])),
            ("bomb", bytes(MAX_FILE_BYTES + 1)),
        ],
    ],
    ids=["one file", "all files", "many files", "beside a nested bomb"],
)
def test_a_zip_bomb_is_refused(files):
    data = zip_of(files)
    assert len(data) < 200_000
    with pytest.raises(ArchiveError, match="than"):
        list(files_of(data))


def test_a_hundred_thousand_files_are_refused_quickly():
    data = zip_of([(f"{number:x}", b"") for number in range(100_000)], zipfile.ZIP_STORED)
    start_time = time.process_time()
    with pytest.raises(ArchiveError, match="files"):
        list(files_of(data))
    assert time.process_time() - start_time < 10


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "C:\\x", "..\\..\\x", "a/../../b", "\u202egcg.a", "@everyone"]
)
def test_files_with_unsafe_names_are_never_written_to_disk(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    findings = read_source(Source("", (Attachment("a.zip", zip_of([(name, MAVEN.encode())])),)))
    assert [found.format for found in findings.documents] == ["cgp"]
    assert list(tmp_path.iterdir()) == []


def test_nested_archives_are_not_opened():
    data = zip_of([("a.cgp", MAVEN.encode())])
    for _ in range(30):
        data = zip_of([("a.zip", data)])
    assert not read_source(Source("", (Attachment("a.zip", data),))).documents


def test_a_file_that_understates_its_size_is_refused():
    data = bytearray(zip_of([("bomb", bytes(MAX_FILE_BYTES + 1))]))
    offset = data.index(b"PK\x01\x02")
    data[offset + 24 : offset + 28] = struct.pack("<I", 10)
    with pytest.raises(ArchiveError):
        list(files_of(bytes(data)))


def test_encrypted_and_unsupported_archives_are_refused():
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with pytest.raises(ArchiveError, match="unsupported method"):
            list(files_of(zip_of([("a", b"text" * 100)], method)))
    data = bytearray(zip_of([("a", b"text")]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ArchiveError, match="encrypted"):
        list(files_of(bytes(data)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_archive_is_reported_or_read(data):
    archive = bytearray(zip_of([("a.cgp", MAVEN.encode()), ("b", b"text" * 50)]))
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(4, len(archive) - 1))] = data.draw(st.integers(0, 255))
    del archive[data.draw(st.integers(5, len(archive))) :]
    try:
        assert sum(len(content) for _, content in files_of(bytes(archive))) <= MAX_TOTAL_BYTES
    except ArchiveError as error:
        assert error.message  # noqa: PT017 - either outcome is allowed


def test_a_source_includes_the_files_in_its_archives():
    inner_archive = zip_of([("cgp", MAVEN.encode())])
    data = zip_of(
        [
            ("a.cgp", MAVEN.encode()),
            ("notes.txt", b"nothing"),
            ("p.png", b"\x89PNG\0"),
            ("c.zip", inner_archive),
        ]
    )
    findings = read_source(Source("", (Attachment("games.zip", data),)))
    assert [found.format for found in findings.documents] == ["cgp"]
    assert not findings.unreadable_texts
    damaged_findings = read_source(Source("", (Attachment("games.zip", data[:-30]),)))
    assert [unreadable.error.message for unreadable in damaged_findings.unreadable_texts] == [
        "the archive is damaged"
    ]
