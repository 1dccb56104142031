"""Answers questions about words: their validity, hooks and anagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.chat.card import MAX_TEXT_LENGTH, Card, ReplyContext
from bot.chat.markdown import code_block, escape
from bot.domain.crossword.rules import BLANK, BLANK_TEXT, distribution_of_lexicon, load_distribution
from bot.domain.reading.problems import DomainError, ParseError
from bot.engine.lexicon.lexica import Lexicon
from bot.features.analysis.crossword.request import AnalysisResources, substitution_warning
from bot.features.analysis.fairness import Fairness, WordQuery, WordQueryKind
from bot.features.showing.document_service import DocumentService
from bot.text import Translator

MAX_WORDS: Final = 15
"""Maximum number of words in one query."""
MAX_LETTERS: Final = 21
"""The width of the largest board."""
MAX_ANAGRAMS: Final = 300
MAX_LIST_LENGTH: Final = 1_500
"""In characters."""

WORD_SEPARATORS = re.compile(r"[\s,;/]+")


class WordLookup:
    """Looks up words for users."""

    def __init__(self, documents: DocumentService, resources: AnalysisResources, fairness: Fairness) -> None:
        self._documents = documents
        self._fairness = fairness
        self._lexica = resources.lexica
        self._default_lexicon = resources.default_lexicon

    def installed_lexica(self) -> tuple[str, ...]:
        """Return the names of the installed lexica. Call this on a worker thread, because it reads folders."""
        return tuple(lexicon.name for lexicon in self._lexica.installed())

    async def answer(self, query: WordQuery, lexicon: str, context: ReplyContext) -> Card:
        """Return the card that answers a query.

        Raises:
            RefusalError: the answer would be a spoiler.

        """
        await self._fairness.check_words(query, context)

        def make_card() -> Card:
            try:
                cards = WordCards(*self._load_lexicon(lexicon, context), context.translate)
                match query.kind:
                    case WordQueryKind.CHECK:
                        return cards.check(query.words, self._lexica.other_lexica_with)
                    case WordQueryKind.HOOKS:
                        return cards.hooks(query.words[0])
                    case WordQueryKind.ANAGRAM:
                        return cards.anagrams(query.words[0], include_shorter=query.include_shorter)
            except DomainError as error:
                problem = escape(context.translate.problem(error))
                return Card(
                    context.translate("That doesn't work: {problem}.", problem=problem), has_result=False
                )

        return await self._documents.run(make_card)

    def _load_lexicon(self, lexicon: str, context: ReplyContext) -> tuple[Lexicon, str]:
        """Load the requested or the most suitable lexicon. Also return the name of a missing preferred lexicon, or ``""``."""
        name = lexicon or context.lexicon
        distribution = distribution_of_lexicon(name) or load_distribution("english")
        choice = self._lexica.choose(name, distribution, (self._default_lexicon,), context.aliases)
        # Only an alias may replace a requested lexicon. If neither is installed, ``find`` raises an error.
        installed_lexicon = (
            self._lexica.find(lexicon) if lexicon and choice.missing_lexicon else choice.lexicon
        )
        return self._lexica.load(installed_lexicon), choice.missing_lexicon


class WordCards:
    """Creates the cards that answer questions about words."""

    def __init__(self, lexicon: Lexicon, missing_lexicon: str, translate: Translator) -> None:
        from bot.engine.lexicon import words  # noqa: PLC0415 - needs optional packages
        from bot.engine.lexicon.spelling import speller  # noqa: PLC0415

        self._lexicon = lexicon
        self._missing_lexicon = missing_lexicon
        self._translate = translate
        self._words = words
        self._speller = speller(lexicon.distribution)
        self._short_lexicon_line = translate("Lexicon: {lexicon}", lexicon=escape(lexicon.name))

    def check(
        self,
        words: Sequence[str],
        other_lexica_with: Callable[[Sequence[bytes], Lexicon], Mapping[bytes, Sequence[str]]],
    ) -> Card:
        """Return a card that states whether each word is valid.

        Raises:
            ParseError: there is no word.

        """
        translate = self._translate
        results = self._words.check_words(
            filter(None, words), self._lexicon.graph, self._lexicon.distribution
        )
        if not results:
            raise ParseError("no-word", "no word found in this text")
        invalid_words = [result.tiles for result in results if not result.valid and result.problem is None]
        other_lexica = other_lexica_with(invalid_words, self._lexicon) if invalid_words else {}
        lines = []
        for result in results:
            word = f"**{escape(self._speller.text_of(result.tiles) or result.text, 60)}**"
            if result.problem is not None:
                lines.append(
                    translate(
                        "❔ {word} can't be spelled with the tiles for {lexicon}",
                        word=word,
                        lexicon=escape(self._lexicon.name),
                    )
                )
            elif result.valid:
                lines.append(translate("✅ {word} is valid", word=word))
            elif names := other_lexica.get(result.tiles):
                lines.append(
                    translate(
                        "❌ {word} isn't valid, but it is in {lexica}",
                        word=word,
                        lexica=", ".join(map(escape, names)),
                    )
                )
            else:
                lines.append(translate("❌ {word} isn't valid", word=word))
        if len(results) > 1:
            are_valid = all(result.valid for result in results)
            lines.append(translate("The play is valid.") if are_valid else translate("The play isn't valid."))
        return self._card(*lines, self._long_lexicon_line() if invalid_words else self._short_lexicon_line)

    def hooks(self, word: str) -> Card:
        """Return a card with a word's hooks.

        Raises:
            ParseError: the word is empty or too long, or cannot be spelled with the lexicon's tiles.

        """
        translate, text_of = self._translate, self._speller.text_of
        tiles = self._spell(word)
        hooks = self._words.find_hooks(tiles, self._lexicon.graph)
        bold_word = f"**{escape(text_of(tiles), 60)}**"
        lines = [
            translate("✅ {word} is valid", word=bold_word)
            if hooks.valid
            else translate("❌ {word} isn't valid", word=bold_word),
            translate(
                "Front hooks: {letters}",
                letters=_list_text([text_of((tile,)) for tile in hooks.front], translate),
            ),
            translate(
                "Back hooks: {letters}",
                letters=_list_text([text_of((tile,)) for tile in hooks.back], translate),
            ),
        ]
        if hooks.inner:
            words = [
                f"{text_of(tiles[:index])}({text_of((tile,))}){text_of(tiles[index:])}"
                for index, tile in hooks.inner
            ]
            lines.append(translate("Inside: {words}", words=_list_text(words, translate)))
        return self._card(*lines, self._short_lexicon_line)

    def anagrams(self, letters: str, *, include_shorter: bool = False) -> Card:
        """Return a card with the words that the letters make, longest first.

        Raises:
            ParseError: there are too few or too many letters, or there is no tile for a letter.

        """
        translate, blank_count = self._translate, letters.count(BLANK_TEXT)
        without_blanks = letters.replace(BLANK_TEXT, "").strip()
        letter_tiles = self._spell(without_blanks) if without_blanks else b""
        rack = (*letter_tiles, *(BLANK,) * blank_count)
        if not 2 <= len(rack) <= MAX_LETTERS:
            raise ParseError("too-many-tiles", "enter 2 to {limit} letters, ? for a blank", limit=MAX_LETTERS)
        anagrams = self._words.find_anagrams(
            rack, self._lexicon.graph, min_length=2 if include_shorter else None, max_words=MAX_ANAGRAMS
        )
        rack_text = escape(self._speller.text_of(letter_tiles) + BLANK_TEXT * blank_count, 60)
        values = {"rack": f"**{rack_text}**", "lexicon": escape(self._lexicon.name)}
        if not anagrams.words:
            return self._card(translate("{rack} doesn't make a word in {lexicon}.", **values))
        by_length: dict[int, list[str]] = {}
        characters_left = MAX_LIST_LENGTH
        for word in map(self._speller.text_of, anagrams.words):
            characters_left -= len(word) + 1
            if characters_left < 0:
                break
            by_length.setdefault(len(word), []).append(word)
        lines = [
            translate.plural(
                "{rack} makes {number} word in {lexicon}:",
                "{rack} makes {number} words in {lexicon}:",
                anagrams.total,
                **values,
            ),
            code_block("\n".join(" ".join(line) for line in by_length.values())),
        ]
        if anagrams.total > (listed_count := sum(map(len, by_length.values()))):
            lines.append(translate("Only the first {number} are listed.", number=listed_count))
        if not anagrams.complete:
            lines.append(translate("The search ran out of time, so there may be more."))
        return self._card(*lines)

    def _spell(self, word: str) -> bytes:
        tiles = self._speller.spell(word.strip())
        if not 0 < len(tiles) <= MAX_LETTERS:
            raise ParseError("word-length", "a word has 1 to {limit} letters", limit=MAX_LETTERS)
        return tiles

    def _long_lexicon_line(self) -> str:
        translate, lexicon = self._translate, self._lexicon
        if lexicon.name in {"SCOWL95", "SCOWL80"}:
            description = translate("a free list, close to the tournament lists but not one of them")
        elif lexicon.name == "CROSSWD":
            description = translate("a free list that predates words such as QI and ZA")
        else:
            description = translate.plural("{number} word", "{number} words", lexicon.word_count)
        return translate("Lexicon: {lexicon}, {about}", lexicon=escape(lexicon.name), about=description)

    def _card(self, *lines: str) -> Card:
        if self._missing_lexicon:
            lines += (substitution_warning(self._missing_lexicon, self._lexicon.name, self._translate),)
        return Card("\n".join(lines)[:MAX_TEXT_LENGTH], accent="analysis")


def _list_text(parts: Sequence[str], translate: Translator) -> str:
    text = " ".join(map(escape, parts)) or translate("none")
    return (
        text if len(text) <= MAX_LIST_LENGTH // 3 else text[: MAX_LIST_LENGTH // 3].rsplit(" ", 1)[0] + " …"
    )
