"""Reviews are stored with their documents, and deleted with them."""

import asyncio
from datetime import timedelta

import pytest

from bot.storage.documents import MAX_REVIEW_BYTES, MAX_REVIEWS_PER_DOCUMENT, ReviewKey
from tests.storage.waiting_transactions import wait_for_blocked_transactions

KEY = ReviewKey("game", "SCOWL80:0123", "quick")


@pytest.fixture
async def store_with_game(store, clock):
    await store.save_document("game", "gcg", "text", clock.now + timedelta(days=30), author_id=7)
    return store


async def test_a_review_is_found_by_document_lexicon_depth_and_engine(store_with_game):
    text = '{"players": "Łódź"}' * 1000
    await store_with_game.save_review(KEY, "1", text)
    assert await store_with_game.review(KEY, "1") == text
    for other in (
        ReviewKey("other", KEY.lexicon, KEY.depth),
        ReviewKey("game", "SCOWL80:4567", KEY.depth),
        ReviewKey("game", KEY.lexicon, "deep"),
    ):
        assert await store_with_game.review(other, "1") is None
    assert await store_with_game.review(KEY, "2") is None


async def test_a_newer_version_replaces_earlier_reviews(store_with_game):
    deep = ReviewKey("game", KEY.lexicon, "deep")
    await store_with_game.save_review(KEY, "1", "quick")
    await store_with_game.save_review(deep, "1", "deep")
    await store_with_game.save_review(KEY, "1", "quick again")
    assert (await store_with_game.review(KEY, "1"), await store_with_game.review(deep, "1")) == (
        "quick again",
        "deep",
    )
    await store_with_game.save_review(KEY, "2", "quick anew")
    assert await store_with_game.review(KEY, "2") == "quick anew"
    assert await store_with_game.review(deep, "1") is None


async def test_reviews_that_are_too_long_or_have_no_document_are_not_stored(store_with_game):
    other = ReviewKey("other", "", "quick")
    await store_with_game.save_review(other, "1", "text")
    await store_with_game.save_review(KEY, "1", "x" * (MAX_REVIEW_BYTES + 1))
    assert (await store_with_game.review(other, "1"), await store_with_game.review(KEY, "1")) == (None, None)
    await store_with_game.save_review(KEY, "1", "x" * MAX_REVIEW_BYTES)
    assert await store_with_game.review(KEY, "1") == "x" * MAX_REVIEW_BYTES


async def test_a_review_of_a_game_deleted_at_the_same_time_is_not_stored(
    postgres_store, other_connection, clock
):
    await postgres_store.save_document("game", "gcg", "text", clock.now + timedelta(days=30))
    await other_connection.execute("DELETE FROM documents")
    review = asyncio.create_task(postgres_store.save_review(KEY, "1", "text"))
    await wait_for_blocked_transactions(other_connection, 1)
    await other_connection.commit()
    await review
    assert await postgres_store.review(KEY, "1") is None


async def test_the_number_of_reviews_of_a_document_is_limited(store_with_game):
    keys = [
        ReviewKey("game", KEY.lexicon, f"simulation:{number}") for number in range(MAX_REVIEWS_PER_DOCUMENT)
    ]
    for key in keys:
        await store_with_game.save_review(key, "1", "text")
    await store_with_game.save_review(KEY, "1", "text")
    assert await store_with_game.review(keys[-1], "1") == "text"
    assert await store_with_game.review(KEY, "1") is None
    await store_with_game.save_review(keys[0], "1", "again")
    assert await store_with_game.review(keys[0], "1") == "again"
    await store_with_game.save_review(KEY, "2", "text")
    assert await store_with_game.review(KEY, "2") == "text", (
        "reviews of earlier versions counted towards the limit"
    )


async def test_a_review_expires_with_the_game(store_with_game, clock):
    await store_with_game.save_review(KEY, "1", "text")
    clock.advance(days=30)
    assert await store_with_game.review(KEY, "1") is None
    await store_with_game.sweep()
    await store_with_game.save_document("game", "gcg", "text", clock.now + timedelta(days=1))
    assert await store_with_game.review(KEY, "1") is None


async def test_a_review_is_deleted_with_the_user(store_with_game, clock):
    await store_with_game.save_review(KEY, "1", "text")
    await store_with_game.forget_user(7)
    await store_with_game.save_document("game", "gcg", "text", clock.now + timedelta(days=1))
    assert await store_with_game.review(KEY, "1") is None


@pytest.mark.parametrize("part", ["x" * 65, "é", "\n"])
def test_invalid_review_keys_are_refused(part):
    with pytest.raises(ValueError, match="can't identify a review"):
        ReviewKey("game", part, "quick")
