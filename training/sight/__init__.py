"""Trains the networks of :mod:`bot.sight` on synthetic pictures."""
