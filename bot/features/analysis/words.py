"""Questions about words: valid or not, hooks, anagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.chat.card import MAX_TEXT, Card, Style
from bot.chat.markdown import code_block, escape
from bot.domain.crossword.rules import BLANK, BLANK_TEXT, distribution_of_lexicon, load_distribution
from bot.domain.reading.problems import DomainError, ParseError
from bot.features.analysis.crossword.rankings import missing_words
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.fairness import Fairness, WordQuestion, WordTool
from bot.features.showing.desk import Desk
from bot.text import Speaker

if TYPE_CHECKING:
    from bot.engine.lexicon.lexica import Lexicon

MAX_WORDS: Final = 15
"""Words in one question."""
MAX_TILES: Final = 21
"""Letters of a word: the length of the longest line of any board."""
MAX_ANAGRAMS: Final = 300
MAX_LISTED: Final = 1_500
"""Characters of words in one answer."""

_BETWEEN = re.compile(r"[\s,;/]+")


@dataclass(frozen=True, slots=True)
class Authority:
    """The lexicon that judges words."""

    name: str
    words: int = 0
    """Its number of words; 0 if unknown."""
    missing: str = ""
    """The wanted lexicon that isn't installed."""


class WordQuestions:
    """Answers questions about words from a lexicon."""

    def __init__(self, desk: Desk, means: AnalysisMeans, fairness: Fairness) -> None:
        self._desk = desk
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
        typed = _BETWEEN.split(text.strip())[:MAX_WORDS]
        await self._fairness.require_words(WordQuestion(WordTool.CHECK, tuple(typed)), style)

        def answer(loaded: Lexicon, by: Authority, say: Speaker) -> Card:
            from bot.engine.lexicon import words  # noqa: PLC0415 - part of the analysis

            checked = words.check([word for word in typed if word], loaded.graph, loaded.distribution)
            if not checked:
                raise ParseError("no-word", "no word found in this text")
            judged = [
                (_write(word.tiles, loaded) or word.text, None if word.problem else word.valid)
                for word in checked
            ]
            invalid = [word.tiles for word in checked if not word.valid and word.problem is None]
            having = self._lexica.having(invalid, loaded) if invalid else {}
            elsewhere = {_write(tiles, loaded): names for tiles, names in having.items()}
            return answer_check(judged, by, say, elsewhere)

        return await self._answer(answer, lexicon, style)

    async def hooks(self, word: str, lexicon: str, style: Style) -> Card:
        """List the letters that extend a word to another word."""
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
        """List the words from all given letters, or with ``shorter`` from any of them."""
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
                raise ParseError("too-many-tiles", "enter 2 to {most} letters, ? for a blank", most=MAX_TILES)
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
        def work() -> Card:
            try:
                return answer(*self._load(lexicon, style), style.say)
            except DomainError as error:
                problem = escape(style.say.problem(error))
                return Card(style.say("That doesn't work: {problem}.", problem=problem), found=False)

        return await self._desk.run(work)

    def _load(self, lexicon: str, style: Style) -> tuple[Lexicon, Authority]:
        """Load the requested lexicon, else the preferred lexicon or the nearest to it, else the host's.

        Raises:
            DomainError: the requested lexicon isn't installed, no lexicon has its language, or it is unreadable.

        """
        named = lexicon or style.lexicon
        language = distribution_of_lexicon(named) or load_distribution("english")
        chosen = self._lexica.choose(named, language, (self._default,), style.aliases)
        # A substitute would not answer a question about a named lexicon.
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


def _lexicon_words(lexicon: Authority, say: Speaker) -> str:
    """Describe a lexicon in which a word was not found."""
    if lexicon.name == "SCOWL80":
        about = say("a free list, close to the tournament lists but not one of them")
    elif lexicon.name == "CROSSWD":
        about = say("a free list, older than words such as QI and ZA")
    elif lexicon.words:
        about = say.count("{number} word", "{number} words", lexicon.words)
    else:
        return _by(lexicon, say)
    return say("Lexicon: {lexicon}, {about}", lexicon=escape(lexicon.name), about=about)


def _by(lexicon: Authority, say: Speaker) -> str:
    return say("Lexicon: {lexicon}", lexicon=escape(lexicon.name))


def _card(lines: Iterable[str], lexicon: Authority, say: Speaker) -> Card:
    """Return lines as a card, with a warning if the wanted lexicon isn't installed."""
    missing = [missing_words(lexicon.missing, lexicon.name, say)] if lexicon.missing else []
    return Card("\n".join((*lines, *missing))[:MAX_TEXT], accent="analysis")


def answer_check(
    judged: Sequence[tuple[str, bool | None]],
    lexicon: Authority,
    say: Speaker,
    elsewhere: Mapping[str, Sequence[str]] | None = None,
) -> Card:
    """Return the card of judged words; None for a word that the tiles cannot spell.

    ``elsewhere`` names the other installed lexica with an invalid word.
    """
    lines = []
    for text, valid in judged:
        word = f"**{escape(text, 60)}**"
        if valid is None:
            lines.append(say("❔ {word} cannot be spelled with these tiles", word=word))
        elif valid:
            lines.append(say("✅ {word} is valid", word=word))
        elif others := (elsewhere or {}).get(text):
            lexica = ", ".join(map(escape, others))
            lines.append(say("❌ {word} is not valid, but it is in {lexica}", word=word, lexica=lexica))
        else:
            lines.append(say("❌ {word} is not valid", word=word))
    results = [valid for _, valid in judged]
    if len(results) > 1:
        lines.append(say("The play is valid.") if all(results) else say("The play is not valid."))
    return _card((*lines, (_lexicon_words if False in results else _by)(lexicon, say)), lexicon, say)


def answer_hooks(
    text: str,
    *,
    front: Sequence[str],
    back: Sequence[str],
    inner: Sequence[str],
    lexicon: Authority,
    say: Speaker,
    valid: bool,
) -> Card:
    """List the letters that extend a word to another word."""
    word = f"**{escape(text, 60)}**"
    lines = [
        say("✅ {word} is valid", word=word) if valid else say("❌ {word} is not valid", word=word),
        say("Front: {letters}", letters=_listed(front, say)),
        say("Back: {letters}", letters=_listed(back, say)),
    ]
    if inner:
        lines.append(say("Inside: {words}", words=_listed(inner, say)))
    return _card((*lines, _by(lexicon, say)), lexicon, say)


def answer_anagrams(
    rack: str, words: Sequence[str], found: int, lexicon: Authority, say: Speaker, *, complete: bool
) -> Card:
    """List the words from some tiles, the longest first."""
    values = {"rack": f"**{escape(rack, 60)}**", "lexicon": escape(lexicon.name)}
    if not words:
        return _card([say("{rack} makes no word in {lexicon}.", **values)], lexicon, say)
    listed: list[str] = []
    by_length: dict[int, list[str]] = {}
    room = MAX_LISTED
    for word in words:
        room -= len(word) + 1
        if room < 0:
            break
        listed.append(word)
        by_length.setdefault(len(word), []).append(word)
    lines = [
        say.count(
            "{rack} makes {number} word in {lexicon}:",
            "{rack} makes {number} words in {lexicon}:",
            found,
            **values,
        ),
        code_block("\n".join(" ".join(line) for line in by_length.values())),
    ]
    if found > len(listed):
        lines.append(say("Only the first {number} are listed.", number=len(listed)))
    if not complete:
        lines.append(say("The search ran out of time, so there may be more."))
    return _card(lines, lexicon, say)


def _listed(parts: Sequence[str], say: Speaker) -> str:
    text = " ".join(escape(part) for part in parts) or say("none")
    return text if len(text) <= MAX_LISTED // 3 else text[: MAX_LISTED // 3].rsplit(" ", 1)[0] + " …"
