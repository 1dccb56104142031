"""The command: files in, reviews and a table of the players out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bot.chat.style import Style
from bot.cli.documents import FOUND, INVALID, found_in_files, local_reader
from bot.cli.parser import seconds_up_to
from bot.cli.review import chess, crossword
from bot.cli.review.players import player_lines
from bot.cli.words import add_config, lexica_of, substitution
from bot.config import Settings, load_settings
from bot.domain.chess.game import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.reading.problems import DomainError
from bot.engine.uci import find_engine
from bot.features.review.chess.document import chess_review_document
from bot.features.review.chess.player_game import chess_player_games
from bot.features.review.chess.values import ChessReview
from bot.features.review.crossword.document import review_document
from bot.features.review.crossword.player_game import player_games
from bot.features.review.depth import Depth
from bot.features.review.scenes import chess_review_chart, review_chart
from bot.features.review.together import PlayerGame, players_csv, together
from bot.features.showing.drawing import draw_scene
from bot.features.showing.reader import Reader
from bot.jobs.analysis import is_installed
from bot.jobs.chess_review import DEEP_NODES, QUICK_NODES, review_chess_game
from bot.jobs.queue import Control
from bot.jobs.review import ReviewRequest, ReviewResult, review

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica
    from bot.features.showing.findings import Found
    from render.scene import ChartScene

MAX_SECONDS = 600.0
_NODES_A_SECOND = 600_000
"""About what an engine looks at; so results do not depend on how busy the machine is."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "review", help="tell what every turn of finished games lost; of several games, how well who plays"
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, a folder, a ZIP archive, or - for standard input"
    )
    parser.add_argument("--deep", action="store_true", help="look closely: some three minutes for a game")
    parser.add_argument(
        "--seconds",
        type=seconds_up_to(MAX_SECONDS),
        metavar="S",
        help="seconds of a processor for each game (default: 20, or 170 with --deep)",
    )
    parser.add_argument("--lexicon", default="", metavar="L", help="the lexicon (default: the game's own)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the random numbers begin with")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each game, on a line of its own"
    )
    parser.add_argument(
        "--csv", type=Path, metavar="CSV", help="where the table of the players goes, for a spreadsheet"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="PNG",
        type=Path,
        help="where the curve of a game goes; those of further ones go to files numbered beside it",
    )
    add_config(parser)
    parser.set_defaults(work=review_files)


@dataclass(frozen=True, slots=True)
class _Crossword:
    result: ReviewResult

    def document(self, file: str) -> dict[str, object]:
        return review_document(self.result.review, self.result.request.game, file)

    def lines(self, *, whole: bool) -> Iterator[str]:
        return crossword.review_lines(self.result) if whole else crossword.summary_lines(self.result)

    def chart(self) -> ChartScene:
        return review_chart(self.result.review, self.result.request.game, Style())

    def players(self) -> tuple[PlayerGame, ...]:
        return player_games(self.result.review)


@dataclass(frozen=True, slots=True)
class _Chess:
    review: ChessReview
    game: ChessGame

    def document(self, file: str) -> dict[str, object]:
        return chess_review_document(self.review, file)

    def lines(self, *, whole: bool) -> Iterator[str]:
        tell = chess.review_lines if whole else chess.summary_lines
        return tell(self.review, self.game)

    def chart(self) -> ChartScene:
        return chess_review_chart(self.review, self.game, Style())

    def players(self) -> tuple[PlayerGame, ...]:
        return chess_player_games(self.review, self.game)


_Reviewed: TypeAlias = _Crossword | _Chess


def review_files(arguments: argparse.Namespace) -> int:
    """Review the games in files; return the worst of their exit codes."""
    try:
        if arguments.lexicon and is_installed():
            lexica_of(arguments).find(arguments.lexicon)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    with local_reader(arguments.config) as reader:
        return _Work(arguments, reader).run()


@dataclass
class _Work:
    """The games of one command."""

    arguments: argparse.Namespace
    reader: Reader
    worst: int = FOUND
    drawn: int = 0
    players: list[PlayerGame] = field(default_factory=list)

    def run(self) -> int:
        """Review all games; of more than one each is told in a few lines, and all together in a table."""
        reviewed = self._reviewed()
        first = next(reviewed, None)
        second = next(reviewed, None) if first is not None else None
        several = second is not None
        if first is not None:
            self._tell(first, several=several)
        while second is not None:
            self._tell(second, several=True)
            second = next(reviewed, None)
        if several and not self.arguments.json:
            print()
            print("\n".join(player_lines(together(self.players))))
        if self.arguments.csv is not None and self.players:
            self._write(self.arguments.csv, players_csv(together(self.players)).encode())
        return self.worst

    def _reviewed(self) -> Iterator[tuple[str, _Reviewed]]:
        for file in found_in_files(self.arguments.files, self.reader, nothing="no game"):
            self.worst = max(self.worst, file.code)
            for item in file.found:
                try:
                    found = self._review(item, file.name)
                except DomainError as error:
                    print(f"{file.name}: {error.message}", file=sys.stderr)
                    self.worst = INVALID
                else:
                    yield file.name, found

    def _review(self, item: Found, name: str) -> _Reviewed:
        """Review a game.

        Raises:
            DomainError: it is not reviewed.

        """
        game = item.document
        if isinstance(game, ChessGame):
            return self._review_chess(game)
        if not isinstance(game, Game):
            raise DomainError("no-game", "this is a position, and only games are reviewed")
        request = ReviewRequest(
            game,
            self.arguments.lexicon,
            (self._settings.analysis.lexicon,),
            Depth.DEEP if self.arguments.deep else Depth.QUICK,
            self.arguments.seconds,
            seed=self.arguments.seed,
        )
        result = review(request, self._lexica, Control(lambda _: None))
        if result.missing:
            print(substitution(name, result.missing, result.review.lexicon), file=sys.stderr)
        return _Crossword(result)

    def _review_chess(self, game: ChessGame) -> _Chess:
        nodes = DEEP_NODES if self.arguments.deep else QUICK_NODES
        if self.arguments.seconds is not None:
            nodes = max(1, round(_NODES_A_SECOND * self.arguments.seconds / (len(game.turns) + 1)))
        command = find_engine(self._settings.chess.engine)
        return _Chess(review_chess_game(game, command, Control(lambda _: None), nodes=nodes), game)

    @cached_property
    def _settings(self) -> Settings:
        return load_settings(self.arguments.config)

    @cached_property
    def _lexica(self) -> Lexica:
        if not is_installed():
            raise DomainError(
                "no-analysis", 'the review of crossword games needs kibitz with the extra "analysis"'
            )
        return lexica_of(self.arguments)

    def _tell(self, one: tuple[str, _Reviewed], *, several: bool) -> None:
        name, found = one
        self.players += found.players()
        if self.arguments.json:
            print(json.dumps(found.document(name), ensure_ascii=False), flush=True)
        else:
            print("\n".join(found.lines(whole=not several)), flush=True)
        if self.arguments.output is not None:
            self.drawn += 1
            output = self.arguments.output
            path = output if self.drawn == 1 else output.with_stem(f"{output.stem}-{self.drawn}")
            self._write(path, draw_scene(found.chart()).data)

    def _write(self, path: Path, data: bytes) -> None:
        try:
            path.write_bytes(data)
        except OSError as error:
            print(f"{path} cannot be written: {error.strerror}", file=sys.stderr)
            self.worst = INVALID
