"""What can be set, section by section of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bot.observe import logs


class ConfigError(Exception):
    """The settings cannot be used; the message is one sentence for the operator, without any secret."""

    exit_code = 2
    """What the process ends with."""


class Section(BaseModel):
    """A section: what it does not know is an error, and nothing changes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_Address = Annotated[str, StringConstraints(pattern=r"^(?:https?://[!-~]{1,500})?$")]


class Discord(Section):
    """How Kibitz connects to Discord."""

    message_content: bool = True
    """Whether to ask for the message-content intent. Without it Kibitz answers mentions, direct messages,
    slash commands and menus only."""
    welcome: bool = True
    """Whether a server that takes Kibitz in gets one message that says how to use it."""
    requests_a_second: int = Field(default=50, ge=1, le=10_000)
    """Requests that Discord allows the bot in a second. The processes that share the token and the database divide them."""
    source: _Address = ""
    """Where the source code of this Kibitz is, for ``/about``."""
    privacy: _Address = ""
    """Where the host says what is kept, for ``/about``."""


class Look(Section):
    """How pictures look unless people choose otherwise."""

    theme: str = "light"
    layout: Literal["wide", "tall"] = "tall"


class Limits(Section):
    """Bounds on what one source may cost."""

    workers: int = Field(default=2, ge=1, le=64)
    """Threads that read what is short, and draw."""
    processes: int = Field(default=2, ge=1, le=64)
    """Processes at once that read what is long, and draw replays; one person has one at a time."""
    process_seconds: int = Field(default=10, ge=1, le=600)
    """Seconds of a processor that one of them may take; then it is killed."""
    process_bytes: int = Field(default=512 * 2**20, ge=128 * 2**20, le=2**36)
    """Memory (address space) that one of them may take."""
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
    """The folder of the lexica that were added; one that comes with the bot is always there."""
    lexicon: str = "SCOWL80"
    """The lexicon for positions that name none, unless people choose another."""
    aliases: dict[_LexiconName, _LexiconName] = Field(default_factory=dict, max_length=100)
    """Lexica to take for others that are not installed: ``NWL18 = "NWL23"``."""
    lexica_loaded: int = Field(default=4, ge=1, le=64)
    """Lexica kept in memory; each takes some 20 megabytes."""
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
    """How chess is analyzed."""

    engine: str = "auto"
    """The command of a UCI engine, or ``auto`` for Stockfish where it is installed; empty: chess is not analyzed."""


class Puzzles(Section):
    """Where further puzzles are."""

    folder: Path = Path("puzzles")
    """A folder with files that ``python -m bot puzzles`` wrote: ``.json`` of crossword games, ``.csv`` of chess."""


class Links(Section):
    """Whether games are fetched that people post as links, and who asks for them."""

    enabled: bool = False
    """Whether links to games on woogles, cross-tables and lichess are opened: then those sites are asked for them."""
    contact: Annotated[str, StringConstraints(pattern=r"^[!-~]{0,200}$")] = ""
    """How the sites can reach whoever runs this Kibitz: a mail address or a web page. It is told with every request."""
    bases: dict[Annotated[str, StringConstraints(pattern=r"^[a-z.-]{1,60}$")], _Address] = Field(
        default_factory=dict, max_length=10
    )
    """For tests: servers to be asked instead of hosts."""
    authority: Path | None = None
    """For tests: the file of the certificate that those servers are trusted by."""

    @property
    def problem(self) -> str | None:
        """What is missing; None when nothing is."""
        if self.enabled and not self.contact:
            return "links.enabled needs links.contact, by which the sites can reach you"
        return None


class Web(Section):
    """Where ``/healthz``, ``/readyz`` and ``/metrics`` are answered."""

    host: str = ""
    """The address to listen on; left out, this machine alone (127.0.0.1), or every address where the environment gives
    PORT: a host that sets it routes requests to the process."""
    port: int | None = Field(default=None, ge=0, le=65_535)
    """The port where no PORT is given; without either nothing is answered."""


class Logs(Section):
    """How the log, on standard error, is written."""

    format: logs.Format = "auto"
    """``json``: one object a line; ``text``: for people; ``auto``: text in a terminal, else JSON."""
    level: logs.Level = "info"
    """The lowest level of lines that are written. At ``debug`` only Kibitz itself says more, not its libraries."""


class Process(Section):
    """How the process looks after itself."""

    stall_seconds: float = Field(default=30.0, ge=0.0, le=3_600.0)
    """A process whose event loop stands still for so long ends, so that its host starts it again; 0: never."""
