"""Without the opponent's rack, plays have the same equities as in another engine."""

from dataclasses import replace

import msgspec

from bot.engine.plays.equity import rate
from bot.engine.plays.generate import find_plays
from bot.features.review.crossword.judging import QUICK_EFFORT
from tests.domain.shared import needs_corpus
from tests.engine.shared import analyzed_positions, enable1_graph, enable1_leaves, entry_of_play


@needs_corpus
def test_equities_match_another_engine_to_the_millipoint():
    checked_plays = 0
    for position, table in analyzed_positions()[::5]:
        players = tuple(
            player if seat == position.on_turn else replace(player, rack=())
            for seat, player in enumerate(position.players)
        )
        known_position = replace(position, players=players)
        best = find_plays(
            known_position, enable1_graph(), enable1_leaves(), top=3 * (QUICK_EFFORT.max_candidates + 1)
        )
        assert best[0].equity == max(equity for _, _, equity in table)
        equities = {text: equity for text, _, equity in table}
        for rated in best:
            text, _, equity = entry_of_play(
                known_position,
                msgspec.structs.replace(
                    rated, equity=rate(known_position, rated.play, enable1_leaves()).equity
                ),
            )
            assert equity == rated.equity == equities[text]
            checked_plays += 1
    assert checked_plays > 400
