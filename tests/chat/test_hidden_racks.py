"""The bot's messages, logs and metrics are the same for two games that differ only in hidden racks.

During a game, a spectator or a player uses almost every command, menu and form, and presses most controls of the replies.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import discord
import msgspec
import pytest
import simcord
from prometheus_client import generate_latest
from simcord.components import walk_components

from bot.__main__ import main
from bot.app.run import open_bot
from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.url import TurnUrl, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.crossword.play_text import rack_text
from bot.observe.health import PrometheusMetrics
from tests.domain.crossword.notations.live_links import BASE, drawn_racks, game_link, turn_link

from .actions import fields_of, raw_components, replies, reply_of
from .conftest import SETTLE_SECONDS, make_settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.chat.client import KibitzBot

TURNS_PLAYED = 3
PLAYS = (
    WordTurn(7, 6, Direction.ACROSS, "AT"),
    WordTurn(7, 6, Direction.DOWN, "AE"),
    WordTurn(7, 7, Direction.DOWN, "TI"),
)
BAGS = {None: "en", 0: "A-9-1.E-8-1.I-8-1.T-9-1&racksize=4"}
"""The bags of the games, by the user's seat (None for a spectator). A player must have the same racks in both games. This is
likely with a bag of only four kinds of tiles."""
RAISED_LIMITS = (
    "user_per_minute", "channel_per_minute", "presses_per_minute", "user_bytes_per_minute", "channel_bytes_per_minute",
    "user_seconds_per_minute", "channel_seconds_per_minute", "user_job_seconds_per_hour", "channel_job_seconds_per_hour",
)  # fmt: skip
"""Limits to raise, because a :class:`Person` would exceed them."""
SKIPPED_ID_PATTERN = "delete|forget|deepen|longer|replay|rolls"
"""Matches the ids of controls that delete replies or data, or whose results depend on time."""


def game_start(seat: int | None, seed: int) -> TurnUrl:
    return turn_url.read(f"{BASE}#gid=g7&v=1&p1n=alice&p2n=bob&bag={BAGS[seat]}&seed={seed}&tn=1").value


def fits_draws(game: TurnUrl) -> bool:
    return turn_url.replay(game).error is None


def rack_texts(game: TurnUrl) -> list[str]:
    distribution = turn_url.replay(game).value.game.rules.distribution
    return [rack_text(rack, distribution) for rack in drawn_racks(game)]


def visible_racks(game: TurnUrl, seat: int | None) -> tuple[str, ...]:
    """Return a player's racks, turn by turn, or an empty tuple for a spectator."""
    if seat is None:
        return ()
    return tuple(rack_texts(replace(game, turns=game.turns[:turn]))[seat] for turn in range(TURNS_PLAYED + 1))


def twin_games(seat: int | None) -> tuple[TurnUrl, TurnUrl]:
    """Return two games with the same plays, but with different letters in the hidden racks. The games' seeds are equally long."""
    rng = random.Random(str(seat))
    games_by_racks: dict[tuple[str, ...], TurnUrl] = {}
    while True:
        game = replace(game_start(seat, rng.randrange(10**8, 10**9)), turns=PLAYS)
        if not fits_draws(game):
            continue
        other = games_by_racks.setdefault(visible_racks(game, seat), game)
        hidden_seats = [number for number in (0, 1) if number != seat]
        if all(set(rack_texts(game)[number]) != set(rack_texts(other)[number]) for number in hidden_seats):
            return other, game


def invent_games(games: tuple[TurnUrl, TurnUrl]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return invented games as (id, turns) pairs. Some of the invented turns fit the draws of only one game."""
    distinguishing_letters = []
    for game, other in (games, games[::-1]):
        letters = "".join(sorted((Counter(rack_texts(game)[1]) - Counter(rack_texts(other)[1])).elements()))
        distinguishing_letters.append(letters.replace("?", "")[:1])
    invented_games: list[tuple[str, tuple[Any, ...]]] = [
        (game_id, (*PLAYS, WordTurn(7, 6, Direction.DOWN, f"AE{letter}")))
        for game_id, letter in zip(("g7", "copy"), distinguishing_letters, strict=True)
        if letter
    ]
    verdicts = {
        tuple(fits_draws(replace(game, turns=turns)) for game in games) for _, turns in invented_games
    }
    assert verdicts & {(True, False), (False, True)}, "the draws of both games allow the same invented turns"
    return invented_games


RAISED_TIME_LIMITS = (
    "press.STORE_AFTER_SECONDS", "press.EDIT_SECONDS", "sending.ACKNOWLEDGE_SECONDS", "preferences.MAX_CONTEXT_SECONDS",
    "unfinished.STORE_TIMEOUT_SECONDS", "client.POLL_EDIT_SECONDS",
)  # fmt: skip
"""Time limits to raise, because they decide which requests get a reply. On a busy machine, the outcome would be random."""

COMMAND_LINES = (
    "inspect", "inspect --json", "analyze", "analyze --json --turn 1", "review",
    *(f"show -o board.png --layout {layout}" for layout in ("wide", "tall", "board")),
    *(f"convert --to {target}{turn}" for target in ("cgp", "gcg", "json", "text", "turn-url") for turn in ("", " --turn 2")),
)  # fmt: skip


class OutputRecorder:
    """The bot's output, without random values, the seed, and values that follow from the seed."""

    def __init__(self, game: TurnUrl, env: simcord.Env, patch: pytest.MonkeyPatch) -> None:
        self.lines: list[str] = []
        self._secrets = {game.seed: "SEED", str(turn_url.draws_id_of(game.seed)): "DRAWS"}
        self._names: dict[str, str] = {}
        self._env = env
        self._request_count = 0
        store = env.backend.cdn.store_attachment

        def record_and_store(
            number: int, channel: int, name: str, data: bytes, description: str | None
        ) -> Any:
            self._add(f"file {name} {description} {data.decode('latin-1')}")
            return store(number, channel, name, data, description)

        patch.setattr(env.backend.cdn, "store_attachment", record_and_store)

    def _add(self, line: str) -> None:
        for secret, name in self._secrets.items():
            line = line.replace(secret, name)
        # Replace timestamps, and the random ids that discord.py gives forms and their fields.
        line = re.sub(r"<t:\d+", "<t:0", re.sub(r"\b[0-9a-f]{32}\b", "form", line))
        # Digests of documents depend on the seed, and Discord's ids on the time.
        line = re.sub(r"(?<![\w-])(?:[\w-]{22}|\d{19})(?![\w-])", lambda match: self._name_of(match[0]), line)
        self.lines.append(line)

    def _name_of(self, id_: str) -> str:
        return self._names.setdefault(id_, f"id {len(self._names)}")

    def record_requests(self, label: str) -> None:
        requests = self._env.http_requests
        for request in requests[self._request_count :]:
            path = re.sub(r"^(/?(?:interactions|webhooks)/\d+)/[^/]+", r"\1/token", request.path)
            body = re.sub(r'"nonce": "?\w+"?', "nonce", json.dumps(request.json, sort_keys=True))
            self._add(f"{label}: {request.method} {path} {request.params} {body}")
        self._request_count = len(requests)

    def record_log_and_metrics(self, log: str, metrics: PrometheusMetrics) -> None:
        for line in re.findall(r"^\w+ +bot\..*$", log, re.MULTILINE):
            self._add(re.sub(r"[\d.]+ (?:ms|s)\b|0x[0-9a-f]+", "", line))
        for line in generate_latest(metrics.registry).decode().splitlines():
            # Times and sizes are left out, as are metrics of Python and the machine.
            if line.startswith("kibitz_") and not re.search("_seconds|_created|_info|_bytes", line):
                self._add(line)


class Person:
    """Uses commands, menus and forms, and the controls of each reply."""

    def __init__(self, recorder: OutputRecorder, actor: Any, channel: Any, game: str) -> None:
        self.recorder = recorder
        self.actor = actor
        self.channel = channel
        self.game = game
        self.pressed_shapes: set[str] = set()
        self.used_names: set[str] = set()

    async def slash(self, name: str, **options: Any) -> None:
        self.used_names.add(name)
        label = f"/{name} {sorted(options)}"
        await self.follow(label, await self.actor.slash(self.channel, name, **options))

    async def use_message_menu(self, name: str, target: Any) -> None:
        self.used_names.add(name)
        await self.follow(name, await self.actor.context_menu(self.channel, name, target))

    async def follow(self, label: str, result: Any) -> None:
        """Fill in a form, or press the controls under a reply."""
        self.recorder.record_requests(label)
        if result.modal is not None:
            values = {item["custom_id"]: self.field_value(item) for item in fields_of(result.modal)}
            values = {name: value for name, value in values.items() if value is not None}
            form_result = await self.actor.submit_modal(result, values)
            self.recorder.record_requests(f"{label}, submitted")
            if form_result.modal is None and (reply := reply_of(form_result)) is not None:
                await self.press_all(f"{label}, submitted", reply)
        elif (reply := reply_of(result)) is not None:
            await self.press_all(label, reply)

    def field_value(self, item: dict[str, Any]) -> Any:
        """Return a value for a field of a form, or None if the field may stay empty."""
        if item["type"] == 4:  # a text field
            return item.get("value") or ("8D CAT" if item.get("max_length", 4000) < 500 else self.game)
        # A menu, a group of radio buttons or a group of checkboxes.
        if item["type"] in (3, 21, 22) and item.get("required", True):
            value = next((option["value"] for option in item["options"]), None)
            return value if item["type"] == 21 else [value]
        return None

    async def press_all(self, label: str, message: Any) -> None:
        """Press each control, except controls whose ids are similar to a pressed control's id."""
        for component in list(walk_components(raw_components(message))):
            if "custom_id" not in component or component.get("disabled"):
                continue
            options = [option["value"] for option in component.get("options", ())]
            for value in options or [None]:
                # The id without digests and numbers.
                shape = re.sub(
                    r"[\w-]{22}|\d+", "*", value if value and ":" in value else component["custom_id"]
                )
                if shape in self.pressed_shapes or re.search(SKIPPED_ID_PATTERN, shape):
                    continue
                self.pressed_shapes.add(shape)
                custom_id = component["custom_id"]
                try:
                    result = await (
                        self.actor.click(message, custom_id=custom_id)
                        if value is None
                        else self.actor.select(message, [value], custom_id=custom_id)
                    )
                except simcord.SetupError:  # an earlier press has removed the control
                    continue
                await self.follow(f"{label} > {shape}", result)


@asynccontextmanager
async def run_bot(folder: Path) -> AsyncIterator[tuple[simcord.Env, KibitzBot, PrometheusMetrics]]:
    metrics = PrometheusMetrics()
    settings = make_settings(folder)
    limits = msgspec.structs.replace(settings.limits, **dict.fromkeys(RAISED_LIMITS, 10**9))
    async with (
        open_bot(msgspec.structs.replace(settings, limits=limits), metrics) as bot,
        simcord.run(bot, shard_count=1, settle_timeout=SETTLE_SECONDS) as env,
    ):
        yield env, bot, metrics


def options_of(game: TurnUrl, link: str) -> dict[str, list[dict[str, Any]]]:
    """Return the options of each command for a game and a link to it."""
    link_options: list[dict[str, Any]] = [
        {"position": link, "private": True},
        {"position": link, "private": False},
    ]
    targets = ("cgp", "gcg", "turn-url", "text", "json")
    plays = ("8H TEE", "exch AE", "9G ATE")
    return {
        "show": link_options,
        "convert": [{**link_options[0], "to": to} for to in targets],
        "book": link_options[:1],
        "analyze": [*link_options, {"position": link, "rack": "AEIT", "private": True}, {"private": True}],
        "check": [{"words": "ae ti eat", "lexicon": "SCOWL80", "private": True}],
        "hooks": [{"word": "at", "lexicon": "SCOWL80", "private": True}],
        "anagram": [{"letters": "aeit", "lexicon": "SCOWL80", "private": True}],
        "try": [{**link_options[0], "move": play} for play in plays] + [{**link_options[1], "move": "pass"}],
        "review": [{"game": link, "private": True}, {"game": link, "private": False}, {"last": 2}],
        "puzzle": [{"topic": "mine", "private": True}],
        "leaderboard": [{"private": True}],
        "stats": [{}],
        "game open": [{"game": link}],
        "game list": [{}],
        "game show": [
            {"game": name, "my_rack": rack, "private": private}
            for name, rack, private in product((game.game_id, "copy"), (False, True), (False, True))
        ],
        "game seats": [{"game": game.game_id}, {"game": "copy"}],
        "game forget": [{"game": "copy"}],
        "settings me": [{"layout": "tall"}, {"layout": "default"}],
        "settings server": [{}],
        "settings daily": [{}],
        "help": [{}],
        "about": [],  # its reply contains the uptime and the memory of the machine
        "privacy show": [{}],
        "privacy delete": [{}],
    }


MENUS = ("Show position", "Convert position", "Analyze position", "Review game", "Open game")


async def use_commands_and_controls(
    game: TurnUrl,
    seat: int | None,
    invented_games: list[Any],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    patch: pytest.MonkeyPatch,
) -> list[str]:
    """Use every command except ``/about``, every menu, and most controls during a game. Return the bot's output as lines."""
    caplog.clear()
    async with run_bot(folder) as (env, bot, metrics):
        guild = env.create_guild("Crossword club")
        channel, other_channel = guild.create_text_channel("positions"), guild.create_text_channel("others")
        alice, bob, carol = (guild.add_member(env.create_user(name)) for name in ("alice", "bob", "carol"))
        actor = carol if seat is None else alice
        recorder = OutputRecorder(game, env, patch)
        for number in range(1, TURNS_PLAYED + 1):
            await (alice if number % 2 else bob).send(channel, turn_link(game, number))
            recorder.record_requests(f"turn {number}")
        earlier_messages = [*channel.history()]
        person = Person(recorder, actor, channel, game_link(game))
        for game_id, turns in invented_games:
            person.game = link = game_link(replace(game, game_id=game_id, turns=turns))
            for name, option_sets in options_of(game, link).items():
                for options in option_sets:
                    await person.slash(name, **options)
            person.used_names |= {"about"}  # left out on purpose, see :func:`options_of`
            await actor.send(other_channel, link)
            recorder.record_requests("posted in another channel")
            await actor.send_dm(link)
            recorder.record_requests("posted in a direct message")
            post = await actor.send(channel, link)
            recorder.record_requests("posted in the game's channel")
            for target, menu in product((post, *earlier_messages), MENUS):
                await person.use_message_menu(menu, target)
            earlier_messages = []
            reply = replies(channel)[-1]
            for file in reply.attachments:
                await person.slash("show", file=(file.filename, await file.read()), private=True)
            await actor.send(channel, bot.user.mention, reply_to=reply)
            recorder.record_requests("a message that replies to the reply")
            await actor.edit(post, f"look: {link}")
            recorder.record_requests("an edit")
        commands = {
            command.qualified_name
            for command in bot.tree.walk_commands()
            if not isinstance(command, discord.app_commands.Group)
        }
        menus = {command.name for command in bot.tree.get_commands(type=discord.AppCommandType.message)}
        assert person.used_names == commands | menus, (
            "a command or menu of the bot was not used, or does not exist"
        )
    recorder.record_log_and_metrics(caplog.text, metrics)
    return recorder.lines


@pytest.mark.slow
@pytest.mark.parametrize("seat", [None, 0])
async def test_no_command_or_menu_depends_on_the_hidden_racks_of_a_game(seat, tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    for name in RAISED_TIME_LIMITS:
        monkeypatch.setattr(f"bot.chat.{name}", SETTLE_SECONDS)
    for name in "ab":
        (tmp_path / name).mkdir()
    games = twin_games(seat)
    invented_games = invent_games(games)
    first, other = [
        await use_commands_and_controls(game, seat, invented_games, tmp_path / name, caplog, monkeypatch)
        for game, name in zip(games, "ab", strict=True)
    ]
    for number, (left, right) in enumerate(zip(first, other, strict=False)):
        assert left == right, first[max(0, number - 3) : number]
    assert len(first) == len(other)


@pytest.mark.parametrize("seat", [None, 0])
def test_the_command_line_does_not_depend_on_the_hidden_racks_of_a_game(seat, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    game_file, picture_file = tmp_path / "game.txt", tmp_path / "board.png"
    outputs = []
    for twin in twin_games(seat):
        game_file.write_text(game_link(twin))
        for line in COMMAND_LINES:
            picture_file.unlink(missing_ok=True)
            exit_code = main([*line.split(), game_file.name])
            captured = capsys.readouterr()
            text = re.sub(
                rf"{twin.seed}|{turn_url.draws_id_of(twin.seed)}", "SEED", captured.out + captured.err
            )
            outputs.append((line, exit_code, text, picture_file.read_bytes() if "-o" in line else b""))
    first, other = outputs[: len(COMMAND_LINES)], outputs[len(COMMAND_LINES) :]
    assert first == other
    assert {exit_code for _, exit_code, *_ in first} == {0, 2}, "a live game was analyzed or reviewed"
