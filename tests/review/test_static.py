"""A review by equity judges plays like another engine, although that engine does not know the opponent's rack."""

from dataclasses import replace

from bot.engine.plays.equity import rate
from bot.engine.plays.generate import plays
from bot.features.review.crossword.judging import QUICK_EFFORT
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable, enable_leaves, row_of


@needs_corpus
def test_equities_are_those_of_another_engine_to_the_millipoint():
    checked = 0
    for position, table in analyzed_positions()[::5]:
        known = tuple(
            player if seat == position.on_turn else replace(player, rack=())
            for seat, player in enumerate(position.players)
        )
        seen = replace(position, players=known)
        best = plays(seen, enable(), enable_leaves(), top=3 * (QUICK_EFFORT.candidates + 1))
        assert best[0].equity == max(equity for _, _, equity in table)
        others = {text: equity for text, _, equity in table}
        for item in best:
            text, _, equity = row_of(
                seen, item._replace(equity=rate(seen, item.play, enable_leaves()).equity)
            )
            assert equity == item.equity == others[text]
            checked += 1
    assert checked > 400
