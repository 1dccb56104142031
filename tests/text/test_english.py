"""Finds phrases and names that native technical prose does not use.

The tests read docstrings, comments, strings and names of the code, and the pages in Markdown. In the source of python-chess,
aiohttp and discord.py, the same list finds at most 0.2 phrases per thousand words.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SOURCES = ("bot", "render", "training", "tests")
PAGES = ("*.md", "docs/*.md", "bot/**/*.md", "tests/**/*.md", "config.example.toml")

PHRASES = (
    r"who ask(?:s|ed)",
    r"\w*ever pressed|whoever|whomever|whichever",
    r"(?:some|no)body(?:'s)?|somebody else",
    r"told|tells? (?:whether|what|which|how|where|that|it|nothing|the \w+ whether)",
    r"says? (?:whether|what|which|how|where|so)",
    r"lest|thereby|anew|in vain|besides|yonder|many an?",
    r"whom\b(?! )|of which|as far as|be it",
    r"ones? (?:that|who|before)|those (?:that|who|which)|such ones?|such an? one",
    r"likewise",
    r"what is there|what there is|what (?:is|was|are|were) (?:not|no)",
    r"is at it|comes? along|goes? on|going on|by now",
    r"(?:any|once) more",
    r"under way|on (?:its|their|the) way",
    r"(?:is|are|was|were) (?:not )?to be",
    r"nothing (?:of|but)|of ours|among them",
    r"knows? (?:nothing|no|not)",
    r"mend(?:s|ed|ing)?|askers?|the house",
    r"as (?:it|they) (?:is|are|was|were)(?=[.,;:])",
    r"(?:it|they) (?:is|are) that",
    r"the own",
    r"(?:it|they) (?:is|are|was|were) there(?= already|[.,;:])",
    r"it is none(?! of)|(?:when|if|: ) ?it is no(?! longer)",
    r"so many(?! \w+ that)|(?:for|after|of|in) so (?:much|few)",
    r"(?<!here )(?:is|are) no (?!longer|more|faster|evidence|news|one|other|larger|less)[a-z]+",
    r"(?:is|are|was|were|been) looked at|pressers?",
)
PATTERN = re.compile(
    rf"\b(?:{'|'.join(PHRASES)})\b"
    r"|, (?:too|at most|at least)(?=[.,;:)])"  # at the end of a clause
    r"|, for (?:it|we|they|there|he|this|that|who|what|nobody|nothing)\b"  # in the sense of "because"
    r"|(?-i:(?:^|(?<=[.!?:] ))(?:What|Who|Whose|How) [^.?!]*[.](?!\S))"  # a clause as the subject
    r"|(?-i:^(?:The least|The most|The fewest)\b)",  # instead of "minimum" or "maximum"
    re.IGNORECASE,
)
CODE = re.compile(r"``[^`]*``|`[^`]*`|https?://\S+|:\w+:(?=x)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SENTENCE = re.compile(r"[^.!?:]+[.!?:](?= |$)")

UNSEARCHABLE_NAMES = frozenset(
    [
        "afresh",
        "ago",
        "already",
        "anybody",
        "asked",
        "asker",
        "asking",
        "being",
        "given",
        "gone",
        "heard",
        "held",
        "here",
        "kept",
        "lies",
        "meant",
        "mine",
        "much",
        "nobody",
        "nothing",
        "one",
        "ones",
        "ours",
        "said",
        "shown",
        "somebody",
        "still",
        "stood",
        "submitted",
        "such",
        "theirs",
        "them",
        "there",
        "these",
        "those",
        "thrown",
        "told",
        "who",
        "whole",
        "whom",
    ]
)
"""Names that are too vague to search for. A value is better named with a noun, and a function with a verb."""

MAX_TEST_NAME_LENGTH = 70
SECTION = re.compile(r"^ +(?:Args|Raises):\n(?:  .+\n)+", re.MULTILINE)
JOINED = re.compile(r"(?<=\. )(?:[a-z]+(?:_[a-z]+)*|[A-Za-z]+Error): ")
"""A second argument or error on a line of a docstring's section."""

MAX_MEAN_WORDS = 11
"""Maximum mean number of words per sentence in docstrings and pages."""

MAX_SENTENCE_WORDS = 30


def plain(text: str) -> str:
    return " ".join(CODE.sub("x", text).split())


class Code:
    """The docstrings, comments, strings and names in a file, each with its line."""

    def __init__(self, source: str) -> None:
        self.docstrings: list[tuple[int, str]] = []
        self.comments = list(comments_of(source))
        self.strings: list[tuple[int, str]] = []
        self.names: list[tuple[int, str]] = []
        docstrings = set()
        for node in ast.walk(ast.parse(source)):  # parents come before their children
            match node:
                case ast.Expr(value=ast.Constant(value=str(text)) as docstring):
                    docstrings.add(docstring)
                    self.docstrings.append((docstring.lineno, text))
                case ast.Constant(value=str(text)) if node not in docstrings:
                    self.strings.append((node.lineno, text))
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.names.append((node.lineno, node.name))
                case ast.arg():
                    self.names.append((node.lineno, node.arg))
                case ast.Name(ctx=ast.Store()):
                    self.names.append((node.lineno, node.id))


def comments_of(source: str) -> Iterator[tuple[int, str]]:
    begin, comment = 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            begin = begin or token.start[0]
            comment += token.string.lstrip("# ") + " "
        elif token.type != tokenize.NL and comment:
            yield begin, comment
            begin, comment = 0, ""


@cache
def code() -> dict[str, Code]:
    """Return the code of each file. The syntax trees are not kept, because they are large."""
    return {
        str(path.relative_to(ROOT)): Code(path.read_text(encoding="utf-8"))
        for folder in SOURCES
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


def texts_of_code(file: Code, *, strings: bool) -> list[tuple[int, str, bool]]:
    """Return (line, text, is a docstring) for each docstring and comment. If ``strings``, add strings that contain spaces."""
    found = [(line, plain(text), True) for line, text in file.docstrings]
    if strings:
        found += [(line, plain(text), False) for line, text in file.strings if " " in text]
    return found + [(line, plain(text), False) for line, text in file.comments]


def texts_of_page(page: str) -> list[tuple[int, str, bool]]:
    """Return (line, text, True) for each paragraph, list item or table row. A TOML file has only paragraphs."""
    page = re.sub(r"^#+ ", "", page, flags=re.MULTILINE)
    page = FENCED.sub(lambda fenced: "\n" * fenced[0].count("\n"), page)
    found = []
    line = 1
    for paragraph in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ))", page):
        if text := plain(re.sub(r"\]\([^)]*\)", "]", paragraph).lstrip("#-*| ")):
            found.append((line, text, True))
        line += paragraph.count("\n")
    return found


@cache
def texts() -> list[tuple[str, str, bool]]:
    """Return (place, text, is prose) for all code and pages. Prose is a docstring or a part of a page."""
    texts_by_path = {
        path: texts_of_code(file, strings=not path.startswith("tests/")) for path, file in code().items()
    } | {
        str(path.relative_to(ROOT)): texts_of_page(path.read_text(encoding="utf-8"))
        for pages in PAGES
        for path in sorted(ROOT.glob(pages))
    }
    return [
        (f"{path}:{line}", text, is_prose)
        for path, found in texts_by_path.items()
        for line, text, is_prose in found
    ]


def word_count(text: str) -> int:
    return len(re.findall(r"\w[\w'’.-]*", text))


@pytest.mark.parametrize(
    "phrase",
    [
        "The server whoever pressed belongs to.",
        "What may be wrong is shown.",
        "Pictures are read, too.",
        "The player who asks.",
        "Tells whether it fits.",
        "Does nothing, for there is none.",
        "The one that is left.",
        "It is to be sent.",
        "Kept as it was.",
        "The tiles of the own rack.",
        "Seconds between two writes, at least.",
        "Read the file if it is there.",
        "None when it is no coordinate.",
        "The position after so many turns.",
        "The text is no move.",
        "The draws that were looked at.",
        "The most tiles in the bag.",
    ],
)
def test_an_awkward_phrase_is_found(phrase):
    assert PATTERN.search(phrase)


@pytest.mark.parametrize(
    "sentence",
    [
        "Return whether the square is empty.",
        "What is a rack?",
        "One too many.",
        "Wait for it.",
        "Show as it was played.",
        "Read at least two lines, at most ten.",
        "Hide the button when it is no longer needed.",
        "Where it stands: ``x``",
        "There is no file.",
        "The game is no longer stored.",
    ],
)
def test_a_plain_sentence_is_accepted(sentence):
    assert not PATTERN.search(sentence)


def test_no_text_has_an_awkward_phrase():
    found = [f"{place}: {match[0]}" for place, text, _ in texts() for match in PATTERN.finditer(text)]
    assert found == []


def test_user_facing_sentences_say_cant():
    """Only docstrings and comments may say "cannot"."""
    assert [
        f"{path}:{line}: {text}"
        for path, file in code().items()
        if path.startswith(("bot/", "render/"))
        for line, text in file.strings
        if "cannot" in text
    ] == []


def test_no_name_is_unsearchable():
    found = [
        f"{path}:{line}: {name}"
        for path, file in code().items()
        for line, name in file.names
        if name in UNSEARCHABLE_NAMES
    ]
    assert found == []


def test_each_argument_and_error_has_a_line_of_its_own():
    """Documentation tools see only the first argument or error on a line."""
    assert [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for folder in SOURCES
        for path in sorted((ROOT / folder).rglob("*.py"))
        for section in SECTION.findall(path.read_text(encoding="utf-8"))
        for match in JOINED.finditer(section)
    ] == []


def test_names_of_tests_are_short():
    assert [
        f"{path}:{line}: {name}"
        for path, file in code().items()
        if Path(path).name.startswith("test_")
        for line, name in file.names
        if name.startswith("test_") and len(name) > MAX_TEST_NAME_LENGTH
    ] == []


def test_an_unsearchable_name_is_found():
    assert UNSEARCHABLE_NAMES.intersection(
        name for _, name in Code("for one in items: told = one").names
    ) == {"one", "told"}


def test_the_mean_length_of_sentences_is_limited():
    lengths = [
        word_count(sentence)
        for _, text, is_prose in texts()
        if is_prose
        for sentence in SENTENCE.findall(text)
    ]
    mean = sum(lengths) / len(lengths)
    print(f"\n{len(lengths)} sentences of {mean:.2f} words")
    assert mean <= MAX_MEAN_WORDS


def test_no_sentence_of_a_page_is_long():
    assert [
        (place, sentence)
        for place, text, _ in texts()
        if ".py:" not in place
        for sentence in SENTENCE.findall(text)
        if word_count(sentence) > MAX_SENTENCE_WORDS
    ] == []
