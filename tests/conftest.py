"""Checks and settings for all tests, and the distribution of tests among processes."""

import gc
import io
import os
from collections import deque
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest
from babel.messages.pofile import read_po
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

import bot.sight  # noqa: F401 - imported before numpy, because it limits numpy's matrix products to one thread
from bot.domain.reading.problems import Phrase
from bot.text import CATALOGUE_NAME, Translator
from tests.examples import THOROUGH_EXAMPLES, USUAL_EXAMPLES
from training.catalogues import LOCALE_FOLDER

# Most objects in a test are freed without garbage collection, so less frequent collection saves a tenth of the time. It is not
# turned off, because bots leave reference cycles.
gc.set_threshold(10_000, 10, 10)
# Processes started by tests import the project from any working directory.
ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))

MISSING = "{!r} is missing from the catalogues. Is it a string literal? python -m training.catalogues finds nothing else."

# Examples have no deadline, because their run time depends on the machine's load.
for profile, examples in (("usual", USUAL_EXAMPLES), ("thorough", THOROUGH_EXAMPLES)):
    hypothesis.settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile("usual")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="replace the golden images and layouts with the current output",
    )


def worker_index_and_count(session: pytest.Session) -> tuple[int, int]:
    """Return the index of this process and the number of processes, or (0, 1) without xdist or if only part of the suite runs."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return 0, 1
    return int(worker["workerid"].removeprefix("gw")), worker["workercount"]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import the test modules in a different order in each process, so that the processes share the work of compiling them."""
    index, process_count = worker_index_and_count(session)
    if process_count < 2:
        return
    modules = deque(sorted(Path(__file__).parent.rglob("test_*.py")))
    modules.rotate(-len(modules) * index // process_count)
    for path in modules:
        if "bench" not in path.parts:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


class FileScheduling(LoadGroupScheduling):
    """Assigns whole files and marked groups to processes, because tests in a module share expensive results."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling:
    return FileScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run marked groups first, and then the rest of ``tests/wire``, which waits for the bot's processes.

    A group runs in a single process. If it ran last, the other processes would be idle. Within each part, tests that need
    the engine come last, because the engine is still being compiled when the run starts.
    """
    items.sort(
        key=lambda item: (
            item.get_closest_marker("xdist_group") is None,
            "wire" not in item.path.parts,
            "_compiled" in getattr(item, "fixturenames", ()),
        )
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Compile the engine in one process, while the others begin with tests that do not need it."""
    index, process_count = worker_index_and_count(session)
    if process_count > 1 and not index and not session.config.option.collectonly:
        import_module("bot.engine.warm_up").warm_up()


def pytest_collection_finish() -> None:
    """Exclude existing objects from garbage collection, because pytest and some tests call ``gc.collect``."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _every_sentence_can_be_translated():
    """Fail if the bot writes a sentence that is missing from the catalogues.

    The catalogues contain only sentences that are literals in the code.
    """
    template = (LOCALE_FOLDER / f"{CATALOGUE_NAME}.pot").read_bytes()
    messages = [message.id for message in read_po(io.BytesIO(template)) if message.id]
    sentences = {part for ids in messages for part in (ids if isinstance(ids, tuple) else (ids,))}
    translate, translate_plural = Translator.__call__, Translator.plural

    def checked_translate(self, template, /, **values):
        phrases = [value for value in values.values() if isinstance(value, Phrase)]
        for sentence in (template, *phrases):
            assert sentence in sentences, MISSING.format(sentence)
        return translate(self, template, **values)

    def checked_plural(self, singular, plural, number, /, **values):
        assert {singular, plural} <= sentences, MISSING.format(singular)
        return translate_plural(self, singular, plural, number, **values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Translator, "__call__", checked_translate)
        patch.setattr(Translator, "plural", checked_plural)
        yield
