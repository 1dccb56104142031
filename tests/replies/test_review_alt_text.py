"""The alt text of a review names the result, the players and the turning points, however long the game is."""

from hypothesis import given, strategies as st

from bot.chat.card import MAX_ALT_LENGTH
from bot.features.review.cards import curve_alt_text
from bot.text import translator

translate = translator("en")


def test_the_text_names_result_players_and_turning_points():
    result = curve_alt_text(
        ["**alice 400 – bob 380**", "alice: index 1.5."],
        "alice",
        (50, 72, 70, 38, 100),
        {3: "alice: large mistake"},
        translate,
    )
    assert result == (
        "alice 400 – bob 380. alice: index 1.5. alice's win chance: 50% at the start, 72% after turn 1, "
        "38% after turn 3 (alice: large mistake), 100% at the end."
    )


@given(st.lists(st.integers(0, 100), min_size=1, max_size=400), st.text(max_size=60))
def test_the_text_of_a_long_game_is_limited_and_always_names_the_end(chances, name):
    result = curve_alt_text([name], "alice", chances, dict.fromkeys(range(400), name), translate)
    assert len(result) <= MAX_ALT_LENGTH
    assert result.endswith(f"{chances[-1]}% at the end.")
