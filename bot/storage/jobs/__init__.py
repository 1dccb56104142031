"""Jobs that gateways submit to workers through PostgreSQL."""
