"""Jobs in other processes: gateways submit them to a PostgreSQL database, and Procrastinate assigns them to workers."""
