"""Search for inputs that make a reader fail otherwise than with an error of the domain.

    pip install atheris
    python -m tests.fuzz NAME [FOLDER] -max_total_time=60 -max_len=4000

NAME is a notation (``cgp gcg turn-url text json cgp-ascii fen pgn`` …), ``bytes`` (files of unknown encoding) or ``detect``. FOLDER
holds inputs to start from; what is found is written to the working directory. Written text must read back to the same
text when it is written again.
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
    """Do with a text all that can be done in one notation."""
    try:
        document = NOTATIONS[name].read(text).value
    except DomainError:
        return
    if isinstance(document, Game | ChessGame):
        for _ in document.positions():
            pass
    try:
        written = convert(document, name).text
    except ConversionError:
        return
    again = NOTATIONS[name].read(written).value
    if convert(again, name).text != written:
        raise AssertionError("writing what was written gives another text")


def find(text: str) -> None:
    """Detect, and check that the detections are in order and apart."""
    end = 0
    for detection in detect(text):
        if not end <= detection.start < detection.end <= len(text):
            raise AssertionError(f"detections overlap or lie outside: {detection}")
        end = detection.end


def decode(data: bytes) -> None:
    """Decode a file, then do with it what is done with a GCG."""
    try:
        text, _ = encoding.decode(data)
    except DomainError:
        return
    read_and_write("gcg", text)


def target(name: str) -> Callable[[bytes], None]:
    """Return what is done with the bytes of one input."""
    if name == "bytes":
        return decode
    if name == "detect":
        return lambda data: find(data.decode("utf-8", "replace"))
    return lambda data: read_and_write(name, data.decode("utf-8", "replace"))


def main() -> None:
    """Fuzz until stopped."""
    names = (*NOTATIONS, "bytes", "detect")
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.exit(
            f"usage: python -m tests.fuzz NAME [FOLDER] [options of libFuzzer]; NAME is one of {', '.join(names)}"
        )
    try:
        import atheris  # noqa: PLC0415 - only who fuzzes has it
    except ImportError:
        sys.exit("fuzzing needs the package atheris")
    attempt = target(sys.argv.pop(1))
    atheris.instrument_all()
    atheris.Setup(sys.argv, attempt)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
