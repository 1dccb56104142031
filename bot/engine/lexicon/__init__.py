"""Lexica: their words, the spelling of words with tiles, and the values of leaves."""
