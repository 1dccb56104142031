"""Crossword puzzles in chat."""

from __future__ import annotations

from contextlib import suppress

from bot.chat.card import Drawing, ReplyContext
from bot.chat.markdown import escape, one_line
from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Direction, Placement, Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.scoring import play_problems
from bot.engine.lexicon.installed import MAX_NAME_LENGTH
from bot.engine.lexicon.lexica import UnknownLexiconError
from bot.features.analysis.crossword.rankings import describe_play
from bot.features.analysis.crossword.request import AnalysisResources
from bot.features.analysis.crossword.trial import require_valid_words
from bot.features.puzzles.cards import Verdict
from bot.features.puzzles.crossword.document import (
    CrosswordPuzzle,
    PuzzleFamily,
    PuzzleTheme,
    judge_play,
    judge_word,
)
from bot.features.review.crossword.cards import reason_text
from bot.features.review.crossword.values import JudgedPlay
from bot.features.showing.crossword.board_scene import alt_text, position_scene, proposal_scene
from bot.text import Translator

_MAX_LISTED_PLAYS = 5
"""Maximum number of plays in a list, including the answer."""
_MAX_ANSWERS = 3
_MAX_TEXT_LENGTH = 40
MAX_WORD_LENGTH = 30


class ShownCrosswordPuzzle:
    """A crossword puzzle in chat. Without ``resources``, words are not looked up."""

    def __init__(self, puzzle: CrosswordPuzzle, resources: AnalysisResources | None) -> None:
        self._puzzle = puzzle
        self._resources = resources
        self.start = puzzle.position
        self.rating = puzzle.rating

    def question(self, translate: Translator) -> tuple[str, str]:
        return escape(self._puzzle.lexicon, MAX_NAME_LENGTH), self._question_text(translate)

    def _question_text(self, translate: Translator) -> str:
        puzzle = self._puzzle
        if puzzle.family is PuzzleFamily.ENDGAME and PuzzleTheme.ONLY_WIN in puzzle.themes:
            return translate("The bag is empty, and only one play wins. Which?")
        lexicon = escape(puzzle.lexicon, MAX_NAME_LENGTH)
        best_play_question = translate("What is the best play?")
        return {
            PuzzleFamily.BEST_PLAY: best_play_question,
            PuzzleFamily.STRATEGY: best_play_question,
            PuzzleFamily.ONLY_BINGO: translate("There is only one bingo. Find it."),
            PuzzleFamily.ENDGAME: translate("The bag is empty. What is the best play?"),
            PuzzleFamily.PRE_ENDGAME: translate(
                "One tile is in the bag. Which play wins most often, counting every tile it could be?"
            ),
            PuzzleFamily.PHONY: translate(
                "One word on the board isn't in {lexicon}. Which?", lexicon=lexicon
            ),
            PuzzleFamily.HOOK: translate(
                "One letter, added at the front or at the back, turns this word into another. Which word?"
            ),
        }[puzzle.family]

    def drawing(self, progress_code: int, context: ReplyContext) -> Drawing:
        return Drawing(
            position_scene(self.start, context),
            alt_text(self.start, context.translate, self._question_text(context.translate)),
            name="puzzle",
        )

    def hints(self, progress_code: int, translate: Translator) -> tuple[str, ...]:
        puzzle = self._puzzle
        if puzzle.words:
            word = puzzle.words[0]
            return (
                translate.plural("It has {number} letter.", "It has {number} letters.", len(word)),
                translate("It begins with {letter}.", letter=escape(word[0])),
            )
        play = puzzle.answers[0]
        if not isinstance(play, Placement):
            return ()
        start = play.start
        line = (
            translate("It is in row {row}.", row=start.row + 1)
            if start.direction is Direction.ACROSS
            else translate("It is in column {column}.", column=str(start)[: -len(str(start.row + 1))])
        )
        return (
            translate("It scores {points}.", points=puzzle.ranking[0].score),
            translate.plural("It places {number} tile.", "It places {number} tiles.", len(tiles_used(play))),
            line,
        )

    def judge(self, progress_code: int, text: str, translate: Translator) -> Verdict:
        """Judge a word or a play. If the puzzle's lexicon is not installed, the words of a play are not checked.

        Raises:
            DomainError: the text is not a possible play, or the play forms a word that is not in the puzzle's lexicon.

        """
        puzzle = self._puzzle
        if puzzle.words:
            word = text.strip()[:MAX_WORD_LENGTH]
            if judge_word(puzzle, word):
                return Verdict(escape(word.upper(), _MAX_TEXT_LENGTH), is_right=True, is_solved=True)
            return Verdict(translate("❌ **{word}** isn't the answer.", word=escape(word, _MAX_TEXT_LENGTH)))
        play = read_typed_play(text, puzzle.position)
        for problem in play_problems(puzzle.position, play):
            raise problem
        rank, contender = judge_play(puzzle, play)
        play_description = describe_play(play, puzzle.position, translate)
        if rank == 1:
            return Verdict(escape(play_description, _MAX_TEXT_LENGTH), is_right=True, is_solved=True)
        if self._resources is not None:
            lexica = self._resources.lexica
            with suppress(UnknownLexiconError):
                lexicon = lexica.load(lexica.find(puzzle.lexicon), puzzle.position.rules.distribution)
                require_valid_words(puzzle.position, play, lexicon)
        return Verdict(self._wrong_play_text(escape(play_description), rank, contender, translate))

    def _wrong_play_text(
        self, play: str, rank: int | None, contender: JudgedPlay | None, translate: Translator
    ) -> str:
        puzzle = self._puzzle
        if puzzle.family is PuzzleFamily.ONLY_BINGO:
            return translate("❌ **{play}** isn't a bingo.", play=play)
        if contender is None:
            return translate(
                "❌ **{play}** isn't among the best {number}.", play=play, number=len(puzzle.ranking)
            )
        return translate(
            "❌ **{play}** is number {rank}: {behind}.",
            play=play,
            rank=rank,
            behind=self._deficit_text(contender, translate),
        )

    def _deficit_text(self, contender: JudgedPlay, translate: Translator) -> str:
        best = self._puzzle.ranking[0]
        if self._puzzle.family is PuzzleFamily.ENDGAME or best.win == contender.win:
            return translate.plural(
                "{number} point behind the best",
                "{number} points behind the best",
                round(best.equity - contender.equity),
            )
        return translate(
            "its win chance is {percent}%, and the best play's is {best}%",
            percent=translate.number(100 * contender.win, ".1f"),
            best=translate.number(100 * best.win, ".1f"),
        )

    def solution(self, context: ReplyContext) -> tuple[str, Drawing]:
        puzzle, position, translate = self._puzzle, self.start, context.translate
        if puzzle.words:
            text = translate("**Solution: {answer}**", answer=escape(puzzle.words[0], _MAX_TEXT_LENGTH))
            return text, self.drawing(0, context)
        best_play = puzzle.ranking[0]
        answers = " / ".join(
            escape(describe_play(play, position, translate)) for play in _answers_to_list(puzzle.answers)
        )
        lines = [
            f"{translate('**Solution: {answer}**', answer=answers)} {translate.number(best_play.score, '+d')}"
        ]
        lines += [f"- {reason_text(reason, translate)}" for reason in puzzle.reasons]
        worse_plays = [
            contender for contender in puzzle.ranking if judge_play(puzzle, contender.play)[0] != 1
        ]
        lines += [
            f"{rank}\\. {escape(describe_play(contender.play, position, translate))} "
            f"{translate.number(contender.score, '+d')}: {self._deficit_text(contender, translate)}"
            for rank, contender in enumerate(
                worse_plays[: _MAX_LISTED_PLAYS - 1], start=len(puzzle.ranking) - len(worse_plays) + 1
            )
        ]
        play_description = one_line(describe_play(puzzle.answers[0], position, translate))
        return "\n".join(lines), Drawing(
            proposal_scene(position, puzzle.answers[0], best_play.score, context),
            alt_text(position, translate, f"{play_description}."),
            name="solution",
        )


def _answers_to_list(answers: tuple[Play, ...]) -> tuple[Play, ...]:
    """Return the first few distinct answers. Answers that differ only in which tile is the blank are listed once."""
    plays_by_letters: dict[object, Play] = {}
    for play in answers:
        letters = (play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play
        plays_by_letters.setdefault(letters, play)
    return tuple(plays_by_letters.values())[:_MAX_ANSWERS]
