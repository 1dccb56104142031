"""Kibitz, the Discord bot for people who play crossword games and chess."""

__version__ = "1.0.0"
"""The version, defined only here for the package, ``--version``, ``/about`` and the metrics."""
