"""On how many examples a property is tried: few each time, all with ``--hypothesis-profile thorough``."""

from hypothesis import settings

USUAL, THOROUGH = 25, 100


def up_to(number: int) -> settings:
    """Return the settings of a property that takes ``number`` examples to find a rare fault."""
    return settings(max_examples=max(1, number * settings.default.max_examples // THOROUGH))
