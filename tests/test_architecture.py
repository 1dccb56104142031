"""The house keeps its arrows: who may import whom (the contracts are in ``pyproject.toml``)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOMAIN = sorted((ROOT / "bot" / "domain").rglob("*.py"))


def test_imports_follow_the_arrows():
    # In a process of its own: the linter turns off every logger that there is.
    code = "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", DOMAIN, ids=lambda path: path.name)
def test_the_domain_needs_the_standard_library_alone(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            imported.add((node.module or "").split(".")[0])
    assert imported <= sys.stdlib_module_names | {"bot"}


def test_importing_the_domain_does_not_import_discord():
    code = (
        "import sys, bot.domain.crossword.detect; sys.exit('discord' in sys.modules or 'PIL' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
