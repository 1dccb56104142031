"""Jobs in other processes. Gateways submit them to PostgreSQL, and Procrastinate assigns them to workers."""
