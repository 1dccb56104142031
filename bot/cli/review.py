"""``review``: what every turn of the games in files lost, and who was lucky."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.documents import (
    FOUND,
    INVALID,
    MAX_DOCUMENTS,
    NOTHING,
    FileError,
    further,
    local_service,
    read_bytes,
    refusals,
)
from bot.cli.words import add_config, needs_analysis
from bot.config import load_settings
from bot.domain.chess.game import ChessGame
from bot.domain.crossword.board import Board
from bot.domain.crossword.game import Game
from bot.domain.crossword.notation_text import rack_text, spelled_play_text
from bot.domain.reading.problems import DomainError
from bot.engine.uci import find_engine
from bot.jobs.chess_review import DEEP_NODES, QUICK_NODES, review_chess_game
from bot.jobs.queue import Control
from bot.jobs.review import ReviewRequest, ReviewResult, review
from bot.review.chess.document import chess_review_document
from bot.review.chess.values import ChessReview
from bot.review.crossword.document import review_document
from bot.review.crossword.values import PlayerReview, Review, Size, TurnReview
from bot.review.depth import Depth
from bot.scenes.review import review_chart
from bot.scenes.style import Style
from bot.service import Attachment, Service, Source

if TYPE_CHECKING:
    from bot.answers.findings import Found
    from bot.engine.lexicon.lexica import Lexica

MAX_SECONDS = 600.0
_NODES_A_SECOND = 600_000
"""About what an engine looks at; so results do not depend on how busy the machine is."""
_HEAD = ("turn", "player", "rack", "play", "score", "class", "lost %", "±", "points", "luck", "best", "")
_LEFT = {"player", "rack", "play", "class", "best", "", "move"}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("review", help="tell what every turn of the finished games in files lost")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--deep", action="store_true", help="look closely: some three minutes for a game")
    parser.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help="seconds of a processor for each game (default: 20, or 170 with --deep)",
    )
    parser.add_argument("--lexicon", default="", metavar="L", help="the lexicon (default: the game's own)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="what the random numbers begin with")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for each game, on a line of its own"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="PNG",
        type=Path,
        help="where the curve of a crossword game goes; those of further ones go to files numbered beside it",
    )
    add_config(parser)
    parser.set_defaults(work=needs_analysis(review_files))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"seconds, over 0 and up to {MAX_SECONDS:g}")
    return seconds


def review_files(arguments: argparse.Namespace) -> int:
    """Review the games in files; return the worst of their exit codes."""
    from bot.engine.lexicon.lexica import Lexica  # noqa: PLC0415 - needs the analysis

    settings = load_settings(arguments.config).analysis
    lexica = Lexica(settings.lexica, max_loaded=settings.lexica_loaded, aliases=settings.aliases)
    try:
        if arguments.lexicon:
            lexica.find(arguments.lexicon)
    except DomainError as error:
        print(error.message, file=sys.stderr)
        return INVALID
    arguments.pictures = count(1)
    with local_service() as service:
        return max(
            _review_file(name, service, lexica, settings.lexicon, arguments) for name in arguments.files
        )


def _review_file(
    name: str, service: Service, lexica: Lexica, preferred: str, arguments: argparse.Namespace
) -> int:
    try:
        data = read_bytes(name)
    except FileError as error:
        print(error, file=sys.stderr)
        return INVALID
    findings = asyncio.run(service.find(Source("", (Attachment(name, data),), most=MAX_DOCUMENTS)))
    for line in refusals(name, findings):
        print(line, file=sys.stderr)
    if findings.beyond:
        print(f"{name}: {further(findings.beyond)}", file=sys.stderr)
    if not findings.found and not findings.refused:
        print(f"{name}: no game", file=sys.stderr)
        return NOTHING
    codes = [_review(item, name, service, lexica, preferred, arguments) for item in findings.found]
    return max(codes, default=INVALID) if not findings.refused else INVALID


def _review(  # noqa: PLR0917 - what all games of the files have in common
    item: Found, name: str, service: Service, lexica: Lexica, preferred: str, arguments: argparse.Namespace
) -> int:
    game = item.document
    if isinstance(game, ChessGame):
        return _review_chess(game, name, arguments)
    if not isinstance(game, Game):
        print(f"{name}: this is a position, and only games are reviewed", file=sys.stderr)
        return INVALID
    request = ReviewRequest(
        game,
        arguments.lexicon,
        (preferred,),
        Depth.DEEP if arguments.deep else Depth.QUICK,
        arguments.seconds,
        seed=arguments.seed,
    )
    try:
        result = review(request, lexica, Control(lambda _: None))
    except DomainError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return INVALID
    if result.missing:
        print(
            f"{name}: {result.missing} is not installed: {result.review.lexicon}, words may differ",
            file=sys.stderr,
        )
    if arguments.json:
        print(json.dumps(review_document(result.review, game, name), ensure_ascii=False))
    else:
        print("\n".join(_lines(result)))
    return FOUND if arguments.output is None else _draw(result, service, arguments)


def _draw(result: ReviewResult, service: Service, arguments: argparse.Namespace) -> int:
    """Write the curve of a game to its file."""
    number, output = next(arguments.pictures), arguments.output
    path = output if number == 1 else output.with_stem(f"{output.stem}-{number}")
    picture = asyncio.run(service.draw(review_chart(result.review, result.request.game, Style())))
    try:
        path.write_bytes(picture.data)
    except OSError as error:
        print(f"{path} cannot be written: {error.strerror}", file=sys.stderr)
        return INVALID
    return FOUND


def _review_chess(game: ChessGame, name: str, arguments: argparse.Namespace) -> int:
    command = find_engine(load_settings(arguments.config).chess.engine)
    nodes = DEEP_NODES if arguments.deep else QUICK_NODES
    if arguments.seconds is not None:
        nodes = max(1, round(_NODES_A_SECOND * arguments.seconds / (len(game.turns) + 1)))
    try:
        found = review_chess_game(game, command, Control(lambda _: None), nodes=nodes)
    except DomainError as error:
        print(f"{name}: {error.message}", file=sys.stderr)
        return INVALID
    if arguments.json:
        print(json.dumps(chess_review_document(found, name), ensure_ascii=False))
    else:
        print("\n".join(_chess_lines(found, game)))
    return FOUND


def _chess_lines(found: ChessReview, game: ChessGame) -> Iterator[str]:
    white, black = found.players
    by = found.source or "the game's own evaluations"
    yield f"{white.name or 'White'} - {black.name or 'Black'} {game.result} ({by})"
    for player, colour in ((white, "White"), (black, "Black")):
        parts = [
            f"{player.blunders} blunders, {player.mistakes} mistakes, {player.inaccuracies} inaccuracies"
        ]
        if player.accuracy is not None and player.acpl is not None:
            parts = [f"accuracy {player.accuracy:.0f}", *parts, f"{player.acpl:.0f} centipawns lost a move"]
        if player.only_moves:
            parts.append(f"{player.only_moves_found} of {player.only_moves} only moves found")
        if player.judged < player.turns:
            parts.append(f"{player.judged} of {player.turns} moves judged")
        yield f"{colour}: {' · '.join(parts)}"
    head = ("move", "", "worth", "win %", "lost %", "class", "best")
    rows: list[tuple[str, ...]] = [
        (
            game.number(move.turn),
            move.san,
            "" if move.after is None else str(move.after),
            "" if move.win_after is None else f"{move.win_after:.0f}",
            f"{move.lost:.0f}" if move.judgement else "",
            move.judgement or "",
            move.best if move.best != move.san else "only move" if move.only else "",
        )
        for move in found.moves
    ]
    yield from _table(head, rows)


def _lines(result: ReviewResult) -> Iterator[str]:
    found, game = result.review, result.request.game
    names = [player.name for player in found.players]
    scores = [f"{name} {score}" for name, score in zip(names, found.scores, strict=True)]
    unfinished = "" if found.complete else ", not to the end"
    yield f"{' - '.join(scores)} ({found.lexicon}, {found.depth}{unfinished})"
    if found.mismatch is not None:
        yield (
            f"{found.mismatch.unknown} of {found.mismatch.words} words are not in {found.lexicon}: "
            "it seems to be the wrong lexicon, so nothing is graded"
        )
    for player in found.players:
        yield _player_line(player)
    if found.net_luck is not None:
        yield _sentence(found, names)
    boards = [position.board for position in game.positions()]
    yield from _table(_HEAD, [_row(turn, names, boards[turn.turn - 1], game) for turn in found.turns])


def _player_line(player: PlayerReview) -> str:
    parts = [f"{player.large} large, {player.medium} medium, {player.small} small"]
    if player.accuracy is not None and player.mistake_index is not None:
        parts = [f"accuracy {player.accuracy:.0f}", *parts, f"index {player.mistake_index:.1f}"]
    if player.elo is not None:
        parts.append(f"plays like {player.elo[0]} to {player.elo[1]} in this game")
    if player.luck is not None:
        parts.append(f"luck {player.luck:+.0f}")
    parts.append(
        f"{player.bingos} {'bingo' if player.bingos == 1 else 'bingos'}, {player.missed_bingos} missed"
    )
    if player.judged < player.turns:
        parts.append(f"{player.judged} of {player.turns} turns judged")
    return f"{player.name}: {' · '.join(parts)}"


def _sentence(found: Review, names: list[str]) -> str:
    """Say who played and who drew better; estimates both."""
    skill, luck = found.net_skill, found.net_luck or 0.0
    joint = " and" if (skill < 0) == (luck < 0) else f", {names[luck < 0]}"
    return (
        f"{names[skill < 0]} played {abs(skill):.0f} points better{joint} drew {abs(luck):.0f} points better "
        "tiles (estimate)"
    )


def _row(turn: TurnReview, names: list[str], board: Board, game: Game) -> tuple[str, ...]:
    distribution = game.rules.distribution
    grade = ("≈" if turn.approximate else "") + turn.size if turn.size else "-"
    lost = turn.size not in (None, Size.BEST)
    reason = [turn.reason.value] if turn.reason and turn.reason.value not in turn.flags else []
    return (
        str(turn.turn),
        names[turn.seat],
        rack_text(turn.rack, distribution, unknown=turn.rack_unknown),
        spelled_play_text(turn.play, board, distribution),
        str(turn.score),
        grade,
        f"{100 * turn.loss_win:.1f}" if lost else "",
        f"{100 * turn.loss_win_error:.1f}" if lost and turn.loss_win_error else "",
        f"{turn.loss_points:.1f}" if lost else "",
        "" if turn.luck is None else f"{turn.luck:+.0f}",
        spelled_play_text(turn.best.play, board, distribution) if lost and turn.best else "",
        ", ".join([*reason, *turn.flags]),
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Lay out rows in columns: words to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if title in _LEFT else cell.rjust(width)
            for title, cell, width in zip(head, row, widths, strict=True)
        ]
        yield "  ".join(cells).rstrip()
