"""The cards for several games: a user's own games, and posted games."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.chat.card import Moment, ReplyContext
from bot.chat.columns import MAX_WIDTH
from bot.domain.crossword.notations.fields import display_width
from bot.features.review.controls import PlayerNameMenu, ReviewGamesAgain
from bot.features.review.own_games import (
    MAX_NAMES_PER_MENU,
    UserGame,
    names_question_card,
    own_games_card,
)
from bot.features.review.several import ReviewBatch, ReviewedGame, several_games_card
from bot.features.review.values import PlayerReview, ReviewQuery, UserGamesRequest
from bot.text import LANGUAGES, translator

POSTED = datetime(2026, 11, 22, tzinfo=UTC)
ME = PlayerReview("=me", 1.0, 91.4, 2.8, 2, 1, 24.0, points=1012)
OPPONENT = PlayerReview("Bartholomew the Younger", 0.0, 80.0, 4.0, 1, 0, -24.0, points=389)


def summary_card(*games, language="en", games_without_seat=0, **changes):
    """Return the card for games. Each game is a pair of player reviews, with the user's first."""
    moments = [Moment(f"{number:022}", 0) for number in range(len(games))]
    reviewed_games = tuple(
        ReviewedGame(ReviewQuery(moment, lexicon="SCOWL80"), pair)
        for moment, pair in zip(moments, games, strict=True)
    )
    user_games = [UserGame(ReviewQuery(moment), POSTED, (), (), 0) for moment in moments]
    user_games += [UserGame(ReviewQuery(Moment("x" * 22, 0)), POSTED, (), ())] * games_without_seat
    batch = ReviewBatch(reviewed_games, (), 0, "", 170.0 * len(games))
    request = UserGamesRequest(1, 2, 20, ReplyContext(translate=translator(language)))
    return own_games_card(replace(batch, **changes), request, user_games)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["crossword", "chess", "both"])
def test_the_tables_of_twenty_games_fit_a_phone(language, kind):
    chess = tuple(
        replace(item, points=None, mistake_index=None, luck=None, centipawns_lost=312.4, blunders=12)
        for item in (replace(ME, wins=0.5), OPPONENT)
    )
    pairs_by_kind: dict[str, list[Any]] = {
        "crossword": [(ME, OPPONENT)],
        "chess": [chess],
        "both": [(ME, OPPONENT), chess],
    }
    pairs = pairs_by_kind[kind]
    reply = summary_card(*(pairs * (20 // len(pairs))), language=language)
    tables = reply.text.split("```")[1::2]
    assert len(tables) == len(pairs)
    assert all(display_width(line) <= MAX_WIDTH for table in tables for line in table.splitlines())
    assert len(reply.text) <= 2000
    assert len(reply.drawings) == 1


def test_the_legend_of_a_mixed_table_explains_the_columns_of_both_games():
    chess = replace(
        OPPONENT, mistake_index=None, bingos=None, missed_bingos=None, centipawns_lost=312.4, blunders=12
    )
    query = ReviewQuery(Moment("0" * 22, 0), lexicon="SCOWL80")
    games = tuple(ReviewedGame(query, (player,)) for player in (ME, chess))
    card = several_games_card(query, ReviewBatch(games, (), 0, "", 0.0))
    titles = card.text.split("```")[1].splitlines()[1].split()[1:]
    assert titles == ["#", "index", "acc.", "missed", "cp", "??"]
    assert [part.partition(":")[0] for part in card.note.split(" · ")] == titles


def test_the_trend_has_a_margin_of_error():
    games = [(replace(ME, accuracy=value), OPPONENT) for value in (70.0, 80.0, 75.0, 90.0, 88.0, 92.0)]
    reply = summary_card(*games)
    # The standard deviations are 5 and 2. Each margin is 1.96 standard deviations, divided by the square root of 3.
    assert "Accuracy of the first 3: 75 ± 6; of the last 3: 90 ± 2." in reply.text
    [trend] = reply.drawings
    assert trend.alt == "Accuracy (crossword), from the earliest game: 70, 80, 75, 90, 88, 92."
    accuracy, mean = trend.scene.series
    assert accuracy.values == (70, 80, 75, 90, 88, 92)
    assert mean.values == (70, 75, 75, 79, 81, 85)
    assert trend.scene.first_number == 1
    assert "Accuracy of the first" not in summary_card(*games[:5]).text


def test_unknown_values_are_left_out_of_means_and_charts():
    unknown_review = replace(ME, accuracy=None, mistake_index=None, luck=None)
    reply = summary_card((ME, OPPONENT), (unknown_review, OPPONENT), (replace(ME, accuracy=81.4), OPPONENT))
    assert reply.text.startswith(
        "**3 of your games** · won 3 · accuracy 86 · mistake index 2.8 · luck +24 · 3 bingos missed\n"
    )
    assert reply.drawings[0].alt.endswith(": 91, 81.")
    assert summary_card((ME, OPPONENT), (unknown_review, OPPONENT)).drawings == ()


def test_the_csv_has_a_row_per_game_and_no_formulas():
    [file] = summary_card((ME, OPPONENT)).files
    head, row = csv.reader(io.StringIO(file.text))
    assert dict(zip(head, row, strict=True)) == {
        "number": "1", "posted": "2026-11-22", "player": "'=me", "opponent": "Bartholomew the Younger",
        "won": "1", "points": "1012", "opponent_points": "389", "mistake_index": "2.8", "accuracy": "91.4",
        "bingos": "2", "missed_bingos": "1", "luck": "24", "centipawns_lost": "", "blunders": "",
        "depth": "quick", "lexicon": "SCOWL80",
    }  # fmt: skip


def test_the_button_for_a_deeper_review_shows_the_minutes_it_takes():
    assert summary_card((ME, OPPONENT), (ME, OPPONENT)).find_control(ReviewGamesAgain).minutes == 6
    assert summary_card((ME, OPPONENT), deep_review_seconds=0.0).find_control(ReviewGamesAgain).minutes == 0


def test_omissions_are_reported():
    reply = summary_card(
        (ME, OPPONENT),
        games_without_seat=2,
        skipped_game_count=1,
        problem="Wait.",
        refusals=("It is gone.", "It is gone."),
    )
    assert reply.text.endswith(
        "2 games couldn't be reviewed:\n- It is gone.\n1 game was left out.\nWait.\n"
        "2 games are left out because you didn't play in them, or Kibitz doesn't know which side was yours."
    )
    empty_card = summary_card(games_without_seat=1)
    assert not empty_card.has_result
    assert empty_card.text.startswith("1 game is left out")


def test_many_names_are_asked_about_in_several_steps():
    moment, keys = Moment("d" * 22, 0), [f"{number:016x}" for number in range(30)]
    games = [
        UserGame(ReviewQuery(moment), datetime.now(UTC), (f"player {key}", ""), (key, "")) for key in keys
    ]
    reply = names_question_card(
        games, {keys[3]: True}, UserGamesRequest(1, 2, 20, ReplyContext()), ask_again=True
    )
    menu = reply.find_control(PlayerNameMenu)
    assert len(menu.choices) == MAX_NAMES_PER_MENU
    assert menu.chosen_values == (keys[3],)
    assert "You may be asked about more names after these." in reply.text
