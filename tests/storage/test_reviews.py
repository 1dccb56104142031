"""Reviews are kept beside their documents, and go with them."""

from datetime import timedelta

import pytest

from bot.storage.documents import MAX_OF_DOCUMENT, MAX_REVIEW, Document, ReviewKey

KEY = ReviewKey("game", "SCOWL80:0123", "quick")


@pytest.fixture
async def kept(store, clock):
    await store.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=30)), author_id=7)
    return store


async def test_a_review_comes_back_by_content_lexicon_depth_and_engine(kept):
    text = '{"players": "Łódź"}' * 1000
    assert await kept.keep_review(KEY, "1", text)
    assert await kept.review(KEY, "1") == text
    for other in (
        ReviewKey("other", KEY.lexicon, KEY.depth),
        ReviewKey("game", "SCOWL80:4567", KEY.depth),
        ReviewKey("game", KEY.lexicon, "deep"),
    ):
        assert await kept.review(other, "1") is None
    assert await kept.review(KEY, "2") is None


async def test_a_newer_version_takes_the_place_of_all_earlier_reviews_of_a_game(kept):
    deep = ReviewKey("game", KEY.lexicon, "deep")
    await kept.keep_review(KEY, "1", "quick")
    await kept.keep_review(deep, "1", "deep")
    await kept.keep_review(KEY, "1", "quick again")
    assert (await kept.review(KEY, "1"), await kept.review(deep, "1")) == ("quick again", "deep")
    await kept.keep_review(KEY, "2", "quick anew")
    assert await kept.review(KEY, "2") == "quick anew"
    assert await kept.review(deep, "1") is None


async def test_a_review_of_nothing_and_one_without_end_are_not_kept(kept):
    assert not await kept.keep_review(ReviewKey("other", "", "quick"), "1", "text")
    assert not await kept.keep_review(KEY, "1", "x" * (MAX_REVIEW + 1))
    assert await kept.review(KEY, "1") is None
    assert await kept.keep_review(KEY, "1", "x" * MAX_REVIEW)
    assert await kept.review(KEY, "1") == "x" * MAX_REVIEW


async def test_a_document_has_so_many_and_no_more(kept):
    for number in range(MAX_OF_DOCUMENT):
        assert await kept.keep_review(ReviewKey("game", KEY.lexicon, f"simulation:{number}"), "1", "text")
    assert not await kept.keep_review(KEY, "1", "text")
    assert await kept.keep_review(ReviewKey("game", KEY.lexicon, "simulation:0"), "1", "again")
    assert await kept.keep_review(KEY, "2", "text"), "a newer version begins anew"


async def test_a_review_expires_with_its_game(kept, clock):
    await kept.keep_review(KEY, "1", "text")
    clock.advance(days=30)
    assert await kept.review(KEY, "1") is None
    await kept.sweep()
    await kept.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=1)))
    assert await kept.review(KEY, "1") is None


async def test_a_review_is_forgotten_with_who_brought_the_game(kept, clock):
    await kept.keep_review(KEY, "1", "text")
    await kept.forget_user(7)
    await kept.keep_document(Document("game", "gcg", "text", clock.now + timedelta(days=1)))
    assert await kept.review(KEY, "1") is None


@pytest.mark.parametrize("part", ["x" * 65, "é", "\n"])
def test_what_cannot_name_a_review_is_refused(part):
    with pytest.raises(ValueError, match="cannot name a review"):
        ReviewKey("game", part, "quick")
