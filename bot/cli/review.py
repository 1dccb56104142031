"""``review``: reviews the games in files turn by turn, and compares their players."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bot.chat.card import Moment
from bot.chat.markdown import strip_markdown
from bot.cli.documents import (
    find_in_files,
    lexica_of,
    local_reader,
    print_error,
    substitution_text,
    write_bytes,
)
from bot.cli.parser import (
    CONFIG,
    FAILURE,
    SUCCESS,
    CommandError,
    argument,
    command,
    seconds_up_to,
    table_lines,
)
from bot.config import Settings, load_settings
from bot.domain.chess.documents import ChessGame
from bot.domain.crossword.game import Game
from bot.domain.crossword.play_text import engine_play_text, rack_text
from bot.domain.crossword.position import Board
from bot.domain.reading.problems import DomainError
from bot.engine.analysis import MILLIPOINTS
from bot.engine.installed import is_installed
from bot.engine.uci import find_engine
from bot.features.review.cards import ReviewCards
from bot.features.review.chess.cards import ChessCards
from bot.features.review.chess.review import (
    NODES_PER_SECOND,
    ChessReview,
    ChessReviewRequest,
    MoveReview,
)
from bot.features.review.chess.service import review_game
from bot.features.review.crossword.cards import CrosswordCards
from bot.features.review.crossword.service import review
from bot.features.review.crossword.values import JudgedPlay, MistakeSize, Review, ReviewRequest, TurnReview
from bot.features.review.values import Depth, PlayerReview, ReviewQuery, merge_players, players_csv
from bot.features.showing.document_service import draw_scene
from bot.jobs.queue import JobControl

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexica
    from bot.features.showing.findings import FoundDocument


MAX_SECONDS = 600.0
"""Maximum CPU time per game, in seconds."""


_ReviewedGame: TypeAlias = tuple[
    Callable[[str], dict[str, object]], Callable[[], Iterator[str]], ReviewCards[Any]
]
"""A function that returns the review as JSON values for a file name, a function that yields lines about the turns, and the cards."""


@command(
    "review",
    argument(
        "files", nargs="+", metavar="FILE", help="a file, a folder, a ZIP archive, or - for standard input"
    ),
    argument(
        "--deep", action="store_true", help="review more deeply, which takes about three minutes per game"
    ),
    argument(
        "--seconds",
        type=seconds_up_to(MAX_SECONDS),
        metavar="S",
        help="seconds of CPU time per game (default: 20, or 170 with --deep)",
    ),
    argument("--lexicon", default="", metavar="L", help="lexicon (default: the lexicon of the game)"),
    argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)"),
    argument("--json", action="store_true", help="print a line of JSON for each game"),
    argument("--csv", type=Path, metavar="CSV", help="write a table of the players to this CSV file"),
    argument(
        "-o",
        "--output",
        metavar="PNG",
        type=Path,
        help="draw a chart of the win chance, and write it to this file; further games get numbered files",
    ),
    CONFIG,
)
def review_files(arguments: argparse.Namespace) -> int:
    """Review the games in files, and return the worst exit code.

    Print the turns of a single game. If there are several games, print only a short summary of each, and a table that compares
    all players. With ``--json``, print only a line of JSON for each game.
    """
    if arguments.lexicon and is_installed():
        lexica_of(arguments).find(arguments.lexicon)  # fails if it is not installed
    exit_codes, players = [SUCCESS], list[PlayerReview]()
    reviewed_games = _reviewed_games(arguments, exit_codes)
    first_games = list(islice(reviewed_games, 2))
    has_several_games = len(first_games) > 1
    for number, (name, (to_json, turn_lines, cards)) in enumerate(
        chain(first_games, reviewed_games), start=1
    ):
        players += cards.player_statistics()
        if arguments.json:
            print(json.dumps(to_json(name), ensure_ascii=False), flush=True)
        else:
            blocks = (cards.headline(), *cards.remarks(), *cards.player_lines(in_words=True))
            print(
                *map(strip_markdown, blocks),
                *(() if has_several_games else turn_lines()),
                sep="\n",
                flush=True,
            )
        if output := arguments.output:
            path = output if number == 1 else output.with_stem(f"{output.stem}-{number}")
            _try_to_write(path, draw_scene(cards.curve().scene).data, exit_codes)
    if has_several_games and not arguments.json:
        print()
        print("\n".join(_player_lines(merge_players(players))))
    if arguments.csv is not None and players:
        _try_to_write(arguments.csv, players_csv(merge_players(players)).encode(), exit_codes)
    return max(exit_codes)


def _try_to_write(path: Path, data: bytes, exit_codes: list[int]) -> None:
    """Write a file. On failure, print the error and add the exit code to ``exit_codes``."""
    try:
        write_bytes(path, data)
    except CommandError as error:
        print_error(error)
        exit_codes.append(error.code)


def _reviewed_games(
    arguments: argparse.Namespace, exit_codes: list[int]
) -> Iterator[tuple[str, _ReviewedGame]]:
    settings = load_settings(arguments.config)

    lexica = cache(partial(lexica_of, arguments))
    with local_reader(arguments.config) as reader:
        for name, documents, code in find_in_files(arguments.files, reader, if_empty="no game"):
            exit_codes.append(code)
            for found in documents:
                try:
                    yield name, _review_document(found, name, settings, lexica, arguments)
                except DomainError as error:
                    print_error(f"{name}: {error.message}")
                    exit_codes.append(FAILURE)


def _review_document(
    found: FoundDocument,
    name: str,
    settings: Settings,
    lexica: Callable[[], Lexica],
    arguments: argparse.Namespace,
) -> _ReviewedGame:
    game = found.document
    depth = Depth.DEEP if arguments.deep else Depth.QUICK
    query = ReviewQuery(Moment("", 0))
    if isinstance(game, ChessGame):
        nodes = None
        if arguments.seconds is not None:
            nodes = max(1, round(NODES_PER_SECOND * arguments.seconds / (len(game.turns) + 1)))
        chess_request = ChessReviewRequest(game, depth, nodes)
        chess_review = review_game(find_engine(settings.chess.engine), chess_request, JobControl())
        return (
            partial(chess_review_json, chess_review),
            partial(_chess_turn_lines, chess_review, game),
            ChessCards(chess_request, chess_review, query),
        )
    if not isinstance(game, Game):
        raise DomainError("no-game", "this is a position; only games can be reviewed")
    if not is_installed():
        raise DomainError(
            "no-analysis", "reviewing crossword games needs more packages: pip install 'kibitz[analysis]'"
        )
    request = ReviewRequest(
        game,
        arguments.lexicon,
        (settings.analysis.lexicon,),
        depth,
        arguments.seconds,
        seed=arguments.seed,
    )
    crossword_review = review(request, lexica(), JobControl())
    if crossword_review.missing_lexicon and arguments.json:
        print_error(substitution_text(name, crossword_review.missing_lexicon, crossword_review.lexicon))
    return (
        partial(review_json, crossword_review, game),
        partial(_crossword_turn_lines, crossword_review, game),
        CrosswordCards(request, crossword_review, query),
    )


def _player_lines(players: Sequence[PlayerReview]) -> Iterator[str]:
    """Yield the lines of a table of players, without empty columns."""
    rows = [
        {
            "player": player.name,
            "games": str(player.game_count),
            "judged": str(player.judged_game_count) if player.judged_game_count < player.game_count else "",
            "won": f"{player.wins:g}",
            "index": _number_text(player.mistake_index, ".2f"),
            "accuracy": _number_text(player.accuracy, ".1f"),
            "bingos": _number_text(player.bingos, "d"),
            "missed": _number_text(player.missed_bingos, "d"),
            "luck": _number_text(player.luck, "+.1f"),
            "centipawns": _number_text(player.centipawns_lost, ".0f"),
            "blunders": _number_text(player.blunders, "d"),
        }
        for player in players
    ]
    titles = [title for title in rows[0] if any(row[title] for row in rows)]
    yield from table_lines([titles, *([row[title] for title in titles] for row in rows)], {"player"})


def _number_text(value: float | None, spec: str) -> str:
    return "" if value is None else format(value, spec)


def _chess_turn_lines(review: ChessReview, game: ChessGame) -> Iterator[str]:
    titles = ("move", "", "eval", "win %", "lost %", "class", "best")
    rows: list[tuple[str, ...]] = [
        (
            game.move_number(move.turn),
            move.san,
            "" if move.evaluation_after is None else str(move.evaluation_after),
            "" if move.win_after is None else f"{move.win_after:.0f}",
            f"{move.win_chance_lost:.0f}" if move.judgement else "",
            move.judgement or "",
            move.best_san if move.best_san != move.san else "only move" if move.has_one_good_move else "",
        )
        for move in review.moves
    ]
    yield from table_lines([titles, *rows], {"move", "", "class", "best"})


def _crossword_turn_lines(review: Review, game: Game) -> Iterator[str]:
    names = [player.name for player in review.players]
    yield from (
        f"{player.name} played like a player rated {player.elo[0]} to {player.elo[1]} in this game."
        for player in review.players
        if player.elo is not None
    )
    boards = [position.board for position in game.positions()]
    rows = [_turn_row(turn, names, boards[turn.turn - 1], game) for turn in review.turns]
    titles = ("turn", "player", "rack", "play", "score", "class", "lost %", "±", "points", "luck", "best", "")
    yield from table_lines([titles, *rows], {"player", "rack", "play", "class", "best", ""})


def _turn_row(turn: TurnReview, names: list[str], board: Board, game: Game) -> tuple[str, ...]:
    distribution = game.rules.distribution
    grade = ("≈" if turn.may_be_larger else "") + turn.mistake_size if turn.mistake_size else "-"
    has_loss = turn.mistake_size not in (None, MistakeSize.NONE)
    remarks = (
        [turn.unjudged_reason.value]
        if turn.unjudged_reason and turn.unjudged_reason.value not in turn.flags
        else []
    )
    if has_loss and turn.is_judged_by_points:
        remarks.append("by points")
    return (
        str(turn.turn),
        names[turn.seat],
        rack_text(turn.rack, distribution, unknown_count=turn.rack_unknown_count),
        engine_play_text(turn.play, board, distribution),
        str(turn.score),
        grade,
        f"{100 * turn.win_chance_lost:.1f}" if has_loss and not turn.is_judged_by_points else "",
        f"{100 * turn.win_chance_lost_error:.1f}"
        if has_loss and turn.win_chance_lost_error and not turn.is_judged_by_points
        else "",
        f"{turn.points_lost:.1f}" if has_loss else "",
        "" if turn.luck is None else f"{turn.luck:+z.0f}",
        engine_play_text(turn.best.play, board, distribution) if has_loss and turn.best else "",
        ", ".join([*remarks, *turn.flags]),
    )


def review_json(review: Review, game: Game, file: str) -> dict[str, object]:
    """Return a review as JSON values.

    Win chances are from 0 to 1. ``loss_win_error`` is the standard error of ``loss_win``. Turns are numbered from 1.
    Players are numbered from 0, in seat order.
    """
    boards = [position.board for position in game.positions()]
    return {
        "file": file,
        "lexicon": review.lexicon,
        "depth": review.depth.value,
        "players": [
            {
                "name": player.name,
                "turns": player.turn_count,
                "judged": player.judged_turn_count,
                "accuracy": _round(player.accuracy, 1),
                "mistake_index": _round(player.mistake_index),
                **dict(zip(("small", "medium", "large"), player.mistakes, strict=True)),
                "luck": _round(player.luck, 1),
                "bingos": player.bingos,
                "missed_bingos": player.missed_bingos,
            }
            for player in review.players
        ],
        "turns": [_turn_json(turn, game, boards[turn.turn - 1]) for turn in review.turns],
    }


def _turn_json(turn: TurnReview, game: Game, board: Board) -> dict[str, object]:
    distribution = game.rules.distribution
    return {
        "turn": turn.turn,
        "player": turn.seat,
        "rack": rack_text(turn.rack, distribution, unknown_count=turn.rack_unknown_count),
        "play": engine_play_text(turn.play, board, distribution),
        "score": turn.score,
        "judged": turn.is_judged,
        "reason": turn.unjudged_reason.value if turn.unjudged_reason else None,
        "phase": turn.phase.value,
        "static": turn.static_plays
        and {
            "best": engine_play_text(turn.static_plays.best.play, board, distribution),
            "best_equity": turn.static_plays.best.equity / MILLIPOINTS,
            "played_equity": turn.static_plays.played.equity / MILLIPOINTS,
        },
        "best": _play_json(turn.best, game, board),
        "played": _play_json(turn.played, game, board),
        "loss_win": round(turn.win_chance_lost, 6) if turn.is_judged else None,
        "loss_win_error": round(turn.win_chance_lost_error, 6) if turn.is_judged else None,
        "loss_points": round(turn.points_lost, 3) if turn.is_judged else None,
        "class": turn.mistake_size.value if turn.mistake_size else None,
        "approximate": turn.may_be_larger,
        "flags": [flag.value for flag in turn.flags],
        "luck": _round(turn.luck, 3),
    }


def _play_json(play: JudgedPlay | None, game: Game, board: Board) -> dict[str, object] | None:
    if play is None:
        return None
    return {
        "play": engine_play_text(play.play, board, game.rules.distribution),
        "win": round(play.win, 6),
        "equity": round(play.equity, 3),
    }


def chess_review_json(review: ChessReview, file: str) -> dict[str, object]:
    """Return a review as JSON values. Evaluations are from White's point of view. Win chances (0 to 100) are the mover's."""
    return {
        "file": file,
        "source": review.source or "pgn",
        "players": [
            {
                "name": player.name,
                "turns": player.turn_count,
                "judged": player.judged_turn_count,
                "accuracy": _round(player.accuracy),
                "acpl": _round(player.centipawns_lost),
                **dict(zip(("inaccuracies", "mistakes", "blunders"), player.mistakes, strict=True)),
                "only_moves": player.only_move_count,
                "only_moves_found": player.found_only_move_count,
                "phases": {
                    phase.value: {"moves": moves, "accuracy": _round(accuracy)}
                    for phase, moves, accuracy in player.phases
                },
            }
            for player in review.players
        ],
        "turns": [_move_json(move) for move in review.moves],
    }


def _move_json(move: MoveReview) -> dict[str, object]:
    return {
        "turn": move.turn,
        "player": 0 if move.white else 1,
        "move": move.san,
        "judged": move.is_judged,
        "phase": move.phase.value,
        "evaluation_before": move.evaluation_before and str(move.evaluation_before),
        "evaluation_after": move.evaluation_after and str(move.evaluation_after),
        "win_before": _round(move.win_before),
        "win_after": _round(move.win_after),
        "accuracy": _round(move.accuracy),
        "judgement": move.judgement.value if move.judgement else None,
        "best": move.best_san or None,
        "only": move.has_one_good_move,
        "clock": move.clock,
        "spent": move.time_spent,
    }


def _round(value: float | None, digits: int = 2) -> float | None:
    return None if value is None else round(value, digits)
