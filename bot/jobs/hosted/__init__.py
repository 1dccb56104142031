"""Jobs of many processes: gateways submit them to a PostgreSQL database, workers do them, Procrastinate hands them out."""
