"""Shows documents, opens games, and converts documents to other notations."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.chat.card import Card, Moment, RefusalError, ReplyContext, join_fitting_blocks
from bot.chat.control import Control, Field
from bot.chat.source import Source
from bot.domain.chess.notations import uci
from bot.domain.chess.position import ChessPosition
from bot.domain.notations import target_notations
from bot.domain.reading.problems import DomainError
from bot.features.showing.chess.books import ChessBooks, TakeBack
from bot.features.showing.chess.viewer import game_choices
from bot.features.showing.controls import ControlProvider, OtherNotationMenu, with_game_menu
from bot.features.showing.conversion import conversion_card
from bot.features.showing.correction import (
    MAX_ROWS_LENGTH,
    cgp_from_form,
    chess_form,
    crossword_form,
    fen_from_form,
    names_from_form,
    refusal_text,
)
from bot.features.showing.crossword.live import waiting_card
from bot.features.showing.crossword.viewer import add_size_limit_notes, chart_card
from bot.features.showing.document_service import DocumentService
from bot.features.showing.findings import Findings, FoundDocument, are_several_chess_games, without_repeats
from bot.features.showing.links import LinkOpener, collection_card, link_remarks, unopened_links_card
from bot.features.showing.pace import Pace
from bot.features.showing.posted import (
    MAX_SHOWN_DOCUMENTS,
    conversions_card,
    count_turns,
    posted_card,
    together_card,
    viewer_of,
)
from bot.features.showing.reading.documents import read_document
from bot.features.showing.remarks import (
    expired_card,
    nothing_found_card,
    stopped_card,
    unread_file_card,
    unreadable_card,
)
from bot.jobs.account import Requester
from bot.links import woogles
from bot.links.fetcher import Fetcher
from bot.links.sites import link_to, source_target
from bot.links.values import LinkTarget, TargetKind
from bot.storage.errors import StoreError
from bot.text import Translator
from render.animate import MAX_BYTES, ReplayError, draw_replay
from render.scene import ReplayScene

log = logging.getLogger(__name__)


class Presenter:
    """Shows the documents in a source. Without a store (on the command line), replies have no controls.

    ``fetcher`` is None unless the host has enabled links. Other features add to ``control_providers``, and set ``continue_games``
    and ``show_sheets``.
    """

    def __init__(self, documents: DocumentService, fetcher: Fetcher | None = None) -> None:
        self.control_providers: list[ControlProvider] = []
        self.continue_games: Callable[[Source, Findings], Awaitable[Findings]] | None = None
        """Adds the turns in Turn URLs to their live games, and replaces the links in the findings with the games."""
        self.show_sheets: (
            Callable[[tuple[Any, ...], Requester | None, ReplyContext], Awaitable[Card]] | None
        ) = None
        """Shows sheets of puzzles. If None, their positions are shown like other positions."""
        self.metrics = documents.metrics
        self.links = LinkOpener(documents, fetcher)
        self.books = ChessBooks(documents)
        self._documents = documents

    def feature_controls(
        self, found: FoundDocument, moment: Moment, number: int | None = None
    ) -> tuple[Control, ...]:
        return tuple(
            control for provide in self.control_providers for control in provide(found, moment, number)
        )

    async def find(self, source: Source) -> Findings:
        """Find and read the documents in a source. A Turn URL is replaced by its whole live game.

        Raises:
            OverBudgetError: the current account's budget is too small to read the source.

        """
        findings = await self._documents.find(source)
        for found in findings.documents:
            self.metrics.count("detections", found.format, "true")
        for unreadable in findings.unreadable_texts:
            self.metrics.count("detections", unreadable.format, "false")
        if self._documents.has_store:
            if self.continue_games and findings.turn_links:
                return await self.continue_games(source, findings)
            return findings
        # The racks of a finished game are computed from the seed in its Turn URL. On the command line, the user has this seed, so
        # hiding the racks would be pointless.
        documents = await self._documents.run(
            lambda: tuple(found.with_racks() for found in findings.documents)
        )
        return replace(findings, documents=documents)

    async def await_and_find(self, pending_source: Awaitable[Source]) -> tuple[Source, Findings]:
        source = await pending_source
        return source, await self.find(source)

    async def find_privately(self, source: Source, translate: Translator) -> Findings:
        """Find the documents in a source, and open its links, without adding turns to live games.

        Raises:
            RefusalError: the source has no document; the card explains why.
        """
        if source.requester is not None:
            source = replace(source, requester=replace(source.requester, public=False))
        findings = await self.links.open_all(source, await self.find(source))
        if not findings.documents:
            raise RefusalError(nothing_to_show_card(source, findings, translate))
        return findings

    async def show(self, source: Source, context: ReplyContext, findings: Findings | None = None) -> Card:
        if findings is None:
            findings = await self.find(source)
        if findings.link_targets:
            findings = await self.links.open_all(source, findings)
        translate = context.translate
        # Showing the puzzles of a sheet like other positions would reveal their solutions.
        if findings.sheets and self.show_sheets is not None:
            return await self.show_sheets(findings.sheets, source.requester, context)
        if not findings.documents:
            if findings.waiting_games:
                return waiting_card(findings.waiting_games, translate)
            if listing := next((link for link in findings.link_results if link.games), None):
                chapter = listing.target.part
                return collection_card(listing, translate, int(chapter) - 1 if chapter else 0)
            return nothing_to_show_card(source, findings, translate)
        documents = await self._documents.run(without_repeats, findings.documents)
        are_stored = await self._save_if_possible(
            source, documents if are_several_chess_games(documents) else documents[:MAX_SHOWN_DOCUMENTS]
        )
        card = await self._documents.run(
            posted_card,
            documents,
            context,
            self.feature_controls,
            are_stored=are_stored,
            left_out_count=findings.left_out_count,
        )
        if (take_back := card.find_control(TakeBack)) is not None:
            self.books.remember(source.requester, take_back.book_digest)
        extra_lines = [waiting_card(findings.waiting_games, translate).text] if findings.waiting_games else []
        extra_lines += link_remarks(findings.link_results, translate) if findings.link_results else []
        if findings.unfinished_files:
            extra_lines.append(stopped_card(findings.unfinished_files, translate).text)
        if ended_searches := tuple(
            unreadable for unreadable in findings.unreadable_texts if unreadable.error.code == "search-ended"
        ):
            extra_lines.append(unreadable_card(ended_searches, translate).text)
        if extra_lines:
            card = replace(card, text=join_fitting_blocks([card.text, *extra_lines]))
        return await self._documents.draw(card)

    async def open(self, source: Source, context: ReplyContext, findings: Findings) -> Card:
        """Show the start of the first game in a source. If there is no game, or it cannot be stored, show the documents."""
        findings = await self.links.open_all(source, findings)
        for found in findings.documents:
            if not count_turns(found.document):
                continue
            documents = without_repeats(findings.documents)
            menu_documents = documents if are_several_chess_games(documents) else (found,)
            if await self._save_if_possible(source, menu_documents):
                reply = await self.show_moment(Moment(found.digest, 0, spoiler=found.spoiler), context)
                return with_game_menu(
                    reply, await self._documents.run(game_choices, menu_documents, context.translate)
                )
        return await self.show(source, context, findings)

    async def convert(self, source: Source, target: str, context: ReplyContext) -> Card:
        """Convert the first document in a source to another notation. Raise RefusalError if there is no document."""
        first = (await self.find_privately(source, context.translate)).documents[0]
        return await self._documents.run_and_draw(
            lambda: conversion_card(first.document, target, context.translate, spoiler=first.spoiler)
        )

    async def offer_conversions(self, source: Source, context: ReplyContext) -> Card:
        """Return a card with menus that convert the documents in a source. Raise RefusalError if there is no document."""
        documents = without_repeats((await self.find_privately(source, context.translate)).documents)[
            :MAX_SHOWN_DOCUMENTS
        ]
        await self._documents.save(documents, source.author_id)
        return await self._documents.run_and_draw(conversions_card, documents, context.translate)

    async def convert_stored(
        self, digest: str, target: str, context: ReplyContext, *, spoiler: bool = False
    ) -> Card:
        """Convert a stored document to another notation. If ``spoiler``, mark the text as a spoiler.

        Raises:
            RefusalError: the document has expired, or the notation no longer exists.

        """
        translate = context.translate
        found = await self._documents.load_document(digest, translate)
        return await self._documents.run_and_draw(
            lambda: conversion_card(found.document, target, translate, spoiler=spoiler)
        )

    async def load_source_text(self, digest: str) -> str | None:
        """Return text from which a stored document can be read again, or None if it has expired or cannot be read again."""
        found = await self._documents.find_document(digest)
        if found is None:
            return None
        if found.is_in_progress:
            # The text alone would not show that the game is still in progress.
            target = await self._documents.run(source_target, found.document)
            return link_to(target) if target is not None else None
        # Without this prefix, text with a single move would not be detected as a game.
        needs_prefix = found.format == "uci" and not uci.sniff(found.text)
        return f"position startpos moves {found.text}" if needs_prefix else found.text

    async def show_linked_game(
        self, game_id: str, requester_id: int, context: ReplyContext, *, spoiler: bool
    ) -> Card:
        target = LinkTarget(woogles.NAME, TargetKind.GAME, game_id, spoiler=spoiler)
        findings = await self.links.open(target, requester_id)
        return await self.show(Source("", requester=Requester(requester_id, public=False)), context, findings)

    async def show_collection(
        self, collection: str, start: int, requester_id: int, context: ReplyContext, *, spoiler: bool
    ) -> Card:
        """Show the page of a woogles collection that contains the game at index ``start``."""
        target = LinkTarget(woogles.NAME, TargetKind.COLLECTION, collection, spoiler=spoiler)
        link_results = (await self.links.open(target, requester_id)).link_results
        if link_results[0].error is not None:
            return unopened_links_card(link_results, context.translate)
        return collection_card(link_results[0], context.translate, start)

    async def _save_if_possible(self, source: Source, documents: tuple[FoundDocument, ...]) -> bool:
        try:
            await self._documents.save(documents, source.author_id)
        except StoreError as error:
            log.warning("replying without controls: %s", error)
            return False
        return self._documents.has_store

    # Views of stored documents. These methods raise RefusalError if the document has expired or lacks the requested view.

    async def show_moment(self, moment: Moment, context: ReplyContext, *, centre: int | None = None) -> Card:
        """Show a moment. The menu lists the turns or puzzles near ``centre`` (a turn, or a puzzle's index)."""
        return await self._make_card(
            moment,
            context.translate,
            lambda found: viewer_of(found.document).card_at(
                found, moment, context, self.feature_controls, centre=centre
            ),
        )

    async def show_chart(self, moment: Moment, context: ReplyContext) -> Card:
        return await self._make_card(
            moment, context.translate, lambda found: chart_card(found.document, moment, context)
        )

    async def show_together(self, digests: Sequence[str], context: ReplyContext, *, spoiler: bool) -> Card:
        documents = [
            replace(await self._documents.load_document(digest, context.translate), spoiler=spoiler)
            for digest in digests
        ]
        return await self._documents.run_and_draw(
            together_card, tuple(documents), context, self.feature_controls
        )

    async def copy(self, moment: Moment, context: ReplyContext) -> Card:
        translate = context.translate
        document = (await self._documents.load_document(moment.digest, translate)).document

        def make_card() -> Card:
            viewer = viewer_of(document)
            writable_notations = tuple(
                name
                for name in target_notations(document)
                if viewer.convert_moment(document, moment, name, translate).has_result
            )
            return replace(
                viewer.convert_moment(document, moment, viewer.COPIED_NOTATION, translate),
                controls=(OtherNotationMenu(moment, writable_notations),),
                has_result=True,
            )

        return await self._documents.run_and_draw(make_card)

    async def show_replay(self, moment: Moment, pace: Pace, context: ReplyContext, *, max_bytes: int) -> Card:
        translate = context.translate
        found = await self._documents.load_document(moment.digest, translate)
        viewer = viewer_of(found.document)
        card = await self._documents.run(viewer.replay_card, found.document, moment, pace, context)
        [drawing] = card.drawings
        max_bytes = min(MAX_BYTES, max_bytes)
        scene = drawing.scene
        assert isinstance(scene, ReplayScene)
        key = ("replay", moment.digest, moment.seat, pace, context.appearance, translate.locale, max_bytes)
        try:
            # Drawing a replay takes a lot of time and memory. The process frees the memory when it ends.
            picture = await self._documents.picture(
                scene, key, lambda: self._documents.run_in_process(draw_replay, scene, max_bytes=max_bytes)
            )
        except ReplayError:
            raise RefusalError.with_text(
                translate("This game is too long for a replay that Kibitz can send here.")
            ) from None
        return add_size_limit_notes(card, picture, count_turns(found.document) + 1, translate).with_pictures(
            (picture,)
        )

    async def convert_moment(self, moment: Moment, target: str, context: ReplyContext) -> Card:
        translate = context.translate
        return await self._make_card(
            moment,
            translate,
            lambda found: viewer_of(found.document).convert_moment(found.document, moment, target, translate),
        )

    async def _make_card(
        self, moment: Moment, translate: Translator, make_card: Callable[[FoundDocument], Card]
    ) -> Card:
        found = await self._documents.load_document(moment.digest, translate)
        return await self._documents.run_and_draw(make_card, found)

    # Corrections of positions that were read from pictures

    async def make_correction_form(self, moment: Moment, translate: Translator) -> tuple[Field, ...]:
        position = (await self._load_picture_document(moment, translate)).document
        form = chess_form if isinstance(position, ChessPosition) else crossword_form
        return await self._documents.run(form, position, translate)  # type: ignore[arg-type]

    async def confirm(self, moment: Moment, context: ReplyContext, author_id: int | None) -> Card:
        found = await self._load_picture_document(moment, context.translate)
        return await self._save_and_show(replace(found, picture_confidence=None), moment, context, author_id)

    async def correct(
        self, moment: Moment, values: Mapping[str, str], context: ReplyContext, author_id: int | None
    ) -> Card:
        """Show the position that a submitted form describes. Raise RefusalError if the position is invalid."""
        is_chess = isinstance(
            (await self._load_picture_document(moment, context.translate)).document, ChessPosition
        )
        text = fen_from_form(values) if is_chess else cgp_from_form(values)
        try:
            found = await self._documents.run_reader(
                MAX_ROWS_LENGTH,
                lambda: read_document("fen" if is_chess else "cgp", text).with_names(names_from_form(values)),
            )
        except DomainError as error:
            are_rows_reversed = values.get("below") == "b"
            raise RefusalError.with_text(
                refusal_text(error, text, context.translate, are_rows_reversed=are_rows_reversed)
            ) from None
        return await self._save_and_show(found, moment, context, author_id)

    async def _load_picture_document(self, moment: Moment, translate: Translator) -> FoundDocument:
        found = await self._documents.load_document(moment.digest, translate)
        if found.picture_confidence is None:
            raise RefusalError(expired_card(translate))
        return found

    async def _save_and_show(
        self, found: FoundDocument, moment: Moment, context: ReplyContext, author_id: int | None
    ) -> Card:
        await self._documents.save((found,), author_id)
        return await self.show_moment(replace(moment, digest=found.digest), context)


def nothing_to_show_card(source: Source, findings: Findings, translate: Translator) -> Card:
    if findings.unfinished_files:
        return stopped_card(findings.unfinished_files, translate)
    if findings.unreadable_texts:
        return unreadable_card(findings.unreadable_texts, translate)
    if any(link.error is not None for link in findings.link_results):
        return unopened_links_card(findings.link_results, translate)
    if source.unread_files:
        return unread_file_card(source.unread_files[0].name, source.unread_files[0].max_bytes, translate)
    return nothing_found_card(translate)
