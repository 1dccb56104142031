"""Of two games that differ only in hidden racks, the bot sends, logs and counts the same.

While the game is on, a person uses every command, menu, control and form, and follows the controls of each answer. The
person is an onlooker, or a player who must not learn the other player's rack.
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
from tests.domain.crossword.notations.live_links import BASE, delta, whole

from .conftest import SETTLE_SECONDS, make_settings
from .viewer import answer_of, raw_components, replies

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.chat.client import KibitzBot

LAID = 3
"""Turns that were played."""
PLAYS = (
    WordTurn(7, 6, Direction.ACROSS, "AT"),
    WordTurn(7, 6, Direction.DOWN, "AE"),
    WordTurn(7, 7, Direction.DOWN, "TI"),
)
BAGS = {None: "en", 0: "A-9-1.E-8-1.I-8-1.T-9-1&racksize=4"}
"""The tiles by the seat of the person. A player has the same racks in both games, so there are few kinds of tiles."""
UNLIMITED = (
    "user_per_minute", "channel_per_minute", "presses_per_minute", "user_bytes_per_minute", "channel_bytes_per_minute",
    "user_seconds_per_minute", "channel_seconds_per_minute", "user_job_seconds_per_hour", "channel_job_seconds_per_hour",
)  # fmt: skip
"""The allowances that the person would use up."""
SKIPPED = "delete|forget|deepen|longer|replay|rolls"
"""Controls that end the game, and those whose work is measured in seconds: its results differ from run to run."""
MAX_PRESSES = 1
"""Presses of controls that differ only in their document, turn and rank."""


def started(seat: int | None, seed: int) -> TurnUrl:
    """Return a game without turns."""
    return turn_url.read(f"{BASE}#gid=g7&v=1&p1n=alice&p2n=bob&bag={BAGS[seat]}&seed={seed}&tn=1").value


def fits(game: TurnUrl) -> bool:
    return turn_url.replay(game).error is None


def racks(game: TurnUrl) -> list[str]:
    """Return the current racks of the players."""
    played = turn_url.replay(game).value
    return [rack_text(rack, played.game.rules.distribution) for rack in played.racks[-1]]


def racks_of(game: TurnUrl, seat: int | None) -> tuple[str, ...]:
    """Return the racks of a player, turn by turn; nothing for an onlooker."""
    if seat is None:
        return ()
    return tuple(racks(replace(game, turns=game.turns[:turn]))[seat] for turn in range(LAID + 1))


def twins(seat: int | None) -> tuple[TurnUrl, TurnUrl]:
    """Return two games with the same plays and seeds of the same length, whose hidden racks have no letter in common."""
    rng = random.Random(str(seat))
    found: dict[tuple[str, ...], TurnUrl] = {}
    while True:
        game = replace(started(seat, rng.randrange(10**8, 10**9)), turns=PLAYS)
        if not fits(game):
            continue
        other = found.setdefault(racks_of(game, seat), game)
        hidden = [number for number in (0, 1) if number != seat]
        if all(set(racks(game)[number]) != set(racks(other)[number]) for number in hidden):
            return other, game


def invented(games: tuple[TurnUrl, TurnUrl]) -> list[tuple[str, tuple[Any, ...]]]:
    """Return ids and turns to make up: some fit the racks of one game and not of the other."""
    alone = []
    for own, other in (games, games[::-1]):
        letters = "".join(sorted((Counter(racks(own)[1]) - Counter(racks(other)[1])).elements()))
        alone.append(letters.replace("?", "")[:1])
    tries: list[tuple[str, tuple[Any, ...]]] = [
        (name, (*PLAYS, WordTurn(7, 6, Direction.DOWN, f"AE{letter}")))
        for name, letter in zip(("g7", "copy"), alone, strict=True)
        if letter
    ]
    verdicts = {tuple(fits(replace(game, turns=turns)) for game in games) for _, turns in tries}
    assert verdicts & {(True, False), (False, True)}, "something tells the games apart"
    return tries


COMMAND_LINES = (
    "inspect", "inspect --json", "analyze", "analyze --json --turn 1", "review",
    *(f"show -o board.png --layout {layout}" for layout in ("wide", "tall", "board")),
    *(f"convert --to {target}{turn}" for target in ("cgp", "gcg", "json", "text", "turn-url") for turn in ("", " --turn 2")),
)  # fmt: skip
"""The commands that read a game from a file."""


class Record:
    """The output of the bot, without the seed, values that follow from the seed, and random values."""

    def __init__(self, game: TurnUrl, env: simcord.Env, patch: pytest.MonkeyPatch) -> None:
        self.lines: list[str] = []
        self._secrets = {game.seed: "SEED", str(turn_url.draws_of(game.seed)): "DRAWS"}
        self._names: dict[str, str] = {}
        self._env = env
        self._noted = 0
        store = env.backend.cdn.store_attachment

        def stored(number: int, channel: int, name: str, data: bytes, description: str | None) -> Any:
            self._add(f"file {name} {description} {self._plain(data.decode('latin-1'))}")
            return store(number, channel, name, data, description)

        patch.setattr(env.backend.cdn, "store_attachment", stored)

    def _plain(self, text: str) -> str:
        for secret, name in self._secrets.items():
            text = text.replace(secret, name)
        # The library gives forms and their inputs random ids; digests of documents follow from the seed.
        text = re.sub(r"<t:\d+", "<t:0", re.sub(r"\b[0-9a-f]{32}\b", "form", text))
        return re.sub(r"(?<![\w-])[\w-]{22}(?![\w-])", lambda found: self._named(found[0]), text)

    def _named(self, digest: str) -> str:
        return self._names.setdefault(digest, f"digest {len(self._names)}")

    def _add(self, line: str) -> None:
        self.lines.append(line)

    def step(self, label: str) -> None:
        """Add the requests to Discord since the last step."""
        requests = self._env.http_requests
        for request in requests[self._noted :]:
            path = re.sub(r"^(/?(?:interactions|webhooks)/\d+)/[^/]+", r"\1/token", request.path)
            body = re.sub(r'"nonce": "?\w+"?', "nonce", json.dumps(request.json, sort_keys=True))
            self._add(f"{label}: {request.method} {path} {request.params} {self._plain(body)}")
        self._noted = len(requests)

    def end(self, log: str, metrics: PrometheusMetrics) -> None:
        """Add the log of the bot and the counts."""
        for line in re.findall(r"^\w+ +bot\..*$", log, re.MULTILINE):
            self._add(self._plain(re.sub(r"[\d.]+ (?:ms|s)\b|0x[0-9a-f]+", "", line)))
        for line in generate_latest(metrics.registry).decode().splitlines():
            # Times, and what Python and the machine say of themselves.
            if line.startswith("kibitz_") and not re.search("_seconds|_created|_info|_bytes", line):
                self._add(line)


class Person:
    """A person who uses everything, and follows the controls of each answer."""

    def __init__(self, record: Record, actor: Any, channel: Any, game: str) -> None:
        self.record = record
        self.actor = actor
        self.channel = channel
        self.game = game
        self.pressed: Counter[str] = Counter()
        self.used: set[str] = set()

    async def slash(self, name: str, **options: Any) -> None:
        """Use a command, and whatever is under its answer."""
        self.used.add(name)
        label = f"/{name} {sorted(options)}"
        await self.follow(label, await self.actor.slash(self.channel, name, **options))

    async def menu(self, name: str, target: Any) -> None:
        """Use a menu on a message."""
        self.used.add(name)
        await self.follow(name, await self.actor.context_menu(self.channel, name, target))

    async def follow(self, label: str, result: Any) -> None:
        """Fill in a form, or press what is under an answer."""
        self.record.step(label)
        if result.modal is not None:
            filled = {item["custom_id"]: self.filled(item) for item in inputs(result.modal)}
            filled = {name: value for name, value in filled.items() if value is not None}
            sent = await self.actor.submit_modal(result, filled)
            self.record.step(f"{label}, sent")
            if sent.modal is None and (answer := answer_of(sent)) is not None:
                await self.press_all(f"{label}, sent", answer)
        elif (answer := answer_of(result)) is not None:
            await self.press_all(label, answer)

    def filled(self, item: dict[str, Any]) -> Any:
        """Return what to put into an input of a form, None for what may stay empty."""
        if item["type"] == 4:
            return item.get("value") or ("8D CAT" if item.get("max_length", 4000) < 500 else self.game)
        if item["type"] in (3, 21, 22) and item.get("required", True):
            chosen = next((option["value"] for option in item["options"]), None)
            return chosen if item["type"] == 21 else [chosen]
        return None

    async def press_all(self, label: str, message: Any) -> None:
        """Press each control of a message, as long as its kind was not pressed often."""
        for component in list(walk_components(raw_components(message))):
            if "custom_id" not in component or component.get("disabled"):
                continue
            options = [option["value"] for option in component.get("options", ())]
            for value in options or [None]:
                shape = re.sub(
                    r"[\w-]{22}|\d+", "*", value if value and ":" in value else component["custom_id"]
                )
                self.pressed[shape] += 1
                if self.pressed[shape] > MAX_PRESSES or re.search(SKIPPED, shape):
                    continue
                custom_id = component["custom_id"]
                try:
                    result = await (
                        self.actor.click(message, custom_id=custom_id)
                        if value is None
                        else self.actor.select(message, [value], custom_id=custom_id)
                    )
                except simcord.SetupError:  # it went when another was pressed
                    continue
                await self.follow(f"{label} > {shape}", result)


def inputs(modal: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the inputs of a form."""
    every = [item.get("component", item) for item in modal["components"]]
    every = [child for item in every for child in item.get("components", [item])]
    return [item for item in every if "custom_id" in item]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[simcord.Env, KibitzBot, PrometheusMetrics]]:
    """Run a bot in a Discord of its own."""
    metrics = PrometheusMetrics()
    settings = make_settings(folder)
    limits = settings.limits.model_copy(update=dict.fromkeys(UNLIMITED, 10**9))
    async with (
        open_bot(settings.model_copy(update={"limits": limits}), metrics) as bot,
        simcord.run(bot, shard_count=1, settle_timeout=SETTLE_SECONDS) as env,
    ):
        yield env, bot, metrics


def options_of(game: TurnUrl, link: str) -> dict[str, list[dict[str, Any]]]:
    """Return what each command is used with, about a game and a link to it."""
    about: list[dict[str, Any]] = [{"position": link, "private": True}, {"position": link, "private": False}]
    targets = ("cgp", "gcg", "turn-url", "text", "json")
    plays = ("8H TEE", "exch AE", "9G ATE")
    return {
        "show": about,
        "convert": [{**about[0], "to": to} for to in targets],
        "book": about[:1],
        "analyze": [*about, {"position": link, "rack": "AEIT", "private": True}, {"private": True}],
        "check": [{"words": "ae ti eat", "lexicon": "SCOWL80", "private": True}],
        "hooks": [{"word": "at", "lexicon": "SCOWL80", "private": True}],
        "anagram": [{"letters": "aeit", "lexicon": "SCOWL80", "private": True}],
        "try": [{**about[0], "move": play} for play in plays] + [{**about[1], "move": "pass"}],
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
        "about": [],  # the machine's uptime and memory
        "privacy show": [{}],
        "privacy delete": [{}],
    }


MENUS = ("Show position", "Convert position", "Analyze position", "Review game", "Open game")


async def everything(
    game: TurnUrl,
    seat: int | None,
    tries: list[Any],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    patch: pytest.MonkeyPatch,
) -> list[str]:
    """Have a person use everything while a game is on; return all that left the bot."""
    caplog.clear()
    async with opened(folder) as (env, bot, metrics):
        guild = env.create_guild("Crossword club")
        channel, other = guild.create_text_channel("positions"), guild.create_text_channel("others")
        alice, bob, carol = (guild.add_member(env.create_user(name)) for name in ("alice", "bob", "carol"))
        actor = carol if seat is None else alice
        record = Record(game, env, patch)
        for number in range(1, LAID + 1):
            await (alice if number % 2 else bob).send(channel, delta(game, number))
            record.step(f"turn {number}")
        played = [*channel.history()]
        person = Person(record, actor, channel, whole(game))
        for link_id, turns in tries:
            made_up = replace(game, game_id=link_id, turns=turns)
            person.game = link = whole(made_up)
            options = options_of(game, link)
            for name, uses in options.items():
                for use in uses:
                    await person.slash(name, **use)
            person.used |= {"about"}
            posted = await actor.send(other, link)
            record.step("posted elsewhere")
            await actor.send_dm(link)
            record.step("posted in private")
            posted = await actor.send(channel, link)
            record.step("posted where the game is")
            for target, menu in product((posted, *played), MENUS):
                await person.menu(menu, target)
            played = []
            answer = replies(channel)[-1]
            for file in answer.attachments:
                await person.slash("show", file=(file.filename, await file.read()), private=True)
            await actor.send(channel, bot.user.mention, reply_to=answer)
            record.step("a reply to the answer")
            await actor.edit(posted, f"look: {link}")
            record.step("an edit")
        every = {
            command.qualified_name
            for command in bot.tree.walk_commands()
            if not isinstance(command, discord.app_commands.Group)
        }
        menus = {command.name for command in bot.tree.get_commands(type=discord.AppCommandType.message)}
        assert person.used == every | menus, "commands and menus that were not used"
    record.end(caplog.text, metrics)
    return record.lines


@pytest.mark.slow
@pytest.mark.parametrize("seat", [None, 0])
async def test_a_person_who_uses_everything_sees_no_difference(seat, tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO)
    for name in "ab":
        (tmp_path / name).mkdir()
    games = twins(seat)
    tries = invented(games)
    first, other = [
        await everything(game, seat, tries, tmp_path / name, caplog, monkeypatch)
        for game, name in zip(games, "ab", strict=True)
    ]
    for number, (left, right) in enumerate(zip(first, other, strict=False)):
        assert left == right, first[max(0, number - 3) : number]
    assert len(first) == len(other)


@pytest.mark.parametrize("seat", [None, 0])
def test_the_command_line_shows_no_difference(seat, tmp_path, monkeypatch, capsys):
    """A link in a file is read by a user who may not know its racks, whatever the command."""
    monkeypatch.chdir(tmp_path)
    game, picture = tmp_path / "game.txt", tmp_path / "board.png"
    outputs = []
    for twin in twins(seat):
        game.write_text(whole(twin))
        for line in COMMAND_LINES:
            picture.unlink(missing_ok=True)
            code = main([*line.split(), game.name])
            captured = capsys.readouterr()
            text = re.sub(rf"{twin.seed}|{turn_url.draws_of(twin.seed)}", "SEED", captured.out + captured.err)
            outputs.append((line, code, text, picture.read_bytes() if "-o" in line else b""))
    first, other = outputs[: len(COMMAND_LINES)], outputs[len(COMMAND_LINES) :]
    assert first == other
    assert {code for _, code, *_ in first} == {0, 2}, "a running game is neither analyzed nor reviewed"
