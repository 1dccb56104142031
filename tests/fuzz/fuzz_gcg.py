"""Search for bytes that make the GCG reader fail otherwise than with an error of the domain.

    pip install atheris
    python -m tests.fuzz.fuzz_gcg corpus/ -max_len=20000

``corpus/`` is a folder of GCG files to start from; what is found is written to the working directory.
"""

import sys

from bot.domain.errors import DomainError
from bot.domain.formats import gcg


def attempt(data: bytes) -> None:
    """Do with some bytes all that can be done; other exceptions than the domain's own pass through."""
    try:
        text, _ = gcg.decode(data)
        reading = gcg.read(text)
        for _ in reading.value.positions():
            pass
        written = gcg.write(reading.value)
    except DomainError:
        return
    again = gcg.read(written)
    if gcg.write(again.value) != written:
        raise AssertionError("writing what was written gives another text")


def main() -> None:
    """Fuzz until stopped."""
    try:
        import atheris  # noqa: PLC0415 - only who fuzzes has it
    except ImportError:
        sys.exit("fuzzing needs the package atheris")
    atheris.instrument_all()
    atheris.Setup(sys.argv, attempt)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
