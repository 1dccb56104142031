"""What every test is held to."""

import os
from pathlib import Path

import hypothesis
import pytest

from bot.domain.reading.problems import Phrase
from bot.text import Speaker
from bot.text.catalogues import extract
from tests.examples import THOROUGH, USUAL

# Processes that a test has started import the house from wherever the test has gone.
ROOT = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH", ""))))

# How long an example takes depends on what else the machine does; the benchmarks measure speed.
for profile, examples in (("usual", USUAL), ("thorough", THOROUGH)):
    hypothesis.settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile("usual")


@pytest.fixture(scope="session", autouse=True)
def _every_sentence_can_be_translated():
    """Refuse to say a sentence that the message catalogues cannot know: one that is no literal in the code."""
    messages = extract()
    known = {message.singular for message in messages} | {message.plural for message in messages}
    say, count = Speaker.__call__, Speaker.count

    def checked_say(self, template, /, **values):
        phrases = [value for value in values.values() if isinstance(value, Phrase)]
        for sentence in (template, *phrases):
            assert sentence in known, f"bot.text.catalogues does not find the sentence {sentence!r}"
        return say(self, template, **values)

    def checked_count(self, one, many, number, /, **values):
        assert {one, many} <= known, f"bot.text.catalogues does not find the sentences {one!r} and {many!r}"
        return count(self, one, many, number, **values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Speaker, "__call__", checked_say)
        patch.setattr(Speaker, "count", checked_count)
        yield
