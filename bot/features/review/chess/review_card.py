"""The answer to "how did I play?" in chess: a card with the curve, each player's line, and the moves most worth to look at."""

from __future__ import annotations

from bot.chat.markdown import escape
from bot.chat.moment import Moment
from bot.chat.page import told
from bot.chat.reply import Drawing, Reply
from bot.chat.style import Style
from bot.domain.chess.game import ChessGame
from bot.features.review.chess.values import (
    ChessPhase,
    ChessPlayerReview,
    ChessReview,
    Judgement,
    MoveReview,
    PhaseReview,
)
from bot.features.review.controls import ReviewGame
from bot.features.review.curve import curve_words
from bot.features.review.depth import Depth
from bot.features.review.scenes import chess_curve, chess_review_chart
from bot.features.showing.chess.words import player_name
from bot.links import lichess
from bot.links.sites import source_of
from bot.text import Speaker
from bot.text.numbers import written


def answer_chess_review(
    review: ChessReview, game: ChessGame, moment: Moment, style: Style, *, depth: Depth, deeper: bool = False
) -> Reply:
    """Tell a review in one message; the key turns open the viewer at the moves.

    ``deeper`` is whether there is an engine that can look more closely.
    """
    say = style.say
    names = (player_name(game, say, white=True), player_name(game, say, white=False))
    shown = [move for move in review.moves if move.turn in review.key_turns]
    blocks = [headline(review, game, names, depth, say)]
    if not all(move.judged for move in review.moves):
        judged = sum(move.judged for move in review.moves)
        blocks.append(say("{judged} of {turns} turns judged", judged=judged, turns=len(review.moves)))
    players = [_player_line(player, name, say) for player, name in zip(review.players, names, strict=True)]
    lead = [blocks[0], *players]
    blocks += players
    blocks += [f"- {move_line(move, game, names, say)}" for move in shown]
    drawing = Drawing(
        chess_review_chart(review, game, style), _alt(review, names, lead, say), moment.spoiler, "review"
    )
    offered = deeper and depth is Depth.QUICK
    more = (ReviewGame(Moment(moment.digest, 0, spoiler=moment.spoiler), Depth.DEEP),) if offered else ()
    return Reply(told(blocks, moment), (drawing,), controls=more)


def answer_chess_review_progress(review: ChessReview, say: Speaker) -> str:
    """Say how many moves are judged."""
    judged = sum(move.judged for move in review.moves)
    return say("{judged} of {turns} turns judged", judged=judged, turns=len(review.moves))


def headline(review: ChessReview, game: ChessGame, names: tuple[str, str], depth: Depth, say: Speaker) -> str:
    """Say in a line who won, and by whom it is judged."""
    white, black = map(escape, names)
    result = escape(game.result.replace("1/2-1/2", "½–½").replace("-", "–"))
    players = say("**{white} – {black}**", white=white, black=black)
    parts = [players, *([result] if game.result != "*" else [])]
    if not review.source:
        source = source_of(game)
        if source is not None and source.site == lichess.NAME:
            return " · ".join([*parts, say("by the evaluations of {site}", site=source.site)])
        return " · ".join([*parts, say("by the evaluations in the text")])
    how = say("quick review") if depth is Depth.QUICK else say("deep review")
    return " · ".join([*parts, how, escape(review.source)])


def _player_line(player: ChessPlayerReview, name: str, say: Speaker) -> str:
    parts = []
    if player.accuracy is not None:
        parts.append(say("accuracy {accuracy}", accuracy=written(player.accuracy, ".0f", say.locale)))
    if player.accuracy is not None and len(player.phases) > 1:
        parts.append(", ".join(_phase(one, say) for one in player.phases))
    parts += [
        say.count("{number} inaccuracy", "{number} inaccuracies", player.inaccuracies),
        say.count("{number} mistake", "{number} mistakes", player.mistakes),
        say.count("{number} blunder", "{number} blunders", player.blunders),
    ]
    if player.acpl is not None:
        parts.append(say("{points} centipawns lost a move", points=written(player.acpl, ".0f", say.locale)))
    if player.only_moves:
        parts.append(
            say("{found} of {moves} only moves found", found=player.only_moves_found, moves=player.only_moves)
        )
    if player.judged < player.turns:
        parts.append(say("{judged} of {turns} turns judged", judged=player.judged, turns=player.turns))
    return f"{escape(name)}: {' · '.join(parts)}"


def _phase(phase: PhaseReview, say: Speaker) -> str:
    accuracy = written(phase.accuracy, ".0f", say.locale)
    words = {
        ChessPhase.OPENING: lambda: say("opening {accuracy}", accuracy=accuracy),
        ChessPhase.MIDDLEGAME: lambda: say("middlegame {accuracy}", accuracy=accuracy),
        ChessPhase.ENDGAME: lambda: say("endgame {accuracy}", accuracy=accuracy),
    }
    return words[phase.phase]()


def move_line(move: MoveReview, game: ChessGame, names: tuple[str, str], say: Speaker) -> str:
    """Tell a move in one line, everything in words."""
    values = {
        "turn": move.turn,
        "player": escape(names[0 if move.white else 1]),
        "move": escape(f"{game.number(move.turn)} {move.san}"),
    }
    if move.judgement is None and not move.only:
        return say("Turn {turn}, {player}: {move}, which loses nothing to speak of.", **values)
    if move.judgement is None:
        return say("Turn {turn}, {player}: {move}, the only move that holds.", **values)
    values["kind"] = judgement_words(move.judgement, say)
    values["before"], values["after"] = (
        written(win or 0.0, ".0f", say.locale) for win in (move.win_before, move.win_after)
    )
    if not move.best or move.best == move.san:
        return say("Turn {turn}, {player}: {move}, {kind}: from {before} % to {after} % of a win.", **values)
    return say(
        "Turn {turn}, {player}: {move}, {kind}: from {before} % to {after} % of a win; best was {best}.",
        best=escape(move.best),
        **values,
    )


def judgement_words(judgement: Judgement, say: Speaker) -> str:
    """Say what a move is called that lost something."""
    words = {
        Judgement.INACCURACY: lambda: say("inaccuracy"),
        Judgement.MISTAKE: lambda: say("mistake"),
        Judgement.BLUNDER: lambda: say("blunder"),
    }
    return words[judgement]()


def _alt(review: ChessReview, names: tuple[str, str], lead: list[str], say: Speaker) -> str:
    """Tell who won, how well each played, and the curve with what turned it."""
    causes = {
        move.turn: f"{names[0 if move.white else 1]}: {judgement_words(move.judgement, say)}"
        for move in review.moves
        if move.judgement is not None
    }
    return curve_words(lead, names[0], chess_curve(review), causes, say)
