"""Kibitz, the Discord bot for people who play crossword games and chess."""

__version__ = "1.0.0"
"""The only place that states the version. The package, ``--version``, ``/about`` and the metrics read it here."""
