"""Teaches the networks of :mod:`bot.sight` to read squares, from synthetic pictures only."""
