"""Turn URLs with random settings, turns and texts."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.draws import Racks, SeededBag
from bot.domain.crossword.notations.turn_url.url import TurnUrl, decode, encode
from bot.domain.crossword.play import Exchange
from bot.domain.reading.problems import DomainError
from tests.domain.crossword.games import check_game, final_racks
from tests.domain.crossword.notations.live_links import merge
from tests.domain.crossword.notations.turn_url_strategies import (
    deltas,
    histories_without_turns,
    played_histories,
)
from tests.domain.crossword.strategies import mutations
from tests.examples import thorough_examples

FULL = (
    "https://jtobey.github.io/sw/#gid=g7&pid=1&v=1&p1n=Ann&p2n=Bo&board=T.d.d.T-.D.t.D.-d.t.t.d-.t...t.-d.t.t.d-.D.t.D."
    "-T.d.d.T&bingo=50&bag=en.A--9.Q-.Z-4&racksize=7&seed=board7&dt=wordlist&ds=en.x&tn=1&wl=3.0&wh=ZIZRESY&wl=3.1"
    "&p2n=Cy&wv=IDH&ex=0.1&wl=0.0&bt=1&wv=FTIZC"
)


def attempt(text: str) -> DomainError | None:
    """Read, write and replay a text. Return the error of the domain, if any."""
    try:
        value = turn_url.read(text).value
        assert turn_url.read(turn_url.write(value)).value == value
        merge(value)
        reading = turn_url.replay(value)
        list(reading.value.game.positions())
        assert turn_url.history_of(reading.value.game).game_id == value.game_id
    except DomainError as error:
        return error
    return reading.error


def check_hostile(text: str) -> None:
    """Check that a text is read, or refused with a message and a location."""
    assert all(start < end for start, end, _ in turn_url.find(text))
    error = attempt(text)
    if error is not None:
        assert error.message
        assert min(error.line, error.column) >= 1


class TestRoundTrips:
    @given(histories_without_turns())
    def test_settings_read_back(self, history):
        assert turn_url.read(turn_url.write(history)).value == history

    @given(deltas())
    def test_turns_read_back(self, delta):
        assert turn_url.read(turn_url.write(delta)).value == delta

    @given(st.text())
    def test_encoded_text_reads_back(self, text):
        encoded = encode(text)
        assert encoded.isascii()
        assert decode(encoded) == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    @settings(max_examples=40)
    @given(played_histories())
    def test_played_games_read_back(self, history):
        again = turn_url.read(turn_url.write(history)).value
        assert again == history
        reading = turn_url.replay(history)
        assert reading.error is None
        assert reading == turn_url.replay(again)
        assert turn_url.history_of(reading.value.game) == history


class TestGames:
    @settings(max_examples=40)
    @given(played_histories())
    def test_no_tile_is_lost(self, history):
        replayed = turn_url.replay(history).value
        game = replayed.game
        total = game.rules.distribution.total
        for number in range(len(history.turns) + 1):
            position = game.position_at(number)
            owned = sum(len(rack) for rack in replayed.racks[number])
            assert position.board.tile_count + owned + replayed.bag_counts[number] == total
            assert position.bag_count == replayed.bag_counts[number]
        revealed = turn_url.replay(history, reveal=range(len(game.names))).value.game
        assert check_game(revealed) == ((), None)
        assert check_game(game) == ((), None)

    @settings(max_examples=25)
    @given(played_histories(max_turns=6))
    def test_racks_are_hidden_until_the_end(self, history):
        replayed = turn_url.replay(history).value
        if replayed.over:
            return
        laid = [0] * (len(replayed.game.rules.distribution.letters))
        for turn in replayed.game.turns:
            assert not isinstance(turn.play, Exchange) or not turn.play.tiles
            for tile in turn.rack:
                laid[tile] += 1
        assert sum(laid) == replayed.game.position_at(len(history.turns)).board.tile_count
        assert final_racks(replayed.game) == (None,) * len(replayed.game.names)

    @settings(max_examples=25)
    @given(played_histories(), st.randoms(use_true_random=False))
    def test_links_are_merged_in_any_order(self, history, order: random.Random):
        pieces = [TurnUrl(history.game_id, 1, history.turns[:1], history.settings)]
        start = 2
        while start <= len(history.turns):
            # Parts may overlap, because a player's link repeats the other players' turns.
            length, overlap = order.randint(1, 3), order.randint(0, 1)
            first = max(2, start - overlap)
            pieces.append(TurnUrl(history.game_id, first, history.turns[first - 1 : start - 1 + length]))
            start += length
        order.shuffle(pieces)
        game = merge(*pieces)
        assert game.history == history
        assert game.contradictions == ()
        assert game.missing == ()


class TestDraws:
    @given(
        st.lists(st.integers(0, 30), max_size=60),
        st.text(max_size=5),
        st.lists(st.integers(0, 9), max_size=9),
    )
    def test_exchanges_keep_every_tile(self, tiles, seed, counts):
        bag = SeededBag(tiles, seed)
        racks = Racks(bag, 2, 7)
        for number, wanted in enumerate(counts):
            rack = racks.tiles[number % 2]
            count = min(wanted, len(rack), len(bag))
            returned = racks.exchange(number % 2, range(count))
            assert returned == rack[:count][::-1]
            assert racks.tiles[number % 2][: len(rack) - count] == rack[count:]
        assert sorted([*racks.tiles[0], *racks.tiles[1], *bag.draw(len(bag))]) == sorted(tiles)

    @given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.text(max_size=5), st.integers(1, 9))
    def test_plays_draw_from_the_end(self, tiles, seed, size):
        bag = SeededBag(tiles, seed)
        order = SeededBag(tiles, seed).draw(len(tiles))
        racks = Racks(bag, 1, size)
        dealt, left = order[-size:], order[:-size]
        assert racks.tiles[0] == dealt
        racks.play(0, dealt[:2])
        assert racks.tiles[0] == dealt[2:] + left[-len(dealt[:2]) :]


class TestHostileText:
    @settings(thorough_examples(400))
    @given(mutations(FULL, alphabet="&=.-#+%09AZadtQué?\n \u0000�٣"))
    @example("gid=\ud800&tn=1&bag=en")
    @example("gid=a&bag=-1&tn=1")
    @example("gid=a&bag=.&racksize=1&tn=1&ex=0")
    @example("gid=a&board=.&bag=A-9-1&racksize=1&tn=1&wl=0.0&wh=AA")
    @example("&ttps://a.example/?gid=a&bag=en&tn=1")
    @example("\u00a0#gid=a&bag=en&tn=1")
    @example("gid=a&bag=en&tn=1&wl&seed=7&wl=7.7&wh=A")
    @example("https://a.example#gid=%E9&tn=1&wl=7.7&wh=%00")
    def test_mutated_links_are_read_or_refused(self, text):
        check_hostile(text)

    @given(st.text(max_size=60).map(lambda text: f"gid=a&{text}"))
    def test_any_text_is_read_or_refused(self, text):
        check_hostile(text)

    @pytest.mark.long
    @settings(max_examples=20_000)
    @given(mutations(FULL, alphabet="&=.-#+%09AZadtQué?\n \u0000�٣"))
    def test_many_mutated_links_are_read_or_refused(self, text):
        check_hostile(text)
