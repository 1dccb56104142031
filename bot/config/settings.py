"""Settings: a TOML file, overridden by environment variables; what is unknown is an error.

Secrets come from the environment alone and never appear: not in ``repr``, not in errors, not in logs.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from bot.config.sections import (
    Analysis,
    Chess,
    ConfigError,
    Discord,
    Limits,
    Links,
    Logs,
    Look,
    Process,
    Puzzles,
    Section,
    Web,
)
from bot.config.sharding import Sharding, read_sharding
from render.theme import theme_names

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
"""Settings that come from the environment alone, and their names there: the secrets, and what the host decides for each process."""
LOOPBACK = "127.0.0.1"


class Settings(BaseSettings):
    """Everything that can be set. See ``config.example.toml``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,  # hosts pass on what nobody filled in
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
    """Where faults are told, see :mod:`bot.observe.telemetry`."""
    otlp_endpoint: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OTEL_EXPORTER_OTLP_ENDPOINT")
    )
    """Where traces are told."""
    shards: str = ""
    """Which shards this process runs; see :func:`read_sharding`."""
    replica: int | None = Field(default=None, ge=0)
    """Which of ``replicas`` processes this one is, counted from 0."""
    replicas: int | None = Field(default=None, ge=1)

    @property
    def telemetry(self) -> tuple[str | None, str | None]:
        """Where faults and traces are told. Secret."""
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
        """The address (None: all of them) and port where health is served; None when nowhere."""
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
        """Let the environment override the file, whose keys are the arguments."""
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
            f"the setting {outside} belongs into the environment ({ENVIRONMENT_ONLY[outside.lower()]}), not into the file"
        )
    _require_known(os.environ)
    try:
        settings = Settings(**written)
    except ValidationError as error:
        raise ConfigError(_sentence(error.errors(include_url=False, include_input=False)[0])) from None
    except SettingsError as error:
        raise ConfigError(f"a setting in the environment is malformed: {error}") from None
    if problem := settings.links.problem:
        raise ConfigError(f"the setting {problem}")
    read_sharding(settings.shards, settings.replica, settings.replicas)
    if settings.look.theme not in theme_names():
        raise ConfigError(
            f"the theme {settings.look.theme!r} is unknown; there are {', '.join(theme_names())}"
        )
    return settings


def _require_known(names: Iterable[str]) -> None:
    """Refuse variables that look like settings but are none: a misspelled one would silently change nothing.

    Raises:
        ConfigError: a name with our prefix is unknown; the message leaves out the value, which may be a secret.

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
