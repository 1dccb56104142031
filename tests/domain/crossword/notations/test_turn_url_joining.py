"""Links of a live game, as people post them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import (
    JoinedGame,
    JoinResult,
    LiveGame,
    Post,
    join,
    join_all_posts,
)
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl, WordTurn
from bot.domain.crossword.play import Direction
from bot.domain.reading.problems import ConversionError, RuleError
from tests.domain.crossword.notations.live_links import history, turn_link

ALICE, BOB, CAROL = 1, 2, 3
GAME = history("g1", 5)
WRONG = WordTurn(0, 0, Direction.ACROSS, "ZZZ")


def post(author: int, number: int) -> Post:
    return Post(author, turn_url.read(turn_link(GAME, number)).value)


def join_all(*posts: Post) -> JoinResult:
    step = JoinResult(JoinedGame((), LiveGame("g1")), has_changed=False)
    for post in posts:
        step = join(step.joined, post)
    return step


POSTS = [post(ALICE if number % 2 else BOB, number) for number in range(1, 6)]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_posts_in_any_order_make_the_same_game(order):
    joined = join_all(*(POSTS[number] for number in order)).joined
    assert joined.turn_count == 4
    assert joined.game.history.turns == GAME.turns[:4]
    assert join_all_posts("g1", joined.posts) == joined


def test_known_turns_change_nothing():
    joined = join_all(*POSTS).joined
    for again in (*POSTS, Post(CAROL, GAME), Post(CAROL, replace(GAME, turns=GAME.turns[:2]))):
        step = join(joined, again)
        assert step == JoinResult(joined, has_changed=False)


def test_a_link_fills_a_gap_and_adds_turns():
    joined = join_all(POSTS[0], POSTS[2]).joined
    assert joined.turn_count == 1
    step = join(joined, Post(CAROL, GAME))
    assert step.has_changed
    assert step.joined.turn_count == 5
    assert step.joined.game.history.turns == GAME.turns


def test_each_contradiction_is_reported_and_the_first_version_stays():
    joined = join_all(*POSTS[:2]).joined
    other = Post(CAROL, TurnUrl("g1", 2, (ExchangeTurn(),)))
    for _ in range(2):
        step = join(joined, other)
        assert not step.has_changed
        [contradiction] = step.contradictions
        assert (contradiction.turn, contradiction.rejected) == (2, ExchangeTurn())
        assert step.joined.game.history.turns == GAME.turns[:2]


def test_an_unplayable_turn_is_removed_with_the_turns_after_it():
    url = replace(GAME, turns=(*GAME.turns[:2], WRONG, *GAME.turns[3:]))
    step = join_all(Post(ALICE, url))
    assert step.has_changed
    assert [refusal.turn for refusal in step.refusals] == [3]
    assert step.joined.turn_count == 2
    assert step.joined.game.history.turns == GAME.turns[:2]
    step = join(step.joined, POSTS[2])
    assert step.joined.turn_count == 3
    assert not step.refusals


def test_a_refused_turn_leaves_room_for_the_turn_of_another_post():
    bad, good = Post(CAROL, TurnUrl("g1", 3, (WRONG,))), POSTS[2]
    step = join_all(POSTS[0], bad, good, POSTS[1])
    assert [refusal.turn for refusal in step.refusals] == [3]
    assert step.joined.turn_count in (2, 3)
    assert join(step.joined, good).joined.turn_count == 3


def test_turns_after_the_end_are_left_out():
    url = turn_url.read("gid=g1&v=1&p1n=solo&bag=A-2-1&racksize=2&tn=1&wl=7.7&wh=AA&ex=").value
    step = join_all(Post(ALICE, url))
    assert step.joined.turn_count == 1
    assert step.joined.replay_result.is_over
    assert [refusal.turn for refusal in step.refusals] == [2]


def test_a_game_that_cannot_begin_is_rejected():
    with pytest.raises(RuleError, match="need 14 tiles"):
        join_all(Post(ALICE, turn_url.read("gid=g1&v=1&bag=A-3-1&tn=1").value))
    with pytest.raises(ConversionError, match="the game other, not to g1"):
        join_all(Post(ALICE, turn_url.read("gid=other&v=1&bag=en&tn=1").value))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(1, 6), st.sampled_from(["right", "wrong", "pass"])),
        max_size=8,
    )
)
def test_any_posts_leave_a_playable_game(steps):
    joined = JoinedGame((), LiveGame("g1"))
    for author, number, kind in steps:
        turn: Any = {"wrong": WRONG, "pass": ExchangeTurn()}.get(kind) or GAME.turns[min(number, 5) - 1]
        url = TurnUrl("g1", number, (turn,)) if number > 1 else replace(GAME, turns=(turn,))
        step = join(joined, Post(author, url))
        assert step.has_changed or step.joined is joined
        joined = step.joined
        assert join_all_posts("g1", joined.posts) == joined, "the stored posts give the same game"
        if joined.game.history is not None:
            reading = turn_url.replay_for_onlookers(joined.game.history)
            assert reading.error is None
            assert joined.turn_count == len(joined.game.history.turns)
