"""A process that competes for replies and dailies: `python -m tests.storage.claimant DATABASE_URL`.

The process opens the store, prints "ready" and waits for a line. Then it tries to claim each message and each daily several
times at once, and prints the numbers of the messages and dailies that it claimed.
"""

import asyncio
import json
import sys

from bot.storage.dailies import DailyKey
from bot.storage.store import Store

NUMBERS = range(1, 26)
"""The numbers of both the messages and the dailies."""
TRIES = 4


async def compete(url):
    async with Store.open(url) as store:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        numbers = [number for number in NUMBERS for _ in range(TRIES)]
        reply_attempts = await asyncio.gather(
            *(store.claim_reply(number, channel_id=1, guild_id=None, author_id=1) for number in numbers)
        )
        daily_attempts = await asyncio.gather(
            *(store.claim_daily(DailyKey(5, number, "chess"), "0YtJI", 9) for number in numbers)
        )
    print(
        json.dumps(
            [
                [number for number, attempt in zip(numbers, attempts, strict=True) if attempt]
                for attempts in (reply_attempts, daily_attempts)
            ]
        )
    )


if __name__ == "__main__":
    asyncio.run(compete(sys.argv[1]))
