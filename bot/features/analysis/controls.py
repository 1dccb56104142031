"""The buttons and menus that analyze positions and try plays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Final

from bot.chat.card import (
    Card,
    Choice,
    Moment,
    ReplyContext,
)
from bot.chat.control import (
    Button,
    Control,
    Field,
    Form,
    IdPart,
    LexiconName,
    Menu,
    MomentControl,
    ServiceKey,
    control,
    number_part,
)
from bot.domain.chess.documents import BookSource
from bot.domain.crossword.game import Game, is_rack_known, moment_before
from bot.domain.crossword.play_text import MAX_PLAY_LENGTH
from bot.domain.crossword.position import Position
from bot.domain.notations import is_chess
from bot.domain.reading.problems import Phrase
from bot.engine.analysis import DEFAULT_PLIES, DEFAULT_SECONDS, AnalysisOptions
from bot.features.analysis.crossword.request import (
    AnalysisResources,
    Method,
)
from bot.features.showing.chess.position import position_of_moment
from bot.features.showing.findings import FoundDocument

if TYPE_CHECKING:
    from bot.chat.press import Press
    from bot.features.analysis.chess import ChessAnalysisService
    from bot.features.analysis.fairness import Fairness
    from bot.features.analysis.service import AnalysisService
    from bot.features.analysis.trials import TrialService
    from bot.features.analysis.words import WordLookup
    from bot.text import Translator

ANALYSES: ServiceKey[AnalysisService] = ServiceKey("analyses")
CHESS_ANALYSES: ServiceKey[ChessAnalysisService] = ServiceKey(
    "engine", Phrase("This bot has no chess engine.")
)
TRIALS: ServiceKey[TrialService] = ServiceKey("trials")
WORDS: ServiceKey[WordLookup] = ServiceKey("words")
FAIRNESS: ServiceKey[Fairness] = ServiceKey("fairness")
RESOURCES: ServiceKey[AnalysisResources] = ServiceKey("analysis_resources")

DEEPER_PLIES: Final = 4
MORE_SIMULATION_SECONDS: Final = 30.0
MORE_SOLVING_SECONDS: Final = DEFAULT_SECONDS

_MAGNIFIER: Final = "\N{LEFT-POINTING MAGNIFYING GLASS}"
_DICE_EMOJI: Final = "\N{GAME DIE}"
_RULER: Final = "\N{TRIANGULAR RULER}"
_PLIES_PREFIX, _TURN_PREFIX = "plies:", "turn:"
"""Prefixes of the values in :class:`OldAnalysisMenu`."""


@dataclass(frozen=True, slots=True)
class AnalysisDetails:
    """The options of an analysis, except its method."""

    plies: int = DEFAULT_PLIES
    """Turns that a simulation looks ahead."""
    infer: bool = False
    """Whether a simulation infers the opponent's tiles."""
    has_long_table: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisQuery:
    """A user's request to analyze a position."""

    moment: Moment
    context: ReplyContext = field(default_factory=ReplyContext)
    lexicon: str = ""
    """If empty, the position's lexicon or a preferred lexicon is used."""
    seconds: float = field(default_factory=lambda: AnalysisOptions().seconds)
    rank: int = 0
    """The rank of the play that the board shows, counted from 0."""
    may_be_in_progress: bool = False
    """Whether the game may still be in progress, even if the stored position does not show this."""
    details: AnalysisDetails = field(default_factory=AnalysisDetails)
    poster: str = ""
    """The name of the user who posts the reply to a channel, if any."""


def _decode_details(text: str) -> AnalysisDetails:
    plies = text.strip(":ia")
    return AnalysisDetails(int(plies) if plies else DEFAULT_PLIES, "i" in text, "a" in text)


def _encode_details(details: AnalysisDetails) -> str:
    """Return text for an id, such as ``:4ia``. It is empty for the default details."""
    plies = "" if details.plies == DEFAULT_PLIES else str(details.plies)
    text = f"{plies}{'i' if details.infer else ''}{'a' if details.has_long_table else ''}"
    return f":{text}" if text else ""


_AnyMethod = Annotated[Method, IdPart("equity|simulation|solution", Method)]
_Rank = Annotated[int, number_part(2)]


@control("analyze:{moment}:{lexicon}")
class Analyze(MomentControl):
    """Ranks plays. Replies privately, because other users may still want to find the plays."""

    lexicon: LexiconName = ""
    number: int | None = None
    """The position's number if the card shows several."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        return _analyze_button(self.number, translate)

    async def act(self, press: Press) -> None:
        analyses = await press.require_service(ANALYSES)
        await press.reply_privately(
            lambda context: analyses.make_ranking_card(AnalysisQuery(self.moment, context, self.lexicon))
        )


@control("judge:{moment}:{lexicon}")
class SwitchAnalysis(MomentControl):
    """Analyzes another turn of the game, or uses another lexicon."""

    lexicon: LexiconName
    names_lexicon: bool = False
    """Whether the button names the lexicon instead of the turn."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.names_lexicon:
            return Button(translate("Use {lexicon}", lexicon=self.lexicon), "\N{OPEN BOOK}")
        return Button(translate("Analyze turn {turn}", turn=self.moment.turn + 1), _MAGNIFIER)

    async def act(self, press: Press) -> None:
        analyses = await press.require_service(ANALYSES)
        await press.replace_card(
            lambda context: analyses.make_ranking_card(AnalysisQuery(self.moment, context, self.lexicon))
        )


@control("engine:{moment}:{seconds}")
class AskEngine(MomentControl):
    """Asks the chess engine to evaluate a position, and shows the result privately."""

    seconds: Annotated[int, number_part(2)] = 0
    """Thinking time, or 0 for the default."""
    number: int | None = None
    """The position's number if the card shows several."""

    def face(self, translate: Translator, *, private: bool) -> Button:
        if not self.seconds:
            return _analyze_button(self.number, translate)
        return Button(
            translate.plural("Think for {number} second", "Think for {number} seconds", self.seconds),
            _MAGNIFIER,
        )

    async def act(self, press: Press) -> None:
        chess_analyses = await press.require_service(CHESS_ANALYSES)
        await press.save_unfinished(self)
        await press.reply_privately(
            lambda context: chess_analyses.analyze(
                self.moment, press.requester, context, seconds=self.seconds
            )
        )


@lru_cache(maxsize=64)
def _analyze_button(number: int | None, translate: Translator) -> Button:
    """Return a button. If ``number`` is given, it is the whole label, because the buttons for several positions share a row."""
    return Button(translate("Analyze") if number is None else str(number), _MAGNIFIER)


@dataclass(frozen=True, slots=True)
class _RankingControl(MomentControl):
    method: _AnyMethod
    lexicon: LexiconName
    details: Annotated[
        AnalysisDetails, IdPart("(?::(?:[1345]i?a?|ia?|a))?", _decode_details, _encode_details)
    ] = field(default_factory=AnalysisDetails)

    def query(self, context: ReplyContext) -> AnalysisQuery:
        return AnalysisQuery(self.moment, context, self.lexicon, details=self.details)

    async def show_play(self, press: Press, rank: int) -> None:
        analyses = await press.require_service(ANALYSES)
        await press.replace_card(
            lambda context: analyses.make_ranking_card(replace(self.query(context), rank=rank), self.method)
        )


@control("ranked:{method}:{moment}:{lexicon}{details}")
class PlayMenu(_RankingControl):
    """The menu of ranked plays."""

    choices: tuple[Choice, ...] = ()
    rank: int = 0

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(translate("Show another play"), self.choices, str(self.rank))

    async def act(self, press: Press) -> None:
        await self.show_play(press, int(press.value))


@control("lexicon:{moment}")
class OldLexiconMenu(MomentControl):
    """A menu in messages from before version 1.0. It has no face, because new cards do not have this menu."""

    async def act(self, press: Press) -> None:
        await SwitchAnalysis(self.moment, press.value).act(press)


@control("rows:{method}:{moment}:{lexicon}{details}:{rank}")
class ChangeTableLength(_RankingControl):
    """Shows a longer or shorter table. ``details`` describe the new table."""

    rank: _Rank = 0

    def face(self, translate: Translator, *, private: bool) -> Button:
        return Button(translate("More plays") if self.details.has_long_table else translate("Fewer plays"))

    async def act(self, press: Press) -> None:
        await self.show_play(press, self.rank)


@control("ways:{method}:{moment}:{lexicon}{details}")
class OldAnalysisMenu(_RankingControl):
    """A menu in messages from before version 1.0. It has no face, like :class:`OldLexiconMenu`."""

    async def act(self, press: Press) -> None:
        if press.value.startswith(_PLIES_PREFIX):
            details = replace(self.details, plies=DEEPER_PLIES)
            await Deepen(self.moment, Method.SIMULATION, self.lexicon, details).act(press)
        else:
            turn = int(press.value.removeprefix(_TURN_PREFIX))
            await SwitchAnalysis(replace(self.moment, turn=turn), self.lexicon).act(press)


@control("deepen:{method}:{moment}:{lexicon}{details}")
class Deepen(_RankingControl):
    """Compares plays with a slower method, and shows the progress."""

    method: Annotated[Method, IdPart("simulation|solution", Method)]

    def face(self, translate: Translator, *, private: bool) -> Button:
        if self.method is Method.SOLUTION:
            return Button(translate("Solve"), _RULER)
        if self.details.infer:
            return Button(translate("Infer"), "\N{SLEUTH OR SPY}\ufe0f")
        if self.details.plies == DEEPER_PLIES:
            return Button(translate("Simulate {number} turns ahead", number=DEEPER_PLIES), _DICE_EMOJI)
        return Button(translate("Simulate"), _DICE_EMOJI)

    async def act(self, press: Press) -> None:
        analyses, more_time = await press.require_service(ANALYSES), isinstance(self, MoreTime)

        async def make_card(context: ReplyContext) -> Card:
            query = self.query(context)
            if not more_time and (stored_card := await analyses.find_stored_card(query, self.method)):
                return stored_card
            work = await analyses.start(query, self.method, press.requester, more_time=more_time)
            reply = await press.await_long_task(work, context.translate)
            if reply.has_result:
                return reply
            # The progress replaced the ranking, so show the ranking again.
            await press.send_text(reply.text)
            return await analyses.make_ranking_card(query, self.method if more_time else Method.EQUITY)

        await press.save_unfinished(self, in_place=True)
        await press.replace_card(make_card)


@control("longer:{method}:{moment}:{lexicon}{details}")
class MoreTime(Deepen):
    """Continues a simulation, or solves a position again with more time."""

    method: _AnyMethod

    def face(self, translate: Translator, *, private: bool) -> Button:
        seconds, emoji = (
            (MORE_SOLVING_SECONDS, _RULER)
            if self.method is Method.SOLUTION
            else (MORE_SIMULATION_SECONDS, _DICE_EMOJI)
        )
        return Button(translate("{seconds} s more", seconds=round(seconds)), emoji)


@control("post:{method}:{moment}:{lexicon}{details}:{rank}")
class PostRanking(_RankingControl):
    """Posts a private ranking to the channel, hidden if the moment is a spoiler. Works only once."""

    rank: _Rank = 0

    def face(self, translate: Translator, *, private: bool) -> Button | None:
        if not private:
            return None
        if self.moment.spoiler:
            return Button(translate("Post hidden"), "\N{SEE-NO-EVIL MONKEY}")
        return Button(translate("Post"), "\N{PUBLIC ADDRESS LOUDSPEAKER}")

    async def act(self, press: Press) -> None:
        analyses = await press.require_service(ANALYSES)
        await press.post(
            lambda context: analyses.make_ranking_card(
                replace(self.query(context), rank=self.rank, poster=press.display_name), self.method
            ),
            lambda other: isinstance(other, PostRanking),
        )


def play_form(
    title: str,
    submit: Callable[[Press, Mapping[str, str]], Awaitable[None]],
    translate: Translator,
    examples: str = "8H QUIZ, QUIZ, -AEI, pass, Nf3, e2e4 …",
) -> Form:
    """Return a form that asks for one play. The text is submitted under the name ``play``."""
    play = Field("play", translate("Your play"), placeholder=examples, max_length=MAX_PLAY_LENGTH)
    return Form(title, (play,), submit)


@control("try:{moment}:{lexicon}")
class TryPlay(MomentControl):
    """Opens a form for a play or move, and privately shows what the play or move is worth."""

    lexicon: LexiconName = ""

    button = Button(Phrase("What if …"), "\N{THINKING FACE}")

    async def act(self, press: Press) -> None:
        translate = await press.translator()
        await press.open_form(play_form(translate("What would you play?"), self._submit, translate))

    async def _submit(self, press: Press, values: Mapping[str, str]) -> None:
        await press.save_unfinished(self)
        await press.reply_privately(
            lambda context: press.bot.services[TRIALS].try_play(
                self.moment, values["play"], context, press.requester, lexicon=self.lexicon
            )
        )


@control("suggest:{moment}:{lexicon}")
class SuggestionMenu(MomentControl):
    """The menu of plays that the user may have meant."""

    lexicon: LexiconName
    choices: tuple[Choice, ...] = ()

    def face(self, translate: Translator, *, private: bool) -> Menu:
        return Menu(translate("Choose a play"), self.choices)

    async def act(self, press: Press) -> None:
        public = not (press.message.flags.ephemeral or press.interaction.context.dm_channel)
        await press.replace_card(
            lambda context: press.bot.services[TRIALS].try_play(
                self.moment, press.value, context, press.requester, lexicon=self.lexicon, public=public
            )
        )


def analysis_controls(
    found: FoundDocument, moment: Moment, number: int | None = None, *, has_lexica: bool, has_engine: bool
) -> tuple[Control, ...]:
    """Return a position's controls, if any. If the card shows several positions, return at most one control, labelled with ``number``."""
    document = found.document
    if found.is_in_progress:
        return ()
    if is_chess(document):
        if not has_engine or isinstance(document, BookSource) or position_of_moment(document, moment).is_over:
            return ()
        return (AskEngine(moment, number=number),)
    if isinstance(document, Game):
        return _turn_controls(document, moment) if has_lexica and document.turns else ()
    if not has_lexica or not can_be_analyzed(found.position):
        return ()
    return (Analyze(moment, number=number), *((TryPlay(moment),) if number is None else ()))


def can_be_analyzed(position: Position) -> bool:
    return not position.is_over and bool(position.players[position.on_turn].rack)


def _turn_controls(game: Game, moment: Moment) -> tuple[Control, ...]:
    """Return controls that analyze the previous turn and try a play in the current position.

    The current position is analyzed instead if the previous rack is unknown, or if this is the latest position of an unfinished game
    and the rack of the player to move is known. If the game is over, the play is tried in the position before the last turn.
    """
    position = game.position_at(moment.turn)
    previous_turn = moment_before(game, moment.turn)
    previous_moment = moment if previous_turn is None else replace(moment, turn=previous_turn)
    can_analyze_latest = moment.turn == len(game.turns) and can_be_analyzed(position)
    judged_moment = (
        previous_moment if not can_analyze_latest and is_rack_known(game, previous_moment.turn) else moment
    )
    analyze = (Analyze(judged_moment),) if can_be_analyzed(game.position_at(judged_moment.turn)) else ()
    return (*analyze, TryPlay(previous_moment if position.is_over else moment))
