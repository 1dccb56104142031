"""A process that competes for replies and dailies: `python -m tests.storage.claimant DATABASE_URL`.

It opens the store, prints "ready", waits for a line, tries to claim every message and daily several times at once, and prints
its successful claims.
"""

import asyncio
import json
import sys

from bot.storage.dailies import DailyKey
from bot.storage.store import Store

SOURCES = range(1, 26)
TRIES = 4


async def compete(url):
    async with Store.open(url) as store:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        tries = [source_id for source_id in SOURCES for _ in range(TRIES)]
        won = await asyncio.gather(
            *(store.claim_reply(source_id, channel_id=1, guild_id=None, author_id=1) for source_id in tries)
        )
        posts = await asyncio.gather(
            *(store.claim_daily(DailyKey(5, number, "chess"), "0YtJI", 9) for number in tries)
        )
    print(
        json.dumps(
            [[item for item, own in zip(tries, claims, strict=True) if own] for claims in (won, posts)]
        )
    )


if __name__ == "__main__":
    asyncio.run(compete(sys.argv[1]))
