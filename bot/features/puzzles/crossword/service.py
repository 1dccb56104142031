"""Crossword puzzles in chat: the question, hints, answers and solutions."""

from __future__ import annotations

from bot.chat.card import Drawing
from bot.chat.markdown import escape, one_line
from bot.chat.style import Style
from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Direction, Placement, Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.scoring import play_problems
from bot.engine.lexicon.installed import MAX_NAME
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.crossword.scene import proposal_scene
from bot.features.analysis.means import AnalysisMeans
from bot.features.analysis.trials import require_words
from bot.features.puzzles.cards import Question, Setting, Verdict, rating_text, stars_text
from bot.features.puzzles.crossword.document import (
    Contender,
    CrosswordPuzzle,
    Family,
    Judgement,
    Theme,
    judge_play,
    judge_word,
)
from bot.features.puzzles.rating import Progress
from bot.features.review.crossword.cards import why_words
from bot.features.showing.crossword.board_scene import alt_text, position_scene
from bot.text import Speaker

_TABLE = 5
"""Plays that a solution tells."""
_LENGTH = 40


def question(puzzle: CrosswordPuzzle, say: Speaker) -> Question:
    """Say what is asked."""
    return Question(escape(puzzle.lexicon, MAX_NAME), _asked(puzzle, say))


def _asked(puzzle: CrosswordPuzzle, say: Speaker) -> str:
    lexicon = escape(puzzle.lexicon, MAX_NAME)
    if puzzle.family is Family.ENDGAME and Theme.ONLY_WIN in puzzle.themes:
        return say("The bag is empty, and only one play wins. Which?")
    best = say("What is the best play?")
    return {
        Family.BEST_PLAY: best,
        Family.STRATEGY: best,
        Family.ONLY_BINGO: say("There is one bingo only. Find it."),
        Family.ENDGAME: say("The bag is empty. What is the best play?"),
        Family.PRE_ENDGAME: say(
            "One tile is in the bag. Which play wins with most of the tiles that it may be?"
        ),
        Family.PHONY: say("One word on the board is not in {lexicon}. Which?", lexicon=lexicon),
        Family.HOOK: say("One letter, in front or behind, makes another word of this one. Which word?"),
    }[puzzle.family]


def card_drawing(puzzle: CrosswordPuzzle, style: Style) -> Drawing:
    """Return the picture of a puzzle; its description sets the puzzle, too."""
    say, position = style.say, puzzle.position
    return Drawing(
        position_scene(position, style), alt_text(position, say, _asked(puzzle, say)), name="puzzle"
    )


def hints(puzzle: CrosswordPuzzle, say: Speaker) -> tuple[str, ...]:
    """Return what may be told of the answer, step by step."""
    if puzzle.words:
        word = puzzle.words[0]
        return (
            say.count("It has {number} letter.", "It has {number} letters.", len(word)),
            say("It begins with {letter}.", letter=escape(word[0])),
        )
    play = puzzle.answers[0]
    if not isinstance(play, Placement):
        return ()
    tiles, start = len(tiles_used(play)), play.start
    line = (
        say("It lies in row {row}.", row=start.row + 1)
        if start.direction is Direction.ACROSS
        else say("It lies in column {column}.", column=str(start)[: -len(str(start.row + 1))])
    )
    return (
        say("It scores {points}.", points=puzzle.ranking[0].score),
        say.count("It lays down {number} tile.", "It lays down {number} tiles.", tiles),
        line,
    )


def solved_play_text(puzzle: CrosswordPuzzle, play: Play, progress: Progress, say: Speaker) -> str:
    """Say that a play is right."""
    return _solved(play_words(play, puzzle.position, say), progress, say)


def solved_word_text(word: str, progress: Progress, say: Speaker) -> str:
    """Say that a word is right."""
    return _solved(word.upper(), progress, say)


def _solved(answer: str, progress: Progress, say: Speaker) -> str:
    return say(
        "✅ **{answer}** – solved! {stars}", answer=escape(answer, _LENGTH), stars=stars_text(progress)
    )


def wrong_play_text(puzzle: CrosswordPuzzle, play: Play, judgement: Judgement, say: Speaker) -> str:
    """Say how near a play is."""
    words = escape(play_words(play, puzzle.position, say))
    one = judgement.contender
    if puzzle.family is Family.ONLY_BINGO:
        return say("❌ **{play}** is not a bingo.", play=words)
    if one is None:
        return say("❌ **{play}** is not among the best {number}.", play=words, number=len(puzzle.ranking))
    behind = _behind(puzzle, one, say)
    return say("❌ **{play}** is number {rank}: {behind}.", play=words, rank=judgement.rank, behind=behind)


def _behind(puzzle: CrosswordPuzzle, one: Contender, say: Speaker) -> str:
    best = puzzle.ranking[0]
    if puzzle.family is Family.ENDGAME or best.win == one.win:
        points = round(best.points - one.points)
        return say.count("{number} point behind the best", "{number} points behind the best", points)
    percent = say.number(100 * (best.win - one.win), ".1f")
    return say("it wins {percent} % less often than the best", percent=percent)


def wrong_word_text(word: str, say: Speaker) -> str:
    """Say that a word is not the answer."""
    return say("❌ **{word}** is not it.", word=escape(word, _LENGTH))


def solution_text(puzzle: CrosswordPuzzle, say: Speaker) -> str:
    """Say the answer, why it is the answer, and what comes next."""
    if puzzle.words:
        return say("**Solution: {answer}**", answer=escape(puzzle.words[0], _LENGTH))
    best = puzzle.ranking[0]
    answers = " / ".join(escape(play_words(play, puzzle.position, say)) for play in _distinct(puzzle.answers))
    lines = [f"{say('**Solution: {answer}**', answer=answers)} {say.number(best.score, '+d')}"]
    lines += [f"- {words}" for words in why_words(puzzle.why, say)]
    behind = [one for one in puzzle.ranking if not judge_play(puzzle, one.play).right]
    for rank, one in enumerate(behind[: _TABLE - 1], start=len(puzzle.ranking) - len(behind) + 1):
        play = escape(play_words(one.play, puzzle.position, say))
        lines.append(f"{rank}\\. {play} {say.number(one.score, '+d')}: {_behind(puzzle, one, say)}")
    return "\n".join(lines)


def _distinct(plays: tuple[Play, ...]) -> tuple[Play, ...]:
    found: dict[object, Play] = {}
    for play in plays:
        letters = (play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play
        found.setdefault(letters, play)
    return tuple(found.values())[:3]


def solution_drawing(puzzle: CrosswordPuzzle, style: Style) -> Drawing:
    """Return the picture of the answer."""
    say, position = style.say, puzzle.position
    if puzzle.words:
        return card_drawing(puzzle, style)
    play = puzzle.answers[0]
    score = puzzle.ranking[0].score
    words = one_line(play_words(play, position, say))
    scene = proposal_scene(position, play, score, style, caption=f"{words} {say.number(score, '+d')}")
    return Drawing(scene, alt_text(position, say, f"{words}."), name="solution")


MAX_WORD = 30
"""Characters of a word that is an answer."""


class CrosswordSolving(Setting[CrosswordPuzzle, "str | tuple[Play, Judgement]"]):
    """Takes plays that are worth as much as the best. Without ``means`` no words are checked."""

    def __init__(self, means: AnalysisMeans | None) -> None:
        self._means = means

    def question(self, puzzle: CrosswordPuzzle, say: Speaker) -> Question:
        """Return what is asked."""
        return question(puzzle, say)

    def drawing(self, puzzle: CrosswordPuzzle, style: Style) -> Drawing:
        """Return the board."""
        return card_drawing(puzzle, style)

    def hints(self, puzzle: CrosswordPuzzle, done: int, say: Speaker) -> tuple[str, ...]:
        """Tell the score, how many tiles, the row; of a word its length and first letter."""
        del done
        return hints(puzzle, say)

    def judge(self, puzzle: CrosswordPuzzle, done: int, typed: str) -> Verdict[str | tuple[Play, Judgement]]:
        """Judge a play of the rack whose words are in the lexicon, or a word."""
        del done
        if puzzle.words:
            word = typed.strip()[:MAX_WORD]
            right = judge_word(puzzle, word)
            return Verdict(word, right, solved=right)
        play = read_typed_play(typed, puzzle.position)
        for problem in play_problems(puzzle.position, play):
            raise problem
        judgement = judge_play(puzzle, play)
        if not judgement.right:
            self._check_words(puzzle, play)
        return Verdict((play, judgement), judgement.right, solved=judgement.right)

    def told(
        self,
        puzzle: CrosswordPuzzle,
        verdict: Verdict[str | tuple[Play, Judgement]],
        progress: Progress,
        say: Speaker,
    ) -> str:
        """Say how near a play is."""
        if isinstance(verdict.answer, str):
            if verdict.right:
                return solved_word_text(verdict.answer, progress, say)
            return wrong_word_text(verdict.answer, say)
        play, judgement = verdict.answer
        if verdict.right:
            return solved_play_text(puzzle, play, progress, say)
        return wrong_play_text(puzzle, play, judgement, say)

    def after(self, puzzle: CrosswordPuzzle, done: int, style: Style) -> None:
        """Return nothing: there is one answer only."""

    def solution(self, puzzle: CrosswordPuzzle, style: Style) -> tuple[str, Drawing]:
        """Return the answer, why it is the answer, and what comes next."""
        text = f"{solution_text(puzzle, style.say)}\n{rating_text(puzzle.rating, style.say)}"
        return text, solution_drawing(puzzle, style)

    def _check_words(self, puzzle: CrosswordPuzzle, play: Play) -> None:
        """Check that a play makes words only.

        Raises:
            RuleError: it makes a phony.
            LexiconError: the lexicon of the puzzle is not there.

        """
        if self._means is not None:
            lexica, position = self._means.lexica, puzzle.position
            lexicon = lexica.load(lexica.find(puzzle.lexicon), position.rules.distribution)
            require_words(position, play, lexicon)
