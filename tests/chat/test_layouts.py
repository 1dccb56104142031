"""Cards with the longest names, in five languages. They are within Discord's limits and fit the width of a phone.

The English cards match their golden files.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from simcord.components import COMPONENTS_V2_FLAG, validate_message_state, walk_components

from bot.features.polls.controls import POLLS
from bot.features.puzzles.controls import PUZZLES
from bot.jobs.local import JobLimits, LocalJobQueue
from bot.text import LANGUAGES, translator
from tests.domain.crossword.notations.live_links import history, turn_link
from tests.puzzles.crossword.test_puzzles import AWE
from tests.sight.pictures import chessboard_picture, encode

from .actions import (
    choose_option,
    click,
    last_reply,
    post_and_get_reply,
    press_button_of_kind,
    raw_components,
    reply_of,
    rows_of,
)
from .test_cards import check_golden
from .test_dailies import NOON, clock, daily_puzzle, schedule_daily, solve_daily, update_dailies
from .test_lessons import ANNOTATED
from .test_looking_back import opt_in, pgn_text
from .test_puzzles import puzzle_button_id

__all__ = ["clock"]

NAME = "Wolfgang-Amadeus_von_Wiesenhütten"[:32]
"""A user name of the maximum length on Discord."""
FIRST, SECOND = "Maximilian Wolfenbüttel-" * 8, "Wilhelmina Wohlgemuth-" * 8
LEXICON = "W" * 31
BOARD = (
    "11COBB/13L1/13A1/8FEAZING/13D1/8APE2E1/7ALANINS1/D2HOMEY5TO/O4ONE6C/JUMpeRS7R/O13E/14A/14T/14E/15 "
    f"AHILNRY/ 297/202 0 lm 1L CO.B; p1 {FIRST[:40]}; lex "
)
GCG = (
    f"#character-encoding UTF-8\n#player1 a {FIRST}\n#player2 b {SECOND}\n#lexicon {LEXICON}\n#title {FIRST}\n"
    ">a: AEINRST 8D NASTIER +66 66\n#note a remark\n>b: ABCDEFG -AB +0 0\n>a: EIQU 7H QI +26 92\n"
)
FEN = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
ANNOTATED_GAME = ANNOTATED.replace('"alice"', f'"{FIRST}"').replace('"bob"', f'"{SECOND}"')


@pytest.fixture(autouse=True)
def reproducible_polls(world):
    """Update polls immediately, and leave no room in the job queue. Answers are then compared by equity, so every run gives the same card."""
    world.bot.edit_limiter.seconds = 0.0
    kind = world.bot.services[POLLS]._kinds["crossword"]
    kind._resources = replace(kind._resources, jobs=LocalJobQueue(lambda *_: None, JobLimits(max_waiting=0)))


@pytest.fixture
def carol(world):
    """Return a member with the Manage Server permission and the longest name."""
    return world.add_member(NAME, manage_guild=True)


async def press(person, message, kind):
    return reply_of(await press_button_of_kind(person, message, kind))


async def fill_in(person, message, kind, **values):
    """Press the first button of a kind and submit the form that it opens. Return the reply."""
    form = await press_button_of_kind(person, message, kind)
    return reply_of(await person.submit_modal(form, values))


async def board(world, carol):
    return await post_and_get_reply(world, f"{BOARD}{LEXICON};")


async def several_boards(world, carol):
    return await post_and_get_reply(
        world, "\n".join(f"`{BOARD.replace('297', str(score))}`" for score in range(5))
    )


async def chess_board(world, carol):
    return await post_and_get_reply(world, FEN)


async def viewer(world, carol):
    await choose_option(world.alice, await post_and_get_reply(world, GCG), "turns", 1)
    return last_reply(world)


async def chess_viewer(world, carol):
    return await post_and_get_reply(world, ANNOTATED_GAME)


async def collection(world, carol):
    return await post_and_get_reply(world, f"{ANNOTATED_GAME}\n{ANNOTATED_GAME.replace('1-0', '0-1')}")


async def copied(world, carol):
    return await press(carol, await board(world, carol), "copy")


async def analysis(world, carol):
    return await press(carol, await board(world, carol), "analyze")


async def posted_analysis(world, carol):
    await press(carol, await analysis(world, carol), "post")
    return last_reply(world)


async def solved(world, carol):
    return await press(
        carol, await press(carol, await post_and_get_reply(world, AWE), "analyze"), "deepen:solution"
    )


async def trial(world, carol):
    return await fill_in(carol, await board(world, carol), "try", play="HAIRY")


async def impossible(world, carol):
    return await fill_in(carol, await board(world, carol), "try", play="8Z QQ")


async def review(world, carol):
    return reply_of(await carol.slash(world.channel, "review", game=ANNOTATED_GAME, private=True))


async def review_turn(world, carol):
    return await press(carol, await review(world, carol), "judged")


async def lesson(world, carol):
    return await press(carol, await review(world, carol), "learn")


async def several_games(world, carol):
    text = f"{ANNOTATED_GAME}\n{ANNOTATED_GAME.replace(FIRST, SECOND[:30])}"
    return reply_of(await carol.slash(world.channel, "review", game=text, private=True))


async def own_games(world, carol):
    await opt_in(world, carol)
    await carol.send(world.channel, pgn_text(FIRST, SECOND))
    await carol.send(world.channel, pgn_text(FIRST, SECOND[:40], evaluation=0.5))
    chooser = reply_of(await carol.slash(world.channel, "review", last=20))
    return reply_of(await choose_option(carol, chooser, "who", 0))


async def set_puzzle(world, carol):
    library = await world.bot.services[PUZZLES].load_library()
    key = min((kind, name) for kind, name in library.entries if kind.value == "crossword")
    library.entries = {key: library.entries[key]}
    return reply_of(await carol.slash(world.channel, "puzzle", game="crossword"))


async def given_up(world, carol):
    puzzle = await set_puzzle(world, carol)
    return reply_of(await click(carol, puzzle, custom_id=puzzle_button_id(puzzle, "s")))


async def daily(world, carol):
    await schedule_daily(world, carol, games="chess")
    await update_dailies(world)
    return last_reply(world)


async def solved_daily(world, carol):
    return await solve_daily(carol, await daily(world, carol), (await daily_puzzle(world)).line)


async def leaderboard(world, carol):
    await carol.slash(world.channel, "settings me", named="yes")
    await solved_daily(world, carol)
    return reply_of(await carol.slash(world.channel, "leaderboard", time="all"))


async def statistics(world, carol):
    await solved_daily(world, carol)
    return reply_of(await carol.slash(world.channel, "stats"))


async def poll(world, carol):
    await fill_in(carol, await post_and_get_reply(world, f"{BOARD}SCOWL80;"), "ask", when="0")
    return last_reply(world)


async def revealed(world, carol):
    card = await poll(world, carol)
    for person, play in ((carol, "N11 HAIRY"), (world.bob, "11C YAH"), (world.alice, "pass")):
        await fill_in(person, card, "poll:p", play=play)
    await press(carol, card, "poll:r")
    return last_reply(world)


async def live_game(world, carol):
    game = history("w" * 32, 5)
    for turn in (1, 2):
        await carol.send(world.channel, turn_link(game, turn))
    return last_reply(world)


async def live_games(world, carol):
    await live_game(world, carol)
    return reply_of(await carol.slash(world.channel, "game list"))


async def screenshot(world, carol):
    picture = encode(chessboard_picture(), "PNG")
    return reply_of(await carol.slash(world.channel, "show", file=("phone.png", picture)))


async def server_settings(world, carol):
    return reply_of(await carol.slash(world.channel, "settings server", lexicon=LEXICON))


async def own_settings(world, carol):
    return reply_of(await carol.slash(world.channel, "settings me", lexicon=LEXICON))


async def help_(world, carol):
    return reply_of(await carol.slash(world.channel, "help"))


async def about(world, carol):
    world.bot.started_at = NOON
    return reply_of(await carol.slash(world.channel, "about"))


async def privacy(world, carol):
    return reply_of(await carol.slash(world.channel, "privacy show"))


async def welcome(world, carol):
    discord = msgspec.structs.replace(world.bot.settings.discord, welcome=True)
    world.bot.settings = msgspec.structs.replace(world.bot.settings, discord=discord)
    await world.bot.get_cog("About").on_guild_join(world.bot.get_guild(world.guild.id))
    await world.env.settle()
    return last_reply(world)


async def words(world, carol):
    return reply_of(await carol.slash(world.channel, "check", words="quiz zzzzzz"))


CARDS = (
    board, several_boards, chess_board, viewer, chess_viewer, collection, copied, analysis, posted_analysis, solved, trial,
    impossible, review, review_turn, lesson, several_games, own_games, set_puzzle, given_up, daily, solved_daily,
    leaderboard, statistics, poll, revealed, live_game, live_games, screenshot, server_settings, own_settings, help_, about,
    privacy, words, welcome,
)  # fmt: skip
"""Functions that have the bot send a card, and return its message. Each has the name of its card."""
MAX_PHONE_LINE_LENGTH = 27
"""Maximum length of a table line that fits on a phone without wrapping, in characters."""


def check_limits(message):
    """Assert that a card is within Discord's limits and has at most two rows of controls, or three with a menu. Return its texts."""
    components = raw_components(message)
    validate_message_state(components, flags=COMPONENTS_V2_FLAG, content=None, embeds=[])
    all_components = list(walk_components(components))
    assert len(all_components) <= 40
    texts = [item["content"] for item in all_components if item["type"] == 10]
    assert sum(map(len, texts)) <= 4000
    rows = rows_of(message)
    menus = [row for row in rows if row["components"][0]["type"] == 3]
    assert len(rows) <= (3 if menus else 2)
    for image in (item for entry in all_components if entry["type"] == 12 for item in entry["items"]):
        assert image["description"]
    return texts


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(language, marks=() if language in {"en", "de"} else pytest.mark.slow)
        for language in LANGUAGES
    ],
)
@pytest.mark.parametrize("make_card", CARDS, ids=lambda make_card: make_card.__name__.rstrip("_"))
async def test_a_card_is_within_limits_and_matches_its_golden_file(
    world, carol, request, monkeypatch, make_card, language
):
    for module in ("chat.preferences", "features.settings.about"):
        monkeypatch.setattr(f"bot.{module}.translator", lambda locale: translator(language))
    monkeypatch.setattr("bot.features.settings.about.__version__", "0.0.0")
    message = await make_card(world, carol)
    texts = check_limits(message)
    if make_card is not copied:
        blocks = [block for text in texts for block in text.split("```")[1::2]]
        assert (
            max((len(line) for block in blocks for line in block.splitlines()), default=0)
            <= MAX_PHONE_LINE_LENGTH
        )
    if language == "en":
        check_golden(message, f"card_{make_card.__name__.rstrip('_')}", request)
