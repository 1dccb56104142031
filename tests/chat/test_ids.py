"""The grammar of ``custom_id``: controls are read back from their ids, and the ids of released versions still work."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, strategies as st

from bot.app.run import FEATURES
from bot.chat.card import Moment, ReplyContext
from bot.chat.control import CLASS_BY_WORD, MAX_ID_LENGTH, Control, DeleteReply, MoreMenu, control_from_id
from bot.chat.items import dynamic_item_class
from bot.chat.press import StopWork
from bot.features.analysis import controls as analysis
from bot.features.analysis.controls import AnalysisDetails, TryPlay
from bot.features.analysis.crossword.request import Method
from bot.features.live.seats import SeatButton
from bot.features.polls import controls as polls
from bot.features.puzzles import controls as puzzles
from bot.features.puzzles.own_mistakes import NextMistake
from bot.features.puzzles.selection import PuzzleLevel
from bot.features.review import controls as reviews
from bot.features.review.values import Depth, ReviewQuery
from bot.features.settings import controls as preferences, help as help_cards
from bot.features.showing import controls as showing
from bot.features.showing.chess import books
from bot.features.showing.correction import CheckPicture
from bot.features.showing.pace import Pace

LETTERS_AND_DIGITS = string.ascii_letters + string.digits
DIGESTS = st.text(LETTERS_AND_DIGITS + "_-", min_size=22, max_size=22)
USER_IDS = st.integers(0, (1 << 64) - 1)
MARKS = st.text("0123456789abcdef", min_size=8, max_size=8)
MOMENTS = st.builds(Moment, DIGESTS, st.integers(0, 9_999), st.none() | st.integers(0, 7), st.booleans())
BOOK_POSITION_PARTS = (DIGESTS, DIGESTS, st.booleans())
LEXICA = st.text(LETTERS_AND_DIGITS + "._-", max_size=32)
DETAILS = st.builds(AnalysisDetails, st.sampled_from([1, 2, 3, 4, 5]), st.booleans(), st.booleans())
RANKING_PARTS = (MOMENTS, st.sampled_from(Method), LEXICA, DETAILS)
RANKS = st.integers(0, 24)
PUZZLES = st.text(LETTERS_AND_DIGITS, max_size=16) | st.builds(
    lambda moment: f"{moment.digest}.{moment.turn}", MOMENTS
)
PUZZLE_CHOICE_PARTS = (
    st.sampled_from(PuzzleLevel),
    st.just("") | st.text(LETTERS_AND_DIGITS + "-", min_size=1, max_size=23).map("x{}".format),
)
GAMES = st.sampled_from(["crossword", "chess"])
OWNERS = st.sampled_from(["server", "me"])
PARTS = {
    showing.StepButton: (MOMENTS, st.sampled_from("fpnlx")),
    showing.TurnMenu: (MOMENTS,),
    showing.GoTo: (MOMENTS,),
    showing.OtherNotationMenu: (MOMENTS,),
    showing.OtherView: (MOMENTS, st.sampled_from(["replay", "chart", "private", "side:0", "side:w"])),
    showing.DocumentMenu: (MOMENTS,),
    showing.OpenFromOldMessage: (MOMENTS,),
    showing.LinkedGameMenu: (
        st.text(string.ascii_lowercase + string.digits + "-", min_size=8, max_size=36),
        st.booleans(),
    ),
    showing.CopyPosition: (MOMENTS,),
    showing.ShareReply: (MOMENTS,),
    showing.ReplayButton: (MOMENTS, st.sampled_from(Pace), st.sampled_from(["me", "all"])),
    analysis.Analyze: (MOMENTS, LEXICA),
    analysis.SwitchAnalysis: (MOMENTS, LEXICA),
    analysis.SuggestionMenu: (MOMENTS, LEXICA),
    analysis.OldLexiconMenu: (MOMENTS,),
    analysis.PlayMenu: RANKING_PARTS,
    analysis.ChangeTableLength: (*RANKING_PARTS, RANKS),
    analysis.PostRanking: (*RANKING_PARTS, RANKS),
    analysis.MoreTime: RANKING_PARTS,
    analysis.OldAnalysisMenu: RANKING_PARTS,
    TryPlay: (MOMENTS, LEXICA),
    analysis.Deepen: (MOMENTS, st.sampled_from([Method.SIMULATION, Method.SOLUTION]), LEXICA, DETAILS),
    reviews.ReviewGame: (MOMENTS, st.sampled_from(Depth)),
    reviews.JudgedTurnButton: (MOMENTS, st.sampled_from(Depth), LEXICA, st.sampled_from("kpn")),
    reviews.JudgedTurnMenu: (MOMENTS, st.sampled_from(Depth), LEXICA),
    reviews.ShareReview: (MOMENTS, st.sampled_from(Depth), LEXICA, st.sampled_from(["squares", "card"])),
    polls.StartPoll: (MOMENTS,),
    polls.PollAction: (st.sampled_from("pr"),),
    polls.LookAnyway: (st.integers(0, 10**20 - 1),),
    puzzles.PuzzleButton: (GAMES, PUZZLES, st.sampled_from("ahsnm"), *PUZZLE_CHOICE_PARTS),
    puzzles.MoveMenu: (PUZZLES, st.sampled_from(["", "e2", "N@"]), st.integers(0, 9), *PUZZLE_CHOICE_PARTS),
    puzzles.DailyButton: (GAMES, st.integers(0, 99_999), st.sampled_from("bsm")),
    reviews.LessonButton: (
        MOMENTS,
        st.sampled_from(Depth),
        LEXICA,
        st.sampled_from("wcahspn"),
        st.text("01234shx", max_size=12),
        st.booleans(),
    ),
    NextMistake: (st.sampled_from(["crossword", "chess", "all"]),),
    reviews.GameMenu: (st.integers(0, 99), LEXICA),
    reviews.ReviewGamesAgain: (st.integers(0, 99), LEXICA),
    reviews.ChangePlayerNames: (st.integers(0, 99), LEXICA, st.sampled_from(Depth)),
    reviews.PlayerNameMenu: (st.integers(0, 99), LEXICA, st.sampled_from(Depth)),
    StopWork: (USER_IDS,),
    MoreMenu: (),
    analysis.AskEngine: (MOMENTS, st.integers(0, 99)),
    puzzles.SolveFromOldMessage: (MOMENTS, st.integers(0, 999), st.integers(0, 999)),
    CheckPicture: (MOMENTS, st.sampled_from("rc")),
    books.KnownMoveMenu: BOOK_POSITION_PARTS,
    books.TakeBack: BOOK_POSITION_PARTS,
    showing.NotationMenu: (DIGESTS,),
    DeleteReply: (USER_IDS, st.just("") | MARKS),
    SeatButton: (
        st.integers(0, 9_999_999_999),
        st.sampled_from(["ok", "out"]) | st.integers(0, 99).map(str),
        MARKS,
    ),
    preferences.OldSettingMenu: (
        OWNERS,
        st.sampled_from(["mode", "theme", "layout", "coordinates", "language", "turns"]),
    ),
    preferences.SettingsForm: (OWNERS, st.sampled_from(["answers", "looks", "daily"])),
    help_cards.ShowExample: (st.text(string.ascii_lowercase + "-", min_size=1, max_size=20),),
    help_cards.DeleteData: (USER_IDS,),
    help_cards.HelpPage: (st.sampled_from(["jobs", "manual"]),),
    help_cards.ChooseWelcomeMode: (USER_IDS, st.sampled_from(["auto", "on_request"])),
}
"""Strategies for the parts of a control, by the control's class."""
CONTROLS = {kind: st.builds(kind, *parts) for kind, parts in PARTS.items()}

DIGEST, MOVES = "dGhlIGRpZ2VzdCBvZiBhIG", "aGUgd2F5_dGhyb3VnaC1hI"
START, HIDDEN = Moment(DIGEST, 0), Moment(DIGEST, 9_999, 7, spoiler=True)
CONTROL_BY_OLD_ID = {
    "kibitz:extra": MoreMenu(),
    f"kibitz:view:{DIGEST}:0:wo:f": showing.StepButton(START, "f"),
    f"kibitz:view:{DIGEST}:9999:7s:x": showing.StepButton(HIDDEN, "x"),
    f"kibitz:turns:{DIGEST}:0:wo": showing.TurnMenu(START),
    f"kibitz:goto:{DIGEST}:0:wo": showing.GoTo(START),
    f"kibitz:more:{DIGEST}:9999:7s": showing.OtherNotationMenu(HIDDEN),
    f"kibitz:other:{DIGEST}:9999:7s:side:w": showing.OtherView(HIDDEN, "side:w"),
    "kibitz:linked:abcdefgh23456789:s": showing.LinkedGameMenu("abcdefgh23456789", spoiler=True),
    f"kibitz:open:{DIGEST}:0:wo": showing.OpenFromOldMessage(START),
    f"kibitz:copy:{DIGEST}:9999:7s": showing.CopyPosition(HIDDEN),
    f"kibitz:publish:{DIGEST}:9999:7s": showing.ShareReply(HIDDEN),
    f"kibitz:replay:{DIGEST}:0:wo:slow:me": showing.ReplayButton(START, Pace.SLOW, "me"),
    f"kibitz:replay:{DIGEST}:9999:7s:fast:all": showing.ReplayButton(HIDDEN, Pace.FAST, "all"),
    f"kibitz:games:{DIGEST}:9999:7s": showing.DocumentMenu(HIDDEN),
    f"kibitz:analyze:{DIGEST}:0:wo:": analysis.Analyze(START),
    f"kibitz:analyze:{DIGEST}:9999:7s:NWL23": analysis.Analyze(HIDDEN, "NWL23"),
    f"kibitz:judge:{DIGEST}:9999:7s:NWL23": analysis.SwitchAnalysis(HIDDEN, "NWL23"),
    f"kibitz:suggest:{DIGEST}:0:wo:": analysis.SuggestionMenu(START, ""),
    f"kibitz:lexicon:{DIGEST}:9999:7s": analysis.OldLexiconMenu(HIDDEN),
    f"kibitz:ranked:equity:{DIGEST}:0:wo:CSW21": analysis.PlayMenu(START, Method.EQUITY, "CSW21"),
    f"kibitz:ranked:simulation:{DIGEST}:0:wo:": analysis.PlayMenu(START, Method.SIMULATION, ""),
    f"kibitz:deepen:solution:{DIGEST}:9999:7s:a.b_c-d": analysis.Deepen(HIDDEN, Method.SOLUTION, "a.b_c-d"),
    f"kibitz:ranked:simulation:{DIGEST}:0:wo:CSW21:4ia": analysis.PlayMenu(
        START, Method.SIMULATION, "CSW21", AnalysisDetails(4, infer=True, has_long_table=True)
    ),
    f"kibitz:deepen:simulation:{DIGEST}:0:wo::i": analysis.Deepen(
        START, Method.SIMULATION, "", AnalysisDetails(infer=True)
    ),
    f"kibitz:longer:simulation:{DIGEST}:0:wo:SCOWL80": analysis.MoreTime(START, Method.SIMULATION, "SCOWL80"),
    f"kibitz:rows:equity:{DIGEST}:0:wo:SCOWL80:a:3": analysis.ChangeTableLength(
        START, Method.EQUITY, "SCOWL80", AnalysisDetails(has_long_table=True), 3
    ),
    f"kibitz:post:equity:{DIGEST}:9999:7s:SCOWL80:0": analysis.PostRanking(HIDDEN, Method.EQUITY, "SCOWL80"),
    f"kibitz:ways:equity:{DIGEST}:0:wo:SCOWL80": analysis.OldAnalysisMenu(START, Method.EQUITY, "SCOWL80"),
    f"kibitz:try:{DIGEST}:0:wo:": TryPlay(START),
    f"kibitz:try:{DIGEST}:9999:7s:NWL23": TryPlay(HIDDEN, "NWL23"),
    f"kibitz:review:{DIGEST}:0:wo:quick": reviews.ReviewGame(START, Depth.QUICK),
    f"kibitz:review:{DIGEST}:9999:7s:deep": reviews.ReviewGame(HIDDEN, Depth.DEEP),
    f"kibitz:review:{DIGEST}:9999:7s:deep:CSW24": reviews.ReviewGame(HIDDEN, Depth.DEEP, "CSW24"),
    f"kibitz:judged:{DIGEST}:0:wo:quick::k": reviews.JudgedTurnButton(START, Depth.QUICK, "", "k"),
    f"kibitz:judgements:{DIGEST}:9999:7s:deep:CSW21": reviews.JudgedTurnMenu(HIDDEN, Depth.DEEP, "CSW21"),
    f"kibitz:share:squares:{DIGEST}:0:wo:quick:SCOWL80": reviews.ShareReview(
        START, Depth.QUICK, "SCOWL80", "squares"
    ),
    f"kibitz:learn:w:{DIGEST}:0:wo:quick:SCOWL80:": reviews.LessonButton(START, Depth.QUICK, "SCOWL80", "w"),
    f"kibitz:learn:h:{DIGEST}:9999:7s:deep::0s2x": reviews.LessonButton(HIDDEN, Depth.DEEP, "", "h", "0s2x"),
    f"kibitz:learn:h:{DIGEST}:9999:7s:deep::02:o": reviews.LessonButton(
        HIDDEN, Depth.DEEP, "", "h", "02", is_own_puzzle=True
    ),
    "kibitz:mistake:all": NextMistake("all"),
    "kibitz:reviews:0:SCOWL80": reviews.GameMenu(0, "SCOWL80"),
    "kibitz:closer:20:": reviews.ReviewGamesAgain(20, ""),
    "kibitz:closer:20::quick": reviews.ReviewGamesAgain(20, "", Depth.QUICK),
    "kibitz:names:5:quick:": reviews.ChangePlayerNames(5, ""),
    "kibitz:who:20:deep:CSW24": reviews.PlayerNameMenu(20, "CSW24", Depth.DEEP),
    "kibitz:puzzle:crossword:1e7a488d:a": puzzles.PuzzleButton("crossword", "1e7a488d", "a"),
    "kibitz:daily:crossword:326:b": puzzles.DailyButton("crossword", 326, "b"),
    "kibitz:daily:chess:1:s": puzzles.DailyButton("chess", 1, "s"),
    "kibitz:daily:chess:1:m": puzzles.DailyButton("chess", 1, "m"),
    "kibitz:puzzle:chess:0YtJI:n": puzzles.PuzzleButton("chess", "0YtJI", "n"),
    f"kibitz:ask:{DIGEST}:0:wo": polls.StartPoll(START),
    f"kibitz:ask:{DIGEST}:9999:7s": polls.StartPoll(HIDDEN),
    "kibitz:poll:p": polls.PollAction("p"),
    "kibitz:poll:r": polls.PollAction("r"),
    "kibitz:look:1456074443980800021": polls.LookAnyway(1456074443980800021),
    "kibitz:stop:1456074443980800021": StopWork(1456074443980800021),
    f"kibitz:puzzle:chess:{DIGEST}.12:s": puzzles.PuzzleButton("chess", f"{DIGEST}.12", "s"),
    "kibitz:pick:0YtJI:e2:5": puzzles.MoveMenu("0YtJI", "e2", 5),
    f"kibitz:pick:{DIGEST}.3::0": puzzles.MoveMenu(f"{DIGEST}.3", "", 0),
    "kibitz:puzzle:chess:0YtJI:n:h:mateIn2": puzzles.PuzzleButton(
        "chess", "0YtJI", "n", PuzzleLevel.HARD, "mateIn2"
    ),
    "kibitz:puzzle:crossword::n:only-bingo": puzzles.PuzzleButton("crossword", "", "n", theme="only-bingo"),
    "kibitz:pick:0YtJI:e2:5:e": puzzles.MoveMenu("0YtJI", "e2", 5, PuzzleLevel.EASY),
    f"kibitz:solve:{DIGEST}:0:wo:0:0": puzzles.SolveFromOldMessage(START, 0, 0),
    f"kibitz:solve:{DIGEST}:9999:7s:12:3": puzzles.SolveFromOldMessage(HIDDEN, 12, 3),
    f"kibitz:seen:{DIGEST}:0:1s:c": CheckPicture(Moment(DIGEST, 0, 1, spoiler=True), "c"),
    f"kibitz:known:{DIGEST}:{MOVES}:o": books.KnownMoveMenu(DIGEST, MOVES),
    f"kibitz:takeback:{DIGEST}:{MOVES}:s": books.TakeBack(DIGEST, MOVES, spoiler=True),
    f"kibitz:engine:{DIGEST}:0:wo:0": analysis.AskEngine(START, 0),
    f"kibitz:engine:{DIGEST}:9999:7s:20": analysis.AskEngine(HIDDEN, 20),
    f"kibitz:notation:{DIGEST}": showing.NotationMenu(DIGEST),
    "kibitz:delete:1456074443980800021": DeleteReply(1456074443980800021),
    "kibitz:delete:1456074443980800021:0123abcd": DeleteReply(1456074443980800021, "0123abcd"),
    "kibitz:choose:server:mode": preferences.OldSettingMenu("server", "mode"),
    "kibitz:choose:me:language": preferences.OldSettingMenu("me", "language"),
    "kibitz:set:server:daily": preferences.SettingsForm("server", "daily"),
    "kibitz:choose:me:turns": preferences.OldSettingMenu("me", "turns"),
    "kibitz:help:manual": help_cards.HelpPage("manual"),
    "kibitz:meet:1456074443980800021:on_request": help_cards.ChooseWelcomeMode(
        1456074443980800021, "on_request"
    ),
    "kibitz:example:cgp": help_cards.ShowExample("cgp"),
    "kibitz:forget:1456074443980800021": help_cards.DeleteData(1456074443980800021),
    "kibitz:seat:4294967295:0:0123abcd": SeatButton(4294967295, "0", "0123abcd"),
    "kibitz:seat:7:ok:0123abcd": SeatButton(7, "ok", "0123abcd"),
    "kibitz:seat:7:out:0123abcd": SeatButton(7, "out", "0123abcd"),
}
"""Ids under messages from earlier versions, each with its control.

Never change an entry. Add an entry for each new control.
"""

INVALID_IDS = [
    "",
    "kibitz",
    "kibitz:",
    "delete:5",
    "KIBITZ:delete:5",
    "kibitz:delete:",
    "kibitz:delete:05",
    "kibitz:delete:-5",
    "kibitz:delete:٥",
    "kibitz:delete:5\n",
    "kibitz:delete:5:",
    "kibitz:delete:5:0123ABCD",
    "kibitz:delete:123456789012345678901",
    f"kibitz:view:{DIGEST}:0:wo",
    f"kibitz:view:{DIGEST}:0:wo:z",
    f"kibitz:view:{DIGEST}:10000:wo:f",
    f"kibitz:view:{DIGEST}:0:8o:f",
    f"kibitz:view:{DIGEST}:٣:wo:f",
    f"kibitz:view:{DIGEST[:21]}!:0:wo:f",
    f"kibitz:view:{DIGEST}x:0:wo:f",
    f"kibitz:deepen:equity:{DIGEST}:0:wo:",
    f"kibitz:ranked:magic:{DIGEST}:0:wo:",
    f"kibitz:analyze:{DIGEST}:0:wo:../../etc",
    f"kibitz:analyze:{DIGEST}:0:wo:{'x' * 33}",
    f"kibitz:known:{DIGEST}:{MOVES}:w",
    "kibitz:choose:everybody:mode",
    "kibitz:choose:me:token",
    "kibitz:seat:7:maybe:0123abcd",
    "kibitz:example:" + "a" * 21,
    "kibitz:puzzle:chess:0YtJI:n:u",
    "kibitz:puzzle:chess:0YtJI:n:fork:h",
    "kibitz:puzzle:chess:0YtJI:n:h:a b",
    f"kibitz:pick:0YtJI:e2:5:{'f' * 25}",
]


def test_every_control_has_a_strategy_and_a_released_id():
    assert FEATURES  # importing the features has registered their controls
    kinds = {kind for kind in CLASS_BY_WORD.values() if kind.act is not Control.act}
    assert kinds == set(CONTROLS)
    assert set(map(type, CONTROL_BY_OLD_ID.values())) == kinds


@pytest.mark.parametrize("kind", CONTROLS)
@given(data=st.data())
def test_written_ids_are_read_back_as_the_same_control(kind, data):
    control = data.draw(CONTROLS[kind])
    text = control.to_id()
    assert len(text) <= MAX_ID_LENGTH
    assert control_from_id(text) == control


@pytest.mark.parametrize("kind", CONTROLS)
@given(data=st.data())
def test_each_control_has_only_one_id(kind, data):
    text = data.draw(st.from_regex(kind.id_pattern, fullmatch=True))
    changed_text = data.draw(
        st.sampled_from([text, text + ":0", text.replace(":", "::", 1), text[:-1], f" {text}"])
    )
    for item in (text, changed_text):
        control = control_from_id(item)
        assert control is None or control.to_id() == item
    assert isinstance(control_from_id(text), kind)


@pytest.mark.parametrize(("text", "control"), CONTROL_BY_OLD_ID.items())
def test_old_ids_are_read_as_the_same_control(text, control):
    assert dynamic_item_class().__discord_ui_compiled_template__.fullmatch(text)
    assert control_from_id(text) == control
    assert control.to_id() == text


@pytest.mark.parametrize("text", INVALID_IDS)
def test_invalid_ids_are_not_read(text):
    assert control_from_id(text) is None


@pytest.mark.parametrize(
    "control",
    [
        analysis.Analyze(START, "a lexicon"),
        analysis.Analyze(START, "x" * 33),
        showing.StepButton(Moment(DIGEST, 10_000), "f"),
        showing.StepButton(Moment("../" + DIGEST[3:], 0), "f"),
        help_cards.ShowExample("a:b"),
        help_cards.DeleteData(-1),
    ],
)
def test_a_control_that_does_not_fit_in_an_id_is_refused(control):
    assert not control.has_valid_id()
    with pytest.raises(ValueError, match="can't be written"):
        control.to_id()


@pytest.mark.parametrize("kind", CONTROLS)
@given(data=st.data())
def test_the_document_digest_of_a_control_is_found_in_its_parts(kind, data):
    control = data.draw(CONTROLS[kind])
    digests = []
    for name in control.parts:
        match getattr(control, name):
            case Moment() as moment:
                digests.append(moment.digest)
            case value if name in {"digest", "moves_digest"}:
                digests.append(value)
            case str(value) if name == "puzzle_id" and "." in value:
                digests.append(value[: len(DIGEST)])
    assert [control.document_digest] == (digests or [None])


@given(
    st.builds(
        ReviewQuery,
        st.builds(Moment, DIGESTS, st.just(0), st.none(), st.booleans()),
        st.just(ReplyContext()),
        LEXICA,
        st.sampled_from(Depth),
    )
)
def test_a_review_query_in_a_menu_round_trips(query):
    encoded_query = reviews.encode_query(query)
    assert len(encoded_query) <= 100
    assert reviews.decode_query(encoded_query, ReplyContext()) == query
