"""Waits until transactions on PostgreSQL wait for each other."""

import asyncio


async def wait_for_waiting_transactions(other, number):
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(60):
        while (await (await other.execute(query)).fetchone()) != (number,):
            await other.execute("SELECT pg_stat_clear_snapshot()")
            await asyncio.sleep(0.01)
