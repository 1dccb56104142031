"""Analyzes crossword positions with Kibitz's own engine."""
