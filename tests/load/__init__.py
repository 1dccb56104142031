"""Gateways and workers as separate programs over one database. They lose processes and connections during the tests."""
