"""The number of examples for each property test: few by default, more with ``--hypothesis-profile thorough``."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

USUAL_EXAMPLES, THOROUGH_EXAMPLES = 25, 100


def thorough_examples(number: int) -> settings:
    """Return settings that try ``number`` examples in the thorough profile, and a quarter as many otherwise."""
    return settings(max_examples=max(1, number * settings.default.max_examples // THOROUGH_EXAMPLES))


def usual_and_long(usual: int, long: int) -> pytest.MarkDecorator:
    """Run a test with two values of ``number``. The larger value is marked ``long``."""
    numbers = [thorough_examples(usual).max_examples, pytest.param(long, marks=pytest.mark.long)]
    return pytest.mark.parametrize("number", numbers)


def try_examples(number: int, check: Callable[..., None], *strategies: SearchStrategy[object]) -> None:
    settings(max_examples=number)(given(*strategies)(check))()
