"""Jobs that gateways submit to workers through a PostgreSQL database, and the engine that assigns them."""
