"""Command lines: suggestions for mistyped words, errors without Markdown, and optional packages."""

import json
import subprocess
import sys

import pytest

from bot.__main__ import COMMANDS, main
from bot.cli import parser

BROKEN_POSITION = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/16 *AEINRST*/ 0/10 0"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("analze position.cgp", "Did you mean analyze?"),
        ("analyze --lexcon CSW24 position.cgp", "Did you mean --lexicon or --config?"),
        ("analyze --lexcon=CSW24 position.cgp", "Did you mean --lexicon or --config?"),
        ("convert --to TurnURL position.cgp", "Did you mean turn-url?"),
        ("show --theme drak -o x.png position.cgp", "Did you mean dark?"),
        ("lexicon lst", "Did you mean list?"),
        ("lexicon add --replce", "Did you mean --replace?"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(words, hint, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(words.split())
    assert exit_info.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.splitlines()[-1] == hint
    assert output.err.count("usage:") == 1


def test_an_unknown_word_gets_no_suggestion(capsys):
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "Did you mean" not in capsys.readouterr().err


def test_removing_an_unknown_lexicon_suggests_similar_names(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["lexicon", "remove", "scowl"]) == 1
    assert capsys.readouterr().err == "scowl is not installed. Did you mean SCOWL95 or SCOWL80?\n"


@pytest.mark.parametrize("command", ["show -o board.png", "analyze", "convert --to gcg"])
def test_errors_contain_no_markdown(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_b.cgp").write_text(BROKEN_POSITION)
    assert main([*command.split(), "a_b.cgp"]) == 2
    assert capsys.readouterr().err == "a_b.cgp:1:46: row 15 should have 15 squares, but has 16\n"


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_an_impossible_port_is_refused(port, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(["demo", "--port", port])
    assert exit_info.value.code == 2
    assert capsys.readouterr().err.endswith(f"{port!r} is not a whole number from 0 to 65,535\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_page(name, capsys):
    for words in [[name], *(action.split() for action in parser.ACTIONS_BY_COMMAND.get(name, ()))]:
        with pytest.raises(SystemExit) as exit_info:
            main([*words, "--help"])
        assert exit_info.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: python -m bot {' '.join(words)} ")


def test_an_analysis_imports_only_what_it_needs(tmp_path):
    """Importing the modules named in the braces would double the time to the first play."""
    (tmp_path / "position.cgp").write_text("15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/0 0")
    code = (
        "import sys, bot.__main__; code = bot.__main__.main(['analyze', 'position.cgp']);"
        "print(code, {'discord', 'sqlalchemy', 'aiohttp', 'PIL', 'bot.features.showing.service', 'render.scene'} & sys.modules.keys())"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert completed.stdout.splitlines()[-1] == "0 set()"


@pytest.mark.parametrize(
    ("package", "extras", "words"),
    [
        ("simcord", "demo,analysis", ["demo", "--no-browser"]),
        ("numba", "analysis", ["check", "cab"]),
    ],
)
class TestOptionalPackages:
    def test_a_missing_package_is_reported_with_its_extra(self, package, extras, words):
        code = f"import sys; sys.modules[{package!r}] = None; from bot.__main__ import main; sys.exit(main({words}))"
        completed = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert (completed.returncode, completed.stdout, completed.stderr) == (
            2,
            "",
            _missing_package_message(package, extras),
        )

    @pytest.mark.parametrize(("answer", "command_count"), [("y", 2), ("n", 0), ("", 0)])
    def test_a_missing_package_is_offered_for_installation(
        self, package, extras, words, answer, command_count
    ):
        # In a new process, the modules that need the package are not imported yet.
        completed = subprocess.run(
            [sys.executable, "-c", _CODE_FOR_A_TERMINAL, package, answer, *words],
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.stderr == _missing_package_message(package, extras)
        question, _, result = completed.stdout.rpartition("[y/N] ")
        megabytes = 320 if package == "simcord" else 280
        assert question == f"Install it now in {sys.prefix} (up to {megabytes} MB)? "
        code, commands = json.loads(result)
        assert code == (0 if command_count else 2)
        assert len(commands) == command_count
        if command_count:
            install, rerun = commands
            assert install[:4] == ["-P", "-m", "pip", "install"]
            assert [name.split("<")[0].split(">")[0] for name in install[4:]] == [
                *(["numba", "numpy"] if "analysis" in extras else []),
                *(["linkify-it-py", "markdown-it-py", "regex", "simcord"] if "demo" in extras else []),
            ]
            assert rerun == ["-P", "-m", "bot", *words]


_CODE_FOR_A_TERMINAL = """
import io, json, subprocess, sys

from bot.__main__ import main

package, answer, *words = sys.argv[1:]
completed = []
sys.modules[package] = None
sys.stdin = io.StringIO(answer)
sys.stdin.isatty = lambda: True
subprocess.run = lambda command, **_: completed.append(command[1:]) or subprocess.CompletedProcess(command, 0)
print(json.dumps([main(words), completed]))
"""


def _missing_package_message(package, extras):
    return f"This command needs {package}, which is not installed: pip install 'kibitz[{extras}]'\n"
