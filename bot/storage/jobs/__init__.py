"""Jobs that processes hand to each other over a PostgreSQL database, and the engine that hands them out."""
