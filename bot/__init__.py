"""Kibitz, the Discord bot for people who play crossword games and chess."""

__version__ = "1.0.0"
"""The one place where the version stands; the package, ``--version``, ``/about`` and the metrics read it here."""
