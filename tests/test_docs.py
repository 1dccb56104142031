"""The Markdown pages: their links lead to existing files and headings, their commands run, and their labels match the bot's."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS, main
from bot.config import load_settings
from training.catalogues import extract_templates

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("bot/**/*.md")])
with_each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))

COMMAND = re.compile(r"(?:\bkibitz|python -m bot) ([a-z][^`\n|#]*)")
"""A Kibitz command, up to the end of the code span or line."""
LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|href)=\"([^\"]+)\"")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")


def commands(text):
    blocks = [line for block in FENCE.findall(text) for line in block.splitlines()]
    blocks += [line for line in text.splitlines() if line.startswith("    ")]
    for code in [*blocks, *CODE.findall(FENCE.sub("", text))]:
        if "kibitz" in code or "python -m bot" in code:
            for match in COMMAND.finditer(code):
                yield shlex.split(match[1].replace("…", "").replace("[", "").replace("]", ""))


@with_each_page
def test_commands_exist_with_their_options(page, capsys):
    for words in commands(page.read_text(encoding="utf-8")):
        if words[0] not in COMMANDS:
            assert words[0] in {"kibitz", "0.2.0"} or not words[0].isalpha(), words
            continue
        has_subcommand = words[0] in {"lexicon", "puzzles"} and len(words) > 1 and words[1].isalpha()
        with pytest.raises(SystemExit):
            main([*words[: 2 if has_subcommand else 1], "--help"])
        help_text = capsys.readouterr().out
        for option in filter(re.compile("--[a-z]").match, words):
            assert option.partition("=")[0] in help_text, f"{page.name}: {' '.join(words)}"


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@with_each_page
def test_links_lead_to_existing_files_and_headings(page):
    for target, source in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, fragment = (target or source).partition("#")
        if "://" in path:
            continue
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name}: {path}"
        if fragment and linked.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert fragment in map(anchor, headings), f"{page.name}: {path}#{fragment}"


def test_every_picture_is_on_a_page():
    pictures = {path for path in (ROOT / "docs").rglob("*") if path.suffix in {".png", ".gif", ".svg"}}
    linked_files = {
        (page.parent / (target or source)).resolve()
        for page in PAGES
        for target, source in LINK.findall(page.read_text(encoding="utf-8"))
    }
    assert pictures - linked_files == set()


LABEL = re.compile(r"(?<!\*)\*(?:Apps → )?([^*\n]+)\*(?!\*)")
"""A label of a control or menu. Pages for players show labels in italics."""


def test_labels_match_sentences_of_the_bot():
    """A placeholder in a sentence matches an ellipsis (``As … saw it``) or a number."""
    sentences = [
        re.sub(r"\\{\w+\\}", "(?:…|[0-9]+)", re.escape(sentence)) for sentence in extract_templates()
    ]
    pattern = re.compile("|".join(sentences))
    for name in ("using", "games", "live-games", "sight"):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").partition("## Figures")[0]
        labels = LABEL.findall(page)
        assert labels, name
        assert [label for label in labels if not pattern.fullmatch(label)] == [], name


EXAMPLES = {
    "inspect": "inspect --json game.gcg",
    "show": "show position.cgp -o board.png --theme dark --layout wide",
    "convert": "convert --to json game.gcg --turn 1",
    "analyze": "analyze position.cgp --plays 3 --json",
    "review": "review game.gcg --seconds 1",
    "check": "check CAT",
    "hooks": "hooks CAT",
    "anagram": "anagram CAT",
    "lexicon": "lexicon list",
    "puzzles": "puzzles look mates.epd",
    "compile-puzzles": "compile-puzzles puzzles.txt -o puzzles.json",
    "compile-book": "compile-book book.txt -o book.bin",
    "init": "init",
    "migrate": "migrate",
    "backup": "backup copy.sqlite3",
    "restore": "restore copy.sqlite3 --replace",
}
"""Commands with arguments for the files below. Other commands have their own tests."""

FILES = {
    "position.cgp": "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/10 0 lex SCOWL80;",
    "game.gcg": "#player1 alice Alice\n#player2 bob Bob\n#lexicon SCOWL80\n>alice: AABCDEG -AB +0 0\n>bob: EIQUSOO 8G QI +22 22\n"
    "#note Bob resigns\n",
    "mates.epd": 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id "one";\n'
    '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "two";\n',
    "puzzles.txt": "[D]White mates in one.\n[S]1. Re8#\n6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1\n",
    "book.txt": "// Open\n1. e4 e5 2. Nf3\n1. e4 c5\n",
}


def test_every_example_command_succeeds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite:///kibitz.sqlite3")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert {*EXAMPLES, "run", "worker", "demo", "doctor", "warm-up"} == set(COMMANDS)
    for example in EXAMPLES.values():
        code = main(example.split())
        assert code == 0, (example, capsys.readouterr())


CONTAINER_FILES = {
    name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("Containerfile", "compose.yaml")
}


def test_container_files_name_existing_commands_and_settings(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    recipe, compose = CONTAINER_FILES.values()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    [installed] = re.findall(r"'/source\[([a-z,]+)\]'", recipe)
    assert set(installed.split(",")) <= set(extras)
    started_commands = re.findall(r'bin/kibitz ([a-z-]+)|^CMD \["([a-z-]+)"\]', recipe, re.MULTILINE)
    started_commands += [
        (command, "") for command in re.findall(r"^    command: ([a-z-]+)$", compose, re.MULTILINE)
    ]
    assert {"".join(pair) for pair in started_commands} == {"warm-up", "run", "worker"} <= set(COMMANDS)
    for name, value in re.findall(r"(KIBITZ_[A-Z_]+)[=:] ?\"?([0-9]+)", recipe + compose):
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.web_address, settings.analysis.jobs) == (("127.0.0.1", 8080), 0)


def test_every_security_promise_names_existing_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(promises) > 10
    for promise in promises:
        files = re.findall(r"`(tests/[^`]+)`", promise)
        assert files, promise
        assert [name for name in files if not (ROOT / name).is_file()] == []
