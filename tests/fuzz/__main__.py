"""Searches for inputs that make reading, writing or detection fail with an error other than a ``DomainError``.

    pip install atheris
    python -m tests.fuzz NAME [FOLDER] -max_total_time=60 -max_len=4000

NAME is a notation (``cgp gcg turn-url text json cgp-ascii fen pgn`` …), ``bytes`` (GCG files of unknown encoding) or ``detect``.
FOLDER contains inputs to start from. An input also fails if its written text changes when that text is read and written again.
Failing inputs are written to the working directory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.notations import NOTATIONS, convert, detect
from bot.domain.reading import encoding
from bot.domain.reading.problems import ConversionError, DomainError


def read_and_write(name: str, text: str) -> None:
    try:
        document = NOTATIONS[name].read(text).value
    except DomainError:
        return
    if isinstance(document, Game | ChessGame):
        for _ in document.positions():
            pass
    try:
        written_text = convert(document, name).text
    except ConversionError:
        return
    second_document = NOTATIONS[name].read(written_text).value
    if convert(second_document, name).text != written_text:
        raise AssertionError("a text changed when it was read and written again")


def check_detections(text: str) -> None:
    end = 0
    for detection in detect(text):
        if not end <= detection.start < detection.end <= len(text):
            raise AssertionError(f"detections overlap or extend beyond the text: {detection}")
        end = detection.end


def read_and_write_bytes(data: bytes) -> None:
    try:
        text, _ = encoding.decode(data)
    except DomainError:
        return
    read_and_write("gcg", text)


def target_for(name: str) -> Callable[[bytes], None]:
    if name == "bytes":
        return read_and_write_bytes
    if name == "detect":
        return lambda data: check_detections(data.decode("utf-8", "replace"))
    return lambda data: read_and_write(name, data.decode("utf-8", "replace"))


def main() -> None:
    names = (*NOTATIONS, "bytes", "detect")
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.exit(
            f"usage: python -m tests.fuzz NAME [FOLDER] [options of libFuzzer]; NAME is one of {', '.join(names)}"
        )
    try:
        import atheris  # noqa: PLC0415 - installed only for fuzzing
    except ImportError:
        sys.exit("fuzzing needs the atheris package")
    target = target_for(sys.argv.pop(1))
    atheris.instrument_all()
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
