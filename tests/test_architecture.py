"""Imports between packages follow the contracts in ``pyproject.toml``. Starting the bot imports few modules. Files and functions stay short."""

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

from tests.import_diagram import PICTURE, architecture_svg
from tests.storage.migrated import DATABASE_NAME, put_database

ROOT = Path(__file__).parents[1]
DOMAIN_FILES = sorted((ROOT / "bot" / "domain").rglob("*.py"))
CHESS = ROOT / "bot" / "domain" / "chess"
PACKAGES = ("bot", "render", "training")
MAX_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_MODULES_AT_START = 1130


MAY_IMPORT = {
    "discord": ("bot.chat", "bot.demo", "bot.features.showing.listening"),
    "simcord": ("bot.demo",),
    "PIL": ("render", "bot.sight"),
    "prometheus_client": ("bot.observe",),
    "sqlalchemy": ("bot.storage",),
    "chess": ("bot.domain.chess",),
    "numba": ("bot.engine",),
    "msgspec": ("bot.config",),
    "training": (),
}
"""For each third-party package, and for ``training``, the packages that may import it."""


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the imports under ``root`` in a separate process, because the linter disables all loggers."""
    code = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    return subprocess.run([sys.executable, "-c", code], cwd=root, check=False, capture_output=True, text=True)


def copy_sources(folder: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=lambda _, names: {*names} - {*sources(names)}
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def sources(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".py") or ("." not in name and name != "__pycache__")]


def packages(root: Path) -> list[str]:
    inits = sorted(init for package in PACKAGES for init in (root / package).rglob("__init__.py"))
    return [".".join(init.parent.relative_to(root).parts) for init in inits]


def test_imports_follow_the_contracts():
    completed = lint(ROOT)
    assert completed.returncode == 0, completed.stdout


def test_a_forbidden_import_is_reported_in_every_package(tmp_path):
    checkout = copy_sources(tmp_path)
    package_names = [package for package in packages(checkout) if package.split(".")[0] != "training"]
    assert len(package_names) > 30
    for package in package_names:
        forbidden_file = checkout.joinpath(*package.split("."), "forbidden.py")
        forbidden_file.write_text("".join(f"import {name}\n" for name in MAY_IMPORT))
    report = re.sub(r"\s+", " ", lint(checkout).stdout)
    for name, allowed in MAY_IMPORT.items():
        reported_packages = {
            package for package in package_names if f" {package}.forbidden -> {name} (" in report
        }
        assert reported_packages == {
            package
            for package in package_names
            if not f"{package}.".startswith(tuple(f"{item}." for item in allowed))
        }


def test_a_cycle_of_deferred_imports_is_reported(tmp_path):
    checkout = copy_sources(tmp_path)
    package_names = packages(checkout)
    for package in package_names:
        folder = checkout.joinpath(*package.split("."))
        folder.joinpath("planted_here.py").write_text(
            f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {package} import planted_there\n"
        )
        folder.joinpath("planted_there.py").write_text(
            f"def late():\n    from {package} import planted_here\n    return planted_here\n"
        )
    report = lint(checkout).stdout
    reported_packages = {
        package for package in package_names if f"No cycles are allowed in {package}.\n" in report
    }
    assert reported_packages == {*package_names}


def test_an_import_of_a_higher_or_sibling_feature_is_reported(tmp_path):
    checkout = copy_sources(tmp_path)
    layers = (("showing",), ("analysis",), ("review",), ("puzzles", "polls", "live"), ("settings",))
    features = [(feature, layer) for layer, names in enumerate(layers) for feature in names]
    forbidden_imports = {
        (feature, other)
        for feature, own_layer in features
        for other, other_layer in features
        if feature != other and other_layer >= own_layer
    }
    for feature, _ in features:
        forbidden_file = checkout / "bot" / "features" / feature / "forbidden.py"
        forbidden_file.write_text(
            "".join(
                f"import bot.features.{other}.commands\n"
                for item, other in forbidden_imports
                if item == feature
            )
        )
    report = re.sub(r"\s+", " ", lint(checkout).stdout)
    for feature, other in forbidden_imports:
        assert f"bot.features.{feature} is not allowed to import bot.features.{other}:" in report


@pytest.mark.parametrize("path", DOMAIN_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_domain_imports_only_the_standard_library_and_chess(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import is relative"
            imported.add((node.module or "").split(".")[0])
    allowed = {"bot", "chess"} if CHESS in path.parents else {"bot"}
    assert imported <= sys.stdlib_module_names | allowed


def test_no_file_or_function_is_too_long():
    """Functions in kernels may have any length, because the compiler determines how they are divided."""
    too_long = set()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > MAX_LINES:
            too_long.add(str(path.relative_to(ROOT)))
        if "kernels" in path.parts:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    too_long.add(f"{path.relative_to(ROOT)}: {node.name}")
    assert too_long == set()


def test_only_one_module_imports_numba():
    """Two threads that import different parts of numba at the same time can find incomplete modules.

    With a single importing module, its import lock makes the second thread wait.
    """
    pattern = re.compile(r"^\s*(?:import|from) (?:numba|llvmlite)\b", re.MULTILINE)
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "bot").rglob("*.py")
        if pattern.search(path.read_text("utf-8"))
    ]
    assert found == ["bot/engine/compiler.py"]


def test_the_installed_script_imports_no_other_module_of_the_bot():
    """Every worker process that reads or draws pictures imports the script again."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, run = scripts["kibitz"].partition(":")
    code = f"import sys, {module} as it; it.{run}; print(*(m for m in sys.modules if m.startswith('bot.')))"
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert completed.stdout.split() == [module]


def test_startup_imports_few_modules_and_no_unneeded_packages(tmp_path):
    """Startup takes about a second, most of it spent on imports. Lower the limit when you can; never raise it."""
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
        "DATABASE_URL": f"sqlite:///{tmp_path}/{DATABASE_NAME}",
    }
    completed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    modules, *unneeded = completed.stdout.split()
    assert unneeded == []
    assert int(modules) <= MAX_MODULES_AT_START


def test_the_picture_of_the_architecture_is_up_to_date():
    assert PICTURE.read_text(encoding="utf-8") == architecture_svg(), "run python -m tests.import_diagram"


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_files_named_in_the_documentation_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named_files = {
        name
        for name in re.findall(r"`((?:bot|render|training|tests|docs)/[\w./-]+)`", text)
        if "rune" not in name
    }
    assert named_files
    assert {name for name in named_files if not (ROOT / name).exists()} == set()
