"""Finds the bot's regular expressions and their uses, and builds texts that may make them slow."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from re import (  # type: ignore[attr-defined]
    _compiler as compiler,
    _constants as opcodes,
    _parser as parser,
)
from types import ModuleType
from typing import Any, AnyStr

import bot

MATCHING_METHODS = frozenset(("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"))
PASSED_ON = "passed on"
"""Recorded in place of the methods of a pattern that is passed to other code."""
MAX_MEMBERS = 2_000
"""Maximum size of a table that is searched for patterns. Larger tables hold data."""
CHARACTERS = 'a A0-./`|"[\n:;1é'
"""Characters to try on the character sets of a pattern. A pattern can blow up on a character that several of its sets match."""
REPEATS = (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT)
UNUSUAL = "\x00"
"""A character that almost no pattern matches."""


@dataclass(frozen=True)
class NamedPattern:
    """A compiled pattern, and the dotted name of the variable or member that stores it."""

    name: str
    pattern: re.Pattern


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return all modules of the bot, except the entry points and the migrations."""
    names = (module_info.name for module_info in pkgutil.walk_packages(bot.__path__, "bot."))
    return tuple(
        importlib.import_module(name)
        for name in names
        if not name.endswith("__main__") and ".migrations" not in name
    )


@cache
def stored_patterns() -> tuple[NamedPattern, ...]:
    """Return every compiled pattern that a module's variable stores, directly or in a table, class or object of the bot."""
    patterns: dict[str, re.Pattern] = {}
    for module in modules():
        for name, value in vars(module).items():
            _collect_patterns(value, f"{module.__name__}.{name}", patterns, set())
    return tuple(NamedPattern(name, pattern) for name, pattern in patterns.items())


def _collect_patterns(value: object, name: str, patterns: dict[str, re.Pattern], seen_ids: set[int]) -> None:
    if isinstance(value, re.Pattern):
        patterns[name] = value
    if isinstance(value, re.Pattern | ModuleType) or id(value) in seen_ids:
        return
    seen_ids.add(id(value))
    if isinstance(value, dict | tuple | list | set | frozenset) and len(value) < MAX_MEMBERS:
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            _collect_patterns(member, f"{name}[{key!r}]", patterns, seen_ids)
    elif (value if isinstance(value, type) else type(value)).__module__.split(".")[0] == "bot":
        slots = (slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ()))
        attributes = dict(getattr(value, "__dict__", {})) | {
            slot: getattr(value, slot) for slot in slots if hasattr(value, slot)
        }
        for key, member in attributes.items():
            _collect_patterns(member, f"{name}.{key}", patterns, seen_ids)


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


@cache
def uses_of_patterns() -> dict[str, frozenset[str]]:
    """Map each variable that stores a pattern to the methods called on it: ``bot.domain.chess.board_link._SPACES`` → ``{"sub"}``.

    A pattern that is passed to other code has :data:`PASSED_ON` instead of a method.
    """
    uses: dict[str, set[str]] = {}
    for module in modules():
        names = {name for name, value in vars(module).items() if isinstance(value, re.Pattern)}
        if not names:
            continue
        tree = _tree(module)
        attributes = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
                method = attributes.get(id(node), PASSED_ON)
                uses.setdefault(f"{module.__name__}.{node.id}", set()).add(method)
    return {name: frozenset(methods) for name, methods in uses.items()}


def uses_of_re() -> Iterator[tuple[str, str, str]]:
    """Yield (module, function or ``""``, attribute) for each use of ``re``."""
    for module in modules():
        if not re.search(r"\bre\s*\.", inspect.getsource(module)):
            continue
        for inner, function in _nodes_with_functions(_tree(module), ""):
            if (
                isinstance(inner, ast.Attribute)
                and isinstance(inner.value, ast.Name)
                and inner.value.id == "re"
            ):
                yield module.__name__, function, inner.attr


def _nodes_with_functions(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes below a node, each with the name of the function that contains it."""
    for child in ast.iter_child_nodes(node):
        inner_function = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and child in node.body:
            inner_function = node.name
        yield child, inner_function
        yield from _nodes_with_functions(child, inner_function)


def apply(pattern: re.Pattern[AnyStr], method: str, text: AnyStr) -> None:
    """Run a method of a pattern, or another method that searches in the same way, and exhaust the result."""
    if method in ("finditer", "findall", "split"):
        for _ in pattern.finditer(text):
            pass
    elif method in ("sub", "subn"):
        pattern.sub(text[:0], text)
    else:
        getattr(pattern, method)(text)


def risky_texts(pattern: re.Pattern[AnyStr]) -> tuple[tuple[AnyStr, AnyStr, AnyStr], ...]:
    """Return texts on which the pattern may blow up, as (start, repeated piece, end) tuples.

    The pieces come from the pattern. They are repeated alone, in pairs, and after the text that must precede them.
    """
    parsed = parser.parse(pattern.pattern, pattern.flags)
    pieces: dict[str, None] = {}
    starts_with_repeats: dict[tuple[str, str], None] = {}
    _collect_pieces(parsed, "", pieces, starts_with_repeats)
    single_pieces = [piece for piece in pieces if piece]
    pairs = [piece + other for piece in single_pieces for other in single_pieces if piece != other]
    texts = [("", piece, "") for piece in single_pieces]
    texts += [(start, piece, UNUSUAL) for start, piece in starts_with_repeats]
    texts += [("", piece, "") for piece in pairs]
    texts += [
        (start, piece, UNUSUAL)
        for start in {start: None for start, _ in starts_with_repeats}
        for piece in single_pieces
    ]
    encode_if_needed = (
        (lambda text: text.encode()) if isinstance(pattern.pattern, bytes) else (lambda text: text)
    )
    return tuple(dict.fromkeys(tuple(map(encode_if_needed, text)) for text in texts))


def _collect_pieces(
    sequence: parser.SubPattern,
    before: str,
    pieces: dict[str, None],
    starts_with_repeats: dict[tuple[str, str], None],
) -> None:
    """Collect the pieces of a sequence, and its repeated pieces with the text before them. ``before`` precedes the sequence."""
    for operator, value in sequence:
        for inner in _subsequences(operator, value):
            _collect_pieces(inner, before, pieces, starts_with_repeats)
            pieces[_sample(inner)] = None
            if operator in REPEATS:
                characters = _characters(*inner[0]) if len(inner) == 1 else ()
                for repeated in (_sample(inner), *characters):
                    starts_with_repeats[before, repeated] = None
        for character in _characters(operator, value):
            pieces[character] = None
        before += _sample([(operator, value)])


def _subsequences(operator: object, value: Any) -> Iterator[parser.SubPattern]:
    if operator in REPEATS:
        yield value[2]
    elif operator is opcodes.SUBPATTERN:
        yield value[3]
    elif operator is opcodes.ATOMIC_GROUP:
        yield value
    elif operator is opcodes.BRANCH:
        yield from value[1]
    elif operator in (opcodes.ASSERT, opcodes.ASSERT_NOT):
        yield value[1]


def _characters(operator: object, value: Any) -> tuple[str, ...]:
    """Return some characters that a literal, a set or a dot matches, or an empty tuple for any other element."""
    if operator is opcodes.LITERAL:
        return (chr(value),)
    if operator not in (opcodes.NOT_LITERAL, opcodes.IN, opcodes.ANY):
        return ()
    listed_characters = []
    if operator is opcodes.IN:
        listed_characters = [chr(member[1] if member[0] is opcodes.LITERAL else member[1][0]) for member in value
               if member[0] in (opcodes.LITERAL, opcodes.RANGE)]  # fmt: skip
    element = parser.SubPattern(parser.State(), [(operator, value)])
    element.state.flags = re.UNICODE
    pattern = compiler.compile(element, re.DOTALL)
    matching_characters = [character for character in listed_characters if pattern.match(character)][:2] + [
        character for character in CHARACTERS if pattern.match(character)
    ]
    return tuple(dict.fromkeys(matching_characters)) or (UNUSUAL,)


def _sample(sequence: Iterable[tuple[object, Any]]) -> str:
    """Return a short text that a sequence matches, ignoring lookaround assertions."""
    parts = []
    for operator, value in sequence:
        if operator in REPEATS:
            parts.append(_sample(value[2]) * max(1, value[0]))
        elif operator is opcodes.BRANCH:
            parts.append(_sample(value[1][0]))
        elif operator not in (opcodes.ASSERT, opcodes.ASSERT_NOT):
            inner = [_sample(item) for item in _subsequences(operator, value)]
            parts.append("".join(inner or _characters(operator, value)[:1]))
    return "".join(parts)
