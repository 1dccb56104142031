"""Gateways and workers as the programs they are, over one database, while plugs are pulled."""
