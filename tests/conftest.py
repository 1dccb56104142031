"""Checks that apply to every test."""

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

import bot.sight  # noqa: F401 - before numpy, to which it says that one thread multiplies matrices
from bot.domain.reading.problems import Phrase
from bot.text import DOMAIN, Speaker
from tests.examples import THOROUGH_EXAMPLES, USUAL_EXAMPLES
from training.catalogues import LOCALE

# Most of what tests make dies at once, and what bots leave behind lies in circles: looking for it less often costs a
# tenth less.
gc.set_threshold(10_000, 10, 10)
# Processes started by a test import the project from any working directory.
ROOT = Path(__file__).parents[1]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))

MISSING = "the catalogues lack the sentence {!r}: python -m training.catalogues finds literals"

# The time of an example depends on the load of the machine; the benchmarks measure speed.
for profile, examples in (("usual", USUAL_EXAMPLES), ("thorough", THOROUGH_EXAMPLES)):
    hypothesis.settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
hypothesis.settings.load_profile("usual")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="replace the golden pictures and layouts by what is made"
    )


def worker_and_count(session: pytest.Session) -> tuple[int, int]:
    """Return the number of this process and how many share the whole suite: 1 where there is less to do."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return 0, 1
    return int(worker["workerid"].removeprefix("gw")), worker["workercount"]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let each of several processes begin with other modules: those the others have compiled need it no more."""
    number, processes = worker_and_count(session)
    if processes < 2:
        return
    modules = deque(sorted(Path(__file__).parent.rglob("test_*.py")))
    modules.rotate(-len(modules) * number // processes)
    for path in modules:
        if "bench" not in path.parts:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


class ByFile(LoadGroupScheduling):
    """Gives whole files to processes, and groups that are marked: what a module has computed serves all its tests."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return scope.partition("::")[0]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what one process does alone and waits in for others, so that none is left with it at the end.

    Of that, what needs the engine comes when it is compiled.
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
    """Compile the engine in one process while the others begin with what needs none; it is compiled once."""
    number, processes = worker_and_count(session)
    if processes > 1 and not number and not session.config.option.collectonly:
        import_module("bot.engine.warm_up").warm_up()


def pytest_collection_finish() -> None:
    """Look for garbage only in new objects: pytest and some tests look through everything."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _every_sentence_can_be_translated():
    """Refuse to say a sentence that the message catalogues cannot know: an argument that is not a literal in the code."""
    template = (LOCALE / f"{DOMAIN}.pot").read_bytes()
    messages = [message.id for message in read_po(io.BytesIO(template)) if message.id]
    known = {part for ids in messages for part in (ids if isinstance(ids, tuple) else (ids,))}
    say, count = Speaker.__call__, Speaker.count

    def checked_say(self, template, /, **values):
        phrases = [value for value in values.values() if isinstance(value, Phrase)]
        for sentence in (template, *phrases):
            assert sentence in known, MISSING.format(sentence)
        return say(self, template, **values)

    def checked_count(self, item, many, number, /, **values):
        assert {item, many} <= known, MISSING.format(item)
        return count(self, item, many, number, **values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Speaker, "__call__", checked_say)
        patch.setattr(Speaker, "count", checked_count)
        yield
