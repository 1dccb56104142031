"""In a game of Crossplay, the last two turns are solved, and the remaining tiles do not count."""

from dataclasses import replace

from bot.domain.crossword.game import ReplayState
from bot.domain.crossword.notations import gcg
from bot.domain.crossword.rules import default_rules, load_distribution, load_layout
from bot.features.review.crossword.judging import Effort
from bot.features.review.crossword.review import review_game
from bot.features.review.crossword.values import Flag, JudgingMethod, MistakeSize
from tests.review.games import Table, scowl_lexicon

SMALL_EFFORT = Effort(
    seconds=1000,
    max_candidates=1,
    iterations_per_round=4,
    max_iterations=4,
    luck_draw_count=1,
    late_plies=2,
    endgame_seconds=30.0,
)


class CrossplayTable(Table):
    def __init__(self, seed):
        rules = default_rules(load_distribution("crossplay"), load_layout("Crossplay"))
        super().__init__(seed, rules=rules)

    @property
    def position(self):
        state = ReplayState(self.rules, 2)
        for turn in self.turns:
            state.apply(turn)
        return replace(super().position, turns_left=state.turns_left)

    @property
    def is_over(self):
        return self.position.is_over


def test_the_last_two_turns_are_solved():
    table = CrossplayTable(5)
    while not table.is_over:
        # The second-to-last play is bad, and its loss is known exactly.
        choices = table.best_plays(40)
        is_second_to_last = table.position.turns_left == 2
        table.play(choices[-1].play if is_second_to_last else choices[0].play)
    game = table.game()
    reading = gcg.read(gcg.write(game))
    assert (reading.value.rules, reading.warnings) == (game.rules, ())
    review = review_game(game, scowl_lexicon(), SMALL_EFFORT)
    assert review.is_complete
    assert review.scores == tuple(table.scores)
    first, second = review.turns[-2:]
    assert (first.method, second.method) == (JudgingMethod.ENDGAME, JudgingMethod.ENDGAME)
    assert first.points_lost > 0
    assert first.mistake_size is not MistakeSize.NONE
    assert (second.mistake_size, second.points_lost) == (MistakeSize.NONE, 0.0)
    assert {turn.method for turn in review.turns[:-2]} <= {JudgingMethod.SIMULATION, JudgingMethod.EQUITY}
    assert not any(flag is Flag.SIX_ZEROS for turn in review.turns for flag in turn.flags)
    assert all(player.elo is None for player in review.players)
