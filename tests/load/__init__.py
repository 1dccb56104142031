"""Tests of gateways and workers that share a database: the tests kill processes and cut connections."""
