"""The arrows between the rooms hold: who may import whom (the contracts are in ``pyproject.toml``)."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house import PICTURE, drawn
from tests.storage.migrated import NAME, put_database

ROOT = Path(__file__).parents[1]
DOMAIN = sorted((ROOT / "bot" / "domain").rglob("*.py"))
CHESS = ROOT / "bot" / "domain" / "chess"
ROOMS = ("bot", "render", "training")
MAX_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_MODULES_OF_A_START = 1130


MAY_IMPORT = {
    "discord": ("bot.chat", "bot.demo", "bot.features.showing.listening"),
    "simcord": ("bot.demo",),
    "PIL": ("render", "bot.sight"),
    "prometheus_client": ("bot.observe",),
    "sqlalchemy": ("bot.storage",),
    "chess": ("bot.domain.chess",),
    "numba": ("bot.engine",),
    "pydantic": ("bot.config",),
    "training": (),
}
"""Which packages of the product may import third-party packages, with everything in them."""


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Hold the tree at ``root`` to its contracts, in a process of its own: the linter turns off every logger."""
    code = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    return subprocess.run([sys.executable, "-c", code], cwd=root, check=False, capture_output=True, text=True)


def copy_of_the_house(folder: Path) -> Path:
    """Copy the sources and the contracts, so that something forbidden can be planted there."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=lambda _, names: {*names} - {*sources(names)})
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def sources(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".py") or ("." not in name and name != "__pycache__")]


def packages(root: Path) -> list[str]:
    """Return the dotted names of all packages under ``root``."""
    inits = sorted(init for room in ROOMS for init in (root / room).rglob("__init__.py"))
    return [".".join(init.parent.relative_to(root).parts) for init in inits]


def test_imports_follow_the_arrows():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_a_forbidden_import_is_seen_in_every_package(tmp_path):
    house = copy_of_the_house(tmp_path)
    rooms = [room for room in packages(house) if room.split(".")[0] != "training"]
    assert len(rooms) > 30
    for room in rooms:
        planted = house.joinpath(*room.split("."), "planted.py")
        planted.write_text("".join(f"import {name}\n" for name in MAY_IMPORT))
    report = re.sub(r"\s+", " ", lint(house).stdout)
    for name, allowed in MAY_IMPORT.items():
        seen = {room for room in rooms if f" {room}.planted -> {name} (" in report}
        assert seen == {
            room for room in rooms if not f"{room}.".startswith(tuple(f"{item}." for item in allowed))
        }


def test_a_circle_of_deferred_imports_is_detected(tmp_path):
    house = copy_of_the_house(tmp_path)
    rooms = packages(house)
    for room in rooms:
        folder = house.joinpath(*room.split("."))
        folder.joinpath("planted_here.py").write_text(
            f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {room} import planted_there\n"
        )
        folder.joinpath("planted_there.py").write_text(
            f"def late():\n    from {room} import planted_here\n    return planted_here\n"
        )
    report = lint(house).stdout
    seen = {room for room in rooms if f"No cycles are allowed in {room}.\n" in report}
    assert seen == {*rooms}


def test_an_import_of_a_dependent_feature_is_found(tmp_path):
    house = copy_of_the_house(tmp_path)
    floors = (("showing",), ("analysis",), ("review",), ("puzzles", "polls", "live"), ("settings",))
    rooms = [(room, floor) for floor, names in enumerate(floors) for room in names]
    wrong = {
        (place, other) for place, low in rooms for other, high in rooms if place != other and high >= low
    }
    for room, _ in rooms:
        planted = house / "bot" / "features" / room / "planted.py"
        planted.write_text(
            "".join(f"import bot.features.{other}.commands\n" for item, other in wrong if item == room)
        )
    report = re.sub(r"\s+", " ", lint(house).stdout)
    for room, other in wrong:
        assert f"bot.features.{room} is not allowed to import bot.features.{other}:" in report


@pytest.mark.parametrize("path", DOMAIN, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_domain_imports_only_the_standard_library_and_chess(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            imported.add((node.module or "").split(".")[0])
    allowed = {"bot", "chess"} if CHESS in path.parents else {"bot"}
    assert imported <= sys.stdlib_module_names | allowed


def test_no_file_and_no_function_grows_too_long():
    """A file holds one subject; the compiler decides where kernels are cut."""
    long = set()
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_LINES:
            long.add(str(path.relative_to(ROOT)))
        if "kernels" in path.parts or "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    long.add(f"{path.relative_to(ROOT)}: {node.name}")
    assert long == set()


def test_importing_the_domain_does_not_import_discord():
    code = (
        "import sys, bot.domain.crossword.convert; sys.exit('discord' in sys.modules or 'PIL' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_one_module_imports_numba():
    """Two threads that import different parts of numba at once find parts half made; the lock of one module keeps them apart."""
    pattern = re.compile(r"^\s*(?:import|from) (?:numba|llvmlite)\b", re.MULTILINE)
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bot").rglob("*.py")
        if pattern.search(path.read_text("utf-8"))
    ]
    assert found == ["bot/engine/compiler.py"]


def test_the_installed_script_imports_nothing():
    """Every process that reads or draws imports the script again."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, run = scripts["kibitz"].partition(":")
    code = f"import sys, {module} as it; it.{run}; print(*(m for m in sys.modules if m.startswith('bot.')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.split() == [module]


def test_a_start_imports_only_what_it_needs(tmp_path):
    """Modules are most of the second that a start takes; only fewer may be allowed."""
    put_database(tmp_path)
    code = """if True:
        import asyncio, sys
        import bot.__main__
        from bot.app.run import open_bot
        from bot.config import load_settings

        async def start():
            async with open_bot(load_settings()):
                print(len(sys.modules), *{"alembic", "numba", "numpy", "simcord", "procrastinate"} & {*sys.modules})

        asyncio.run(start())
    """
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": f"sqlite:///{tmp_path}/{NAME}",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    modules, *unneeded = done.stdout.split()
    assert unneeded == []
    assert int(modules) <= MAX_MODULES_OF_A_START


def test_the_picture_of_the_house_is_fresh():
    assert PICTURE.read_text(encoding="utf-8") == drawn(), "run python -m tests.house"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_that_the_documentation_names_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = {
        name
        for name in re.findall(r"`((?:bot|render|training|tests|docs)/[\w./-]+)`", text)
        if "rune" not in name
    }
    assert named
    new = {"docs/architecture.svg", "render/themes/dusk.toml", "bot/text/locale/it/LC_MESSAGES/kibitz.po"}
    assert {name for name in named - new if not (ROOT / name).exists()} == set()


def test_the_versions_of_the_schema_stand_in_one_row():
    """Two that were made at the same time both follow the same one: the second process takes the next number."""
    folder = ROOT / "bot" / "storage" / "migrations" / "versions"
    before = None
    for file in sorted(folder.glob("0*.py")):
        number = file.name.partition("_")[0]
        text = file.read_text(encoding="utf-8")
        assert f'revision = "{number}"' in text, file.name
        assert f"down_revision = {before}" in text or f'down_revision = "{before}"' in text, file.name
        before = number
