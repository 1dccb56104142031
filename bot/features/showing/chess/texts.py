"""Texts about chess positions and games, including alt texts."""

from __future__ import annotations

from collections.abc import Iterable

from bot.chat.card import MAX_ALT_LENGTH
from bot.chat.markdown import escape
from bot.domain.chess.documents import ChessGame, arrows_in, circles_in
from bot.domain.chess.eco import opening_at
from bot.domain.chess.position import VARIANTS, ChessPosition, Ending
from bot.text import Translator
from bot.text.visible import one_line

MAX_FACT_LENGTH = 90
MAX_NAME_LENGTH = 40
_DRAW_CLAIM_PLIES = 100
"""A draw may be claimed after this many half-moves without a capture or a pawn move."""


def squares_of(move: str) -> tuple[str, ...]:
    """Return the start and end squares of a UCI move, or only the end square if a piece is dropped."""
    return tuple(filter(None, ("" if "@" in move else move[:2], move[2:4])))


def checks_text(position: ChessPosition, translate: Translator, *, white: bool) -> str:
    if not position.checks:
        return ""
    remaining = int(position.checks.split("+")[not white])
    return translate.plural("{number} check to go", "{number} checks to go", remaining)


def player_name(game: ChessGame, translate: Translator, *, white: bool) -> str:
    return one_line(game.tag("White" if white else "Black"), MAX_NAME_LENGTH) or (
        translate("White") if white else translate("Black")
    )


def player_texts(game: ChessGame, turn: int, translate: Translator) -> list[str]:
    white, black = (escape(player_name(game, translate, white=white)) for white in (True, False))
    parts = [translate("**{white} – {black}**", white=white, black=black)]
    if game.result != "*" and turn == len(game.turns):
        parts.append(escape(game.result.replace("1/2-1/2", "½–½").replace("-", "–")))
    return parts


def game_facts(game: ChessGame, turn: int) -> list[str]:
    opening = game.tag("Opening") or opening_at(game, turn) or game.tag("ECO")
    variant = VARIANTS[game.start.variant].name if game.start.variant else ""
    facts = [variant, game.tag("Event"), opening, game.tag("Date").replace(".??", "")]
    return [escape(text, MAX_FACT_LENGTH) for text in facts if text]


def numbered_moves(game: ChessGame, moves: Iterable[str], first: int = 1) -> list[str]:
    """Return moves and their numbers as in PGN. ``first`` is the turn of the first move."""
    words = []
    for turn, move in enumerate(moves, start=first):
        label = game.move_number(turn)
        if turn == first or not label.endswith("..."):
            words.append(label)
        words.append(move)
    return words


def moment_text(game: ChessGame, turn: int, translate: Translator) -> str:
    return translate(
        "{white} against {black}, after turn {turn} of {turns}.",
        white=player_name(game, translate, white=True),
        black=player_name(game, translate, white=False),
        turn=turn,
        turns=len(game.turns),
    )


def side_to_move_text(position: ChessPosition, translate: Translator) -> str:
    return translate("White to move") if position.white_to_move else translate("Black to move")


def status_text(position: ChessPosition, translate: Translator) -> str:
    if position.ending is not None:
        return {
            Ending.CHECKMATE: translate("checkmate, Black wins")
            if position.white_to_move
            else translate("checkmate, White wins"),
            Ending.STALEMATE: translate("stalemate, a draw"),
            Ending.INSUFFICIENT_MATERIAL: translate("a draw: neither side can mate"),
            Ending.WHITE_WINS: translate("the game is over, White wins"),
            Ending.BLACK_WINS: translate("the game is over, Black wins"),
            Ending.DRAW: translate("the game is over, a draw"),
        }[position.ending]
    states = []
    if position.checked_king_square:
        states.append(
            translate("White is in check") if position.white_to_move else translate("Black is in check")
        )
    if position.halfmove_clock >= _DRAW_CLAIM_PLIES:
        states.append(translate("a draw may be claimed by the fifty-move rule"))
    return ", ".join(states)


def variant_facts(position: ChessPosition, translate: Translator) -> list[str]:
    if not position.variant:
        return []
    facts = [VARIANTS[position.variant].name]
    for white, side in ((True, translate("White")), (False, translate("Black"))):
        if pocket := "".join(letter for letter in position.pockets if letter.isupper() == white).upper():
            facts.append(translate("{side} may drop {pieces}", side=side, pieces=pocket))
        if checks := checks_text(position, translate, white=white):
            facts.append(f"{side}: {checks}")
    return facts


def castling_text(position: ChessPosition, translate: Translator) -> str:
    rights = position.castling
    if rights == "KQkq":
        return translate("White and Black, both sides")
    texts = {
        "KQ": translate("White both sides"),
        "K": translate("White kingside"),
        "Q": translate("White queenside"),
        "kq": translate("Black both sides"),
        "k": translate("Black kingside"),
        "q": translate("Black queenside"),
    }
    white, black = rights.rstrip("kq"), rights.lstrip("KQ")
    return ", ".join(texts[side] for side in (white, black) if side) or translate("none")


def chess_alt_text(position: ChessPosition, translate: Translator, intro: str = "") -> str:
    parts = [intro] if intro else []
    parts.append(translate("White to move.") if position.white_to_move else translate("Black to move."))
    if status := status_text(position, translate):
        parts.append(translate("State: {state}.", state=status))
    parts.append(translate("White: {pieces}.", pieces=_pieces_text(position, translate, white=True)))
    parts.append(translate("Black: {pieces}.", pieces=_pieces_text(position, translate, white=False)))
    parts += (f"{fact}." for fact in variant_facts(position, translate))
    squares = squares_of(position.known_last_move)
    if len(squares) == 2:
        parts.append(translate("Last move: {start} to {end}.", start=squares[0], end=squares[1]))
    elif squares:
        parts.append(
            translate("Last move: {piece} on {square}.", piece=position.known_last_move[0], square=squares[0])
        )
    if set(position.castling) <= set("KQkq"):
        parts.append(translate("Castling: {rights}.", rights=castling_text(position, translate)))
    if position.en_passant:
        parts.append(translate("En passant: {square}.", square=position.en_passant))
    parts.append(
        translate(
            "Move {number}; half-moves since the last capture or pawn move: {clock}.",
            number=position.fullmove_number,
            clock=position.halfmove_clock,
        )
    )
    return " ".join(parts)[:MAX_ALT_LENGTH]


def annotations_text(game: ChessGame, turn: int, translate: Translator) -> str:
    comment = game.comment_at(turn)
    colours = {
        "G": translate("green"),
        "R": translate("red"),
        "Y": translate("yellow"),
        "B": translate("blue"),
    }

    def with_colour(squares: str, colour: str) -> str:
        return f"{squares} {colours[colour]}" if colour in colours else squares

    parts = []
    if arrows := arrows_in(comment):
        arrow_texts = (with_colour(f"{start}–{end}", colour) for (start, end), colour in arrows.items())
        parts.append(translate("Arrows: {squares}.", squares=", ".join(arrow_texts)))
    if circles := circles_in(comment):
        circle_texts = (with_colour(square, colour) for square, colour in circles.items())
        parts.append(translate("Circles: {squares}.", squares=", ".join(circle_texts)))
    return " ".join(parts)


def _pieces_text(position: ChessPosition, translate: Translator, *, white: bool) -> str:
    squares: dict[str, list[str]] = {}
    for square, letter in enumerate(position.squares):
        if letter and letter.isupper() == white:
            squares.setdefault(letter.upper(), []).append(f"{'abcdefgh'[square % 8]}{8 - square // 8}")
    return ", ".join(
        piece_text(letter, " ".join(sorted(squares[letter])), len(squares[letter]), translate)
        for letter in "KQRBNP"
        if letter in squares
    )


def piece_text(letter: str, squares: str, count: int, translate: Translator) -> str:
    match letter:
        case "K":
            return translate("king {squares}", squares=squares)
        case "Q":
            return translate.plural("queen {squares}", "queens {squares}", count, squares=squares)
        case "R":
            return translate.plural("rook {squares}", "rooks {squares}", count, squares=squares)
        case "B":
            return translate.plural("bishop {squares}", "bishops {squares}", count, squares=squares)
        case "N":
            return translate.plural("knight {squares}", "knights {squares}", count, squares=squares)
        case _:
            return translate.plural("pawn {squares}", "pawns {squares}", count, squares=squares)
