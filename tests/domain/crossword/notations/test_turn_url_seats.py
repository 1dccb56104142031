"""Tests which users are recognized as players, and up to which turn they may see their racks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.crossword.notations import turn_url
from bot.domain.crossword.notations.turn_url.live import LiveGame, MergedGame, Post, SeatOutcome, Seats, merge
from bot.domain.crossword.notations.turn_url.url import ExchangeTurn, TurnUrl
from tests.domain.crossword.notations.live_links import history, turn_link

ALICE, BOB, CAROL, DAVE = 1, 2, 3, 4
GAME = history("g1", 6)
THREE_PLAYER_GAME = history("g3", 7, ("alice", "bob", "carol"))


def post_by(author, number, game=GAME):
    return Post(author, turn_url.read(turn_link(game, number)).value)


def pass_post(author, number):
    return Post(author, TurnUrl("g1", number, (ExchangeTurn(),)))


def history_post(author, turns):
    return Post(author, replace(GAME, turns=GAME.turns[:turns]))


def merge_posts_with_seats(*posts, seats=None, game_id="g1"):
    merged = MergedGame((), LiveGame(game_id))
    for post in posts:
        step = merge(merged, post, seats.known_occupants if seats else None)
        merged = step.merged
        if seats is None:
            seats = Seats(merged.player_count, post.author_id)
        else:
            contradicts_last_turn = any(
                contradiction.turn == merged.turn_count for contradiction in step.contradictions
            )
            seats = seats.after_link(merged, post.author_id, contradicts_last_turn=contradicts_last_turn)
    return merged, seats


NORMAL_POSTS = (post_by(ALICE, 1), post_by(BOB, 2), post_by(ALICE, 3))
KNOWN_SEATS = {0: ALICE, 1: BOB}


def test_two_players_who_answer_each_other_are_known():
    assert merge_posts_with_seats(*NORMAL_POSTS[:2])[1].occupants == {}
    merged, seats = merge_posts_with_seats(*NORMAL_POSTS)
    assert seats.occupants == KNOWN_SEATS
    assert seats.last_trusted_turn(merged) == 3


def test_three_players_are_known_after_a_round():
    posts = [
        post_by(author, number, THREE_PLAYER_GAME)
        for number, author in enumerate((ALICE, BOB, CAROL, ALICE), 1)
    ]
    assert merge_posts_with_seats(*posts[:3], game_id="g3")[1].occupants == {}
    assert merge_posts_with_seats(*posts, game_id="g3")[1].occupants == {0: ALICE, 1: BOB, 2: CAROL}


@pytest.mark.parametrize(
    "posts",
    [
        # An onlooker passes before the player, whose own link contradicts the pass.
        (post_by(ALICE, 1), pass_post(CAROL, 2), post_by(BOB, 2), post_by(ALICE, 3)),
        # Anyone can make up a pass, so a turn after a pass proves nothing.
        (post_by(ALICE, 1), pass_post(CAROL, 2), post_by(ALICE, 3)),
        # An onlooker posts a word before the player takes the turn.
        (
            post_by(ALICE, 1),
            post_by(CAROL, 2),
            Post(BOB, TurnUrl("g1", 2, (ExchangeTurn(),))),
            post_by(ALICE, 3),
        ),
        # Two strangers take turns in a game that another user posted.
        (Post(ALICE, replace(GAME, turns=())), post_by(CAROL, 1), post_by(DAVE, 2), post_by(CAROL, 3)),
        # Turn 3 was posted before turn 2, so it is not a reaction to turn 2.
        (post_by(ALICE, 1), post_by(ALICE, 3), post_by(CAROL, 2)),
        # Anyone can post a whole game again.
        (history_post(CAROL, 3), post_by(BOB, 4)),
        (post_by(ALICE, 1), history_post(CAROL, 2), post_by(ALICE, 3)),
        # One person plays both sides.
        (post_by(ALICE, 1), post_by(ALICE, 2), post_by(ALICE, 3), post_by(ALICE, 4)),
        # A stranger posts turns 2 and 3, so no three turns in a row are by the players.
        (post_by(ALICE, 1), post_by(CAROL, 2), post_by(CAROL, 3), post_by(BOB, 4), post_by(ALICE, 5)),
        # A stranger posts one of alice's two turns.
        (post_by(ALICE, 1), post_by(BOB, 2), post_by(CAROL, 3)),
        (post_by(CAROL, 1), post_by(BOB, 2), post_by(ALICE, 3)),
    ],
)
def test_posts_without_proof_do_not_seat_a_player(posts):
    assert merge_posts_with_seats(*posts)[1].occupants == {}


def test_players_are_known_if_they_answer_each_other_late_in_a_game():
    posts = (history_post(ALICE, 2), post_by(ALICE, 3), post_by(BOB, 4), post_by(ALICE, 5))
    assert merge_posts_with_seats(*posts)[1].occupants == KNOWN_SEATS


def test_the_players_own_turn_replaces_a_turn_by_another_user():
    merged, seats = merge_posts_with_seats(*NORMAL_POSTS, pass_post(CAROL, 4))
    assert seats.last_trusted_turn(merged) == 3, "alice can see what she would draw after another user's pass"
    merged, seats = merge_posts_with_seats(
        *NORMAL_POSTS, pass_post(CAROL, 4), post_by(BOB, 4), post_by(ALICE, 5)
    )
    assert merged.game.history.turns == GAME.turns[:5]
    assert seats.last_trusted_turn(merged) == 5
    merged, seats = merge_posts_with_seats(*NORMAL_POSTS, post_by(CAROL, 4), post_by(ALICE, 5))
    assert (merged.turn_count, seats.last_trusted_turn(merged)) == (5, 3)
    merged, seats = merge_posts_with_seats(
        *NORMAL_POSTS, post_by(CAROL, 4), post_by(ALICE, 5), post_by(BOB, 4)
    )
    assert seats.last_trusted_turn(merged) == 5, "bob's link did not confirm his turn"


def test_a_player_cannot_play_for_the_other_side():
    merged, seats = merge_posts_with_seats(*NORMAL_POSTS, pass_post(ALICE, 4), post_by(ALICE, 5))
    assert seats.occupants == KNOWN_SEATS
    assert seats.last_trusted_turn(merged) == 3


def test_turns_posted_again_must_come_from_their_players():
    _, known_seats = merge_posts_with_seats(*NORMAL_POSTS)
    unsettled_seats = replace(known_seats, settled_turn_count=0)
    merged, seats = merge_posts_with_seats(history_post(BOB, 2), pass_post(BOB, 3), seats=unsettled_seats)
    assert seats.last_trusted_turn(merged) == 0
    merged, seats = merge_posts_with_seats(
        history_post(BOB, 4), history_post(ALICE, 4), seats=unsettled_seats
    )
    assert seats.last_trusted_turn(merged) == 4
    seats_after_one_post = merge_posts_with_seats(
        post_by(ALICE, 1), seats=replace(known_seats, settled_turn_count=9)
    )[1]
    assert seats_after_one_post.settled_turn_count == 1, "removed turns are still settled"


class TestClaims:
    UNCLAIMED_SEATS = Seats(2, ALICE)

    def test_a_claim_by_the_poster_confirms_the_other_players_claim(self):
        seats, outcome = self.UNCLAIMED_SEATS.claim(BOB, 1, self.UNCLAIMED_SEATS.digest, 1)
        assert (seats.occupants, outcome) == ({}, SeatOutcome.CLAIM_STORED)
        seats, outcome = seats.claim(ALICE, 0, seats.digest, 1)
        assert (seats.occupants, seats.settled_turn_count, outcome) == (KNOWN_SEATS, 1, SeatOutcome.CONFIRMED)

    def test_a_later_claim_needs_the_consent_of_the_other_player(self):
        first = self.UNCLAIMED_SEATS.claim(ALICE, 0, self.UNCLAIMED_SEATS.digest, 1)[0]
        seats = first.claim(BOB, 1, first.digest, 1)[0]
        assert seats.occupants == {}
        assert seats.confirm(BOB, seats.digest, 1, is_moderator=False)[1] is SeatOutcome.NOT_PERMITTED
        assert seats.confirm(ALICE, seats.digest, 1, is_moderator=False)[0].occupants == KNOWN_SEATS
        assert seats.confirm(DAVE, seats.digest, 1, is_moderator=True)[0].occupants == KNOWN_SEATS

    def test_consent_applies_only_to_the_claims_that_were_seen(self):
        seats = self.UNCLAIMED_SEATS.claim(BOB, 1, self.UNCLAIMED_SEATS.digest, 1)[0]
        seen_digest = seats.digest
        seats = seats.claim(CAROL, 1, seats.digest, 1)[0]
        assert seats.claims == {1: CAROL}
        assert seats.claim(ALICE, 0, seen_digest, 1)[1] is SeatOutcome.CLAIM_STORED
        seats = seats.claim(ALICE, 0, seen_digest, 1)[0]
        assert seats.confirm(ALICE, seen_digest, 1, is_moderator=False)[1] is SeatOutcome.CHANGED

    def test_strangers_cannot_assign_seats(self):
        seats = self.UNCLAIMED_SEATS.claim(CAROL, 0, self.UNCLAIMED_SEATS.digest, 1)[0]
        seats = seats.claim(DAVE, 1, seats.digest, 1)[0]
        for stranger in (CAROL, DAVE, BOB):
            assert (
                seats.confirm(stranger, seats.digest, 1, is_moderator=False)[1] is SeatOutcome.NOT_PERMITTED
            )
        assert seats.occupants == {}

    def test_no_user_has_two_seats(self):
        seats = self.UNCLAIMED_SEATS.claim(ALICE, 0, self.UNCLAIMED_SEATS.digest, 1)[0]
        seats = seats.claim(ALICE, 1, seats.digest, 1)[0]
        assert (seats.occupants, seats.claims) == ({}, {1: ALICE})
        known_seats = Seats(2, ALICE, KNOWN_SEATS)
        assert known_seats.claim(ALICE, 1, known_seats.digest, 1)[1] is SeatOutcome.ALREADY_SEATED
        assert known_seats.claim(CAROL, 1, known_seats.digest, 1)[1] is SeatOutcome.TAKEN

    def test_a_player_frees_one_seat_and_a_moderator_without_a_seat_frees_all(self):
        known_seats = Seats(2, ALICE, KNOWN_SEATS, settled_turn_count=3)
        assert known_seats.free(CAROL, 3, is_moderator=False)[1] is SeatOutcome.NOT_SEATED
        seats = known_seats.free(BOB, 3, is_moderator=False)[0]
        assert seats.occupants == {0: ALICE}
        assert seats.claim(CAROL, 1, seats.digest, 3)[0].occupants == {0: ALICE}, (
            "carol got a seat without alice's consent"
        )
        assert known_seats.free(CAROL, 3, is_moderator=True)[0].occupants == {}
        assert known_seats.free(BOB, 3, is_moderator=True)[0] == seats, (
            "a moderator who plays freed all seats"
        )
        merged, _ = merge_posts_with_seats(*NORMAL_POSTS)
        assert seats.after_link(merged, CAROL, contradicts_last_turn=False).occupants == {0: ALICE}, (
            "earlier turns assigned the freed seat"
        )

    def test_a_permanently_empty_seat_stays_empty(self):
        seats = Seats(2, ALICE, {1: None})
        assert seats.claim(BOB, 1, seats.digest, 1)[1] is SeatOutcome.TAKEN
        assert seats.known_occupants == {}
