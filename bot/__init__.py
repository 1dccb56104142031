"""Kibitz, the Discord bot for people who play crossword games and chess."""

__version__ = "1.0.0"
"""The version of the package, also shown by ``--version``, ``/about`` and the metrics. It is defined only here."""
