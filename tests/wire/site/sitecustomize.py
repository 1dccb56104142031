"""Python imports this at start when its folder is on PYTHONPATH: it points discord.py at the local server.

WIRE_DISCORD_PACE is the factor of its long sleeps. Only where WIRE_DISCORD_API is set, and only once the program itself imports discord, so that the program under
test starts exactly as it would without it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def _redirect(api: str) -> None:
    path = Path(__file__).resolve().parent.parent / "redirect.py"
    spec = importlib.util.spec_from_file_location("kibitz_wire_redirect", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.redirect(api, pace=float(os.environ.get("WIRE_DISCORD_PACE", module.SHRINK)))


def _then(execute: Callable[[ModuleType], None], api: str) -> Callable[[ModuleType], None]:
    def execute_and_redirect(module: ModuleType) -> None:
        execute(module)
        _redirect(api)

    return execute_and_redirect


class AfterDiscord:
    """A finder that lets discord be imported as always and patches it right after."""

    def __init__(self, api: str) -> None:
        self._api = api

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the package discord, with the patch behind its loading; leave all others to the next finder."""
        if name != "discord":
            return None
        spec = PathFinder.find_spec(name, path)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            loader.exec_module = _then(loader.exec_module, self._api)
        return spec


if api := os.environ.get("WIRE_DISCORD_API"):
    sys.meta_path.insert(0, AfterDiscord(api))
