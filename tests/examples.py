"""The number of examples for each property test: few by default, and all with ``--hypothesis-profile thorough``."""

from hypothesis import settings

USUAL_EXAMPLES, THOROUGH_EXAMPLES = 25, 100


def thorough_examples(number: int) -> settings:
    """Return settings that try ``number`` examples in the thorough profile, and a quarter of them otherwise."""
    return settings(max_examples=max(1, number * settings.default.max_examples // THOROUGH_EXAMPLES))
