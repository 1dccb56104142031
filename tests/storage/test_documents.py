"""Documents are found by their digest until they expire."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select

from bot.storage.errors import StoreError
from bot.storage.tables import documents


def make_document(clock, digest="aZ09_-", text="15/15 / 0/0 0", hours=1, fmt="cgp"):
    return digest, fmt, text, clock.now + timedelta(hours=hours)


async def expiry_of(store, digest):
    query = select(documents.c.expires).where(documents.c.digest == digest)
    async with store._database.reading() as connection:
        return await connection.scalar(query)


async def test_digests_are_case_sensitive(store, clock):
    upper, lower = make_document(clock, "ABC", "one"), make_document(clock, "abc", "two")
    await store.save_document(*upper)
    await store.save_document(*lower)
    assert (await store.document("ABC"), await store.document("abc")) == (upper[1:3], lower[1:3])


@pytest.mark.parametrize(
    "digest", ["aZ09", "", "x" * 33, "a b", "a'; DROP TABLE documents; --", "é", "\0", "a\n"]
)
async def test_an_unknown_or_invalid_digest_finds_no_document(store, clock, digest):
    await store.save_document(*make_document(clock))
    assert await store.document(digest) is None


@pytest.mark.parametrize(
    "text",
    ["", "\0", "\ud800 half a pair", "Ө Ү Ң L·L ᄀ 🂡", "a\r\nb\rc\n", "\u202e\ufeff", "x" * 500_000],
    ids=["empty", "nul", "surrogate", "alphabets", "line-ends", "marks", "long"],
)
async def test_any_text_is_read_back_unchanged(store, clock, text):
    document = make_document(clock, text=text)
    await store.save_document(*document)
    assert await store.document(document[0]) == document[1:3]


async def test_a_document_is_found_until_the_moment_it_expires(store, clock):
    document = make_document(clock)
    await store.save_document(*document)
    clock.advance(hours=1, microseconds=-1)
    assert await store.document(document[0]) == document[1:3]
    clock.advance(microseconds=1)
    assert await store.document(document[0]) is None


async def test_storing_a_document_again_never_shortens_its_life(store, clock):
    first, shorter, longer = (make_document(clock, hours=hours) for hours in (2, 1, 3))
    await store.save_document(*first)
    await store.save_document(*shorter)
    assert await expiry_of(store, first[0]) == first[3]
    await store.save_document(*longer)
    assert await expiry_of(store, first[0]) == longer[3]


@pytest.mark.parametrize("change", [{"text": "other"}, {"fmt": "gcg"}])
async def test_a_stored_digest_rejects_a_different_document(store, clock, change):
    first = make_document(clock)
    await store.save_document(*first)
    with pytest.raises(StoreError, match=f"{first[0]} already identifies another document"):
        await store.save_document(*make_document(clock, hours=9, **change))
    assert await store.document(first[0]) == first[1:3]
    assert await expiry_of(store, first[0]) == first[3]


async def test_the_digest_of_an_expired_document_can_be_reused(store, clock):
    await store.save_document(*make_document(clock))
    clock.advance(hours=1)
    other = make_document(clock, text="other", fmt="gcg")
    await store.save_document(*other)
    assert await store.document(other[0]) == other[1:3]


async def test_an_expiry_in_another_time_zone_is_converted_to_utc(store, clock):
    east = timezone(timedelta(hours=9, minutes=30))
    expires = (clock.now + timedelta(hours=1)).astimezone(east)
    await store.save_document("d", "cgp", "t", expires)
    stored = await expiry_of(store, "d")
    assert stored == expires
    assert stored.tzinfo == UTC
    clock.advance(hours=1)
    assert await store.document("d") is None


async def test_a_time_without_a_time_zone_is_refused(store):
    with pytest.raises(StoreError):
        await store.save_document("d", "cgp", "t", datetime(2026, 1, 1))  # noqa: DTZ001 - the missing zone is what is tested
