"""The controls of analyses and of tried plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import NoAnswerError
from bot.chat.control import (
    Button,
    Field,
    Form,
    LexiconName,
    Menu,
    OfMoment,
    Part,
    Service,
    control,
    number_part,
)
from bot.chat.moment import Choice
from bot.chat.page import MAX_CHOICES
from bot.domain.crossword.play_text import MAX_TYPED
from bot.engine.analysis import DEFAULT_PLIES
from bot.features.analysis.crossword.request import Method
from bot.features.analysis.question import LONGER_SECONDS, AnalysisQuestion, Way

if TYPE_CHECKING:
    from bot.chat.card import Card
    from bot.chat.control import Control
    from bot.chat.press import Press
    from bot.chat.style import Style
    from bot.features.analysis.chess.engine import ChessAnalyses
    from bot.features.analysis.fairness import Fairness
    from bot.features.analysis.finder import PositionFinder
    from bot.features.analysis.means import AnalysisMeans
    from bot.features.analysis.service import Analyses
    from bot.features.analysis.trials import Trials
    from bot.features.analysis.words import WordQuestions
    from bot.text import Speaker

ANALYSES: Service[Analyses] = Service("analyses")
ENGINE: Service[ChessAnalyses] = Service("engine")
TRIALS: Service[Trials] = Service("trials")
WORDS: Service[WordQuestions] = Service("words")
FINDER: Service[PositionFinder] = Service("finder")
FAIRNESS: Service[Fairness] = Service("fairness")
MEANS: Service[AnalysisMeans] = Service("means")

DEEPER: Final = 4
"""Turns that a simulation plays on when a longer look ahead is asked for."""

_MAGNIFIER: Final = "\N{LEFT-POINTING MAGNIFYING GLASS}"
_DIE: Final = "\N{GAME DIE}"
_PLIES, _TURN = "plies:", "turn:"


def _read_way(text: str) -> Way:
    plies = text.strip(":ia")
    return Way(int(plies) if plies else DEFAULT_PLIES, "i" in text, "a" in text)


def _write_way(way: Way) -> str:
    plies = "" if way.plies == DEFAULT_PLIES else str(way.plies)
    text = f"{plies}{'i' if way.infer else ''}{'a' if way.all else ''}"
    return f":{text}" if text else ""


_AnyMethod = Annotated[Method, Part("equity|simulation|solution", Method)]
_Way = Annotated[Way, Part("(?::(?:[1345]i?a?|ia?|a))?", _read_way, _write_way)]


@control("analyze:{moment}:{lexicon}")
class Analyze(OfMoment):
    """Answers with the best plays of a position, to the presser alone: others may still want to think."""

    lexicon: LexiconName = ""
    number: int | None = None
    """Which of several positions it is."""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(_analyze_label(self.number, say), _MAGNIFIER)

    async def act(self, press: Press) -> None:
        """Answer in private."""
        analyses = await press.need(ANALYSES)
        await press.private(lambda style: analyses.best(AnalysisQuestion(self.moment, style, self.lexicon)))


@control("engine:{moment}:{seconds}")
class AskEngine(OfMoment):
    """Answers with the evaluation of the host's chess engine, to the presser alone."""

    seconds: Annotated[int, number_part(2)] = 0
    """How long it thinks; 0 for the usual time."""
    number: int | None = None
    """Which of several positions it is."""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button; without seconds it is the one under a position."""
        if not self.seconds:
            return Button(_analyze_label(self.number, say), _MAGNIFIER)
        label = say.count("Think for {number} second", "Think for {number} seconds", self.seconds)
        return Button(label, _MAGNIFIER)

    async def act(self, press: Press) -> None:
        """Answer in private."""
        engine = press.find(ENGINE)
        if engine is None:
            say = await press.say()
            raise NoAnswerError.saying(say("No chess engine is installed where this bot runs."))
        await press.keep(self)
        seconds = self.seconds or None
        await press.private(lambda style: engine.analyze(self.moment, press.asker, style, seconds=seconds))


def _analyze_label(number: int | None, say: Speaker) -> str:
    return say("Analyze") if number is None else say("Analyze {number}", number=number)


@dataclass(frozen=True, slots=True)
class _OfRanking(OfMoment):
    """A control under a ranking of plays."""

    method: _AnyMethod
    lexicon: LexiconName
    way: _Way = field(default_factory=Way)

    def question(self, style: Style) -> AnalysisQuestion:
        """Return what is asked."""
        return AnalysisQuestion(self.moment, style, self.lexicon, way=self.way)


@control("ranked:{method}:{moment}:{lexicon}{way}")
class Plays(_OfRanking):
    """The menu of the plays of a ranking, to be shown on the board."""

    choices: tuple[Choice, ...] = ()
    shown: int = 0

    def face(self, say: Speaker, *, private: bool) -> Menu:
        """Return the menu."""
        return Menu(say("Show a play on the board"), self.choices, str(self.shown))

    async def act(self, press: Press) -> None:
        """Show the chosen play."""
        analyses, shown = await press.need(ANALYSES), int(press.value)
        await press.change(
            lambda style: analyses.best(replace(self.question(style), shown=shown), self.method)
        )


@control("lexicon:{moment}")
class Lexica(OfMoment):
    """The menu of the lexica to analyze by, where the wanted one is not installed; the first is the one used."""

    lexica: tuple[str, ...] = ()

    def face(self, say: Speaker, *, private: bool) -> Menu:
        """Return the menu."""
        choices = tuple(Choice(name, name) for name in self.lexica[:MAX_CHOICES])
        return Menu(say("Another lexicon"), choices, self.lexica[0])

    async def act(self, press: Press) -> None:
        """Rank the plays by the chosen lexicon."""
        analyses = await press.need(ANALYSES)
        await press.change(lambda style: analyses.best(AnalysisQuestion(self.moment, style, press.value)))


@control("rows:{method}:{moment}:{lexicon}{way}:{shown}")
class Rows(_OfRanking):
    """Lists all plays, or the best alone: as its way says."""

    shown: Annotated[int, number_part(2)] = 0

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("More plays") if self.way.all else say("Fewer plays"))

    async def act(self, press: Press) -> None:
        """Show the same ranking."""
        analyses = await press.need(ANALYSES)
        await press.change(
            lambda style: analyses.best(replace(self.question(style), shown=self.shown), self.method)
        )


@control("ways:{method}:{moment}:{lexicon}{way}")
class Ways(_OfRanking):
    """The menu of other questions: a longer look ahead, the turns around."""

    can_be_simulated: bool = False
    turns: tuple[int, ...] = ()
    """Other turns to judge, as numbers of turns taken before them."""

    def face(self, say: Speaker, *, private: bool) -> Menu | None:
        """Return the menu; None where there is nothing else to ask."""
        choices = [Choice(f"{_TURN}{turn}", say("Judge turn {turn}", turn=turn + 1)) for turn in self.turns]
        if self.can_be_simulated and self.way.plies != DEEPER:
            choices.insert(
                0, Choice(f"{_PLIES}{DEEPER}", say("Simulate {number} turns ahead", number=DEEPER))
            )
        return Menu(say("Ask something else"), tuple(choices)) if choices else None

    async def act(self, press: Press) -> None:
        """Find out what was chosen."""
        if press.value.startswith(_PLIES):
            way = replace(self.way, plies=DEEPER)
            await Deepen(self.moment, Method.SIMULATION, self.lexicon, way).act(press)
            return
        analyses = await press.need(ANALYSES)
        moment = replace(self.moment, turn=int(press.value.removeprefix(_TURN)))
        await press.change(lambda style: analyses.best(AnalysisQuestion(moment, style, self.lexicon)))


@control("deepen:{method}:{moment}:{lexicon}{way}")
class Deepen(_OfRanking):
    """Compares plays in a way that takes longer; the message shows the progress, with a button to stop it."""

    method: Annotated[Method, Part("simulation|solution", Method)]

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        if self.method is Method.SOLUTION:
            return Button(say("Solve"), "\N{TRIANGULAR RULER}")
        if self.way.infer:
            return Button(say("Infer"), "\N{SLEUTH OR SPY}\ufe0f")
        return Button(say("Simulate"), _DIE)

    async def act(self, press: Press) -> None:
        """Compute for as long as is usual."""
        await _deepen(press, self)


@control("longer:{method}:{moment}:{lexicon}{way}")
class Longer(_OfRanking):
    """Goes on with a simulation."""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("{seconds} s more", seconds=round(LONGER_SECONDS)), _DIE)

    async def act(self, press: Press) -> None:
        """Go on for as long as the label says."""
        await _deepen(press, self)


async def _deepen(press: Press, asked: Deepen | Longer) -> None:
    analyses, method, longer = await press.need(ANALYSES), asked.method, isinstance(asked, Longer)

    async def answer(style: Style) -> Card:
        question = asked.question(style)
        if not longer and (known := await analyses.answer_kept(question, method)):
            return known
        running = await analyses.start(question, method, press.asker, longer=longer)
        reply = await press.follow(running, style.say)
        if reply.found:
            return reply
        # The ranking gave way to the progress; it comes back.
        await press.tell(reply.text)
        return await analyses.best(question, method if longer else Method.EQUITY)

    await press.keep(asked, in_place=True)
    await press.change(answer)


@control("post:{method}:{moment}:{lexicon}{way}:{shown}")
class Post(_OfRanking):
    """Posts a ranking to its channel, in the name of the asker; once. It is hidden where the moment says so."""

    shown: Annotated[int, number_part(2)] = 0

    def face(self, say: Speaker, *, private: bool) -> Button | None:
        """Return the button; only what one person sees can be posted."""
        if not private:
            return None
        if self.moment.spoiler:
            return Button(say("Post hidden"), "\N{SEE-NO-EVIL MONKEY}")
        return Button(say("Post to channel"), "\N{PUBLIC ADDRESS LOUDSPEAKER}")

    async def act(self, press: Press) -> None:
        """Post it as the server wants to see answers, unless the presser may not write there."""
        analyses = await press.need(ANALYSES)

        async def answer(style: Style) -> Card:
            question = replace(self.question(style), shown=self.shown, poster=press.name)
            return await analyses.best(question, self.method)

        await press.post(answer, lambda other: isinstance(other, Post))


@control("try:{moment}:{lexicon}")
class Try(OfMoment):
    """Asks for a play, or a move of chess, and shows what it would come to, to the presser alone."""

    lexicon: LexiconName = ""

    def face(self, say: Speaker, *, private: bool) -> Button:
        """Return the button."""
        return Button(say("What if …"), "\N{THINKING FACE}")

    async def act(self, press: Press) -> None:
        """Open the form."""
        say = await press.say()
        field = Field(
            "play",
            say("Your play"),
            placeholder="8H QUIZ, H8 Q.IZ, -ABC, pass, Nf3, e2e4 …",
            max_length=MAX_TYPED,
        )
        await press.ask(Form(say("What would you play?"), (field,), self._submit))

    async def _submit(self, press: Press, typed: Mapping[str, str]) -> None:
        trials, play = await press.need(TRIALS), typed["play"]
        await press.keep(self)
        await press.private(
            lambda style: trials.try_play(self.moment, play, style, press.asker, lexicon=self.lexicon)
        )


def ranking_controls(
    plays: Plays,
    *,
    lexica: tuple[str, ...],
    ways: Ways,
    can_infer: bool,
    can_be_solved: bool,
    has_more: bool,
    may_be_posted: bool,
) -> tuple[Control, ...]:
    """Return the controls under a ranking.

    ``lexica`` are those to choose from where the wanted one is not installed. ``has_more`` says that there are plays which the
    table leaves out, or would leave out if it were not to have all.
    """
    moment, method, lexicon, way = plays.moment, plays.method, plays.lexicon, plays.way
    controls: list[Control] = [plays]
    if len(lexica) > 1:
        controls.append(Lexica(moment, lexica))
    controls.append(ways)
    if method is Method.SIMULATION:
        controls.append(Longer(moment, method, lexicon, way))
    elif ways.can_be_simulated:
        controls.append(Deepen(moment, Method.SIMULATION, lexicon, replace(way, infer=False)))
    if can_infer and not way.infer:
        controls.append(Deepen(moment, Method.SIMULATION, lexicon, replace(way, infer=True)))
    if can_be_solved and method is not Method.SOLUTION:
        controls.append(Deepen(moment, Method.SOLUTION, lexicon, way))
    if has_more:
        controls.append(Rows(moment, method, lexicon, replace(way, all=not way.all), plays.shown))
    controls.append(Try(moment, lexicon))
    if may_be_posted:
        moments = (moment,) if moment.spoiler else (moment, replace(moment, spoiler=True))
        controls += (Post(shown, method, lexicon, way, plays.shown) for shown in moments)
    return tuple(controls)
