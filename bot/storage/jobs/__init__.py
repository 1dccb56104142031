"""Jobs that gateways (the processes connected to Discord) submit to workers through PostgreSQL."""
