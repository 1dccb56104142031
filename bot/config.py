"""Settings: a TOML file, overridden by environment variables. An unknown setting is an error.

Secrets come only from the environment, and never appear in ``repr``, errors or logs.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, StringConstraints, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from bot.observe import logs
from render.theme import theme_names


class ConfigError(Exception):
    """The settings cannot be used; the message is one sentence for the operator, without any secret."""

    exit_code = 2
    """Exit code of the process."""


class Section(BaseModel):
    """A frozen section of the settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_Address = Annotated[str, StringConstraints(pattern=r"^(?:https?://[!-~]{1,500})?$")]


class Discord(Section):
    """The connection to Discord."""

    message_content: bool = True
    """Whether to ask for the message-content intent. Without it Kibitz answers mentions, direct messages,
    slash commands and menus only."""
    welcome: bool = True
    """Whether a new server gets one message with instructions."""
    requests_a_second: int = Field(default=50, ge=1, le=10_000)
    """Requests that Discord allows the bot in a second. The processes that share the token and the database divide them."""
    source: _Address = ""
    """Address of the source code of this bot, for ``/about``."""
    privacy: _Address = ""
    """Address of the host's privacy policy, for ``/about``."""


class Look(Section):
    """The default look of pictures."""

    theme: str = "light"
    layout: Literal["wide", "tall"] = "tall"


class Limits(Section):
    """Bounds on the cost of one source."""

    workers: int = Field(default=2, ge=1, le=64)
    """Threads that read short texts, and draw."""
    processes: int = Field(default=2, ge=1, le=64)
    """Processes that read files and long texts, and draw replays; a person has one at a time."""
    process_seconds: int = Field(default=10, ge=1, le=600)
    """Processor seconds after which such a process is killed."""
    process_bytes: int = Field(default=512 * 2**20, ge=128 * 2**20, le=2**36)
    """Memory (address space) of such a process, in bytes."""
    attachment_bytes: int = Field(default=1_000_000, ge=1_000, le=10_000_000)
    """Largest attachment that is read, pictures apart."""
    picture_bytes: int = Field(default=8_000_000, ge=1_000, le=10_000_000)
    """Largest picture that is read."""
    cache_bytes: int = Field(default=16 * 2**20, ge=0, le=2**32)
    """Memory for finished pictures."""
    user_per_minute: int = Field(default=20, ge=1, le=10_000)
    """Answers one person gets in a minute."""
    presses_per_minute: int = Field(default=60, ge=1, le=10_000)
    """Buttons and menus one person uses in a minute; stepping through a game takes many."""
    channel_per_minute: int = Field(default=60, ge=1, le=10_000)
    """Messages of one channel answered in a minute."""
    user_bytes_per_minute: int = Field(default=12_000_000, ge=10_000, le=10**9)
    """Bytes of files and long texts that are read for one person in a minute."""
    channel_bytes_per_minute: int = Field(default=30_000_000, ge=10_000, le=10**9)
    """Bytes of files and long texts that are read for one channel in a minute."""
    user_seconds_per_minute: int = Field(default=20, ge=1, le=3_600)
    """Seconds of a processor that one person may take in a minute, jobs apart."""
    channel_seconds_per_minute: int = Field(default=60, ge=1, le=3_600)
    """Seconds of a processor that one channel may take in a minute, jobs apart."""
    user_job_seconds_per_hour: int = Field(default=1_800, ge=60, le=10**7)
    """Seconds of a processor that the jobs of one person may take in an hour: simulations, solutions, chess engines."""
    channel_job_seconds_per_hour: int = Field(default=5_400, ge=60, le=10**7)
    """Seconds of a processor that the jobs of one channel may take in an hour."""
    channel_at_once: int = Field(default=3, ge=1, le=64)
    """Messages of one channel that are worked on at the same time."""
    channel_waiting: int = Field(default=100, ge=1, le=10_000)
    """Messages of one channel that may wait; further ones are ignored."""


_LexiconName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$")]


class Analysis(Section):
    """Settings of the analysis. Lexica are added with ``python -m bot lexicon add``."""

    enabled: bool = True
    """Whether analysis is offered if its packages are installed."""
    lexica: Path = Path("lexica")
    """The folder of added lexica; the lexica of the package are always available."""
    lexicon: str = "SCOWL80"
    """The lexicon for positions that name none, unless people choose another."""
    aliases: dict[_LexiconName, _LexiconName] = Field(default_factory=dict, max_length=100)
    """Lexica to take for others that are not installed: ``NWL18 = "NWL23"``."""
    lexica_loaded: int = Field(default=4, ge=1, le=64)
    """Maximum number of lexica in memory; each takes some 30 megabytes."""
    engine: str = ""
    """The command of a UCGI engine that is asked beside the own one; empty: none is."""
    jobs: int = Field(default=3, ge=0, le=64)
    """Simulations at once; they share the processors. 0: all long work is left to workers (``python -m bot worker``),
    which share the PostgreSQL database."""
    jobs_a_server: int = Field(default=2, ge=1, le=64)
    """Simulations of one server at once."""
    jobs_waiting: int = Field(default=50, ge=0, le=10_000)
    """Simulations that may wait, with workers for each of them; further requests are refused."""
    slots: int = Field(default=0, ge=0, le=256)
    """Jobs that a worker does at once; 0: one for each core that it has."""


class Chess(Section):
    """The analysis of chess."""

    engine: str = "auto"
    """The command of a UCI engine, or ``auto`` for Stockfish where it is installed; empty: chess is not analyzed."""


class Puzzles(Section):
    """Where further puzzles are."""

    folder: Path = Path("puzzles")
    """A folder with files that ``python -m bot puzzles`` wrote: ``.json`` of crossword games, ``.csv`` of chess."""


class Links(Section):
    """Whether games are fetched from links, and the contact sent to the sites."""

    enabled: bool = False
    """Whether links to games on woogles, cross-tables and lichess are opened, which sends requests to these sites."""
    contact: Annotated[str, StringConstraints(pattern=r"^[!-~]{0,200}$")] = ""
    """A mail address or web page where the sites can reach the host. It is sent with every request."""
    bases: dict[Annotated[str, StringConstraints(pattern=r"^[a-z.-]{1,60}$")], _Address] = Field(
        default_factory=dict, max_length=10
    )
    """For tests: servers to be asked instead of hosts."""
    authority: Path | None = None
    """For tests: the file of the certificate that those servers are trusted by."""


class Web(Section):
    """Where ``/healthz``, ``/readyz`` and ``/metrics`` are answered."""

    host: str = ""
    """The address to listen on; left out, this machine alone (127.0.0.1), or every address where the environment gives
    PORT: a host that sets it routes requests to the process."""
    port: int | None = Field(default=None, ge=0, le=65_535)
    """The port if PORT is not set; without either, no pages are served."""


class Logs(Section):
    """The log on standard error."""

    format: logs.Format = "auto"
    """``json``: one object a line; ``text``: for people; ``auto``: text in a terminal, otherwise JSON."""
    level: logs.Level = "info"
    """The lowest level of lines that are written. ``debug`` affects Kibitz itself, not its libraries."""


class Process(Section):
    """The process's watch over itself."""

    stall_seconds: float = Field(default=30.0, ge=0.0, le=3_600.0)
    """Seconds after which a process with a hanging event loop ends, so that its host restarts it; 0: never."""


MAX_SHARDS: Final = 16_000
_SHARDS: Final = re.compile(
    r"(?:auto(?:/(?P<all>[0-9]{1,5}))?|(?P<first>[0-9]{1,5})(?:-(?P<last>[0-9]{1,5}))?/(?P<of>[0-9]{1,5}))?"
)


@dataclass(frozen=True, slots=True)
class Sharding:
    """Which shards a process runs; by default all."""

    count: int | None = None
    """Number of shards; None: as many as Discord advises."""
    ids: tuple[int, ...] = ()
    """The shards of this process; empty: all, or the shards that it locks."""
    divided: bool = False
    """Whether processes that share the database divide the shards."""

    @property
    def shared(self) -> bool:
        """Whether other processes may run other shards."""
        return self.divided or bool(self.ids)


def read_sharding(shards: str, replica: int | None = None, replicas: int | None = None) -> Sharding:
    """Read the shards of a process: ``auto``, ``auto/64``, ``3/64``, ``0-15/64`` or nothing.

    With ``replicas`` = 8, ``replica`` 2 takes shards 2, 10, 18 … of ``auto/64``.

    Raises:
        ConfigError: the values contradict each other or have another form.

    """
    written = _SHARDS.fullmatch(shards)
    if written is None:
        raise ConfigError(f"KIBITZ_SHARDS is auto, auto/64, 3/64 or 0-15/64, not {shards[:40]!r}")
    first, last, everything, of = (
        None if part is None else int(part) for part in written.group("first", "last", "all", "of")
    )
    count = everything if of is None else of
    if count is not None and not 1 <= count <= MAX_SHARDS:
        raise ConfigError(f"KIBITZ_SHARDS names {count} shards; there are from 1 to {MAX_SHARDS}")
    if (replica is None) is not (replicas is None):
        raise ConfigError("KIBITZ_REPLICA and KIBITZ_REPLICAS belong together")
    if first is not None:
        assert count is not None  # by the pattern
        if replica is not None:
            raise ConfigError("KIBITZ_SHARDS names the shards of this process: leave out KIBITZ_REPLICA")
        last = first if last is None else last
        if not first <= last < count:
            raise ConfigError(f"KIBITZ_SHARDS: of {count} shards there are those from 0 to {count - 1}")
        return Sharding(count, tuple(range(first, last + 1)))
    if replica is None or replicas is None:
        return Sharding(count, divided=bool(shards))
    if count is None:
        raise ConfigError(
            f"KIBITZ_REPLICAS needs the number of shards, the same for every process: KIBITZ_SHARDS=auto/{replicas}"
        )
    if replica >= min(replicas, count):
        raise ConfigError(
            "KIBITZ_REPLICA counts from 0, and has to be lower than KIBITZ_REPLICAS and the number of shards"
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
"""Settings that come only from the environment, and their names there: secrets, and settings of a single process."""
LOOPBACK = "127.0.0.1"


class Settings(BaseSettings):
    """All settings. See ``config.example.toml``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,  # hosts pass on empty variables
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

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
    discord_token: SecretStr | None = Field(default=None, validation_alias=AliasChoices("DISCORD_TOKEN"))
    database_url: SecretStr = Field(
        default=SecretStr("sqlite:///kibitz.sqlite3"), validation_alias=AliasChoices("DATABASE_URL")
    )
    database_direct_url: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("DATABASE_DIRECT_URL")
    )
    """The same database past a pool that lends connections by the transaction, for gateways and workers that listen."""
    port: int | None = Field(default=None, ge=0, le=65_535, validation_alias=AliasChoices("PORT"))
    """The port that the host gives this process; see :class:`Web`."""
    sentry_dsn: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SENTRY_DSN"))
    """Sentry's address for faults, see :mod:`bot.observe.telemetry`."""
    otlp_endpoint: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT")
    )
    """The collector's address for traces."""
    shards: str = ""
    """Which shards this process runs; see :func:`read_sharding`."""
    replica: int | None = Field(default=None, ge=0)
    """Which of ``replicas`` processes this one is, counted from 0."""
    replicas: int | None = Field(default=None, ge=1)

    @property
    def telemetry(self) -> tuple[str | None, str | None]:
        """The addresses for faults and traces. Secret."""
        dsn, endpoint = self.sentry_dsn, self.otlp_endpoint
        return (
            None if dsn is None else dsn.get_secret_value(),
            None if endpoint is None else endpoint.get_secret_value(),
        )

    @property
    def sharding(self) -> Sharding:
        """Which shards this process runs."""
        return read_sharding(self.shards, self.replica, self.replicas)

    @property
    def web_address(self) -> tuple[str | None, int] | None:
        """The address (None: all of them) and port where health is served; None if it is not served."""
        if self.port is not None:
            return self.web.host or None, self.port
        return None if self.web.port is None else (self.web.host or LOOPBACK, self.web.port)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment override the file, whose keys are passed as arguments."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings


def load_settings(file: Path | None = None) -> Settings:
    """Read the settings from a TOML file and the environment.

    Without ``file`` the default file is read if it is there.

    Raises:
        ConfigError: the file is missing or not TOML, a key is unknown, or a value is wrong.

    """
    if file is not None and not file.is_file():
        raise ConfigError(f"the settings file {file} does not exist")
    path = file if file is not None else DEFAULT_FILE
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"the settings file {path} cannot be read: {error}") from None
    if outside := next((key for key in written if key.lower() in ENVIRONMENT_ONLY), None):
        raise ConfigError(
            f"the setting {outside} belongs in the environment ({ENVIRONMENT_ONLY[outside.lower()]}), not into the file"
        )
    _require_known(os.environ)
    try:
        settings = Settings(**written)
    except ValidationError as error:
        raise ConfigError(_sentence(error.errors(include_url=False, include_input=False)[0])) from None
    except SettingsError as error:
        raise ConfigError(f"a setting in the environment is malformed: {error}") from None
    if settings.links.enabled and not settings.links.contact:
        raise ConfigError("the setting links.enabled needs links.contact, by which the sites can reach you")
    read_sharding(settings.shards, settings.replica, settings.replicas)
    if settings.look.theme not in theme_names():
        raise ConfigError(
            f"the theme {settings.look.theme!r} is unknown; there are {', '.join(theme_names())}"
        )
    return settings


def _require_known(names: Iterable[str]) -> None:
    """Refuse unknown variables with the prefix of the settings: a misspelled name would silently change nothing.

    Raises:
        ConfigError: a name is unknown; the message leaves out the value, which may be a secret.

    """
    sections = {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section)
    }
    known = {f"{PREFIX}{section}".upper() for section in sections} | {
        f"{PREFIX}{section}__{name}".upper()
        for section, kind in sections.items()
        for name in kind.model_fields
    }
    known |= {name for name in ENVIRONMENT_ONLY.values() if name.startswith(PREFIX)}
    for name in sorted(names):
        if not name.upper().startswith(PREFIX) or name.upper() in known:
            continue
        meant = {one.removeprefix(PREFIX): one for one in known} | {
            outside: outside for outside in ENVIRONMENT_ONLY.values()
        }
        near = difflib.get_close_matches(name.upper().removeprefix(PREFIX), meant, n=1)
        raise ConfigError(
            f"the variable {name} is unknown" + (f"; did you mean {meant[near[0]]}?" if near else "")
        )


def _sentence(error: ErrorDetails) -> str:
    """Describe the first error of a validation, without the value."""
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"the setting {key} is unknown"
    return f"the setting {key} is wrong: {error['msg'][:1].lower()}{error['msg'][1:]}"
