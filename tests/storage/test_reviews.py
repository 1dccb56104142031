"""Reviews are kept beside their documents, and go with them."""

from datetime import timedelta

import pytest

from bot.storage.documents import MAX_OF_DOCUMENT, MAX_REVIEW, Document, ReviewKey

KEY = ReviewKey("game", "SCOWL80:0123", "quick")


@pytest.fixture
async def stored_review(store, clock):
    await store.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=30)), author_id=7)
    return store


async def test_a_review_comes_back_by_content_lexicon_depth_and_engine(stored_review):
    text = '{"players": "Łódź"}' * 1000
    assert await stored_review.keep_review(KEY, "1", text)
    assert await stored_review.review(KEY, "1") == text
    for other in (
        ReviewKey("other", KEY.lexicon, KEY.depth),
        ReviewKey("game", "SCOWL80:4567", KEY.depth),
        ReviewKey("game", KEY.lexicon, "deep"),
    ):
        assert await stored_review.review(other, "1") is None
    assert await stored_review.review(KEY, "2") is None


async def test_a_newer_version_takes_the_place_of_all_earlier_reviews_of_a_game(stored_review):
    deep = ReviewKey("game", KEY.lexicon, "deep")
    await stored_review.keep_review(KEY, "1", "quick")
    await stored_review.keep_review(deep, "1", "deep")
    await stored_review.keep_review(KEY, "1", "quick again")
    assert (await stored_review.review(KEY, "1"), await stored_review.review(deep, "1")) == (
        "quick again",
        "deep",
    )
    await stored_review.keep_review(KEY, "2", "quick anew")
    assert await stored_review.review(KEY, "2") == "quick anew"
    assert await stored_review.review(deep, "1") is None


async def test_a_review_of_nothing_and_one_without_end_are_not_kept(stored_review):
    assert not await stored_review.keep_review(ReviewKey("other", "", "quick"), "1", "text")
    assert not await stored_review.keep_review(KEY, "1", "x" * (MAX_REVIEW + 1))
    assert await stored_review.review(KEY, "1") is None
    assert await stored_review.keep_review(KEY, "1", "x" * MAX_REVIEW)
    assert await stored_review.review(KEY, "1") == "x" * MAX_REVIEW


async def test_a_document_has_so_many_and_no_more(stored_review):
    for number in range(MAX_OF_DOCUMENT):
        assert await stored_review.keep_review(
            ReviewKey("game", KEY.lexicon, f"simulation:{number}"), "1", "text"
        )
    assert not await stored_review.keep_review(KEY, "1", "text")
    assert await stored_review.keep_review(ReviewKey("game", KEY.lexicon, "simulation:0"), "1", "again")
    assert await stored_review.keep_review(KEY, "2", "text"), "a newer version begins anew"


async def test_a_review_expires_with_its_game(stored_review, clock):
    await stored_review.keep_review(KEY, "1", "text")
    clock.advance(days=30)
    assert await stored_review.review(KEY, "1") is None
    await stored_review.sweep()
    await stored_review.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=1)))
    assert await stored_review.review(KEY, "1") is None


async def test_a_review_is_forgotten_with_who_brought_the_game(stored_review, clock):
    await stored_review.keep_review(KEY, "1", "text")
    await stored_review.forget_user(7)
    await stored_review.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=1)))
    assert await stored_review.review(KEY, "1") is None


@pytest.mark.parametrize("part", ["x" * 65, "é", "\n"])
def test_what_cannot_name_a_review_is_refused(part):
    with pytest.raises(ValueError, match="cannot name a review"):
        ReviewKey("game", part, "quick")
