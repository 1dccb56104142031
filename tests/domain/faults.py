"""Checks that a reading has no faults, and returns its value."""

from typing import Any

from bot.domain.reading.problems import Reading


def value_without_faults(reading: Reading[Any]) -> Any:
    assert (reading.warnings, reading.error) == ((), None)
    return reading.value
