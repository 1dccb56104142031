"""PostgreSQL transactions that overlap."""

import asyncio


async def wait_for_waiting_transactions(other, number):
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(60):
        while (await (await other.execute(query)).fetchone()) != (number,):
            await other.execute("SELECT pg_stat_clear_snapshot()")
            await asyncio.sleep(0.01)


async def run_at_once(other, table, *calls):
    """Run calls that write to a table, so that none of their transactions can end before the others begin."""
    await other.execute(f"LOCK TABLE {table} IN SHARE MODE")
    tasks = [asyncio.ensure_future(call) for call in calls]
    await wait_for_waiting_transactions(other, len(tasks))
    await other.commit()
    return await asyncio.gather(*tasks)
