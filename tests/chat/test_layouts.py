"""Each kind of card with the longest names in five languages: Discord's limits, a phone's width, and the layout as before."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta

import discord
import pytest
from simcord.components import COMPONENTS_V2_FLAG, validate_message_state, walk_components

from bot.features.polls.controls import POLLS
from bot.features.puzzles.controls import PUZZLES
from bot.jobs.local import JobLimits, LocalJobs
from bot.text import LANGUAGES, speaker
from tests.domain.crossword.notations.live_links import delta, history
from tests.puzzles.crossword.test_puzzles import AWE
from tests.sight.pictures import drawn
from tests.storage.clock import StandingClock

from .test_cards import judge
from .test_dailies import NOON, puzzle, run_round
from .test_lessons import ANNOTATED
from .test_looking_back import opt_in, pgn_text
from .viewer import answer_of, click, components_of, control, raw_components, replies, rows_of

NAME = "Wolfgang-Amadeus_von_Wiesenhütten"[:32]
"""The longest name that Discord takes."""
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
TALE = ANNOTATED.replace('"alice"', f'"{FIRST}"').replace('"bob"', f'"{SECOND}"')


@pytest.fixture
def clock():
    return StandingClock(NOON)


@pytest.fixture(autouse=True)
def plays_compared_by_equity(world):
    """Let a poll change its card and compare its answers at once, and alike in every run."""
    world.bot.edit_limiter.seconds = 0.0
    kind = world.bot.service[POLLS]._kinds["crossword"]
    kind._resources = replace(kind._resources, jobs=LocalJobs(lambda *_: None, JobLimits(waiting=0)))


@pytest.fixture
def carol(world):
    """A manager of the server, with the longest name."""
    role = world.guild.create_role("managers", permissions=discord.Permissions(manage_guild=True))
    return world.guild.add_member(world.env.create_user(NAME), roles=[role])


async def pasted(world, text, **files):
    await world.alice.send(world.channel, text, **files)
    return replies(world.channel)[-1]


async def pressed(person, message, kind, values=()):
    """Press the first control of a kind, or choose in its menu; return the answer."""
    custom_id = next(
        component["custom_id"]
        for component in components_of(message)
        if component["custom_id"].startswith(f"kibitz:{kind}")
    )
    if values:
        return answer_of(await person.select(message, list(values), custom_id=custom_id))
    return answer_of(await click(person, message, custom_id=custom_id))


async def filled_in(person, message, kind, **values):
    custom_id = next(
        component["custom_id"]
        for component in components_of(message)
        if component["custom_id"].startswith(f"kibitz:{kind}")
    )
    return answer_of(await person.submit_modal(await click(person, message, custom_id=custom_id), values))


async def board(world, carol):
    return await pasted(world, f"{BOARD}{LEXICON};")


async def several_boards(world, carol):
    return await pasted(world, "\n".join(f"`{BOARD.replace('297', str(score))}`" for score in range(5)))


async def chess_board(world, carol):
    return await pasted(world, FEN)


async def viewer(world, carol):
    visible = await pasted(world, GCG)
    menu = control(visible, "turns")
    await pressed(world.alice, visible, "turns", [menu["options"][1]["value"]])
    return replies(world.channel)[-1]


async def chess_viewer(world, carol):
    return await pasted(world, TALE)


async def collection(world, carol):
    return await pasted(world, f"{TALE}\n{TALE.replace('1-0', '0-1')}")


async def copied(world, carol):
    return await pressed(carol, await board(world, carol), "copy")


async def analysis(world, carol):
    return await pressed(carol, await board(world, carol), "analyze")


async def posted_analysis(world, carol):
    await pressed(carol, await analysis(world, carol), "post")
    return replies(world.channel)[-1]


async def solved(world, carol):
    return await pressed(carol, await pressed(carol, await pasted(world, AWE), "analyze"), "deepen:solution")


async def trial(world, carol):
    return await filled_in(carol, await board(world, carol), "try", play="HAIRY")


async def impossible(world, carol):
    return await filled_in(carol, await board(world, carol), "try", play="8Z QQ")


async def review(world, carol):
    return answer_of(await carol.slash(world.channel, "review", game=TALE, private=True))


async def turn_of_review(world, carol):
    return await pressed(carol, await review(world, carol), "judged")


async def lesson(world, carol):
    return await pressed(carol, await review(world, carol), "learn")


async def several_games(world, carol):
    text = f"{TALE}\n{TALE.replace(FIRST, SECOND[:30])}"
    return answer_of(await carol.slash(world.channel, "review", game=text, private=True))


async def own_games(world, carol):
    await opt_in(world, carol)
    await carol.send(world.channel, pgn_text(FIRST, SECOND))
    await carol.send(world.channel, pgn_text(FIRST, SECOND[:40], cp=0.5))
    chooser = answer_of(await carol.slash(world.channel, "review", last=20))
    menu = control(chooser, "who")
    return await pressed(carol, chooser, "who", [menu["options"][0]["value"]])


async def set_puzzle(world, carol):
    service = world.bot.service[PUZZLES]
    library = await service.library()
    key = min((kind, name) for kind, name in library.entries if kind.value == "crossword")
    library.entries = {key: library.entries[key]}
    return answer_of(await carol.slash(world.channel, "puzzle", game="crossword"))


async def given_up(world, carol):
    puzzle = await set_puzzle(world, carol)
    solution = next(component for component in components_of(puzzle) if component["custom_id"].endswith(":s"))
    return answer_of(await click(carol, puzzle, custom_id=solution["custom_id"]))


async def daily(world, carol):
    world.clock.now = NOON - timedelta(hours=3)
    await carol.slash(world.channel, "settings daily", channel=world.channel, hour=12, games="chess")
    world.clock.now = NOON
    await run_round(world)
    return replies(world.channel)[-1]


async def solved_daily(world, carol):
    message = await daily(world, carol)
    for move in (await puzzle(world)).line.moves[1::2]:
        button = next(
            component["custom_id"]
            for component in components_of(message)
            if component["custom_id"].endswith(":a")
        )
        form = await click(carol, message, custom_id=button)
        message = answer_of(await carol.submit_modal(form, {"answer": move}))
    return message


async def leader_board(world, carol):
    await carol.slash(world.channel, "settings me", named="yes")
    await solved_daily(world, carol)
    return answer_of(await carol.slash(world.channel, "leaderboard", time="all"))


async def statistics(world, carol):
    await solved_daily(world, carol)
    return answer_of(await carol.slash(world.channel, "stats"))


async def poll(world, carol):
    visible = await pasted(world, f"{BOARD}SCOWL80;")
    await filled_in(carol, visible, "ask", when="0")
    return replies(world.channel)[-1]


async def revealed(world, carol):
    card = await poll(world, carol)
    for person, play in ((carol, "N11 HAIRY"), (world.bob, "11C YAH"), (world.alice, "pass")):
        await filled_in(person, card, "poll:p", play=play)
    await pressed(carol, card, "poll:r")
    return replies(world.channel)[-1]


async def live_game(world, carol):
    game = history("w" * 32, 5)
    for turn in (1, 2):
        await carol.send(world.channel, delta(game, turn))
    return replies(world.channel)[-1]


async def live_games(world, carol):
    await live_game(world, carol)
    return answer_of(await carol.slash(world.channel, "game list"))


async def screenshot(world, carol):
    stream = io.BytesIO()
    drawn().save(stream, "PNG")
    return answer_of(await carol.slash(world.channel, "show", file=("phone.png", stream.getvalue())))


async def server_settings(world, carol):
    return answer_of(await carol.slash(world.channel, "settings server", lexicon=LEXICON))


async def own_settings(world, carol):
    return answer_of(await carol.slash(world.channel, "settings me", lexicon=LEXICON))


async def help_(world, carol):
    return answer_of(await carol.slash(world.channel, "help"))


async def about(world, carol):
    world.bot.awake_since = NOON
    return answer_of(await carol.slash(world.channel, "about"))


async def privacy(world, carol):
    return answer_of(await carol.slash(world.channel, "privacy show"))


async def welcome(world, carol):
    spoken = world.bot.settings.discord.model_copy(update={"welcome": True})
    world.bot.settings = world.bot.settings.model_copy(update={"discord": spoken})
    await world.bot.get_cog("About").on_guild_join(world.bot.get_guild(world.guild.id))
    await world.env.settle()
    return replies(world.channel)[-1]


async def words(world, carol):
    return answer_of(await carol.slash(world.channel, "check", words="quiz zzzzzz"))


CARDS = (
    board, several_boards, chess_board, viewer, chess_viewer, collection, copied, analysis, posted_analysis, solved, trial,
    impossible, review, turn_of_review, lesson, several_games, own_games, set_puzzle, given_up, daily, solved_daily,
    leader_board, statistics, poll, revealed, live_game, live_games, screenshot, server_settings, own_settings, help_, about,
    privacy, words, welcome,
)  # fmt: skip
NARROW = 27
"""Characters of a line of a table that a telephone shows without a break."""


def within_limits(message):
    """Assert that a card keeps to Discord's limits, has two rows of controls beside its menu, and narrow tables."""
    components = raw_components(message)
    validate_message_state(components, flags=COMPONENTS_V2_FLAG, content=None, embeds=[])
    every = list(walk_components(components))
    assert len(every) <= 40
    texts = [item["content"] for item in every if item["type"] == 10]
    assert sum(map(len, texts)) <= 4000
    rows = rows_of(message)
    menus = [row for row in rows if row["components"][0]["type"] == 3]
    assert len(rows) <= (3 if menus else 2)
    for image in (item for entry in every if entry["type"] == 12 for item in entry["items"]):
        assert image["description"]
    return texts


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(language, marks=() if language in {"en", "de"} else pytest.mark.slow)
        for language in LANGUAGES
    ],
)
@pytest.mark.parametrize("make", CARDS, ids=lambda make: make.__name__.rstrip("_"))
async def test_a_card(world, carol, request, monkeypatch, make, language):
    for module in ("chat.preferences", "features.settings.about"):
        monkeypatch.setattr(f"bot.{module}.speaker", lambda locale: speaker(language))
    monkeypatch.setattr("bot.features.settings.about.__version__", "0.0.0")
    message = await make(world, carol)
    texts = within_limits(message)
    if make is not copied:
        blocks = [block for text in texts for block in text.split("```")[1::2]]
        assert max((len(line) for block in blocks for line in block.splitlines()), default=0) <= NARROW
    if language == "en":
        judge(message, f"card_{make.__name__.rstrip('_')}", request)
