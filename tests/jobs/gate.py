"""Work that continues until a test ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Gate:
    """A work function. Its work on a request ends when the test opens the gate for the request's name, or when the job is stopped.

    ``name_of`` returns the name of a request. ``result_of`` turns a string into a result or a progress report.
    """

    def __init__(self, name_of: Callable[[Any], str] = str, result_of: Callable[[str], Any] = str) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        """The names of work that ended without being stopped or raising an error."""
        self.reports: dict[str, str] = {}
        """The progress that work reports when it begins, by the work's name."""
        self.error: Exception | None = None
        self._name_of, self._result_of = name_of, result_of
        self._opened: dict[str, threading.Event] = {}

    def has_begun(self, name: str) -> bool:
        return name in self.begun

    def open(self, *names: str) -> None:
        for name in names:
            self._opened.setdefault(name, threading.Event()).set()

    def __call__(self, request, control):
        name = self._name_of(request)
        self.begun.append(name)
        opened = self._opened.setdefault(name, threading.Event())
        if name in self.reports:
            control.report(self._result_of(self.reports[name]))
        while not opened.wait(0.002):
            if control.must_stop:
                return self._result_of(f"{name} unfinished")
        if self.error is not None:
            raise self.error
        self.ended.append(name)
        return self._result_of(name.upper())
