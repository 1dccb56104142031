"""Command lines: suggestions for mistyped words, errors without Markdown, and optional packages."""

import json
import subprocess
import sys

import pytest

from bot.__main__ import COMMANDS, main
from bot.cli import parser

BROKEN = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/16 *AEINRST*/ 0/10 0"


@pytest.mark.parametrize(
    ("typed", "hint"),
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
def test_a_mistyped_word_gets_a_suggestion(typed, hint, capsys):
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert ended.value.code == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.splitlines()[-1] == hint
    assert written.err.count("usage:") == 1


def test_an_unknown_word_gets_no_suggestion(capsys):
    with pytest.raises(SystemExit):
        main(["xyzzy"])
    assert "Did you mean" not in capsys.readouterr().err


def test_a_lexicon_to_remove_is_named_in_full(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["lexicon", "remove", "scowl"]) == 1
    assert capsys.readouterr().err == "scowl is not installed. Did you mean SCOWL95 or SCOWL80?\n"


@pytest.mark.parametrize("command", ["show -o board.png", "analyze", "convert --to gcg"])
def test_errors_hold_no_markdown(command, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_b.cgp").write_text(BROKEN)
    assert main([*command.split(), "a_b.cgp"]) == 2
    assert capsys.readouterr().err == "a_b.cgp:1:46: row 15 is 16 squares wide, not 15\n"


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_an_impossible_port_is_refused(port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--port", port])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"{port!r} is not a whole number from 0 to 65,535\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, capsys):
    for typed in [[name], *(action.split() for action in parser.GROUPS.get(name, ()))]:
        with pytest.raises(SystemExit) as ended:
            main([*typed, "--help"])
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: python -m bot {' '.join(typed)} ")


def test_an_analysis_imports_no_other_rooms(tmp_path):
    """Importing these packages would double the time to the first play."""
    (tmp_path / "position.cgp").write_text("15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/0 0")
    code = (
        "import sys, bot.__main__; code = bot.__main__.main(['analyze', 'position.cgp']);"
        "print(code, {'discord', 'sqlalchemy', 'aiohttp', 'PIL', 'bot.features.showing.service', 'render.scene'} & sys.modules.keys())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "0 set()"


@pytest.mark.parametrize(
    ("package", "extras", "typed"),
    [
        ("simcord", "demo,analysis", ["demo", "--no-browser"]),
        ("numba", "analysis", ["check", "cab"]),
    ],
)
class TestOptionalPackages:
    def test_a_missing_extra_names_what_to_install(self, package, extras, typed):
        code = f"import sys; sys.modules[{package!r}] = None; from bot.__main__ import main; sys.exit(main({typed}))"
        ran = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", _needs(package, extras))

    @pytest.mark.parametrize(("answer", "runs"), [("y", 2), ("n", 0), ("", 0)])
    def test_a_missing_package_is_offered_for_installation(self, package, extras, typed, answer, runs):
        # A process of its own, because the modules that need the package are imported again.
        ran = subprocess.run(
            [sys.executable, "-c", _IN_A_TERMINAL, package, answer, *typed],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.stderr == _needs(package, extras)
        question, _, result = ran.stdout.rpartition("[y/N] ")
        megabytes = 320 if package == "simcord" else 280
        assert question == f"Install it now, up to {megabytes} MB, in {sys.prefix}? "
        code, commands = json.loads(result)
        assert code == (0 if runs else 2)
        assert len(commands) == runs
        if runs:
            install, again = commands
            assert install[:3] == ["-m", "pip", "install"]
            assert [name.split("<")[0].split(">")[0] for name in install[3:]] == [
                *(["numba", "numpy"] if "analysis" in extras else []),
                *(["linkify-it-py", "markdown-it-py", "regex", "simcord"] if "demo" in extras else []),
            ]
            assert again == ["-m", "bot", *typed]


_IN_A_TERMINAL = """
import io, json, subprocess, sys

from bot.__main__ import main

package, answer, *typed = sys.argv[1:]
ran = []
sys.modules[package] = None
sys.stdin = io.StringIO(answer)
sys.stdin.isatty = lambda: True
subprocess.run = lambda command, **_: ran.append(command[1:]) or subprocess.CompletedProcess(command, 0)
print(json.dumps([main(typed), ran]))
"""


def _needs(package, extras):
    return f"This command needs {package}, which is not installed: pip install 'kibitz[{extras}]'\n"
