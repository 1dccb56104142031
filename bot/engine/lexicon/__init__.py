"""Lexica: their words, how words are spelled with tiles, and the values of leaves."""
