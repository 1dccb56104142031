"""Turn URLs with random settings, turns and texts."""

import contextlib
import random

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.draws import Racks, SeededBag
from bot.domain.crossword.notations.turn_url.url import TurnUrl, decode, encode
from bot.domain.crossword.play import Exchange
from bot.domain.reading.problems import DomainError
from tests.domain.crossword.games import faults_and_error, final_racks
from tests.domain.crossword.notations.live_links import drawn_racks, first_turns_of, merge
from tests.domain.crossword.notations.test_mutations import attempt_turn_url
from tests.domain.crossword.notations.turn_url_strategies import (
    played_histories,
)


class TestRoundTrips:
    @given(st.text())
    def test_encoded_text_round_trips(self, text):
        encoded = encode(text)
        assert encoded.isascii()
        assert decode(encoded) == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    @settings(max_examples=40)
    @given(played_histories())
    def test_played_games_round_trip(self, history):
        reread = turn_url.read(turn_url.write(history)).value
        assert reread == history
        reading = turn_url.replay(history)
        assert reading.error is None
        assert reading == turn_url.replay(reread)
        assert turn_url.history_of(reading.value.game) == history


class TestGames:
    @settings(max_examples=40)
    @given(played_histories())
    def test_no_tile_is_lost(self, history):
        game = turn_url.replay(history).value.game
        total = game.rules.distribution.total
        for number in range(len(history.turns) + 1):
            position = game.position_at(number)
            tiles_on_racks = sum(map(len, drawn_racks(first_turns_of(history, number))))
            assert position.board.tile_count + tiles_on_racks + position.bag_count == total
        revealed_game = turn_url.replay(history, range(len(game.names))).value.game
        assert faults_and_error(revealed_game) == ((), None)
        assert faults_and_error(game) == ((), None)

    @settings(max_examples=25)
    @given(played_histories(max_turns=6))
    def test_racks_are_hidden_until_the_end(self, history):
        replayed = turn_url.replay(history).value
        if replayed.is_over:
            return
        laid_counts = [0] * (len(replayed.game.rules.distribution.letters))
        for turn in replayed.game.turns:
            assert not isinstance(turn.play, Exchange) or not turn.play.tiles
            for tile in turn.rack:
                laid_counts[tile] += 1
        assert sum(laid_counts) == replayed.game.position_at(len(history.turns)).board.tile_count
        assert final_racks(replayed.game) == (None,) * len(replayed.game.names)

    @settings(max_examples=25)
    @given(played_histories(), st.randoms(use_true_random=False))
    def test_links_are_merged_in_any_order(self, history, order: random.Random):
        urls = [TurnUrl(history.game_id, 1, history.turns[:1], history.settings)]
        start = 2
        while start <= len(history.turns):
            # Parts may overlap, because a player's link repeats the other players' turns.
            length, overlap = order.randint(1, 3), order.randint(0, 1)
            first_turn = max(2, start - overlap)
            urls.append(
                TurnUrl(history.game_id, first_turn, history.turns[first_turn - 1 : start - 1 + length])
            )
            start += length
        order.shuffle(urls)
        game = merge(*urls)
        assert game.history == history
        assert game.contradictions == ()
        assert game.missing_turns == ()


class TestDraws:
    @given(
        st.lists(st.integers(0, 30), max_size=60),
        st.text(max_size=5),
        st.lists(st.integers(0, 9), max_size=9),
    )
    def test_exchanges_keep_every_tile(self, tiles, seed, counts):
        bag = SeededBag(tiles, seed)
        racks = Racks(bag, 2, 7)
        for number, max_count in enumerate(counts):
            rack = racks.tiles_by_seat[number % 2]
            count = min(max_count, len(rack), len(bag))
            returned_tiles = racks.exchange(number % 2, range(count))
            assert returned_tiles == rack[:count][::-1]
            assert racks.tiles_by_seat[number % 2][: len(rack) - count] == rack[count:]
        assert sorted([*racks.tiles_by_seat[0], *racks.tiles_by_seat[1], *bag.draw(len(bag))]) == sorted(
            tiles
        )

    @given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.text(max_size=5), st.integers(1, 9))
    def test_plays_draw_from_the_end_of_the_bag(self, tiles, seed, size):
        bag = SeededBag(tiles, seed)
        order = SeededBag(tiles, seed).draw(len(tiles))
        racks = Racks(bag, 1, size)
        dealt_tiles, remaining_tiles = order[-size:], order[:-size]
        assert racks.tiles_by_seat[0] == dealt_tiles
        racks.play(0, dealt_tiles[:2])
        assert racks.tiles_by_seat[0] == dealt_tiles[2:] + remaining_tiles[-len(dealt_tiles[:2]) :]


@pytest.mark.parametrize(
    "text",
    [
        "gid=\ud800&tn=1&bag=en",
        "gid=a&bag=-1&tn=1",
        "gid=a&bag=.&racksize=1&tn=1&ex=0",
        "gid=a&board=.&bag=A-9-1&racksize=1&tn=1&wl=0.0&wh=AA",
        "&ttps://a.example/?gid=a&bag=en&tn=1",
        "\u00a0#gid=a&bag=en&tn=1",
        "gid=a&bag=en&tn=1&wl&seed=7&wl=7.7&wh=A",
        "https://a.example#gid=%E9&tn=1&wl=7.7&wh=%00",
    ],
)
def test_odd_links_are_read_or_rejected(text):
    with contextlib.suppress(DomainError):
        attempt_turn_url(text)
