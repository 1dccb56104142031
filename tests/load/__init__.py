"""Gateways and workers as separate programs with one database. The tests kill processes and cut connections."""
