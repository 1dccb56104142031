"""Fuzz target for Turn URLs: whatever the text, only the domain's own errors come out.

Run with atheris installed: ``python -m tests.fuzz.turn_url -max_len=4000``.
"""

from __future__ import annotations

import sys

try:
    import atheris
except ModuleNotFoundError:
    atheris = None

from bot.domain.errors import DomainError
from bot.domain.formats import turn_url


def one_input(data: bytes) -> None:
    """Read, write, merge and play through what the bytes say."""
    text = data.decode("utf-8", "replace")
    for start, end in turn_url.find(text):
        assert 0 <= start < end <= len(text)
    try:
        value = turn_url.read(text).value
    except DomainError:
        return
    assert turn_url.read(turn_url.write(value)).value == value
    try:
        turn_url.live_game(value)
        replayed = turn_url.replay(value).value
        turn_url.history_of(replayed.game)
    except DomainError:
        return
    for _ in replayed.game.positions():
        pass


def main() -> None:
    """Hand the target to atheris."""
    if atheris is None:
        sys.exit("atheris is not installed")
    atheris.instrument_all()
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
