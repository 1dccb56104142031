"""Settings from a TOML file and the environment, which overrides the file. An unknown setting is an error.

Secrets come only from the environment, and never appear in ``repr``, errors or logs.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, get_args, get_type_hints

from msgspec import Meta, Struct, ValidationError, convert, field, json

from bot.observe import logs
from render.theme import theme_names


class ConfigError(Exception):
    """The settings cannot be used. The message is one sentence and contains no secrets."""

    exit_code = 2


class Secret:
    """A string that ``repr`` and errors do not show."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the settings."""


_Address = Annotated[str, Meta(pattern=r"^(?:https?://[!-~]{1,500})?\Z")]


class Discord(Section, frozen=True):
    """The connection to Discord."""

    message_content: bool = True
    """Whether to request the message-content intent. Without it, Kibitz replies only to mentions, direct messages, slash
    commands and menus."""
    welcome: bool = True
    """Whether Kibitz posts instructions when it joins a server."""
    requests_a_second: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """Maximum requests to Discord per second, not counting replies to commands and buttons. Processes that share the token and the
    database also share this limit."""
    source: _Address = ""
    """Address of the bot's source code, for ``/about``."""
    privacy: _Address = ""
    """Address of the host's privacy policy, for ``/about``."""


class Look(Section, frozen=True):
    """The default look of pictures."""

    theme: str = "light"
    layout: Literal["wide", "tall"] = "tall"


class Limits(Section, frozen=True):
    """Limits for users, channels, files and the bot itself."""

    workers: Annotated[int, Meta(ge=1, le=64)] = 2
    """Number of threads that parse short texts and draw pictures."""
    processes: Annotated[int, Meta(ge=1, le=64)] = 2
    """Number of processes that parse files and long texts, and draw replays. Each user can use one at a time."""
    process_seconds: Annotated[int, Meta(ge=1, le=600)] = 10
    """Seconds of CPU time after which one of these processes is killed."""
    process_bytes: Annotated[int, Meta(ge=128 * 2**20, le=2**36)] = 512 * 2**20
    """Maximum address space of one of these processes, in bytes."""
    attachment_bytes: Annotated[int, Meta(ge=1_000, le=10_000_000)] = 1_000_000
    """Maximum size of an attachment other than a picture, in bytes."""
    picture_bytes: Annotated[int, Meta(ge=1_000, le=10_000_000)] = 8_000_000
    """Maximum size of an attached picture, in bytes."""
    cache_bytes: Annotated[int, Meta(ge=0, le=2**32)] = 16 * 2**20
    """Size of the cache of finished pictures, in bytes."""
    user_per_minute: Annotated[int, Meta(ge=1, le=10_000)] = 20
    """Maximum replies to one user per minute."""
    presses_per_minute: Annotated[int, Meta(ge=1, le=10_000)] = 60
    """Maximum uses of buttons and menus by one user per minute. Stepping through a game takes many."""
    channel_per_minute: Annotated[int, Meta(ge=1, le=10_000)] = 60
    """Maximum replies in one channel per minute."""
    user_bytes_per_minute: Annotated[int, Meta(ge=10_000, le=10**9)] = 12_000_000
    """Maximum bytes of files and long texts read for one user per minute."""
    channel_bytes_per_minute: Annotated[int, Meta(ge=10_000, le=10**9)] = 30_000_000
    """Maximum bytes of files and long texts read for one channel per minute."""
    user_seconds_per_minute: Annotated[int, Meta(ge=1, le=3_600)] = 20
    """Maximum CPU seconds per minute for one user, not counting jobs."""
    channel_seconds_per_minute: Annotated[int, Meta(ge=1, le=3_600)] = 60
    """Maximum CPU seconds per minute for one channel, not counting jobs."""
    user_job_seconds_per_hour: Annotated[int, Meta(ge=60, le=10**7)] = 1_800
    """Maximum CPU seconds per hour for one user's jobs, such as simulations, endgame solving and chess analysis."""
    channel_job_seconds_per_hour: Annotated[int, Meta(ge=60, le=10**7)] = 5_400
    """Maximum CPU seconds per hour for one channel's jobs."""
    channel_at_once: Annotated[int, Meta(ge=1, le=64)] = 3
    """Maximum messages from one channel processed at the same time."""
    channel_waiting: Annotated[int, Meta(ge=1, le=10_000)] = 100
    """Maximum messages from one channel that wait while others are processed. Further messages are ignored."""


_LexiconName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z")]


class Analysis(Section, frozen=True):
    """The analysis of crossword positions. ``python -m bot lexicon add`` adds lexica."""

    enabled: bool = True
    """Whether analysis is offered if its packages are installed."""
    lexica: Path = Path("lexica")
    """The folder for added lexica. The lexica that ship with Kibitz are always available."""
    lexicon: str = "SCOWL95"
    """The lexicon for positions that do not name one, unless the server or the user has chosen another."""
    aliases: Annotated[dict[_LexiconName, _LexiconName], Meta(max_length=100)] = field(default_factory=dict)
    """Maps a missing lexicon to the installed lexicon that replaces it: ``NWL18 = "NWL23"``."""
    lexica_loaded: Annotated[int, Meta(ge=1, le=64)] = 4
    """Maximum number of lexica in memory. Each takes about 30 megabytes."""
    engine: str = ""
    """The command of an additional UCGI engine, or empty for none."""
    jobs: Annotated[int, Meta(ge=0, le=64)] = 3
    """Maximum number of crossword analyses, such as simulations, that run at the same time. With 0, all jobs run in workers
    (``python -m bot worker``) that share the PostgreSQL database."""
    jobs_a_server: Annotated[int, Meta(ge=1, le=64)] = 2
    """Maximum number of crossword analyses that run at the same time for one Discord server."""
    jobs_waiting: Annotated[int, Meta(ge=0, le=10_000)] = 50
    """Maximum number of waiting crossword jobs of each kind. Further jobs are refused. If workers run the jobs, crossword jobs are
    refused when this many jobs of any kind are waiting per worker."""
    slots: Annotated[int, Meta(ge=0, le=256)] = 0
    """Maximum number of jobs that a worker runs at the same time, or 0 for one per core."""


class Chess(Section, frozen=True):
    """The analysis of chess positions."""

    engine: str = "auto"
    """The command of a UCI engine, or ``auto`` for Stockfish, if installed. If empty, chess is not analyzed."""


class Puzzles(Section, frozen=True):
    """Additional puzzles."""

    folder: Path = Path("puzzles")
    """A folder of files that ``python -m bot puzzles`` wrote: ``.json`` for crossword puzzles, ``.csv`` for chess puzzles."""


_HostName = Annotated[str, Meta(pattern=r"^[a-z.-]{1,60}\Z")]


class Links(Section, frozen=True):
    """Games fetched from links."""

    enabled: bool = False
    """Whether to fetch the games behind links to woogles, cross-tables and lichess."""
    contact: Annotated[str, Meta(pattern=r"^[!-~]{0,200}\Z")] = ""
    """An email address or web page where the sites can reach the person who runs the bot. It is sent with every request."""
    bases: Annotated[dict[_HostName, _Address], Meta(max_length=10)] = field(default_factory=dict)
    """For tests: maps host names to the addresses of substitute servers."""
    authority: Path | None = None
    """For tests: a file with the CA certificate of these servers."""


class Web(Section, frozen=True):
    """The web server for ``/healthz``, ``/readyz`` and ``/metrics``."""

    host: str = ""
    """The address to listen on; 127.0.0.1 if empty. But if the environment variable PORT is set, the default is every address,
    because the hosting platform's requests come from outside."""
    port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    """The port. PORT overrides it. If neither is set, nothing is served."""


class Logs(Section, frozen=True):
    """The log on standard error."""

    format: logs.Format = "auto"
    """``json`` (one object per line), ``text``, or ``auto`` (text in a terminal, JSON elsewhere)."""
    level: logs.Level = "info"
    """The lowest level that is logged. ``debug`` applies only to Kibitz, not to its libraries."""


class Process(Section, frozen=True):
    """The process's watchdog."""

    stall_seconds: Annotated[float, Meta(ge=0.0, le=3_600.0)] = 30.0
    """If the event loop hangs for this many seconds, the process exits, so that the hosting platform restarts it. 0 turns
    the watchdog off. On Windows, it is always off."""


MAX_SHARDS: Final = 16_000
_SHARDS: Final = re.compile(
    r"(?:auto(?:/(?P<all>[0-9]{1,5}))?|(?P<first>[0-9]{1,5})(?:-(?P<last>[0-9]{1,5}))?/(?P<of>[0-9]{1,5}))?"
)


@dataclass(frozen=True, slots=True)
class Sharding:
    """The shards that a process runs. By default, all shards."""

    count: int | None = None
    """The total number of shards, or None for the number that Discord recommends."""
    ids: tuple[int, ...] = ()
    """The shards assigned to this process. If there are none, the process runs all shards or, if ``divided`` is set, the shards
    that it can lock in the database."""
    divided: bool = False
    """Whether processes divide the shards among themselves, using locks in the database."""

    @property
    def may_have_other_processes(self) -> bool:
        """Whether other processes may run other shards."""
        return self.divided or bool(self.ids)


def read_sharding(shards: str, replica: int | None = None, replicas: int | None = None) -> Sharding:
    """Read the shards of a process: ``auto``, ``auto/64``, ``3/64``, ``0-15/64`` or an empty string.

    With ``replicas`` = 8, ``replica`` 2 takes shards 2, 10, 18 … of ``auto/64``.

    Raises:
        ConfigError: a value is malformed, or the values contradict each other.

    """
    match = _SHARDS.fullmatch(shards)
    if match is None:
        raise ConfigError(f"KIBITZ_SHARDS must look like auto, auto/64, 3/64 or 0-15/64, not {shards[:40]!r}")
    first, last, total_after_auto, total_after_range = (
        None if number is None else int(number) for number in match.group("first", "last", "all", "of")
    )
    count = total_after_auto if total_after_range is None else total_after_range
    if count is not None and not 1 <= count <= MAX_SHARDS:
        raise ConfigError(
            f"KIBITZ_SHARDS specifies {count} shards; the number must be from 1 to {MAX_SHARDS}"
        )
    if (replica is None) is not (replicas is None):
        raise ConfigError("KIBITZ_REPLICA and KIBITZ_REPLICAS must be set together")
    if first is not None:
        assert count is not None  # the pattern requires a count after a shard
        if replica is not None:
            raise ConfigError(
                "KIBITZ_SHARDS already names the shards of this process, so KIBITZ_REPLICA must not be set"
            )
        last = first if last is None else last
        if not first <= last < count:
            raise ConfigError(f"KIBITZ_SHARDS must name shards from 0 to {count - 1}, in ascending order")
        return Sharding(count, tuple(range(first, last + 1)))
    if replica is None or replicas is None:
        return Sharding(count, divided=bool(shards))
    if count is None:
        raise ConfigError(
            f"KIBITZ_REPLICAS needs a number of shards that is the same for every process, such as KIBITZ_SHARDS=auto/{replicas}"
        )
    if replica >= min(replicas, count):
        raise ConfigError(
            "KIBITZ_REPLICA counts from 0, so it must be lower than both KIBITZ_REPLICAS and the number of shards"
        )
    return Sharding(count, tuple(range(replica, count, replicas)))


DEFAULT_FILE = Path("config.toml")
PREFIX = "KIBITZ_"
ENVIRONMENT_ONLY = {
    "discord_token": "DISCORD_TOKEN",
    "database_url": "DATABASE_URL",
    "database_direct_url": "DATABASE_DIRECT_URL",
    "port": "PORT",
    "sentry_dsn": "SENTRY_DSN",
    "otlp_endpoint": "OTEL_EXPORTER_OTLP_ENDPOINT",
    "shards": f"{PREFIX}SHARDS",
    "replica": f"{PREFIX}REPLICA",
    "replicas": f"{PREFIX}REPLICAS",
}
"""The environment variables of settings that the file may not contain: secrets, and settings for a single process."""


class Settings(Section, frozen=True):
    """All settings. See ``config.example.toml``."""

    discord: Discord = Discord()
    look: Look = Look()
    limits: Limits = Limits()
    analysis: Analysis = Analysis()
    chess: Chess = Chess()
    puzzles: Puzzles = Puzzles()
    links: Links = Links()
    logs: Logs = Logs()
    web: Web = Web()
    process: Process = Process()
    discord_token: Secret | None = None
    database_url: Secret = Secret("sqlite:///kibitz.sqlite3")
    database_direct_url: Secret | None = None
    """The address of the database server itself, if ``database_url`` points to a connection pooler. It is used to listen for
    changes, to lock shards, and to migrate the job engine's tables."""
    port: Annotated[int, Meta(ge=0, le=65_535)] | None = None
    """The port that the hosting platform routes to this process. See :class:`Web`."""
    sentry_dsn: Secret | None = None
    """The address of Sentry, which receives error reports. See :mod:`bot.observe.telemetry`."""
    otlp_endpoint: Secret | None = None
    """The address of an OpenTelemetry collector, which receives traces."""
    shards: str = ""
    """The shards that this process runs. See :func:`read_sharding`."""
    replica: Annotated[int, Meta(ge=0)] | None = None
    """The number of this process, counted from 0."""
    replicas: Annotated[int, Meta(ge=1)] | None = None
    """The number of processes that divide the shards among themselves."""

    @property
    def direct_database_url(self) -> Secret:
        """The address of the database server itself."""
        return self.database_direct_url or self.database_url

    @property
    def telemetry_addresses(self) -> tuple[str | None, str | None]:
        """The addresses to which errors and traces are sent. Both are secret."""
        return (
            None if self.sentry_dsn is None else self.sentry_dsn.value,
            None if self.otlp_endpoint is None else self.otlp_endpoint.value,
        )

    @property
    def sharding(self) -> Sharding:
        return read_sharding(self.shards, self.replica, self.replicas)

    @property
    def web_address(self) -> tuple[str | None, int] | None:
        """The host and port of the health endpoints, or None if nothing is served. A host of None means every address."""
        if self.port is not None:
            return self.web.host or None, self.port
        return None if self.web.port is None else (self.web.host or "127.0.0.1", self.web.port)


def load_settings(file: Path | None = None) -> Settings:
    """Read the settings from a TOML file and the environment.

    Without ``file``, read :data:`DEFAULT_FILE` if it exists.

    Raises:
        ConfigError: the file is missing or not TOML, a key is unknown, or a value is invalid.

    """
    if file is not None and not file.is_file():
        raise ConfigError(f"there is no settings file {file}")
    path = file if file is not None else DEFAULT_FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"the settings file {path} can't be read: {error}") from None
    if misplaced_key := next((key for key in values if key.lower() in ENVIRONMENT_ONLY), None):
        raise ConfigError(
            f"the setting {misplaced_key} belongs in the environment ({ENVIRONMENT_ONLY[misplaced_key.lower()]}), "
            "not in the file"
        )
    for (*section, key), value in _environment_values():
        table = values.setdefault(section[0], {}) if section else values
        if isinstance(table, dict):  # otherwise, convert() reports the error
            old_value = table.get(key)
            table[key] = (
                old_value | value if isinstance(old_value, dict) and isinstance(value, dict) else value
            )
    try:
        # Variables are strings, so numbers may be strings. Secrets and paths are created from strings.
        settings = convert(values, Settings, strict=False, dec_hook=lambda kind, text: kind(text))
    except ValidationError as error:
        raise ConfigError(_describe_error(str(error))) from None
    if settings.links.enabled and not settings.links.contact:
        raise ConfigError("the setting links.enabled needs links.contact, so that the sites can reach you")
    read_sharding(settings.shards, settings.replica, settings.replicas)
    if settings.look.theme not in theme_names():
        raise ConfigError(
            f"the theme {settings.look.theme!r} is unknown; the themes are {', '.join(theme_names())}"
        )
    return settings


def _environment_values() -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield the path and value of each setting in the environment. Ignore empty and blank variables, which some platforms set.

    Raises:
        ConfigError: a variable that starts with :data:`PREFIX` is unknown (a misspelled name must not go unnoticed), or the value of
            a section or mapping is not JSON. The message omits the value, which may be a secret.

    """
    # For each variable, the path of its setting and the default.
    settings_by_variable: dict[str, tuple[tuple[str, ...], object]] = {}
    defaults = Settings()
    for name in defaults.__struct_fields__:
        section = getattr(defaults, name)
        settings_by_variable[ENVIRONMENT_ONLY.get(name, f"{PREFIX}{name}".upper())] = (name,), section
        for key in section.__struct_fields__ if isinstance(section, Section) else ():
            settings_by_variable[f"{PREFIX}{name}__{key}".upper()] = (name, key), getattr(section, key)
    # A section comes before its settings, which override it.
    for name, value in sorted(os.environ.items()):
        path, default = settings_by_variable.get(name.upper(), ((), None))
        if not path and name.upper().startswith(PREFIX):
            raise ConfigError(
                f"the variable {name} is unknown{_suggest_variable(name, settings_by_variable)}"
            )
        if not path or not value.strip():
            continue
        try:
            yield path, json.decode(value) if isinstance(default, Section | dict) else value
        except ValueError:
            raise ConfigError(f"the variable {name} is not a JSON object") from None


def _suggest_variable(name: str, known_variables: Iterable[str]) -> str:
    candidates = {variable.removeprefix(PREFIX): variable for variable in known_variables}
    candidates |= {variable: variable for variable in ENVIRONMENT_ONLY.values()}
    closest_matches = difflib.get_close_matches(name.upper().removeprefix(PREFIX), candidates, n=1)
    return f"; did you mean {candidates[closest_matches[0]]}?" if closest_matches else ""


_MSGSPEC_ERROR: Final = re.compile(
    r"(?:Object contains unknown field `(?P<field>.*?)`|(?P<problem>.*?))(?: - at `(?:key` in `)?\$\.?(?P<place>[^`]*)`)?",
    re.DOTALL,
)


def _describe_error(message: str) -> str:
    """Turn msgspec's error message into a sentence without the invalid value."""
    match = _MSGSPEC_ERROR.fullmatch(message)
    assert match is not None  # the pattern matches any text
    unknown_field, problem, place = match["field"], match["problem"], match["place"] or ""
    if unknown_field is not None:
        return f"the setting {f'{place}.' if place else ''}{unknown_field} is unknown"
    if problem.startswith("Invalid enum value"):
        section, key = place.split(".")
        choices = get_args(get_type_hints(type(getattr(Settings(), section)))[key])
        return f"the setting {place} must be one of {', '.join(choices)}"
    return f"the setting {ENVIRONMENT_ONLY.get(place, place)} is wrong: {problem[0].lower()}{problem[1:].replace('`', '')}"
