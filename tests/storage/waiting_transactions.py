"""Makes PostgreSQL transactions overlap."""

import asyncio


async def wait_for_blocked_transactions(other_connection, count):
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(60):
        while (await (await other_connection.execute(query)).fetchone()) != (count,):
            await other_connection.execute("SELECT pg_stat_clear_snapshot()")
            await asyncio.sleep(0.01)


async def run_concurrently(other_connection, table, *calls):
    """Run calls that write to a table. No transaction ends before all have begun."""
    await other_connection.execute(f"LOCK TABLE {table} IN SHARE MODE")
    tasks = [asyncio.ensure_future(call) for call in calls]
    await wait_for_blocked_transactions(other_connection, len(tasks))
    await other_connection.commit()
    return await asyncio.gather(*tasks)
