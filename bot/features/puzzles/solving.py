"""Puzzles in chat: the question, hints, answers and solutions of crossword and chess puzzles, from the library or posted files."""

from __future__ import annotations

from functools import partial

from bot.chat.card import Choice, Drawing, Style
from bot.chat.markdown import escape, escape_line, one_line
from bot.domain.chess.documents import Puzzle
from bot.domain.chess.moves import moves_by_piece
from bot.domain.chess.position import ChessPosition
from bot.domain.chess.solution import (
    Attempt,
    line_text,
    position_after,
    position_at,
    try_line,
    try_move,
    ways,
)
from bot.domain.crossword.game import tiles_used
from bot.domain.crossword.play import Direction, Placement, Play
from bot.domain.crossword.play_text import read_typed_play
from bot.domain.crossword.scoring import play_problems
from bot.domain.reading.problems import RuleError
from bot.engine.lexicon.installed import MAX_NAME
from bot.features.analysis.crossword.card import proposal_scene
from bot.features.analysis.crossword.rankings import play_words
from bot.features.analysis.crossword.request import AnalysisMeans
from bot.features.analysis.crossword.trial import require_words
from bot.features.puzzles.controls import Pick, Verdict, move_menus, solved_text
from bot.features.puzzles.crossword.document import (
    Contender,
    CrosswordPuzzle,
    Family,
    Theme,
    judge_play,
    judge_word,
)
from bot.features.puzzles.lichess import ChessPuzzle
from bot.features.puzzles.selection import Wanted
from bot.features.review.crossword.cards import why_words
from bot.features.showing.chess.board_scene import chess_scene
from bot.features.showing.chess.position import position_line
from bot.features.showing.chess.words import chess_alt_text, piece_text, squares_of
from bot.features.showing.crossword.board_scene import alt_text, position_scene
from bot.storage.puzzles import Progress
from bot.text import Speaker


def moves_of_piece(wanted: Wanted, position: ChessPosition, start: str, say: Speaker) -> tuple[Pick, ...]:
    """Return the menus of the possible moves; ``start`` is the chosen square, or piece to drop, if one is chosen."""
    found = moves_by_piece(position)
    pieces = tuple(Choice(square, _piece(square, position, say)) for square in found)
    if start not in found:
        return move_menus(wanted, pieces)
    moves = tuple(_target(uci, position, say) for uci in found[start])
    return move_menus(wanted, pieces, start, moves)


def _piece(start: str, position: ChessPosition, say: Speaker) -> str:
    if start.endswith("@"):
        return piece_text(start[0], "", 1, say).strip()
    return piece_text(_at(start, position), start, 1, say)


def _target(uci: str, position: ChessPosition, say: Speaker) -> Choice:
    square, becomes = uci[2:4], uci[4:]
    label = f"{square} = {piece_text(becomes.upper(), '', 1, say).strip()}" if becomes else square
    taken = _at(square, position)
    return Choice(uci, label, f"× {piece_text(taken, square, 1, say)}" if taken else "")


def _at(square: str, position: ChessPosition) -> str:
    """Return the capital letter of the piece on a square; empty for an empty square."""
    return position.squares[8 * (8 - int(square[1])) + ord(square[0]) - ord("a")].upper()


class ChessTask:
    """A puzzle of the library: accepts the move of the line, and every mate. ``done`` counts the solver's moves."""

    def __init__(self, puzzle: ChessPuzzle) -> None:
        self._puzzle = puzzle
        self.start = puzzle.line.start
        self.rating = puzzle.rating

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the last move."""
        return "lichess", position_line(self.position(0), say)

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board after the opponent's move."""
        return _drawing(self.position(done), style, white_below=self.position(0).white_to_move)

    def position(self, done: int) -> ChessPosition:
        """Return the position after so many right moves."""
        return position_at(self._puzzle.line, done)

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Name the square that the next move starts from, then the one it ends on."""
        moves = self._puzzle.line.moves
        return _hints(moves[min(2 * done + 1, len(moves) - 1)], say)

    def judge(self, done: int, typed: str) -> Verdict:
        """Try a move."""
        attempt = try_line(self._puzzle.line, done, typed)
        right = attempt.right is True
        return Verdict(right, partial(_comment, attempt), done + right, attempt.solved)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the line, and the board with its first move."""
        puzzle, say = self._puzzle, style.say
        answer = say("**Solution: {answer}**", answer=escape(line_text(puzzle.line)))
        return f"{answer}\n<{puzzle.url}>", _first_move_drawing(self.position(0), puzzle.line.moves[1], style)


_WAY = 256
"""More half-moves than a solution has: ``done`` counts half-moves, and so many more for each way through the solution."""
_MAX_SOLUTION = 900
"""Maximum characters of a solution on a card: escaped and with its other lines it fits into a message."""


class PostedTask:
    """A position of a posted file with its solution: accepts the moves of every way through it, and every mate."""

    rating = None

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._text = puzzle.solution_text
        self.start = puzzle.position

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return who is to move, and the description."""
        return position_line(self.start, say), _description(self._puzzle)

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board after the solution's answer."""
        return _drawing(self.position(done), style, white_below=self.start.white_to_move)

    def position(self, done: int) -> ChessPosition:
        """Return the position after the moves that are played."""
        way, played = divmod(done, _WAY)
        return position_after(self.start, self._text, played, way)

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Name the square that the next move of the way starts from, then the one it ends on."""
        way, played = divmod(done, _WAY)
        lines = ways(self.start, self._text)
        line = lines[way] if way < len(lines) else ()
        return _hints(line[played].uci, say) if played < len(line) else ()

    def judge(self, done: int, typed: str) -> Verdict:
        """Try a move; a solution made of words judges nothing."""
        way, played = divmod(done, _WAY)
        attempt = try_move(self.start, self._text, typed, played, way)
        if attempt.right is None:
            raise RuleError(
                "puzzle-words",
                "{move} is legal, but the solution is written in words and cannot be compared with it",
                move=attempt.san,
            )
        done = attempt.line * _WAY + attempt.done
        return Verdict(attempt.right, partial(_comment, attempt), done, attempt.solved)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the beginning of the solution as it was posted, and the board with its first move, if it has moves."""
        lines = ways(self.start, self._text)
        text = style.say("**Solution: {answer}**", answer=escape(self._text, _MAX_SOLUTION))
        return text, _first_move_drawing(self.start, lines[0][0].uci if lines else "", style)


def _drawing(position: ChessPosition, style: Style, *, white_below: bool) -> Drawing:
    """Return a board after the opponent's move, which is an arrow; a dropped piece is circled."""
    say, squares, lead = style.say, squares_of(position.known_move), ""
    if len(squares) == 2:
        lead = say("The last move went from {start} to {end}.", start=squares[0], end=squares[1])
        scene = chess_scene(position, style, white_below=white_below, arrows={(squares[0], squares[1]): ""})
    else:
        scene = chess_scene(position, style, white_below=white_below, circles=dict.fromkeys(squares, ""))
    return Drawing(scene, chess_alt_text(position, say, lead), name="puzzle")


def _first_move_drawing(position: ChessPosition, move: str, style: Style) -> Drawing:
    """Return the board that the solver saw first, with a move in UCI as an arrow that stands out, if there is one."""
    say, lead = style.say, ""
    if squares := squares_of(move):
        start, end = squares[0], squares[-1]
        lead = say("The best move goes from {start} to {end}.", start=start, end=end)
    scene = chess_scene(position, style, white_below=position.white_to_move, best=move)
    return Drawing(scene, chess_alt_text(position, say, lead), name="solution")


def _hints(move: str, say: Speaker) -> tuple[str, ...]:
    *start, end = squares_of(move)
    moved = tuple(say("It moves the piece on {square}.", square=square) for square in start)
    return (*moved, say("It moves to {square}.", square=end))


def _comment(attempt: Attempt, progress: Progress, say: Speaker) -> str:
    """Return the judgement of a move, with the opponent's answer."""
    san = escape(attempt.san)
    if attempt.solved:
        return solved_text(san, progress, say)
    if attempt.right:
        return say(
            "✅ {move} is right. Your opponent answers {reply}. What next?",
            move=f"**{san}**",
            reply=f"**{escape(attempt.reply)}**",
        )
    return say("❌ **{word}** is not the answer.", word=san)


def _description(puzzle: Puzzle) -> str:
    return "\n".join(escape_line(text) for text in puzzle.description if text)


_TABLE = 5
"""Plays listed with a solution."""
_MAX_ANSWERS = 3
"""Equally good plays named by a solution."""
_LENGTH = 40
MAX_WORD = 30
"""Maximum characters of a word as an answer."""


class CrosswordTask:
    """A crossword puzzle: accepts plays that are worth as much as the best. Without ``means`` no words are checked."""

    def __init__(self, puzzle: CrosswordPuzzle, means: AnalysisMeans | None) -> None:
        self._puzzle = puzzle
        self._means = means
        self.start = puzzle.position
        self.rating = puzzle.rating

    def question(self, say: Speaker) -> tuple[str, str]:
        """Return the lexicon and the question."""
        return escape(self._puzzle.lexicon, MAX_NAME), self._asks(say)

    def _asks(self, say: Speaker) -> str:
        puzzle = self._puzzle
        if puzzle.family is Family.ENDGAME and Theme.ONLY_WIN in puzzle.themes:
            return say("The bag is empty, and only one play wins. Which?")
        lexicon = escape(puzzle.lexicon, MAX_NAME)
        best = say("What is the best play?")
        return {
            Family.BEST_PLAY: best,
            Family.STRATEGY: best,
            Family.ONLY_BINGO: say("There is only one bingo. Find it."),
            Family.ENDGAME: say("The bag is empty. What is the best play?"),
            Family.PRE_ENDGAME: say(
                "One tile is in the bag. Which play wins against the most possible draws?"
            ),
            Family.PHONY: say("One word on the board is not in {lexicon}. Which?", lexicon=lexicon),
            Family.HOOK: say("One letter, in front or behind, turns this word into another. Which word?"),
        }[puzzle.family]

    def drawing(self, done: int, style: Style) -> Drawing:
        """Return the board; its description includes the question."""
        alt = alt_text(self.start, style.say, self._asks(style.say))
        return Drawing(position_scene(self.start, style), alt, name="puzzle")

    def hints(self, done: int, say: Speaker) -> tuple[str, ...]:
        """Return the score, the number of tiles and the row; for a word its length and first letter."""
        puzzle = self._puzzle
        if puzzle.words:
            word = puzzle.words[0]
            return (
                say.count("It has {number} letter.", "It has {number} letters.", len(word)),
                say("It begins with {letter}.", letter=escape(word[0])),
            )
        play = puzzle.answers[0]
        if not isinstance(play, Placement):
            return ()
        start = play.start
        line = (
            say("It lies in row {row}.", row=start.row + 1)
            if start.direction is Direction.ACROSS
            else say("It lies in column {column}.", column=str(start)[: -len(str(start.row + 1))])
        )
        return (
            say("It scores {points}.", points=puzzle.ranking[0].score),
            say.count("It places {number} tile.", "It places {number} tiles.", len(tiles_used(play))),
            line,
        )

    def judge(self, done: int, typed: str) -> Verdict:
        """Judge a word, or a play of the rack whose words are in the lexicon."""
        puzzle = self._puzzle
        if puzzle.words:
            word = typed.strip()[:MAX_WORD]
            right = judge_word(puzzle, word)
            comment = (
                partial(solved_text, escape(word.upper(), _LENGTH)) if right else partial(_wrong_word, word)
            )
            return Verdict(right, comment, solved=right)
        play = read_typed_play(typed, puzzle.position)
        for problem in play_problems(puzzle.position, play):
            raise problem
        rank, contender = judge_play(puzzle, play)
        if rank != 1 and self._means is not None:
            lexica = self._means.lexica
            lexicon = lexica.load(lexica.find(puzzle.lexicon), puzzle.position.rules.distribution)
            require_words(puzzle.position, play, lexicon)
        comment = partial(self._comment, play, rank, contender)
        return Verdict(rank == 1, comment, solved=rank == 1)

    def _comment(
        self,
        play: Play,
        rank: int | None,
        contender: Contender | None,
        progress: Progress,
        say: Speaker,
    ) -> str:
        puzzle = self._puzzle
        words = play_words(play, puzzle.position, say)
        if rank == 1:
            return solved_text(escape(words, _LENGTH), progress, say)
        words = escape(words)
        if puzzle.family is Family.ONLY_BINGO:
            return say("❌ **{play}** is not a bingo.", play=words)
        if contender is None:
            best = len(puzzle.ranking)
            return say("❌ **{play}** is not among the best {number}.", play=words, number=best)
        behind = self._behind(contender, say)
        return say("❌ **{play}** is number {rank}: {behind}.", play=words, rank=rank, behind=behind)

    def _behind(self, contender: Contender, say: Speaker) -> str:
        best = self._puzzle.ranking[0]
        if self._puzzle.family is Family.ENDGAME or best.win == contender.win:
            points = round(best.points - contender.points)
            return say.count("{number} point behind the best", "{number} points behind the best", points)
        percent = say.number(100 * (best.win - contender.win), ".1f")
        return say("it wins {percent} % less often than the best play", percent=percent)

    def solution(self, style: Style) -> tuple[str, Drawing]:
        """Return the answer, the reasons for it and the next best plays, and the board with the answer."""
        puzzle, position, say = self._puzzle, self.start, style.say
        if puzzle.words:
            text = say("**Solution: {answer}**", answer=escape(puzzle.words[0], _LENGTH))
            return text, self.drawing(0, style)
        best = puzzle.ranking[0]
        answers = " / ".join(escape(play_words(play, position, say)) for play in _distinct(puzzle.answers))
        lines = [f"{say('**Solution: {answer}**', answer=answers)} {say.number(best.score, '+d')}"]
        lines += [f"- {words}" for words in why_words(puzzle.why, say)]
        behind = [contender for contender in puzzle.ranking if judge_play(puzzle, contender.play)[0] != 1]
        for rank, contender in enumerate(behind[: _TABLE - 1], start=len(puzzle.ranking) - len(behind) + 1):
            play = escape(play_words(contender.play, position, say))
            lines.append(
                f"{rank}\\. {play} {say.number(contender.score, '+d')}: {self._behind(contender, say)}"
            )
        words = one_line(play_words(puzzle.answers[0], position, say))
        caption = f"{words} {say.number(best.score, '+d')}"
        scene = proposal_scene(position, puzzle.answers[0], best.score, style, caption=caption)
        return "\n".join(lines), Drawing(scene, alt_text(position, say, f"{words}."), name="solution")


def _wrong_word(word: str, _progress: Progress, say: Speaker) -> str:
    return say("❌ **{word}** is not the answer.", word=escape(word, _LENGTH))


def _distinct(plays: tuple[Play, ...]) -> tuple[Play, ...]:
    """Return plays that differ in more than which tile is a blank."""
    found: dict[object, Play] = {}
    for play in plays:
        letters = (play.start, tuple(map(abs, play.tiles))) if isinstance(play, Placement) else play
        found.setdefault(letters, play)
    return tuple(found.values())[:_MAX_ANSWERS]
