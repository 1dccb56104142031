"""Links of a live game, as people post them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import (
    LiveGame,
    MergedGame,
    MergeResult,
    Post,
    merge,
    merge_posts,
)
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.reading.problems import ConversionError, RuleError
from tests.domain.crossword.notations.live_links import history, turn_link

ALICE, BOB, CAROL = 1, 2, 3
GAME = history("g1", 5)
WRONG_TURN = WordTurn(0, 0, Direction.ACROSS, "ZZZ")


def post(author: int, number: int) -> Post:
    return Post(author, turn_url.read(turn_link(GAME, number)).value)


def merge_all(*posts: Post) -> MergeResult:
    step = MergeResult(MergedGame((), LiveGame("g1")), has_changed=False)
    for post in posts:
        step = merge(step.merged, post)
    return step


POSTS = [post(ALICE if number % 2 else BOB, number) for number in range(1, 6)]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_posts_in_any_order_make_the_same_game(order):
    merged = merge_all(*(POSTS[number] for number in order)).merged
    assert merged.turn_count == 4
    assert merged.game.history.turns == GAME.turns[:4]
    assert merge_posts("g1", merged.posts) == merged


def test_known_turns_change_nothing():
    merged = merge_all(*POSTS).merged
    for repeated_post in (*POSTS, Post(CAROL, GAME), Post(CAROL, replace(GAME, turns=GAME.turns[:2]))):
        step = merge(merged, repeated_post)
        assert step == MergeResult(merged, has_changed=False)


def test_a_link_fills_a_gap_and_adds_turns():
    merged = merge_all(POSTS[0], POSTS[2]).merged
    assert merged.turn_count == 1
    step = merge(merged, Post(CAROL, GAME))
    assert step.has_changed
    assert step.merged.turn_count == 5
    assert step.merged.game.history.turns == GAME.turns


def test_each_contradiction_is_reported_and_the_first_version_stays():
    merged = merge_all(*POSTS[:2]).merged
    other_post = Post(CAROL, TurnUrl("g1", 2, (ExchangeTurn(),)))
    for _ in range(2):
        step = merge(merged, other_post)
        assert not step.has_changed
        [contradiction] = step.contradictions
        assert (contradiction.turn, contradiction.rejected) == (2, ExchangeTurn())
        assert step.merged.game.history.turns == GAME.turns[:2]


def test_an_unplayable_turn_is_removed_with_the_turns_after_it():
    url = replace(GAME, turns=(*GAME.turns[:2], WRONG_TURN, *GAME.turns[3:]))
    step = merge_all(Post(ALICE, url))
    assert step.has_changed
    assert [refusal.turn for refusal in step.refused_turns] == [3]
    assert step.merged.turn_count == 2
    assert step.merged.game.history.turns == GAME.turns[:2]
    step = merge(step.merged, POSTS[2])
    assert step.merged.turn_count == 3
    assert not step.refused_turns


def test_a_refused_turn_leaves_room_for_the_turn_of_another_post():
    bad_post, good_post = Post(CAROL, TurnUrl("g1", 3, (WRONG_TURN,))), POSTS[2]
    step = merge_all(POSTS[0], bad_post, good_post, POSTS[1])
    assert [refusal.turn for refusal in step.refused_turns] == [3]
    assert step.merged.turn_count in (2, 3)
    assert merge(step.merged, good_post).merged.turn_count == 3


def test_turns_after_the_end_are_left_out():
    url = turn_url.read("gid=g1&v=1&p1n=solo&bag=A-2-1&racksize=2&tn=1&wl=7.7&wh=AA&ex=").value
    step = merge_all(Post(ALICE, url))
    assert step.merged.turn_count == 1
    assert step.merged.replay_result.is_over
    assert [refusal.turn for refusal in step.refused_turns] == [2]


def test_a_link_to_an_unplayable_game_or_a_different_game_is_rejected():
    with pytest.raises(RuleError, match="need 14 tiles"):
        merge_all(Post(ALICE, turn_url.read("gid=g1&v=1&bag=A-3-1&tn=1").value))
    with pytest.raises(ConversionError, match="the game other, not to g1"):
        merge_all(Post(ALICE, turn_url.read("gid=other&v=1&bag=en&tn=1").value))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(1, 6), st.sampled_from(["right", "wrong", "pass"])),
        max_size=8,
    )
)
def test_any_posts_leave_a_playable_game(steps):
    merged = MergedGame((), LiveGame("g1"))
    for author, number, kind in steps:
        turn: Any = {"wrong": WRONG_TURN, "pass": ExchangeTurn()}.get(kind) or GAME.turns[min(number, 5) - 1]
        url = TurnUrl("g1", number, (turn,)) if number > 1 else replace(GAME, turns=(turn,))
        step = merge(merged, Post(author, url))
        assert step.has_changed or step.merged is merged
        merged = step.merged
        assert merge_posts("g1", merged.posts) == merged, "the stored posts give a different game"
        if merged.game.history is not None:
            reading = turn_url.replay_for_onlookers(merged.game.history)
            assert reading.error is None
            assert merged.turn_count == len(merged.game.history.turns)
