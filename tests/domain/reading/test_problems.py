"""The locations and messages of errors and warnings."""

import ast
from pathlib import Path

import bot
from bot.domain.reading.problems import DomainError, Warnings


def test_an_error_formats_its_message_and_stores_the_values():
    error = DomainError("odd", "{what} is odd", (2, 3), what="this")
    assert (error.code, str(error), error.message) == ("odd", "this is odd", "this is odd")
    assert (error.line, error.column, error.values) == (2, 3, {"what": "this"})


def test_no_error_has_its_location_among_its_values():
    """An argument ``line=3`` would become a value for the message, and the error would be on line 1.

    The type checker accepts such a call.
    """
    calls = [
        (path.name, node.lineno)
        for path in Path(bot.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("Error", ".malformed", ".illegal", ".fail"))
        and {"line", "column"} & {keyword.arg for keyword in node.keywords}
    ]
    assert calls == []


def test_warnings_are_stored_once_and_up_to_a_limit():
    warnings = Warnings("x" * 500)
    for offset in (*range(500), *range(500)):
        warnings.add("odd", "{what} is odd", offset, what=offset)
    found = warnings.all()
    assert len(found) == Warnings.MAX_WARNINGS
    assert (found[-1].message, found[-1].column) == (
        "further warnings are not shown",
        Warnings.MAX_WARNINGS,
    )
    assert len(set(found)) == len(found)
    assert found[7].message == "7 is odd"
    assert (found[7].line, found[7].column) == (1, 8)
