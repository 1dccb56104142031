"""``show`` in a terminal draws the picture only if the terminal supports pictures."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from base64 import b64decode
from pathlib import Path

import pytest

from bot.__main__ import main

POSITION = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15 AEINRST/ 0/10 0"
ROOT = Path(__file__).parents[2]


def run_show_in_terminal(tmp_path, response=b"", **environment):
    """Return the output of ``kibitz show`` in a terminal that replies with ``response`` to a request for its attributes."""
    (tmp_path / "position.cgp").write_text(POSITION, encoding="utf-8")
    controller, terminal = pty.openpty()
    output = bytearray()

    def listen():
        while True:
            try:
                data = os.read(controller, 65536)
            except OSError:
                return
            output.extend(data)
            if b"\x1b[c" in data and response:
                os.write(controller, response)

    listener = threading.Thread(target=listen)
    listener.start()
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "TERM_PROGRAM": "",
        **environment,
    }
    code = (
        "import fcntl, termios, sys; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        "from bot.__main__ import main; sys.exit(main(['show', 'position.cgp']))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code],
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=variables,
        start_new_session=True,
        check=False,
    )
    os.close(terminal)
    listener.join()
    os.close(controller)
    assert completed.returncode == 0, completed.stderr
    return bytes(output)


def test_kitty_gets_the_picture_in_chunks(tmp_path):
    output = run_show_in_terminal(tmp_path, TERM="xterm-kitty")
    chunks = re.findall(rb"\x1b_G(?:a=T,f=100,)?m=([01]);([A-Za-z0-9+/=]+)\x1b\\", output)
    assert [more for more, _ in chunks] == [b"1"] * (len(chunks) - 1) + [b"0"]
    assert all(len(chunk) <= 4096 for _, chunk in chunks)
    assert b64decode(b"".join(chunk for _, chunk in chunks)) == (tmp_path / "position.png").read_bytes()


def test_iterm_gets_the_picture_in_one_piece(tmp_path):
    output = run_show_in_terminal(tmp_path, TERM_PROGRAM="iTerm.app")
    [(size, data)] = re.findall(rb"\x1b\]1337;File=inline=1;size=(\d+):([A-Za-z0-9+/=]+)\x07", output)
    picture = (tmp_path / "position.png").read_bytes()
    assert (int(size), b64decode(data)) == (len(picture), picture)


@pytest.mark.parametrize(
    ("response", "drawn"), [(b"\x1b[?62;4;22c", True), (b"\x1b[?62;22c", False), (b"", False)]
)
def test_other_terminals_are_asked_whether_they_support_sixels(tmp_path, response, drawn):
    output = run_show_in_terminal(tmp_path, response)
    assert (b"\x1bP0;1q" in output) is drawn
    assert b"position.png: Player 1" in output


@pytest.mark.parametrize(
    ("stream", "words", "code"),
    [("stdin", ["inspect", "-"], 1), ("stdout", ["show", "position.cgp"], 0)],
)
def test_a_command_runs_with_a_closed_stream(tmp_path, monkeypatch, stream, words, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.cgp").write_text(POSITION, encoding="utf-8")
    monkeypatch.setattr(sys, stream, None)
    assert main(words) == code
    getattr(sys, stream).close()


def test_without_a_terminal_the_output_path_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.cgp").write_text(POSITION, encoding="utf-8")
    (tmp_path / "position.png").write_bytes(b"mine")
    assert main(["show", "position.cgp"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("position-2.png: Player 1 0, to move, rack AEINRST.")
    assert "Player 1 to move · 0–10 (−10)" in output
    assert "\x1b" not in output
    assert (tmp_path / "position.png").read_bytes() == b"mine"
