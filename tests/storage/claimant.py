"""A process that competes for replies: `python -m tests.storage.claimant DATABASE_URL`.

It opens the store, says "ready", waits for a line, tries to claim every message several times at once, and prints
which ones it was given.
"""

import asyncio
import json
import sys

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
    print(json.dumps([source_id for source_id, mine in zip(tries, won, strict=True) if mine]))


if __name__ == "__main__":
    asyncio.run(compete(sys.argv[1]))
