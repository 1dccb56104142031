"""Upper limits for the code that each request runs: its functions, modules, dataclasses, and moves between folders.

A road is all the project code that runs between a request and its reply. Each request runs four times. The first run fills
caches and does not count. For each figure, the lowest value of the other runs counts. With ``-s``, pytest prints a table of
all roads. If ``ROAD_LIST=1`` is also set, it prints the functions and dataclasses of each road.
"""

from __future__ import annotations

import asyncio
import json
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

import pytest
import simcord

from bot.__main__ import main
from bot.app.run import open_bot
from bot.features.puzzles.crossword import document
from bot.features.puzzles.selection import Kind
from tests.chat.conftest import make_settings
from tests.chat.test_puzzles import answer_puzzle, name_of_family, puzzle_rows, set_puzzle
from tests.chat.viewer import answer_of, click, id_of, press, replies, text_of
from tests.positions import MAVEN, row


@dataclass(frozen=True)
class Road:
    """The length of a road: distinct functions and modules, dataclasses, and changes from one folder to another."""

    functions: int
    modules: int
    kinds: int
    """Dataclasses with at least one instance."""
    instances: int
    changes: int
    """Number of pairs of consecutive calls on one thread whose code is in different folders."""


LIMITS = {
    "show": Road(functions=172, modules=45, kinds=18, instances=29, changes=136),
    "analyze": Road(functions=178, modules=48, kinds=25, instances=67, changes=134),
    "talk": Road(functions=14, modules=9, kinds=0, instances=0, changes=9),
    "paste": Road(functions=240, modules=64, kinds=20, instances=35, changes=209),
    "press Analyze": Road(functions=305, modules=75, kinds=42, instances=212, changes=374),
    "viewer step": Road(functions=315, modules=65, kinds=35, instances=223, changes=303),
    "puzzle answer": Road(functions=230, modules=48, kinds=29, instances=76, changes=183),
    "review": Road(functions=615, modules=99, kinds=67, instances=893, changes=2278),
}
"""Upper limits: the current figures. Lower a limit whenever its road gets shorter.

Goals: ``show`` at most 200 functions, 55 modules and 180 changes; ``analyze`` 180, 55 and 180; a paste at most 240 functions,
65 modules and 20 kinds; talk at most 15 functions. Where threads take turns, a limit is two functions and 1% of the changes
above the figure. The limits of the review are 1% above its figures, because it shows its progress by the clock.
"""

ROOT = Path(__file__).parents[1]
ROOMS = tuple(f"{ROOT / room}{os.sep}" for room in ("bot", "render"))
RUNS = ("120", "201", "102", "210")
"""A part of the texts that differs from run to run. All have the same digits, because a glyph is drawn only when it is new."""
SPARSE = f"{row(8, '7CAT5')} AEINRST/ 0/10 0 lex NWL23;"
NAMES = "#character-encoding UTF-8\n#player1 {0} {0}\n#player2 bob Bob\n#lexicon SCOWL80\n"
GAME = f"{NAMES}>{{0}}: AEINRST 8D NASTIER +66 66\n>bob: EIQUSOO 7H QI +26 26\n>{{0}}: AABCDEG -AB +0 66\n"
FINISHED = f"{NAMES}>{{0}}: AABCDEG -AB +0 0\n>bob: 8G QI +22 22\n#note Bob resigns\n"


class Recorder:
    """Records the calls of the project's own code, on all threads started while the recorder is installed."""

    def __init__(self):
        self.is_recording = False
        self.calls: dict[int, list[CodeType]] = defaultdict(list)
        self.kinds: list[type] = []
        self._classified: dict[int, tuple[CodeType, int | None, bool]] = {}

    @contextmanager
    def installed(self):
        """Install the recorder in all threads that start while the context is open."""
        threading.setprofile(self)
        try:
            yield self
        finally:
            threading.setprofile(None)

    @contextmanager
    def recording(self):
        """Record the calls of this thread and of the others while the context is open."""
        self.calls.clear()
        self.kinds.clear()
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
            kind = type(frame.f_locals[code.co_varnames[0]])
            if is_dataclass(kind) and kind.__module__.partition(".")[0] in {"bot", "render"}:
                self.kinds.append(kind)

    @staticmethod
    def _classify(code):
        """Return the first instruction of a function of the project, and whether code is the init of a dataclass."""
        if code.co_filename.startswith(ROOMS) and is_function(code):
            return 2 * code.co_code[::2].index(opmap["RESUME"]), False
        return None, code.co_filename == "<string>" and code.co_name == "__init__"

    @property
    def functions(self):
        return {code for codes in self.calls.values() for code in codes}

    @property
    def road(self):
        changes = 0
        for codes in self.calls.values():
            folders = [code.co_filename.rpartition(os.sep)[0] for code in codes]
            changes += sum(caller != callee for caller, callee in pairwise(folders))
        functions = self.functions
        modules = {code.co_filename for code in functions}
        return Road(len(functions), len(modules), len({*self.kinds}), len(self.kinds), changes)


def is_function(code):
    """Return whether code is a function, a method or a lambda. A comprehension is part of the function around it."""
    return code.co_name == "<lambda>" or not code.co_name.startswith("<")


@dataclass
class Measured:
    """The measured roads, and the functions on each."""

    recorder: Recorder
    runs: dict[str, list[Road]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, set[CodeType]] = field(default_factory=dict)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)

    @contextmanager
    def measuring(self, name):
        with self.recorder.recording():
            yield
        self.runs[name].append(self.recorder.road)
        self.functions[name] = self.recorder.functions
        self.kinds[name] = Counter(f"{kind.__module__}.{kind.__qualname__}" for kind in self.recorder.kinds)

    def road(self, name):
        """Return the lowest figures of the runs after the first."""
        warm = self.runs[name][1:]
        return Road(*(min(getattr(road, field.name) for road in warm) for field in fields(Road)))

    def table(self):
        """Yield the lines of a table of all roads: each figure with its limit."""
        names = [field.name for field in fields(Road)]
        yield f"{'':16}" + "".join(f"{name:>14}" for name in names)
        for road, limit in LIMITS.items():
            pairs = [(getattr(self.road(road), name), getattr(limit, name)) for name in names]
            yield f"{road:16}" + "".join(f"{f'{figure} of {limit}':>14}" for figure, limit in pairs)

    def lists(self):
        """Yield the lines that list the functions of each road by module, and its dataclasses."""
        for road in LIMITS:
            by_file = defaultdict(list)
            for code in self.functions[road]:
                by_file[str(Path(code.co_filename).relative_to(ROOT))].append(code)
            yield f"\n{road}: {len(self.functions[road])} functions in {len(by_file)} modules"
            for file, codes in sorted(by_file.items()):
                codes.sort(key=lambda code: code.co_firstlineno)
                yield f"{file} ({len(codes)}): {', '.join(code.co_qualname for code in codes)}"
            yield from (f"{number} × {kind}" for kind, number in sorted(self.kinds[road].items()))


class Unhurried(asyncio.SelectorEventLoop):
    """An event loop that delays every timer of half a second or longer until after the test.

    So the figures depend neither on timers in the background nor on how busy the machine is.
    """

    def call_at(self, when, callback, *args, context=None):  # type: ignore[override]  # the stub is generic
        is_long = when - self.time() >= 0.5
        return super().call_at(when + 3_600 * is_long, callback, *args, context=context)


def walk_without_discord(measured, folder):
    """Measure the command line."""
    file = folder / "position.cgp"
    file.write_text(f"{SPARSE}\n", encoding="utf-8")
    with chdir(folder):
        for name, options in (("show", ["--output", "board.png"]), ("analyze", [])):
            for _ in RUNS:
                with measured.measuring(name):
                    assert main([name, str(file), *options]) == 0


def settings_with_puzzles(folder):
    """Return the settings of a bot that has only the puzzles of ``puzzle_rows``."""
    puzzles = folder / "puzzles"
    puzzles.mkdir()
    lines = map(json.dumps, ({"format": document.FORMAT, "version": 1}, *puzzle_rows()))
    (puzzles / "own.json").write_text("\n".join(lines), encoding="utf-8")
    settings = make_settings(folder)
    return settings.model_copy(update={"puzzles": settings.puzzles.model_copy(update={"folder": puzzles})})


async def walk_on_discord(measured, folder):
    """Measure messages and presses."""
    async with (
        open_bot(settings_with_puzzles(folder)) as bot,
        simcord.run(bot, shard_count=1, settle_timeout=300.0) as env,
    ):
        guild = env.create_guild("Crossword club")
        people = [guild.add_member(env.create_user(f"player{number}")) for number in RUNS]
        await walk_in_channel(measured, people[0], guild.create_text_channel("positions"))
        channel = guild.create_text_channel("puzzles")
        world = SimpleNamespace(bot=bot, alice=people[0], channel=channel)
        puzzle = await set_puzzle(world, Kind.CROSSWORD, name_of_family("endgame"))
        for person in people:
            with measured.measuring("puzzle answer"):
                answer = await answer_puzzle(person, puzzle, "B9 AWE")
            assert "solved" in text_of(answer)


async def walk_in_channel(measured, person, channel):
    """Measure talk, a paste, an analysis, a step in a game and a review. Each run uses a different position or game."""

    async def post(text):
        await person.send(channel, text)
        return replies(channel)[-1]

    for number in RUNS:
        with measured.measuring("talk"):
            await person.send(channel, f"see you at {number}/7, row 8?")
    assert not replies(channel)
    boards = []
    for number in RUNS:
        with measured.measuring("paste"):
            boards.append(await post(MAVEN.replace("0/0 0", f"{number}/7 0")))
    for board in boards:
        with measured.measuring("press Analyze"):
            result = await click(person, board, custom_id=id_of(board, "analyze:"))
        assert " · best of " in text_of(answer_of(result))
    games = [await post(GAME.format(f"Ann{number}")) for number in RUNS]
    for game in games:
        with measured.measuring("viewer step"):
            await press(person, game, "previous")
    assert all("Turn 2 of 3" in text_of(message) for message in replies(channel)[-len(RUNS) :])
    games = [await post(FINISHED.format(f"Ann{number}")) for number in RUNS]
    for game in games:
        with measured.measuring("review"):
            result = await click(person, game, custom_id=id_of(game, "review:"))
        assert "quick review" in text_of(answer_of(result))


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Measure all roads, and print the table."""
    with Recorder().installed() as recorder:
        found = Measured(recorder)
        walk_without_discord(found, tmp_path_factory.mktemp("files"))
        with asyncio.Runner(loop_factory=Unhurried) as runner:
            runner.run(walk_on_discord(found, tmp_path_factory.mktemp("bot")))
    print("", *found.table(), sep="\n")
    if os.environ.get("ROAD_LIST"):
        print(*found.lists(), sep="\n")
    return found


@pytest.mark.parametrize("name", LIMITS)
def test_no_road_exceeds_its_limits(name, measured):
    road, limit = measured.road(name), LIMITS[name]
    longer = {
        field.name: (getattr(road, field.name), getattr(limit, field.name))
        for field in fields(Road)
        if getattr(road, field.name) > getattr(limit, field.name)
    }
    assert longer == {}, f"{name}: (figure, limit); ROAD_LIST=1 with -s lists the functions"
