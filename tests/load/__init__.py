"""Gateways and workers as separate programs over one database, which lose processes and connections during the tests."""
