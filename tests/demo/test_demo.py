"""The demo's process: it needs no settings, stays on this machine, ends cleanly, and reports why it cannot start."""

import json
import re
import signal
import socket
import sqlite3
import stat
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from simcord.components import walk_components

from bot.chat.source import Attachment, Source
from bot.cli.parser import CommandError
from bot.config import Analysis, Links, Secret, Settings
from bot.demo.script import CHANNELS
from bot.demo.stage import offline_settings, run_demo
from bot.domain.notations import convert, target_notations
from bot.domain.reading.problems import ConversionError
from bot.features.showing.reading.documents import read_source
from tests.chat.test_hidden_racks import twin_games
from tests.demo.process import running_demo
from tests.demo.visit import Visit, open_visit
from tests.domain.crossword.notations.live_links import game_link
from tests.waiting import until
from tests.wire.kibitz import uses_programs

pytestmark = uses_programs

MAX_END_SECONDS = 30.0
"""Maximum seconds from a signal to the end of the process. If an open page delayed the end, it would take a minute."""


async def test_the_demo_is_local_and_leaves_no_files(tmp_path: Path):
    """The demo opens a browser, rejects other machines and requests without the key, and uses its own database."""
    scratch, database, url_file = tmp_path / "scratch", tmp_path / "real.sqlite3", tmp_path / "seen"
    scratch.mkdir()
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE untouched (number)")
    before = database.read_bytes()
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        port = probe.getsockname()[1]
    environment = {
        "DATABASE_URL": f"sqlite:///{database}",
        "DISCORD_TOKEN": "not-a-token",
        "PORT": "1",
        "KIBITZ_ANALYSIS__JOBS": "0",
        "TMPDIR": str(scratch),
        **screen_with_browser(tmp_path, url_file),
    }
    async with (
        running_demo("demo", "--port", str(port), folder=tmp_path, environment=environment) as demo,
        open_visit(demo.url) as visit,
    ):
        assert demo.port == port
        assert file_names(scratch), "the demo's database is not in the folder for temporary files"
        async with (
            aiohttp.ClientSession() as stranger,
            stranger.post(f"http://127.0.0.1:{port}/api/pages", json={}) as response,
        ):
            assert response.status == 401
        for host in own_addresses():
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((host, port), timeout=2).close()
        assert await wait_for_opened_url(url_file) == demo.url
        assert (await visit.read_state())["timeline"]
        start_time = time.monotonic()
        code, output, errors = await demo.end(signal.SIGTERM)
        assert time.monotonic() - start_time < MAX_END_SECONDS
    assert (code, errors) == (0, "")
    assert output.endswith("\nThe demo has ended.\n")
    assert file_names(scratch) == []
    assert database.read_bytes() == before, "the demo changed the real database"


async def test_ctrl_c_ends_a_demo_whose_parent_ignores_it(tmp_path):
    """A shell without job control starts background jobs with SIGINT ignored."""
    earlier_handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        async with running_demo("demo", "--no-browser", folder=tmp_path) as demo:
            code, output, errors = await demo.end(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, earlier_handler)
    assert (code, errors) == (0, "")
    assert output.endswith("\nThe demo has ended.\n")


def screen_with_browser(folder: Path, url_file: Path) -> dict[str, str]:
    """Return an environment with a screen, and with a browser that only writes the URL to ``url_file``."""
    browser = folder / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{url_file}.new"\nmv "{url_file}.new" "{url_file}"\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    return {"DISPLAY": ":99", "BROWSER": f"{browser} %s"}


async def wait_for_opened_url(url_file: Path) -> str:
    await until(url_file.exists)
    return url_file.read_text()  # noqa: ASYNC240


def own_addresses() -> set[str]:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # reserved for documentation; a datagram socket sends nothing here
        except OSError:
            return set()
        address = str(probe.getsockname()[0])
    return set() if address.startswith("127.") else {address}


def file_names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_the_demo_starts_without_a_token(tmp_path: Path):
    async with running_demo(folder=tmp_path) as demo:
        assert demo.first_line.startswith("DISCORD_TOKEN is not set")
        async with open_visit(demo.pages["games"]) as visit, open_visit(demo.pages["games"]) as other:
            await presses_are_accepted_while_their_button_exists(visit, other)
            await games_that_differ_only_in_hidden_racks_get_equal_replies(visit)
            assert (await visit.act("close"))["settlement"] == "settled"
        code, output, errors = await demo.wait()
    assert (code, errors) == (0, "")
    assert output.endswith("\nThe demo has ended.\n")


async def presses_are_accepted_while_their_button_exists(visit: Visit, other: Visit) -> None:
    """A page requests changes twice a second. Like a Discord client, it may show an old state."""
    viewer = other.snapshot["timeline"][-2]
    old_state = other.snapshot
    await visit.act("send_message", content="Did you see this one?")

    async def has_changed() -> bool:
        return (await other.read_state())["publishedRevision"] != old_state["publishedRevision"]

    await until(has_changed)
    components = walk_components(old_state["messages"][viewer]["components"])
    [key] = [
        component["control_key"] for component in components if component.get("custom_id", "").endswith(":p")
    ]
    step_back = {"control_key": key, "target_id": viewer}
    first_receipt = await other.act("click", old_state, **step_back)
    assert (first_receipt["rejected"], first_receipt["settlement"]) == (False, "settled")
    assert "Turn 22 of 23" in json.dumps((await other.read_state())["messages"][viewer])
    # The button now leads to another turn, so a second press on the old state is refused.
    second_receipt = await other.act("click", old_state, **step_back)
    assert [problem["code"] for problem in second_receipt["diagnostics"]] == ["stale-revision"]
    assert "Turn 22 of 23" in json.dumps((await other.read_state())["messages"][viewer])


async def games_that_differ_only_in_hidden_racks_get_equal_replies(visit: Visit) -> None:
    replies = []
    for game, name in zip(twin_games(None), ("g7", "g8"), strict=True):
        await visit.act("send_message", content=game_link(replace(game, game_id=name)))
        reply = (await visit.read_state())["messages"][visit.snapshot["timeline"][-1]]
        assert f"Kibitz is now following game **{name}**" in json.dumps(reply)
        # Only ids, times, digests of documents, and the games' names and seeds may differ.
        variable_parts = (
            rf"\d{{15,}}|\d{{4}}-\d\d-\d\dT[\d:.+]+|a_[\w-]{{16}}|(?<=:)[\w-]{{22}}(?=:)|{name}|{game.seed}"
        )
        replies.append(re.sub(variable_parts, "*", json.dumps(reply)))
    assert replies[0] == replies[1]


def test_the_demo_runs_all_jobs_and_uses_neither_links_nor_the_database(tmp_path: Path):
    settings = Settings(
        database_direct_url=Secret("postgresql://localhost/kibitz"),
        analysis=Analysis(jobs=0),
        links=Links(enabled=True, contact="host@example.org"),
    )
    offline = offline_settings(settings, tmp_path)
    assert offline.direct_database_url == offline.database_url
    assert offline.analysis.jobs
    assert not offline.links.enabled


async def test_a_port_in_use_is_reported():
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(CommandError) as error_info:
            await run_demo(Settings(), port=port, open_browser=False)
    assert str(error_info.value) == (
        f"Port {port} is in use: choose another port with --port, or omit it to use any free port."
    )


@pytest.mark.long
@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="there is always a screen")
@pytest.mark.parametrize(
    ("arguments", "screen", "is_opened"),
    [
        ((), {"WAYLAND_DISPLAY": "wayland-9"}, True),
        ((), {}, False),
        (("--no-browser",), {"DISPLAY": ":99"}, False),
    ],
    ids=["Wayland", "no screen", "not wanted"],
)
async def test_a_browser_is_opened_only_if_there_is_a_screen(
    tmp_path: Path, arguments: tuple[str, ...], screen: dict[str, str], is_opened: bool
):
    url_file = tmp_path / "seen"
    environment = {**screen_with_browser(tmp_path, url_file), "DISPLAY": "", **screen}
    async with running_demo("demo", *arguments, folder=tmp_path, environment=environment) as demo:
        if is_opened:
            assert await wait_for_opened_url(url_file) == demo.url
        code, _, errors = await demo.end()
    assert (code, errors) == (0, "")
    assert url_file.exists() == is_opened


def test_every_notation_in_a_menu_of_the_demo_can_be_written():
    refused_conversions = []
    for example in (example for channel in CHANNELS for example in channel.examples):
        files = tuple(Attachment(name, data) for name, data in example.attachments)
        findings = read_source(Source(example.text, files))
        assert findings.broken_texts == ()
        for document in (item.document for item in findings.documents):
            for name in target_notations(document):
                try:
                    convert(document, name)
                except ConversionError as error:
                    refused_conversions.append((type(document).__name__, name, error.code))
    # The only exception: the menu can't know whether a game's draws come from a seed.
    assert refused_conversions == [("Game", "turn-url", "no-seed")]
