"""Questions about words, answered from a lexicon."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bot.chat.card import Card
from bot.chat.markdown import escape
from bot.chat.style import Style
from bot.domain.crossword.rules import BLANK, BLANK_TEXT, distribution_of_lexicon, load_distribution
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.analysis.crossword.words import Authority, answer_anagrams, answer_check, answer_hooks
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.analysis.means import AnalysisMeans
from bot.features.showing.desk import Desk
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon

MAX_WORDS = 15
MAX_TILES = 21
"""The longest line of any board there is."""
MAX_ANAGRAMS = 300

_BETWEEN = re.compile(r"[\s,;/]+")


class WordQuestions:
    """Answers questions about words."""

    def __init__(self, desk: Desk, means: AnalysisMeans, fairness: Fairness) -> None:
        self._desk = desk
        self._fairness = fairness
        self._lexica = means.lexica
        self._default = means.default_lexicon

    def installed(self) -> tuple[str, ...]:
        """Return the names of the lexica there are. Looks into folders: not for an event loop."""
        return tuple(lexicon.name for lexicon in self._lexica.installed())

    async def check(self, text: str, lexicon: str, style: Style) -> Card:
        """Say of each word of a text whether it is valid.

        Raises:
            NoAnswerError: it would give a daily away; so do the other questions.

        """
        typed = _BETWEEN.split(text.strip())[:MAX_WORDS]
        await self._fairness.require_words(WordQuestion(WordTool.CHECK, tuple(typed)), style)

        def answer(loaded: Lexicon, by: Authority, say: Speaker) -> Card:
            from bot.engine.lexicon import words  # noqa: PLC0415 - part of the analysis

            checked = words.check([word for word in typed if word], loaded.graph, loaded.distribution)
            if not checked:
                raise ParseError("no-word", "there is no word in this")
            told = [
                (_write(word.tiles, loaded) or word.text, None if word.problem else word.valid)
                for word in checked
            ]
            lacked = [word.tiles for word in checked if not word.valid and word.problem is None]
            having = self._lexica.having(lacked, loaded) if lacked else {}
            elsewhere = {_write(tiles, loaded): names for tiles, names in having.items()}
            return answer_check(told, by, say, elsewhere)

        return await self._answer(answer, lexicon, style)

    async def hooks(self, word: str, lexicon: str, style: Style) -> Card:
        """Say which letters make another word of a word."""
        await self._fairness.require_words(WordQuestion(WordTool.HOOKS, (word,)), style)

        def answer(loaded: Lexicon, by: Authority, say: Speaker) -> Card:
            from bot.engine.lexicon import words  # noqa: PLC0415 - part of the analysis

            tiles = _spell(word, loaded)
            found = words.hooks(tiles, loaded.graph)
            inner = [
                f"{_write(tiles[:place], loaded)}({_write((tile,), loaded)}){_write(tiles[place:], loaded)}"
                for place, tile in found.inner
            ]
            return answer_hooks(
                _write(tiles, loaded),
                front=[_write((tile,), loaded) for tile in found.front],
                back=[_write((tile,), loaded) for tile in found.back],
                inner=inner,
                lexicon=by,
                say=say,
                valid=found.valid,
            )

        return await self._answer(answer, lexicon, style)

    async def anagrams(self, letters: str, lexicon: str, style: Style, *, shorter: bool = False) -> Card:
        """List the words made of all tiles, or with ``shorter`` of any of them."""
        question = WordQuestion(WordTool.ANAGRAM, (letters,), shorter=shorter)
        await self._fairness.require_words(question, style)

        def answer(loaded: Lexicon, by: Authority, say: Speaker) -> Card:
            from bot.engine.lexicon import words  # noqa: PLC0415 - part of the analysis

            blanks = letters.count(BLANK_TEXT)
            plain = (
                _spell(letters.replace(BLANK_TEXT, ""), loaded) if letters.strip(f"{BLANK_TEXT} ") else b""
            )
            rack = (*plain, *(BLANK,) * blanks)
            if not 2 <= len(rack) <= MAX_TILES:
                raise ParseError("too-many-tiles", "give 2 to {most} letters, ? for a blank", most=MAX_TILES)
            found = words.anagrams(rack, loaded.graph, shortest=2 if shorter else None, most=MAX_ANAGRAMS)
            return answer_anagrams(
                _write(plain, loaded) + BLANK_TEXT * blanks,
                [_write(word, loaded) for word in found.words],
                found.found,
                by,
                say,
                complete=found.complete,
            )

        return await self._answer(answer, lexicon, style)

    async def _answer(
        self,
        answer: Callable[[Lexicon, Authority, Speaker], Card],
        lexicon: str,
        style: Style,
    ) -> Card:
        say = style.say

        def work() -> Card:
            try:
                return answer(*self._load(lexicon, style), say)
            except DomainError as error:
                return Card(
                    say("That does not work: {problem}.", problem=escape(say.problem(error))), found=False
                )

        return await self._desk.run(work)

    def _load(self, lexicon: str, style: Style) -> tuple[Lexicon, Authority]:
        """Load the lexicon asked for, else the preferred one or the nearest to it, else the host's.

        Raises:
            DomainError: the one asked for is not installed, or none of its language, or it cannot be read.

        """
        named = lexicon or style.lexicon
        language = distribution_of_lexicon(named) or load_distribution("english")
        chosen = self._lexica.choose(named, language, (self._default,), style.aliases)
        # Whoever names one wants to know what that one says.
        installed = self._lexica.find(lexicon) if lexicon and chosen.missing else chosen.lexicon
        loaded = self._lexica.load(installed)
        return loaded, Authority(loaded.name, loaded.words, chosen.missing)


def _spell(word: str, lexicon: Lexicon) -> bytes:
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - part of the analysis

    tiles = speller(lexicon.distribution).spell(word.strip())
    if not 0 < len(tiles) <= MAX_TILES:
        raise ParseError("word-length", "a word has 1 to {most} letters", most=MAX_TILES)
    return tiles


def _write(tiles: Sequence[int], lexicon: Lexicon) -> str:
    from bot.engine.lexicon.spelling import speller  # noqa: PLC0415 - part of the analysis

    return speller(lexicon.distribution).write(tiles)
