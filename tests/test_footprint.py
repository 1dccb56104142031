"""Upper limits for the amount of code that a request runs: functions, modules, dataclasses, and moves between folders.

Only the project's code counts, from the request to its reply. Each request is made four times. The first run fills caches and
does not count. Each figure is the lowest value of the other three. With ``-s``, pytest prints a table of all figures, and with
``FOOTPRINT_LIST=1`` also the functions and dataclasses that each request uses.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
from collections import Counter, defaultdict
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import pairwise
from opcode import opmap
from pathlib import Path
from types import CodeType, SimpleNamespace

import msgspec
import pytest
import simcord

from bot.__main__ import main
from bot.app.run import open_bot
from bot.features.puzzles.selection import PuzzleKind
from tests.chat.actions import click, id_of, press, replies, reply_of, text_of
from tests.chat.conftest import make_settings
from tests.chat.test_puzzles import (
    answer_puzzle,
    crossword_file,
    post_puzzle,
    puzzle_name_in_family,
    puzzle_rows,
)
from tests.positions import MAVEN, one_row_board


@dataclass(frozen=True)
class Footprint:
    """The amount of code that a request runs. Each function, module and dataclass counts only once."""

    functions: int
    modules: int
    dataclasses: int
    """Number of dataclasses with at least one new instance."""
    instances: int
    """Number of new instances of these dataclasses."""
    folder_changes: int
    """Number of times that two consecutive calls on a thread run code in different folders."""


LIMITS = {
    "show": Footprint(functions=171, modules=44, dataclasses=18, instances=29, folder_changes=131),
    "analyze": Footprint(functions=175, modules=46, dataclasses=24, instances=66, folder_changes=128),
    "ordinary chat": Footprint(functions=14, modules=9, dataclasses=0, instances=0, folder_changes=9),
    "paste": Footprint(functions=239, modules=63, dataclasses=20, instances=35, folder_changes=209),
    "press Analyze": Footprint(functions=302, modules=74, dataclasses=42, instances=172, folder_changes=365),
    "viewer step": Footprint(functions=315, modules=64, dataclasses=34, instances=213, folder_changes=299),
    "puzzle answer": Footprint(functions=225, modules=48, dataclasses=29, instances=63, folder_changes=176),
    "review": Footprint(functions=611, modules=98, dataclasses=63, instances=857, folder_changes=2030),
}
"""The upper limits, by request. Lower a limit whenever its figure falls.

Most limits are the current figures. Where the order of threads varies, the limits allow two more functions and 1% more folder
changes. The limits for a review are 1% higher than its figures.
"""

ROOT = Path(__file__).parents[1]
SOURCE_FOLDERS = tuple(f"{ROOT / package}{os.sep}" for package in ("bot", "render"))
RUN_NUMBERS = ("120", "201", "102", "210")
"""A number for the text of each run, so that no two runs have the same text. The numbers consist of the same digits, because
drawing a digit for the first time runs more code."""
ONE_WORD_BOARD = f"{one_row_board(8, '7CAT5')} AEINRST/ 0/10 0 lex NWL23;"
HEADER = "#character-encoding UTF-8\n#player1 {0} {0}\n#player2 bob Bob\n#lexicon SCOWL80\n"
GAME = f"{HEADER}>{{0}}: AEINRST 8D NASTIER +66 66\n>bob: EIQUSOO 7H QI +26 26\n>{{0}}: AABCDEG -AB +0 66\n"
FINISHED_GAME = f"{HEADER}>{{0}}: AABCDEG -AB +0 0\n>bob: 8G QI +22 22\n#note Bob resigns\n"


class Recorder:
    """Records calls of the project's functions, and new instances of its dataclasses."""

    def __init__(self):
        self.is_recording = False
        self.calls: dict[int, list[CodeType]] = defaultdict(list)
        """Calls by thread, in order."""
        self.instances: list[type] = []
        self._classified: dict[int, tuple[CodeType, int | None, bool]] = {}

    @contextmanager
    def installed(self):
        threading.setprofile(self)
        try:
            yield self
        finally:
            threading.setprofile(None)

    @contextmanager
    def recording(self):
        """Record this thread, and threads started since the recorder was installed. Forget earlier records."""
        self.calls.clear()
        self.instances.clear()
        self.is_recording = True
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)
            self.is_recording = False

    def __call__(self, frame, event, _):
        if event != "call" or not self.is_recording:
            return
        code = frame.f_code
        classified = self._classified.get(id(code))
        if classified is None:
            # A reference to the code keeps its id from being reused.
            classified = self._classified[id(code)] = (code, *self._classify(code))
        _, first_instruction, is_init = classified
        # A coroutine counts when it starts, not each time it resumes.
        if frame.f_lasti == first_instruction:
            self.calls[threading.get_ident()].append(code)
        elif is_init:
            created = type(frame.f_locals[code.co_varnames[0]])
            if is_dataclass(created) and created.__module__.partition(".")[0] in {"bot", "render"}:
                self.instances.append(created)

    @staticmethod
    def _classify(code):
        """Return the offset of a project function's first instruction, and whether the code may be a dataclass's ``__init__``.

        The offset is None for other code.
        """
        if code.co_filename.startswith(SOURCE_FOLDERS) and is_function(code):
            return 2 * code.co_code[::2].index(opmap["RESUME"]), False
        return None, code.co_filename == "<string>" and code.co_name == "__init__"

    @property
    def functions(self):
        return {code for codes in self.calls.values() for code in codes}

    @property
    def footprint(self):
        folder_changes = 0
        for codes in self.calls.values():
            folders = [code.co_filename.rpartition(os.sep)[0] for code in codes]
            folder_changes += sum(earlier != later for earlier, later in pairwise(folders))
        functions = self.functions
        modules = {code.co_filename for code in functions}
        dataclasses = {*self.instances}
        return Footprint(len(functions), len(modules), len(dataclasses), len(self.instances), folder_changes)


def is_function(code):
    """Return whether code is a function, a method or a lambda. A comprehension is part of the function around it."""
    return code.co_name == "<lambda>" or not code.co_name.startswith("<")


@dataclass
class Measurements:
    """The footprints of all runs of each request, and the functions and dataclass instances of its last run."""

    recorder: Recorder
    runs: dict[str, list[Footprint]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, set[CodeType]] = field(default_factory=dict)
    instances: dict[str, Counter[str]] = field(default_factory=dict)

    @contextmanager
    def measuring(self, request_name):
        with self.recorder.recording():
            yield
        self.runs[request_name].append(self.recorder.footprint)
        self.functions[request_name] = self.recorder.functions
        self.instances[request_name] = Counter(
            f"{kind.__module__}.{kind.__qualname__}" for kind in self.recorder.instances
        )

    def footprint(self, request_name):
        warm_runs = self.runs[request_name][1:]
        return Footprint(*(min(getattr(run, field.name) for run in warm_runs) for field in fields(Footprint)))

    def table(self):
        names = [field.name for field in fields(Footprint)]
        yield f"{'':16}" + "".join(f"{name:>16}" for name in names)
        for request_name, limit in LIMITS.items():
            pairs = [(getattr(self.footprint(request_name), name), getattr(limit, name)) for name in names]
            yield f"{request_name:16}" + "".join(f"{f'{figure} of {limit}':>16}" for figure, limit in pairs)

    def lists(self):
        for request_name in LIMITS:
            by_file = defaultdict(list)
            for code in self.functions[request_name]:
                by_file[str(Path(code.co_filename).relative_to(ROOT))].append(code)
            yield f"\n{request_name}: {len(self.functions[request_name])} functions in {len(by_file)} modules"
            for file, codes in sorted(by_file.items()):
                codes.sort(key=lambda code: code.co_firstlineno)
                yield f"{file} ({len(codes)}): {', '.join(code.co_qualname for code in codes)}"
            yield from (f"{number} × {name}" for name, number in sorted(self.instances[request_name].items()))


class LateTimersEventLoop(asyncio.SelectorEventLoop):
    """An event loop that delays timers of half a second or longer until after the test.

    Otherwise, background tasks would make the figures depend on how busy the machine is.
    """

    def call_at(self, when, callback, *args, context=None):  # type: ignore[override]  # the stub is generic
        is_long = when - self.time() >= 0.5
        return super().call_at(when + 3_600 * is_long, callback, *args, context=context)


def measure_command_line(measurements, folder):
    file = folder / "position.cgp"
    file.write_text(f"{ONE_WORD_BOARD}\n", encoding="utf-8")
    with chdir(folder):
        for name, options in (("show", ["--output", "board.png"]), ("analyze", [])):
            for _ in RUN_NUMBERS:
                with measurements.measuring(name):
                    assert main([name, str(file), *options]) == 0


def settings_with_puzzles(folder):
    puzzles = folder / "puzzles"
    puzzles.mkdir()
    (puzzles / "own.json").write_text(crossword_file(*puzzle_rows()), encoding="utf-8")
    settings = make_settings(folder)
    return msgspec.structs.replace(
        settings, puzzles=msgspec.structs.replace(settings.puzzles, folder=puzzles)
    )


async def measure_bot(measurements, folder):
    async with (
        open_bot(settings_with_puzzles(folder)) as bot,
        simcord.run(bot, shard_count=1, settle_timeout=300.0) as env,
    ):
        guild = env.create_guild("Crossword club")
        people = [guild.add_member(env.create_user(f"player{number}")) for number in RUN_NUMBERS]
        await measure_channel(measurements, people[0], guild.create_text_channel("positions"))
        channel = guild.create_text_channel("puzzles")
        world = SimpleNamespace(bot=bot, alice=people[0], channel=channel)
        puzzle = await post_puzzle(world, PuzzleKind.CROSSWORD, puzzle_name_in_family("endgame"))
        for person in people:
            with measurements.measuring("puzzle answer"):
                reply = await answer_puzzle(person, puzzle, "B9 AWE")
            assert "solved" in text_of(reply)


async def measure_channel(measurements, person, channel):
    async def post(text):
        await person.send(channel, text)
        return replies(channel)[-1]

    for number in RUN_NUMBERS:
        with measurements.measuring("ordinary chat"):
            await person.send(channel, f"see you at {number}/7, row 8?")
    assert not replies(channel)
    boards = []
    for number in RUN_NUMBERS:
        with measurements.measuring("paste"):
            boards.append(await post(MAVEN.replace("0/0 0", f"{number}/7 0")))
    for board in boards:
        with measurements.measuring("press Analyze"):
            result = await click(person, board, custom_id=id_of(board, "analyze:"))
        assert " · best of " in text_of(reply_of(result))
    games = [await post(GAME.format(f"Ann{number}")) for number in RUN_NUMBERS]
    for game in games:
        with measurements.measuring("viewer step"):
            await press(person, game, "previous")
    assert all("Turn 2 of 3" in text_of(message) for message in replies(channel)[-len(RUN_NUMBERS) :])
    games = [await post(FINISHED_GAME.format(f"Ann{number}")) for number in RUN_NUMBERS]
    for game in games:
        with measurements.measuring("review"):
            result = await click(person, game, custom_id=id_of(game, "review:"))
        assert "quick review" in text_of(reply_of(result))


@pytest.fixture(scope="module")
def measurements(tmp_path_factory):
    with Recorder().installed() as recorder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.features.review.crossword.review.PROGRESS_INTERVAL", 3_600.0)
        patch.setattr("bot.features.review.crossword.judging.MAX_WALL_TIME_FACTOR", math.inf)
        measurements = Measurements(recorder)
        measure_command_line(measurements, tmp_path_factory.mktemp("files"))
        with asyncio.Runner(loop_factory=LateTimersEventLoop) as runner:
            runner.run(measure_bot(measurements, tmp_path_factory.mktemp("bot")))
    print("", *measurements.table(), sep="\n")
    if os.environ.get("FOOTPRINT_LIST"):
        print(*measurements.lists(), sep="\n")
    return measurements


@pytest.mark.parametrize("request_name", LIMITS)
def test_no_footprint_exceeds_its_limits(request_name, measurements):
    footprint, limit = measurements.footprint(request_name), LIMITS[request_name]
    exceeded = {
        field.name: (getattr(footprint, field.name), getattr(limit, field.name))
        for field in fields(Footprint)
        if getattr(footprint, field.name) > getattr(limit, field.name)
    }
    assert exceeded == {}, f"{request_name}: (figure, limit); FOOTPRINT_LIST=1 with -s lists the functions"
