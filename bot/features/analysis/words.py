"""Questions about words: valid or not, hooks, anagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from bot.chat.card import MAX_TEXT, Card, Style
from bot.chat.markdown import code_block, escape
from bot.domain.crossword.rules import BLANK, BLANK_TEXT, distribution_of_lexicon, load_distribution
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.analysis.crossword.rankings import missing_words
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.showing.document_service import DocumentService
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon

MAX_WORDS: Final = 15
"""Maximum number of words in one question."""
MAX_TILES: Final = 21
"""Maximum number of letters of a word: the length of the longest line of any board."""
MAX_ANAGRAMS: Final = 300
MAX_LISTED: Final = 1_500
"""Maximum number of characters of words in one answer."""

_SEPARATORS = re.compile(r"[\s,;/]+")


class WordQuestions:
    """Answers questions about words from a lexicon."""

    def __init__(self, documents: DocumentService, means: AnalysisMeans, fairness: Fairness) -> None:
        self._documents = documents
        self._fairness = fairness
        self._lexica = means.lexica
        self._default = means.default_lexicon

    def installed(self) -> tuple[str, ...]:
        """Return the names of the installed lexica. Reads folders: not for an event loop."""
        return tuple(lexicon.name for lexicon in self._lexica.installed())

    async def check(self, text: str, lexicon: str, style: Style) -> Card:
        """Judge each word of a text.

        Raises:
            NoAnswerError: the answer would reveal a daily, as for the other questions.

        """
        typed = _SEPARATORS.split(text.strip())[:MAX_WORDS]
        question = WordQuestion(WordTool.CHECK, tuple(typed))
        return await self._answer(
            question, lexicon, style, lambda cards: cards.check(typed, self._lexica.having)
        )

    async def hooks(self, word: str, lexicon: str, style: Style) -> Card:
        """List the letters that extend a word to another word."""
        question = WordQuestion(WordTool.HOOKS, (word,))
        return await self._answer(question, lexicon, style, lambda cards: cards.hooks(word))

    async def anagrams(self, letters: str, lexicon: str, style: Style, *, shorter: bool = False) -> Card:
        """List the words from all given letters, or with ``shorter`` from any of them."""
        question = WordQuestion(WordTool.ANAGRAM, (letters,), shorter=shorter)
        return await self._answer(
            question, lexicon, style, lambda cards: cards.anagrams(letters, shorter=shorter)
        )

    async def _answer(
        self, question: WordQuestion, lexicon: str, style: Style, answer: Callable[[WordCards], Card]
    ) -> Card:
        await self._fairness.require_words(question, style)

        def work() -> Card:
            try:
                return answer(WordCards(*self._load(lexicon, style), style.say))
            except DomainError as error:
                problem = escape(style.say.problem(error))
                return Card(style.say("That doesn't work: {problem}.", problem=problem), found=False)

        return await self._documents.run(work)

    def _load(self, lexicon: str, style: Style) -> tuple[Lexicon, str]:
        """Load the requested lexicon, else the preferred lexicon or the nearest to it, else the host's.

        Also return the name of the wanted lexicon, if it isn't installed.

        Raises:
            DomainError: the requested lexicon isn't installed, no lexicon has its language, or it is unreadable.

        """
        named = lexicon or style.lexicon
        language = distribution_of_lexicon(named) or load_distribution("english")
        chosen = self._lexica.choose(named, language, (self._default,), style.aliases)
        # A substitute would not answer a question about a named lexicon.
        installed = self._lexica.find(lexicon) if lexicon and chosen.missing else chosen.lexicon
        return self._lexica.load(installed), chosen.missing


class WordCards:
    """The cards of a lexicon's answers."""

    def __init__(self, lexicon: Lexicon, missing: str, say: Speaker) -> None:
        """Prepare cards; ``missing`` is the wanted lexicon that isn't installed, if any."""
        from bot.engine.lexicon import words  # noqa: PLC0415 - part of the analysis
        from bot.engine.lexicon.spelling import speller  # noqa: PLC0415

        self._lexicon = lexicon
        self._missing = missing
        self._say = say
        self._words = words
        self._speller = speller(lexicon.distribution)
        self._source = say("Lexicon: {lexicon}", lexicon=escape(lexicon.name))

    def check(
        self,
        typed: Sequence[str],
        having: Callable[[Sequence[bytes], Lexicon], Mapping[bytes, Sequence[str]]],
    ) -> Card:
        """Judge words; ``having`` finds the other installed lexica with an invalid word.

        Raises:
            ParseError: there is no word.

        """
        say = self._say
        checked = self._words.check(filter(None, typed), self._lexicon.graph, self._lexicon.distribution)
        if not checked:
            raise ParseError("no-word", "no word found in this text")
        invalid = [word.tiles for word in checked if not word.valid and word.problem is None]
        elsewhere = having(invalid, self._lexicon) if invalid else {}
        lines = []
        for found in checked:
            word = f"**{escape(self._speller.write(found.tiles) or found.text, 60)}**"
            if found.problem is not None:
                lines.append(say("❔ {word} can't be spelled with these tiles", word=word))
            elif found.valid:
                lines.append(say("✅ {word} is valid", word=word))
            elif others := elsewhere.get(found.tiles):
                lexica = ", ".join(map(escape, others))
                lines.append(say("❌ {word} is not valid, but it is in {lexica}", word=word, lexica=lexica))
            else:
                lines.append(say("❌ {word} is not valid", word=word))
        if len(checked) > 1:
            is_valid = all(word.valid for word in checked)
            lines.append(say("The play is valid.") if is_valid else say("The play is not valid."))
        return self._card(*lines, self._described() if invalid else self._source)

    def hooks(self, typed: str) -> Card:
        """List the letters that extend a word to another word.

        Raises:
            ParseError: it cannot be spelled, or is too long.

        """
        say, write = self._say, self._speller.write
        tiles = self._spell(typed)
        found = self._words.hooks(tiles, self._lexicon.graph)
        word = f"**{escape(write(tiles), 60)}**"
        lines = [
            say("✅ {word} is valid", word=word) if found.valid else say("❌ {word} is not valid", word=word),
            say("Front hooks: {letters}", letters=_list_text([write((tile,)) for tile in found.front], say)),
            say("Back hooks: {letters}", letters=_list_text([write((tile,)) for tile in found.back], say)),
        ]
        if found.inner:
            words = [
                f"{write(tiles[:index])}({write((tile,))}){write(tiles[index:])}"
                for index, tile in found.inner
            ]
            lines.append(say("Inside: {words}", words=_list_text(words, say)))
        return self._card(*lines, self._source)

    def anagrams(self, letters: str, *, shorter: bool = False) -> Card:
        """List the words from some tiles, the longest first.

        Raises:
            ParseError: they cannot be spelled, or are too few or too many.

        """
        say, blanks = self._say, letters.count(BLANK_TEXT)
        typed = letters.replace(BLANK_TEXT, "").strip()
        plain = self._spell(typed) if typed else b""
        rack = (*plain, *(BLANK,) * blanks)
        if not 2 <= len(rack) <= MAX_TILES:
            raise ParseError("too-many-tiles", "enter 2 to {most} letters, ? for a blank", most=MAX_TILES)
        shortest = 2 if shorter else None
        found = self._words.anagrams(rack, self._lexicon.graph, shortest=shortest, most=MAX_ANAGRAMS)
        name = escape(self._speller.write(plain) + BLANK_TEXT * blanks, 60)
        values = {"rack": f"**{name}**", "lexicon": escape(self._lexicon.name)}
        if not found.words:
            return self._card(say("{rack} doesn't make a word in {lexicon}.", **values))
        by_length: dict[int, list[str]] = {}
        room, listed = MAX_LISTED, 0
        for word in map(self._speller.write, found.words):
            room -= len(word) + 1
            if room < 0:
                break
            listed += 1
            by_length.setdefault(len(word), []).append(word)
        lines = [
            say.count(
                "{rack} makes {number} word in {lexicon}:",
                "{rack} makes {number} words in {lexicon}:",
                found.found,
                **values,
            ),
            code_block("\n".join(" ".join(line) for line in by_length.values())),
        ]
        if found.found > listed:
            lines.append(say("Only the first {number} are listed.", number=listed))
        if not found.complete:
            lines.append(say("The search ran out of time, so there may be more."))
        return self._card(*lines)

    def _spell(self, word: str) -> bytes:
        tiles = self._speller.spell(word.strip())
        if not 0 < len(tiles) <= MAX_TILES:
            raise ParseError("word-length", "a word has 1 to {most} letters", most=MAX_TILES)
        return tiles

    def _described(self) -> str:
        """Describe a lexicon in which a word was not found."""
        say, lexicon = self._say, self._lexicon
        if lexicon.name in {"SCOWL95", "SCOWL80"}:
            about = say("a free list, close to the tournament lists but not one of them")
        elif lexicon.name == "CROSSWD":
            about = say("a free list, older than words such as QI and ZA")
        else:
            about = say.count("{number} word", "{number} words", lexicon.words)
        return say("Lexicon: {lexicon}, {about}", lexicon=escape(lexicon.name), about=about)

    def _card(self, *lines: str) -> Card:
        """Return lines as a card, with a warning if the wanted lexicon isn't installed."""
        missing = [missing_words(self._missing, self._lexicon.name, self._say)] if self._missing else []
        return Card("\n".join((*lines, *missing))[:MAX_TEXT], accent="analysis")


def _list_text(parts: Sequence[str], say: Speaker) -> str:
    text = " ".join(escape(part) for part in parts) or say("none")
    return text if len(text) <= MAX_LISTED // 3 else text[: MAX_LISTED // 3].rsplit(" ", 1)[0] + " …"
