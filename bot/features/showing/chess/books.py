"""Opening books: the moves that a book knows in a position, and the controls for walking through a book.

A book is either a book source (lines of moves as text) or a Polyglot book (a binary file with weights).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from cachetools import LRUCache

from bot.chat.card import (
    MAX_CHOICES,
    MAX_LABEL_LENGTH,
    Card,
    Choice,
    Moment,
    RefusalError,
    ReplyContext,
    moment_card,
    truncate,
)
from bot.chat.control import DIGEST, SPOILER, Button, Control, Menu, control
from bot.chat.markdown import escape, escape_line
from bot.chat.source import Source
from bot.domain.chess.documents import BookSource, ChessGame
from bot.domain.chess.notations import uci
from bot.domain.chess.notations.polyglot import BookMove, PolyglotBook
from bot.domain.chess.position import ChessPosition
from bot.domain.notations import is_chess
from bot.domain.reading.problems import DomainError
from bot.features.showing.chess.board_scene import MAX_SHOWN_MOVES, book_scene
from bot.features.showing.chess.position import book_size_text, compiled_book, position_of_moment
from bot.features.showing.chess.texts import chess_alt_text, numbered_moves, side_to_move_text, status_text
from bot.features.showing.controls import PRESENTER, CopyPosition, first_moment
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import Findings, FoundDocument
from bot.features.showing.reading.documents import read_book
from bot.features.showing.remarks import expired_card, remarks, stopped_card, unreadable_card
from bot.jobs.account import Requester
from bot.text import Translator

if TYPE_CHECKING:
    from bot.chat.press import Press


MAX_LINE_NAMES = 3
"""Maximum number of line names shown for a move."""
MAX_SHOWN_PLIES = 16
"""Maximum number of half-moves in a card's heading. Earlier half-moves are left out."""


def book_card(source: BookSource, moment: Moment, context: ReplyContext, remarks: tuple[str, ...]) -> Card:
    card = known_moves_card(
        source,
        BookControl(moment.digest, moment.digest, moment.spoiler),
        ChessGame(source.lines[0].start),
        context,
        (*remarks, book_size_text(source, context.translate)),
    )
    # The last control, *Copy*, would copy the whole book instead of a position.
    return replace(card, controls=card.controls[:-1])


def known_moves_card(
    book: BookSource | PolyglotBook,
    book_control: BookControl,
    game: ChessGame,
    context: ReplyContext,
    remarks: tuple[str, ...],
) -> Card:
    translate = context.translate
    position = game.position_at(len(game.turns))
    searched_book = compiled_book(book) if isinstance(book, BookSource) else book
    known_moves = searched_book.continuations(position)
    frequencies = _frequency_texts(known_moves, translate, is_weighted=isinstance(book, PolyglotBook))
    heading = [translate("**Opening book**")]
    if game.turns:
        left_out_count = max(0, len(game.turns) - MAX_SHOWN_PLIES)
        words = numbered_moves(game, (move.san for move in game.turns[left_out_count:]), left_out_count + 1)
        heading.append(escape(" ".join(["…", *words] if left_out_count else words)))
    heading.append(status_text(position, translate) or side_to_move_text(position, translate))
    blocks = [" · ".join(heading)]
    intro = translate("Opening book.")
    if known_moves:
        blocks += _known_move_lines(known_moves, frequencies, translate)
        intro += " " + translate(
            "Known moves: {moves}.", moves=", ".join(move.san for move in known_moves[:MAX_SHOWN_MOVES])
        )
    else:
        blocks.append(translate("The book has no moves here."))
    moment = Moment(book_control.moves_digest, len(game.turns), spoiler=book_control.spoiler)
    # The same side stays at the bottom, because a board that flips with every move is hard to follow.
    scene = book_scene(position, known_moves, context, white_at_bottom=game.start.white_to_move)
    return moment_card(
        moment,
        [*blocks, *remarks],
        scene,
        chess_alt_text(position, translate, intro),
        controls=(
            *_book_controls(book_control, game, known_moves, frequencies, translate),
            CopyPosition(moment),
        ),
    )


def which_book_card(translate: Translator) -> Card:
    return Card(
        translate(
            "Which book? Attach a book source or a Polyglot book (.bin), or post a source here first: Kibitz "
            "remembers the last book posted in each channel for a while."
        ),
        has_result=False,
    )


def _known_move_lines(
    known_moves: tuple[BookMove, ...], frequencies: list[str], translate: Translator
) -> list[str]:
    lines = []
    for move, frequency in zip(known_moves[:MAX_SHOWN_MOVES], frequencies, strict=False):
        parts = [f"**{escape(move.san)}**", frequency]
        if move.names:
            more_names = ", …" if len(move.names) > MAX_LINE_NAMES else ""
            parts.append(escape(truncate(", ".join(move.names[:MAX_LINE_NAMES]), 120) + more_names))
        lines.append("• " + " · ".join(parts))
    more_count = len(known_moves) - MAX_SHOWN_MOVES
    if more_count > 0:
        lines.append(translate.plural("… and {number} more move", "… and {number} more moves", more_count))
    return lines


def _frequency_texts(
    known_moves: tuple[BookMove, ...], translate: Translator, *, is_weighted: bool
) -> list[str]:
    total = sum(move.count for move in known_moves) or 1
    counts_and_percentages = [
        (move.count, round(100 * move.count / total)) for move in known_moves[:MAX_CHOICES]
    ]
    if is_weighted:
        return [
            translate("weight {weight} ({share}%)", weight=count, share=percentage)
            for count, percentage in counts_and_percentages
        ]
    return [
        translate.plural("{number} line ({share}%)", "{number} lines ({share}%)", count, share=percentage)
        for count, percentage in counts_and_percentages
    ]


def _book_controls(
    book_control: BookControl,
    game: ChessGame,
    known_moves: tuple[BookMove, ...],
    frequencies: list[str],
    translate: Translator,
) -> tuple[Control, ...]:
    label = game.move_number(len(game.turns) + 1)
    choices = tuple(
        Choice(
            move.uci,
            translate("No. {rank}", rank=rank) if book_control.spoiler else f"{label} {move.san}",
            ""
            if book_control.spoiler
            else truncate(" · ".join(filter(None, (frequency, ", ".join(move.names)))), MAX_LABEL_LENGTH),
        )
        for rank, (move, frequency) in enumerate(
            zip(known_moves[:MAX_CHOICES], frequencies, strict=False), start=1
        )
    )
    return (
        TakeBack(
            book_control.book_digest, book_control.moves_digest, book_control.spoiler, disabled=not game.turns
        ),
        KnownMoveMenu(book_control.book_digest, book_control.moves_digest, book_control.spoiler, choices),
    )


POLYGLOT = "polyglot"
"""The format of stored Polyglot books: base64, because stored documents are text."""

MAX_REMEMBERED_BOOKS = 1_000
"""Maximum number of channels and users, counted together, whose last book is remembered."""


class ChessBooks:
    """Looks up positions in books. The moves that lead to a position are stored as a game, so that controls can refer to them."""

    def __init__(self, documents: DocumentService) -> None:
        self._documents = documents
        self._latest: LRUCache[int, str] = LRUCache(MAX_REMEMBERED_BOOKS)
        """The digest of the last book for each channel id or, for private requests, for each user id."""

    def remember(self, requester: Requester | None, digest: str) -> None:
        if requester is not None:
            self._latest[requester.channel_id if requester.public else requester.user_id] = digest

    async def look_up(
        self,
        position_source: Source | None,
        book_source: Source | None,
        requester: Requester,
        context: ReplyContext,
    ) -> Card:
        """Return a card with a book's moves in a position, by default in the book's starting position.

        Without ``book_source``, use the last book shown privately to the user, otherwise the last book shown in the channel.

        Raises:
            RefusalError: there is no book, or no chess position was found.

        """
        translate = context.translate
        digest, book, book_remarks = (
            await self._load_latest_book(requester, translate)
            if book_source is None
            else await self._read(book_source, requester, translate)
        )
        game = ChessGame(book.lines[0].start if isinstance(book, BookSource) else ChessPosition())
        if position_source is not None:
            findings = await self._documents.find(position_source)
            positions = [found for found in findings.documents if is_chess(found.document)]
            if not positions:
                text = translate(
                    "Kibitz found no chess position. Enter a FEN, PGN moves, or a link to a message in this channel."
                )
                raise RefusalError(_problem_card(findings, translate) or Card(text, has_result=False))
            game = await self._documents.run(_bare_game, positions[0])
        self.remember(requester, digest)
        return await self._show(digest, book, game, requester.user_id, context, book_remarks=book_remarks)

    async def play_or_take_back(
        self, book_control: BookControl, move: str, author_id: int, context: ReplyContext
    ) -> Card:
        """Play a known move (in UCI) and return the new position's card. If ``move`` is empty, take back the last move."""
        book = await self._load_book(book_control.book_digest)
        stored_moves = await self._documents.find_document(book_control.moves_digest)
        if book is None or stored_moves is None:
            raise RefusalError(expired_card(context.translate))
        try:
            game = await self._documents.run(lambda: _add_or_remove_move(_bare_game(stored_moves), move))
        except DomainError as error:
            raise RefusalError.with_text(escape_line(context.translate.problem(error))) from None
        return await self._show(
            book_control.book_digest, book, game, author_id, context, spoiler=book_control.spoiler
        )

    async def _show(
        self,
        digest: str,
        book: BookSource | PolyglotBook,
        game: ChessGame,
        author_id: int,
        context: ReplyContext,
        *,
        spoiler: bool = False,
        book_remarks: tuple[str, ...] = (),
    ) -> Card:
        moves_document = await self._documents.run(lambda: FoundDocument("uci", uci.write(game), game))
        await self._documents.save((moves_document,), author_id)
        book_control = BookControl(digest, moves_document.digest, spoiler)
        return await self._documents.run_and_draw(
            known_moves_card, book, book_control, game, context, book_remarks
        )

    async def _read(
        self, source: Source, requester: Requester, translate: Translator
    ) -> tuple[str, BookSource | PolyglotBook, tuple[str, ...]]:
        size = len(source.text) + sum(len(attachment.data) for attachment in source.attachments)
        result = await self._documents.run_reader(size, read_book, source)
        if isinstance(result, PolyglotBook):
            text = base64.b64encode(result.data).decode()
            return await self._documents.save_text(POLYGLOT, text, requester.user_id), result, ()
        if isinstance(result, Findings):
            raise RefusalError(_problem_card(result, translate) or which_book_card(translate))
        await self._documents.save((result,), requester.user_id)
        assert isinstance(result.document, BookSource)
        return result.digest, result.document, remarks(result, translate)

    async def _load_latest_book(
        self, requester: Requester, translate: Translator
    ) -> tuple[str, BookSource | PolyglotBook, tuple[str, ...]]:
        for id_ in (requester.user_id, requester.channel_id):
            digest = self._latest.get(id_)
            book = await self._load_book(digest) if digest is not None else None
            if digest is not None and book is not None:
                return digest, book, ()
        raise RefusalError(which_book_card(translate))

    async def _load_book(self, digest: str) -> BookSource | PolyglotBook | None:
        text = await self._documents.load_text(digest, POLYGLOT)
        if text is not None:
            return await self._documents.run(lambda: PolyglotBook(base64.b64decode(text)))
        found = await self._documents.find_document(digest)
        return found.document if found is not None and isinstance(found.document, BookSource) else None


def _problem_card(findings: Findings, translate: Translator) -> Card | None:
    if findings.unfinished_files:
        return stopped_card(findings.unfinished_files, translate)
    return unreadable_card(findings.unreadable_texts, translate) if findings.unreadable_texts else None


def _add_or_remove_move(game: ChessGame, move: str) -> ChessGame:
    if not move:
        return replace(game, turns=game.turns[:-1])
    earlier_moves = uci.write(game) if game.turns else f"position fen {game.start.fen} moves"
    return uci.read(f"{earlier_moves} {move}").value


def _bare_game(found: FoundDocument) -> ChessGame:
    """If the document is a game, return it without comments or variations. Otherwise, return a game that starts from its position."""
    if isinstance(found.document, ChessGame):
        turns = tuple(
            replace(turn, comment="", comment_before="", nags=(), variations=())
            for turn in found.document.turns
        )
        return ChessGame(found.document.start, turns)
    start = position_of_moment(found.chess_document, first_moment(found))
    return ChessGame(replace(start, last_move="", operations=()))


@dataclass(frozen=True, slots=True)
class BookControl(Control):
    """A control for walking through an opening book."""

    book_digest: Annotated[str, DIGEST]
    moves_digest: Annotated[str, DIGEST]
    """The digest of the stored moves that led to the position. On the card of a posted book, this is the digest of the book."""
    spoiler: Annotated[bool, SPOILER] = False

    @property
    def document_digest(self) -> str | None:
        return self.moves_digest

    async def _play_or_take_back(self, press: Press, move: str) -> None:
        books = press.bot.services[PRESENTER].books
        await press.replace_card(lambda context: books.play_or_take_back(self, move, press.user_id, context))


@control("known:{book_digest}:{moves_digest}:{spoiler}")
class KnownMoveMenu(BookControl):
    """The menu of the moves that the book knows."""

    choices: tuple[Choice, ...] = ()
    """Each value is a UCI move."""

    def face(self, translate: Translator, *, private: bool) -> Menu | None:
        return Menu(translate("Play a known move"), self.choices) if self.choices else None

    async def act(self, press: Press) -> None:
        await self._play_or_take_back(press, press.value)


@control("takeback:{book_digest}:{moves_digest}:{spoiler}")
class TakeBack(BookControl):
    """Takes back the last move."""

    disabled: bool = False

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(emoji="\N{BLACK LEFT-POINTING TRIANGLE}\ufe0f", disabled=self.disabled)

    async def act(self, press: Press) -> None:
        await self._play_or_take_back(press, "")
