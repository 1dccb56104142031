"""Suggestions for a mistyped command line; and errors for a terminal, which shows no Markdown."""

import io
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


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name, capsys):
    for typed in [[name], *(action.split() for action in parser.GROUPS.get(name, ()))]:
        with pytest.raises(SystemExit) as ended:
            main([*typed, "--help"])
        assert ended.value.code == 0
        assert capsys.readouterr().out.startswith(f"usage: python -m bot {' '.join(typed)} ")


def test_an_analysis_imports_no_other_rooms(tmp_path):
    """Importing these packages doubled the time to the first play."""
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
    def test_in_a_terminal_it_offers_to_install_them(
        self, package, extras, typed, answer, runs, monkeypatch, capsys
    ):
        ran = []

        def run(command, **_):
            ran.append(command[1:])
            return subprocess.CompletedProcess(command, 0)

        terminal = io.StringIO(answer)
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setitem(sys.modules, package, None)
        for name in [name for name in sys.modules if name.startswith(("bot.demo", "bot.engine", "bot.cli."))]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(subprocess, "run", run)
        assert main(typed) == (0 if runs else 2)
        written = capsys.readouterr()
        assert written.err == _needs(package, extras)
        assert (
            written.out
            == f"Install it now, up to {320 if package == 'simcord' else 280} MB, in {sys.prefix}? [y/N] "
        )
        assert len(ran) == runs
        if runs:
            assert ran[0][:3] == ["-m", "pip", "install"]
            assert [name.split("<")[0].split(">")[0] for name in ran[0][3:]] == [
                *(["numba", "numpy"] if "analysis" in extras else []),
                *(["linkify-it-py", "markdown-it-py", "regex", "simcord"] if "demo" in extras else []),
            ]
            assert ran[1] == ["-m", "bot", *typed]


def _needs(package, extras):
    return f"This command needs {package}, which is not installed: pip install 'kibitz[{extras}]'\n"
