"""Redirects discord.py to the local server. Python imports this module at startup if its folder is on PYTHONPATH.

Without WIRE_DISCORD_API, the server's address, nothing is redirected. Otherwise, discord.py is redirected when the program
imports it, and long sleeps are multiplied by WIRE_DISCORD_DELAY_FACTOR.
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
    module.redirect(
        api, delay_factor=float(os.environ.get("WIRE_DISCORD_DELAY_FACTOR", module.DEFAULT_DELAY_FACTOR))
    )


def _redirecting(execute: Callable[[ModuleType], None], api: str) -> Callable[[ModuleType], None]:
    def execute_and_redirect(module: ModuleType) -> None:
        execute(module)
        _redirect(api)

    return execute_and_redirect


class RedirectingFinder:
    """An import finder that redirects discord.py right after its import."""

    def __init__(self, api: str) -> None:
        self._api = api

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find the discord package. Leave all other modules to the next finder."""
        if name != "discord":
            return None
        spec = PathFinder.find_spec(name, path)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            loader.exec_module = _redirecting(loader.exec_module, self._api)
        return spec


if api := os.environ.get("WIRE_DISCORD_API"):
    sys.meta_path.insert(0, RedirectingFinder(api))
